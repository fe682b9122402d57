# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small numerical functions: products of all pairs, integrals and differences, lookups (arithmetic.py explains
the decorators)."""


# --- Products of all pairs ---------------------------------------------------------------------------


@view()
def kron(input, other):
    rank = max(input.dim(), other.dim())
    a = (1,) * (rank - input.dim()) + tuple(input.shape)
    b = (1,) * (rank - other.dim()) + tuple(other.shape)
    left = [size for axis in range(rank) for size in (a[axis], 1)]
    right = [size for axis in range(rank) for size in (1, b[axis])]
    return (input.reshape(left) * other.reshape(right)).reshape([a[axis] * b[axis] for axis in range(rank)])


@view(at="torch")
def block_diag(*tensors):
    tensors = [tensor.reshape(1, -1) if tensor.dim() < 2 else tensor for tensor in tensors]
    width = 0
    for tensor in tensors:
        width = width + tensor.shape[1]
    rows = []
    start = 0
    for tensor in tensors:
        rows.append(prims.pad(tensor, (start, width - start - tensor.shape[1])))
        start = start + tensor.shape[1]
    return torch.cat(rows, 0)


@view(at="torch")
def cartesian_prod(*tensors):
    if len(tensors) == 1:
        return tensors[0]
    return torch.stack([grid.reshape(-1) for grid in torch.meshgrid(*tensors, indexing="ij")], -1)


@op("aten::renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor")
def renorm(input, p, dim, maxnorm):
    dim = dim + input.dim() if dim < 0 else dim
    others = [axis for axis in range(input.dim()) if axis != dim]
    norm = torch.linalg.vector_norm(input, p, others, True)
    return input * torch.where(norm > maxnorm, maxnorm / (norm + 1e-7), 1.0)


# --- Integrals, differences and grids -----------------------------------------------------------------


def _widths(y, x, dx, dim):
    if x is None:
        return 1 if dx is None else dx
    if x.dim() == 1:
        shape = [1] * y.dim()
        shape[dim] = x.shape[0] - 1
        return torch.diff(x).reshape(shape)
    return torch.diff(x, dim=dim)


def _panels(y, x, dx, dim):
    dim = dim + y.dim() if dim < 0 else dim
    size = y.shape[dim]
    return (y.narrow(dim, 0, size - 1) + y.narrow(dim, 1, size - 1)) * _widths(y, x, dx, dim) / 2


@view(at="torch", names="trapezoid trapz")
def _trapezoid(y, x=None, *, dx=None, dim=-1):
    if x is None:
        ends = y.select(dim, 0) + y.select(dim, -1)
        return (y.sum(dim) - ends * 0.5) * (1 if dx is None else dx)
    return _panels(y, x, dx, dim).sum(dim)


@view(at="torch")
def cumulative_trapezoid(y, x=None, *, dx=None, dim=-1):
    return _panels(y, x, dx, dim).cumsum(dim)


def _slope(input, spacing, dim, edge_order):
    size = input.shape[dim]

    def at(start, length):
        return input.narrow(dim, start, length)

    inner = (at(2, size - 2) - at(0, size - 2)) / (2 * spacing)
    if edge_order == 1:
        first = (at(1, 1) - at(0, 1)) / spacing
        last = (at(size - 1, 1) - at(size - 2, 1)) / spacing
    else:
        first = (-3 * at(0, 1) + 4 * at(1, 1) - at(2, 1)) / (2 * spacing)
        last = (3 * at(size - 1, 1) - 4 * at(size - 2, 1) + at(size - 3, 1)) / (2 * spacing)
    return torch.cat([first, inner, last], dim)


def _slope_at(input, places, dim, edge_order):
    size = input.shape[dim]
    shape = [-1] + [1] * (input.dim() - 1 - dim)
    width = torch.diff(places)

    def at(start, length):
        return input.narrow(dim, start, length)

    def along(value):
        return value.reshape(shape)

    before, after = width[:-1], width[1:]
    both = before + after
    inner = along(-after / (before * both)) * at(0, size - 2)
    inner = inner + along((after - before) / (before * after)) * at(1, size - 2) + along(before / (after * both)) * at(2, size - 2)
    if edge_order == 1:
        first = (at(1, 1) - at(0, 1)) / along(width[:1])
        last = (at(size - 1, 1) - at(size - 2, 1)) / along(width[-1:])
    else:
        p, q = along(before[:1]), along(after[:1])
        first = -(2 * p + q) / (p * (p + q)) * at(0, 1) + (p + q) / (p * q) * at(1, 1) - p / (q * (p + q)) * at(2, 1)
        p, q = along(before[-1:]), along(after[-1:])
        last = q / (p * (p + q)) * at(size - 3, 1) - (p + q) / (p * q) * at(size - 2, 1)
        last = last + (p + 2 * q) / (q * (p + q)) * at(size - 1, 1)
    return torch.cat([first, inner, last], dim)


@view(at="torch")
def gradient(input, *, spacing=None, dim=None, edge_order=1):
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    dims = list(range(input.dim())) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    dims = [axis + input.dim() if axis < 0 else axis for axis in dims]
    spacing = 1 if spacing is None else spacing
    spaces = [spacing] * len(dims) if isinstance(spacing, (int, float)) else list(spacing)
    if len(spaces) != len(dims):
        raise RuntimeError(f"torch.gradient expected spacing to be unspecified, a scalar, or a list of length {len(dims)}, but got a list of length {len(spaces)}")
    return tuple(
        (_slope_at if isinstance(space, torch.Tensor) else _slope)(input, space, axis, edge_order)
        for axis, space in zip(dims, spaces)
    )


@view(at="torch")
def vander(x, N=None, increasing=False):
    count = prims.fixed(x.shape[0]) if N is None else N
    x = x if x.is_floating_point() else x.to(torch.int64)
    powers = [torch.ones_like(x)]
    for _ in range(count - 1):
        powers.append(powers[-1] * x)
    return torch.stack(powers if increasing else powers[::-1], -1)


# --- Lookups --------------------------------------------------------------------------------------


@op("aten::isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor", at="torch", dtypes="any")
def isin(elements, test_elements, assume_unique=False, invert=False):
    if not isinstance(test_elements, torch.Tensor):
        found = elements == test_elements
    else:
        elements = torch.as_tensor(elements)
        found = torch.any(elements.unsqueeze(-1) == test_elements.reshape(-1), -1)
    return ~found if invert else found


# --- Of real numbers, what complex ones have ------------------------------------------------------------


@op("aten::isreal(Tensor self) -> Tensor", dtypes="any")
def isreal(input):
    return torch.ones_like(input, dtype=torch.bool)


def _angle_gradient(grad, input):
    return torch.zeros_like(grad)


@op("aten::angle(Tensor self) -> Tensor", dtypes="promote", grad=_angle_gradient)
def angle(input):
    turned = torch.where(input < 0, torch.full_like(input, 3.141592653589793), 0.0)
    return torch.where(torch.isnan(input), input, turned)


@view(at="Tensor")
def sum_to_size(self, *size):
    size = tuple(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else tuple(size)
    lead = self.dim() - len(size)
    result = self.sum(tuple(range(lead))) if lead else self
    kept = [axis for axis in range(len(size)) if prims.same(size[axis], 1) and not prims.same(result.shape[axis], 1)]
    # PyTorch's sum over no axis has the type of a sum where nothing is left, and is no sum elsewhere.
    return result.sum(tuple(kept), True) if kept else result.sum() if len(size) == 0 and lead == 0 else result
