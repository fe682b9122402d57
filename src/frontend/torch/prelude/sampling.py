# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images and volumes at points: grid_sample and affine_grid (arithmetic.py explains the decorators)."""


def _reflected(place, low, high):
    # `low` and `high` are twice the borders.
    if prims.is_known(low) and prims.is_known(high) and low == high:
        return torch.zeros_like(place)
    start = low / 2
    span = (high - low) / 2
    away = torch.abs(place - start)
    turns = torch.floor(away / span)
    rest = away - turns * span
    return torch.where(turns - 2 * torch.floor(turns / 2) == 0, rest + start, span - rest + start)


def _clipped_gradient(grad, input, last):
    return torch.where((input > 0) & (input < last), grad, 0.0)


@op("nereid::clip_coordinates(Tensor self, SymInt last) -> Tensor", at="", dtypes="first", grad=_clipped_gradient)
def _clipped(input, last):
    """Within an axis; at its ends, too, PyTorch has no gradient."""
    return torch.clamp(input, 0, last)


def _bounded(place, size, padding_mode, align_corners):
    if padding_mode == "reflection":
        place = _reflected(place, 0, 2 * (size - 1)) if align_corners else _reflected(place, -1, 2 * size - 1)
    return place if padding_mode == "zeros" else _clipped(place, size - 1)


def _source_place(place, size, align_corners):
    return (place + 1) / 2 * (size - 1) if align_corners else ((place + 1) * size - 1) / 2


@op("aten::grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor", at="", dtypes="same")
def _sampled(input, grid, mode, padding_mode, align_corners):
    batch, channels = input.shape[:2]
    sizes, points = tuple(input.shape[2:]), tuple(grid.shape[1:-1])
    count = 1
    for size in points:
        count = count * size
    total = 1
    for size in sizes:
        total = total * size
    flat = input.reshape(batch, channels, total)
    # The last axis comes first in a grid.
    places = [_source_place(grid[..., len(sizes) - 1 - axis], size, align_corners) for axis, size in enumerate(sizes)]

    def read(at):
        place, inside = 0, None
        for own, size in zip(at, sizes):
            within = (own >= 0) & (own <= size - 1)
            inside = within if inside is None else inside & within
        for own, size in zip(at, sizes):
            place = place * size + torch.where(inside, own, 0.0).to(torch.int64)
        place = place.reshape(batch, 1, count).expand(batch, channels, count)
        found = torch.gather(flat, 2, place).reshape((batch, channels) + points)
        return torch.where(inside.unsqueeze(1), found, 0.0)

    if mode == "bicubic":
        firsts = [torch.floor(place) for place in places]
        weights = []
        for place, first in zip(places, firsts):
            t = (place - first).unsqueeze(1)
            weights.append([prims.far_cubic(t + 1), prims.near_cubic(t), prims.near_cubic(1 - t), prims.far_cubic(2 - t)])

        def at(axis, step):
            return _bounded(firsts[axis] + (step - 1), sizes[axis], padding_mode, align_corners)

        result = None
        for i in range(4):
            row = None
            for j in range(4):
                part = read([at(0, i), at(1, j)]) * weights[1][j]
                row = part if row is None else row + part
            result = row * weights[0][i] if result is None else result + row * weights[0][i]
        return result
    places = [_bounded(place, size, padding_mode, align_corners) for place, size in zip(places, sizes)]
    if mode == "nearest":
        return read([torch.round(place) for place in places])
    lower = [torch.floor(place) for place in places]
    weights = [(place - first).unsqueeze(1) for place, first in zip(places, lower)]
    return _cell(read, lower, weights, [])


def _cell(read, lower, weights, at):
    """Between the corners of a cell, the last axis innermost."""
    if len(at) == len(lower):
        return read(at)
    axis = len(at)
    first = _cell(read, lower, weights, at + [lower[axis]])
    second = _cell(read, lower, weights, at + [lower[axis] + 1])
    return first * (1 - weights[axis]) + second * weights[axis]


def _sample(input, grid, mode, padding_mode, align_corners):
    rank = input.dim()
    if rank not in (4, 5) or grid.dim() != rank:
        raise RuntimeError(f"grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input with sizes {tuple(input.shape)} and grid with sizes {tuple(grid.shape)}")
    if not prims.match(grid.shape[-1:], (rank - 2,)):
        raise RuntimeError(f"grid_sampler(): expected grid to have size {rank - 2} in last dimension")
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ValueError("nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '" + mode + "'")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError("nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: '" + padding_mode + "'")
    if mode == "bicubic" and rank == 5:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    return _sampled(input, grid, mode, padding_mode, align_corners)


@view(at="F")
def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    return _sample(input, grid, mode, padding_mode, bool(align_corners))


@view(at="torch", names="grid_sampler grid_sampler_2d grid_sampler_3d")
def _grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners):
    modes, paddings = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")
    return _sample(input, grid, modes[interpolation_mode], paddings[padding_mode], align_corners)


def _grid_line(size, theta, align_corners):
    if align_corners:
        return torch.linspace(-1.0, 1.0, size, dtype=theta.dtype)
    return (prims.iota((size,), 0).to(theta.dtype) * 2 + 1) / size - 1


@view(at="F")
def affine_grid(theta, size, align_corners=None):
    rank = len(size) - 2
    if rank not in (2, 3):
        raise NotImplementedError("affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively.")
    rows = theta.reshape([theta.shape[0]] + [1] * rank + [rank, rank + 1])
    result = rows[..., rank]
    for axis in range(rank):
        line = _grid_line(size[len(size) - 1 - axis], theta, align_corners)
        result = line.reshape([-1] + [1] * (axis + 1)) * rows[..., axis] + result
    return result
