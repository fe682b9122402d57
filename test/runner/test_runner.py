# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scripts/run_tests.py on suites that die, skip, lie or are not there: its count and its status tell."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

RUNNER = Path(__file__).resolve().parents[2] / "scripts" / "run_tests.py"

GOOD_LIT = """
Testing Time: 1.00s

Total Discovered Tests: 12
  Unsupported      :  2 (16.67%)
  Passed           : 10 (83.33%)
"""
GTEST = "[ RUN      ] A.one\n[       OK ] A.one (0 ms)\n[ RUN      ] A.two\n[       OK ] A.two (0 ms)\n"


class Checkout:
    """A checkout with a lit, a GoogleTest program in both builds and two checks, all of which pass."""

    def __init__(self, root):
        self.root = root
        self.lit = self.script("lit", GOOD_LIT)
        self.script("build/release/unittest/ATest", GTEST)
        self.script("build/asan/unittest/ATest", GTEST)
        self.write("test/checks.txt", "# a comment\nplain: true\ncounted: echo 'all: 30 right, 0 wrong, 4 refused'\n")
        self.floors = {"release/ATest": 2, "asan/ATest": 2, "lit": 10, "plain": 1, "counted": 30}

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def script(self, name, text, end="exit 0"):
        path = self.write(name, f"#!/bin/sh\ncat <<'END'\n{text}\nEND\n{end}\n")
        path.chmod(0o755)
        return path

    def check(self, command):
        self.write("test/checks.txt", f"plain: true\ncounted: {command}\n")

    def run(self, *more):
        """What the runner says, its last line as two numbers, and its status."""
        self.write("test/floors.txt", "".join(f"{name}: {least}\n" for name, least in self.floors.items()))
        command = [sys.executable, RUNNER, "--root", self.root, "--lit", self.lit, *more]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert not done.stderr, done.stderr
        last = re.fullmatch(r"(\d+) passed, (\d+) failed", done.stdout.splitlines()[-1])
        assert (done.returncode == 1) == (last[2] != "0"), done.stdout
        return done.stdout, int(last[1]), int(last[2])


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path)


def test_what_passes_is_counted_once(checkout):
    said, passed, failed = checkout.run()
    # 2 of GoogleTest, 10 of lit (none of the unsupported), a check and 30 of the other.
    assert (passed, failed) == (43, 0)
    assert said.splitlines()[-2] == "again under AddressSanitizer: 2 passed, 0 failed"


def test_a_part(checkout):
    assert checkout.run("--only", "lit")[1:] == (10, 0)


@pytest.mark.parametrize(
    ("text", "end", "expected"),
    [
        ("", "exit 2", "exit status 2"),
        (GOOD_LIT, "exit 1", "exit status 1"),
        (GOOD_LIT, "kill -9 $$", "exit status -9"),
        ("", "exit 0", "lit ran 0 cases"),
        (GOOD_LIT.replace("10 (", "9 ("), "exit 0", "lit ran 9 cases; test/floors.txt says 10"),
        ("Total Discovered Tests: 200\n  Unsupported: 200 (100.00%)", "exit 0", "lit ran 0 cases"),
        ("  Skipped: 190\n  Passed: 3", "exit 0", "lit ran 3 cases"),
        ("  Excluded: 12", "exit 0", "lit ran 0 cases"),
    ],
)
def test_lit_that_dies_or_runs_little(checkout, text, end, expected):
    checkout.script("lit", text, end)
    said, passed, failed = checkout.run()
    assert failed == 1 and expected in said and passed < 44


def test_failures_of_lit(checkout):
    checkout.script("lit", "  Passed: 8\n  Failed: 1\n  Timed Out: 2\n  Unexpectedly Passed: 1", "exit 1")
    assert checkout.run("--only", "lit")[1:] == (8, 4)


def test_lit_that_is_cut_off(checkout):
    checkout.script("lit", "Testing: 0.. 10.. 20..", "sleep 30 & sleep 30")
    said, passed, failed = checkout.run("--only", "lit", "--limit", "1")
    assert (passed, failed) == (0, 1) and "timed out after 1.0 s" in said


def test_gtest_that_crashes(checkout):
    checkout.script("build/release/unittest/ATest", GTEST[: GTEST.index("A.two")], "kill -11 $$")
    said, passed, failed = checkout.run()
    assert failed and passed == 42 and "FAIL release/ATest" in said and "exit status -11" in said


def test_gtest_that_fails_or_runs_nothing(checkout):
    failing = GTEST.replace("[       OK ] A.two (0 ms)", "[  FAILED  ] A.two (0 ms)")
    checkout.script("build/release/unittest/ATest", failing, "exit 1")
    assert checkout.run()[1:] == (42, 1)
    checkout.script("build/release/unittest/ATest", "[  PASSED  ] 0 tests.")
    said, _, failed = checkout.run()
    assert failed == 1 and "release/ATest ran 0 cases" in said


def test_failures_under_asan_count(checkout):
    checkout.script("build/asan/unittest/ATest", GTEST, "exit 1")
    said, passed, failed = checkout.run()
    assert (passed, failed) == (43, 1) and "again under AddressSanitizer: 2 passed, 1 failed" in said


@pytest.mark.parametrize("name", ["release/ATest", "asan/ATest", "counted"])
def test_suite_that_is_not_there(checkout, name):
    if name == "counted":
        checkout.write("test/checks.txt", "plain: true\n")
    else:
        (checkout.root / "build" / name.replace("/", "/unittest/")).unlink()
    said, _, failed = checkout.run()
    assert failed == 1 and f"FAIL {name}" in said and "is not there" in said


def test_suite_without_a_floor(checkout):
    del checkout.floors["plain"]
    said, _, failed = checkout.run()
    assert failed == 1 and "does not say how many cases plain has" in said


def test_floors_of_a_list(checkout):
    listed = checkout.write("test/slow.txt", "long: echo 'long: 5 right, 0 wrong'\nother: true\n")
    # Without a line in the table what is in the file runs, and its status decides.
    assert checkout.run("--list", listed)[1:] == (6, 0)
    checkout.floors |= {"slow/long": 6, "slow/other": 1, "slow/gone": 1}
    said, _, failed = checkout.run("--list", listed)
    assert failed == 2 and "long ran 5 cases" in said and "FAIL gone" in said
    del checkout.floors["slow/other"]
    assert "how many cases other has" in checkout.run("--list", listed)[0]
    assert checkout.run()[1:] == (43, 0)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("exit 3", "exit status 3"),
        ("echo 'all: 30 right, 0 wrong'; exit 1", "exit status 1"),
        ("echo 'all: 29 right, 0 wrong'", "counted ran 29 cases"),
        ("echo 'all: 29 right, 1 wrong'", "29 passed, 1 failed"),
        ("echo '29 passed, 60 skipped in 2.11s'", "counted ran 29 cases"),
        ("echo '30 passed, 1 error in 2.11s'; exit 1", "30 passed, 1 failed"),
        ("echo 'no tests ran in 0.01s'; exit 5", "exit status 5"),
        ("true", "counted ran 1 cases"),
        ("sleep 30 | cat", "timed out after 1.0 s"),
    ],
)
def test_check_that_fails(checkout, command, expected):
    checkout.check(command)
    said, _, failed = checkout.run("--limit", "1") if "sleep" in command else checkout.run()
    assert failed >= 1 and "FAIL counted" in said and expected in said


def test_failures_of_a_long_text_are_shown(checkout):
    lines = ["first: wrong: RuntimeError: no memory", *(f"case {i}: 32 right, 0 wrong" for i in range(200))]
    said = checkout.write("said.txt", "\n".join(lines) + "\n")
    checkout.check(f"cat {said}; echo '200 right, 1 wrong'; exit 1")
    said = checkout.run()[0]
    assert "first: wrong: RuntimeError" in said and "case 199" in said and "case 7:" not in said
