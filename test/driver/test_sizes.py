# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that are expressions, in the program and in --inputs."""

import json

import pytest

PROGRAMS = """import torch


def halves(x):
    a, b = x.chunk(2, dim=-1)
    return a * torch.sigmoid(b)


def thirds(x):
    a, b, c = x.split(x.shape[-1] // 3, dim=-1)
    return a + b * c


def rows(x):
    a, b, c = x.unbind(0)
    return a * b + c


def groups(x):
    return x.view(x.shape[0], -1, 64).amax(-1)


def heads(x):
    B, T, C = x.shape
    return x.reshape(B, T, 8, C // 8).transpose(1, 2).sum(-1)


def even_and_odd(x):
    return x[..., ::2] * x[..., 1::2]
"""


@pytest.mark.parametrize(
    "name, inputs",
    [
        ("halves", "x=f32[M,N]"),
        ("halves", "x=f32[M,2*N]"),
        ("halves", "x=f32[M,2*N+2]"),
        ("thirds", "x=f32[M,N]"),
        ("rows", "x=f32[3,N]"),
        ("groups", "x=f32[B,N]"),
        ("heads", "x=f32[B,T,C]"),
        ("heads", "x=f32[B,T,8*D]"),
        ("even_and_odd", "x=f32[M,N]"),
        ("even_and_odd", "x=f32[M,2*N]"),
    ],
)
def test_proved_and_valid(nereid, name, inputs):
    nereid.write("s.py", PROGRAMS)
    done = nereid("convert", f"s.py:{name}", "--inputs", inputs, "--json")
    assert done.returncode == 0, done.stderr
    for file in json.loads(done.stdout)["files"]:
        for kernel in file["kernels"]:
            assert kernel["proved"] == kernel["accesses"], kernel
    done = nereid("validate", f"s.py:{name}", "--inputs", inputs, "--json", "--stage", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(stage["passed"] >= 100 for stage in json.loads(done.stdout)["stages"]), done.stdout


def test_the_wrapper_says_what_a_size_must_be(nereid):
    nereid.write("s.py", PROGRAMS)
    nereid("convert", "s.py:halves", "--inputs", "x=f32[M,2*N]", "--stage", "2")
    text = (nereid.folder / "halves_stage2.py").read_text()
    assert "must have a size of the form 2*N" in text


def test_a_size_that_nothing_tells(nereid):
    nereid.write("s.py", PROGRAMS)
    nereid.refuses(["convert", "s.py:halves", "--inputs", "x=f32[M,M*N]"], "--inputs:1:", "'M*N'", "what N is", "^")


def test_pieces_of_an_unknown_number(nereid):
    nereid.write("p.py", "def f(x):\n    return sum(p.sum(-1) for p in x.split(64, dim=1))\n")
    nereid.refuses(["convert", "p.py", "--inputs", "x=f32[M,N]"], "p.py:2:", "the number of pieces", "^")


def test_kernels_are_chosen_for_more_than_small_inputs(nereid):
    program = "import torch\n\n\ndef f(x):\n    return (x * x).sum()\n\n\ndef get_inputs():\n    return [torch.randn(3, 7)]\n"
    nereid.write("p.py", program)
    done = nereid("convert", "p.py", "--stage", "3", "-o", "out")
    assert "small inputs: kernels are chosen for M=1536, N=3584 (--size names others)" in done.stdout
    split, check = ((nereid.folder / f"out/f_{part}.py").read_text() for part in ("stage3", "check"))
    assert "_partial" in split and "def _inputs(make, M=3, N=7):" in check
    done = nereid("convert", "p.py", "--stage", "3", "-o", "out", "--size", "M=3", "--json")
    assert "planned" not in json.loads(done.stdout)
    assert "_partial" not in (nereid.folder / "out/f_stage3.py").read_text()


def test_inputs_are_those_of_the_first_case_in_the_order_of_the_call(nereid):
    program = (
        "import torch\n\n\ndef f(batch, y):\n    if y.shape[0] > 2:\n        return batch['x'] * y\n"
        "    return batch['x'] - batch['mask']\n\n\n"
        "def get_inputs():\n    return [{'x': torch.randn(5), 'mask': torch.randn(5)}, torch.randn(5)]\n"
    )
    nereid.write("p.py", program)
    assert nereid("convert", "p.py", "--stage", "2", "-o", "out").returncode == 0
    text = (nereid.folder / "out/f_check.py").read_text()
    start = text.index("def _inputs(make, ")
    assert 0 < text.index('"x": make((', start) < text.index('"mask": make((', start)
    assert "=64" not in text[start : text.index(":", start)]


@pytest.mark.parametrize(("share", "expected"), [("0.3", "3 * N // 10"), ("0.25", "N // 4"), ("0.7", None)])
def test_a_share_of_a_size_is_a_quotient_where_floats_round_as_it(nereid, share, expected):
    nereid.write("p.py", f"def f(x):\n    return x[: max(1, int({share} * x.shape[0]))]\n")
    assert nereid("convert", "p.py", "--inputs", "x=f32[40]", "--stage", "2", "-o", "out").returncode == 0
    text = (nereid.folder / "out/f_stage2.py").read_text()
    # int(0.7 * 90) is 62: the size is fixed.
    assert (expected in text) if expected else ('_check_tensor("x", x, (40,), torch.float32)' in text)


def test_sizes_are_returned_by_the_shapes_of_arguments(nereid):
    nereid.write("p.py", "def f(x, n: int = 2):\n    B, C, H, W = x.shape\n    return x * 2, H, (W // n, B * C), x.numel()\n")
    assert nereid("convert", "p.py", "--inputs", "x=f32[2,3,4,6]", "--stage", "2", "-o", "out").returncode == 0
    text = (nereid.folder / "out/f_stage2.py").read_text()
    assert "(float32[B, C, M, N], int, (int, int), int)" in text
    assert "x.shape[2]," in text and "(x.shape[3] // 2, x.shape[0] * x.shape[1])" in text


def convert(nereid, text, *options):
    nereid.write("p.py", text)
    done = nereid("convert", "p.py", "--stage", "2", "-o", "out", *options)
    assert done.returncode == 0, done.stderr
    return done.stdout, (nereid.folder / "out" / next((nereid.folder / "out").glob("*_stage?.py")).name).read_text()


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("x * {6: 2.0, 8: 3.0}[x.shape[1]]", "N=6 (p.py:6: a key of a dict or set)"),
        ("x * len(f'{x.shape[1]:3d}')", "N=6 (p.py:6: a text)"),
        ("x * len(str(x.shape[1] / 4))", "N=6 (p.py:6: a text)"),
        ("x * int(math.log2(x.shape[1]).is_integer())", "N=6 (p.py:6: float.is_integer())"),
        ("x * (x.shape[1] & (x.shape[1] - 1))", "N=6 (p.py:6: the operator &)"),
        ("x * len(bin(x.shape[1]))", "N=6 (p.py:6: bin())"),
        ("x[:, : round(x.shape[1] / 4)]", "N=6 (p.py:6: round())"),
        ("x * torch.tensor([0.5] * x.shape[1])", "N=6 (p.py:6: the length of a list)"),
        ("x / math.factorial(x.shape[1])", "N=6 (p.py:6: math.factorial())"),
        ("x * (2 if math.sqrt(x.shape[1]) > 2.5 else 3)", "N=6 (p.py:6: a condition)"),
        ("x[:, :: x.shape[0]]", "M=4 (p.py:6: a slice step)"),
    ],
)
def test_a_size_whose_number_python_needs_is_fixed_and_told(nereid, statement, told):
    text = f"import math\nimport torch\n\n\ndef f(x):\n    return {statement}\n"
    out, emitted = convert(nereid, text, "--inputs", "x=f32[4,6]")
    assert f"sizes that the program fixes: {told}\n" in out
    assert f'_check_tensor("x", x, ({"None, 6" if told[0] == "N" else "4, None"}), torch.float32)' in emitted


def test_the_turns_of_a_while_loop_fix_what_it_asks_for(nereid):
    text = "def f(x):\n    n = x.shape[0]\n    while n > 1:\n        n = n // 2\n    return x * n\n"
    out, _ = convert(nereid, text, "--inputs", "x=f32[12]")
    assert "sizes that the program fixes: N=12 (p.py:3: the turns of a `while` loop)\n" in out


def test_a_long_loop_is_refused_with_its_reason(nereid):
    nereid.write("p.py", "def f(x):\n    return sum(row.softmax(-1) * i for i, row in enumerate([*x]))\n")
    expected = ["p.py:2:", "a loop over an axis that is written out", "the size M, which is 50000", "more than 64"]
    nereid.refuses(["convert", "p.py", "--inputs", "x=f32[50000,6]"], *expected, "^")


def test_a_size_without_a_number_is_not_fixed(nereid):
    nereid.write("p.py", "def f(x):\n    return x * {6: 2.0}[x.shape[0]]\n")
    expected = ["p.py:2:", "a key of a dict or set depends on the size N", "write a number for it in --inputs", "^"]
    nereid.refuses(["convert", "p.py", "--inputs", "x=f32[N]"], *expected)


def test_conditions_on_sizes_stay_cases(nereid):
    out, emitted = convert(nereid, "def f(x):\n    return x * 2 if x.shape[0] > 3 else x\n", "--inputs", "x=f32[5]")
    assert "fixes" not in out and "if N >= 4" in emitted


def test_names_of_one_size_are_told(nereid):
    text = "def f(x, targets):\n    return (x * targets.t()).sum()\n"
    out, _ = convert(nereid, text, "--inputs", "x=f32[B,D],targets=f32[C,B]")
    assert "sizes that the program makes one: C=D (p.py:2)\n" in out
    out, _ = convert(nereid, text, "--inputs", "x=f32[B,C],targets=f32[C,B]")
    assert "makes one" not in out


def test_sizes_that_nobody_gave_are_told_and_those_of_the_file(nereid):
    text = "def f(x, y):\n    return x.softmax(-1), y * 2\n"
    out, _ = convert(nereid, text, "--inputs", "x=f32[A,B,C,D,E],y=f32[P,Q]")
    check = (nereid.folder / "out/f_check.py").read_text()
    sizes = "A=16, B=16, C=16, D=32, E=32, P=1024, Q=1024"
    assert f"typical sizes, as none are given: {sizes} (--size names others)\n" in out
    assert f"def _inputs(make, {sizes}):" in " ".join(check.split()).replace("( make", "(make")
    out, _ = convert(nereid, text, "--inputs", "x=f32[2,3,4,5,6],y=f32[7,8]")
    assert "as none are given" not in out


def test_typical_sizes_fit_the_checks(nereid):
    text = "def f(x):\n    a, b, c = x.split(x.shape[-1] // 3, dim=-1)\n    return a + b * c\n"
    out, _ = convert(nereid, text, "--inputs", "x=f32[M,N]")
    check = (nereid.folder / "out/f_check.py").read_text()
    assert "M=1024, N=960 (--size" in out and "def _inputs(make, M=1024, N=960):" in check


def test_sizes_that_agree_in_the_example_alone_are_fixed(nereid):
    text = "import torch\n\n\ndef f(x):\n    B, C, h, w = x.shape\n    return x.view(B, 19, -1) * torch.arange(h * w)\n"
    out, _ = convert(nereid, text, "--inputs", "x=f32[2,19,4,6]")
    assert "sizes that the program fixes: C=19 (p.py:6: an axis of " in out


def test_pieces_of_a_size_that_is_not_divided_evenly(nereid):
    text = "def f(x):\n    pieces = x.chunk(3, dim=1)\n    return pieces[0] * 2, pieces[-1] + 1\n"
    _, emitted = convert(nereid, text, "--inputs", "x=f32[4,10]")
    # Sizes that 3 divides are cut as well: only the number of pieces is asked for.
    assert "N % 3" not in emitted and "is cut into 3 pieces" in emitted


def test_what_is_known_is_of_no_foreign_class(nereid):
    text = (
        "import torch\nimport library_of_nobody as lib\n\n\ndef f(x, n=2):\n"
        "    if isinstance(x, (lib.Image, str)) or isinstance(n, lib.Scalar):\n        raise TypeError\n"
        "    return x * n if isinstance(n, (int, lib.Scalar)) else x\n"
    )
    _, emitted = convert(nereid, text, "--inputs", "x=f32[5]")
    assert " * " in emitted
