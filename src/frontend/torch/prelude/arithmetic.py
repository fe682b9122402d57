# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pointwise operators of torch, made of the primitive ones.

What all families of definitions share: `@op(schema, at=, names=, dtypes=)` registers a definition
under its ATen schema. `at` lists where Python finds it (torch, F, Tensor, special; by default torch
and Tensor), `names` its spellings there (by default the function's name). `dtypes`: "float" refuses
integers, "same" types that differ too, "one" types that differ and bool, "number" takes all, "any"
too, "promote" makes float32 of integers ("promote_number" of all but bool), "first" gives results
the type of the first tensor, "norm" so of a first tensor of floats, "second" of a second one. Halves
are computed in float32 and rounded once.
`grad` names the function that gives the gradient, where the one derived from the body is not PyTorch's,
not stable or dear: it asks by name for `grad`, `result` and the arguments, and returns the gradient of the
first tensor, or a dict of them (docs/gradients.md).
A definition registered by `@view()` is no operator of its own: its body is read in the caller's
place, so views stay views. Families see each other through torch, F and prims.
"""


@op("aten::reciprocal(Tensor self) -> Tensor", dtypes="number")
def reciprocal(input):
    return 1.0 / input


@op("aten::square(Tensor self) -> Tensor", dtypes="number")
def square(input):
    return input**2


@op("aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", dtypes="number", at="torch")
def rsub(input, other, alpha=1):
    return torch.sub(other, input, alpha=alpha)


def _promoted(input, tensor1, tensor2):
    """The two tensors in the type of the result of all three."""
    common = torch.promote_types(torch.result_type(input, tensor1), torch.result_type(input, tensor2))
    return tensor1.to(common), tensor2.to(common)


@op("aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", dtypes="number")
def addcmul(input, tensor1, tensor2, value=1):
    tensor1, tensor2 = _promoted(input, tensor1, tensor2)
    return input + value * tensor1 * tensor2


@op("aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor")
def addcdiv(input, tensor1, tensor2, value=1):
    tensor1, tensor2 = _promoted(input, tensor1, tensor2)
    return input + value * (tensor1 / tensor2)


def _lerp_gradient(grad, input, end, weight):
    gradients = {"input": grad * (1 - weight), "end": grad * weight}
    if isinstance(weight, torch.Tensor):
        gradients["weight"] = grad * (end - input)
    return gradients


@op("aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor", dtypes="same", grad=_lerp_gradient)
def lerp(input, end, weight):
    # From the nearer end, as PyTorch goes: exact at both.
    from_input = input + weight * (end - input)
    from_end = end - (end - input) * (1 - weight)
    # A number of the caller's may be another one at the next call.
    is_near = abs(torch.full((), weight) if prims.is_live(weight) else weight) < 0.5
    if is_near is True or is_near is False:
        return from_input if is_near else from_end
    return torch.where(is_near, from_input, from_end)


def _clamp_gradient(grad, input, min, max):
    if max is None:
        return _clamp_min_gradient(grad, input, min)
    if min is None:
        return _clamp_max_gradient(grad, input, max)
    gradients = {"input": torch.where((input >= min) & (input <= max), grad, 0.0)}
    if isinstance(min, torch.Tensor):
        gradients["min"] = torch.where((min < max) & (input < min), grad, 0.0)
    if isinstance(max, torch.Tensor):
        gradients["max"] = torch.where((input > max) | (max < min), grad, 0.0)
    return gradients


@op("aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", names="clamp clip", dtypes="number", grad=_clamp_gradient)
def clamp(input, min=None, max=None):
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if min is not None:
        input = torch.maximum(input, min)
    if max is not None:
        input = torch.minimum(input, max)
    return input


def _clamp_min_gradient(grad, input, min):
    gradients = {"input": torch.where(input >= min, grad, 0.0)}
    if isinstance(min, torch.Tensor):
        gradients["min"] = torch.where(input < min, grad, 0.0)
    return gradients


@op("aten::clamp_min(Tensor self, Scalar min) -> Tensor", dtypes="number", grad=_clamp_min_gradient)
def clamp_min(input, min):
    return torch.maximum(input, min)


def _clamp_max_gradient(grad, input, max):
    gradients = {"input": torch.where(input <= max, grad, 0.0)}
    if isinstance(max, torch.Tensor):
        gradients["max"] = torch.where(input > max, grad, 0.0)
    return gradients


@op("aten::clamp_max(Tensor self, Scalar max) -> Tensor", dtypes="number", grad=_clamp_max_gradient)
def clamp_max(input, max):
    return torch.minimum(input, max)


def _fmax_gradient(grad, input, other):
    first = (input >= other) | torch.isnan(other)
    return {"input": torch.where(first, grad, 0.0), "other": torch.where(first, 0.0, grad)}


@op("aten::fmax(Tensor self, Tensor other) -> Tensor", dtypes="number", grad=_fmax_gradient)
def fmax(input, other):
    return torch.where(torch.isnan(input), other, torch.where(torch.isnan(other), input, torch.maximum(input, other)))


def _fmin_gradient(grad, input, other):
    first = (input <= other) | torch.isnan(other)
    return {"input": torch.where(first, grad, 0.0), "other": torch.where(first, 0.0, grad)}


@op("aten::fmin(Tensor self, Tensor other) -> Tensor", dtypes="number", grad=_fmin_gradient)
def fmin(input, other):
    return torch.where(torch.isnan(input), other, torch.where(torch.isnan(other), input, torch.minimum(input, other)))


@op("aten::frac(Tensor self) -> Tensor")
def frac(input):
    return input - torch.trunc(input)


def _hypot_gradient(grad, result, input, other):
    return {"input": grad * (input / result), "other": grad * (other / result)}


@op("aten::hypot(Tensor self, Tensor other) -> Tensor", grad=_hypot_gradient)
def hypot(input, other):
    a = torch.abs(input)
    b = torch.abs(other)
    large = torch.maximum(a, b)
    small = torch.minimum(a, b)
    ratio = small / large
    result = torch.where(small == 0, large, large * torch.sqrt(1 + ratio * ratio))
    # Infinite beside NaN too, as C's function is.
    return torch.where(torch.isinf(a) | torch.isinf(b), float("inf"), result)


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


@view()
def nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    if not input.is_floating_point():
        return input.clone()
    # The greatest number of the type that is stored, not of the one that halves are computed in.
    limit = torch.finfo(input.dtype).max
    high = limit if posinf is None else posinf
    low = -limit if neginf is None else neginf
    return _nan_to_num(input, 0.0 if nan is None else nan, high, low)


@op("aten::nan_to_num(Tensor self, float nan, float posinf, float neginf) -> Tensor", at="")
def _nan_to_num(input, nan, posinf, neginf):
    result = torch.where(torch.isnan(input), nan, input)
    return torch.where(torch.isinf(result), torch.where(result > 0, posinf, neginf), result)


def _of_tensors(operator, input, other, out):
    """The operator of two tensors, of which one may be given as a number."""
    if not isinstance(input, torch.Tensor):
        input = torch.full((), input, dtype=torch.result_type(input, other), device=other.device)
    elif not isinstance(other, torch.Tensor):
        other = torch.full((), other, dtype=torch.result_type(input, other), device=input.device)
    return operator(input, other) if out is None else operator(input, other, out=out)


def _xlogy_gradient(grad, input, other):
    flat = (input == 0) & (other <= 0)
    return {"input": torch.where(flat, 0.0, _xlogy(grad, other)), "other": grad * input / other}


@view(at="torch Tensor special")
def xlogy(input, other, *, out=None):
    return _of_tensors(_xlogy, input, other, out)


@op("aten::xlogy.Tensor(Tensor self, Tensor other) -> Tensor", at="prims", dtypes="number", grad=_xlogy_gradient)
def _xlogy(input, other):
    product = input * torch.log(other)
    return torch.where(torch.isnan(other), float("nan"), torch.where(input == 0, 0.0, product))


def _xlog1py_gradient(grad, input, other):
    flat = (input == 0) & (other <= -1)
    return {"input": torch.where(flat, 0.0, _xlog1py(grad, other)), "other": grad * input / (other + 1)}


@view(at="special")
def xlog1py(input, other, *, out=None):
    return _of_tensors(_xlog1py, input, other, out)


@op("aten::special_xlog1py(Tensor self, Tensor other) -> Tensor", at="prims", dtypes="promote", grad=_xlog1py_gradient)
def _xlog1py(input, other):
    product = input * torch.log1p(other)
    return torch.where(torch.isnan(other), float("nan"), torch.where(input == 0, 0.0, product))


def _entr_gradient(grad, input):
    return grad * (-1.0 - torch.log(input))


@op("aten::special_entr(Tensor self) -> Tensor", at="special", dtypes="promote", grad=_entr_gradient)
def entr(input):
    inside = torch.where(input == 0, 0.0, -input * torch.log(input))
    return torch.where(input < 0, float("-inf"), inside)


@op("aten::special_ndtr(Tensor self) -> Tensor", at="special", dtypes="promote")
def ndtr(input):
    return 0.5 * torch.erfc(input * -0.7071067811865476)


def _inverse_square_gradient(grad, result, input):
    return grad * (result * -2.0 / input)


@op("nereid::inverse_square(Tensor self) -> Tensor", at="prims", names="inverse_square", dtypes="own", grad=_inverse_square_gradient)
def _inverse_square(input):
    return 1.0 / (input * input)


@op("aten::float_power(Tensor self, Tensor exponent) -> Tensor", dtypes="own")
def float_power(input, exponent):
    if isinstance(input, torch.Tensor):
        return torch.pow(input.to(torch.float64), exponent.to(torch.float64) if isinstance(exponent, torch.Tensor) else exponent)
    return torch.pow(float(input), exponent.to(torch.float64))


@op("aten::ldexp.Tensor(Tensor self, Tensor other) -> Tensor", dtypes="promote")
def ldexp(input, other):
    return input * torch.pow(2.0, other)


@view()
def positive(input):
    if input.dtype == torch.bool:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


def _no_gradient(grad):
    return {}


@op("aten::heaviside(Tensor self, Tensor values) -> Tensor", dtypes="number", grad=_no_gradient)
def heaviside(input, values):
    return torch.where(input == 0, values, (input > 0).to(input.dtype))


@op("aten::sgn(Tensor self) -> Tensor", dtypes="number")
def sgn(input):
    return torch.sign(input)


def _sinc_gradient(grad, input):
    scaled = input * 3.141592653589793
    area = input * scaled
    return torch.where(area == 0, 0.0, grad * ((scaled * torch.cos(scaled) - torch.sin(scaled)) / area))


@op("aten::sinc(Tensor self) -> Tensor", at="torch Tensor special", dtypes="promote", grad=_sinc_gradient)
def sinc(input):
    scaled = input * 3.141592653589793
    return torch.where(input == 0, 1.0, torch.sin(scaled) / scaled)


@op("aten::deg2rad(Tensor self) -> Tensor", dtypes="number")
def deg2rad(input):
    return input * 0.017453292519943295


@op("aten::rad2deg(Tensor self) -> Tensor", dtypes="number")
def rad2deg(input):
    return input * 57.29577951308232


def _logit_gradient(grad, input, eps):
    slope = grad / (input * (1 - input))
    if eps is None:
        return torch.where((input < 0) | (input > 1), float("nan"), slope)
    return torch.where((input < eps) | (input > 1 - eps), 0.0, slope)


@op("aten::logit(Tensor self, float? eps=None) -> Tensor", at="torch Tensor special", dtypes="promote", grad=_logit_gradient)
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
    if input.dtype == torch.bool:
        return input == other
    is_equal = input == other
    if not input.is_floating_point():
        # Differences of integers might not fit into their type.
        input, other = input.to(torch.get_default_dtype()), other.to(torch.get_default_dtype())
    near = torch.abs(input - other) <= atol + rtol * torch.abs(other)
    result = is_equal | (near & torch.isfinite(input - other))
    if equal_nan:
        result = result | (torch.isnan(input) & torch.isnan(other))
    return result


@op("aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor", dtypes="first", at="torch Tensor")
def masked_fill(input, mask, value):
    result = torch.where(mask, value, input)
    return result.to(input.dtype)
