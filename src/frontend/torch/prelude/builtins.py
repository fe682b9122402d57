# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python's own functions and operators of values that data decide, as its documentation defines them."""


@export(at="prims", names="builtin_max")
def _max(*items):
    best = items[0]
    for item in items[1:]:
        best = item if item > best else best
    return best


@export(at="prims", names="builtin_min")
def _min(*items):
    best = items[0]
    for item in items[1:]:
        best = item if item < best else best
    return best


@export(at="prims", names="builtin_or")
def _or(left, right):
    return left if left else right


@export(at="prims", names="builtin_and")
def _and(left, right):
    return right if left else left
