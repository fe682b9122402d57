# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Distances of all pairs of rows (arithmetic.py explains the decorators)."""


def _length(difference, p):
    """The p-norm of the last axis."""
    size = torch.abs(difference)
    if p == 0:
        return torch.sum((size != 0).to(size.dtype), -1)
    if p == 1:
        return torch.sum(size, -1)
    if p == 2:
        return torch.sqrt(torch.sum(difference * difference, -1))
    if p == float("inf"):
        # Rows of nothing have no distance.
        return torch.sum(size, -1) if prims.same(size.shape[-1], 0) else torch.amax(size, -1)
    return torch.sum(size**p, -1) ** (1.0 / p)


def _slope(difference, length, p):
    """What the length grows by with each element of the difference, PyTorch's at lengths of 0: 0."""
    if p == 1:
        return torch.sign(difference)
    if p == 2:
        return torch.where(length == 0, 0.0, difference / length)
    if p == float("inf"):
        return torch.where(torch.abs(difference) == length, torch.sign(difference), 0.0)
    size = torch.abs(difference)
    if p < 1:
        return torch.where((difference == 0) | (length == 0), 0.0, torch.sign(difference) * size ** (p - 1) / length ** (p - 1))
    if p < 2:
        return torch.where(length == 0, 0.0, torch.sign(difference) * size ** (p - 1) / length ** (p - 1))
    return torch.where(length == 0, 0.0, difference * size ** (p - 2) / length ** (p - 1))


def _check(name, p):
    if p < 0:
        raise RuntimeError(f"{name} only supports non-negative p values")


def _cdist_gradient(grad, x1, x2, p):
    if p == 0:
        return {}
    difference = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    part = grad.unsqueeze(-1) * _slope(difference, _length(difference, p).unsqueeze(-1), p)
    return {"x1": torch.sum(part, -2), "x2": -torch.sum(part, -3)}


@op("aten::cdist(Tensor x1, Tensor x2, float p=2, int? compute_mode=None) -> Tensor", at="torch", dtypes="same", grad=_cdist_gradient)
def cdist(x1, x2, p=2.0, compute_mode=None):
    _check("cdist", p)
    if x1.dim() < 2 or x2.dim() < 2:
        raise RuntimeError("cdist only supports at least 2D tensors")
    if not prims.match((x1.shape[-1],), (x2.shape[-1],)):
        raise RuntimeError("cdist: the rows of its operands differ in length")
    return _length(x1.unsqueeze(-2) - x2.unsqueeze(-3), p)


def _pairs(rows):
    """For each place of the result of pdist, its two rows: those behind the diagonal, line by line."""
    place = prims.iota((rows * (rows - 1) // 2,), 0)
    # Behind a place and its line stand n * (n + 1) / 2 others, those of the lines below.
    behind = rows * (rows - 1) // 2 - 1 - place
    lines = torch.floor((torch.sqrt(8.0 * behind.to(torch.float64) + 1.0) - 1.0) / 2.0).to(torch.int64)
    first = rows - 2 - lines
    return first, rows - 1 - (behind - torch.div(lines * (lines + 1), 2, rounding_mode="trunc"))


def _pdist_gradient(grad, input, p):
    if p == 0:
        return {}
    rows = input.shape[0]
    difference = input.unsqueeze(1) - input.unsqueeze(0)
    # A pair stands once, under its lesser row.
    own, other = prims.iota((rows, rows), 0), prims.iota((rows, rows), 1)
    low, high = torch.minimum(own, other), torch.maximum(own, other)
    place = torch.div(low * (2 * rows - low - 1), 2, rounding_mode="trunc") + high - low - 1
    held = own != other
    shared = torch.where(held, prims.take(grad, 0, torch.where(held, place, 0)), 0.0).unsqueeze(-1)
    return torch.sum(shared * _slope(difference, _length(difference, p).unsqueeze(-1), p), 1)


@op("aten::pdist(Tensor self, float p=2) -> Tensor", at="torch F", dtypes="float", grad=_pdist_gradient)
def pdist(input, p=2.0):
    _check("pdist", p)
    if input.dim() != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.dim()}D")
    first, second = _pairs(input.shape[0])
    return _length(prims.take(input, 0, first) - prims.take(input, 0, second), p)
