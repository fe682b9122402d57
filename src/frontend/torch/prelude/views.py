# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views, and copies that rearrange (arithmetic.py explains the decorators)."""


@view()
def flatten(input, start_dim=0, end_dim=-1):
    rank = input.dim()
    if rank == 0:
        return input.reshape(1)
    start = start_dim + rank if start_dim < 0 else start_dim
    end = end_dim + rank if end_dim < 0 else end_dim
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    size = 1
    for axis in range(start, end + 1):
        size = size * input.shape[axis]
    return input.reshape(input.shape[:start] + (size,) + input.shape[end + 1 :])


@view()
def ravel(input):
    return input.reshape(-1)


@view()
def unflatten(input, dim, sizes):
    dim = dim + input.dim() if dim < 0 else dim
    sizes = list(sizes)
    if -1 in sizes:
        known = 1
        for size in sizes:
            if size != -1:
                known = known * size
        sizes[sizes.index(-1)] = input.shape[dim] // known
    return input.reshape(input.shape[:dim] + tuple(sizes) + input.shape[dim + 1 :])


@view(at="Tensor")
def view_as(input, other):
    return input.view(other.shape)


@view(at="Tensor")
def reshape_as(input, other):
    return input.reshape(other.shape)


@view(at="Tensor")
def expand_as(input, other):
    return input.expand(other.shape)


@view(at="Tensor")
def broadcast_to(input, size):
    return input.expand(size)


@view(at="torch")
def broadcast_tensors(*tensors):
    shape = torch.broadcast_shapes(*[tensor.shape for tensor in tensors])
    return tuple(tensor.expand(shape) for tensor in tensors)


@view(at="torch")
def broadcast_shapes(*shapes):
    rank = max(len(shape) for shape in shapes)
    result = [1] * rank
    for shape in shapes:
        for index in range(len(shape)):
            size = shape[index]
            place = rank - len(shape) + index
            if not prims.same(size, 1):
                result[place] = size
    return tuple(result)


@view()
def split(input, split_size_or_sections, dim=0):
    dim = dim + input.dim() if dim < 0 else dim
    total = input.shape[dim]
    pieces = []
    start = 0
    if isinstance(split_size_or_sections, (tuple, list)):
        for length in split_size_or_sections:
            pieces.append(input.narrow(dim, start, length))
            start = start + length
        if start != total:
            raise RuntimeError("split_with_sizes expects split_sizes to sum exactly to " + str(total) + ", but got " + str(start))
        return tuple(pieces)
    length = split_size_or_sections
    count = prims.pieces(total, length)
    exact = prims.same(length * count, total)
    for index in range(count):
        size = length if exact or index + 1 < count else total - start
        pieces.append(prims.slice(input, dim, start, size))
        start = start + size
    return tuple(pieces)


@view()
def split_with_sizes(input, split_sizes, dim=0):
    return split(input, list(split_sizes), dim)


@view()
def chunk(input, chunks, dim=0):
    dim = dim + input.dim() if dim < 0 else dim
    length = prims.chunk_length(input.shape[dim], chunks)
    if prims.same(length, 0):
        return tuple(prims.slice(input, dim, 0, 0) for _ in range(chunks))
    return split(input, length, dim)


@view()
def tensor_split(input, indices_or_sections, dim=0):
    dim = dim + input.dim() if dim < 0 else dim
    total = input.shape[dim]
    if isinstance(indices_or_sections, int):
        count = indices_or_sections
        sizes = [(total + count - 1 - index) // count for index in range(count)]
        return split(input, sizes, dim)
    bounds = [0] + list(indices_or_sections) + [total]
    return tuple(input.narrow(dim, bounds[i], bounds[i + 1] - bounds[i]) for i in range(len(bounds) - 1))


@view()
def unbind(input, dim=0):
    return tuple(input.select(dim, index) for index in range(prims.fixed(input.shape[dim])))


@view()
def movedim(input, source, destination):
    rank = input.dim()
    source = [source] if isinstance(source, int) else list(source)
    destination = [destination] if isinstance(destination, int) else list(destination)
    source = [axis + rank if axis < 0 else axis for axis in source]
    destination = [axis + rank if axis < 0 else axis for axis in destination]
    order = [None] * rank
    for index in range(len(source)):
        order[destination[index]] = source[index]
    rest = iter([axis for axis in range(rank) if axis not in source])
    return input.permute([next(rest) if axis is None else axis for axis in order])


@view(names="moveaxis")
def _moveaxis(input, source, destination):
    return movedim(input, source, destination)


@view(at="torch")
def hstack(tensors):
    return torch.cat(tensors, 0 if tensors[0].dim() == 1 else 1)


@view(at="torch")
def vstack(tensors):
    return torch.cat([tensor.unsqueeze(0) if tensor.dim() == 1 else tensor for tensor in tensors], 0)


@view(at="torch", names="unsqueeze_copy")
def _unsqueeze_copy(input, dim):
    return input.unsqueeze(dim)


@op("aten::roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor", dtypes="any")
def roll(input, shifts, dims=None):
    if dims is None or (isinstance(dims, (tuple, list)) and len(dims) == 0):
        return roll(input.reshape(-1), shifts, 0).reshape(input.shape)
    shifts = [shifts] if isinstance(shifts, int) else list(shifts)
    dims = [dims] if isinstance(dims, int) else list(dims)
    for index in range(len(dims)):
        size = input.shape[dims[index]]
        shift = prims.remainder(shifts[index], size)
        input = torch.cat([prims.slice(input, dims[index], size - shift, shift), prims.slice(input, dims[index], 0, size - shift)], dims[index])
    return input


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
def tile(input, *dims):
    if len(dims) == 1 and isinstance(dims[0], (tuple, list)):
        dims = tuple(dims[0])
    return repeat(input, (1,) * (input.dim() - len(dims)) + dims)


@op("aten::repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor", dtypes="any")
def repeat_interleave(input, repeats, dim=None, output_size=None):
    if isinstance(repeats, torch.Tensor):
        return prims.refuse("repeat_interleave with a tensor of counts", "its size depends on the data; use an int")
    if dim is None:
        input = input.reshape(-1)
        dim = 0
    dim = dim + input.dim() if dim < 0 else dim
    shape = list(input.shape)
    grown = input.unsqueeze(dim + 1).expand(shape[: dim + 1] + [repeats] + shape[dim + 1 :])
    shape[dim] = shape[dim] * repeats
    return grown.reshape(shape)


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


@view(at="torch", names="fliplr")
def fliplr(input):
    return torch.flip(input, [1])


@view(at="torch", names="flipud")
def flipud(input):
    return torch.flip(input, [0])


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


@view(at="torch")
def eye(n, m=None, dtype=None, device=None, layout=None, requires_grad=False):
    shape = (n, n if m is None else m)
    return (prims.iota(shape, 0) == prims.iota(shape, 1)).to(torch.float32 if dtype is None else dtype)


@view(at="torch")
def linspace(start, end, steps, dtype=None, device=None, layout=None, requires_grad=False):
    dtype = torch.float32 if dtype is None else dtype
    if steps == 1:
        return torch.full((1,), float(start), dtype=dtype)
    width = (end - start) / (steps - 1)
    index = prims.iota((steps,), 0)
    # Counted from the nearer end, so that both ends are exact.
    front = start + width * index.to(dtype)
    back = end - width * (steps - 1 - index).to(dtype)
    return torch.where(index < steps // 2, front, back)


@view()
def diff(input, n=1, dim=-1):
    for _ in range(n):
        size = input.shape[dim]
        input = input.narrow(dim, 1, size - 1) - input.narrow(dim, 0, size - 1)
    return input


@view(at="torch")
def outer(input, vec2):
    return input.unsqueeze(1) * vec2.unsqueeze(0)


@view(at="torch")
def meshgrid(*tensors, indexing="ij"):
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    shape = [tensor.numel() for tensor in tensors]
    grids = []
    for index in range(len(tensors)):
        line = [1] * len(tensors)
        line[index] = shape[index]
        grids.append(tensors[index].reshape(line).expand(shape))
    if indexing == "xy" and len(grids) > 1:
        grids = [grid.transpose(0, 1) for grid in grids]
    return tuple(grids)


@op("aten::one_hot(Tensor self, int num_classes=-1) -> Tensor", at="F", dtypes="any")
def one_hot(tensor, num_classes=-1):
    if num_classes == -1:
        return prims.refuse("one_hot without num_classes has a size that depends on the data", "pass num_classes")
    shape = tensor.shape + (num_classes,)
    return (tensor.unsqueeze(-1) == prims.iota(shape, len(shape) - 1)).to(torch.int64)
