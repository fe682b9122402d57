#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the gradients of every example program with PyTorch's autograd.

The programs are read in float32 as they stand and their gradients evaluated in float64; PyTorch
computes in float64 wherever the program lets it.
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

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "torch"))

import compare as forward
import compare_examples as examples


RANDOM = "its results differ from run to run"


def load(path, number):
    spec = importlib.util.spec_from_file_location("example_%d" % number, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def widened(value):
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.double().requires_grad_()
    if isinstance(value, (list, tuple)):
        return type(value)(widened(item) for item in value)
    return value


def expect(callee, names, inputs, described, folder, number):
    """(cotangents, gradients by name, why PyTorch refuses)."""
    wide = [widened(value) for value in inputs]
    wanted = {n: v for n, v in zip(names, wide) if isinstance(v, torch.Tensor) and v.requires_grad}
    if isinstance(callee, torch.nn.Module):
        callee = callee.double()
        wanted.update(callee.named_parameters())
    try:
        twin = copy.deepcopy(callee)
        again = examples.flatten_all(twin(*wide))
        results = examples.flatten_all(callee(*wide))
        if not all(torch.equal(a, b) for a, b in zip(results, again)):
            return [], {}, RANDOM
        used = [r for r in results if r.requires_grad]
        random = [torch.randn(r.shape, dtype=torch.float64) for r in results]
        found = torch.autograd.grad(
            used,
            list(wanted.values()),
            [c for r, c in zip(results, random) if r.requires_grad],
            allow_unused=True,
        )
    except Exception as error:
        return [], {}, str(error).split("\n")[0]
    cotangents = [forward.save(c.to(torch.float32), folder / ("%d_c%d" % (number, i))) for i, c in enumerate(random)]
    return cotangents, dict(zip(wanted, found)), ""


def differs(answer, wanted):
    for name, theirs in wanted.items():
        entry = answer["gradients"].get(name)
        if entry is None:
            return "no gradient of " + name
        ours = forward.load(entry)
        # The user's casts to halves round here, and are none in PyTorch's float64.
        near = 1e-5 if ours.dtype == torch.float32 else 1e-2
        if theirs is None:
            if ours.any():
                return "gradient of %s: not zero, PyTorch has none" % name
            continue
        scale = theirs.abs().max().item() if theirs.numel() else 0.0
        if ours.shape != theirs.shape or not torch.allclose(
            ours.double(), theirs, rtol=10 * near, atol=near * max(scale, 1.0), equal_nan=True
        ):
            worst = (ours.double() - theirs).abs().max().item()
            return "gradient of %s: off by %g, the greatest is %g" % (name, worst, scale)
    return ""


def main():
    tool = sys.argv[1]
    root = HERE.parent.parent
    files = [pathlib.Path(name) for name in sys.argv[2:]] or sorted((root / "examples").glob("*.py"))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="autodiff"))
    files = examples.halves.add_wide(files, folder)
    cases, expected = [], []
    for number, path in enumerate(files):
        torch.manual_seed(7)
        module = load(path, number)
        program = examples.program_of(module)
        arrays, callee = {}, program
        if inspect.isclass(program):
            callee = program(*getattr(module, "get_init_inputs", list)())
            for name, value in callee.state_dict().items():
                if value.is_floating_point():
                    value.uniform_(0.5, 1.5)
                arrays[name] = value.detach().clone()
        inputs = module.get_inputs()
        called = callee.forward if inspect.isclass(program) else callee
        names = list(inspect.signature(called).parameters)
        for name, value in zip(names, inputs):
            arrays.update((key, tensor.clone()) for key, tensor in examples.leaves(value, name))
        described = {name: forward.save(value, folder / ("%d_%s" % (number, name))) for name, value in arrays.items()}
        cotangents, wanted, refused = expect(callee, names, inputs, described, folder, number)
        cases.append(
            {
                "path": str(path),
                "name": program.__name__,
                "arrays": described,
                "cotangents": cotangents,
                "out": str(folder / ("out_%d" % number)),
            }
        )
        expected.append((path.name, wanted, refused))
    (folder / "cases.json").write_text(json.dumps(cases))
    run = subprocess.run([tool, "--cases", str(folder / "cases.json"), "--backward"], capture_output=True, text=True)
    if run.returncode:
        print(run.stderr[-2000:])
        return 1
    equal = bad = 0
    for (name, wanted, refused), answer in zip(expected, json.loads(run.stdout)):
        if refused == RANDOM:
            continue
        if "autograd's back" in answer.get("error", ""):
            why = ""
        elif refused:
            why = "" if "error" in answer else "PyTorch refuses: " + refused
        elif "no result has a gradient" in answer.get("error", ""):
            flows = [key for key, value in wanted.items() if value is not None]
            why = "PyTorch has a gradient of " + flows[0] if flows else ""
        else:
            why = answer["error"] if "error" in answer else differs(answer, wanted)
        equal += not why
        bad += bool(why)
        if why:
            print("differs: %s: %s" % (name, why))
    print("autodiff examples: %d right, %d wrong" % (equal, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
