# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--keep-torch leaves operators to PyTorch: visibly, and with a reason where it cannot."""

import json
import re

from conftest import ROOT

PROGRAM = """import torch
import torch.nn.functional as F
from torch import nn


def block(x, w):
    h = F.silu(x @ w)
    values, places = h.sort(-1)
    return values * 2, places


def others(x, n: int):
    return torch.rand_like(x).bernoulli() + F.dropout(x) + x.view(-1).sum() + torch.nonzero(x).sum()


def loop(x, w):
    h = x[0]
    for t in range(x.shape[0]):
        h = torch.tanh(torch.matmul(h, w) + x[t])
    return h


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 4)

    def forward(self, x):
        return torch.relu(self.linear(x))


class Lazy(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.LazyLinear(4)

    def forward(self, x):
        return self.linear(x)


def inverse(x, w):
    return torch.linalg.inv(x) + w
"""
INPUTS = ["--inputs", "x=f32[B,D],w=f32[D,H]"]


def convert(nereid, name, *options):
    nereid.write("block.py", PROGRAM)
    return nereid("convert", f"block.py:{name}", *options, "-o", "out")


def test_what_is_left_stands_in_the_file_and_in_the_report(nereid):
    done = convert(nereid, "block", *INPUTS, "--stage", "3", "--keep-torch", "matmul,torch.sort", "--json")
    assert done.returncode == 0, done.stderr
    (file,) = json.loads(done.stdout)["files"]
    calls = [(call["name"], call["place"], call["gradient"]) for call in file["left_to_torch"]]
    assert calls == [("torch.matmul", "block.py:7", False), ("Tensor.sort", "block.py:8", False)]
    assert all(call["bytes_at"] > 0 for call in file["left_to_torch"])
    text = (nereid.folder / "out/block_stage3.py").read_text()
    assert "Left to PyTorch:\n    Tensor.sort (block.py:8)\n    torch.matmul (block.py:7)" in text
    assert "# Left to PyTorch (block.py:7).\n" in text and "torch.matmul(x, w)" in text


def test_the_table_names_what_is_left(nereid):
    done = convert(nereid, "block", *INPUTS, "--stage", "2", "--keep-torch", "matmul", "--keep-torch", "sort")
    assert "left to PyTorch: torch.matmul (block.py:7), " in done.stdout


def test_an_unsupported_operator_says_how_to_keep_it(nereid):
    done = convert(nereid, "inverse", "--inputs", "x=f32[D,D],w=f32[D]")
    assert done.returncode == 2
    assert "block.py:42:12: error: 'torch.linalg.inv' is not supported yet" in done.stderr
    assert "or leave it to PyTorch by --keep-torch inv" in done.stderr


def test_an_unsupported_module_is_named_where_it_is_made(nereid):
    done = convert(nereid, "Lazy", "--inputs", "x=f32[B,8]")
    assert done.returncode == 2
    assert "block.py:35:23: error: 'torch.nn.LazyLinear' is not supported yet" in done.stderr
    assert "make the module without Lazy" in done.stderr
    # Nothing of what the library does there.
    assert "note" not in done.stderr and "torch/nn" not in done.stderr


def test_a_name_that_is_not_called_is_refused(nereid):
    done = convert(nereid, "block", *INPUTS, "--keep-torch", "matmul,softmax")
    assert done.returncode == 2 and not (nereid.folder / "out").exists()
    assert "--keep-torch: the program does not call 'softmax'" in done.stderr


def test_what_cannot_be_left_says_why(nereid):
    for name, why in [
        ("dropout", "'torch.nn.functional.dropout' cannot be left to PyTorch: it draws random numbers"),
        ("view", "'torch.Tensor.view' cannot be left to PyTorch: it is a view and computes nothing"),
        ("nonzero", "'torch.nonzero' cannot be left to PyTorch: what sizes its results have is not known"),
    ]:
        done = convert(nereid, "others", "--inputs", "x=f32[B,D],n=3", "--keep-torch", name)
        assert done.returncode == 2 and why in done.stderr, done.stderr


def test_modules_call_their_operators(nereid):
    done = convert(nereid, "Net", "--inputs", "x=bf16[B,8]", "--stage", "1", "--keep-torch", "linear")
    assert done.returncode == 2 and "linear(): the types of its operands differ" in done.stderr
    done = convert(nereid, "Net", "--inputs", "x=f32[B,8]", "--stage", "1", "--keep-torch", "linear")
    assert done.returncode == 0, done.stderr
    text = (nereid.folder / "out/net_stage1.py").read_text()
    assert "torch.nn.functional.linear(x, linear_weight, linear_bias)" in text


def test_validate_says_that_it_has_no_oracle(nereid):
    nereid.write("block.py", PROGRAM)
    done = nereid("validate", "block.py:block", *INPUTS, "--keep-torch", "matmul")
    assert done.returncode == 2
    assert "block.py:7:16: error: 'torch.matmul' is left to PyTorch, and validate runs without" in done.stderr


def test_every_operator_of_the_table_is_compared_with_pytorch():
    """Those whose sizes Nereid only knows for --keep-torch: some program of test/programs leaves each to PyTorch."""
    text = (ROOT / "src/frontend/torch/prelude/kept.py").read_text()
    kept = set()
    for names, function in re.findall(r'@export\(at="kept[^"]*"(?:, names="([^"]*)")?\)\ndef (\w+)', text):
        kept.update(names.split() if names else [function])
    left = set()
    for path in (ROOT / "test/programs").glob("kept_*.py"):
        for option in re.findall(r"--keep-torch (\S+)", path.read_text()):
            left.update(name.rpartition(".")[2] for name in option.split(","))
    assert len(kept) >= 10 and kept - left == set()
