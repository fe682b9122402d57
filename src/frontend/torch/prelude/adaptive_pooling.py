# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adaptive pooling: folds over as many pieces of the last axes as are asked for (arithmetic.py explains the decorators)."""


class _Pieces:
    """The pieces of an axis in adaptive pooling: the i-th of `count` has the places from floor(i * size / count) to
    ceil((i + 1) * size / count)."""

    def __init__(self, size, count):
        self.size, self.count = size, count
        at = prims.iota((count,), 0)
        self.start = self.start_of(at)
        self.length = self.length_of(at)
        if _has_equal_pieces(size, count):
            self.part = prims.AxisPart(self.start.unsqueeze(1) + prims.iota((size // count,), 0), None)
        elif _has_equal_pieces(count, size):
            self.part = prims.AxisPart(self.start.unsqueeze(1), None)
        else:
            places = prims.iota(((size + count - 1) // count + 1,), 0)
            self.part = prims.AxisPart(torch.minimum(self.start.unsqueeze(1) + places, size - 1), places < self.length.unsqueeze(1))

    def start_of(self, piece):
        if _has_equal_pieces(self.size, self.count):
            return piece * (self.size // self.count)
        if _has_equal_pieces(self.count, self.size):
            return prims.floor_quotient(piece, self.count // self.size)
        return prims.floor_quotient(piece * self.size, self.count)

    def length_of(self, piece):
        if _has_equal_pieces(self.size, self.count):
            return torch.full_like(piece, self.size // self.count)
        return prims.floor_quotient((piece + 1) * self.size + (self.count - 1), self.count) - self.start_of(piece)


def _has_equal_pieces(size, count):
    if prims.same(count, 1) or prims.same(size, count):
        return True
    if prims.same(size, 1):
        return False
    return not prims.is_symbolic(count) and prims.holds(size % count == 0, "adaptive pooling to " + str(count) + ": made for multiples of it, as the example is")


def _adaptive_sizes(input, rank, output_size):
    """How many pieces each of the last axes has, and whether all of an axis have one length."""
    if input.dim() not in (rank + 1, rank + 2):
        raise RuntimeError("adaptive pooling: expected an input of " + str(rank + 1) + " or " + str(rank + 2) + " dimensions, got " + str(input.dim()))
    wanted = prims.each_axis(output_size, rank) if output_size is not None else (None,) * rank
    sizes = tuple(input.shape[input.dim() - rank :])
    counts = tuple(sizes[index] if wanted[index] is None else wanted[index] for index in range(rank))
    return counts, all(_has_equal_pieces(sizes[index], counts[index]) for index in range(rank))


def _cut_evenly(input, rank, counts):
    """The last axes as pieces and places within them, in turn."""
    shape = list(input.shape[: input.dim() - rank])
    for index in range(rank):
        shape = shape + [counts[index], input.shape[input.dim() - rank + index] // counts[index]]
    return input.reshape(shape)


def _cut(input, rank, counts, fill):
    """The same for pieces of several lengths, which may share places: `fill` stands where a shorter one has ended."""
    first = input.dim() - rank
    return prims.taken(input, first, [_Pieces(input.shape[first + index], counts[index]).part for index in range(rank)], fill)


def _adaptive_mean(input, rank, output_size):
    counts, is_even = _adaptive_sizes(input, rank, output_size)
    first = input.dim() - rank
    if is_even:
        pieces = _cut_evenly(input, rank, counts)
        return torch.sum(pieces, prims.second_axes(first, rank)) / prims.count(pieces, prims.second_axes(first, rank))
    total = torch.sum(_cut(input, rank, counts, 0), prims.second_axes(first, rank))
    for index in range(rank):
        lengths = _Pieces(input.shape[first + index], counts[index]).length
        total = total / lengths.reshape([-1] + [1] * (rank - 1 - index))
    return total


def _adaptive_mean_gradient(grad, input, rank, output_size):
    counts, is_even = _adaptive_sizes(input, rank, output_size)
    first = input.dim() - rank
    sizes = tuple(input.shape[first:])
    if is_even:
        shape = list(input.shape[:first])
        for index in range(rank):
            grad = grad.unsqueeze(first + 2 * index + 1)
            shape = shape + [counts[index], sizes[index] // counts[index]]
        count = 1
        for index in range(rank):
            count = count * (sizes[index] // counts[index])
        return (grad / count).expand(shape).reshape(input.shape)
    # The pieces that a place lies in are a piece themselves, of the axis of pieces.
    grad = _cut(grad, rank, sizes, 0)
    for index in range(rank):
        lengths = _Pieces(sizes[index], counts[index]).length_of(_Pieces(counts[index], sizes[index]).part.index)
        grad = grad / prims.beside_pairs(lengths, index, rank)
    return torch.sum(grad, prims.second_axes(first, rank))


def _adaptive_greatest(input, rank, output_size):
    """The greatest elements of the pieces and where they lie in the pooled axes, which count as one."""
    counts, is_even = _adaptive_sizes(input, rank, output_size)
    first = input.dim() - rank
    sizes = tuple(input.shape[first:])
    pieces = _cut_evenly(input, rank, counts) if is_even else _cut(input, rank, counts, float("-inf"))
    lengths = [pieces.shape[axis] for axis in prims.second_axes(first, rank)]
    order = tuple(range(first)) + tuple(range(first, first + 2 * rank, 2)) + prims.second_axes(first, rank)
    values, within = pieces.permute(order).reshape(tuple(input.shape[:first]) + counts + (-1,)).max(-1)
    position, stride = 0, 1
    for index in range(rank - 1, -1, -1):
        start = prims.iota((counts[index],), 0) * lengths[index] if is_even else _Pieces(sizes[index], counts[index]).start
        position = position + (start.reshape([-1] + [1] * (rank - 1 - index)) + within % lengths[index]) * stride
        within = torch.div(within, lengths[index], rounding_mode="floor")
        stride = stride * sizes[index]
    return values, position


def _adaptive_greatest_gradient(grad, input, rank, output_size):
    counts, is_even = _adaptive_sizes(input, rank, output_size)
    first = input.dim() - rank
    sizes = tuple(input.shape[first:])
    place, stride = 0, 1
    for index in range(rank - 1, -1, -1):
        place = place + prims.iota((sizes[index],), 0).reshape([-1] + [1] * (rank - 1 - index)) * stride
        stride = stride * sizes[index]
    position = _adaptive_greatest(input, rank, output_size)[1]
    if is_even:
        for index in range(rank):
            grad, position = grad.unsqueeze(first + 2 * index + 1), position.unsqueeze(first + 2 * index + 1)
        return torch.where(_cut_evenly(place, rank, counts) == position, grad, 0).reshape(input.shape)
    for axis in prims.second_axes(0, rank):
        place = place.unsqueeze(axis)
    return torch.sum(torch.where(_cut(position, rank, sizes, -1) == place, _cut(grad, rank, sizes, 0), 0), prims.second_axes(first, rank))


def _register_adaptive_pool(rank):
    name, at = "pool" + str(rank) + "d", "torch F" if rank == 1 else "F"

    def mean_gradient(grad, input, output_size):
        return _adaptive_mean_gradient(grad, input, rank, output_size)

    @op("aten::adaptive_avg_" + name + "(Tensor self, SymInt[" + str(rank) + "] output_size) -> Tensor", at=at, names="adaptive_avg_" + name, grad=mean_gradient)
    def adaptive_avg_pool(input, output_size):
        return _adaptive_mean(input, rank, output_size)

    def gradient(grad, input, output_size):
        return _adaptive_greatest_gradient(grad, input, rank, output_size)

    @op("nereid::adaptive_max_" + name + "(Tensor self, SymInt[" + str(rank) + "] output_size) -> Tensor", at="prims", names="adaptive_greatest" + str(rank), grad=gradient)
    def greatest(input, output_size):
        return _adaptive_greatest(input, rank, output_size)[0]

    @view(at=at, names="adaptive_max_" + name)
    def adaptive_max_pool(input, output_size, return_indices=False):
        values = greatest(input, output_size)
        return (values, _adaptive_greatest(input.detach(), rank, output_size)[1]) if return_indices else values

    @view(at=at, names="adaptive_max_" + name + "_with_indices")
    def adaptive_max_pool_with_indices(input, output_size, return_indices=True):
        return adaptive_max_pool(input, output_size, True)


for _rank in (1, 2, 3):
    _register_adaptive_pool(_rank)


@view(at="torch", names="adaptive_max_pool1d")
def _adaptive_max_pool1d(input, output_size):
    return F.adaptive_max_pool1d(input, output_size, True)
