# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many samples of each operator may be refused: refusals.txt, for each judge, element type and number of samples."""

import collections
import pathlib

TABLE = pathlib.Path(__file__).resolve().with_name("refusals.txt")


def read():
    """{(judge, dtype, most): {operator: refusals}}."""
    tables = collections.defaultdict(dict)
    for line in TABLE.read_text().splitlines():
        line = line.split("#", 1)[0].strip()
        if line:
            judge, dtype, most, operator, count = line.split()
            tables[judge, dtype, int(most)][operator] = int(count)
    return tables


def expect(judge, dtype, most):
    """The refusals by operator: those of these settings, or of the next larger number of samples."""
    tables = {key[2]: table for key, table in read().items() if key[:2] == (judge, dtype)}
    larger = [number for number in tables if number >= most]
    return tables[min(larger)] if larger else {}


def judge(found, name, dtype, most):
    """A line for each operator of which more is refused than expected; `found` are the refusals by operator."""
    expected = expect(name, dtype, most)
    return [
        f"{operator} ({dtype}): {count} refused, expected are {expected.get(operator, 0)}"
        for operator, count in sorted(found.items())
        if count > expected.get(operator, 0)
    ]


def lines(found, name, dtype, most):
    """What the table would say of what was found."""
    return [f"{name} {dtype} {most} {operator} {count}" for operator, count in sorted(found.items())]
