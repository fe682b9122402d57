#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes one token of the cases of acceptance_cases.py and asks both compilers about what comes out.

  mutations.py [--count 300] [--seed 1]
Ours must never crash; at most one kernel in a hundred may be judged differently (some are left to taste: floats as
conditions, numbers where a truth is expected).
"""

import argparse
import pathlib
import random
import re
import sys
import tempfile
import textwrap
import warnings

import upstream
from acceptance import SIGNATURE, ask_us, write_case
from acceptance_cases import CASES
from tool import find_tool

TOKEN = re.compile(r"\w+|[^\w\s]|\s+")
WORD = re.compile(r"^[A-Za-z_]\w*$")
KEYWORDS = set(
    "for in if else elif while def return and or not is import try except del lambda pass None break continue assert".split()
)
OPERATORS = list("+-*/%<>|&^")
VALUES = [
    "v",
    "o",
    "n",
    "m",
    "f",
    "x",
    "y",
    "h",
    "BLOCK",
    "tl.float32",
    "(v, o)",
    "None",
    "1",
    "2.0",
    "twice",
    "tl.sum",
    "[1, 2]",
]
NUMBERS = ["0", "1", "-1", "2", "3", "8", "64", "1000000", "2.5", "None", "n", "v", "o", "BLOCK", '"a"']


def mutate(rng, body, words):
    tokens = TOKEN.findall(body)
    places = [i for i, t in enumerate(tokens) if t in OPERATORS or re.match(r"^\w+$", t)]
    place = rng.choice(places)
    token = tokens[place]
    if token in OPERATORS:
        tokens[place] = rng.choice(OPERATORS)
    elif token.isdigit():
        tokens[place] = rng.choice(NUMBERS)
    elif WORD.match(token) and token not in KEYWORDS:
        tokens[place] = rng.choice(words if rng.random() < 0.5 else VALUES)
    return "".join(tokens)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rng = random.Random(options.seed)
    bodies = [body for name, body in CASES.items() if name not in ("call_none", "atomic_and_float")]
    words = [t for body in bodies for t in TOKEN.findall(body) if WORD.match(t) and t not in KEYWORDS]
    tool = find_tool()
    crashed = differing = 0
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(options.count):
            body = mutate(rng, rng.choice(bodies), words)
            path = write_case(pathlib.Path(folder), f"case{turn}", body)
            status, message = ask_us(tool, path)
            if status not in (0, 2) or "internal:" in message or (status == 2 and "error:" not in message):
                crashed += 1
                print(f"CRASH status {status}\n{textwrap.indent(body, '    | ')}\n{message[:500]}")
                continue
            try:
                theirs, reason = upstream.accepts(upstream.load(path).kernel, SIGNATURE, {"BLOCK": 64})
            except Exception as error:  # no Python at all
                theirs, reason = False, str(error)
            if theirs != (status == 0):
                differing += 1
                print(
                    f"upstream {'accepts' if theirs else 'rejects: ' + reason[:200]}\n{textwrap.indent(body, '    | ')}\n{message[:300]}"
                )
    # Of a hundred one may be judged differently: what upstream says of odd names hangs on its own Python.
    wrong = crashed + (differing if differing * 100 > options.count else 0)
    right = options.count - crashed - differing
    print(f"mutants: {right} right, {wrong} wrong; {crashed} crashes, {differing} judged differently")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
