# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of test/programs over many steps on a GPU: right against float64, timed and weighed beside eager.

    gpu_loops.py FOLDER [--only WORD] [--eager-steps N]

FOLDER holds what these made:

    nereid convert test/programs/semi_crf_streaming.py --stage 3 --backward -o FOLDER
    nereid convert test/programs/semi_crf_ring.py --init '16, 12' --inputs 'edge=f32[B,T,16,12],lengths=i64[B]' \\
        --stage 3 --backward -o FOLDER
    nereid convert test/programs/history_attention.py --init 64 --inputs 'x=f32[B,T,64],keys=f32[B,T,64],values=f32[B,T,64]' \\
        --stage 3 --backward -o FOLDER

The error is the greatest difference to float64 by the greatest result, at 200 steps, of the results and of the gradients
of all inputs. Times are the best of two calls, the first call left out; memory is the peak beside what was held before
the call. Eager is not run beyond --eager-steps. Prints a table of Markdown, a line a program, its steps and its direction.
"""

import argparse
import copy
import importlib.util
import sys
import time
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parent.parent


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def random(*sizes):
    return torch.randn(*sizes, device="cuda")


def make_ring(steps):
    return random(4, steps, 16, 12), torch.tensor([steps, steps // 2, steps - 1, 3], device="cuda")


#: The name of the program and of its emitted file, what it is called with, the steps at which it is timed.
PROGRAMS = {
    "semi_crf_streaming": (
        "semi_crf_streaming",
        (),
        lambda steps: (random(16, steps, 12), random(12, 12), random(4, 12)),
        (2000, 20000),
    ),
    "semi_crf_ring": ("SemiMarkovPartition", (16, 12), make_ring, (2000, 20000)),
    "history_attention": (
        "HistoryDecoder",
        (64,),
        lambda steps: [random(16, steps, 64) for _ in range(3)],
        (512, 2048),
    ),
}


def call(program, inputs, gradients):
    inputs = [x.requires_grad_(gradients) if x.is_floating_point() else x for x in inputs]
    with torch.set_grad_enabled(gradients):
        result = program(*inputs)
    if not gradients:
        return [result]
    # A sum would make the gradient of a layer norm 0.
    weights = torch.linspace(-1, 2, result.numel(), device="cuda", dtype=result.dtype).view_as(result)
    return list(torch.autograd.grad(result, [x for x in inputs if x.is_floating_point()], weights))


def error(found, exact):
    return max(((a.double() - b).abs().max() / b.abs().max()).item() for a, b in zip(found, exact, strict=True))


def weigh(run):
    """Milliseconds and MiB of a call."""
    run()
    times = []
    for _ in range(2):
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        held, start = torch.cuda.memory_allocated(), time.perf_counter()
        run()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) * 1e3)
    return min(times), (torch.cuda.max_memory_allocated() - held) / 2**20


def measure(name, folder, most_eager):
    program, init, make, lengths = PROGRAMS[name]
    source = load(ROOT / "test/programs" / f"{name}.py")
    snake = "".join("_" + c.lower() if c.isupper() else c for c in program).lstrip("_")
    emitted = load(folder / f"{snake}_stage3.py")
    torch.manual_seed(0)
    own, mine = getattr(source, program), getattr(emitted, program)
    wide = own
    if isinstance(own, type):
        own, mine = own(*init).cuda(), mine(*init).cuda()
        mine.load_state_dict(own.state_dict())
        wide = copy.deepcopy(own).double()
    for gradients in (False, True):
        inputs = make(200)
        exact = call(wide, [x.double() if x.is_floating_point() else x for x in inputs], gradients)
        wrong = error(call(mine, inputs, gradients), exact)
        usual = error(call(own, inputs, gradients), exact)
        for steps in lengths:
            inputs = make(steps)
            held = sum(x.numel() * x.element_size() for x in inputs) / 2**20
            ours, memory = weigh(lambda: call(mine, inputs, gradients))
            eager = ("", "")
            if steps <= most_eager:
                eager = [f"{number:.0f}" for number in weigh(lambda: call(own, inputs, gradients))]
            what = "gradients" if gradients else "forward"
            cells = [
                name,
                steps,
                what,
                f"{wrong:.1e}",
                f"{usual:.1e}",
                f"{ours:.0f}",
                eager[0],
                f"{held:.0f}",
                f"{memory:.0f}",
                eager[1],
            ]
            print("| " + " | ".join(map(str, cells)) + " |", flush=True)
        if not wrong < max(20 * usual, 1e-5):
            return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--eager-steps", type=int, default=2048)
    options = parser.parse_args()
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    print("| loop | steps | | error | eager's | ms | eager's | MiB of inputs | MiB beside | eager's |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    return (
        0
        if all([measure(name, options.folder, options.eager_steps) for name in PROGRAMS if options.only in name])
        else 1
    )


if __name__ == "__main__":
    sys.exit(main())
