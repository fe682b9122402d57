# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of an emitted file: `--validate` and `--bench` beside the original.

What stands below the cut is copied to the end of each file, for people who have only that file and
the original. CommandLine.cpp prints what it uses: _SOURCE, _NAME, _INIT,
_GRADIENTS, _SEED, _RECORDS and _inputs.
"""

import argparse
import contextlib
import copy
import functools
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
        kinds = {x.dtype for x in args if isinstance(x, torch.Tensor)}
        floats = {kind for kind in kinds if kind.is_floating_point}
        wide = torch.float64 in kinds or kinds and not floats
        narrow = isinstance(out, torch.Tensor) and out.is_floating_point()
        return out.double() if wide and narrow else out


class _InOrder(TorchFunctionMode):
    """Sorts keep equal elements in order, which PyTorch does not promise."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        name, kwargs = getattr(function, "__name__", ""), kwargs or {}
        if name not in ("argsort", "sort", "topk") or not args or "out" in kwargs:
            return function(*args, **kwargs)
        names = ["k", "dim", "largest"] if name == "topk" else ["dim", "descending"]
        x, given = args[0], dict(zip(names, args[1:])) | kwargs
        if name != "topk" or not x.dim():
            return function(x, **given | ({"stable": True} if name != "topk" else {}))
        dim = given.get("dim", -1)
        pair = x.sort(dim=dim, descending=given.get("largest", True), stable=True)
        return torch.return_types.topk([y.narrow(dim, 0, given["k"]) for y in pair])


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
    with torch.set_grad_enabled(gradients), _InOrder(), mode:
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


def _get_errors(found, exact):
    """The errors of a result where it and float64 are finite."""
    finite = exact.to(found.dtype).isfinite() & found.isfinite()
    return torch.where(finite, (found.double() - exact).abs(), 0)


def _compare(found, own, exact, usual=0.0):
    """What is wrong: errors above 4 times PyTorch's and 2 units in the last place.

    Of few elements PyTorch's error may be small by luck; `usual` is that of more inputs.
    """
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
    mine, theirs = (_get_errors(x, exact)[finite] for x in (found, own))
    info, size = torch.finfo(own.dtype), exact[finite].abs()
    exponent = torch.frexp(size.clamp(min=info.tiny)).exponent - 1
    allowed = torch.ldexp(torch.full_like(size, 2 * info.eps), exponent)
    theirs = max(usual, float(theirs.max()) if theirs.numel() else 0)
    excess = mine > allowed.clamp(min=4 * theirs)
    return (
        f"errors of up to {float(mine[excess].max()):.3g}" if bool(excess.any()) else ""
    )


def _get_usual(original, draw, gradients):
    """PyTorch's greatest error of each result, over 16 inputs of a kind."""
    rows = []
    for _ in range(16):
        inputs = draw()
        runs = (_run(original, inputs, wide, gradients) for wide in (False, True))
        errors = [_get_errors(x.detach(), y.detach()) for x, y in zip(*runs)]
        rows.append([float(x.max()) if x.numel() else 0.0 for x in errors])
    return [max(column) for column in zip(*rows)]


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
    launched = [k for k in globals().values() if hasattr(k, "known")]
    tuned = [(k, k.fn.configs) for k in launched if hasattr(k.fn, "configs")]
    most = max((len(configs) for _, configs in tuned), default=1)
    right, wrong, random = 0, 0, False
    for number, shape in enumerate(shapes):
        label, how = list(values.items())[number % 5]
        make = _maker(device, strided=number % 2 == 1, **how)
        draw = functools.partial(_inputs, make, **shape)
        inputs, errors = draw(), None
        where = f"{shape or 'typical sizes'}, {label}{', strided' * (number % 2)}"
        try:
            # At infinities and of nothing PyTorch's gradients hang on how it computes them.
            usual = not how.get("special") and 0 not in shape.values()
            gradients = _GRADIENTS and usual
            own, exact = (_run(original, inputs, w, gradients) for w in (False, True))
        except (ArithmeticError, IndexError, RuntimeError, ValueError) as error:
            print(f"{where}: the original raises {type(error).__name__}")
            continue
        # Each configuration at large sizes, else one after the other; none is timed.
        is_large = max(shape.values(), default=0) > 2000
        for turn in range(most) if is_large else [number // 2]:
            for kernel, configs in tuned:
                kernel.fn.configs = [configs[turn % len(configs)]]
                kernel.known.clear()
            place = f"{where}, configuration {turn % most + 1}" if is_large else where
            try:
                found = _run(emitted, inputs, gradients=gradients)
                if _SEED and label == "normal" and not random:
                    again = _run(original, inputs, False, gradients)
                    random = not _is_repeated(own, again)
                if random:
                    # Not PyTorch's random numbers, but a seed repeats them.
                    again = (_run(emitted, inputs | {_SEED: 1}) for _ in range(2))
                    right_kind = _is_repeated(found, own, bits=False)
                    repeats = label == "Inf and NaN" or _is_repeated(*again)
                    is_right = repeats and right_kind
                    verdicts = ["" if is_right else "a seed repeats nothing"]
                else:
                    triples = list(zip(found, own, exact, strict=True))
                    verdicts = [_compare(*each) for each in triples]
                    if any(verdicts):
                        errors = errors or _get_usual(original, draw, gradients)
                        pairs = zip(triples, errors, strict=True)
                        verdicts = [_compare(*each, most) for each, most in pairs]
                problem = "; ".join(filter(None, verdicts))
            except ValueError as error:
                print(f"{place}: refused: {error}")
                break
            wrong, right = wrong + bool(problem), right + (not problem)
            print(f"{place}: {problem or 'right'}")
    print(f"{right} right, {wrong} wrong")
    sys.exit(1 if wrong or not right else 0)


def _bench(original, emitted, page):
    """Times the original, torch.compile and this file, from 256 MB downwards."""
    bench, shapes = triton.testing.do_bench, []
    sizes = list(inspect.signature(_inputs).parameters.values())[1:]
    shape = {size.name: size.default for size in sizes}
    while not shapes or shape and shapes[-1][0] < 1 << 28:
        if shapes:
            shape[min(shape)] *= 2
        inputs = _inputs(_maker("cuda"), **shape)
        shapes.append((sum(x.nbytes for x in _run(original, inputs)), dict(shape)))
    block = torch.empty(1 << 28, device="cuda")
    copy_rate = 2 * block.nbytes / bench(block.clone) / 1e6
    print(f"{torch.cuda.get_device_name()}; PyTorch copies {copy_rate:.0f} GB/s")
    compiled = torch.compile(original, dynamic=False)
    programs = {"eager": original, "torch.compile": compiled, "this file": emitted}
    rows = []
    for moved, shape in shapes[::-2][:8]:
        inputs = _inputs(_maker("cuda"), **shape)
        print(f"{shape}: {moved / 1e6:.1f} MB")
        for name, program in programs.items():
            with torch.no_grad():
                ms = bench(lambda program=program, inputs=inputs: program(**inputs))
            rate = moved / ms / 1e6
            rows.append((moved, name, ms, rate))
            share = f"{rate / copy_rate:5.0%} of the copy"
            print(f"  {name:14}{ms:9.4f} ms{rate:7.0f} GB/s{share}")
    if page:
        pathlib.Path(page).write_text(_draw(rows, copy_rate))


def _draw(rows, copy_rate):
    """A page with bandwidth over bytes moved, under the roof of a copy, and the table."""
    widths = [moved.bit_length() for moved, *_ in rows]
    step = 480 / max(max(widths) - min(widths), 1)
    roof = max(copy_rate, *(rate for *_, rate in rows))
    colours = {"eager": "#999", "torch.compile": "#d70", "this file": "#27d"}
    text = '<text x="{}" y="{}" fill="{}">{}</text>'
    drawn = [text.format(60, 34, "#888", f"roof: a copy at {copy_rate:.0f} GB/s")]
    y = 260 - 216 * copy_rate / roof
    drawn.append(f'<path d="M60 {y:.0f}H540M60 260H540" stroke="#888"/>')
    for place, (name, colour) in enumerate(colours.items()):
        points = []
        for moved, each, _, rate in rows:
            if each == name:
                x = 60 + step * (moved.bit_length() - min(widths))
                points.append(f"{x:.0f},{260 - 216 * rate / roof:.0f}")
        line = f'points="{" ".join(points)}" stroke="{colour}" stroke-width="2"'
        drawn.append(f'<polyline fill="none" {line}/>')
        drawn.append(text.format(548, f"{90 + 20 * place}", colour, name))
    for width in sorted(set(widths)):
        x = 60 + step * (width - min(widths))
        drawn.append(
            text.format(f"{x:.0f}", 278, "#888", f"{2 ** (width - 1) / 1e6:.3g} MB")
        )
    cells = [
        f"<tr><td>{moved / 1e6:.1f} MB<td>{name}<td>{ms:.4f} ms<td>{rate:.0f} GB/s"
        f"<td>{rate / copy_rate:.0%}"
        for moved, name, ms, rate in rows
    ]
    style = "body{font:15px sans-serif;color-scheme:light dark}td{padding:0 1em}"
    head = f'<!doctype html><meta charset="utf-8"><title>{_NAME}</title>'
    svg = f'<svg width="660" height="290" font-size="12">{"".join(drawn)}</svg>'
    table = f"<table>{''.join(cells)}</table>"
    return f"{head}<style>{style}</style><h1>{_NAME}</h1>{svg}{table}"


def _main():
    """Compares this file with the original, or times both."""
    parser = argparse.ArgumentParser(description=_main.__doc__)
    parser.add_argument("--validate", action="store_true", help="compare the results")
    parser.add_argument("--bench", action="store_true", help="compare the times")
    parser.add_argument("--html", help="draw the times of --bench on a page")
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
    for record in dict.fromkeys(_RECORDS):
        _register(record)
    torch.manual_seed(0)
    if options.bench:
        _bench(original, emitted, options.html)
    else:
        _validate(original, emitted, device)


if __name__ == "__main__":
    _main()
