# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers on a GPU: right against float64, the same bits on each run, and timed beside eager (cuDNN).

    gpu_recurrent.py FOLDER --emit BINARY     # converts the layers below into FOLDER, no GPU
    gpu_recurrent.py FOLDER [--only WORD]     # on a GPU, a minute

Turns whose programs run at once are one launch (docs/decisions/0027-turns-at-once.md). Small layers are among them: what
a turn reads there comes from the near cache, where a wait that acquires nothing would show. An error is the norm of the
difference to float64 by the norm of that, the greatest over results and gradients; products are of TF32, as cuDNN's are,
and once more of float32. Prints a table of Markdown; exits 1 where a file differs from run to run, or by more than its
precision explains.
"""

import argparse
import importlib.util
import subprocess
import sys
from pathlib import Path

PROGRAM = '''import torch
import torch.nn as nn


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.{kind}({features}, {hidden}, {layers})

    def forward(self, x):
        return self.layers(x)[0]


def get_inputs():
    return [torch.randn({steps}, {batch}, {features})]
'''

#: The name, the class of torch.nn, features, hidden units, layers, steps, batch; whether with gradients.
LAYERS = [
    ("lstm_small", "LSTM", 32, 32, 1, 300, 40, False),
    ("gru_small", "GRU", 16, 16, 1, 300, 40, False),
    ("rnn_256", "RNN", 256, 256, 2, 512, 16, False),
    ("lstm_256", "LSTM", 256, 256, 2, 512, 16, False),
    ("lstm_256_64", "LSTM", 256, 256, 2, 512, 64, False),
    ("lstm_1024", "LSTM", 1024, 1024, 2, 512, 16, False),
    ("gru_256", "GRU", 256, 256, 2, 512, 16, False),
    ("gru_1024", "GRU", 1024, 1024, 2, 512, 64, False),
    ("lstm_six", "LSTM", 128, 256, 6, 512, 10, False),
    ("gru_six", "GRU", 128, 256, 6, 512, 10, False),
    ("lstm_256_gradients", "LSTM", 256, 256, 1, 512, 16, True),
]


def emit(folder, binary):
    for name, kind, features, hidden, layers, steps, batch, gradients in LAYERS:
        path = folder / name / "program.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            PROGRAM.format(kind=kind, features=features, hidden=hidden, layers=layers, steps=steps, batch=batch)
        )
        command = [binary, "convert", path, "--stage", "3", "-o", path.parent]
        subprocess.run(command + ["--backward"] * gradients, check=True, stdout=subprocess.DEVNULL)


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def judge(folder, name, gradients):
    import torch

    program = load(folder / name / "program.py", f"{name}_program")
    torch.manual_seed(0)
    original = program.Layers().cuda()
    emitted = load(folder / name / "layers_stage3.py", f"{name}_emitted").Layers().cuda()
    emitted.load_state_dict(original.state_dict())
    [inputs] = [x.cuda() for x in program.get_inputs()]

    def run(module, x=inputs):
        with torch.set_grad_enabled(gradients):
            x = x.detach().requires_grad_(gradients)
            out = module(x)
            if not gradients:
                return [out]
            cotangent = torch.linspace(-1, 2, out.numel(), device="cuda", dtype=out.dtype).view_as(out)
            return [out, *torch.autograd.grad(out, [x, *module.parameters()], cotangent)]

    def time(module):
        best = float("inf")
        for _ in range(6):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            run(module)
            end.record()
            torch.cuda.synchronize()
            best = min(best, start.elapsed_time(end))
        return best

    exact = run(original.double(), inputs.double())
    original.float()

    def error(found):
        pairs = [(a.detach().double(), b.detach()) for a, b in zip(found, exact, strict=True)]
        return max(float((a - b).norm() / b.norm()) for a, b in pairs)

    found = run(emitted)
    repeats = all(torch.equal(a, b) for _ in range(5) for a, b in zip(found, run(emitted), strict=True))
    own, reference = time(emitted), time(original)
    torch.backends.cudnn.allow_tf32 = False
    in_float32 = error(run(emitted))
    torch.backends.cudnn.allow_tf32 = True
    mine, others = error(found), error(run(original))
    right = repeats and in_float32 < 1e-5 and mine < 4 * max(others, 1e-4)
    wrong = "" if right else " WRONG" if repeats else " WRONG: other bits on each run"
    times = f"{own:.2f} | {reference:.2f} | {reference / own:.2f}"
    print(f"| {name} | {times} | {mine:.1e} | {others:.1e} | {in_float32:.1e} |{wrong}", flush=True)
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--emit", metavar="BINARY")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    if options.emit:
        emit(options.folder, Path(options.emit).resolve())
        return 0
    print("| layers | ms | eager's | ratio | error | eager's | error without TF32 |\n|---|---|---|---|---|---|---|")
    chosen = [layer for layer in LAYERS if options.only in layer[0]]
    return 0 if all([judge(options.folder, layer[0], layer[7]) for layer in chosen]) else 1


if __name__ == "__main__":
    sys.exit(main())
