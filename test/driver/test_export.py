# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the emitted program is constructed, moved and called: --init, --to, --class-name."""

import os
import subprocess
import sys

import pytest
import torch

BLOCK = """import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width, slope=0.1, p=0.0):
        super(Block, self).__init__()
        self.norm = nn.LayerNorm(width)
        self.tied = nn.Parameter(torch.rand(width))
        self.again = self.tied
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))
        self.register_buffer("mean", torch.rand(width))
        self.drop = nn.Dropout(p)

    def forward(self, x):
        return self.drop(self.norm(x) * self.tied + self.again * self.mean)


def get_inputs():
    return [torch.randn(6, 8)]


def get_init_inputs():
    return [8]
"""


def load(path):
    space = {"__name__": "emitted"}
    exec(compile(path.read_text(), str(path), "exec"), space)
    return space


def validate(nereid, name):
    environment = dict(os.environ, TRITON_INTERPRET="1")
    command = [sys.executable, name, "--validate"]
    return subprocess.run(command, cwd=nereid.folder, capture_output=True, text=True, env=environment)


@pytest.mark.parametrize(
    "init", ["8, slope=0.3", "width=8", "8, p=0.0,", "a := 8", "(8, 0.2)", "[8]", "{'width': 8, 'p': 0.0}", "*[8], **dict(p=0.0)"]
)
def test_init_is_what_a_call_takes(nereid, init):
    nereid.write("block.py", BLOCK)
    done = nereid("convert", "block.py:Block", "--stage", "2", "--init", init)
    assert done.returncode == 0, done.stderr
    judged = validate(nereid, "block_stage2.py")
    assert judged.returncode == 0 and "0 wrong" in judged.stdout, judged.stdout + judged.stderr


@pytest.mark.parametrize("init", ["slope=0.3", "8, width=8", "lambda", "8 if", "slope=", "8)(", "8, , 9", "*"])
def test_init_that_is_no_call(nereid, init):
    nereid.write("block.py", BLOCK)
    nereid.refuses(["convert", "block.py:Block", "--init", init], "error:")


@pytest.mark.parametrize("to,dtype", [("bf16", torch.bfloat16), ("f16", torch.float16), ("f64", torch.float64)])
def test_a_moved_module(nereid, to, dtype):
    nereid.write("block.py", BLOCK)
    done = nereid("convert", "block.py:Block", "--stage", "2", "--to", to, "--backward")
    assert done.returncode == 0, done.stderr
    space = load(nereid.folder / "block_stage2.py")
    module = space["Block"](8)
    state = module.state_dict()
    assert {key: value.dtype for key, value in state.items()} == {
        key: torch.int64 if key == "count" else dtype for key in state
    }
    assert module.tied is module.again
    judged = validate(nereid, "block_stage2.py")
    assert judged.returncode == 0 and "0 wrong" in judged.stdout, judged.stdout + judged.stderr


def test_a_module_that_was_moved_later_is_told_of_the_option(nereid):
    nereid.write("block.py", BLOCK)
    assert nereid("convert", "block.py:Block", "--stage", "2").returncode == 0
    module = load(nereid.folder / "block_stage2.py")["Block"](8).to(torch.bfloat16)
    with pytest.raises(TypeError, match="moved is converted with --to"):
        module(torch.randn(6, 8, dtype=torch.bfloat16))


def test_what_cannot_be_moved(nereid):
    nereid.write("f.py", "def f(x):\n    return x * 2\n")
    nereid.refuses(["convert", "f.py", "--inputs", "x=f32[4]", "--to", "bf16"], "f.py:1:", "--inputs")
    nereid.refuses(["convert", "f.py", "--inputs", "x=f32[4]", "--to", "i8"], "no type of a module")


def test_another_name(nereid):
    nereid.write("block.py", BLOCK)
    done = nereid("convert", "block.py:Block", "--stage", "2", "--class-name", "FastBlock", "--to", "bf16")
    assert done.returncode == 0 and "./fast_block_stage2.py\n" in done.stdout, done.stdout + done.stderr
    space = load(nereid.folder / "fast_block_stage2.py")
    # Its constructor says super(Block, self).
    assert space["FastBlock"](8).tied.dtype == torch.bfloat16
    judged = validate(nereid, "fast_block_stage2.py")
    assert judged.returncode == 0 and "0 wrong" in judged.stdout, judged.stdout + judged.stderr
    nereid.write("f.py", "def f(x):\n    return x * 2\n")
    done = nereid("convert", "f.py", "--inputs", "x=f32[4]", "--stage", "2", "--class-name", "twice")
    assert done.returncode == 0, done.stderr
    assert "def twice(x):" in (nereid.folder / "twice_stage2.py").read_text()
    judged = validate(nereid, "twice_stage2.py")
    assert judged.returncode == 0 and "0 wrong" in judged.stdout, judged.stdout + judged.stderr


@pytest.mark.parametrize("name", ["max", "tl", "isinstance", "len", "functools", "größe"])
def test_a_name_that_the_file_needs_itself(nereid, name):
    nereid.write("f.py", f"def {name}(x):\n    return x * 2\n")
    nereid.refuses(["convert", f"f.py:{name}", "--inputs", "x=f32[4]"], "f.py:1:", "--class-name")
    done = nereid("convert", f"f.py:{name}", "--inputs", "x=f32[4]", "--stage", "2", "--class-name", "renamed")
    assert done.returncode == 0, done.stderr
    judged = validate(nereid, "renamed_stage2.py")
    assert judged.returncode == 0 and "0 wrong" in judged.stdout, judged.stdout + judged.stderr


@pytest.mark.parametrize("name", ["_f", "_call"])
def test_a_parameter_that_hides_a_function_of_the_file(nereid, name):
    nereid.write("f.py", f"import torch\n\n\ndef f(x, {name}):\n    return torch.exp(x) * {name}\n")
    nereid.refuses(["convert", "f.py", "--inputs", f"x=f32[4],{name}=f32[4]"], "f.py:4:", f"'{name}'", "another name")


@pytest.mark.parametrize("name", ["", "3x", "a b", "a-b", "class", "a.b"])
def test_what_is_no_name(nereid, name):
    nereid.write("f.py", "def f(x):\n    return x * 2\n")
    nereid.refuses(["convert", "f.py", "--inputs", "x=f32[4]", "--class-name", name], "name")


@pytest.mark.parametrize(
    "words,meant",
    [(["convrt", "f.py"], "convert"), (["validte", "f.py"], "validate"), (["convert", "f.py", "--stge", "2"], "--stage")],
)
def test_a_near_spelling(nereid, words, meant):
    nereid.refuses(words, f"did you mean '{meant}'?")


def test_what_is_left_out_is_told(nereid):
    nereid.write(
        "f.py",
        'import os\n\nopen("log.txt", "w").write("x")\n\n\n'
        "def f(x):\n    y = x * 2\n    print(y)\n    return y.t().view(-1)\n",
    )
    done = nereid("convert", "f.py", "--inputs", "x=f32[M,N]", "--stage", "2")
    assert done.returncode == 0, done.stderr
    for place in ["f.py:3:", "f.py:8:", "f.py:9:"]:
        assert place in done.stderr, done.stderr
    assert done.stderr.count("warning:") == 3 and not (nereid.folder / "log.txt").exists()
