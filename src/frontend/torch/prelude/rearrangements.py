# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies that rearrange, pad and look up (arithmetic.py explains the decorators)."""


# --- Repetition and rotation -----------------------------------------------------------------------


@view(at="Tensor")
def repeat(input, *sizes):
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = tuple(sizes[0])
    extra = len(sizes) - input.dim()
    if extra < 0:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    return _tiled(input.reshape((1,) * extra + input.shape), sizes)


@op("aten::repeat(Tensor self, SymInt[] repeats) -> Tensor", at="", dtypes="any")
def _tiled(input, sizes):
    grown = []
    shape = []
    for index in range(len(sizes)):
        grown = grown + [sizes[index], input.shape[index]]
        shape.append(sizes[index] * input.shape[index])
    for index in range(len(sizes)):
        input = input.unsqueeze(2 * index)
    return input.expand(grown).reshape(shape)


@view()
def tile(input, *sizes, dims=None):
    sizes = sizes if dims is None else tuple(dims)
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = tuple(sizes[0])
    return repeat(input, (1,) * (input.dim() - len(sizes)) + sizes)


@op("aten::repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor", dtypes="any")
def repeat_interleave(input, repeats, dim=None, output_size=None):
    if isinstance(repeats, torch.Tensor):
        if output_size is None:
            return prims.refuse("repeat_interleave with a tensor of counts", "its size depends on the data; pass output_size, or use an int")
        if dim is None:
            input, dim = input.reshape(-1), 0
        ends = torch.cumsum(repeats.expand((input.shape[dim],)), 0)
        return torch.index_select(input, dim, torch.searchsorted(ends, prims.iota((output_size,), 0), right=True))
    if dim is None:
        input = input.reshape(-1)
        dim = 0
    dim = dim + input.dim() if dim < 0 else dim
    shape = list(input.shape)
    grown = input.unsqueeze(dim + 1).expand(shape[: dim + 1] + [repeats] + shape[dim + 1 :])
    shape[dim] = shape[dim] * repeats
    return grown.reshape(shape)


def _rolled_gradient(grad, shift, dim):
    return {"input": rolled(grad, -shift, dim)}


@op("nereid::rolled(Tensor self, Scalar shift, int dim) -> Tensor", at="prims", dtypes="any", grad=_rolled_gradient)
def rolled(input, shift, dim):
    """Rolled by a number that only the call knows: where each element comes from is computed."""
    size = input.shape[dim]
    places = torch.remainder(torch.arange(size, device=input.device) - shift, size)
    return torch.index_select(input, dim, places)


@op("aten::roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor", dtypes="any")
def roll(input, shifts, dims=None):
    if dims is None or (isinstance(dims, (tuple, list)) and len(dims) == 0):
        return roll(input.reshape(-1), shifts, 0).reshape(input.shape)
    shifts = [shifts] if isinstance(shifts, int) else list(shifts)
    dims = [dims] if isinstance(dims, int) else list(dims)
    for index in range(len(dims)):
        size = input.shape[dims[index]]
        if prims.same(size, 0):
            continue
        if not (prims.is_known(shifts[index]) or prims.is_symbolic(shifts[index])):
            input = prims.rolled(input, shifts[index], dims[index])
            continue
        if prims.is_known(shifts[index]) and shifts[index] in (1, -1):
            # The remainder, and 0 of an empty axis.
            shift = min(size, 1) if shifts[index] == 1 else max(size - 1, 0)
        else:
            shift = prims.remainder(shifts[index], size)
        input = torch.cat([prims.slice(input, dims[index], size - shift, shift), prims.slice(input, dims[index], 0, size - shift)], dims[index])
    return input


@op("aten::rot90(Tensor self, int k=1, int[] dims=[0,1]) -> Tensor", dtypes="any")
def rot90(input, k=1, dims=(0, 1)):
    k = k % 4
    if k == 1:
        return torch.flip(input, dims[1:2]).transpose(dims[0], dims[1])
    if k == 2:
        return torch.flip(input, dims)
    if k == 3:
        return torch.flip(input.transpose(dims[0], dims[1]), dims[1:2])
    return input.clone()


@view()
def fliplr(input):
    return torch.flip(input, [1])


@view()
def flipud(input):
    return torch.flip(input, [0])


# --- Triangles and diagonals -----------------------------------------------------------------------


@op("aten::tril(Tensor self, SymInt diagonal=0) -> Tensor", dtypes="any")
def tril(input, diagonal=0):
    shape = input.shape[-2:]
    keep = prims.iota(shape, 1) - prims.iota(shape, 0) <= diagonal
    return torch.where(keep, input, False if input.dtype == torch.bool else 0)


@op("aten::triu(Tensor self, SymInt diagonal=0) -> Tensor", dtypes="any")
def triu(input, diagonal=0):
    shape = input.shape[-2:]
    keep = prims.iota(shape, 1) - prims.iota(shape, 0) >= diagonal
    return torch.where(keep, input, False if input.dtype == torch.bool else 0)


def _triangle(row, col, offset, lower, dtype):
    places = [(i, j) for i in range(row) for j in range(col) if (j - i <= offset if lower else j - i >= offset)]
    return torch.tensor([[i for i, j in places], [j for i, j in places]], dtype=torch.int64 if dtype is None else dtype)


@view(at="torch")
def tril_indices(row, col, offset=0, *, dtype=None, device=None, layout=None):
    return _triangle(row, col, offset, True, dtype)


@view(at="torch")
def triu_indices(row, col, offset=0, *, dtype=None, device=None, layout=None):
    return _triangle(row, col, offset, False, dtype)


@view(at="torch")
def eye(n, m=None, dtype=None, device=None, layout=None, requires_grad=False):
    shape = (n, n if m is None else m)
    return (prims.iota(shape, 0) == prims.iota(shape, 1)).to(torch.float32 if dtype is None else dtype)


@op("aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor", dtypes="any")
def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    above = offset if offset > 0 else 0
    below = -offset if offset < 0 else 0
    padded = prims.pad(input, (below, above))
    size = padded.shape[-1]
    shape = padded.shape + (size,)
    rank = len(shape)
    hit = prims.iota(shape, rank - 1) - prims.iota(shape, rank - 2) == offset
    rows = prims.pad(input, (below, above)).unsqueeze(-1)
    result = torch.where(hit, rows, False if input.dtype == torch.bool else 0)
    return torch.movedim(result, (-2, -1), (dim1, dim2))


@view()
def diag(input, diagonal=0):
    if input.dim() == 1:
        return diag_embed(input, diagonal)
    if input.dim() != 2:
        raise RuntimeError("diag(): Supports 1D or 2D tensors. Got " + str(input.dim()) + "D")
    return input.diagonal(diagonal).clone()


@view()
def diagflat(input, offset=0):
    return diag_embed(input.reshape(-1), offset)


@op("aten::trace(Tensor self) -> Tensor", dtypes="any")
def trace(input):
    if input.dim() != 2:
        raise RuntimeError("trace: expected a matrix, but got tensor with dim " + str(input.dim()))
    return torch.sum(input.diagonal())


@view(at="Tensor", names="fill_diagonal_")
def _fill_diagonal(input, fill_value, wrap=False):
    if input.dim() != 2 or wrap:
        return prims.refuse("fill_diagonal_ of other tensors than matrices, or with wrap", "use torch.where with torch.eye")
    input.diagonal().fill_(fill_value)
    return input


# --- Copies with a part replaced -------------------------------------------------------------------


@view()
def select_scatter(input, src, dim, index):
    result = input.clone()
    result.select(dim, index).copy_(src)
    return result


@view()
def slice_scatter(input, src, dim=0, start=None, end=None, step=1):
    result = input.clone()
    dim = dim + input.dim() if dim < 0 else dim
    result[(slice(None),) * dim + (slice(start, end, step),)] = src
    return result


@view()
def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    result = input.clone()
    result.diagonal(offset, dim1, dim2).copy_(src)
    return result


# --- Padding and pixels ----------------------------------------------------------------------------


@view(at="F")
def pad(input, pad, mode="constant", value=None):
    if mode == "constant":
        return prims.pad(input, pad, value)
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError("Unrecognised padding mode " + mode)
    if value is not None and value != 0:
        raise ValueError("Padding mode '" + mode + "' doesn't take in value argument")
    pad = list(pad)
    axes = len(pad) // 2
    if len(pad) % 2 != 0 or axes > 3 or input.dim() not in (axes + 1, axes + 2):
        raise NotImplementedError("Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now")
    if mode != "circular":
        for size in input.shape[input.dim() - axes - 1 :]:
            if size < 1:
                raise RuntimeError("Expected a tensor with possibly 0 batch size and other non-zero dimensions")
    # What a negative amount cuts off is not there to be mirrored; one element stays to be repeated.
    rests = [0] * len(pad)
    for index in range(len(pad)):
        if pad[index] < 0:
            axis = input.dim() - 1 - index // 2
            cut = -pad[index]
            if not prims.holds(input.shape[axis] > cut, "an axis is cut by " + str(cut)):
                if mode != "replicate":
                    raise RuntimeError("Padding by " + str(pad[index]) + " leaves nothing of an axis")
                cut = input.shape[axis] - 1
            input = prims.slice(input, axis, 0 if index % 2 else cut, input.shape[axis] - cut)
            pad[index], rests[index] = 0, -pad[index] - cut
    input = _pad_by_place(input, pad, mode)
    for index in range(len(pad)):
        if not prims.same(rests[index], 0):
            axis = input.dim() - 1 - index // 2
            if not prims.holds(input.shape[axis] >= rests[index], "an axis is cut by " + str(rests[index])):
                raise RuntimeError("Padding leaves a negative size")
            input = prims.slice(input, axis, 0 if index % 2 else rests[index], input.shape[axis] - rests[index])
    return input


def _placed(part, axis, start, size):
    after = size - start - part.shape[axis]
    return prims.pad(part, [0, 0] * (part.dim() - 1 - axis) + [start, after], 0)


def _pad_gradient(grad, input, pad, mode):
    # What the border took from inside goes back there.
    for index in range(len(pad) // 2):
        axis = input.dim() - 1 - index
        size = input.shape[axis]
        before = prims.slice(grad, axis, 0, pad[2 * index])
        after = prims.slice(grad, axis, pad[2 * index] + size, pad[2 * index + 1])
        grad = prims.slice(grad, axis, pad[2 * index], size)
        if mode == "reflect":
            before, first = torch.flip(before, [axis]), 1
            after, last = torch.flip(after, [axis]), size - 1 - pad[2 * index + 1]
        elif mode == "replicate":
            before, first = before.sum(axis, keepdim=True), 0
            after, last = after.sum(axis, keepdim=True), size - 1
        else:
            first, last = size - pad[2 * index], 0
        if not prims.same(pad[2 * index], 0):
            grad = grad + _placed(before, axis, first, size)
        if not prims.same(pad[2 * index + 1], 0):
            grad = grad + _placed(after, axis, last, size)
    return grad


@op("aten::_pad_enum(Tensor self, SymInt[] pad, int mode, float? value=None) -> Tensor", at="", dtypes="any", grad=_pad_gradient)
def _pad_by_place(input, pad, mode):
    for index in range(len(pad) // 2):
        low = pad[2 * index]
        high = pad[2 * index + 1]
        axis = input.dim() - 1 - index
        size = input.shape[axis]
        if mode == "reflect" and (low >= size or high >= size):
            raise RuntimeError("Padding size should be less than the corresponding input dimension")
        if mode == "circular" and (low > size or high > size):
            raise RuntimeError("Padding value causes wrapping around more than once.")
        places = prims.iota((size + low + high,), 0) - low
        if mode == "reflect":
            places = (size - 1) - torch.abs((size - 1) - torch.abs(places))
        elif mode == "replicate":
            places = torch.minimum(torch.maximum(places, 0), size - 1)
        else:
            places = places % size
        input = prims.take(input, axis, places)
    return input


@op("aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor", at="torch F", dtypes="any")
def pixel_shuffle(input, upscale_factor):
    r = upscale_factor
    lead = tuple(input.shape[:-3])
    channels, height, width = input.shape[-3:]
    rank = len(lead)
    cut = input.reshape(lead + (channels // (r * r), r, r, height, width))
    order = list(range(rank)) + [rank + place for place in (0, 3, 1, 4, 2)]
    return cut.permute(order).reshape(lead + (channels // (r * r), height * r, width * r))


@op("aten::pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor", at="torch F", dtypes="any")
def pixel_unshuffle(input, downscale_factor):
    r = downscale_factor
    lead = tuple(input.shape[:-3])
    channels, height, width = input.shape[-3:]
    rank = len(lead)
    cut = input.reshape(lead + (channels, height // r, r, width // r, r))
    order = list(range(rank)) + [rank + place for place in (0, 2, 4, 1, 3)]
    return cut.permute(order).reshape(lead + (channels * r * r, height // r, width // r))


@op("aten::channel_shuffle(Tensor self, int groups) -> Tensor", at="torch F", dtypes="any")
def channel_shuffle(input, groups):
    shape = input.shape
    cut = input.reshape((shape[0], groups, shape[1] // groups) + tuple(shape[2:]))
    return cut.transpose(1, 2).reshape(shape)


# --- Lookups ---------------------------------------------------------------------------------------


@view()
def take_along_dim(input, indices, dim=None):
    # With an axis, indices count around it in both directions; without one they are those of gather.
    if dim is None:
        return torch.gather(input.reshape(-1), 0, indices.reshape(-1))
    if input.dim() != indices.dim():
        raise RuntimeError("torch.take_along_dim(): input and indices should have the same number of dimensions, but got " + str(input.dim()) + " dimensions for input, and " + str(indices.dim()) + " dimensions for indices")
    dim = dim + input.dim() if dim < 0 else dim
    shape = list(torch.broadcast_shapes(input.shape[:dim] + (1,) + input.shape[dim + 1 :], indices.shape[:dim] + (1,) + indices.shape[dim + 1 :]))
    return torch.gather(
        input.expand(shape[:dim] + [input.shape[dim]] + shape[dim + 1 :]), dim, indices.expand(shape[:dim] + [indices.shape[dim]] + shape[dim + 1 :]) % max(input.shape[dim], 1)
    )


@op("aten::one_hot(Tensor self, int num_classes=-1) -> Tensor", at="F", dtypes="any")
def one_hot(tensor, num_classes=-1):
    if num_classes == -1:
        return prims.refuse("one_hot without num_classes has a size that depends on the data", "pass num_classes")
    tensor = prims.check_index(tensor, num_classes, "one_hot")
    shape = tensor.shape + (num_classes,)
    return (tensor.unsqueeze(-1) == prims.iota(shape, len(shape) - 1)).to(torch.int64)
