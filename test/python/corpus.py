#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares our parser with CPython's `ast` on every file of a Python installation.

usage: corpus.py NEREID_AST [PATH...]      (default: the standard library of this Python)

Each file must give the same `ast.dump` with attributes or be rejected by both at the same line and
column, and its printed form must have the same tree. Run it with Python 3.11. Two things are left
out of the comparison: places inside f-strings (3.11 gets them wrong), and the place of a rejection
for the reasons listed in PLACE_NOT_COMPARED. Files in an encoding that we refuse are skipped.
Exits with 1 on a difference.
"""

import ast
import io
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tokenize
import warnings

ENCODINGS = {"utf-8", "utf-8-sig", "iso-8859-1", "ascii", "us-ascii"}
FSTRING = re.compile(rb"""[fF][rR]?['"]""")
# CPython finds these before it has lines, or counts from the start of the file.
PLACE_NOT_COMPARED = ("encoding", "codec can't decode", "null bytes")


def drop_fstring_places(tree):
    for joined in ast.walk(tree):
        if not isinstance(joined, ast.JoinedStr):
            continue
        for node in ast.walk(joined):
            if node is not joined:
                for name in node._attributes:
                    node.__dict__.pop(name, None)


def refused_encoding(text):
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(text).readline)
    except SyntaxError:
        return None
    return None if encoding in ENCODINGS else encoding


def first_difference(expected, found):
    at = next((i for i, (a, b) in enumerate(zip(expected, found)) if a != b), min(len(expected), len(found)))
    return f"expected ...{expected[max(0, at - 100) : at + 100]}\n  found    ...{found[max(0, at - 100) : at + 100]}"


class Tool:
    def __init__(self, program, *options):
        command = [program, "--batch", "--python-3.11", "--skip-fstring-attributes", *options]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, path):
        self.process.stdin.write(os.fsencode(path) + b"\n")
        self.process.stdin.flush()
        status, _, text = self.process.stdout.readline().rstrip(b"\n").partition(b"\t")
        return status.decode(), text.decode("utf-8", "surrogatepass")


def compare_rejections(error, found):
    if any(reason in error.msg for reason in PLACE_NOT_COMPARED):
        return None
    line, column, _ = found.split(":", 2)
    place = f"{error.lineno}:{error.offset - 1}"
    return None if place == f"{line}:{column}" else f"CPython rejects at {place} ({error.msg}), found {found}"


def compare(path):
    """Returns (outcome, detail) for one file."""
    text = pathlib.Path(path).read_bytes()
    status, found = dump_tool.ask(path)
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        if status != "rejected":
            return "difference", f"CPython rejects it: {error}"
        detail = compare_rejections(error, found) if isinstance(error, SyntaxError) else None
        return ("difference", detail) if detail else ("rejected", str(error))
    if status == "rejected" and (encoding := refused_encoding(text)):
        return ("skipped", f"encoding {encoding}") if "encoding" in found else ("difference", found)
    if status != "ok":
        return "difference", f"{status}: {found}"
    if FSTRING.search(text):
        drop_fstring_places(tree)
    expected = ast.dump(tree, include_attributes=True)
    if expected != found:
        return "difference", first_difference(expected, found)
    status, found = print_tool.ask(path)
    return ("equal", "") if status == "ok" else ("difference", f"printed form: {found}")


def start(program):
    global dump_tool, print_tool
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(10000)
    dump_tool = Tool(program)
    print_tool = Tool(program, "--round-trip")


def main():
    if len(sys.argv) < 2 or sys.version_info[:2] != (3, 11):
        sys.exit(__doc__)
    roots = sys.argv[2:] or [sysconfig.get_paths()["stdlib"]]
    files = []
    for root in map(pathlib.Path, roots):
        files += [str(path) for path in root.rglob("*.py")] if root.is_dir() else [str(root)]
    files = sorted(set(files), key=os.path.getsize, reverse=True)
    counts = {"equal": 0, "rejected": 0, "skipped": 0, "difference": 0}
    with multiprocessing.Pool(os.cpu_count(), start, [sys.argv[1]]) as pool:
        for path, (outcome, detail) in zip(files, pool.imap(compare, files)):
            counts[outcome] += 1
            if outcome in ("skipped", "difference"):
                print(f"{outcome}: {path}: {detail}", flush=True)
    print(
        f"corpus: {counts['equal'] + counts['rejected']} right, {counts['difference']} wrong; "
        f"{counts['rejected']} rejected by both, {counts['skipped']} skipped"
    )
    sys.exit(1 if counts["difference"] or not counts["equal"] else 0)


if __name__ == "__main__":
    main()
