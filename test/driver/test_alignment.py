# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What launches tell kernels of the divisors of their numbers, and what Triton's compiler makes of it."""

import os
import re
import subprocess
import sys

import pytest

NORM = """import torch


def norm(x):
    return torch.nn.functional.layer_norm(x, x.shape[-1:])


def get_inputs():
    return [torch.randn(2048, 1000)]
"""

LAUNCHES = """import norm_stage3
import torch

told = []
find = norm_stage3._Launcher.find


def note(self, key, grid, arguments, options):
    told.append(options["ALIGN"])
    return find(self, key, grid, arguments, options)


norm_stage3._Launcher.find = note
for x in (
    torch.randn(3, 1000),
    torch.randn(3, 1024),
    torch.randn(3, 1001),
    torch.randn(3, 1002),
    torch.randn(3, 4)[:, :1],
    torch.randn(3, 1004)[:, :1000],
    torch.randn(1, 1000).expand(3, -1),
    torch.randn(3, 2000)[:, ::2],
):
    expected = torch.nn.functional.layer_norm(x, x.shape[-1:])
    print(told[-1] if torch.allclose(norm_stage3.norm(x), expected, atol=1e-5) and told else "wrong", end=" ")
"""

VECTORS = """import re
import norm_stage3
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, compile

kernel = norm_stage3.norm_kernel.fn.fn
for align in (8, 2, 1):
    types = {name: "*fp32" if name.endswith("_ptr") else "i32" for name in kernel.arg_names}
    constants = {"BLOCK_N": 1024, "ALIGN": align, "stride_x_1": 1}
    types |= dict.fromkeys(constants, "constexpr")
    attributes = {(place,): [["tt.divisibility", 16]] for place, kind in enumerate(types.values()) if kind == "*fp32"}
    text = compile(ASTSource(kernel, types, constants, attributes), target=GPUTarget("cuda", 90, 32)).asm["ptx"]
    print(align, *sorted(set(re.findall(r"(?:ld|st)[.]global[.](?:v[24][.])?b32", text))))
"""


@pytest.fixture
def run(nereid):
    nereid.write("norm.py", NORM)
    assert nereid("convert", "norm.py", "--stage", 3, "-o", ".").returncode == 0

    def run(text, **environment):
        command = [sys.executable, "-c", text]
        done = subprocess.run(
            command, cwd=nereid.folder, capture_output=True, text=True, timeout=300, env=os.environ | environment
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_launches_tell_the_greatest_power_of_two(run):
    told = run(LAUNCHES, TRITON_INTERPRET="1").split()
    assert told == ["8", "16", "1", "2", "1", "4", "8", "8"]


def test_so_many_elements_are_moved_at_once(run):
    moved = [re.sub(r"[.](?=v|b)", " ", line) for line in run(VECTORS).splitlines()]
    assert moved == ["8 ld.global v4 b32 st.global v4 b32", "2 ld.global v2 b32 st.global v2 b32", "1 ld.global b32 st.global b32"]
