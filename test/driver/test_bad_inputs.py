# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong, missing and contradictory --inputs."""

import pytest

TEXT = """import torch


def f(x, w):
    return x * w
"""


@pytest.fixture
def convert(nereid):
    nereid.write("f.py", TEXT)
    return lambda inputs, *expected: nereid.refuses(["convert", "f.py", "--inputs", inputs], *expected)


def test_no_inputs(nereid):
    nereid.write("f.py", TEXT)
    nereid.refuses(["convert", "f.py"], "f.py:4:", "x, w", "--inputs", "get_inputs()")


def test_missing_argument(convert):
    convert("x=f32[M]", "f.py:4:", "no input is given for w")


def test_unknown_argument(convert):
    convert("x=f32[M],w=f32[M],y=f32[M]", "--inputs:1:", "'y'", "^")


def test_unknown_type(convert):
    convert("x=f31[M],w=f32[M]", "--inputs:1:3", "'f31' is not a type", "f32", "^")


def test_unclosed_bracket(convert):
    convert("x=f32[M,w=f32[M]", "--inputs:1:", "^")


def test_missing_value(convert):
    convert("x=,w=f32[M]", "--inputs:1:", "^")


def test_missing_name(convert):
    convert("f32[M],w=f32[M]", "--inputs:1:")


def test_negative_size(convert):
    convert("x=f32[-4],w=f32[M]", "--inputs:1:", "negative")


def test_bad_size_expression(convert):
    convert("x=f32[M+*2],w=f32[M]", "--inputs:1:", "^")


def test_strides_of_another_rank(convert):
    convert("x=f32[M,N]@(1),w=f32[N]", "--inputs:1:", "strides")


def test_sizes_that_do_not_fit(nereid):
    nereid.write("g.py", "import torch\n\n\ndef g(x, y):\n    return torch.cat([x, y.reshape(2, 3)], dim=1)\n")
    nereid.refuses(["convert", "g.py", "--inputs", "x=f32[4,5],y=f32[7]"], "g.py:5:")


def test_bad_init(nereid):
    nereid.write(
        "m.py",
        "import torch\n\n\nclass M(torch.nn.Module):\n    def __init__(self, n):\n        super().__init__()\n"
        "        self.w = torch.nn.Parameter(torch.ones(n))\n\n    def forward(self, x):\n        return x * self.w\n",
    )
    nereid.refuses(["convert", "m.py", "--inputs", "x=f32[M,8]", "--init", "8 +"], "error:")
    nereid.refuses(["convert", "m.py", "--inputs", "x=f32[M,8]", "--init", "(8, 9, 10)"], "error:", "M")


def test_get_inputs_that_fails(nereid):
    nereid.write("f.py", TEXT + "\n\ndef get_inputs():\n    return [1 / 0]\n")
    nereid.refuses(["convert", "f.py"], "f.py:9:", "division by zero")


def test_get_inputs_with_too_many(nereid):
    nereid.write("f.py", TEXT + "\n\ndef get_inputs():\n    return [torch.randn(3)] * 3\n")
    nereid.refuses(["convert", "f.py"], "get_inputs() gives 3 inputs")
