#!/usr/bin/env python3
"""Runs every suite and check and counts what passed.

Suites: GoogleTest programs of build/release and build/asan, the lit tests, and the commands of test/checks.txt,
one test each (`name: command`; it passes when it exits 0). With --list only the commands of that file, without a limit of time.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIT = "/usr/lib/llvm-22/bin/lit"


def run(command, limit, env=None):
    """Runs a command; returns its status and output. 124 stands for a timeout."""
    try:
        done = subprocess.run(
            command,
            shell=isinstance(command, str),
            cwd=ROOT,
            env={**os.environ, **(env or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            timeout=limit,
        )
        return done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as expired:
        return 124, (expired.stdout or b"").decode(errors="replace") + f"\ntimed out after {limit} s"


def gtest(program):
    status, output = run([str(program)], 900)
    passed = len(re.findall(r"^\[       OK \]", output, re.M))
    failed = len(set(re.findall(r"^\[  FAILED  \] ([\w./]+)(?:, | \()", output, re.M)))
    if status != 0 and failed == 0:
        failed = 1
    if passed + failed == 0:
        failed = 1
        output += "\nno test was run"
    return passed, failed, output


def lit():
    status, output = run([LIT, "-sv", "test"], 1800, {"NEREID_BUILD": "build/release"})
    counts = {name: int(n) for name, n in re.findall(r"^\s*(\w[\w ]*?)\s*:\s*(\d+)", output, re.M)}
    failed = sum(n for name, n in counts.items() if name in ("Failed", "Unresolved", "Timed Out", "Unexpectedly Passed"))
    status, listing = run([LIT, "--show-tests", "test"], 120, {"NEREID_BUILD": "build/release"})
    total = len(re.findall(r"^  \S+ :: ", listing, re.M))
    if total == 0:
        return 0, 1, output + listing + "\nno lit test was found"
    return total - failed, failed, output


def checks(path):
    for line in (ROOT / path).read_text().splitlines():
        line = line.split("#", 1)[0].strip()
        if line:
            name, command = line.split(":", 1)
            yield name.strip(), command.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only suites and checks whose name contains this")
    parser.add_argument("--list", help="only the commands of this file")
    options = parser.parse_args()
    suites = []
    if not options.list:
        for build in ("release", "asan"):
            for program in sorted((ROOT / "build" / build / "unittest").glob("*Test")):
                suites.append((f"{build}/{program.name}", lambda program=program: gtest(program)))
        suites.append(("lit", lit))
    for name, command in checks(options.list or "test/checks.txt"):

        def check(command=command):
            status, output = run(command, None if options.list else 2400)
            return (1, 0, output) if status == 0 else (0, 1, output)

        suites.append((name, check))
    total_passed = total_failed = 0
    for name, suite in suites:
        if options.only not in name:
            continue
        start = time.time()
        passed, failed, output = suite()
        total_passed += passed
        total_failed += failed
        last = output.strip().splitlines()[-1:] or [""]
        mark = "ok  " if failed == 0 else "FAIL"
        detail = last[0][:100] if passed + failed == 1 else f"{passed} passed" + (f", {failed} failed" if failed else "")
        print(f"{mark} {name:32} {time.time() - start:6.1f} s  {detail}", flush=True)
        if failed:
            print("\n".join("    " + text for text in output.strip().splitlines()[-80:]), flush=True)
    print(f"{total_passed} passed, {total_failed} failed")
    return 1 if total_failed or total_passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
