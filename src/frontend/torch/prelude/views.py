# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views, joints and cuts (arithmetic.py explains the decorators)."""


@view()
def flatten(input, start_dim=0, end_dim=-1):
    rank = input.dim()
    if rank == 0:
        return input.reshape(1)
    start = start_dim + rank if start_dim < 0 else start_dim
    end = end_dim + rank if end_dim < 0 else end_dim
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end:
        return input
    size = 1
    for axis in range(start, end + 1):
        size = size * input.shape[axis]
    return input.reshape(input.shape[:start] + (size,) + input.shape[end + 1 :])


@view()
def ravel(input):
    return input.contiguous().reshape(-1)


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
    else:
        total = 1
        for size in sizes:
            total = total * size
        if total != input.shape[dim]:
            raise RuntimeError(
                f"unflatten: Provided sizes {sizes} don't multiply up to the size of dim {dim} "
                f"({input.shape[dim]}) in the input tensor"
            )
    return input.view(input.shape[:dim] + tuple(sizes) + input.shape[dim + 1 :])


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
def broadcast_to(input, *sizes, size=None):
    return input.expand(*sizes) if size is None else input.expand(size)


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


@view(at="Tensor", names="split")
def _split_method(self, split_size, dim=0):
    return split(self, split_size, dim)


@view(at="torch")
def split(tensor, split_size_or_sections, dim=0):
    dim = dim + tensor.dim() if dim < 0 else dim
    total = tensor.shape[dim]
    pieces = []
    start = 0
    if isinstance(split_size_or_sections, (tuple, list)):
        for length in split_size_or_sections:
            pieces.append(tensor.narrow(dim, start, length))
            start = start + length
        if start != total:
            raise RuntimeError("split_with_sizes expects split_sizes to sum exactly to " + str(total) + ", but got " + str(start))
        return tuple(pieces)
    length = split_size_or_sections
    if prims.is_symbolic(total):
        whole = prims.rows(tensor, dim, length)
        if whole is not None:
            return whole
    return prims.in_pieces(tensor, dim, length)


@view(at="prims")
def in_pieces(input, dim, length):
    total = input.shape[dim]
    pieces = []
    start = 0
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
    return prims.in_pieces(input, dim, length)


def _given(*spellings):
    """The argument, by whichever of its names."""
    for value in spellings:
        if value is not None:
            return value
    raise TypeError("missing required argument: sections or indices")


@view()
def tensor_split(input, indices_or_sections=None, dim=0, *, sections=None, indices=None):
    indices_or_sections = _given(indices_or_sections, sections, indices)
    dim = dim + input.dim() if dim < 0 else dim
    total = input.shape[dim]
    if isinstance(indices_or_sections, int):
        count = indices_or_sections
        if prims.is_symbolic(total):
            if prims.holds(total % count == 0, "an axis is cut into " + str(count) + " equal parts"):
                return prims.in_pieces(input, dim, total // count)
            total = prims.fixed(total)
        sizes = [(total + count - 1 - index) // count for index in range(count)]
        return split(input, sizes, dim)
    bounds = [0] + list(indices_or_sections) + [total]
    return tuple(input.narrow(dim, bounds[i], bounds[i + 1] - bounds[i]) for i in range(len(bounds) - 1))


@view()
def unbind(input, dim=0):
    if prims.is_symbolic(input.shape[dim]):
        whole = prims.rows(input, dim, None)
        if whole is not None:
            return whole
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


@view(names="row_stack", at="torch")
def _row_stack(tensors):
    return vstack(tensors)


@view(at="torch")
def dstack(tensors):
    return torch.cat([atleast_3d(tensor) for tensor in tensors], 2)


@view(at="torch")
def column_stack(tensors):
    return torch.cat([tensor.reshape(-1, 1) if tensor.dim() < 2 else tensor for tensor in tensors], 1)


def _each(function, tensors):
    if len(tensors) == 1 and isinstance(tensors[0], torch.Tensor):
        return function(tensors[0])
    if len(tensors) == 1:
        tensors = tensors[0]
    return tuple(function(tensor) for tensor in tensors)


@view(at="torch")
def atleast_1d(*tensors):
    return _each(lambda tensor: tensor.reshape(1) if tensor.dim() == 0 else tensor, tensors)


def _two(tensor):
    return tensor.reshape(1, 1) if tensor.dim() == 0 else tensor.unsqueeze(0) if tensor.dim() == 1 else tensor


@view(at="torch")
def atleast_2d(*tensors):
    return _each(_two, tensors)


@view(at="torch")
def atleast_3d(*tensors):
    return _each(lambda tensor: tensor if tensor.dim() > 2 else _two(tensor).unsqueeze(-1), tensors)


def _split_along(input, indices_or_sections, dim, name):
    if input.dim() <= dim and not (name == "hsplit" and input.dim() == 1):
        raise RuntimeError("torch." + name + " requires a tensor with at least " + str(dim + 1) + " dimension, but got a tensor with " + str(input.dim()) + " dimensions!")
    dim = 0 if input.dim() == 1 else dim
    if isinstance(indices_or_sections, int):
        size = input.shape[dim]
        if size % indices_or_sections != 0:
            raise RuntimeError("torch." + name + " attempted to split along dimension " + str(dim) + ", but the size of the dimension is not divisible")
        return split(input, size // indices_or_sections, dim)
    return tensor_split(input, indices_or_sections, dim)


@view()
def hsplit(input, indices_or_sections=None, *, sections=None, indices=None):
    return _split_along(input, _given(indices_or_sections, sections, indices), 1, "hsplit")


@view()
def vsplit(input, indices_or_sections=None, *, sections=None, indices=None):
    return _split_along(input, _given(indices_or_sections, sections, indices), 0, "vsplit")


@view()
def dsplit(input, indices_or_sections=None, *, sections=None, indices=None):
    return _split_along(input, _given(indices_or_sections, sections, indices), 2, "dsplit")


@view(at="Tensor")
def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    return torch.tensor(data, dtype=self.dtype if dtype is None else dtype)


@view()
def diff(input, n=1, dim=-1, prepend=None, append=None):
    if n == 0:
        return input.clone()
    parts = [part for part in (prepend, input, append) if part is not None]
    if len(parts) > 1:
        input = torch.cat(parts, dim)
    for _ in range(n):
        size = input.shape[dim]
        if prims.same(size, 0):
            return input.clone()
        later, earlier = input.narrow(dim, 1, size - 1), input.narrow(dim, 0, size - 1)
        input = later != earlier if input.dtype == torch.bool else later - earlier
    return input


@op("aten::linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor", at="torch Tensor linalg", dtypes="number")
def cross(input, other, dim=-1):
    if not prims.match((input.shape[dim], other.shape[dim]), (3, 3)):
        raise RuntimeError("linalg.cross: inputs dimension " + str(dim) + " must have length 3.")

    def turned(tensor, by):
        return torch.roll(tensor, -by, dim)

    return turned(input, 1) * turned(other, 2) - turned(input, 2) * turned(other, 1)


@view(names="outer ger")
def outer(input, vec2):
    return input.unsqueeze(1) * vec2.unsqueeze(0)


@view()
def adjoint(input):
    return input.mT


@view(at="torch")
def unravel_index(indices, shape):
    shape = [shape] if isinstance(shape, int) else list(shape)
    indices, places = indices.to(torch.int64), []
    for size in reversed(shape):
        places.insert(0, torch.remainder(indices, size))
        indices = torch.div(indices, size, rounding_mode="floor")
    return tuple(places)


@view()
def is_same_size(input, other):
    return input.shape == other.shape


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


def _end(value, dtype):
    """An end of a range; no gradient goes through it."""
    value = value.detach() if isinstance(value, torch.Tensor) else value
    return value if dtype.is_floating_point else value.to(dtype) if isinstance(value, torch.Tensor) else int(value)


@view(at="torch")
def linspace(start, end, steps, dtype=None, device=None, layout=None, requires_grad=False):
    dtype = torch.get_default_dtype() if dtype is None else dtype
    start, end = _end(start, dtype), _end(end, dtype)
    # The width of integers without a sign may have one.
    start, end = [x.to(torch.int64) if isinstance(x, torch.Tensor) and not x.is_floating_point() else x for x in (start, end)]
    kind = dtype if dtype.is_floating_point else torch.float32
    width = (end - start) / max(steps - 1, 1)
    index = prims.iota((steps,), 0)
    # Counted from the nearer end, so that both ends are exact.
    front = start + width * index.to(kind)
    back = end - width * (steps - 1 - index).to(kind)
    return torch.where((index < steps // 2) | (index == 0), front, back).to(dtype)


@view(at="torch")
def logspace(start, end, steps, base=10.0, *, dtype=None, device=None, layout=None, requires_grad=False):
    dtype = torch.get_default_dtype() if dtype is None else dtype
    kind = dtype if dtype.is_floating_point else torch.float32
    return torch.pow(float(base), torch.linspace(_end(start, dtype), _end(end, dtype), steps, dtype=kind)).to(dtype)


# --- Windows of signals -----------------------------------------------------------------------------


def _cosines(length, periodic, dtype, weights):
    dtype = torch.float32 if dtype is None else dtype
    if length == 1:
        return torch.ones(1, dtype=dtype)
    angle = prims.iota((length,), 0).to(dtype) * (6.283185307179586 / (length if periodic else length - 1))
    result = weights[0] - weights[1] * torch.cos(angle)
    return result + weights[2] * torch.cos(2 * angle) if len(weights) > 2 else result


@view(at="torch")
def hann_window(window_length, periodic=True, *, dtype=None, device=None, layout=None, requires_grad=False):
    return _cosines(window_length, periodic, dtype, (0.5, 0.5))


@view(at="torch")
def hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None, device=None, layout=None, requires_grad=False):
    return _cosines(window_length, periodic, dtype, (alpha, beta))


@view(at="torch")
def blackman_window(window_length, periodic=True, *, dtype=None, device=None, layout=None, requires_grad=False):
    return _cosines(window_length, periodic, dtype, (0.42, 0.5, 0.08))


@view(at="torch")
def bartlett_window(window_length, periodic=True, *, dtype=None, device=None, layout=None, requires_grad=False):
    dtype = torch.get_default_dtype() if dtype is None else dtype
    if window_length == 1:
        return torch.ones(1, dtype=dtype)
    steps = window_length if periodic else window_length - 1
    place = prims.iota((window_length,), 0).to(dtype) * (2.0 / steps)
    return torch.where(place <= 1, place, 2 - place)


@view(at="torch")
def kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None, device=None, layout=None, requires_grad=False):
    dtype = torch.get_default_dtype() if dtype is None else dtype
    if window_length == 1:
        return torch.ones(1, dtype=dtype)
    steps = window_length if periodic else window_length - 1
    index = prims.iota((window_length,), 0).to(dtype)
    return torch.i0((2.0 * beta / steps) * torch.sqrt(index * (steps - index))) / torch.i0(torch.full((), beta, dtype=dtype))
