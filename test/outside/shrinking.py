# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a random program that fails smaller: fewer results, fewer statements, arguments in their place."""

import dataclasses
import re
import time

import random_text


def rename(statement, name, other):
    text = re.sub(rf"\b{name}\b", other, statement.text)
    return random_text.Statement(statement.target, text)


def without(program, place):
    """The program without a statement, once for each value that can stand for what it made."""
    gone = program.statements[place]
    earlier = [parameter.name for parameter in program.parameters]
    earlier += [statement.target for statement in program.statements[:place]]
    rest = program.statements[:place] + program.statements[place + 1 :]
    if gone.target in [statement.target for statement in program.statements[:place]]:
        yield rest, program.results
        return
    for name in dict.fromkeys(earlier):
        if program.kinds.get(name) == program.kinds.get(gone.target):
            after = [rename(statement, gone.target, name) for statement in program.statements[place + 1 :]]
            results = [name if result == gone.target else result for result in program.results]
            made = {statement.target for statement in program.statements[:place] + after}
            yield program.statements[:place] + after, [result for result in results if result in made]


def as_argument(program, place):
    """The program with an argument of the same kind for what a statement made, once where its sizes have names."""
    gone, rest = program.statements[place], program.statements[:place] + program.statements[place + 1 :]
    shape, dtype = program.kinds[gone.target]
    names = {base: symbol for symbol, base in random_text.SYMBOLS.items()}
    sizes = tuple(names.get(size, size) for size in shape)
    if not dtype.is_floating_point or not set(sizes) <= {*random_text.SYMBOLS, *random_text.CONSTANTS}:
        return
    (name,) = (name for name, other in random_text.DTYPES.items() if other == dtype)
    parameters = [*program.parameters, random_text.Parameter(gone.target, name, sizes)]
    if gone.target not in program.results and gone.target not in [statement.target for statement in rest]:
        yield dataclasses.replace(program, parameters=parameters, statements=rest)


def rearranged(program):
    for result in program.results:
        if len(program.results) > 1:
            yield program.statements, [result]
    for result in program.results:
        if len(program.results) > 2:
            yield program.statements, [other for other in program.results if other != result]
    for place in reversed(range(len(program.statements))):
        yield from without(program, place)
    # A value in the middle may show it already.
    for statement in program.statements[:-1]:
        if program.results != [statement.target]:
            yield program.statements, [statement.target]


def candidates(program):
    for statements, results in rearranged(program):
        yield dataclasses.replace(program, statements=statements, results=list(dict.fromkeys(results)))
    for place in reversed(range(len(program.statements))):
        yield from as_argument(program, place)


def size_of(program):
    return len(program.statements), len(program.results), len(program.parameters)


def shrink(program, verdict, judge, seconds):
    """A smaller program with a verdict of the same kind, as far as there is time."""
    end = time.time() + seconds
    smaller = True
    while smaller:
        smaller = False
        for candidate in candidates(program):
            if time.time() > end:
                return program, verdict
            candidate = candidate.without_dead()
            is_smaller = candidate.results and size_of(candidate) < size_of(program)
            if not is_smaller or not random_text.has_gradients(candidate):
                continue
            found = judge(candidate)
            if found.kind == verdict.kind:
                program, verdict, smaller = candidate, found, True
                break
    return program, verdict
