# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of float32 whose factors are stored as halves keep float32's digits, whatever numbers they meet.

    stored_halves.py BINARY

Programs are converted at sizes where halves pay, and run under upstream Triton's interpreter at small ones, with rows
that lie far apart, denormals, infinities, NaN, zeros. Each element has to be within 16 * 2^-24 times the sum of the
magnitudes of its products, and not finite where PyTorch's is not. The judge is tried on a file in which halves are
taken for everything: it has to find that wrong. Prints what fails; exits 1 then.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import upstream  # noqa: F401  (before triton)

import loading
import torch

SOURCE = """
import torch
import torch.nn.functional as F


def linear(x, w):
    return F.linear(x, w)


def across(x, w):
    return x.t() @ w


def batched(x, w):
    return x @ w


def gated(x, w):
    return torch.relu(F.linear(torch.tanh(x), w) + 1)
"""
SPECS = {
    "linear": "x=f32[M,K],w=f32[N,K]",
    "across": "x=f32[K,M],w=f32[K,N]",
    "batched": "x=f32[B,M,K],w=f32[B,K,N]",
    "gated": "x=f32[M,K],w=f32[N,K]",
}
TYPICAL = {"B": 8, "M": 2048, "N": 2048, "K": 2048}
SMALL = {"B": 2, "M": 66, "N": 70, "K": 100}


def apart(x):
    x = x * 2.0**-40
    x[..., 0] = 1
    return x


def without_first(x):
    x = x.clone()
    x[..., 0] = 0
    return x


def some(x, value):
    x = x.clone()
    x.view(-1)[7::97] = value
    return x


# What becomes of two factors of normal numbers, whose last axis is what is summed over.
CASES = {
    "normal": lambda x, w: (x, w),
    "uniform": lambda x, w: (x.abs(), w.abs()),
    "zeros": lambda x, w: (x.relu(), w.relu()),
    "empty rows": lambda x, w: (x * 0, w),
    "tails": lambda x, w: (torch.nn.functional.gelu(x * 4), w),
    "probabilities": lambda x, w: (torch.softmax(x * 20, -1), w),
    "tails that meet zeros": lambda x, w: (torch.softmax(x * 20, -1), w.relu()),
    "apart": lambda x, w: (apart(x), w),
    "apart, first unseen": lambda x, w: (apart(x), without_first(w)),
    "both apart": lambda x, w: (apart(x), apart(w)),
    "first unseen, apart": lambda x, w: (without_first(x), apart(w)),
    "one hot": lambda x, w: (x, torch.eye(w.shape[-1]).expand(*w.shape[:-2], -1, -1)[..., : w.shape[-2], :]),
    "large": lambda x, w: (x * 2.0**100, w),
    "small": lambda x, w: (x * 2.0**-100, w * 2.0**80),
    "denormal": lambda x, w: (x * 2.0**-140, w),
    "infinite": lambda x, w: (some(x, float("inf")), w),
    "not a number": lambda x, w: (x, some(w, float("nan"))),
}
# Of programs beside the first one, whose kernels are alike.
FEW = ["normal", "tails", "apart, first unseen", "infinite"]


def factors(name, case):
    """The arguments of a program for a case."""
    torch.manual_seed(0)
    size = SMALL
    batch = [size["B"]] if name == "batched" else []
    x, w = CASES[case](torch.randn(*batch, size["M"], size["K"]), torch.randn(*batch, size["N"], size["K"]))
    if name in ("across", "batched"):
        w = w.transpose(-1, -2)
    return (x.transpose(-1, -2) if name == "across" else x).contiguous(), w.contiguous()


def judge(ours, theirs, exact, magnitudes):
    """What is wrong with a result; empty where nothing is."""
    finite = torch.isfinite(theirs)
    if not torch.equal(finite, torch.isfinite(ours)) or not torch.equal(theirs.isnan(), ours.isnan()):
        return "other elements are not finite"
    least = torch.finfo(torch.float32).smallest_normal
    excess = (ours.double() - exact).abs()[finite] / (magnitudes[finite] * 2.0**-20 + least)
    return f"{float(excess.max()):.3g} of what is allowed" if (excess > 1).any() else ""


def results(function, name, x, w):
    """A program's result and, of finite factors, its gradients for normal numbers."""
    x, w = x.detach().clone().requires_grad_(), w.detach().clone().requires_grad_()
    y = function(x, w)
    gradient = torch.randn(y.shape, generator=torch.Generator().manual_seed(1)).to(y.dtype)
    return [y.detach(), *torch.autograd.grad(y, [x, w], gradient)]


def program_failures(name, source, own):
    failed = []
    original = getattr(loading.load(source), name)
    for case in CASES if name == "linear" else FEW:
        x, w = factors(name, case)
        ours, theirs = results(own, name, x, w), results(original, name, x, w)
        exact = results(original, name, x.double(), w.double())
        magnitudes = results(original, name, x.double().abs(), w.double().abs())
        # Gradients, whose magnitudes hang on ReLU and on what comes in, are judged by norms.
        texts = [judge(ours[0], theirs[0], exact[0], magnitudes[0])]
        for number in (1, 2):
            a, b, c = ours[number].double(), theirs[number].double(), exact[number]
            if name != "gated" and torch.isfinite(b).all() and (a - c).norm() > 4 * (b - c).norm() + 2e-7 * c.norm():
                texts.append(f"gradient {number} is off by {float((a - c).norm() / c.norm()):.3g}")
        failed += [f"{name}, {case}: {text}" for text in texts if text]
    return failed


def main():
    binary = sys.argv[1]
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "products.py"
        source.write_text(SOURCE)
        for name, spec in SPECS.items():
            sizes = [f"--size={size}={number}" for size, number in TYPICAL.items() if size in spec]
            command = [binary, "convert", f"{source}:{name}", "--inputs", spec, *sizes, "--stage", "3"]
            subprocess.run([*command, "--backward", "-o", folder], check=True, stdout=subprocess.DEVNULL)
            emitted = Path(folder) / f"{name}_stage3.py"
            text = emitted.read_text()
            if text.count("_spread, axis=0) < 3.0") < 3:
                failed.append(f"{name}: not all of its products are of halves")
            failed += program_failures(name, source, getattr(loading.load(emitted), name))
        unguarded = Path(folder) / "unguarded.py"
        text = (Path(folder) / "linear_stage3.py").read_text().replace("_spread, axis=0) < 3.0", "_spread, axis=0) < 9.0")
        unguarded.write_text(text)
        noticed = program_failures("linear", source, loading.load(unguarded).linear)
        for case in ("apart, first unseen", "first unseen, apart", "denormal", "infinite"):
            if not any(f", {case}: " in text for text in noticed):
                failed.append(f"halves for everything are not noticed: {case}")
    for line in failed:
        print(line)
    total = len(CASES) + (len(SPECS) - 1) * len(FEW)
    print(f"{total - len(failed)} right, {len(failed)} wrong")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
