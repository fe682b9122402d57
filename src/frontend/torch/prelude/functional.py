# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of torch that are defined by others.

`@op(schema, at=, names=, dtypes=)` registers a definition under its ATen schema. `at` lists where
Python finds it (torch, F, Tensor, special), `names` its spellings there (the function's name by
default). `dtypes`: "float" refuses integers, "same" types
that differ too, "number" takes them, "promote" makes float32 of integers
("promote_number" of all but bool),
"first" gives results the type of the first tensor, "norm" so of a first tensor of floats. Halves are computed in float32 and rounded once. A definition registered by
`@view()` is no operator of its own: its body is read in the caller's place, so views stay views.
"""


# --- Return types -------------------------------------------------------------------------------


class values_indices(tuple):
    values = property(lambda self: self[0])
    indices = property(lambda self: self[1])


# --- Arithmetic ---------------------------------------------------------------------------------


@op("aten::reciprocal(Tensor self) -> Tensor", dtypes="number")
def reciprocal(input):
    return 1.0 / input


@op("aten::square(Tensor self) -> Tensor", dtypes="number")
def square(input):
    return input**2


@op("aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", dtypes="number", at="torch")
def rsub(input, other, alpha=1):
    return other - alpha * input


@op("aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", dtypes="number")
def addcmul(input, tensor1, tensor2, value=1):
    return input + value * tensor1 * tensor2


@op("aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor")
def addcdiv(input, tensor1, tensor2, value=1):
    return input + value * (tensor1 / tensor2)


@op("aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor", dtypes="same")
def lerp(input, end, weight):
    return input + weight * (end - input)


@op("aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", names="clamp clip", dtypes="number")
def clamp(input, min=None, max=None):
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if min is not None:
        input = torch.maximum(input, min)
    if max is not None:
        input = torch.minimum(input, max)
    return input


@op("aten::clamp_min(Tensor self, Scalar min) -> Tensor", dtypes="number")
def clamp_min(input, min):
    return torch.maximum(input, min)


@op("aten::clamp_max(Tensor self, Scalar max) -> Tensor", dtypes="number")
def clamp_max(input, max):
    return torch.minimum(input, max)


@op("aten::fmax(Tensor self, Tensor other) -> Tensor", dtypes="number")
def fmax(input, other):
    return torch.where(torch.isnan(input), other, torch.where(torch.isnan(other), input, torch.maximum(input, other)))


@op("aten::fmin(Tensor self, Tensor other) -> Tensor", dtypes="number")
def fmin(input, other):
    return torch.where(torch.isnan(input), other, torch.where(torch.isnan(other), input, torch.minimum(input, other)))


@op("aten::frac(Tensor self) -> Tensor")
def frac(input):
    return input - torch.trunc(input)


@op("aten::hypot(Tensor self, Tensor other) -> Tensor")
def hypot(input, other):
    a = torch.abs(input)
    b = torch.abs(other)
    large = torch.maximum(a, b)
    small = torch.minimum(a, b)
    ratio = small / large
    result = torch.where(small == 0, large, large * torch.sqrt(1 + ratio * ratio))
    return torch.where(torch.isinf(large), large, result)


@op("aten::logaddexp(Tensor self, Tensor other) -> Tensor")
def logaddexp(input, other):
    large = torch.maximum(input, other)
    result = large + torch.log1p(torch.exp(-torch.abs(input - other)))
    return torch.where(torch.isinf(input) & (input == other), input, result)


@op("aten::logaddexp2(Tensor self, Tensor other) -> Tensor")
def logaddexp2(input, other):
    large = torch.maximum(input, other)
    result = large + torch.log1p(torch.exp2(-torch.abs(input - other))) * 1.4426950408889634
    return torch.where(torch.isinf(input) & (input == other), input, result)


@op("aten::nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor", dtypes="number")
def nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    if not input.is_floating_point():
        return input.clone()
    limit = torch.finfo(input.dtype).max
    if nan is None:
        nan = 0.0
    high = limit if posinf is None else posinf
    low = -limit if neginf is None else neginf
    result = torch.where(torch.isnan(input), nan, input)
    return torch.where(torch.isinf(result), torch.where(result > 0, high, low), result)


@op("aten::xlogy.Tensor(Tensor self, Tensor other) -> Tensor", at="torch Tensor special", dtypes="number")
def xlogy(input, other):
    product = input * torch.log(other)
    return torch.where(torch.isnan(other), float("nan"), torch.where(input == 0, 0.0, product))


@op("aten::heaviside(Tensor self, Tensor values) -> Tensor", dtypes="number")
def heaviside(input, values):
    return torch.where(input == 0, values, (input > 0).to(input.dtype))


@op("aten::sgn(Tensor self) -> Tensor", dtypes="number")
def sgn(input):
    return torch.sign(input)


@op("aten::sinc(Tensor self) -> Tensor", at="torch Tensor special", dtypes="promote")
def sinc(input):
    scaled = input * 3.141592653589793
    return torch.where(input == 0, 1.0, torch.sin(scaled) / scaled)


@op("aten::deg2rad(Tensor self) -> Tensor", dtypes="number")
def deg2rad(input):
    return input * 0.017453292519943295


@op("aten::rad2deg(Tensor self) -> Tensor", dtypes="number")
def rad2deg(input):
    return input * 57.29577951308232


@op("aten::logit(Tensor self, float? eps=None) -> Tensor", at="torch Tensor special")
def logit(input, eps=None):
    if eps is not None:
        input = torch.clamp(input, eps, 1 - eps)
    return torch.log(input / (1 - input))


# --- Logic --------------------------------------------------------------------------------------


@op("aten::logical_not(Tensor self) -> Tensor", dtypes="number")
def logical_not(input):
    return input == 0


@op("aten::logical_and(Tensor self, Tensor other) -> Tensor", dtypes="number")
def logical_and(input, other):
    return (input != 0) & (other != 0)


@op("aten::logical_or(Tensor self, Tensor other) -> Tensor", dtypes="number")
def logical_or(input, other):
    return (input != 0) | (other != 0)


@op("aten::logical_xor(Tensor self, Tensor other) -> Tensor", dtypes="number")
def logical_xor(input, other):
    return (input != 0) ^ (other != 0)


@op("aten::isfinite(Tensor self) -> Tensor", dtypes="number")
def isfinite(input):
    if not input.is_floating_point():
        return input == input
    return ~(torch.isnan(input) | torch.isinf(input))


@op("aten::isposinf(Tensor self) -> Tensor", dtypes="number")
def isposinf(input):
    return input == float("inf")


@op("aten::isneginf(Tensor self) -> Tensor", dtypes="number")
def isneginf(input):
    return input == float("-inf")


@op("aten::signbit(Tensor self) -> Tensor", dtypes="number")
def signbit(input):
    if not input.is_floating_point():
        return input < 0
    return torch.copysign(torch.ones_like(input), input) < 0


@op("aten::isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor", dtypes="number")
def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    if input.dtype != other.dtype:
        raise RuntimeError("isclose(): the types of its operands differ")
    near = torch.abs(input - other) <= atol + rtol * torch.abs(other)
    result = (input == other) | (near & torch.isfinite(input - other))
    if equal_nan:
        result = result | (torch.isnan(input) & torch.isnan(other))
    return result


@op("aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor", dtypes="first", at="torch Tensor")
def masked_fill(input, mask, value):
    result = torch.where(mask, value, input)
    return result.to(input.dtype)


# --- Activations --------------------------------------------------------------------------------


def _refuse_bool(input, message):
    if input.dtype == torch.bool:
        raise RuntimeError(message)


@op("aten::relu(Tensor self) -> Tensor", at="torch F Tensor", dtypes="number")
def relu(input, inplace=False):
    _refuse_bool(input, "Boolean inputs not supported for relu")
    return torch.maximum(input, 0)


@op("aten::relu6(Tensor self) -> Tensor", at="F", dtypes="number")
def relu6(input, inplace=False):
    _refuse_bool(input, "Bool inputs not supported for hardtanh")
    return torch.minimum(torch.maximum(input, 0), 6)


@op("aten::sigmoid(Tensor self) -> Tensor", at="torch F Tensor", dtypes="promote")
def sigmoid(input):
    return 1.0 / (1.0 + torch.exp(-input))


@view(at="special", names="expit")
def _expit(input):
    return sigmoid(input)


@op("aten::log_sigmoid(Tensor self) -> Tensor", at="F", names="logsigmoid")
def logsigmoid(input):
    return torch.minimum(input, 0.0) - torch.log1p(torch.exp(-torch.abs(input)))


@op("aten::silu(Tensor self) -> Tensor", at="F")
def silu(input, inplace=False):
    return input / (1.0 + torch.exp(-input))


@op("aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor", at="F")
def softplus(input, beta=1.0, threshold=20.0):
    scaled = input * beta
    # exp of what the threshold cuts off could overflow; the result there is the input itself.
    bounded = torch.minimum(scaled, threshold)
    return torch.where(scaled > threshold, input, torch.log1p(torch.exp(bounded)) / beta)


@op("aten::mish(Tensor self) -> Tensor", at="F")
def mish(input, inplace=False):
    return input * torch.tanh(softplus(input))


@op("aten::gelu(Tensor self, *, str approximate='none') -> Tensor", at="F")
def gelu(input, approximate="none"):
    if approximate == "tanh":
        inner = 0.7978845608028654 * (input + 0.044715 * input * input * input)
        return 0.5 * input * (1.0 + torch.tanh(inner))
    if approximate != "none":
        raise RuntimeError("approximate argument must be either none or tanh.")
    return input * 0.5 * torch.erfc(-input * 0.7071067811865476)


@op("aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor", at="F")
def elu(input, alpha=1.0, inplace=False):
    return torch.where(input > 0, input, alpha * torch.expm1(torch.minimum(input, 0.0)))


@op("aten::selu(Tensor self) -> Tensor", at="torch F")
def selu(input, inplace=False):
    alpha = 1.6732632423543772848170429916717
    scale = 1.0507009873554804934193349852946
    return scale * torch.where(input > 0, input, alpha * torch.expm1(torch.minimum(input, 0.0)))


@op("aten::celu(Tensor self, Scalar alpha=1.0) -> Tensor", at="torch F")
def celu(input, alpha=1.0, inplace=False):
    return torch.where(input > 0, input, alpha * torch.expm1(torch.minimum(input, 0.0) / alpha))


@op("aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor", at="F")
def leaky_relu(input, negative_slope=0.01, inplace=False):
    return torch.where(input > 0, input, input * negative_slope)


@op("aten::prelu(Tensor self, Tensor weight) -> Tensor", at="torch F Tensor")
def prelu(input, weight):
    if weight.dim() == 1 and input.dim() > 1:
        weight = weight.reshape([1, -1] + [1] * (input.dim() - 2))
    return torch.where(input > 0, input, weight * input)


@op("aten::rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False) -> Tensor", at="torch F")
def rrelu(input, lower=0.125, upper=0.3333333333333333, training=False, inplace=False):
    if training:
        return prims.refuse("rrelu in training is not supported yet", "random numbers are not supported yet; pass training=False")
    return torch.where(input >= 0, input, input * ((lower + upper) / 2))


@op("aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor", at="F", dtypes="number")
def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    _refuse_bool(input, "Bool inputs not supported for hardtanh")
    if not input.is_floating_point():
        min_val = int(min_val)
        max_val = int(max_val)
        if input.dtype == torch.uint8 and min_val < 0:
            raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    return torch.minimum(torch.maximum(input, min_val), max_val)


@op("aten::hardsigmoid(Tensor self) -> Tensor", at="F")
def hardsigmoid(input, inplace=False):
    return torch.minimum(torch.maximum(input + 3.0, 0.0), 6.0) / 6.0


@op("aten::hardswish(Tensor self) -> Tensor", at="F")
def hardswish(input, inplace=False):
    return input * torch.minimum(torch.maximum(input + 3.0, 0.0), 6.0) / 6.0


@op("aten::hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor", at="torch F Tensor")
def hardshrink(input, lambd=0.5):
    return torch.where((input >= -lambd) & (input <= lambd), 0.0, input)


@op("aten::softshrink(Tensor self, Scalar lambd=0.5) -> Tensor", at="F")
def softshrink(input, lambd=0.5):
    shrunk = torch.where(input > lambd, input - lambd, torch.where(input < -lambd, input + lambd, 0.0))
    return torch.where(torch.isnan(input), input, shrunk)


@op("aten::softsign(Tensor self) -> Tensor", at="F", dtypes="promote_number")
def softsign(input):
    return input / (1.0 + torch.abs(input))


@op("aten::tanhshrink(Tensor self) -> Tensor", at="F", dtypes="promote_number")
def tanhshrink(input):
    return input - torch.tanh(input)


@op("aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor", at="torch F", dtypes="number")
def threshold(input, threshold, value, inplace=False):
    _refuse_bool(input, "\"threshold\" not implemented for 'Bool'")
    return torch.where(input <= threshold, value, input).to(input.dtype)


@op("aten::glu(Tensor self, int dim=-1) -> Tensor", at="F")
def glu(input, dim=-1):
    a, b = torch.chunk(input, 2, dim)
    return a / (1.0 + torch.exp(-b))


# --- Reductions ---------------------------------------------------------------------------------


def _count(input, dim):
    if dim is None:
        return input.numel()
    count = 1
    for axis in dim if isinstance(dim, (tuple, list)) else (dim,):
        if input.dim() > 0:
            count = count * input.shape[axis]
    return count


@op("aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor")
def mean(input, dim=None, keepdim=False, dtype=None):
    if dtype is not None:
        input = input.to(dtype)
    if isinstance(dim, (tuple, list)) and len(dim) == 0:
        dim = None
    return torch.sum(input, dim, keepdim) / _count(input, dim)


def _variance(input, dim, correction, keepdim):
    if isinstance(dim, (tuple, list)) and len(dim) == 0:
        dim = None
    count = _count(input, dim)
    center = torch.sum(input, dim, True) / count
    distance = input - center
    total = torch.sum(distance * distance, dim, keepdim)
    divisor = torch.maximum(torch.tensor(count, dtype=input.dtype) - correction, 0)
    if not keepdim:
        if dim is None:
            center = center.reshape([])
        else:
            center = center.squeeze(dim)
    return total / divisor, center


def _correction(dim, unbiased, correction):
    # var(x, False) is var(x, unbiased=False): the place of `dim` may hold `unbiased`.
    if isinstance(dim, bool):
        return None, 1 if dim else 0
    if unbiased is not None:
        return dim, 1 if unbiased else 0
    return dim, 1 if correction is None else correction


@op("aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor")
def var(input, dim=None, unbiased=None, keepdim=False, correction=None):
    dim, correction = _correction(dim, unbiased, correction)
    return _variance(input, dim, correction, keepdim)[0]


@op("aten::std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor")
def std(input, dim=None, unbiased=None, keepdim=False, correction=None):
    dim, correction = _correction(dim, unbiased, correction)
    return torch.sqrt(_variance(input, dim, correction, keepdim)[0])


@op("aten::var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)", at="torch")
def var_mean(input, dim=None, unbiased=None, keepdim=False, correction=None):
    dim, correction = _correction(dim, unbiased, correction)
    return _variance(input, dim, correction, keepdim)


@op("aten::std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)", at="torch")
def std_mean(input, dim=None, unbiased=None, keepdim=False, correction=None):
    dim, correction = _correction(dim, unbiased, correction)
    variance, center = _variance(input, dim, correction, keepdim)
    return torch.sqrt(variance), center


def _extreme(fold, argument, pairwise, input, dim, keepdim):
    if dim is None:
        return fold(input)
    if isinstance(dim, torch.Tensor):
        return pairwise(input, dim)
    place = argument(input.to(torch.uint8) if input.dtype == torch.bool else input, dim, keepdim)
    return values_indices((fold(input, dim, keepdim), place))


@view(names="max")
def _max(input, dim=None, keepdim=False, other=None):
    return _extreme(torch.amax, torch.argmax, torch.maximum, input, dim if other is None else other, keepdim)


@view(names="min")
def _min(input, dim=None, keepdim=False, other=None):
    return _extreme(torch.amin, torch.argmin, torch.minimum, input, dim if other is None else other, keepdim)


@view()
def aminmax(input, dim=None, keepdim=False):
    dims = () if dim is None else dim
    return torch.amin(input, dims, keepdim), torch.amax(input, dims, keepdim)


@op("aten::nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", dtypes="number")
def nansum(input, dim=None, keepdim=False, dtype=None):
    if input.is_floating_point():
        input = torch.where(torch.isnan(input), 0.0, input)
    return torch.sum(input, dim, keepdim, dtype=dtype)


@op("aten::nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor")
def nanmean(input, dim=None, keepdim=False, dtype=None):
    missing = torch.isnan(input)
    total = torch.sum(torch.where(missing, 0.0, input), dim, keepdim)
    return total / torch.sum(~missing, dim, keepdim)


@op("aten::count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor", dtypes="number")
def count_nonzero(input, dim=None):
    return torch.sum(input != 0, dim)


@op("aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor")
def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    if dtype is not None:
        input = input.to(dtype)
    if p == "fro" or p == 2 or p is None:
        return torch.sqrt(torch.sum(input * input, dim, keepdim))
    if isinstance(p, str):
        raise RuntimeError("norm of order " + repr(p) + " is not supported")
    size = torch.abs(input)
    every = () if dim is None else dim
    if p == float("inf"):
        return torch.amax(size, every, keepdim)
    if p == float("-inf"):
        return torch.amin(size, every, keepdim)
    if p == 1:
        return torch.sum(size, dim, keepdim)
    if p == 0:
        return torch.sum((size != 0).to(input.dtype), dim, keepdim)
    return torch.sum(size**p, dim, keepdim) ** (1.0 / p)


@op("aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", at="torch Tensor special", dtypes="number")
def logsumexp(input, dim, keepdim=False):
    top = prims.amax(input, dim, True)
    top = torch.where(torch.isinf(top), 0.0, top)
    total = torch.log(torch.sum(torch.exp(input - top), dim, True)) + top
    return total if keepdim else total.squeeze(dim)


@op("aten::logcumsumexp(Tensor self, int dim) -> Tensor")
def logcumsumexp(input, dim):
    top = prims.amax(input, dim, True)
    top = torch.where(torch.isinf(top), 0.0, top)
    return torch.log(torch.cumsum(torch.exp(input - top), dim)) + top


# --- Softmax and normalisation --------------------------------------------------------------------


def _softmax_axis(input, dim):
    if dim is not None:
        return dim
    return 0 if input.dim() in (0, 1, 3) else 1


def _softmax_type(stacklevel, dtype):
    # Tensor.softmax(dim, dtype) has the type where F.softmax has _stacklevel.
    return dtype if dtype is not None or isinstance(stacklevel, int) else stacklevel


@op("aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", at="torch F Tensor special")
def softmax(input, dim=None, _stacklevel=3, dtype=None):
    dtype = _softmax_type(_stacklevel, dtype)
    if dtype is not None:
        input = input.to(dtype)
    dim = _softmax_axis(input, dim)
    shifted = torch.exp(input - prims.amax(input, dim, True))
    return shifted / torch.sum(shifted, dim, True)


@op("aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", at="torch F Tensor special")
def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    dtype = _softmax_type(_stacklevel, dtype)
    if dtype is not None:
        input = input.to(dtype)
    dim = _softmax_axis(input, dim)
    shifted = input - prims.amax(input, dim, True)
    return shifted - torch.log(torch.sum(torch.exp(shifted), dim, True))


@op("nereid::softmin(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", at="F")
def softmin(input, dim=None, _stacklevel=3, dtype=None):
    return softmax(-input, dim, _stacklevel, dtype)


def _last_axes(input, shape):
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    for index in range(len(shape)):
        if input.shape[index - len(shape)] != shape[index]:
            raise RuntimeError("Given normalized_shape=" + str(list(shape)) + ", expected input with shape [*, " + str(list(shape))[1:-1] + "]")
    return tuple(range(-len(shape), 0))


@op("aten::layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enable=True) -> Tensor", at="torch F", dtypes="norm")
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True):
    axes = _last_axes(input, normalized_shape)
    count = _count(input, axes)
    center = torch.sum(input, axes, True) / count
    distance = input - center
    variance = torch.sum(distance * distance, axes, True) / count
    result = distance * torch.rsqrt(variance + eps)
    if weight is not None:
        result = result * weight
    if bias is not None:
        result = result + bias
    return result


@op("aten::rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor", at="torch F")
def rms_norm(input, normalized_shape, weight=None, eps=None):
    axes = _last_axes(input, normalized_shape)
    if eps is None:
        eps = torch.finfo(input.dtype).eps
    square = torch.sum(input * input, axes, True) / _count(input, axes)
    result = input * torch.rsqrt(square + eps)
    return result if weight is None else result * weight


@op("aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enabled=True) -> Tensor", at="torch F", dtypes="norm")
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05):
    batch, channels = input.shape[0], input.shape[1]
    grouped = input.reshape(batch, num_groups, -1)
    count = grouped.shape[2]
    center = torch.sum(grouped, 2, True) / count
    distance = grouped - center
    variance = torch.sum(distance * distance, 2, True) / count
    result = (distance * torch.rsqrt(variance + eps)).reshape(input.shape)
    shape = [1, channels] + [1] * (input.dim() - 2)
    if weight is not None:
        result = result * weight.reshape(shape)
    if bias is not None:
        result = result + bias.reshape(shape)
    return result


@op("aten::instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor", at="F", dtypes="norm")
def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-05):
    if running_mean is not None or not use_input_stats:
        return prims.refuse("instance_norm with running statistics is not supported yet", "use track_running_stats=False")
    axes = tuple(range(2, input.dim()))
    count = _count(input, axes)
    center = torch.sum(input, axes, True) / count
    distance = input - center
    variance = torch.sum(distance * distance, axes, True) / count
    result = distance * torch.rsqrt(variance + eps)
    shape = [1, -1] + [1] * (input.dim() - 2)
    if weight is not None:
        result = result * weight.reshape(shape)
    if bias is not None:
        result = result + bias.reshape(shape)
    return result


@op("aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor", at="F", dtypes="norm")
def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05):
    if training:
        return prims.refuse("batch_norm in training is not supported yet", "call .eval() on the module, or pass training=False")
    shape = [1, -1] + [1] * (input.dim() - 2)
    result = (input - running_mean.reshape(shape)) * torch.rsqrt(running_var.reshape(shape) + eps)
    if weight is not None:
        result = result * weight.reshape(shape)
    if bias is not None:
        result = result + bias.reshape(shape)
    return result


@op("nereid::normalize(Tensor self, float p=2.0, int dim=1, float eps=1e-12) -> Tensor", at="F")
def normalize(input, p=2.0, dim=1, eps=1e-12):
    return input / torch.maximum(norm(input, p, dim, True), eps)


@op("aten::cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor", at="torch F")
def cosine_similarity(x1, x2, dim=1, eps=1e-08):
    product = torch.sum(x1 * x2, dim)
    first = torch.sqrt(torch.sum(x1 * x1, dim))
    second = torch.sqrt(torch.sum(x2 * x2, dim))
    return product / (torch.maximum(first, eps) * torch.maximum(second, eps))


# --- Losses -------------------------------------------------------------------------------------


def _reduced(loss, reduction):
    if reduction == "none":
        return loss
    if reduction == "sum":
        return torch.sum(loss)
    if reduction != "mean":
        raise ValueError(reduction + " is not a valid value for reduction")
    return torch.sum(loss) / loss.numel()


@op("aten::mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor", at="F")
def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    distance = input - target
    return _reduced(distance * distance, reduction)


@op("aten::l1_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor", at="F")
def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    return _reduced(torch.abs(input - target), reduction)


@op("aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=Mean, float beta=1.0) -> Tensor", at="F")
def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    distance = torch.abs(input - target)
    return _reduced(torch.where(distance < beta, 0.5 * distance * distance / beta, distance - 0.5 * beta), reduction)


@op("aten::huber_loss(Tensor self, Tensor target, int reduction=Mean, float delta=1.0) -> Tensor", at="F")
def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    distance = torch.abs(input - target)
    return _reduced(torch.where(distance <= delta, 0.5 * distance * distance, delta * (distance - 0.5 * delta)), reduction)


@op("aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean) -> Tensor", at="F")
def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    loss = -(target * torch.maximum(torch.log(input), -100.0) + (1.0 - target) * torch.maximum(torch.log1p(-input), -100.0))
    return _reduced(loss if weight is None else loss * weight, reduction)


@op("aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=Mean) -> Tensor", at="F")
def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
    tail = torch.log1p(torch.exp(-torch.abs(input))) + torch.maximum(-input, 0.0)
    if pos_weight is None:
        loss = (1.0 - target) * input + tail
    else:
        loss = (1.0 - target) * input + (1.0 + (pos_weight - 1.0) * target) * tail
    return _reduced(loss if weight is None else loss * weight, reduction)


@op("aten::kl_div(Tensor self, Tensor target, int reduction=Mean, *, bool log_target=False) -> Tensor", at="F")
def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    if log_target:
        loss = torch.exp(target) * (target - input)
    else:
        loss = xlogy(target, target) - target * input
    if reduction == "batchmean":
        return torch.sum(loss) / input.shape[0]
    return _reduced(loss, reduction)


# --- Views --------------------------------------------------------------------------------------


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


# --- Randomness that is switched off ---------------------------------------------------------------


@view(at="torch F")
def dropout(input, p=0.5, training=True, inplace=False):
    if p == 0 or training is False:
        return input
    return prims.refuse("dropout in training is not supported yet", "random numbers are not supported yet; call .eval() on the module, or use p=0")


@view(at="F", names="dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout")
def _dropout_like(input, p=0.5, training=True, inplace=False):
    return dropout(input, p, training)


# --- What surrounds a program ----------------------------------------------------------------------


class _Limits:
    def __init__(self, bits, eps, max, tiny):
        self.bits = bits
        self.eps = eps
        self.max = max
        self.min = -max
        self.tiny = tiny
        self.smallest_normal = tiny


@export(at="torch")
def finfo(dtype=None):
    if dtype == torch.float64:
        return _Limits(64, 2.220446049250313e-16, 1.7976931348623157e308, 2.2250738585072014e-308)
    if dtype == torch.float16:
        return _Limits(16, 0.0009765625, 65504.0, 6.103515625e-05)
    if dtype == torch.bfloat16:
        return _Limits(16, 0.0078125, 3.3895313892515355e38, 1.1754943508222875e-38)
    return _Limits(32, 1.1920928955078125e-07, 3.4028234663852886e38, 1.1754943508222875e-38)


class _IntLimits:
    def __init__(self, bits, low, high):
        self.bits = bits
        self.min = low
        self.max = high


@export(at="torch")
def iinfo(dtype):
    if dtype == torch.uint8:
        return _IntLimits(8, 0, 255)
    bits = 8 * dtype.itemsize
    return _IntLimits(bits, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


@export(at="torch", names="no_grad enable_grad inference_mode")
class _Mode:
    """A context or decorator without effect on values."""

    def __init__(self, mode=True):
        self.mode = mode

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return None

    def __call__(self, function):
        return function


@export(at="torch", names="compile")
def _compiled(function=None, **options):
    return _as_is(function)


@export(at="jit", names="script")
def _as_is(function=None, **options):
    if function is None:
        return lambda function: function
    return function


@export(at="torch", names="manual_seed set_default_device set_grad_enabled set_float32_matmul_precision")
def _without_effect(value=None):
    return None


@export(at="torch")
def is_grad_enabled():
    return False


@export(at="cuda")
def is_available():
    return True


@export(at="cuda", names="synchronize manual_seed")
def _nothing(*arguments):
    return None


@export(at="torch", names="get_default_dtype")
def _default_dtype():
    return torch.float32


# --- More losses and lookups ------------------------------------------------------------------------


@op("aten::one_hot(Tensor self, int num_classes=-1) -> Tensor", at="F", dtypes="any")
def one_hot(tensor, num_classes=-1):
    if num_classes == -1:
        return prims.refuse("one_hot without num_classes has a size that depends on the data", "pass num_classes")
    shape = tensor.shape + (num_classes,)
    return (tensor.unsqueeze(-1) == prims.iota(shape, len(shape) - 1)).to(torch.int64)


def _picked(log_probs, target, ignore_index, weight):
    if weight is not None:
        return prims.refuse("class weights of a loss are not supported yet", "multiply the unreduced loss")
    axis = 0 if log_probs.dim() == 1 else 1
    kept = target != ignore_index
    places = torch.where(kept, target, 0).unsqueeze(axis)
    picked = -torch.gather(log_probs, axis, places).squeeze(axis)
    return torch.where(kept, picked, 0.0), kept


def _class_loss(log_probs, target, weight, ignore_index, reduction):
    picked = _picked(log_probs, target, ignore_index, weight)
    if not isinstance(picked, tuple):
        return picked
    loss, kept = picked
    if reduction == "none":
        return loss
    if reduction == "sum":
        return torch.sum(loss)
    return torch.sum(loss) / torch.sum(kept)


@op("aten::nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100) -> Tensor", at="F", dtypes="first")
def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    return _class_loss(input, target, weight, ignore_index, reduction)


@op("aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100, float label_smoothing=0.0) -> Tensor", at="F", dtypes="first")
def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
    if target.is_floating_point() or label_smoothing != 0.0:
        return prims.refuse("cross_entropy with class probabilities or label smoothing is not supported yet", "write the loss from log_softmax")
    return _class_loss(log_softmax(input, 0 if input.dim() == 1 else 1), target, weight, ignore_index, reduction)


@view(at="linalg", names="norm vector_norm")
def _vector_norm(x, ord=2, dim=None, keepdim=False, dtype=None):
    return norm(x, 2 if ord is None else ord, dim, keepdim, None, dtype)


@view(at="torch F", names="pairwise_distance")
def pairwise_distance(x1, x2, p=2.0, eps=1e-06, keepdim=False):
    return norm(x1 - x2 + eps, p, -1, keepdim)


@op("aten::dot(Tensor self, Tensor tensor) -> Tensor", dtypes="number", names="dot vdot")
def dot(input, tensor):
    if input.dim() != 1 or tensor.dim() != 1:
        raise RuntimeError("1D tensors expected, but got " + str(input.dim()) + "D and " + str(tensor.dim()) + "D tensors")
    if input.dtype != tensor.dtype:
        raise RuntimeError("dot : expected both vectors to have same dtype")
    return torch.sum(input * tensor)
