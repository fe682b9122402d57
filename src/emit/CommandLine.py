# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of an emitted file: `--validate` and `--bench` beside the original.

What stands below the cut is copied to the end of each file, for people who have only that file and
the original. CommandLine.cpp prints what it uses: _SOURCE, _NAME, _INIT,
_GRADIENTS, _SEED, _RECORDS and _inputs.
"""

import argparse
import contextlib
import copy
import inspect
import os
import pathlib
import runpy
import sys

import torch
import torch.utils._pytree as pytree
import triton
from torch.overrides import TorchFunctionMode

_SOURCE, _NAME, _INIT, _GRADIENTS = "original.py", "program", None, False
_SEED, _RECORDS = None, []


def _inputs(make):
    return {}


# --- cut ---


class _Wide(TorchFunctionMode):
    """Casts that the program writes round; what follows them is float64 again."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        wide = any(getattr(x, "dtype", None) == torch.float64 for x in args)
        narrow = isinstance(out, torch.Tensor) and out.is_floating_point()
        return out.double() if wide and narrow else out


def _maker(device, scale=1.0, special=False, strided=False):
    """A function that makes random tensors for `_inputs`."""

    def make(shape, dtype, below=2):
        if not dtype.is_floating_point:
            return torch.randint(below, shape, device=device).to(dtype)
        x = torch.randn(shape, dtype=torch.float64, device=device)
        x *= min(scale, torch.finfo(dtype).max / 64)
        if special:
            x = torch.where(x > 1, torch.inf, torch.where(x < -1, torch.nan, -0.0 * x))
        if strided and len(shape) > 1:
            x = x.transpose(-1, -2).contiguous().transpose(-1, -2)
        return x.to(dtype)

    return make


def _run(program, inputs, wide=False, gradients=False):
    """The results, the inputs as the call leaves them and the gradients, as a list."""

    def clone(x):
        x = torch.empty_like(x).copy_(x)
        x = x.double() if wide and x.is_floating_point() else x
        return x.requires_grad_(gradients and x.is_floating_point())

    is_module = isinstance(program, torch.nn.Module)
    if wide and is_module:
        program = copy.deepcopy(program).double()
    inputs = pytree.tree_map_only(torch.Tensor, clone, inputs)
    kept = list(program.parameters()) if is_module else []
    mode = _Wide() if wide else contextlib.nullcontext()
    with torch.set_grad_enabled(gradients), mode:
        results = program(**inputs)
        found = pytree.tree_leaves((results, inputs))
        found = [x for x in found if isinstance(x, torch.Tensor)]
        if not gradients:
            return found
        outputs = [x for x in found if x.grad_fn is not None]
        leaves = [x for x in found + kept if x.requires_grad and x.grad_fn is None]
        if not outputs:
            return found
        # Numbers that every dtype has.
        steps = [torch.arange(x.numel(), device=x.device) % 7 - 3 for x in outputs]
        given = [s.reshape(x.shape).to(x.dtype) / 4 for s, x in zip(steps, outputs)]
        own = torch.autograd.grad(outputs, leaves, given, allow_unused=True)
    return [*found, *(torch.zeros(()) if x is None else x for x in own)]


def _compare(found, own, exact):
    """What is wrong: errors above 4 times PyTorch's and 2 units in the last place."""
    found, own, exact = found.detach(), own.detach(), exact.detach()
    if found.shape != own.shape or found.dtype != own.dtype:
        return f"found {found.dtype}{[*found.shape]}, not {own.dtype}{[*own.shape]}"
    rounded = exact.to(own.dtype)
    same = (found == own) | (found == rounded) | found.isnan() & (own + rounded).isnan()
    if not own.is_floating_point():
        return "" if bool(same.all()) else f"{int((~same).sum())} elements differ"
    finite = own.isfinite() & rounded.isfinite() & found.isfinite()
    if not bool((same | finite).all()):
        return "NaN or infinity at other places"
    mine, theirs = ((x.double() - exact)[finite].abs() for x in (found, own))
    info, size = torch.finfo(own.dtype), exact[finite].abs()
    exponent = torch.frexp(size.clamp(min=info.tiny)).exponent - 1
    allowed = torch.ldexp(torch.full_like(size, 2 * info.eps), exponent)
    excess = mine > allowed.clamp(min=4 * float(theirs.max()) if theirs.numel() else 0)
    return (
        f"errors of up to {float(mine[excess].max()):.3g}" if bool(excess.any()) else ""
    )


def _register(record):
    """Lets trees of tensors go through a dataclass."""
    if not hasattr(record, "__dataclass_fields__"):
        return

    def rebuild(values, names):
        return record(**dict(zip(names, values, strict=True)))

    pytree.register_pytree_node(
        record, lambda x: ([*vars(x).values()], [*vars(x)]), rebuild
    )


def _is_repeated(first, second, bits=True):
    """Whether two runs gave tensors of one kind each, and the same elements."""
    pairs = list(zip(first, second, strict=True))
    alike = all(x.shape == y.shape and x.dtype == y.dtype for x, y in pairs)
    return alike and all(not bits or x.equal(y) for x, y in pairs)


def _validate(original, emitted, device):
    """Compares over sizes, values and strides; exits 1 on a difference."""
    names = list(inspect.signature(_inputs).parameters)[1:]
    sizes, often = [0, 1, 7, 64, 130], 1
    if device == "cuda":
        sizes, often = [*sizes, 1000, 4096, 1 << 20], 5
    shapes = [{}] * often
    shapes += [dict.fromkeys(names, 3) | {name: s} for name in names for s in sizes]
    values = {"normal": {}, "zero": {"scale": 0}, "1e6": {"scale": 1e6}}
    values |= {"1e-6": {"scale": 1e-6}, "Inf and NaN": {"special": True}}
    right, wrong, random = 0, 0, False
    for number, shape in enumerate(shapes):
        label, how = list(values.items())[number % 5]
        inputs = _inputs(_maker(device, strided=number % 2 == 1, **how), **shape)
        where = f"{shape or 'typical sizes'}, {label}{', strided' * (number % 2)}"
        try:
            # At infinities and of nothing PyTorch's gradients hang on how it computes them.
            usual = not how.get("special") and 0 not in shape.values()
            gradients = _GRADIENTS and usual
            own, exact = (_run(original, inputs, w, gradients) for w in (False, True))
        except (ArithmeticError, IndexError, RuntimeError, ValueError) as error:
            print(f"{where}: the original raises {type(error).__name__}")
            continue
        try:
            found = _run(emitted, inputs, gradients=gradients)
            if _SEED and label == "normal" and not random:
                random = not _is_repeated(own, _run(original, inputs, False, gradients))
            if random:
                # Not PyTorch's random numbers, but a seed repeats them.
                again = (_run(emitted, inputs | {_SEED: 1}) for _ in range(2))
                right_kind = _is_repeated(found, own, bits=False)
                repeats = label == "Inf and NaN" or _is_repeated(*again)
                verdicts = ["" if repeats and right_kind else "a seed repeats nothing"]
            else:
                pairs = zip(found, own, exact, strict=True)
                verdicts = [_compare(*each) for each in pairs]
            problem = "; ".join(filter(None, verdicts))
        except ValueError as error:
            print(f"{where}: refused: {error}")
            continue
        wrong, right = wrong + bool(problem), right + (not problem)
        print(f"{where}: {problem or 'right'}")
    print(f"{right} right, {wrong} wrong")
    sys.exit(1 if wrong or not right else 0)


def _bench(original, emitted):
    """Times the original, torch.compile and this file where 256 MB or more move."""
    bench, sizes = (
        triton.testing.do_bench,
        inspect.signature(_inputs).parameters.values(),
    )
    shape, moved = {size.name: size.default for size in list(sizes)[1:]}, 0
    while not moved or shape and moved < 1 << 28:
        if moved:
            shape[min(shape)] *= 2
        inputs = _inputs(_maker("cuda"), **shape)
        moved = sum(x.nbytes for x in _run(original, inputs))
    block = torch.empty(1 << 28, device="cuda")
    copy_rate = 2 * block.nbytes / bench(block.clone) / 1e6
    print(f"{shape}: {moved / 1e6:.0f} MB; PyTorch copies {copy_rate:.0f} GB/s")
    programs = {"eager": original, "torch.compile": torch.compile(original)}
    for name, program in (programs | {"this file": emitted}).items():
        with torch.no_grad():
            ms = bench(lambda program=program: program(**inputs))
        rate = moved / ms / 1e6
        print(
            f"{name:14}{ms:9.4f} ms{rate:7.0f} GB/s{rate / copy_rate:5.0%} of the copy"
        )


def _main():
    """Compares this file with the original, or times both."""
    parser = argparse.ArgumentParser(description=_main.__doc__)
    parser.add_argument("--validate", action="store_true", help="compare the results")
    parser.add_argument("--bench", action="store_true", help="compare the times")
    parser.add_argument(
        "--reference", default=_SOURCE, help="the original (%(default)s)"
    )
    options = parser.parse_args()
    interprets = os.environ.get("TRITON_INTERPRET") == "1"
    if options.validate == options.bench:
        parser.error("say --validate or --bench")
    if not torch.cuda.is_available() and (options.bench or not interprets):
        parser.error(
            "no CUDA device here; TRITON_INTERPRET=1 lets --validate use the CPU"
        )
    here = pathlib.Path(__file__).resolve().parent
    paths = [
        pathlib.Path(options.reference),
        here / pathlib.Path(options.reference).name,
    ]
    path = next((path.resolve() for path in paths if path.exists()), None)
    if path is None or path == pathlib.Path(__file__).resolve():
        parser.error(
            f"{options.reference} is not here; name the original by --reference"
        )
    sys.path.insert(0, str(path.parent))
    source = runpy.run_path(str(path))
    original, emitted = source[_NAME], globals()[_NAME]
    device = "cpu" if interprets else "cuda"
    if isinstance(original, type):
        init = eval(_INIT, source) if _INIT else source.get("get_init_inputs", list)()
        init = init if isinstance(init, (list, tuple)) else [init]
        original, emitted = original(*init).eval(), emitted(*init).eval()
        emitted.load_state_dict(original.state_dict())
        original, emitted = original.to(device), emitted.to(device)
    for kernel in globals().values() if interprets else ():
        if hasattr(kernel, "configs"):
            del kernel.configs[1:]  # Triton's interpreter cannot tune
    for record in dict.fromkeys(_RECORDS):
        _register(record)
    torch.manual_seed(0)
    if options.bench:
        _bench(original, emitted)
    else:
        _validate(original, emitted, device)


if __name__ == "__main__":
    _main()
