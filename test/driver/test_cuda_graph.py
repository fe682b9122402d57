# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--cuda-graph without a GPU: what it is refused for, what a graph takes for granted, and the CPU goes on as without it.

bench/gpu_cuda_graphs.py makes the calls on a GPU.
"""

import importlib.util
import itertools
import subprocess

import pytest
import torch

from conftest import ROOT

PROGRAMS = """import torch
from torch import nn


def softmax(x):
    return torch.softmax(x, -1)


def add_to(x, y):
    x += y


def product(x, y):
    return torch.relu(x @ y)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)
        self.norm = nn.BatchNorm2d(4)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)))
"""

fresh = itertools.count()


def convert(nereid, name, inputs, *options):
    nereid.write("programs.py", PROGRAMS)
    done = nereid("convert", f"programs.py:{name}", "--inputs", inputs, "--stage", 3, "--cuda-graph", *options)
    assert done.returncode == 0, done.stderr
    return next(nereid.folder.glob("*_stage3.py"))


def load(path):
    spec = importlib.util.spec_from_file_location(f"graphs{next(fresh)}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("options", [(), ("--backward",)])
def test_launches_without_gradients_are_replayed(nereid, options):
    text = convert(nereid, "softmax", "x=f32[M,N]", *options).read_text()
    assert text.count("return _replay(direct, arguments)") == 1
    caller = "def _call_with_gradient(" if options else "def _call("
    assert "_replay(direct, arguments)" in text.split(caller)[1].split("\n\n\n")[0]


def test_cpu_goes_on_as_without(nereid):
    convert(nereid, "softmax", "x=f32[M,N]")
    code = """
import torch, softmax_stage3 as s
for _ in range(3):
    x = torch.randn(5, 7)
    torch.testing.assert_close(s.softmax(x), torch.softmax(x, -1))
assert not s._graphs
"""
    done = subprocess.run(
        [str(ROOT / ".venv/bin/python"), "-c", code],
        cwd=nereid.folder,
        capture_output=True,
        text=True,
        env={"TRITON_INTERPRET": "1", "PATH": "/usr/bin:/bin", "HOME": str(nereid.folder)},
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def kind_of(nereid):
    return load(convert(nereid, "Block", "x=f32[B,3,H,W]"))._kind_of


def test_kinds_are_what_a_graph_takes_for_granted(kind_of):
    x = torch.zeros(4, 4)
    numbers = [0.0, -0.0, 0, False, True, 1, 1.0, None]
    assert len({kind_of(number) for number in numbers}) == len(numbers)
    assert kind_of(float("nan")) == kind_of(float("nan"))
    assert kind_of(x) == kind_of(torch.ones(4, 4))  # Copied at each call.
    different = [x, x.t()[:3], x[:3], x.double(), x.view(2, 8), torch.nn.Parameter(x)]
    assert len({kind_of(y) for y in different}) == len(different)
    weight = torch.nn.Parameter(torch.zeros(4, 4))
    assert kind_of(weight) == kind_of(weight)
    assert kind_of(weight) != kind_of(torch.nn.Parameter(torch.zeros(4, 4)))  # Read where it is.
    buffers = (x, torch.zeros(3))
    assert kind_of(buffers) == kind_of((x, buffers[1]))
    assert kind_of(buffers) != kind_of((torch.zeros(4, 4), buffers[1]))
    assert kind_of((1.0, 2.0)) != kind_of((1.0, 2))


@pytest.mark.parametrize(
    "name, inputs, options, reason",
    [
        ("add_to", "x=f32[M],y=f32[M]", (), "the program writes to its arguments"),
        ("product", "x=f32[M,K],y=f32[K,N]", ("--keep-torch", "matmul"), "'torch.matmul' is left to PyTorch"),
    ],
)
def test_refused_by_name(nereid, name, inputs, options, reason):
    nereid.write("programs.py", PROGRAMS)
    arguments = ["convert", f"programs.py:{name}", "--inputs", inputs, "--cuda-graph", *options]
    nereid.refuses(arguments, "--cuda-graph: ", reason, "help: convert without it", "programs.py:")
