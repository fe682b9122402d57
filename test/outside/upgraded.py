# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the Triton that is installed compiles what `nereid upgrade` wrote of a package.

    python test/outside/upgraded.py FOLDER              FOLDER holds the package, as bench/upgrades.py unpacks it
    python test/outside/upgraded.py FOLDER --limit 20   the first 20 kernels alone
    python test/outside/upgraded.py FOLDER --before     the kernels as they were: what 3.9 says of them

A copy of the folder is upgraded. Its modules are imported (which executes them: what they import must be installed) as
if there were an H100, and each kernel that was upgraded and that `nereid check` compiles by itself is compiled to a cubin
at the signature that check inferred. Needs no GPU. Prints what fails and counts; exits 1 when something fails.
"""

import argparse
import collections
import importlib
import json
import shutil
import subprocess
import sys
import tempfile
import types
import warnings
from pathlib import Path

import torch
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.runtime import driver
from triton.runtime.jit import JITFunction

NEREID = Path(__file__).resolve().parent.parent.parent / "build/release/nereid"
TARGET = GPUTarget("cuda", 90, 32)


class Driver:
    """A driver without a device: the first configuration of an autotune list wins."""

    def get_benchmarker(self):
        return lambda fn, quantiles=None, **options: [0.0] * 3

    def get_current_target(self):
        return TARGET

    def get_active_torch_device(self):
        return torch.device("cpu")

    def get_current_device(self):
        return 0


def pretend():
    properties = types.SimpleNamespace(multi_processor_count=132, major=9, minor=0, name="H100", total_memory=1 << 36)
    torch.cuda.get_device_capability = lambda *args: (9, 0)
    torch.cuda.get_device_properties = lambda *args: properties
    torch.cuda.get_device_name = lambda *args: "H100"
    torch.cuda.current_device = lambda: 0
    torch.cuda.device_count = lambda: 1
    driver.set_active(Driver())


def ask(verb, folder, *options):
    run = subprocess.run([NEREID, verb, ".", "--json", *options], cwd=folder, capture_output=True, text=True)
    assert run.returncode in (0, 1), run.stderr
    return json.loads(run.stdout)["kernels"]


def find(path, name):
    """The jit function, below decorators; None for one in a function."""
    module = importlib.import_module(path.removeprefix("./").removesuffix(".py").replace("/", "."))
    function = getattr(module, name, None)
    while function is not None and not isinstance(function, JITFunction):
        function = getattr(function, "fn", None)
    return function


def compile_kernel(function, parameters):
    signature, constants = {}, {}
    values = {parameter["name"]: parameter["value"] for parameter in parameters}
    for place, name in enumerate(function.arg_names):
        value = values.get(name) or "None"  # what heuristics compute is off
        if value.startswith("*") or value[0] in "iufb" and value[1:].lstrip("bpf").isdigit():
            signature[name] = "u1" if value == "i1" else value
            continue
        signature[name] = "constexpr"
        constants[(place,)] = eval(value, {"tl": tl, "triton": triton})
    triton.compile(ASTSource(function, signature, constexprs=constants), target=TARGET)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int, default=1 << 30)
    parser.add_argument("--before", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    pretend()
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "copy"
        shutil.copytree(options.folder, folder)
        checked = {(kernel["path"], kernel["name"]): kernel for kernel in ask("check", folder, "--no-cache")}
        upgraded = ask("upgrade", folder, *([] if options.before else ["--write"]))
        sys.path.insert(0, str(folder))
        for kernel in [one for one in upgraded if one["status"] == "upgraded"][: options.limit]:
            known = checked[kernel["path"], kernel["name"]]
            if known["status"] != "compiled" or "caller" in known:
                counts["compiled with what calls it"] += 1
                continue
            try:
                function = find(kernel["path"], kernel["name"])
                if function is None:
                    counts["in a function"] += 1
                    continue
                compile_kernel(function, known["parameters"])
                counts["compiled"] += 1
            except Exception as error:
                counts["failed"] += 1
                last = (str(error).strip().splitlines() or [""])[-1]
                print(f"{kernel['path']}:{kernel['line']} {kernel['name']}: {type(error).__name__}: {last[:120]}", flush=True)
    for what, count in counts.most_common():
        print(f"{count:5} {what}")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
