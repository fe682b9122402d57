# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of float32 take TF32 where PyTorch's do, and float32 where those do.

    tf32.py BINARY

Emitted files ask `torch.backends.cudnn.allow_tf32` at each call; no CPU has TF32, so that the answer is given here. Under
upstream Triton's interpreter results and gradients are compared with float64 of operands as they are, and of operands
that are rounded to TF32 beforehand: each has to be the one, and not the other. Convolutions that no matrix unit takes
round nothing; the companion's --validate has PyTorch round too. Prints what fails; exits 1 then.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import upstream  # noqa: F401  (before triton)

import loading
import torch

SOURCE = """
import torch
import torch.nn.functional as F


def padded(x, w):
    return F.conv2d(x, w, padding=1)


def strided(x, w):
    return F.conv2d(x, w, stride=2)


def grouped(x, w):
    return F.conv2d(x, w[:, :16], groups=2)


def spread(x, w):
    return F.conv_transpose2d(x, w, stride=2, padding=1)


def residual(x, w):
    y = torch.relu(x)
    return F.conv2d(y, w, padding=1) + y


def depthwise(x, w):
    return F.conv2d(x, w[:, :1], groups=32)
"""
UNROUNDED = ["depthwise"]


def rounded(x):
    """Half away from zero, to 10 binary digits behind the first."""
    bits = x.numpy().view(np.int32) + 0x1000
    return torch.from_numpy((bits & -0x2000).view(np.float32))


class Rounded(torch.autograd.Function):
    """A convolution of rounded operands, whose gradients are convolutions of rounded ones."""

    @staticmethod
    def forward(ctx, make, x, w):
        ctx.make = make
        ctx.save_for_backward(x, w)
        return make(rounded(x.float()).double(), rounded(w.float()).double())

    @staticmethod
    def backward(ctx, gradient):
        x, w = (rounded(t.float()).double().requires_grad_() for t in ctx.saved_tensors)
        with torch.enable_grad():
            result = ctx.make(x, w)
        return None, *torch.autograd.grad(result, [x, w], rounded(gradient.float()).double())


def of_rounded(name, source, x, w):
    if name == "residual":
        y = torch.relu(x)
        return Rounded.apply(lambda a, b: torch.nn.functional.conv2d(a, b, padding=1), y, w) + y
    return Rounded.apply(getattr(source, name), x, w)


def run(function, x, w, weight):
    x, w = x.clone().requires_grad_(), w.clone().requires_grad_()
    result = function(x, w)
    return [result, *torch.autograd.grad(result, [x, w], weight.to(result.dtype))]


def distance(found, expected):
    return max(float((a.double() - b).norm() / b.norm()) for a, b in zip(found, expected, strict=True))


def judge(name, source, module, x, w):
    wide = [x.double(), w.double()]
    weight = torch.randn(getattr(source, name)(x, w).shape)
    exact = run(getattr(source, name), *wide, weight)
    of_tf32 = run(lambda a, b: of_rounded(name, source, a, b), *wide, weight)
    own = getattr(module, name)
    if name in UNROUNDED:
        text = Path(module.__file__).read_text()
        return [] if "tf32" not in text else [f"{name}: rounds what no matrix unit takes"]
    problems = []
    plain = distance(run(own, x, w, weight), exact)
    module._convolution_precision = lambda _: "tf32"
    taken = run(own, x, w, weight)
    if plain > 1e-6:
        problems.append(f"{name}: {plain:.1e} from float32")
    if distance(taken, of_tf32) > 1e-6 or distance(taken, exact) < 1e-4:
        problems.append(f"{name}: {distance(taken, of_tf32):.1e} from TF32, {distance(taken, exact):.1e} from float32")
    # --validate judges by the error of PyTorch's precision, which a library may not take for all sizes.
    check = loading.load(Path(module.__file__).with_name(f"{name}_check.py"))
    check._FILE = module
    judged = check._run(getattr(source, name), {"x": x, "w": w})[0]
    if float((judged - exact[0]).norm() / exact[0].norm()) < 1e-4:
        problems.append(f"{name}: --validate takes the error of float32 for PyTorch's")
    return problems


def main():
    torch.manual_seed(0)
    x, w = torch.randn(2, 32, 12, 11), torch.randn(32, 32, 3, 3)
    sizes = "x=f32[B,32,H,W],w=f32[32,32,3,3]"
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "programs.py"
        path.write_text(SOURCE)
        source = loading.load(path)
        names = [name for name, value in vars(source).items() if callable(value)]
        for name in names:
            command = [sys.argv[1], "convert", f"{path}:{name}", "--inputs", sizes, "--size", "B=8", "--size", "H=56"]
            command += ["--size", "W=56", "--stage", "3", "--backward", "-o", folder]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            for problem in judge(name, source, loading.load(Path(folder) / f"{name}_stage3.py"), x, w):
                print(problem)
                failures += 1
    print(f"precision of convolutions: {len(names) - failures} right, {failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
