#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every case of acceptance_cases.py must be accepted by us and by upstream, or rejected by both.

acceptance.py [--only WORD] [--show]     --show prints our messages beside upstream's
"""

import argparse
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile
import textwrap

import upstream
from acceptance_cases import CASES, HEADER
from tool import find_tool

SIGNATURE = {
    "x": "*fp32", "y": "*fp32", "h": "*fp16", "b": "*bf16", "i": "*i32", "w": "*i64", "c": "*i8", "n": "i32", "f": "fp32",
}  # fmt: skip
PARAMETERS = ", ".join(SIGNATURE) + ", BLOCK: tl.constexpr"
BEFORE = "o = tl.arange(0, BLOCK)\nm = o < n\nv = tl.load(x + o, mask=m, other=0.0)\n"


# Where we differ on purpose.
DIFFERENCES = {
    "atomic_and_float": "upstream's front end passes it on, and its back end fails",
    "call_none": "upstream goes on reading after a `return` under a constexpr `if`, we do not",
}


def write_case(folder, name, body):
    path = folder / f"{name}.py"
    code = textwrap.indent(BEFORE + body, "    ")
    path.write_text(f"{HEADER}@triton.jit\ndef kernel({PARAMETERS}):\n{code}\n")
    return path


def ask_us(tool, path):
    signature = ",".join(f"{name}={kind}" for name, kind in SIGNATURE.items())
    done = subprocess.run(
        [tool, path, "kernel", "--signature", signature, "--constexpr", "BLOCK=64"], capture_output=True, text=True
    )
    return done.returncode, done.stderr.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    tool = find_tool()
    failed = 0
    names = [name for name in CASES if options.only in name]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        paths = {name: write_case(pathlib.Path(folder), name, CASES[name]) for name in names}
        answers = dict(zip(names, pool.map(lambda name: ask_us(tool, paths[name]), names)))
        for name in names:
            theirs, reason = upstream.accepts(upstream.load(paths[name]).kernel, SIGNATURE, {"BLOCK": 64})
            status, message = answers[name]
            crashed = status not in (0, 2) or "internal:" in message
            if crashed or ((status == 0) != theirs) != (name in DIFFERENCES):
                failed += 1
                print(f"FAIL {name}: upstream {'accepts' if theirs else 'rejects: ' + reason}")
                print(textwrap.indent(CASES[name], "    | "))
                print(textwrap.indent(f"we: status {status} {message[:600]}", "    "))
            elif options.show and not theirs:
                print(f"{name}: {reason}\n{textwrap.indent(message, '    ')}")
    print(f"judged as upstream does: {len(names) - failed} right, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
