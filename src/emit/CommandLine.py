# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of emitted files: `--validate` and `--bench` beside the original.

What stands below the cut is copied to the companion of the files of a conversion, or to the end of a
file that shall stand alone. CommandLine.cpp prints what it uses: _STEM, _SOURCE, _NAME,
_EXPORTED, _INIT, _MOVED, _GRADIENTS, _SEED, _RECORDS, _inputs, and `_FILE`, the file that is judged.
"""

import argparse
import contextlib
import copy
import functools
import importlib
import inspect
import itertools
import os
import pathlib
import runpy
import sys

import torch
import torch.utils._pytree as pytree
import triton
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

_STEM, _FILE = "program", None
_SOURCE, _NAME, _INIT, _GRADIENTS = "original.py", "program", None, False
_EXPORTED, _MOVED = "program", None
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


# --- precision ---
class _Narrow(TorchDispatchMode):
    """Convolutions and recurrent layers read TF32 where they may: PyTorch's error is that of its precision."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if "convolution" in function.__name__ or "_cudnn_rnn" in function.__name__:
            args = pytree.tree_map_only(torch.Tensor, _rounded_to_tf32, args)
        return function(*args, **(kwargs or {}))


def _rounded_to_tf32(x):
    """What TF32 keeps of float32, if convolutions take no more of it."""
    if x.dtype != torch.float32 or _FILE._convolution_precision(x) != "tf32":
        return x
    bits = x.view(torch.int32) + 0x1000
    return torch.where(x.isnan(), x, (bits & -0x2000).view(torch.float32))


# --- end ---
def _to_shares(x):
    """Numbers that sum to 1 along the last axis."""
    return x.softmax(-1) if x.dim() else x.sigmoid()


# Kinds of values, one of which the program takes.
_KINDS = {"any": None, "positive": lambda x: x.abs() + 0.1}
_KINDS |= {"in (0, 1)": torch.sigmoid, "shares": _to_shares}


def _maker(device, kind="any", scale=1.0, special=False, strided=False):
    """A function that makes random tensors for `_inputs`."""

    def make(shape, dtype, below=2):
        if not dtype.is_floating_point:
            return torch.randint(below, shape, device=device).to(dtype)
        x = torch.randn(shape, dtype=torch.float64, device=device)
        x = _KINDS[kind](x) if _KINDS[kind] else x
        x *= min(scale, torch.finfo(dtype).max / 64)
        if special:
            x = torch.where(x > 1, torch.inf, torch.where(x < -1, torch.nan, -0.0 * x))
        if strided and len(shape) > 1:
            x = x.transpose(-1, -2).contiguous().transpose(-1, -2)
        return x.to(dtype)

    return make


def _plain(module):
    """(part, name, tensor) of attributes that are neither parameters nor buffers."""
    for part in module.modules():
        for name, x in vars(part).items():
            if isinstance(x, torch.Tensor):
                yield part, name, x


def _copy_state(original, emitted):
    """Gives what is emitted the parameters, buffers and other tensors of the original."""
    emitted.load_state_dict(original.state_dict())
    parts = dict(emitted.named_modules())
    paths = {part: path for path, part in original.named_modules()}
    for part, name, x in _plain(original):
        if paths[part] in parts:
            setattr(parts[paths[part]], name, x.detach().clone())


def _copied(module):
    """A copy; what a hook computes from parameters (weight_norm) is computed anew there."""
    for part, name, x in list(_plain(module)):
        if not x.is_leaf:
            setattr(part, name, x.detach())
    return copy.deepcopy(module)


def _widen(module):
    """The module in float64, its other tensors too."""
    for part, name, x in list(_plain(module)):
        if x.is_floating_point():
            setattr(part, name, x.double())
    return module.double()


@torch.no_grad()
def _randomize(module, signed):
    """Gives parameters and statistics numbers by which each of them shows.

    Weights of contractions are normal, of variance 1/fan-in; others lie in [0.5, 1.5],
    with signs where they may. Integers, and buffers that are no constant, stay.
    """
    for part in module.modules():
        skipped = part._non_persistent_buffers_set
        buffers = {k: x for k, x in part._buffers.items() if k not in skipped}
        for name, x in (part._parameters | buffers).items():
            if x is None or not x.is_floating_point() or not x.numel():
                continue
            is_buffer = name in buffers
            size = torch.rand(x.shape, device=x.device) + 0.5
            sign = torch.randint(2, x.shape, device=x.device) * 2 - 1
            if is_buffer and not bool((x == x.flatten()[0]).all()):
                continue
            if x.dim() > 1 and not is_buffer and not hasattr(part, "eps"):
                x.normal_(0, (x.shape[0] / x.numel()) ** 0.5)
            else:
                is_positive = is_buffer and name != "running_mean"
                x.copy_(size if is_positive or not signed else size * sign)


def _get_tensors(value):
    """The tensors in lists, dicts and objects, in their order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        parts = [*value.values()]
    elif isinstance(value, (list, tuple)):
        parts = [*value]
    elif isinstance(value, type):
        return []
    else:
        parts = [*getattr(value, "__dict__", {}).values()]
    return [tensor for part in parts for tensor in _get_tensors(part)]


@contextlib.contextmanager
def _made_in_float64(wide):
    """Tensors that the program makes without a type are float64 too."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64 if wide else before)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def _run(program, inputs, wide=False, gradients=False):
    """The results, the inputs and buffers as the call leaves them, and the gradients."""

    def clone(x):
        x = torch.empty_like(x).copy_(x)
        x = x.double() if wide and x.is_floating_point() else x
        return x.requires_grad_(gradients and x.is_floating_point())

    kept, buffers = [], []
    if isinstance(program, torch.nn.Module):
        # Training writes to buffers: each run has its own.
        program = _copied(program)
        program = _widen(program) if wide else program
        kept = list(program.parameters())
        names = program.state_dict().keys() & dict(program.named_buffers()).keys()
        names = sorted(names) if program.training else []
        buffers = [program.get_buffer(name) for name in names]
    inputs = pytree.tree_map_only(torch.Tensor, clone, inputs)
    mode = _Wide() if wide else _Narrow()
    with torch.set_grad_enabled(gradients), _InOrder(), mode, _made_in_float64(wide):
        results = program(**inputs)
        found = [*_get_tensors(results), *_get_tensors(inputs), *buffers]
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
    pairs = zip(own, leaves, strict=True)
    return [*found, *(torch.zeros_like(y) if x is None else x for x, y in pairs)]


def _get_errors(found, exact):
    """The errors of a result where it and float64 are finite."""
    finite = exact.to(found.dtype).isfinite() & found.isfinite()
    return torch.where(finite, (found.double() - exact.double()).abs(), 0)


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
    if own.dtype == torch.float64 and size.numel():
        # It is its own reference: other orders of sums differ by more units.
        theirs = max(theirs, 1024 * info.eps * max(1.0, float(size.max())))
    excess = mine > allowed.clamp(min=4 * theirs)
    return (
        f"errors of up to {float(mine[excess].max()):.3g}" if bool(excess.any()) else ""
    )


def _get_usual(run, draw):
    """PyTorch's greatest error of each result, over 16 inputs of a kind."""
    rows = []
    for _ in range(16):
        inputs = draw()
        try:
            runs = [run(inputs, wide=wide) for wide in (False, True)]
        except _RAISED:
            continue
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
    for x, y in zip(first, second, strict=True):
        if x.shape != y.shape or x.dtype != y.dtype:
            return False
        # NaN is the same as NaN.
        if bits and not torch.where(x.isnan(), x.isnan() & y.isnan(), x == y).all():
            return False
    return True


_RAISED = (ArithmeticError, AssertionError, LookupError, RuntimeError, ValueError)
# Sizes that one of both refuses are tried as multiples of these.
_MULTIPLES = (1, 2, 4, 8, 64)


class _Validation:
    """Compares a program with its original; counts what is right, wrong and not run."""

    def __init__(self, original, emitted, device):
        self.original, self.emitted, self.device = original, emitted, device
        self.is_module = isinstance(original, torch.nn.Module)
        self.right = self.wrong = self.missed = 0
        # A module that sets the mode of a part does not train as a whole.
        parts = original.modules() if self.is_module else [torch.nn.Identity().eval()]
        self.modes = (False, True) if all(x.training for x in parts) else (False,)
        self.kind, self.random = "any", {}
        launched = [k for k in vars(_FILE).values() if hasattr(k, "known")]
        self.tuned = [(k, k.fn.configs) for k in launched if hasattr(k.fn, "configs")]
        self.most = max((len(configs) for _, configs in self.tuned), default=1)

    def run(self, program, inputs, training, **how):
        if self.is_module:
            program.train(training)
        return _run(program, inputs, **how)

    def prepare(self, start, signed):
        """Sets the parameters: with signs, positive ones, or (None) as they were made."""
        if self.is_module:
            self.original.load_state_dict(start)
            if signed is not None:
                _randomize(self.original, signed)

    def find_valid(self):
        """Parameters and a kind of inputs that the original takes, with the fewest NaN."""
        start = copy.deepcopy(self.original.state_dict()) if self.is_module else {}
        signs, tried = (True, False, None) if self.is_module else (None,), {}
        for signed, kind in itertools.product(signs, _KINDS):
            self.prepare(start, signed)
            with contextlib.suppress(*_RAISED):
                inputs = _inputs(_maker(self.device, kind))
                found = self.run(self.original, inputs, False)
                tried[signed, kind] = sum(int(x.isnan().sum()) for x in found)
            if tried.get((signed, kind)) == 0:
                break
        signed, self.kind = min(tried, key=tried.get, default=(None, "any"))
        self.prepare(start, signed)
        if self.is_module:
            _copy_state(self.original, self.emitted)
        for training in self.modes if _SEED else ():
            with contextlib.suppress(*_RAISED):
                inputs = _inputs(_maker(self.device, self.kind))
                runs = (self.run(self.original, inputs, training) for _ in range(2))
                self.random[training] = not _is_repeated(*runs)

    def draw(self, shape, how, training, multiples=_MULTIPLES):
        """Inputs that the original takes, and how both run.

        What it refuses is tried with usual values, then at sizes that are multiples.
        """
        raised = None
        for multiple in multiples:
            sizes = {n: -(-size // multiple) * multiple for n, size in shape.items()}
            for values in (how, {"strided": how.get("strided", False)}):
                make = _maker(self.device, self.kind, **values)
                draw = functools.partial(_inputs, make, **sizes)
                # At infinities and of nothing PyTorch's gradients hang on how it works.
                usual = not values.get("special") and 0 not in sizes.values()
                run = functools.partial(
                    self.run, training=training, gradients=_GRADIENTS and usual
                )
                inputs = draw()
                try:
                    pair = [run(self.original, inputs, wide=w) for w in (False, True)]
                    return draw, run, inputs, pair
                except _RAISED as error:
                    raised = raised or error
        raise raised

    def compare(self, drawn, training):
        """What is wrong with the results under the configurations that are set."""
        draw, run, inputs, (own, exact) = drawn
        found = run(self.emitted, inputs)
        if self.random.get(training):
            # Not PyTorch's random numbers, but a seed repeats them.
            seeded = inputs | {_SEED: 1}
            again = (self.run(self.emitted, seeded, training) for _ in range(2))
            is_right = _is_repeated(*again) and _is_repeated(found, own, bits=False)
            return "" if is_right else "a seed repeats nothing"
        triples = list(zip(found, own, exact, strict=True))
        if run.keywords["gradients"]:
            # What runs where no gradient is wanted has kernels of its own.
            plain = self.run(self.emitted, inputs, training)
            triples += zip(plain, own, exact)
        problems = [_compare(*each) for each in triples]
        if any(problems):
            errors = _get_usual(functools.partial(run, self.original), draw)
            errors = errors + errors or itertools.repeat(0.0)
            problems = [_compare(*each) for each in zip(*zip(*triples), errors)]
        return "; ".join(filter(None, problems))

    def compare_taken(self, drawn, shape, how, training):
        """What is wrong, at multiples of sizes that the file refuses; what it refuses."""
        refused = ""
        for larger in range(len(_MULTIPLES)):
            with contextlib.suppress(*(_RAISED if larger else ())):
                if larger:
                    drawn = self.draw(shape, how, training, _MULTIPLES[larger:])
                try:
                    return self.compare(drawn, training), refused
                except ValueError as error:
                    refused = refused or f"refused: {error}"
        return refused, ""

    def judge(self, number, shape, label, how, training):
        """A line for one case, or for each configuration where an axis is long."""
        how = how | {"strided": number % 2 == 1}
        where = f"{shape or 'typical sizes'}, {label}{', strided' * (number % 2)}"
        where += ", training" * training
        try:
            drawn = self.draw(shape, how, training)
        except _RAISED as error:
            self.missed += 1
            print(f"{where}: the original raises {type(error).__name__}")
            return
        # Each configuration at large sizes, else one after the other; none is timed.
        is_large = max(shape.values(), default=0) > 2000
        for turn in range(self.most) if is_large else [number // 2]:
            for kernel, configs in self.tuned:
                kernel.fn.configs = [configs[turn % len(configs)]]
                kernel.known.clear()
            place = f"{where}, configuration {turn % self.most + 1}"
            place = place if is_large else where
            try:
                problem, refused = self.compare_taken(drawn, shape, how, training)
            except torch.OutOfMemoryError:
                self.missed += 1
                print(f"{place}: it and its reference do not fit into memory")
                continue
            self.wrong += bool(problem)
            self.right += not problem
            rest = (
                f" at multiples of these sizes, which are {refused}" if refused else ""
            )
            print(f"{place}: {problem or 'right'}{rest}")


def _validate(original, emitted, device):
    """Compares over sizes, values and strides; whether all is right."""
    names = list(inspect.signature(_inputs).parameters)[1:]
    sizes, often = [0, 1, 7, 64, 130], 1
    if device == "cuda":
        sizes, often = [*sizes, 1000, 4096, 1 << 20], 5
    shapes = [{}] * often
    shapes += [dict.fromkeys(names, 3) | {name: s} for name in names for s in sizes]
    values = [("normal", {}), ("zero", {"scale": 0}), ("1e6", {"scale": 1e6})]
    values += [("1e-6", {"scale": 1e-6}), ("Inf and NaN", {"special": True})]
    cases = [(*case, values[case[0] % 5]) for case in enumerate(shapes)]
    validation = _Validation(original, emitted, device)
    validation.find_valid()
    for number, shape, (label, how) in cases:
        for training in validation.modes:
            validation.judge(number, shape, label, how, training)
    right, wrong, missed = validation.right, validation.wrong, validation.missed
    is_enough = missed <= 0.2 * len(cases) * len(validation.modes)
    rest = f", {missed} not run" * bool(missed) + ": too little ran" * (not is_enough)
    print(f"{right} right, {wrong} wrong{rest}")
    return right and not wrong and is_enough


def _bench(original, emitted, page):
    """Times the original, torch.compile and emitted files, from 256 MB downwards."""
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
    programs = {"eager": original, "torch.compile": compiled} | emitted
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
    names = dict.fromkeys(name for _, name, *_ in rows)
    colours = dict(zip(names, ("#999", "#d70", "#27d", "#290", "#a2d")))
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


def _takes(function, *positional, **named):
    """Whether a function takes these arguments."""
    try:
        inspect.signature(function).bind(*positional, **named)
    except TypeError:
        return False
    return True


def _init(source):
    """What the class is constructed with; `[[64], {"heads": 2}]` may be both kinds of arguments."""
    init, named = [source.get("get_init_inputs", list)()], {}
    if _INIT:
        init, named = eval(f"(lambda *init, **named: (init, named))({_INIT}\n)", source)
    if len(init) == 1 and isinstance(init[0], dict):
        return [], init[0]
    if len(init) == 1 and isinstance(init[0], (list, tuple)):
        init = init[0]
        if [*map(type, init)] in ([list, dict], [tuple, dict]):
            cls, (positional, by_name) = source[_NAME], init
            are_both = _takes(cls, *positional, **by_name)
            if are_both and (by_name or not _takes(cls, *init)):
                return positional, by_name
    return init, named


def _load(files, stage):
    """The emitted files that are judged: those given, or all of this conversion."""
    if files:
        return files
    here = pathlib.Path(__file__).resolve().parent
    sys.path.insert(0, str(here))
    paths = sorted(here.glob(f"{_STEM}_stage{stage or '[123]'}.py"))
    return [importlib.import_module(path.stem) for path in paths]


def _find_original(options, parser):
    """The names of the original's file."""
    here, given = pathlib.Path(__file__).resolve(), pathlib.Path(options.reference)
    paths = [path for path in (given, here.parent / given.name) if path.exists()]
    if not paths or paths[0].resolve() == here:
        parser.error(
            f"{options.reference} is not here; name the original by --reference"
        )
    sys.path.insert(0, str(paths[0].resolve().parent))
    return runpy.run_path(str(paths[0].resolve()))


def _make_pair(source, device):
    """The original and the emitted program, with the same parameters."""
    original, emitted = source[_NAME], getattr(_FILE, _EXPORTED)
    if isinstance(original, type):
        init, named = _init(source)
        original, emitted = original(*init, **named), emitted(*init, **named)
        original = original if _MOVED is None else original.to(_MOVED)
        _copy_state(original, emitted)
        original, emitted = original.to(device), emitted.to(device)
    for record in _RECORDS:
        _register(getattr(_FILE, record))
    torch.manual_seed(0)
    return original, emitted


def _lend_library():
    """Gives upstream's interpreter the device library, whose functions do nothing there."""
    import numpy as np
    import triton.language as tl
    from triton.language.extra import libdevice
    from triton.runtime.interpreter import TensorHandle

    def lend(name, function):
        def call(*arguments):
            tensors = [a for a in arguments if isinstance(a, tl.tensor)]
            own = tensors[0].handle.data.dtype
            # What comes next hangs on the type.
            kind = own if name == "nextafter" else np.float64
            arrays = [getattr(a, "handle", a) for a in arguments]
            # A number of Python's has the type of the tensors beside it.
            arrays = [np.array(getattr(a, "data", a), dtype=own) for a in arrays]
            arrays = [a.astype(kind) for a in arrays]
            found = function(*map(torch.from_numpy, arrays)).numpy().astype(own)
            whole = max(tensors, key=lambda x: x.handle.data.size)
            return tl.tensor(TensorHandle(found, tensors[0].dtype), whole.type)

        return call

    others = {
        "cbrt": lambda x: x.sign() * x.abs() ** (1 / 3),
        "rint": torch.round,
        "round": lambda x: torch.copysign((x.abs() + 0.5).floor(), x),
        "tgamma": lambda x: torch.exp(torch.lgamma(x)),
    }
    for name in dir(libdevice):
        function = others.get(name) or getattr(torch, name, None)
        if not name.startswith("_") and callable(function):
            setattr(libdevice, name, lend(name, function))


def _mend_interpreter():
    """What upstream's interpreter does otherwise than a GPU, or not at all."""
    import numpy as np
    import triton.language as tl
    from triton.runtime import autotuner, driver, interpreter

    _lend_library()
    _mend_bfloat16()
    handle, convert = interpreter.TensorHandle, interpreter._implicit_cvt
    splat = interpreter.InterpreterBuilder.create_splat

    class Wide(float):
        """A number that a kernel takes as float64."""

    class Inspect:
        """The module, whose `getcallargs` tells numbers by the types that kernels give them."""

        def __getattr__(self, name):
            return getattr(inspect, name)

        def getcallargs(self, kernel, *arguments, **options):
            kinds = getattr(kernel, "__annotations__", {})
            named = inspect.getcallargs(kernel, *arguments, **options)
            wide = [n for n in named if str(kinds.get(n)) in ("fp64", "tl.float64")]
            return named | {n: Wide(named[n]) for n in wide}

    interpreter.inspect = Inspect()

    def make_argument(x):
        """A number of Python's has what numbers on a GPU have, such as `to`."""
        if not isinstance(x, float):
            return convert(x)
        is_wide = isinstance(x, Wide)
        kind = tl.float64 if is_wide else tl.float32
        data = np.array([x], dtype=np.float64 if is_wide else np.float32)
        return tl.tensor(handle(data, kind), kind)

    def make_splat(self, kind, x):
        """A scalar comparison that is spread over a tile is a mask."""
        found = splat(self, kind, x)
        if kind.scalar == tl.int1:
            found.data = found.data.astype(np.bool_)
        return found

    class NoDriver:
        def get_benchmarker(self):
            return lambda run, quantiles=None, **options: [0.0] * 3

    interpreter._implicit_cvt = make_argument
    interpreter.InterpreterBuilder.create_splat = make_splat
    # Tuning asks for a driver; here the first configuration wins and nothing runs twice.
    driver.set_active(NoDriver())
    tuner = autotuner.Autotuner
    tuner.check_disk_cache = lambda self, key, configs, run: bool(run())


def _mend_bfloat16():
    """Upstream's interpreter holds bfloat16 as bits: what computes with it goes through float32."""
    import numpy as np
    import triton.language as tl
    from triton.runtime import interpreter

    handle, builder = interpreter.TensorHandle, interpreter.InterpreterBuilder

    def decode(x):
        is_narrow = isinstance(x, handle) and x.dtype.scalar == tl.bfloat16
        bits = x.data.astype(np.uint32) << 16 if is_narrow else None
        return handle(bits.view(np.float32), tl.float32) if is_narrow else x

    def encode(values):
        """Ties to even."""
        bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
        rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
        bits = np.where(np.isnan(values), 0x7FC0, rounded).astype(np.uint16)
        return handle(bits, tl.bfloat16)

    def widened(method, keeps_float32):
        def call(self, *arguments, **options):
            wide = [decode(x) for x in arguments]
            found = method(self, *wide, **options)
            same = all(x is y for x, y in zip(wide, arguments))
            if same or keeps_float32 or found.data.dtype != np.float32:
                return found
            return encode(found.data)

        return call

    names = "unary_op binary_op ternary_op create_fma create_clampf create_fneg"
    for name in (*names.split(), "create_dot"):
        if hasattr(builder, name):
            method = getattr(builder, name)
            setattr(builder, name, widened(method, name == "create_dot"))
    builder.get_bf16 = lambda self, value: encode(np.array([value]))
    convert, cast = interpreter._convert_float, builder.cast_impl

    def convert_float(data, source, target, *options):
        if source == tl.float32 and target == tl.bfloat16:
            return encode(data).data
        return convert(data, source, target, *options)

    def make_cast(self, x, to):
        kinds = (x.dtype.scalar, to.scalar)
        if tl.bfloat16 not in kinds or tl.float32 in kinds or kinds[0] == kinds[1]:
            return cast(self, x, to)
        if to.scalar == tl.bfloat16:
            return encode(x.data.astype(np.float32))
        return cast(self, decode(x), to)

    interpreter._convert_float, builder.cast_impl = convert_float, make_cast


def _main(*files):
    """Compares emitted files with the original, or times all."""
    global _FILE
    parser = argparse.ArgumentParser(description=_main.__doc__)
    parser.add_argument("--validate", action="store_true", help="compare the results")
    parser.add_argument("--bench", action="store_true", help="compare the times")
    parser.add_argument("--html", help="draw the times of --bench on a page")
    parser.add_argument("--stage", type=int, choices=(1, 2, 3), help="only this one")
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
    if interprets:
        _mend_interpreter()
    source = _find_original(options, parser)
    files, judged, timed = _load(files, options.stage), [], {}
    if not files:
        parser.error(f"no file {_STEM}_stage*.py is here")
    for file in files:
        _FILE = file
        original, emitted = _make_pair(source, "cpu" if interprets else "cuda")
        name = pathlib.Path(file.__file__).stem
        if options.bench:
            is_module = isinstance(original, torch.nn.Module)
            timed[name] = emitted.eval() if is_module else emitted
            original = original.eval() if is_module else original
            continue
        if len(files) > 1:
            print(f"{name}:")
        judged.append(_validate(original, emitted, "cpu" if interprets else "cuda"))
    if options.bench:
        _bench(original, timed, options.html)
    sys.exit(0 if all(judged) else 1)
