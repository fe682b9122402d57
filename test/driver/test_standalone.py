# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An emitted file needs no file of the user's: what a constructor imports stands in it."""

import re
import subprocess

import pytest

from conftest import ROOT

HELPERS = """import math

from sizes import WIDTH as FULL


def _half(n):
    return n // 2


def make_width(n=FULL):
    return max(_half(n), math.ceil(n / 4))
"""

MODEL = """import torch
from torch import nn

from pkg.helpers import make_width as width_of


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(width_of()))

    def forward(self, x):
        return x * self.w
"""


def test_imported_helpers_are_inlined(nereid):
    (nereid.folder / "pkg").mkdir()
    nereid.write("pkg/__init__.py", "")
    nereid.write("pkg/helpers.py", HELPERS)
    nereid.write("sizes.py", "WIDTH = 16\n")
    nereid.write("model.py", MODEL)
    done = nereid("convert", "model.py", "--inputs", "x=f32[B,8]", "--stage", "2", "-o", "alone")
    assert done.returncode == 0, done.stderr
    text = (nereid.folder / "alone/scale_stage2.py").read_text()
    assert "pkg" not in text.replace("model.py", "") and "import make_width" not in text
    code = "import scale_stage2 as s; assert s.Scale().w.shape == (8,)"
    done = subprocess.run(
        [str(ROOT / ".venv/bin/python"), "-c", code],
        cwd=nereid.folder / "alone",
        capture_output=True,
        text=True,
        env={"TRITON_INTERPRET": "1", "PATH": "/usr/bin:/bin", "HOME": str(nereid.folder)},
    )
    assert done.returncode == 0, done.stderr


USES_MODULE = """import torch
from torch import nn

import layers
import layers as same


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = layers.Scale(4)
        self.w = nn.Parameter(same.ones(4))

    def forward(self, x):
        return self.scale(x) * self.w
"""

LAYERS = """import torch
from torch import nn

SIZE = 2


def ones(n):
    return torch.ones(n) * SIZE


class Scale(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.w = nn.Parameter(ones(n))

    def forward(self, x):
        return x * self.w
"""


def test_a_module_of_the_users_is_a_name_space(nereid):
    nereid.write("layers.py", LAYERS)
    nereid.write("net.py", USES_MODULE)
    done = nereid("convert", "net.py", "--stage", "2", "--inputs", "x=f32[3,4]")
    assert done.returncode == 0, done.stderr
    text = (nereid.folder / "net_stage2.py").read_text()
    assert "import layers" not in text
    assert "layers = types.SimpleNamespace(Scale=Scale)" in text
    assert "same = types.SimpleNamespace(ones=ones)" in text
    assert text.count("def ones(") == 1


def test_star_imports_are_inlined(nereid):
    nereid.write("layers.py", LAYERS)
    star = USES_MODULE.replace("import layers\nimport layers as same", "from layers import *")
    nereid.write("net.py", star.replace("layers.Scale", "Scale").replace("same.ones", "ones"))
    done = nereid("convert", "net.py", "--stage", "2", "--inputs", "x=f32[3,4]")
    assert done.returncode == 0, done.stderr
    text = (nereid.folder / "net_stage2.py").read_text()
    assert "from layers" not in text
    assert "class Scale(nn.Module)" in text and "SIZE = 2" in text


INHERITS = """from abc import ABC, abstractmethod

import torch
from torch import nn


class Base(nn.Module, ABC):
    def __init__(self, n, gain=1.0):
        super().__init__()
        self.gain = gain
        self.build(n)

    def build(self, n):
        self.w = nn.Parameter(torch.ones(n))

    @abstractmethod
    def act(self, x): ...

    def forward(self, x):
        return self.act(x) * self.w * self.gain


class Net(Base):
    def build(self, n):
        super().build(n)
        self.b = nn.Parameter(torch.zeros(n))

    def act(self, x):
        return torch.relu(x) + self.b
"""


def test_an_inherited_constructor_keeps_its_arguments(nereid):
    nereid.write("net.py", INHERITS)
    done = nereid("convert", "net.py:Net", "--stage", "2", "--init", "4, 2.0", "--inputs", "x=f32[3,4]")
    assert done.returncode == 0, done.stderr
    text = (nereid.folder / "net_stage2.py").read_text()
    assert "class Base(nn.Module, ABC):" in text and "class Net(Base):" in text
    assert "def act(" not in text and "def build(self, n):" in text


def test_a_library_class_stays_the_base(nereid):
    nereid.write(
        "norm.py",
        "from torch import nn\n\n\nclass Norm(nn.LayerNorm):\n    def forward(self, x):\n        return super().forward(x) * 2\n",
    )
    done = nereid("convert", "norm.py", "--stage", "2", "--init", "4", "--inputs", "x=f32[3,4]")
    assert done.returncode == 0, done.stderr
    assert "class Norm(nn.LayerNorm):" in (nereid.folder / "norm_stage2.py").read_text()


def find_own_functions():
    """The functions that an emitted file has of its own."""
    folder = ROOT / "src/emit"
    texts = [path.read_text() for path in (*folder.glob("*Text.h"), *folder.glob("companion/*.py"))]
    return sorted({name for text in texts for name in re.findall(r'(?:^|R"py\()def _([a-z]\w*)', text, re.MULTILINE)})


@pytest.mark.parametrize("name", find_own_functions())
def test_a_program_may_have_the_name_of_a_function_of_the_file(nereid, name):
    nereid.write("p.py", f"def {name}(x):\n    return x * 2\n")
    done = nereid("convert", "p.py", "--stage", "2", "--inputs", "x=f32[8]")
    assert done.returncode == 0, done.stderr
    text = (nereid.folder / f"{name}_stage2.py").read_text()
    assert text.count(f"def _{name}_program(") == 1 and f"_{name}_program_op" in text
