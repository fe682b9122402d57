# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of complex tensors, in terms of their parts (arithmetic.py explains the decorators).

A complex tensor shares the memory of its parts: `prims.parts_of(z)` has a last axis of two, as
torch.view_as_real has it, and `prims.complex_of` is the way back. `at="Complex"` is where an operator is
looked up one of whose arguments is complex, or the type of a complex tensor; what is not defined there is
refused by name. A real tensor times a complex one multiplies both parts, as the mathematics has it:
PyTorch gives it an imaginary part of 0 first, whose product with an infinity is NaN.
"""


def _parts(value):
    """The real and the imaginary part of a tensor or number; None for the latter of what is real."""
    if prims.is_complex(value):
        parts = prims.parts_of(value)
        return parts[..., 0], parts[..., 1]
    if isinstance(value, complex):
        return value.real, value.imag
    return value, None


def _is_tensor(value):
    return isinstance(value, torch.Tensor)


def _join(real, imag):
    """A complex tensor of two parts, one of which at least is a tensor."""
    if imag is None:
        imag = 0.0
    if not _is_tensor(real):
        real = torch.full_like(imag, real)
    if not real.is_floating_point():
        real = real.to(imag.dtype if _is_tensor(imag) and imag.is_floating_point() else torch.float32)
    if not _is_tensor(imag):
        imag = torch.full_like(real, imag)
    common = torch.promote_types(real.dtype, imag.dtype)
    if common == torch.bfloat16:
        common = torch.float32
    real, imag = torch.broadcast_tensors(real.to(common), imag.to(common))
    return prims.complex_of(torch.stack([real, imag], -1))


def _tensors(value, like):
    """The parts of a value as tensors."""
    real, imag = _parts(value)
    if not _is_tensor(real):
        real = torch.full((), real, dtype=_parts(like)[0].dtype, device=like.device)
    elif not real.is_floating_point():
        real = real.to(torch.float32)
    return real, torch.zeros_like(real) if imag is None else imag if _is_tensor(imag) else torch.full_like(real, imag)


def _axis(dim, rank):
    """An axis counted from the start, so that it is the same axis of the parts."""
    bound = max(rank, 1)
    if dim >= bound or dim < -bound:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-bound}, {bound - 1}], but got {dim})")
    return dim % bound


def _axes(dims, rank):
    return [_axis(dim, rank) for dim in dims]


def _flat(given):
    return tuple(given[0]) if len(given) == 1 and isinstance(given[0], (tuple, list)) else tuple(given)


def _type_of_parts(dtype):
    if dtype == torch.complex128:
        return torch.float64
    if dtype == torch.complex64:
        return torch.float32
    return prims.refuse(f"complex numbers of the type {dtype}", "keep them as torch.complex64")


# --- Between complex and real ---------------------------------------------------------------------------


@view(at="torch")
def view_as_complex(input):
    return prims.complex_of(input)


@view(at="Complex")
def view_as_real(input):
    return prims.parts_of(input)


@view(at="torch", names="imag")
def _refused_imag(input):
    raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")


@view(at="torch", names="view_as_real")
def _refused_view_as_real(input):
    raise RuntimeError("view_as_real is only supported for complex tensors")


@view(at="torch", names="complex")
def _complex(real, imag):
    if real.dtype != imag.dtype:
        raise RuntimeError(f"Expected object of scalar type {real.dtype} but got scalar type {imag.dtype} for second argument")
    return _join(real, imag)


@view(at="torch")
def polar(abs, angle):
    if abs.dtype != angle.dtype:
        raise RuntimeError(f"Expected object of scalar type {abs.dtype} but got scalar type {angle.dtype} for second argument")
    return _join(abs * torch.cos(angle), abs * torch.sin(angle))


@view(names="conj conj_physical")
def _as_its_conjugate(input):
    return input


@view(names="resolve_conj resolve_neg")
def _as_it_is(input):
    return input


@view(names="real")
def _as_its_real_part(input):
    return input


@view(at="Tensor")
def cfloat(input):
    return _join(input.to(torch.float32), None)


@view(at="Tensor")
def cdouble(input):
    return _join(input.to(torch.float64), None)


@view(at="Complex", names="conj conj_physical")
def _conj(input):
    real, imag = _parts(input)
    return _join(real, -imag)


@view(at="Complex", names="resolve_conj resolve_neg cuda cpu")
def _same(input, *args, **kwargs):
    return input


@view(at="Complex", names="requires_grad")
def _set_requires_grad(input, requires_grad=True):
    prims.parts_of(input).requires_grad_(requires_grad)
    return input


@view(at="Complex ComplexProperty", names="real")
def _real(input):
    return prims.parts_of(input)[..., 0]


@view(at="Complex ComplexProperty", names="imag")
def _imag(input):
    return prims.parts_of(input)[..., 1]


@view(at="Complex", names="to type")
def _to(input, *args, **kwargs):
    dtype = kwargs.get("dtype", None)
    for each in args:
        if isinstance(each, torch.dtype):
            dtype = each
        elif _is_tensor(each):
            dtype = each.dtype
    if kwargs.get("copy", False):
        input = input.clone()
    if dtype is None:
        return input
    if not dtype.is_complex:
        return prims.refuse("a complex tensor as a real one", "take its part, x.real, where the imaginary one is to be left out") if prims.is_complex(input) else input.to(dtype)
    if not prims.is_complex(input):
        return _join(input.to(_type_of_parts(dtype)), None)
    return prims.complex_of(prims.parts_of(input).to(_type_of_parts(dtype)))


@view(at="Complex")
def type_as(input, other):
    return _to(input, other.dtype)


@view(at="Complex", names="cfloat")
def _cfloat(input):
    return prims.complex_of(prims.parts_of(input).to(torch.float32))


@view(at="Complex", names="cdouble")
def _cdouble(input):
    return prims.complex_of(prims.parts_of(input).to(torch.float64))


# --- What a complex tensor is ---------------------------------------------------------------------------


@view(at="ComplexProperty")
def shape(input):
    return prims.parts_of(input).shape[:-1]


@view(at="ComplexProperty")
def dtype(input):
    return torch.complex128 if prims.parts_of(input).dtype == torch.float64 else torch.complex64


@view(at="ComplexProperty")
def ndim(input):
    return prims.parts_of(input).dim() - 1


@view(at="ComplexProperty", names="device")
def _device(input):
    return prims.parts_of(input).device


@view(at="ComplexProperty", names="is_cuda")
def _is_cuda(input):
    return True


@view(at="ComplexProperty", names="requires_grad")
def _requires_grad(input):
    return prims.parts_of(input).requires_grad


@view(at="ComplexProperty", names="layout")
def _layout(input):
    return torch.strided


@view(at="ComplexProperty", names="data")
def _data(input):
    return prims.complex_of(prims.parts_of(input).data)


@view(at="ComplexProperty", names="T")
def _reversed(input):
    return permute(input, tuple(range(input.dim() - 1, -1, -1)))


@view(at="ComplexProperty", names="mT")
def _matrices_transposed(input):
    return transpose(input, -2, -1)


@view(at="ComplexProperty", names="mH H")
def _matrices_adjoint(input):
    return _conj(transpose(input, -2, -1))


@view(at="Complex", names="adjoint")
def _adjoint(input):
    return _conj(transpose(input, -2, -1))


@view(at="Complex", names="dim ndimension")
def _dim(input):
    return prims.parts_of(input).dim() - 1


@view(at="Complex", names="size")
def _size(input, dim=None):
    sizes = input.shape
    return sizes if dim is None else sizes[_axis(dim, len(sizes))]


@view(at="Complex", names="len")
def _len(input):
    if input.dim() == 0:
        raise TypeError("len() of a 0-d tensor")
    return input.shape[0]


@view(at="Complex", names="numel")
def _numel(input):
    return input.shape.numel()


@view(at="Complex", names="is_complex is_tensor")
def _yes(input):
    return True


@view(at="Complex", names="is_floating_point is_conj is_neg")
def _no(input):
    return False


# --- Arithmetic -----------------------------------------------------------------------------------------


@view(at="Complex")
def neg(input):
    return prims.complex_of(-prims.parts_of(input))


def _sum(first, second):
    return second if first is None else first if second is None else first + second


@view(at="Complex")
def add(input, other, *, alpha=1):
    if alpha != 1:
        other = mul(other, alpha)
    (real, imag), (other_real, other_imag) = _parts(input), _parts(other)
    return _join(real + other_real, _sum(imag, other_imag))


@view(at="Complex")
def sub(input, other, *, alpha=1):
    if alpha != 1:
        other = mul(other, alpha)
    (real, imag), (other_real, other_imag) = _parts(input), _parts(other)
    other_imag = None if other_imag is None else -other_imag
    return _join(real - other_real, _sum(imag, other_imag))


@view(at="Complex")
def rsub(input, other, *, alpha=1):
    return sub(other, input, alpha=alpha)


def _times(first, second):
    """A product, which is the tensor itself where the number beside it is 1."""
    for number, other in ((first, second), (second, first)):
        if isinstance(number, float) and number == 1.0 and _is_tensor(other) and other.is_floating_point():
            return other
    return first * second


@view(at="Complex", names="mul multiply")
def mul(input, other):
    (real, imag), (other_real, other_imag) = _parts(input), _parts(other)
    if other_imag is None:
        return _join(real * other_real, imag * other_real) if imag is not None else real * other_real
    if imag is None:
        return _join(real * other_real, real * other_imag)
    real_part = _times(real, other_real) - _times(imag, other_imag)
    return _join(real_part, _times(real, other_imag) + _times(imag, other_real))


@view(at="Complex", names="div divide true_divide")
def div(input, other):
    """Of the parts of the divisor the lesser by magnitude is divided by the greater (Smith, Algorithm 116)."""
    real, imag = _parts(input)
    if not (prims.is_complex(other) or isinstance(other, complex)):
        return _join(real / other, imag / other)
    other_real, other_imag = _tensors(other, input)
    is_real = torch.abs(other_real) >= torch.abs(other_imag)
    great = torch.where(is_real, other_real, other_imag)
    small = torch.where(is_real, other_imag, other_real)
    ratio = torch.where(great == 0, 0.0, small / torch.where(great == 0, 1.0, great))
    scale = 1.0 / (great + small * ratio)
    if imag is None:
        return _join(torch.where(is_real, real, real * ratio) * scale, -torch.where(is_real, real * ratio, real) * scale)
    first = torch.where(is_real, real + imag * ratio, real * ratio + imag)
    second = torch.where(is_real, imag - real * ratio, imag * ratio - real)
    return _join(first * scale, second * scale)


@view(at="Complex")
def reciprocal(input):
    return div(1.0, input)


@view(at="Complex")
def square(input):
    return mul(input, input)


@view(at="Complex")
def pow(input, exponent):
    if isinstance(exponent, (int, float)):
        if exponent == 0.5:
            return sqrt(input)
        if exponent == -1:
            return reciprocal(input)
        if exponent in (1, 2, 3, 4):
            result = input
            for _ in range(int(exponent) - 1):
                result = mul(result, input)
            return result
    if not _is_tensor(input):
        return prims.refuse("a number to the power of a complex tensor", "write torch.exp(x * math.log(base))")
    powered = exp(mul(log(input), exponent))
    real, imag = _tensors(input, input)
    is_zero = (real == 0) & (imag == 0)
    real, imag = _parts(powered)
    return _join(torch.where(is_zero, 0.0, real), torch.where(is_zero, 0.0, imag))


@view(at="Complex")
def addcmul(input, tensor1, tensor2, *, value=1):
    return add(input, mul(tensor1, tensor2), alpha=value)


@view(at="Complex")
def lerp(input, end, weight):
    return add(input, mul(sub(end, input), weight))


# --- Functions of one number ----------------------------------------------------------------------------


def _magnitude_gradient(grad, real, imag, result):
    """Towards z / |z|, and 0 at 0."""
    scale = torch.where(result == 0, 0.0, grad / torch.where(result == 0, 1.0, result))
    return {"real": scale * real, "imag": scale * imag}


@op("nereid::magnitude(Tensor real, Tensor imag) -> Tensor", at="prims", grad=_magnitude_gradient)
def magnitude(real, imag):
    return torch.hypot(real, imag)


@view(at="Complex", names="abs absolute")
def _abs(input):
    return prims.magnitude(*_parts(input))


@view(at="Complex", names="angle")
def _angle(input):
    real, imag = _parts(input)
    return torch.atan2(imag, real)


@view(at="Complex")
def sgn(input):
    real, imag = _parts(input)
    size = prims.magnitude(real, imag)
    size = torch.where(size == 0, 1.0, size)
    return _join(real / size, imag / size)


@view(at="Complex")
def exp(input):
    real, imag = _parts(input)
    scale = torch.exp(real)
    return _join(scale * torch.cos(imag), scale * torch.sin(imag))


@view(at="Complex")
def log(input):
    real, imag = _parts(input)
    return _join(torch.log(prims.magnitude(real, imag)), torch.atan2(imag, real))


@view(at="Complex")
def sqrt(input):
    """The root whose real part is not negative."""
    real, imag = _parts(input)
    size = prims.magnitude(real, imag)
    is_zero = size == 0
    root = torch.sqrt(torch.where(is_zero, 1.0, 0.5 * (size + torch.abs(real))))
    half = torch.where(is_zero, 0.0, 0.5 * torch.abs(imag) / root)
    root = torch.where(is_zero, 0.0, root)
    is_right = real >= 0
    return _join(torch.where(is_right, root, half), torch.copysign(torch.where(is_right, half, root), imag))


@view(at="Complex")
def rsqrt(input):
    return reciprocal(sqrt(input))


@view(at="Complex")
def sin(input):
    real, imag = _parts(input)
    return _join(torch.sin(real) * torch.cosh(imag), torch.cos(real) * torch.sinh(imag))


@view(at="Complex")
def cos(input):
    real, imag = _parts(input)
    return _join(torch.cos(real) * torch.cosh(imag), -torch.sin(real) * torch.sinh(imag))


@view(at="Complex")
def sinh(input):
    real, imag = _parts(input)
    return _join(torch.sinh(real) * torch.cos(imag), torch.cosh(real) * torch.sin(imag))


@view(at="Complex")
def cosh(input):
    real, imag = _parts(input)
    return _join(torch.cosh(real) * torch.cos(imag), torch.sinh(real) * torch.sin(imag))


# --- Comparisons ----------------------------------------------------------------------------------------


@view(at="Complex", names="eq")
def _eq(input, other):
    (real, imag), (other_real, other_imag) = _parts(input), _parts(other)
    return (real == other_real) & ((0.0 if imag is None else imag) == (0.0 if other_imag is None else other_imag))


@view(at="Complex", names="ne not_equal")
def _ne(input, other):
    return ~_eq(input, other)


@view(at="Complex", names="isnan")
def _isnan(input):
    return torch.isnan(input.real) | torch.isnan(input.imag)


@view(at="Complex", names="isinf")
def _isinf(input):
    return torch.isinf(input.real) | torch.isinf(input.imag)


@view(at="Complex", names="isfinite")
def _isfinite(input):
    return torch.isfinite(input.real) & torch.isfinite(input.imag)


@view(at="Complex", names="isreal")
def _isreal(input):
    return input.imag == 0


# --- Items ----------------------------------------------------------------------------------------------


def _key(key):
    """An index of a complex tensor as one of its parts, which both are taken."""
    items = key if isinstance(key, tuple) else (key,)
    rest = (slice(None),) if any([item is Ellipsis for item in items]) else (Ellipsis, slice(None))
    return items + rest


@view(at="Complex", names="getitem")
def _getitem(input, key):
    return prims.complex_of(prims.parts_of(input)[_key(key)])


@view(at="Complex", names="setitem")
def _setitem(input, key, value):
    if not prims.is_complex(input):
        raise RuntimeError("a complex value can't be stored in a real tensor")
    parts = prims.parts_of(input)
    real, imag = _parts(value)
    parts[..., 0][key] = real
    parts[..., 1][key] = 0.0 if imag is None else imag


# --- Views and rearrangements ---------------------------------------------------------------------------


@view(at="Complex", names="view")
def _view(input, *sizes):
    return prims.complex_of(prims.parts_of(input).view(*_flat(sizes), 2))


@view(at="Complex")
def reshape(input, *shape):
    return prims.complex_of(prims.parts_of(input).reshape(*_flat(shape), 2))


@view(at="Complex")
def expand(input, *sizes):
    return prims.complex_of(prims.parts_of(input).expand(*_flat(sizes), 2))


@view(at="Complex")
def repeat(input, *sizes):
    return prims.complex_of(prims.parts_of(input).repeat(*_flat(sizes), 1))


@view(at="Complex")
def permute(input, *dims):
    rank = input.dim()
    return prims.complex_of(prims.parts_of(input).permute(*_axes(_flat(dims), rank), rank))


@view(at="Complex", names="transpose swapaxes swapdims")
def transpose(input, dim0, dim1):
    rank = input.dim()
    return prims.complex_of(prims.parts_of(input).transpose(_axis(dim0, rank), _axis(dim1, rank)))


@view(at="Complex", names="t")
def _t(input):
    return transpose(input, 0, 1) if input.dim() == 2 else input


@view(at="Complex")
def unsqueeze(input, dim):
    return prims.complex_of(prims.parts_of(input).unsqueeze(_axis(dim, input.dim() + 1)))


@view(at="Complex")
def squeeze(input, dim=None):
    rank = input.dim()
    dims = range(rank) if dim is None else dim if isinstance(dim, (tuple, list)) else (dim,)
    return prims.complex_of(prims.parts_of(input).squeeze(tuple(_axes(dims, rank)))) if rank else input


@view(at="Complex")
def narrow(input, dim, start, length):
    return prims.complex_of(prims.parts_of(input).narrow(_axis(dim, input.dim()), start, length))


@view(at="Complex")
def select(input, dim, index):
    return prims.complex_of(prims.parts_of(input).select(_axis(dim, input.dim()), index))


@view(at="Complex")
def index_select(input, dim, index):
    return prims.complex_of(torch.index_select(prims.parts_of(input), _axis(dim, input.dim()), index))


@view(at="Complex")
def roll(input, shifts, dims=None):
    if dims is None:
        return reshape(roll(reshape(input, -1), shifts, 0), input.shape)
    dims = (dims,) if isinstance(dims, int) else tuple(dims)
    return prims.complex_of(torch.roll(prims.parts_of(input), shifts, tuple(_axes(dims, input.dim()))))


@view(at="Complex")
def flip(input, *dims):
    return prims.complex_of(torch.flip(prims.parts_of(input), _axes(_flat(dims), input.dim())))


@view(at="Complex", names="clone")
def _clone(input, *, memory_format=None):
    return prims.complex_of(prims.parts_of(input).clone())


@view(at="Complex", names="contiguous")
def _contiguous(input, *, memory_format=None):
    return prims.complex_of(prims.parts_of(input).contiguous())


@view(at="Complex", names="detach")
def _detach(input):
    return prims.complex_of(prims.parts_of(input).detach())


def _alike(tensors):
    """The parts of tensors that meet in one, of which some may be real."""
    wide = any([tensor.dtype == torch.complex128 or tensor.dtype == torch.float64 for tensor in tensors])
    kind = torch.float64 if wide else torch.float32
    return [prims.parts_of(each if prims.is_complex(each) else _join(each, None)).to(kind) for each in tensors]


@view(at="Complex", names="cat concat concatenate")
def _cat(tensors, dim=0):
    return prims.complex_of(torch.cat(_alike(tensors), _axis(dim, tensors[0].dim())))


@view(at="Complex", names="stack")
def _stack(tensors, dim=0):
    return prims.complex_of(torch.stack(_alike(tensors), _axis(dim, tensors[0].dim() + 1)))


@view(at="Complex", names="where")
def _where(condition, input, other):
    (real, imag), (other_real, other_imag) = _parts(input), _parts(other)
    return _join(
        torch.where(condition, real, other_real),
        torch.where(condition, 0.0 if imag is None else imag, 0.0 if other_imag is None else other_imag),
    )


@view(at="Complex", names="masked_fill")
def _masked_fill(input, mask, value):
    return _where(mask, value, input)


@view(at="Complex", names="fill")
def _fill(input, value):
    real, imag = _parts(value)
    parts = prims.parts_of(input)
    return _join(torch.full_like(parts[..., 0], real), 0.0 if imag is None else imag)


@view(at="Complex", names="zero")
def _zero(input):
    return prims.complex_of(torch.zeros_like(prims.parts_of(input)))


@view(at="Complex", names="copy")
def _copy(input, source, non_blocking=False):
    return source if prims.is_complex(source) else _join(source, None)


def _triangle(function, input, diagonal):
    return prims.complex_of(function(prims.parts_of(input).movedim(-1, 0), diagonal).movedim(0, -1))


@view(at="Complex")
def tril(input, diagonal=0):
    return _triangle(torch.tril, input, diagonal)


@view(at="Complex")
def triu(input, diagonal=0):
    return _triangle(torch.triu, input, diagonal)


def _pieces(parts):
    return tuple([prims.complex_of(each) for each in parts])


@view(at="Complex")
def split(tensor, split_size_or_sections, dim=0):
    return _pieces(torch.split(prims.parts_of(tensor), split_size_or_sections, _axis(dim, tensor.dim())))


@view(at="Complex")
def split_with_sizes(input, split_sizes, dim=0):
    return _pieces(torch.split_with_sizes(prims.parts_of(input), split_sizes, _axis(dim, input.dim())))


@view(at="Complex")
def chunk(input, chunks, dim=0):
    return _pieces(torch.chunk(prims.parts_of(input), chunks, _axis(dim, input.dim())))


@view(at="Complex")
def unbind(input, dim=0):
    return _pieces(torch.unbind(prims.parts_of(input), _axis(dim, input.dim())))


for _name in (
    "flatten ravel unflatten view_as reshape_as expand_as broadcast_to movedim moveaxis diff tile"
).split():
    export(at="Complex", names=_name)(getattr(torch.Tensor, _name))
for _name in "broadcast_tensors hstack vstack dstack column_stack row_stack atleast_1d atleast_2d atleast_3d outer ger meshgrid".split():
    export(at="Complex", names=_name)(getattr(torch, _name))


# --- Sums and products ----------------------------------------------------------------------------------


def _over_axes(function, input, dim, keepdim):
    """A fold that is linear, of both parts."""
    parts, rank = prims.parts_of(input), input.dim()
    if dim is None or dim == () or dim == []:
        kept = (1,) * rank if keepdim else ()
        return prims.complex_of(function(parts.reshape(-1, 2), 0, False).reshape(*kept, 2))
    dims = dim if isinstance(dim, (tuple, list)) else (dim,)
    if rank == 0:
        return input
    return prims.complex_of(function(parts, tuple(_axes(dims, rank)), keepdim))


@view(at="Complex", names="sum")
def _summed(input, dim=None, keepdim=False, *, dtype=None):
    return _over_axes(torch.sum, input if dtype is None else _to(input, dtype), dim, keepdim)


@view(at="Complex", names="mean")
def _mean(input, dim=None, keepdim=False, *, dtype=None):
    return _over_axes(torch.mean, input if dtype is None else _to(input, dtype), dim, keepdim)


@view(at="Complex", names="cumsum")
def _cumsum(input, dim, *, dtype=None):
    input = input if dtype is None else _to(input, dtype)
    return prims.complex_of(torch.cumsum(prims.parts_of(input), _axis(dim, input.dim())))


def _multilinear(function, operands):
    """A function that is linear in each operand, of operands of which some are complex."""
    terms = [(0, [])]
    for operand in operands:
        real, imag = _parts(operand)
        grown = [(turns, before + [real]) for turns, before in terms]
        if imag is not None:
            grown = grown + [(turns + 1, before + [imag]) for turns, before in terms]
        terms = grown
    kind = torch.float64 if any([operand.dtype in (torch.complex128, torch.float64) for operand in operands]) else torch.float32
    sums = [None, None]
    for turns, parts in terms:
        value = function(*[part.to(kind) for part in parts])
        place = turns % 2
        if sums[place] is None:
            sums[place] = -value if turns % 4 >= 2 else value
        else:
            sums[place] = sums[place] - value if turns % 4 >= 2 else sums[place] + value
    return _join(*sums)


@view(at="Complex")
def matmul(input, other):
    return _multilinear(torch.matmul, [input, other])


@view(at="Complex", names="mm")
def _mm(input, mat2):
    return _multilinear(torch.mm, [input, mat2])


@view(at="Complex", names="bmm")
def _bmm(input, mat2):
    return _multilinear(torch.bmm, [input, mat2])


@view(at="Complex", names="mv")
def _mv(input, vec):
    return _multilinear(torch.mv, [input, vec])


@view(at="Complex", names="dot")
def _dot(input, tensor):
    return _multilinear(torch.dot, [input, tensor])


@view(at="Complex", names="vdot")
def _vdot(input, other):
    return _multilinear(torch.dot, [_conj(input) if prims.is_complex(input) else input, other])


@view(at="Complex", names="linear")
def _linear(input, weight, bias=None):
    result = _multilinear(torch.matmul, [input, weight.mT if weight.dim() > 1 else weight])
    return result if bias is None else add(result, bias)


@view(at="Complex", names="tensordot")
def _tensordot(a, b, dims=2):
    return _multilinear(lambda x, y: torch.tensordot(x, y, dims), [a, b])


@view(at="Complex", names="einsum")
def _einsum(equation, *operands):
    return _multilinear(lambda *parts: torch.einsum(equation, *parts), list(_flat(operands)))


@view(at="Complex", names="norm")
def _norm(input, p="fro", dim=None, keepdim=False):
    return torch.norm(_abs(input), p, dim, keepdim)


@view(at="Complex", names="linalg_vector_norm vector_norm")
def _vector_norm(x, ord=2, dim=None, keepdim=False):
    return torch.linalg.vector_norm(_abs(x), ord, dim, keepdim)


# --- New tensors ----------------------------------------------------------------------------------------


def _check(options):
    """Raises where an option is given that is not followed; those of memory have no effect here."""
    for name in options:
        if name not in ("device", "requires_grad", "layout", "pin_memory", "memory_format", "generator"):
            raise TypeError(f"got an unexpected keyword argument '{name}'")


def _made(make, sizes, dtype, options):
    _check(options)
    options = {name: value for name, value in options.items() if name in ("device", "requires_grad")}
    return prims.complex_of(make(*_flat(sizes), 2, dtype=_type_of_parts(dtype), **options))


@view(at="Complex", names="zeros")
def _zeros(*size, dtype=None, **options):
    return _made(torch.zeros, size, dtype, options)


@view(at="Complex", names="empty")
def _empty(*size, dtype=None, **options):
    return _made(torch.empty, size, dtype, options)


@view(at="Complex", names="ones")
def _ones(*size, dtype=None, **options):
    _check(options)
    return _join(torch.ones(*_flat(size), dtype=_type_of_parts(dtype), device=options.get("device", None)), None)


@view(at="Complex", names="full")
def _full(size, fill_value, *, dtype=None, device=None, **options):
    _check(options)
    kind = torch.float32 if dtype is None else _type_of_parts(dtype)
    real, imag = _parts(fill_value)
    return _join(torch.full(size, real, dtype=kind, device=device), imag)


@view(at="Complex", names="rand")
def _rand(*size, dtype=None, **options):
    return _made(torch.rand, size, dtype, options)


@view(at="Complex", names="randn")
def _randn(*size, dtype=None, **options):
    """Of variance 1, which both parts share."""
    return mul(_made(torch.randn, size, dtype, options), 0.5**0.5)


def _like(make, input, dtype):
    dtype = input.dtype if dtype is None else dtype
    if not dtype.is_complex:
        return make(torch.empty(input.shape, dtype=dtype, device=input.device))
    kind = _type_of_parts(dtype)
    return prims.complex_of(make(torch.empty((*input.shape, 2), dtype=kind, device=input.device)))


@view(at="Complex", names="zeros_like")
def _zeros_like(input, *, dtype=None, **options):
    _check(options)
    return _like(torch.zeros_like, input, dtype)


@view(at="Complex", names="empty_like")
def _empty_like(input, *, dtype=None, **options):
    _check(options)
    return _like(torch.empty_like, input, dtype)


@view(at="Complex", names="ones_like")
def _ones_like(input, *, dtype=None, **options):
    _check(options)
    dtype = input.dtype if dtype is None else dtype
    kind = _type_of_parts(dtype) if dtype.is_complex else dtype
    ones = torch.ones(input.shape, dtype=kind, device=input.device)
    return _join(ones, None) if dtype.is_complex else ones


@view(at="Complex", names="randn_like")
def _randn_like(input, *, dtype=None, **options):
    _check(options)
    return _randn(input.shape, dtype=input.dtype if dtype is None else dtype, device=input.device)


@view(at="Complex", names="new_zeros")
def _new_zeros(input, *size, dtype=None, **options):
    _check(options)
    dtype = input.dtype if dtype is None else dtype
    if dtype.is_complex:
        return _zeros(*size, dtype=dtype, device=input.device)
    return torch.zeros(*_flat(size), dtype=dtype, device=input.device)
