#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A training step of three linear layers on one GPU: nereid beside eager PyTorch and torch.compile.

    bench/gpu_training_step.py FOLDER --emit BINARY    no GPU: writes the module and converts it, for each type of elements
    bench/gpu_training_step.py FOLDER                  GPU: compares and times, all in one process

Layers of 1024, 4096, 4096 and 1024 features with ReLU between them over 8192 rows, in float32 and bfloat16; a step is the
module and the gradients of its input and parameters. Errors are those of the gradients to float64, by the norm of the
difference. NEREID_CONFIG=first takes the first configuration of each kernel. Prints a table of Markdown.
"""

import argparse
import subprocess
from pathlib import Path

from gpu_contractions import error, milliseconds
from gpu_models import load

TEXT = '''"""Three linear layers."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(1024, 4096), nn.Linear(4096, 4096), nn.Linear(4096, 1024)

    def forward(self, x):
        return self.c(torch.relu(self.b(torch.relu(self.a(x)))))
'''
DTYPES = {"f32": "float32", "bf16": "bfloat16"}


def emit(folder, binary):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "net.py").write_text(TEXT)
    for short in DTYPES:
        command = [binary, "convert", f"{folder / 'net.py'}", "--to", short, "--inputs", f"x={short}[M,1024]"]
        command += ["--size", "M=8192", "--stage", "3", "--backward", "-o", str(folder / short)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def measure(folder, short):
    import torch

    dtype = getattr(torch, DTYPES[short])
    original = load(folder / "net.py").Net().cuda()
    exact = load(folder / "net.py").Net().cuda().double()
    exact.load_state_dict(original.state_dict())
    own = load(folder / short / "net_stage3.py").Net().cuda().to(dtype)
    own.load_state_dict(original.to(dtype).state_dict())
    x, weight = (torch.randn(8192, 1024, device="cuda", dtype=dtype) for _ in range(2))

    def gradients(module, x, weight):
        x = x.detach().requires_grad_()
        return torch.autograd.grad(module(x), [x, *module.parameters()], weight)

    def forward(module):
        with torch.no_grad():
            return module(x)

    wanted = gradients(exact, x.double(), weight.double())
    for name, module in [("nereid", own), ("eager", original), ("compile", torch.compile(original))]:
        found = gradients(module, x, weight)
        largest = max(error(one, other) for one, other in zip(found, wanted, strict=True))
        step = milliseconds(lambda module=module: gradients(module, x, weight))
        alone = milliseconds(lambda module=module: forward(module))
        print(f"| {short} | {name} | {step:.2f} | {alone:.2f} | {largest:.1e} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--emit", metavar="BINARY")
    options = parser.parse_args()
    if options.emit:
        return emit(options.folder, options.emit)
    print("| type | | step ms | forward ms | error |\n|---|---|---|---|---|")
    for short in DTYPES:
        measure(options.folder, short)


if __name__ == "__main__":
    main()
