#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares every example program, read into the graph dialect and evaluated in float64, with PyTorch; what takes halves with
inputs in float32 too.

usage: compare_examples.py path/to/nereid-graph [files]
"""

import copy
import importlib.util
import inspect
import json
import pathlib
import subprocess
import sys
import tempfile

import torch

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "outside"))

import halves
from compare import differs, flatten, load, save


def program_of(module):
    """The function or class that a file is about, as nereid chooses it."""
    own = {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    }
    own.pop("get_inputs"), own.pop("get_init_inputs", None)
    classes = {
        name: value for name, value in own.items() if inspect.isclass(value) and issubclass(value, torch.nn.Module)
    }
    functions = [value for value in own.values() if inspect.isfunction(value)]
    if hasattr(module, "get_init_inputs") or not functions:
        return classes.get("Model") or next(iter(classes.values()))
    return functions[0]


def leaves(value, name):
    """(name, tensor) of the tensors in an argument."""
    if isinstance(value, torch.Tensor):
        return [(name, value)]
    return []


def main():
    tool = sys.argv[1]
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    files = [pathlib.Path(name) for name in sys.argv[2:]] or sorted((root / "examples").glob("*.py"))
    folder = pathlib.Path(tempfile.mkdtemp())
    files = halves.add_wide(files, folder)
    cases, expected, before = [], [], []
    for number, path in enumerate(files):
        torch.manual_seed(7)
        spec = importlib.util.spec_from_file_location("example_%d" % number, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        program = program_of(module)
        arrays, callee = {}, program
        if inspect.isclass(program):
            callee = program(*getattr(module, "get_init_inputs", list)())
            for name, value in callee.state_dict().items():
                if value.is_floating_point():
                    value.uniform_(0.5, 1.5)  # in place: the module has it too
                arrays[name] = value.detach().clone()
        inputs = module.get_inputs()
        names = list(inspect.signature(callee.forward if inspect.isclass(program) else callee).parameters)
        for name, value in zip(names, inputs):
            arrays.update((key, tensor.clone()) for key, tensor in leaves(value, name))
        with torch.no_grad():
            # A twin on copies: programs write to their inputs and buffers.
            twin, copies = copy.deepcopy(callee), copy.deepcopy(inputs)
            results, again = flatten_all(callee(*inputs)), flatten_all(twin(*copies))
            is_same = all(torch.equal(a, b) for a, b in zip(results, again))
            if inspect.isclass(program) and not is_same:
                # Random while it trains: nereid-graph takes a module as eval() leaves it.
                results = flatten_all(callee.eval()(*inputs))
            expected.append(results)
        described = {name: save(value, folder / ("%d_%s" % (number, name))) for name, value in arrays.items()}
        cases.append(
            {
                "path": str(path),
                "name": program.__name__,
                "arrays": described,
                "out": str(folder / ("out_%d" % number)),
            }
        )
        before.append(path.name)
    (folder / "cases.json").write_text(json.dumps(cases))
    run = subprocess.run([tool, "--cases", str(folder / "cases.json")], capture_output=True, text=True)
    if run.returncode:
        print(run.stderr[-2000:])
        return 1
    equal = bad = 0
    for name, answer, wanted in zip(before, json.loads(run.stdout), expected):
        if "error" in answer:
            why = answer["kind"] + ": " + answer["error"]
        else:
            ours = [load(entry) for entry in answer["results"]]
            why = "" if len(ours) == len(wanted) else "%d results, PyTorch has %d" % (len(ours), len(wanted))
            for a, b in zip(ours, wanted):
                why = why or differs(a, b)
        equal += not why
        bad += bool(why)
        if why:
            print("differs: %s: %s" % (name, why))
    print("examples: %d right, %d wrong" % (equal, bad))
    return 1 if bad else 0


def flatten_all(value):
    """Like flatten, and through dicts in their order."""
    return flatten(list(value.values()) if isinstance(value, dict) else value)


if __name__ == "__main__":
    sys.exit(main())
