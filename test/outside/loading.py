# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads Python files by path, as modules of their own."""

import hashlib
import importlib.util
import inspect
import pathlib
import sys


def load(path):
    path = pathlib.Path(path).resolve()
    name = f"{path.stem}_{hashlib.sha1(str(path).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    # Triton reads the source of kernels through the module.
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    return module


def name_inputs(program, values):
    """Inputs by the names of a program's parameters: what is more than these goes to *args."""
    parameters = list(inspect.signature(getattr(program, "forward", program)).parameters.values())
    rest = next((place for place, p in enumerate(parameters) if p.kind is p.VAR_POSITIONAL), None)
    names = [p.name for p in parameters]
    if rest is None or len(values) <= rest:
        return dict(zip(names, values))
    return dict(zip(names, values[:rest])) | {names[rest]: tuple(values[rest:])}


def load_pair(original_path, emitted_path, name):
    """A program's file, the program and what was emitted for it.

    Modules are made by the file's get_init_inputs(), in the mode of evaluation, and have the same random weights.
    """
    source = load(original_path)
    original, emitted = getattr(source, name), getattr(load(emitted_path), name)
    if isinstance(original, type):
        import parameters  # chooses the interpreter

        init = getattr(source, "get_init_inputs", list)()
        original, emitted = original(*init), emitted(*init)
        # One that sets the mode of a part does not train as a whole (run_interpreter.get_modes).
        original.is_judged_training = all(part.training for part in original.modules())
        original.eval(), emitted.eval()
        parameters.randomize(original, lambda: name_inputs(original, source.get_inputs()))
        parameters.load_command_line()._copy_state(original, emitted)
    return source, original, emitted
