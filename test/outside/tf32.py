# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and recurrent layers of float32 take TF32 where PyTorch's do, and float32 where those do.

    tf32.py BINARY

Emitted files ask `torch.backends.cudnn.allow_tf32` at each call; no CPU has TF32, so that the answer is given here. Under
upstream Triton's interpreter results and gradients are compared with float64 of operands as they are, and of operands
that are rounded to TF32 beforehand: each has to be the one, and not the other. Convolutions that no matrix unit takes
round nothing; the companion's --validate has PyTorch round too. Where they are large, factors are halves times a power of
two for each sample: as right for samples of any size, and what is infinite or NaN stays in its windows. Prints what fails;
exits 1 then.
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
LAYER = """
import torch


def layer(x, w, v):
    state = x.new_zeros(1, x.shape[1], 32)
    return torch.rnn_tanh(x, state, [w, v], False, 1, 0.0, False, False)[0]
"""
UNROUNDED = ["depthwise"]
# The factors of these are halves at the sizes of LARGE.
SCALED = ["padded"]
SMALL, LARGE = {"B": 8, "H": 56, "W": 56}, {"B": 64, "H": 512, "W": 512}


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


def judge_scaled(name, source, module, x, w):
    """Samples of any size in one batch, and numbers that are none."""
    text = Path(module.__file__).read_text()
    if "_half_scale(" not in text or "_factor_dtype(precision" not in text:
        return [f"{name}: its factors are no halves"]
    module._convolution_precision = lambda _: "tf32"
    own, original, problems = getattr(module, name), getattr(source, name), []
    for size in (1e30, 1e36, 1e-30, 1e-36):
        sizes = torch.tensor([1.0, size]).view(2, 1, 1, 1)
        found, exact = own(x * sizes, w), original(x.double() * sizes, w.double())
        for sample in range(2):
            if not distance([found[sample]], [exact[sample]]) < 1e-3:
                problems.append(f"{name}: wrong at {size:.0e} in sample {sample}")
    for number in (float("inf"), float("nan")):
        odd = x.clone()
        odd[0, 3, 4, 5] = number
        found, exact = own(odd, w), original(odd.double(), w.double())
        finite = exact.isfinite()
        if not (found.isfinite() == finite).all() or not distance([found[finite]], [exact[finite]]) < 1e-3:
            problems.append(f"{name}: {number} leaves its windows")
    zeros = own(x * 0, w)
    if zeros.count_nonzero() or not zeros.isfinite().all():
        problems.append(f"{name}: zeros give something")
    return problems


def judge_layer(binary, folder):
    """A turn's product takes TF32, what enters the gates none."""
    path = Path(folder) / "layers.py"
    path.write_text(LAYER)
    sizes = "x=f32[64,16,32],w=f32[32,32],v=f32[32,32]"
    subprocess.run([binary, "convert", f"{path}:layer", "--inputs", sizes, "--stage", "3", "-o", folder], check=True)
    module = loading.load(Path(folder) / "layer_stage3.py")
    x, w, v = torch.randn(5, 6, 32), torch.randn(32, 32) / 6, torch.randn(32, 32) / 6

    def reference(narrow):
        state, states = torch.zeros(6, 32).double(), []
        for each in x.double():
            state = torch.tanh(each @ w.double().t() + narrow(state) @ narrow(v.double()).t())
            states.append(state)
        return [torch.stack(states)]

    exact, of_tf32 = reference(lambda t: t), reference(lambda t: rounded(t.float()).double())
    plain = [module.layer(x, w, v)]
    module._convolution_precision = lambda _: "tf32"
    taken = [module.layer(x, w, v)]
    if distance(plain, exact) > 1e-6:
        return [f"layer: {distance(plain, exact):.1e} from float32"]
    # States that differ in a digit of float32 may be rounded to others.
    if distance(taken, of_tf32) > distance(taken, exact) / 4 or distance(taken, exact) < 1e-5:
        return [f"layer: {distance(taken, of_tf32):.1e} from TF32, {distance(taken, exact):.1e} from float32"]
    return []


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
        cases = [(name, typical) for typical in (SMALL, LARGE) for name in names]
        for name, typical in cases:
            own = Path(folder) / f"B{typical['B']}"
            command = [sys.argv[1], "convert", f"{path}:{name}", "--inputs", sizes, "--stage", "3", "--backward"]
            command += ["-o", str(own)]
            for size, length in typical.items():
                command += ["--size", f"{size}={length}"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            module = loading.load(own / f"{name}_stage3.py")
            problems = judge(name, source, module, x, w)
            if typical is LARGE and name in SCALED:
                problems += judge_scaled(name, source, module, x, w)
            for problem in problems:
                print(f"{typical}: {problem}")
            failures += bool(problems)
        problems = judge_layer(sys.argv[1], folder)
        for problem in problems:
            print(problem)
        failures += bool(problems)
    print(f"precision of convolutions and layers: {len(cases) + 1 - failures} right, {failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
