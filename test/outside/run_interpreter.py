# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs an emitted file under upstream Triton's interpreter against the original program.

    run_interpreter.py EMITTED.py ORIGINAL.py NAME --case 'x=f32[7,64]' [--case ...]
                       [--init '64, 128'] [--pattern normal] [--strides] [--from-file]

NAME is a function, or an nn.Module class that is constructed with --init in both files and given
one state. The reference is the original in float64; allowed is four times PyTorch's own error in
the case's dtypes, or two units in the last place. Prints one line a case; exits 1 on a failure.
"""

import argparse
import dataclasses
import enum
import inspect
import sys

import cases
import loading
import numpy
import parameters
import torch
import upstream  # noqa: F401  (before triton)
from bound import compare, get_error, get_ratio
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

SEEDS = 8
IN_ORDER = {torch.ops.aten.cumsum.default: numpy.cumsum, torch.ops.aten.cumprod.default: numpy.cumprod}
# What memory holds that nothing was stored to must reach no result: PyTorch fills it with NaN, or the greatest integers.
torch.use_deterministic_algorithms(True, warn_only=True)
PATTERNS = ("normal", "zeros", "ones", "large", "small", "alternating", "special")


def map_tensors(value, function):
    if isinstance(value, torch.Tensor):
        return function(value)
    if hasattr(value, "_fields"):
        return type(value)(*(map_tensors(part, function) for part in value))
    if isinstance(value, (tuple, list)):
        return [map_tensors(part, function) for part in value]
    if isinstance(value, dict):
        return {name: map_tensors(part, function) for name, part in value.items()}
    if dataclasses.is_dataclass(value):
        return type(value)(**map_tensors(vars(value), function))
    return value


def flatten(value):
    if isinstance(value, enum.Enum):
        return [str(value)]
    if not isinstance(value, (torch.Tensor, dict, type)) and hasattr(value, "__dict__"):
        value = vars(value)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in flatten(part)]
    return [value]


def convert(tensor, dtype):
    """The same elements in memory of their own, with the same strides and offset."""
    memory = torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage())
    memory = memory.clone() if dtype == tensor.dtype else memory.to(dtype)
    return memory.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


def clone(tensor):
    return convert(tensor, tensor.dtype)


def is_inexact(x):
    return isinstance(x, torch.Tensor) and (x.is_floating_point() or x.is_complex())


def get_wide_type(dtype):
    """float64, complex128, or the dtype of what is exact."""
    return torch.float64 if dtype.is_floating_point else torch.complex128 if dtype.is_complex else dtype


def to_float64(tensor):
    return convert(tensor, get_wide_type(tensor.dtype))


def apply(program, inputs):
    """A call with inputs by name; those that have no keyword are given by position."""
    target = program.forward if isinstance(program, torch.nn.Module) else program
    parameters = list(inspect.signature(target).parameters.values())
    rest = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None)
    kinds = inspect.Parameter
    takes = {kinds.POSITIONAL_ONLY} | ({kinds.POSITIONAL_OR_KEYWORD} if rest in inputs else set())
    named = dict(inputs)
    first = [named.pop(p.name) for p in parameters if p.kind in takes]
    return program(*first, *named.pop(rest, ()), **named)


def get_written(program):
    """The buffers that a module writes while it trains, in one order for any twin of it."""
    if not isinstance(program, torch.nn.Module) or not program.training:
        return {}
    names = program.state_dict().keys() & dict(program.named_buffers()).keys()
    return {name: program.get_buffer(name) for name in sorted(names)}


def call(program, arguments):
    """The results, the arguments as the call leaves them, and the buffers of a twin of a module that trains."""
    program = parameters.copied(program) if isinstance(program, torch.nn.Module) else program
    with torch.no_grad():
        result = apply(program, arguments)
    return flatten(result) + flatten(arguments) + list(get_written(program).values())


def get_modes(program, run):
    """The modes that a program is judged in: a module trains too, where it does without random numbers."""
    if not isinstance(program, torch.nn.Module) or not program.is_judged_training:
        return (False,)
    try:
        first, second = run(program.train()), run(program)
    except (RuntimeError, ValueError):
        return (False,)
    finally:
        program.eval()
    same = all(torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in zip(first, second) if torch.is_tensor(a))
    return (False, True) if same else (False,)


def set_mode(training, *programs):
    for program in programs:
        if isinstance(program, torch.nn.Module):
            program.train(training)


#: What takes operands of one type alone.
OF_ONE_TYPE = set(
    "__matmul__ __rmatmul__ matmul mm bmm addmm baddbmm addbmm addmv addr mv dot inner einsum tensordot multi_dot chain_matmul"
    " linear bilinear conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d scaled_dot_product_attention"
    " index_add scatter_add lstm gru rnn_tanh rnn_relu lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell".split()
)


WIDE = {torch.float64, torch.complex128}


def agree(args):
    """Operands of one type: what a program makes in float32 itself (a first state, a window) meets inputs that are wide here."""
    kinds = {x.dtype for x in tree_leaves(args) if is_inexact(x)}
    if not kinds & WIDE or len(kinds) == 1:
        return args
    return tree_map(lambda x: x.to(get_wide_type(x.dtype)) if is_inexact(x) else x, args)


class StayWide(torch.overrides.TorchFunctionMode):
    """Casts that the program writes round, but what follows them still computes in float64."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if getattr(function, "__name__", "") in OF_ONE_TYPE:
            args, kwargs = agree((args, kwargs))
        result = function(*args, **(kwargs or {}))
        narrow = isinstance(result, torch.Tensor) and result.dtype in (
            torch.float32,
            torch.float16,
            torch.bfloat16,
            torch.complex64,
        )
        # What is made of integers is exact too, as all that was wide.
        kinds = {arg.dtype for arg in args if isinstance(arg, torch.Tensor)}
        wide = kinds & WIDE or (kinds and not any(kind.is_floating_point or kind.is_complex for kind in kinds))
        return result.to(get_wide_type(result.dtype)) if narrow and wide else result


class ScanInOrder(TorchDispatchMode):
    """Prefixes of float32 are made in float32, one element after another, as on CUDA along all axes but the last. On a
    CPU PyTorch makes them in float64: its error there is that of one rounding, however long the axis."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        operation = IN_ORDER.get(function)
        wanted = (kwargs or {}).get("dtype")
        if operation and args[0].dim() and {args[0].dtype, wanted or torch.float32} == {torch.float32}:
            return torch.from_numpy(operation(args[0].detach().numpy(), axis=args[1]))
        return function(*args, **(kwargs or {}))


def run_original(original, arguments):
    """The results of PyTorch in the dtypes of the arguments, and in float64."""
    with ScanInOrder():
        own = call(original, map_tensors(arguments, clone))
    if not isinstance(original, torch.nn.Module):
        with StayWide():
            return own, call(original, map_tensors(arguments, to_float64))
    wide = parameters.load_command_line()._widen(parameters.copied(original))
    with StayWide():
        return own, call(wide, map_tensors(arguments, to_float64))


def run_case(emitted, original, make, wants_strides):
    """What is wrong with the outputs of one case, and the greatest error over what is allowed."""
    arguments = make(0)
    expected, reference = run_original(original, arguments)
    found = call(emitted, map_tensors(arguments, clone))
    if len(found) != len(expected):
        return [f"found {len(found)} outputs, expected {len(expected)}"], float("inf")
    # A few elements may be right by luck: PyTorch's error is taken over several inputs.
    errors = [get_error(own, exact) for own, exact in zip(expected, reference)]
    for seed in range(1, SEEDS):
        own, exact = run_original(original, make(seed))
        errors = [max(e, get_error(a, b)) for e, a, b in zip(errors, own, exact)]
    problems, worst = [], 0.0
    for place, (mine, exact, own) in enumerate(zip(found, reference, expected)):
        problem = compare(mine, exact, own, errors[place])
        worst = max(worst, get_ratio(mine, exact, own, errors[place])) if not problem else worst
        comparable = wants_strides and isinstance(own, torch.Tensor) and own.numel() > 0
        if not problem and comparable and mine.stride() != own.stride():
            problem = f"found strides {mine.stride()}, expected {own.stride()}"
        if problem:
            problems.append(f"output {place}: {problem}")
    return problems, worst


def get_cases(options, original):
    """Labels, and functions from a seed to the arguments by name."""
    for spec in options.cases:
        for pattern in options.pattern or ["normal"]:
            label = f"{spec} {pattern}"
            yield label, lambda seed, s=spec, p=pattern: cases.parse(s, p, seed)
    if not options.from_file:
        return
    source = loading.load(options.original)

    def make(seed):
        torch.manual_seed(seed)
        return loading.name_inputs(original, source.get_inputs())

    yield "get_inputs()", make


def construct(options):
    """The program of both files."""
    emitted = getattr(loading.load(options.emitted), options.name)
    original = getattr(loading.load(options.original), options.name)
    if not isinstance(original, type):
        return emitted, original
    torch.manual_seed(0)
    arguments = eval(f"({options.init},)" if options.init else "()")
    source = loading.load(options.original)
    if options.from_file and hasattr(source, "get_init_inputs"):
        arguments = source.get_init_inputs()
    original, emitted = original(*arguments).eval(), emitted(*arguments).eval()
    parameters.randomize(original)
    parameters.load_command_line()._copy_state(original, emitted)
    return emitted, original


def run(arguments):
    """Runs every case that the command line asks for: a line for each, and how many are wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("emitted")
    parser.add_argument("original")
    parser.add_argument("name")
    parser.add_argument("--case", action="append", default=[], dest="cases")
    parser.add_argument("--from-file", action="store_true", help="a case from get_inputs()")
    parser.add_argument("--init", default="")
    parser.add_argument("--pattern", action="append", choices=PATTERNS)
    parser.add_argument("--strides", action="store_true")
    options = parser.parse_args(arguments)
    emitted, original = construct(options)
    failures, lines = 0, []
    for label, make in get_cases(options, original):
        problems, worst = run_case(emitted, original, make, options.strides)
        failures += bool(problems)
        lines.append(f"{label}: {'; '.join(problems) or f'right, error {worst:.3g} of what is allowed'}")
    return failures, lines


def main():
    failures, lines = run(sys.argv[1:])
    print("\n".join(lines))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
