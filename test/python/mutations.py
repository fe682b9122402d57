#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares our parser with CPython's `ast` on damaged programs.

usage: mutations.py NEREID_AST COUNT [SEED]

Statements of the standard library's tests have tokens removed, doubled, swapped or replaced; both
parsers must agree on whether the result is Python and on its tree. Where both reject it, the share
of equal lines and of equal lines and columns is printed. Run it with Python 3.11: mutants that are
Python only since 3.12 (f-strings, type parameters) are not judged. Exits with 1 on a difference.
"""

import ast
import io
import pathlib
import random
import subprocess
import sys
import sysconfig
import tempfile
import tokenize
import warnings

SOURCES = [
    "test_grammar.py",
    "test_patma.py",
    "test_syntax.py",
    "test_unparse.py",
    "test_with.py",
    "test_named_expressions.py",
    "test_positional_only_arg.py",
    "test_except_star.py",
    "test_coroutines.py",
    "test_decorators.py",
    "test_unpack_ex.py",
    "test_lambda.py",
]
EXTRA = [
    "=",
    ":",
    ",",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "*",
    "**",
    ".",
    "x",
    "1",
    "'s'",
    "b'b'",
    "if",
    "else",
    "for",
    "in",
    "not",
    "lambda",
    "yield",
    "await",
    "async",
    "as",
    "is",
    "and",
    "or",
    ":=",
    "+=",
    "->",
    "@",
    "def",
    "class",
    "return",
    "import",
    "from",
    "del",
    "pass",
    "None",
    "...",
    "\n",
    "/",
    "-",
    "~",
    "match",
    "case",
    "_",
    ";",
    "print",
    "with",
    "while",
    "try",
    "except",
    "finally",
    "global",
    "!=",
]


def statements(path):
    """The statements of a file, without their indentation."""
    text = path.read_text()
    lines = text.splitlines(keepends=True)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt) and node.end_lineno - node.lineno < 8:
            first = lines[node.lineno - 1]
            margin = len(first) - len(first.lstrip())
            body = lines[node.lineno - 1 : node.end_lineno]
            if node.col_offset == margin and all(not s.strip() or s[:margin].isspace() or not margin for s in body):
                yield "".join(s[margin:] if s.strip() else s for s in body)


def split(text):
    """Tokens with the blanks before them, so that joining them gives the text back."""
    pieces, end = [], 0
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        begin, stop = (starts[row - 1] + column for row, column in (token.start, token.end))
        if stop > begin and begin >= end:
            pieces.append(text[end:stop])
            end = stop
    return pieces


def mutate(pieces, rng):
    pieces = list(pieces)
    for _ in range(rng.choice((1, 1, 1, 2))):
        at = rng.randrange(len(pieces))
        action = rng.randrange(5)
        if action == 0:
            del pieces[at]
        elif action == 1:
            pieces.insert(at, pieces[at])
        elif action == 2:
            other = rng.randrange(len(pieces))
            pieces[at], pieces[other] = pieces[other], pieces[at]
        elif action == 3:
            pieces[at] = " " + rng.choice(EXTRA)
        else:
            pieces.insert(at, " " + rng.choice(EXTRA))
        if not pieces:
            break
    return "".join(pieces)


class Tool:
    def __init__(self, program):
        self.process = subprocess.Popen(
            [program, "--batch", "--python-3.11", "--skip-fstring-attributes"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.file = tempfile.NamedTemporaryFile(suffix=".py")

    def ask(self, text):
        pathlib.Path(self.file.name).write_bytes(text)
        self.process.stdin.write(self.file.name.encode() + b"\n")
        self.process.stdin.flush()
        status, _, answer = self.process.stdout.readline().rstrip(b"\n").partition(b"\t")
        return status.decode(), answer.decode("utf-8", "surrogatepass")


def is_new(text, found):
    """Python 3.12 only."""
    return (
        "TypeAlias(" in found
        or "TypeVar" in found
        or "ParamSpec(" in found
        or "type_params" in found
        or any(c in text for c in ("f'", 'f"', "F'", 'F"', "fr", "rf"))
    )


def main():
    if len(sys.argv) < 3 or sys.version_info[:2] != (3, 11):
        sys.exit(__doc__)
    warnings.simplefilter("ignore")
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    tool = Tool(sys.argv[1])
    folder = pathlib.Path(sysconfig.get_paths()["stdlib"]) / "test"
    pool = []
    for name in SOURCES:
        if (folder / name).exists():
            pool += [split(text) for text in dict.fromkeys(statements(folder / name))]
    pool = [pieces for pieces in pool if pieces and not any("f'" in p or 'f"' in p for p in pieces)]
    counts = dict.fromkeys(("accepted", "rejected", "lines", "columns", "differences"), 0)
    for _ in range(int(sys.argv[2])):
        text = mutate(rng.choice(pool), rng)
        status, found = tool.ask(text.encode())
        try:
            tree = ast.parse(text)
        except SyntaxError as error:
            if status == "rejected":
                line, column, _ = found.split(":", 2)
                counts["rejected"] += 1
                counts["lines"] += int(line) == error.lineno
                same = (int(line), int(column)) == (error.lineno, (error.offset or 0) - 1)
                counts["columns"] += same
                if not same and "-v" in sys.argv:
                    print(f"place: {error.lineno}:{(error.offset or 0) - 1} {error.msg} / {found}\n{text}\n---")
                continue
            if is_new(text, found):
                continue
            counts["differences"] += 1
            print(f"only CPython rejects this ({error}):\n{text}\n---")
            continue
        if status == "ok" and found == ast.dump(tree, include_attributes=True):
            counts["accepted"] += 1
        elif not is_new(text, ""):
            counts["differences"] += 1
            print(f"CPython accepts this, found {status} {found[:300]}:\n{text}\n---")
    rejected = max(1, counts["rejected"])
    print(
        f"mutations: {counts['accepted'] + counts['rejected']} right, {counts['differences']} wrong; "
        f"{counts['rejected']} rejected by both (line equal in {counts['lines'] / rejected:.1%}, "
        f"line and column in {counts['columns'] / rejected:.1%})"
    )
    sys.exit(1 if counts["differences"] or not counts["accepted"] else 0)


if __name__ == "__main__":
    main()
