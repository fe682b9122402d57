# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Axes taken apart into pairs, of pieces or windows and of the places in them (arithmetic.py explains the decorators)."""


@export(at="prims", names="each_axis")
def _each_axis(value, rank):
    return (value,) * rank if isinstance(value, int) else tuple(value) * rank if len(value) == 1 else tuple(value)


@export(at="prims", names="floor_quotient")
def _quotient(number, by):
    # Where neither is negative, cutting is rounding down.
    return torch.div(number, by, rounding_mode="trunc")


@export(at="prims")
class AxisPart:
    """For each element of one axis, elements of another: where they lie, and whether they are meant (None: all are)."""

    def __init__(self, index, held, place=None):
        self.index, self.held, self.place = index, held, place


@export(at="prims", names="taken")
def _taken(input, first, parts, fill):
    """The last axes as the elements that the parts take of each, two axes for one: `fill` stands for what is not meant."""
    for index in range(len(parts) - 1, -1, -1):
        input = prims.take(input, first + index, parts[index].index)
        if parts[index].held is not None:
            input = torch.where(_spread(parts[index].held, index, len(parts)), input, fill)
    return input


@export(at="prims", names="beside_pairs")
def _spread(value, index, rank):
    """What belongs to a pair of axes of `rank` pairs, before those behind it."""
    return value.reshape(tuple(value.shape) + (1,) * (2 * (rank - 1 - index)))


@export(at="prims", names="second_axes")
def _pair_axes(first, rank):
    """The second axis of each pair."""
    return tuple(range(first + 1, first + 2 * rank, 2))
