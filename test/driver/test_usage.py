# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Help, version and wrong usage."""

import re
import time

import pytest

VERBS = ["convert", "compile", "run", "validate", "docs"]


def test_version(nereid):
    result = nereid("--version")
    assert result.returncode == 0
    assert re.fullmatch(r"nereid \d+\.\d+\.\d+\n", result.stdout)


def test_version_is_quick(nereid):
    def once():
        start = time.perf_counter()
        nereid("--version")
        return time.perf_counter() - start

    # The goal is 20 ms; a loaded machine gets some leeway.
    assert min(once() for _ in range(20)) < 0.1


def test_help_names_every_verb(nereid):
    result = nereid("--help")
    assert result.returncode == 0
    for verb in VERBS:
        assert verb in result.stdout


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb(nereid, verb):
    result = nereid(verb, "--help")
    assert result.returncode == 0
    assert "--json" in result.stdout
    if verb != "docs":
        assert f"nereid {verb} " in result.stdout, "no example"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["transmogrify"],
        ["convert"],
        ["convert", "x.py", "--stage", "3"],
        ["convert", "x.py", "--stage", "nine"],
        ["convert", "x.py", "--size", "M"],
        ["convert", "x.py", "--size", "M=-1"],
        ["convert", "x.py", "--size", "M=12x"],
        ["compile", "x.py", "--emit", "poetry"],
        ["validate"],
        ["run", "x.py"],
        ["docs", "--nonsense"],
    ],
)
def test_bad_usage(nereid, arguments):
    result = nereid(*arguments)
    assert result.returncode == 2
    assert result.stderr.strip()


@pytest.mark.parametrize("verb", ["convert", "validate"])
def test_unknown_device(nereid, verb):
    nereid.write("f.py", "def f(x):\n    return x + 1\n")
    nereid.refuses([verb, "f.py", "--inputs", "x=f32[M]", "--device", "abacus"], "unknown device 'abacus'", "h200")
