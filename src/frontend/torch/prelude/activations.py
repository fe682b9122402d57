# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Activations of torch.nn.functional (arithmetic.py explains the decorators)."""


def _refuse_bool(input, message):
    if input.dtype == torch.bool:
        raise RuntimeError(message)


def _relu_gradient(grad, result):
    return torch.where(result <= 0, 0.0, grad)


@op("aten::relu(Tensor self) -> Tensor", at="torch F Tensor", dtypes="number", grad=_relu_gradient)
def relu(input, inplace=False):
    _refuse_bool(input, "Boolean inputs not supported for relu")
    return torch.maximum(input, 0)


def _relu6_gradient(grad, input):
    return torch.where((input <= 0) | (input >= 6), 0.0, grad)


@op("aten::relu6(Tensor self) -> Tensor", at="F", dtypes="number", grad=_relu6_gradient)
def relu6(input, inplace=False):
    _refuse_bool(input, "Bool inputs not supported for hardtanh")
    return torch.minimum(torch.maximum(input, 0), 6)


def _sigmoid_gradient(grad, result):
    return grad * ((1.0 - result) * result)


@op("aten::sigmoid(Tensor self) -> Tensor", at="torch F Tensor", dtypes="promote", grad=_sigmoid_gradient)
def sigmoid(input):
    return 1.0 / (1.0 + torch.exp(-input))


@view(at="special", names="expit")
def _expit(input):
    return sigmoid(input)


@op("aten::log_sigmoid(Tensor self) -> Tensor", at="F", names="logsigmoid")
def logsigmoid(input):
    return torch.minimum(input, 0.0) - torch.log1p(torch.exp(-torch.abs(input)))


def _silu_gradient(grad, input):
    sigmoid = 1.0 / (1.0 + torch.exp(-input))
    return grad * (sigmoid * (1.0 + input * (1.0 - sigmoid)))


@op("aten::silu(Tensor self) -> Tensor", at="F", grad=_silu_gradient)
def silu(input, inplace=False):
    return input / (1.0 + torch.exp(-input))


def _softplus_gradient(grad, input, beta, threshold):
    scaled = input * beta
    exponential = torch.exp(torch.minimum(scaled, threshold))
    return torch.where(scaled > threshold, grad, grad * exponential / (exponential + 1.0))


@op("aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor", at="F", grad=_softplus_gradient)
def softplus(input, beta=1.0, threshold=20.0):
    is_plain = not prims.is_symbolic(beta) and beta == 1
    scaled = input if is_plain else input * beta
    # exp of what the threshold cuts off could overflow; the result there is the input itself.
    bounded = torch.minimum(scaled, threshold)
    softplus = torch.log1p(torch.exp(bounded))
    return torch.where(scaled > threshold, input, softplus if is_plain else softplus / beta)


def _mish_parts(input):
    """tanh(log(1 + e)), which is n / (n + 2) for n = e * (e + 2), and e = exp(input); 1 where e is large."""
    e = torch.exp(torch.minimum(input, 20.0))
    n = e * (e + 2)
    return n / (n + 2), e


def _mish_gradient(grad, input):
    tanh_softplus, exponential = _mish_parts(input)
    return grad * (tanh_softplus + input * (exponential / (1 + exponential)) * (1 - tanh_softplus * tanh_softplus))


@op("aten::mish(Tensor self) -> Tensor", at="F", grad=_mish_gradient)
def mish(input, inplace=False):
    tanh_softplus, _ = _mish_parts(input)
    return input * tanh_softplus


@op("aten::gelu(Tensor self, *, str approximate='none') -> Tensor", at="F")
def gelu(input, approximate="none"):
    if approximate == "tanh":
        inner = 0.7978845608028654 * (input + 0.044715 * input * input * input)
        return 0.5 * input * (1.0 + torch.tanh(inner))
    if approximate != "none":
        raise RuntimeError("approximate argument must be either none or tanh.")
    return input * 0.5 * (1.0 + torch.erf(input * 0.7071067811865476))


def _elu_gradient(grad, input, alpha):
    return torch.where(input <= 0, grad * (alpha * torch.exp(torch.minimum(input, 0.0))), grad)


@op("aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor", at="F", grad=_elu_gradient)
def elu(input, alpha=1.0, inplace=False):
    return torch.where(input > 0, input, alpha * torch.expm1(torch.minimum(input, 0.0)))


def _selu_gradient(grad, input):
    scale = 1.0507009873554804934193349852946
    alpha = 1.6732632423543772848170429916717
    return torch.where(input <= 0, grad * (scale * alpha * torch.exp(torch.minimum(input, 0.0))), grad * scale)


@op("aten::selu(Tensor self) -> Tensor", at="torch F", grad=_selu_gradient)
def selu(input, inplace=False):
    alpha = 1.6732632423543772848170429916717
    scale = 1.0507009873554804934193349852946
    return scale * torch.where(input > 0, input, alpha * torch.expm1(torch.minimum(input, 0.0)))


def _celu_gradient(grad, input, alpha):
    return torch.where(input <= 0, grad * torch.exp(torch.minimum(input, 0.0) / alpha), grad)


@op("aten::celu(Tensor self, Scalar alpha=1.0) -> Tensor", at="torch F", grad=_celu_gradient)
def celu(input, alpha=1.0, inplace=False):
    return torch.where(input > 0, input, alpha * torch.expm1(torch.minimum(input, 0.0) / alpha))


@op("aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor", at="F")
def leaky_relu(input, negative_slope=0.01, inplace=False):
    return torch.where(input > 0, input, input * negative_slope)


@op("aten::prelu(Tensor self, Tensor weight) -> Tensor", at="torch F Tensor")
def prelu(input, weight):
    if weight.dim() == 1 and input.dim() > 1:
        weight = weight.reshape([1, -1] + [1] * (input.dim() - 2))
    elif input.dim() == 0:
        weight = weight.reshape(())
    return torch.where(input > 0, input, weight * input)


def _hardtanh_gradient(grad, input, min_val, max_val):
    return torch.where((input <= min_val) | (input >= max_val), 0.0, grad)


@op("aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor", at="F", dtypes="number", grad=_hardtanh_gradient)
def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    _refuse_bool(input, "Bool inputs not supported for hardtanh")
    if not input.is_floating_point():
        min_val = int(min_val)
        max_val = int(max_val)
        if input.dtype == torch.uint8 and min_val < 0:
            raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    return torch.minimum(torch.maximum(input, min_val), max_val)


def _hardsigmoid_gradient(grad, input):
    return torch.where((input > -3.0) & (input < 3.0), grad / 6.0, 0.0)


@op("aten::hardsigmoid(Tensor self) -> Tensor", at="F", grad=_hardsigmoid_gradient)
def hardsigmoid(input, inplace=False):
    return torch.minimum(torch.maximum(input + 3.0, 0.0), 6.0) / 6.0


def _hardswish_gradient(grad, input):
    inside = torch.where(input < 3.0, grad * (input / 3.0 + 0.5), grad)
    return torch.where(input <= -3.0, 0.0, inside)


@op("aten::hardswish(Tensor self) -> Tensor", at="F", grad=_hardswish_gradient)
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


def _glu_gradient(grad, input, dim):
    a, b = torch.chunk(input, 2, dim)
    sigmoid = 1.0 / (1.0 + torch.exp(-b))
    halves = [grad * sigmoid, grad * a * ((1.0 - sigmoid) * sigmoid)]
    return torch.stack(halves, dim if dim >= 0 else dim + input.dim()).reshape(input.shape)


@op("aten::glu(Tensor self, int dim=-1) -> Tensor", at="F", grad=_glu_gradient)
def glu(input, dim=-1):
    a, b = torch.chunk(input, 2, dim)
    return a / (1.0 + torch.exp(-b))
