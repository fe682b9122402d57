# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs recorded launches of an emitted file's kernels by `nereid run --check`, and compares kernels by their tile IR."""

import json
import pathlib
import subprocess
import sys

import numpy
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "triton"))

import dataflow  # noqa: E402

SPECS = {
    torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.int64: "i64", torch.int32: "i32",
    torch.int16: "i16", torch.int8: "i8", torch.uint8: "u8", torch.bool: "bool",
}  # fmt: skip
POINTEES = {"f64": "fp64", "f32": "fp32", "f16": "fp16", "bool": "i1"}
SECONDS = 300


def as_array(tensor):
    return (tensor.view(torch.int16).numpy().view("uint16")) if tensor.dtype == torch.bfloat16 else tensor.numpy()


def describe_number(value):
    if isinstance(value, bool):
        return "True" if value else "False"
    # What Triton takes for a float32 (a whole number would read as an integer).
    return f"f32:{value!r}" if isinstance(value, float) else repr(value)


class Arguments:
    """A launch as arguments of the command line; the tensors lie in a folder."""

    def __init__(self, launch, folder):
        self.kernel, self.run, self.signature, self.constexprs = launch.kernel, [], [], []
        folder.mkdir()
        for name, value in launch.arguments.items():
            if isinstance(value, torch.Tensor):
                numpy.save(folder / f"{name}.npy", as_array(value))
                spec = SPECS[value.dtype]
                self.run += ["--arg", f"{name}={spec}:{folder / name}.npy"]
                self.signature.append(f"{name}=*{POINTEES.get(spec, spec)}")
            elif value is None:
                self.constexprs += ["--constexpr", f"{name}=None"]
            else:
                self.run += ["--arg", f"{name}={describe_number(value)}"]
                wide = isinstance(value, int) and not -(2**31) <= value < 2**31
                kind = (
                    "i1"
                    if isinstance(value, bool)
                    else "fp32"
                    if isinstance(value, float)
                    else "i64"
                    if wide
                    else "i32"
                )
                self.signature.append(f"{name}={kind}")
        for name, value in launch.constexprs.items():
            self.constexprs += ["--constexpr", f"{name}={value!r}"]
        self.run += ["--grid", ",".join(map(str, launch.grid)), *self.constexprs]


def run_checked(binary, path, arguments):
    """What the checked interpreter finds in a launch; empty where all is right."""
    command = [binary, "run", f"{path}:{arguments.kernel}", *arguments.run, "--check", "--json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"takes longer than {SECONDS} s"
    if done.returncode == 0:
        return ""
    if done.returncode != 1:
        return f"exit {done.returncode}: {' '.join(done.stderr.split())[:300]}"
    return "; ".join(f"{finding['kind']}: {finding['message']}" for finding in json.loads(done.stdout)["findings"][:2])


def run_plain(binary, path, arguments, folder):
    """The bytes of all tensors after a launch; None where it fails."""
    result = pathlib.Path(folder) / "result.npz"
    command = [binary, "run", f"{path}:{arguments.kernel}", *arguments.run, "-o", str(result)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    if done.returncode:
        return None
    with numpy.load(result) as arrays:
        return {name: arrays[name].tobytes() for name in arrays.files}


def read_kernel(binary, path, arguments):
    """What a kernel computes, apart from names and order: see dataflow.py; None where it is not read."""
    command = [binary, "compile", f"{path}:{arguments.kernel}", "--signature", ",".join(arguments.signature)]
    done = subprocess.run([*command, *arguments.constexprs, "--emit", "tile"], capture_output=True, text=True)
    return dataflow.read(done.stdout, arguments.kernel) if done.returncode == 0 else None
