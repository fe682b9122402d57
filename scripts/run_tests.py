#!/usr/bin/env python3
"""Runs every suite and check and counts what passed.

Suites: GoogleTest programs of build/release and build/asan, the lit tests, and the commands of test/checks.txt
(`name: command`). With --list LIST.txt only the commands of that file, without a limit of time.

A suite passes when its command exits 0 and nothing in it failed. A check counts the cases that its last line names
(`N right, N wrong`, pytest's `N passed`), else as one. test/floors.txt says how many cases each suite has at least: one
that ran fewer, or not at all, fails, as does a suite that is not in that table (of a list, `LIST/suite`, where it has
lines there). What ran again under build/asan is
counted on a line of its own; its failures are in the last line with all others. Exits 1 on any failure. As many suites
run at a time as there are cores; what came of them is printed in the order of the table.
"""

import argparse
import concurrent.futures
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIT = "/usr/lib/llvm-22/bin/lit"
#: Seconds that a suite may take.
GTEST_LIMIT, LIT_LIMIT, CHECK_LIMIT = 900, 1800, 2400
#: What lit calls results that are failures.
LIT_FAILURES = ("Failed", "Unresolved", "Timed Out", "Unexpectedly Passed")
#: A line that tells of a failure.
FAILURE = re.compile(r"^FAIL|FAILED|Error\b|\berror:|\b(wrong|crash|killed|not proved)\b(?<!\b0 wrong)", re.I)


class Outcome:
    """What came of a suite: the cases that passed and failed, and what it said."""

    def __init__(self, passed, failed, output):
        self.passed, self.failed, self.output = passed, failed, output

    def fail(self, reason):
        self.failed += 1
        self.output += f"\n{reason}"


class Runner:
    def __init__(self, root, lit, limit):
        self.root, self.lit_program, self.limit = root, lit, limit

    def run(self, command, limit, env=None):
        """Runs a command; returns its status and output. 124 stands for a timeout."""
        process = subprocess.Popen(
            command,
            shell=isinstance(command, str),
            cwd=self.root,
            env={**os.environ, **(env or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            # Its own group: what it started ends with it.
            start_new_session=True,
        )
        limit = limit and (self.limit or limit)
        try:
            return process.communicate(timeout=limit)[0].decode(errors="replace"), process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said = process.communicate()[0].decode(errors="replace")
            return f"{said}\ntimed out after {limit} s", 124

    def judge(self, status, outcome):
        """The status decides, whatever the text says."""
        if status != 0 and outcome.failed == 0:
            outcome.fail(f"exit status {status}")
        return outcome

    def gtest(self, program):
        output, status = self.run([str(program)], GTEST_LIMIT)
        passed = len(re.findall(r"^\[       OK \]", output, re.M))
        failed = len(set(re.findall(r"^\[  FAILED  \] ([\w./]+)(?:, | \()", output, re.M)))
        return self.judge(status, Outcome(passed, failed, output))

    def lit(self):
        output, status = self.run([self.lit_program, "-sv", "test"], LIT_LIMIT, {"NEREID_BUILD": "build/release"})
        counts = {name: int(n) for name, n in re.findall(r"^\s*(\w[\w ]*?)\s*:\s*(\d+)", output, re.M)}
        failed = sum(counts.get(name, 0) for name in LIT_FAILURES)
        return self.judge(status, Outcome(counts.get("Passed", 0), failed, output))

    def check(self, command, limit):
        output, status = self.run(command, limit)
        counted = count_cases(output)
        if counted:
            return self.judge(status, Outcome(*counted, output))
        return Outcome(1, 0, output) if status == 0 else self.judge(status, Outcome(0, 0, output))


def count_cases(output):
    """The cases that passed and failed by the last line of a check; None where it names none."""
    last = (output.strip().splitlines() or [""])[-1]
    ours = re.search(r"\b(\d+) right, (\d+) wrong\b", last)
    if ours:
        return int(ours[1]), int(ours[2])
    of_pytest = re.findall(r"\b(\d+) (passed|failed|errors?)\b", last) if re.search(r" in \d[\d.]*s", last) else []
    if not of_pytest:
        return None
    passed = sum(int(count) for count, kind in of_pytest if kind == "passed")
    return passed, sum(int(count) for count, kind in of_pytest if kind != "passed")


def read_table(path):
    """The lines `name: text` of a file."""
    for line in path.read_text().splitlines():
        line = line.split("#", 1)[0].strip()
        if line:
            name, text = line.split(":", 1)
            yield name.strip(), text.strip()


def read_floors(root, listed):
    """The least cases of each suite: of a list LIST.txt the lines `LIST/suite`, which may be none."""
    table = dict(read_table(root / "test/floors.txt"))
    lists = {path.stem + "/" for path in (root / "test").glob("*.txt")}
    if listed:
        own = Path(listed).stem + "/"
        return {name.removeprefix(own): least for name, least in table.items() if name.startswith(own)}
    return {name: least for name, least in table.items() if not name.startswith(tuple(lists))}


def find_suites(runner, options):
    """(name, function) of each suite that is there."""
    if not options.list:
        for build in ("release", "asan"):
            for program in sorted((runner.root / "build" / build / "unittest").glob("*Test")):
                yield f"{build}/{program.name}", lambda program=program: runner.gtest(program)
        yield "lit", runner.lit
    limit = None if options.list else CHECK_LIMIT
    for name, command in read_table(runner.root / (options.list or "test/checks.txt")):
        yield name, lambda command=command: runner.check(command, limit)


def take_time(suite):
    start = time.time()
    return suite(), time.time() - start


def shorten(output, most=40):
    """What a failed suite said: all of a short text; of a long one the lines of failures, and the last ones."""
    lines = output.strip().splitlines()
    if len(lines) <= most:
        return lines
    last = lines[-most // 2 :]
    telling = [line for line in lines[: -most // 2] if FAILURE.search(line)]
    return [*telling[: most // 2], "[...]", *last]


def report(name, outcome, seconds):
    cases = f"{outcome.passed} passed" + (f", {outcome.failed} failed" if outcome.failed else "")
    last = (outcome.output.strip().splitlines() or [""])[-1][:100]
    detail = last if outcome.passed + outcome.failed == 1 else cases
    print(f"{'FAIL' if outcome.failed else 'ok  '} {name:32} {seconds:6.1f} s  {detail}", flush=True)
    if outcome.failed:
        print("\n".join("    " + text for text in shorten(outcome.output)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only suites and checks whose name contains this")
    parser.add_argument("--list", help="only the commands of this file")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout whose tests run")
    parser.add_argument("--lit", default=LIT)
    parser.add_argument("--limit", type=float, help="seconds for each suite, in place of those for its kind")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="suites at a time")
    options = parser.parse_args()
    runner = Runner(options.root.resolve(), options.lit, options.limit)
    floors = read_floors(runner.root, options.list)
    totals = {"": [0, 0], "asan/": [0, 0]}
    missing = [name for name in floors if options.only in name]
    pool = concurrent.futures.ThreadPoolExecutor(max(1, options.jobs))
    suites = [(name, suite) for name, suite in find_suites(runner, options) if options.only in name]
    for name, running in [(name, pool.submit(take_time, suite)) for name, suite in suites]:
        outcome, seconds = running.result()
        if name in missing:
            missing.remove(name)
        if floors and name not in floors:
            outcome.fail(f"test/floors.txt does not say how many cases {name} has at least")
        elif not outcome.failed and outcome.passed < int(floors.get(name, 1)):
            outcome.fail(f"{name} ran {outcome.passed} cases; test/floors.txt says {floors.get(name, 1)}")
        total = totals["asan/" if name.startswith("asan/") else ""]
        total[0] += outcome.passed
        total[1] += outcome.failed
        report(name, outcome, seconds)
    for name in missing:
        totals[""][1] += 1
        report(name, Outcome(0, 1, "this suite of test/floors.txt is not there"), 0)
    (passed, failed), (again, failed_again) = totals.values()
    if again or failed_again:
        print(f"again under AddressSanitizer: {again} passed, {failed_again} failed")
    failed += failed_again
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or passed + again == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
