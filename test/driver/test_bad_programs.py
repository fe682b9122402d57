# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that are Python but cannot be converted: each is refused where it goes wrong, with what to do."""

import pytest

VERBS = ["convert", "validate"]

HEAD = "import torch\nimport torch.nn.functional as F\n\n\n"


def program(body):
    return HEAD + "def f(x):\n" + "".join(f"    {line}\n" for line in body.splitlines())


@pytest.fixture(params=VERBS)
def verb(request):
    return request.param


def check(nereid, verb, text, *expected, limit=60):
    nereid.write("program.py", text)
    return nereid.refuses(
        [verb, "program.py", "--inputs", "x=f32[M,N]"], "program.py:", "error:", *expected, limit=limit
    )


def test_unknown_name(nereid, verb):
    check(nereid, verb, program("return x + missing"), "program.py:6:16", "missing", "^")


def test_unknown_operator(nereid, verb):
    check(nereid, verb, program("return torch.frobnicate(x)"), "program.py:6:", "frobnicate", "^")


def test_misspelt_operator(nereid, verb):
    check(nereid, verb, program("return torch.sofmax(x, -1)"), "program.py:6:", "softmax")


def test_unsupported_operator(nereid, verb):
    check(nereid, verb, program("return torch.linalg.svd(x)"), "program.py:6:", "svd")


def test_unsupported_construct(nereid, verb):
    check(nereid, verb, program("async def g():\n    return x\nreturn g()"), "program.py:8:", "async")


def test_branch_on_data(nereid, verb):
    result = check(nereid, verb, program("if x > 0:\n    return x\nreturn -x"), "program.py:6:8", "^")
    assert "where" in result.stderr, "torch.where is what to write instead"


def test_loop_on_data(nereid, verb):
    check(nereid, verb, program("while x.max() > 1:\n    x = x / 2\nreturn x"), "program.py:6:11")


def test_item(nereid, verb):
    text = program("return x.reshape(int(x[0, 0].item()), -1)")
    check(nereid, verb, text, "program.py:6:12", "a size depends on the values of a tensor")


def test_sizes_that_do_not_fit(nereid, verb):
    check(nereid, verb, program("return x.reshape(7, 11) + torch.ones(3)"), "program.py:6:")


def test_wrong_rank(nereid, verb):
    check(nereid, verb, program("return x.sum(dim=5)"), "program.py:6:", "5")


def test_wrong_dtype(nereid, verb):
    check(nereid, verb, program("return x << 1"), "program.py:6:")


def test_unbounded_recursion(nereid, verb):
    check(nereid, verb, HEAD + "def f(x):\n    return f(x)\n", "program.py:6:", limit=20)


def test_unbounded_loop(nereid, verb):
    check(nereid, verb, program("while True:\n    x = x\nreturn x"), "program.py:", limit=60)


def test_unbounded_loop_on_import(nereid, verb):
    # The budget ends at the test or in the body.
    check(nereid, verb, HEAD + "while True: pass\n\n\ndef f(x):\n    return x\n", "program.py:5:", limit=60)


def test_huge_list(nereid, verb):
    check(nereid, verb, program("y = [0] * 10**12\nreturn x + len(y)"), "program.py:6:", limit=20)


def test_huge_number(nereid, verb):
    check(nereid, verb, program("y = 10 ** 10 ** 10\nreturn x + y"), "program.py:6:", limit=20)


def test_independent_problems_are_all_found(nereid, verb):
    nereid.write("program.py", program("return x"))
    result = nereid.refuses([verb, "program.py", "--inputs", "y=f32[M],z=f32[N]"], "'y'", "'z'", "x")
    assert result.stderr.count("error:") >= 3


def test_nothing_to_convert(nereid, verb):
    check(nereid, verb, "A = 1\n")


def test_several_programs(nereid, verb):
    nereid.write("program.py", "def f(x):\n    return x\n\n\ndef g(x):\n    return x\n")
    nereid.refuses([verb, "program.py", "--inputs", "x=f32[M]"], "f", "g", "program.py:")


def test_unknown_program(nereid, verb):
    nereid.write("program.py", "def f(x):\n    return x\n")
    nereid.refuses([verb, "program.py:h", "--inputs", "x=f32[M]"], "'h'", "f")


def test_class_without_forward(nereid, verb):
    nereid.write("program.py", "import torch\n\n\nclass M(torch.nn.Module):\n    pass\n")
    nereid.refuses([verb, "program.py:M", "--inputs", "x=f32[M]"], "program.py:4:", "forward")


def test_raised_exception(nereid, verb):
    check(nereid, verb, program("raise ValueError('not for you')"), "program.py:6:", "not for you")


def test_the_call_stack_is_shown(nereid, verb):
    text = HEAD + "def inner(x):\n    return x + missing\n\n\ndef outer(x):\n    return inner(x)\n"
    nereid.write("program.py", text)
    nereid.refuses([verb, "program.py:outer", "--inputs", "x=f32[M]"], "program.py:6:16", "program.py:10:")


MANY = """import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import Dataset


class Data(Dataset):
    pass


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.LazyLinear(4)

    def forward(self, x):
        y = self.linear(x)
        z = torch.poisson(x) + torch.linalg.eigvalsh(x)
        if x > 0:
            y = y + torch.linalg.inv(x)
        w = y if x > 1 else z
        return w + torch.unique(x) + F.ctc_loss(x, x, x, x), x.unique()
"""


def test_all_problems_of_a_program_are_told_in_one_run(nereid):
    nereid.write("net.py", MANY)
    done = nereid("convert", "net.py:Net", "--inputs", "x=f32[4,4]")
    assert done.returncode == 2
    for problem in [
        "net.py:14:23: error: 'torch.nn.LazyLinear' is not supported yet",
        "net.py:18:13: error: 'torch.poisson' is not supported yet",
        "net.py:18:32: error: 'torch.linalg.eigvalsh' is not supported yet",
        "net.py:19:12: error: this branch depends on the data of a tensor",
        "net.py:20:21: error: 'torch.linalg.inv' is not supported yet",
        "net.py:21:13: error: this branch depends on the data of a tensor",
        "net.py:22:20: error: 'torch.unique' is not supported yet",
        "net.py:22:38: error: 'torch.nn.functional.ctc_loss' is not supported yet",
        "net.py:22:62: error: 'Tensor.unique' is not supported yet",
    ]:
        assert problem in done.stderr


HELPS = [
    ("torch.unique_consecutive(x)", "torch.unique_consecutive", "the size of its result depends on the data"),
    ("torch.unique(x)", "torch.unique", "the size of its result depends on the data"),
    ("x.sum().backward()", "Tensor.backward", "convert with --backward"),
    ("torch.load('x.pt') + x", "torch.load", "pass the tensor as an argument"),
    ("nn.utils.rnn.pack_padded_sequence(x, [1])", "torch.nn.utils.rnn.pack_padded_sequence", "give recurrent layers the padded batch"),
    ("nn.LazyConv2d(4, 3)(x)", "torch.nn.LazyConv2d", "make the module without Lazy"),
]


def test_what_is_not_supported_says_what_to_do(nereid):
    for expression, name, help_text in HELPS:
        nereid.write("f.py", f"import torch\nfrom torch import nn\n\n\ndef f(x):\n    return {expression}\n")
        done = nereid.refuses(
            ["convert", "f.py", "--inputs", "x=f32[M,N]"], f"error: '{name}' is not supported", help_text
        )
        assert "<torch" not in done.stderr, done.stderr


def test_sizes_that_do_not_fit_say_what_they_are(nereid):
    nereid.write("f.py", "import torch\n\n\ndef f(x, y):\n    return x + y\n\n\ndef g(x, n):\n    return x.chunk(n)\n")
    said = "M is 4 and M_1 is 5 in the inputs that are given"
    nereid.refuses(["convert", "f.py:f", "--inputs", "x=f32[4,N],y=f32[5,N]"], "f.py:5:12", said)
    said = "chunks is a number that only the call knows"
    nereid.refuses(["convert", "f.py:g", "--inputs", "x=f32[M,N],n=i64"], "f.py:9:12", said)
