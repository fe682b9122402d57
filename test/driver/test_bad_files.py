# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that cannot be read as Python at all."""

import os

import pytest

PROGRAM_VERBS = ["convert", "validate"]


@pytest.mark.parametrize("verb", PROGRAM_VERBS)
def test_missing_file(nereid, verb):
    nereid.refuses([verb, "nowhere.py"], "cannot read 'nowhere.py'", "No such file")


@pytest.mark.parametrize("form", ["ast", "graph", "host", "tile", "triton"])
def test_missing_file_of_compile(nereid, form):
    nereid.refuses(["compile", "nowhere.py", "--emit", form], "cannot read 'nowhere.py'")


def test_missing_file_of_run(nereid):
    nereid.refuses(["run", "nowhere.py:k", "--grid", "1"], "cannot read 'nowhere.py'")


@pytest.mark.parametrize("verb", PROGRAM_VERBS)
def test_folder(nereid, verb):
    (nereid.folder / "folder.py").mkdir()
    nereid.refuses([verb, "folder.py"], "cannot read 'folder.py'", "director")


@pytest.mark.parametrize("verb", PROGRAM_VERBS)
def test_not_utf8(nereid, verb):
    nereid.write("bytes.py", b"def f(x):\n    return x  # \xff\xfe\n")
    nereid.refuses([verb, "bytes.py", "--inputs", "x=f32[M]"], "bytes.py:2:17", "UTF-8", "^")


@pytest.mark.parametrize("verb", PROGRAM_VERBS)
def test_unknown_encoding(nereid, verb):
    nereid.write("cookie.py", b"# coding: koi8-r\ndef f(x):\n    return x\n")
    nereid.refuses([verb, "cookie.py", "--inputs", "x=f32[M]"], "koi8-r")


@pytest.mark.parametrize("verb", PROGRAM_VERBS)
def test_null_byte(nereid, verb):
    nereid.write("null.py", b"def f(x):\n    return x\0\n")
    nereid.refuses([verb, "null.py", "--inputs", "x=f32[M]"], "null.py:2:")


@pytest.mark.parametrize("verb", PROGRAM_VERBS)
def test_syntax_error(nereid, verb):
    nereid.write("broken.py", "def f(x):\n    return (x +\n")
    nereid.refuses([verb, "broken.py", "--inputs", "x=f32[M]"], "broken.py:2:", "error:", "^")


@pytest.mark.parametrize("verb", PROGRAM_VERBS)
def test_a_gigabyte(nereid, verb):
    with open(nereid.folder / "huge.py", "wb") as file:
        os.truncate(file.fileno(), 1 << 30)
    nereid.refuses([verb, "huge.py", "--inputs", "x=f32[M]"], "cannot read 'huge.py'", limit=5)


@pytest.mark.parametrize("verb", PROGRAM_VERBS)
def test_empty_file(nereid, verb):
    nereid.write("empty.py", "")
    nereid.refuses([verb, "empty.py", "--inputs", "x=f32[M]"], "empty.py")


@pytest.mark.parametrize("verb", PROGRAM_VERBS)
def test_deep_nesting(nereid, verb):
    nereid.write("deep.py", "def f(x):\n    return " + "(" * 100000 + "x" + ")" * 100000 + "\n")
    nereid.refuses([verb, "deep.py", "--inputs", "x=f32[M]"], "deep.py:2:")
