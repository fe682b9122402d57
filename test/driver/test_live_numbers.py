# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What conversion says of numbers, and how the emitted file reads them."""

MODULE = """
import torch
import torch.nn as nn
import torch.nn.functional as F

class Net(nn.Module):
    def __init__(self, slope=0.1, power=2.0, heads=4):
        super().__init__()
        self.slope, self.power, self.heads = slope, power, heads
        self.norm = nn.LayerNorm(8)
        self.gate = lambda x: x * slope
        self.table = torch.linspace(0, 1, 8)

    def forward(self, x):
        y = F.leaky_relu(self.norm(x), self.slope) ** self.power
        y = y.view(-1, self.heads, 8 // self.heads).sum(1)
        return self.gate(y).sum() * (1 - self.slope) + (x * self.table).sum()

def get_inputs():
    return [torch.randn(4, 8)]
"""

FUNCTION = """
import torch

def step(x, g, lr=1e-3, power=2.0, times: int = 3):
    return x - lr * g**power * times

def get_inputs():
    return [torch.randn(8), torch.randn(8)]
"""


def test_a_module_reads_its_numbers(nereid):
    nereid.write("net.py", MODULE)
    done = nereid("convert", "net.py", "--stage", "2")
    assert done.returncode == 0, done.stderr
    text = (nereid.folder / "net_stage2.py").read_text()
    assert "self.norm.eps" in text.split("def forward")[1] and "1 - self.slope" in text
    assert '("LayerNorm", 0, {"normalized_shape": (8,)}, "norm")' in text
    assert '"power": 2.0' in text and '"heads": 4' in text
    told = done.stdout.split("settings that the program fixes: ")[1].split("\n")[0]
    assert "self.power=2.0" in told and "self.heads=4" in told and told.endswith("--init converts for others)")
    assert '_check_known(\\n' in text.replace("\n", "\\n") or '_cell(self.gate, "slope")' in text
    assert '_check_constant("self.table", self.table, (8,)' in text.replace("\n            ", " ").replace("( ", "(")


def test_a_function_tells_what_it_fixes(nereid):
    nereid.write("step.py", FUNCTION)
    done = nereid("convert", "step.py", "--stage", "2")
    assert done.returncode == 0, done.stderr
    assert "numbers that the program fixes: times=3, power=2.0" in done.stdout
    assert "lr=" not in done.stdout
    text = (nereid.folder / "step_stage2.py").read_text()
    assert '_check_known("power", power, 2.0)' in text and '_check_known("lr"' not in text


ASKED = """
import functools
import torch
import torch.nn as nn

@functools.lru_cache(maxsize=8)
def ramp(count: int, step: float):
    return torch.arange(count) * step

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.slope, self.step, self.doubles = 0.1, 0.5, True
        self.options = {"shift": 3}

    def forward(self, x):
        y = x * self.__dict__["slope"] + ramp(x.shape[-1], self.step)
        if vars(self).get("doubles"):
            y = 2 * y
        if hasattr(self, "extra"):
            y = y + self.extra
        if getattr(self, "other", None) is not None or "third" in self.__dict__:
            y = y - 1
        return y + self.options["shift"]

def get_inputs():
    return [torch.randn(4, 8)]
"""


def test_attributes_that_are_asked_for(nereid):
    """Those that `__dict__` reads, that a cached helper is given, and those that are not there."""
    nereid.write("model.py", ASKED)
    done = nereid("convert", "model.py", "--stage", "2", "-o", "out")
    assert done.returncode == 0, done.stderr
    text = (nereid.folder / "out/net_stage2.py").read_text()
    assert "self.slope" in text and "self.step" in text and '"doubles": True' in text
    for name in ("extra", "other", "third"):
        assert f'hasattr(self, "{name}"), False' in text
    # The parts of a module are no arguments.
    assert 'return {"x": make((M, N), torch.float32)}' in (nereid.folder / "out/net_check.py").read_text()
