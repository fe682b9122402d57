# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random parameters and statistics of modules, as `--validate` of an emitted file gives them.

At what PyTorch's constructors leave (weights of 1, biases of 0) a module shows nothing of a weight that is forgotten.
"""

import copy
import importlib.util
import math
import pathlib
import sys

import torch

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "src" / "emit" / "companion"


def load_command_line():
    """The command line of emitted files, as a module."""
    name = "emitted_command_line"
    if name not in sys.modules:
        # The parts of the companion, behind what a conversion gives them.
        spec = importlib.util.spec_from_file_location(name, SOURCES / "given.py")
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for path in sorted(SOURCES.glob("*.py")):
            if path.name != "given.py":
                exec(compile(path.read_text(), path, "exec"), vars(module))
    return sys.modules[name]


def copied(module):
    """A copy of a module, also where a hook of it computes a tensor."""
    return load_command_line()._copied(module)


def count_nan(module, inputs):
    """How many results are NaN; infinitely many where the module raises."""
    import run_interpreter as runner  # chooses the interpreter, which who times kernels must not

    try:
        found = runner.call(copied(module), runner.map_tensors(inputs, runner.clone))
    except (ArithmeticError, IndexError, RuntimeError, ValueError):
        return math.inf
    return sum(int(x.isnan().sum()) for x in found if isinstance(x, torch.Tensor))


def randomize(module, get_inputs=None, count=count_nan):
    """Random parameters in place: with signs, or positive where the module makes more NaN of those, or raises."""
    random = load_command_line()._randomize
    start, inputs = copy.deepcopy(module.state_dict()), get_inputs() if get_inputs else None
    counts = {}
    for signed in (True, False, None):
        module.load_state_dict(start)
        if signed is not None:
            random(module, signed)
        if inputs is None:
            return
        counts[signed] = count(module, inputs)
        if counts[signed] == 0:
            return
    best = min(counts, key=counts.get)
    module.load_state_dict(start)
    if best is not None:
        random(module, best)
