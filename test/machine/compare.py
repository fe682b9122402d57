#!/usr/bin/env python3
"""Runs every snippet of snippets/*.py in CPython and in the abstract machine and compares what they
print; an exception that ends a snippet is compared by its type and message.

usage: compare.py NEREID_EVAL"""

import contextlib
import io
import pathlib
import re
import subprocess
import sys
import types

here = pathlib.Path(__file__).parent


def split(text):
    """The snippets of a file: each starts with a line `#--- name`."""
    parts = re.split(r"(?m)^(#---.*)$", text)
    return list(zip(parts[1::2], parts[2::2]))


def run(source):
    """What CPython prints for a snippet."""
    out = io.StringIO()
    # Dataclasses look for the module of a class.
    module = sys.modules["snippet"] = types.ModuleType("snippet")
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(source, "snippet.py", "exec", dont_inherit=True), module.__dict__)
        except Exception as error:
            message = str(error)
            print(type(error).__name__ + (": " + message if message else ""))
    return out.getvalue()


def main():
    tool = sys.argv[1]
    equal = differ = 0
    for path in sorted((here / "snippets").glob("*.py")):
        text = path.read_text()
        done = subprocess.run([tool, str(path)], capture_output=True, text=True, timeout=300)
        ours = dict()
        parts = re.split(r"(?m)^(#---.*)\n", done.stdout)
        for name, output in zip(parts[1::2], parts[2::2]):
            ours[name] = output
        for name, source in split(text):
            expected = run(source)
            got = ours.get(name, f"<no output, exit status {done.returncode}>")
            if got == expected:
                equal += 1
                continue
            differ += 1
            print(f"{path.name}: {name}\n  CPython: {expected!r}\n  machine: {got!r}")
    print(f"machine: {equal} right, {differ} wrong")
    return 1 if differ or not equal else 0


if __name__ == "__main__":
    sys.exit(main())
