# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a rounding, a comparison or an index hangs on the last digit of a quotient: results equal PyTorch's bit for bit.

    steps.py BINARY

Emitted files run in upstream Triton's interpreter, which divides as a GPU does: `/` and `tl.sqrt` of float32 are up to
two units in the last place off (PTX: div.full.f32, sqrt.approx.f32), `%` is what LLVM makes of it for NVIDIA's GPUs,
x - trunc(x / y) * y with a rounded quotient. `tl.div_rn`, `tl.sqrt_rn` and libdevice.fmod are exact. Of each program it
is seen too that its results would be others if it used the fast functions. Prints what fails; exits 1 then.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import upstream  # noqa: F401  (before triton)

import loading
import torch
from triton.runtime import interpreter

SOURCE = """
import torch


def quantize_rows(x, y):
    scale = x.abs().amax(-1, keepdim=True).clamp(min=1e-5) / 127.0
    return torch.round(x / scale).clamp(-128, 127).to(torch.int8), scale


def rounds(x, y):
    return torch.round(x / y)


def quantize_grid(x, y):
    return torch.fake_quantize_per_tensor_affine(x, 0.1, 3, -128, 127), torch.floor(x / 0.7)


def bins(x, y):
    return (x / y).to(torch.int64), torch.div(x, y, rounding_mode="trunc"), torch.div(x, y, rounding_mode="floor"), x // y


def remainders(x, y):
    return torch.remainder(x, y), torch.fmod(x, y), x % 0.1, torch.fmod(x * 1e6, y), torch.remainder(x, -0.3)


def roots(x, y):
    return x.abs().sqrt().floor(), torch.ceil((x * x).sqrt()), (x.abs() ** 0.5).to(torch.int32)


def compares(x, y):
    return x / y < 3, x / y == torch.round(x / y), torch.where(x / y >= 2, x, y), torch.bucketize(x / y, torch.arange(9.0))


def orders(x, y):
    return (x / y).argmax(-1), (x / y).argsort(stable=True, dim=-1), (x / y).amax(-1).floor(), (x / y).cummax(-1).indices


def through_a_kernel(x, y):
    part = x / y.abs().amax(0)
    return torch.round(part.t().contiguous() * 4), torch.cat([part, part], 0).floor()
"""
NAMES = "quantize_rows rounds quantize_grid bins remainders roots compares orders through_a_kernel".split()
EXACT = (("tl.div_rn(", "_fast_div("), ("tl.sqrt_rn(", "tl.sqrt("), ("libdevice.fmod(", "_fast_mod("))
FAST = """

@triton.jit
def _fast_div(x, y):
    return x / y


@triton.jit
def _fast_mod(x, y):
    return x % y
"""


def make_fast(self_class, generator):
    """The interpreter's division, root and remainder become those of a GPU."""

    def blur(value):
        """Moves float32 by up to two units in the last place; what is not finite, and 0, stay."""
        if value.dtype != np.float32:
            return value
        steps = generator.integers(-2, 3, value.shape, dtype=np.int32)
        moved = (np.ascontiguousarray(value).view(np.int32) + steps).view(np.float32)
        return np.where(np.isfinite(value) & np.isfinite(moved) & (value != 0), moved, value)

    def remainder(x, y):
        if x.dtype != np.float32:
            return np.fmod(x, y)
        quotient = np.trunc((x / y).astype(np.float32)).astype(np.float64)
        return np.where(np.isinf(y), x, (x.astype(np.float64) - quotient * y).astype(np.float32))

    self_class.create_fdiv = lambda self, x, y: self.binary_op(x, y, lambda a, b: blur(np.divide(a, b)))
    self_class.create_sqrt = lambda self, x: self.unary_op(x, lambda a: blur(np.sqrt(a)))
    self_class.create_frem = lambda self, x, y: self.binary_op(x, y, remainder)


def make_inputs():
    """Quotients that lie on steps, and close to them."""
    generator = torch.Generator().manual_seed(1)
    y = torch.randint(1, 12, (24, 40), generator=generator) * 0.1
    x = y * torch.randint(-20, 21, y.shape, generator=generator) * 0.5
    return x, y


def count_wrong(program, expected, x, y):
    """How many of the results are not PyTorch's, to the bit."""
    found = program(x.clone(), y.clone())
    found, expected = (values if isinstance(values, tuple) else (values,) for values in (found, expected))
    return sum(not (a.dtype == b.dtype and torch.equal(a, b)) for a, b in zip(found, expected, strict=True))


def main():
    wrong = right = 0
    make_fast(interpreter.InterpreterBuilder, np.random.default_rng(3))
    x, y = make_inputs()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "steps_source.py"
        source.write_text(SOURCE)
        for name in NAMES:
            expected = getattr(loading.load(source), name)(x, y)
            for stage in (1, 2, 3):
                command = [sys.argv[1], "convert", f"{source}:{name}", "--inputs", "x=f32[M,N],y=f32[M,N]"]
                subprocess.run(command + ["--stage", str(stage), "-o", folder], check=True, capture_output=True)
                file = Path(folder) / f"{name}_stage{stage}.py"
                fast = file.with_name(f"{name}_fast{stage}.py")
                text = file.read_text()
                for exact, other in EXACT:
                    text = text.replace(exact, other)
                # The functions stand before the first kernel.
                head, kernels = text.split("\n\n\n", 1)
                fast.write_text(head + FAST + "\n\n" + kernels)
                count = count_wrong(getattr(loading.load(file), name), expected, x, y)
                noticed = count_wrong(getattr(loading.load(fast), name), expected, x, y)
                problem = f"{count} results differ from PyTorch's" if count else ""
                problem = problem or ("" if noticed else "fast functions are not noticed")
                wrong, right = wrong + bool(problem), right + (not problem)
                if problem:
                    print(f"{name}, stage {stage}: {problem}")
    print(f"{right} right, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
