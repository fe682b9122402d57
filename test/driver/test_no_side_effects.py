# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading a file runs nothing: no file is written, no process started, no module of the machine imported."""

import pytest

EFFECTS = [
    "open('leak.txt', 'w').write('x')",
    "import os\nos.system('touch leak.txt')",
    "import subprocess\nsubprocess.run(['touch', 'leak.txt'])",
    "from pathlib import Path\nPath('leak.txt').write_text('x')",
    "__import__('os').system('touch leak.txt')",
    "exec(\"open('leak.txt', 'w')\")",
    "eval(\"open('leak.txt', 'w')\")",
    "import ctypes\nctypes.CDLL(None).creat(b'leak.txt', 0o644)",
    "import socket\nsocket.create_connection(('127.0.0.1', 9))",
]


@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.parametrize("verb", ["convert", "validate"])
def test_effect_on_import(nereid, verb, effect):
    nereid.write("program.py", effect + "\n\n\ndef f(x):\n    return x + 1\n")
    result = nereid(verb, "program.py:f", "--inputs", "x=f32[M]")
    assert not (nereid.folder / "leak.txt").exists()
    # A program that does not need the value may be converted; one line says what was not run otherwise.
    assert result.returncode in (0, 2)


@pytest.mark.parametrize("effect", EFFECTS)
def test_effect_in_the_program(nereid, effect):
    body = "".join(f"    {line}\n" for line in effect.splitlines())
    nereid.write("program.py", "def f(x):\n" + body + "    return x + 1\n")
    nereid.refuses(["convert", "program.py", "--inputs", "x=f32[M]"], "program.py:")
    assert not (nereid.folder / "leak.txt").exists()


def test_print_is_not_a_result(nereid):
    nereid.write("program.py", "print('hello')\n\n\ndef f(x):\n    return x + 1\n")
    result = nereid("compile", "program.py:f", "--inputs", "x=f32[M]", "--emit", "graph")
    assert "hello" not in result.stdout
