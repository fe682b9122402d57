# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax, normalisations and similarities (arithmetic.py explains the decorators).

Kernels call values as the variables here are called, but for `result`.
"""


def _softmax_axis(input, dim):
    if dim is not None:
        return dim
    return 0 if input.dim() in (0, 1, 3) else 1


def _softmax_type(stacklevel, dtype):
    # Tensor.softmax(dim, dtype) has the type where F.softmax has _stacklevel.
    return dtype if dtype is not None or isinstance(stacklevel, int) else stacklevel


def _softmax_gradient(grad, result, input, dim, _stacklevel, dtype):
    dim = _softmax_axis(input, dim)
    return result * (grad - torch.sum(grad * result, dim, True))


@op("aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", at="torch F Tensor special", grad=_softmax_gradient)
def softmax(input, dim=None, _stacklevel=3, dtype=None):
    dtype = _softmax_type(_stacklevel, dtype)
    if dtype is not None:
        input = input.to(dtype)
    dim = _softmax_axis(input, dim)
    numerator = torch.exp(input - prims.amax(input, dim, True).detach())
    return numerator / torch.sum(numerator, dim, True)


def _log_softmax_gradient(grad, result, input, dim, _stacklevel, dtype):
    dim = _softmax_axis(input, dim)
    return grad - torch.exp(result) * torch.sum(grad, dim, True)


@op("aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", at="torch F Tensor special", grad=_log_softmax_gradient)
def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    dtype = _softmax_type(_stacklevel, dtype)
    if dtype is not None:
        input = input.to(dtype)
    dim = _softmax_axis(input, dim)
    shifted = input - prims.amax(input, dim, True).detach()
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


def _moments(input, axes):
    count = prims.count(input, axes)
    total = torch.sum(input, axes, True)
    mean = total / count
    centered = input - mean
    squares = torch.sum(centered * centered, axes, True)
    variance = squares / count
    return mean, centered, variance


def _through_moments(grad, normalized, rstd, projection, mean_grad):
    # Of `normalized = (x - mean) * rstd` with the mean and the deviation of x itself, which take the parts of the
    # gradient that lie along the result and that are level.
    return rstd * (grad - mean_grad - normalized * projection)


def _layer_norm_gradient(grad, input, normalized_shape, weight, bias, eps):
    axes = _last_axes(input, normalized_shape)
    mean, centered, variance = _moments(input, axes)
    rstd = torch.rsqrt(variance + eps)
    normalized = centered * rstd
    grad_normalized = grad if weight is None else grad * weight
    count = prims.count(input, axes)
    projection = torch.sum(grad_normalized * normalized, axes, True) / count
    mean_grad = torch.sum(grad_normalized, axes, True) / count
    gradients = {"input": _through_moments(grad_normalized, normalized, rstd, projection, mean_grad)}
    if weight is not None:
        gradients["weight"] = grad * normalized
    if bias is not None:
        gradients["bias"] = grad
    return gradients


@op("aten::layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enable=True) -> Tensor", at="torch F", dtypes="norm", grad=_layer_norm_gradient)
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True):
    mean, centered, variance = _moments(input, _last_axes(input, normalized_shape))
    rstd = torch.rsqrt(variance + eps)
    normalized = centered * rstd
    result = normalized
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
    mean_square = torch.sum(input * input, axes, True) / prims.count(input, axes)
    rrms = torch.rsqrt(mean_square + eps)
    result = input * rrms
    return result if weight is None else result * weight


def _along_channels(tensor, input):
    return tensor.reshape([1, -1] + [1] * (input.dim() - 2))


def _scaled(result, weight, bias):
    if weight is not None:
        result = result * _along_channels(weight, result)
    if bias is not None:
        result = result + _along_channels(bias, result)
    return result


def _weighted(tensor, weight):
    return tensor if weight is None else tensor * weight


def _channel_sums(grad, normalized):
    # For each image and channel: all sums of a gradient are made of these, so that it is read twice.
    axes = tuple(range(2, grad.dim()))
    grad_weight = grad * normalized
    if not axes:
        return grad_weight, grad
    channel_grad_weight = torch.sum(grad_weight, axes)
    channel_grad_bias = torch.sum(grad, axes)
    return channel_grad_weight, channel_grad_bias


def _of_parameters(products, levels, weight, bias):
    gradients = {}
    if weight is not None:
        gradients["weight"] = torch.sum(products, 0)
    if bias is not None:
        gradients["bias"] = torch.sum(levels, 0)
    return gradients


def _group_norm_gradient(grad, input, num_groups, weight, bias, eps):
    batch, channels = input.shape[0], input.shape[1]
    grouped = input.reshape(batch, num_groups, -1)
    mean, centered, variance = _moments(grouped, (2,))
    rstd = torch.rsqrt(variance + eps)
    normalized = centered * rstd
    sums = _channel_sums(grad, normalized.reshape(input.shape))
    projection, mean_grad = [
        torch.sum(_weighted(each, weight).reshape(batch, num_groups, channels // num_groups), 2, True) / grouped.shape[2]
        for each in sums
    ]
    grad_normalized = _scaled(grad, weight, None).reshape(grouped.shape)
    gradients = _of_parameters(*sums, weight, bias)
    gradients["input"] = _through_moments(grad_normalized, normalized, rstd, projection, mean_grad).reshape(input.shape)
    return gradients


@op("aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enabled=True) -> Tensor", at="torch F", dtypes="norm", grad=_group_norm_gradient)
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05, cudnn_enabled=True):
    batch, channels = input.shape[0], input.shape[1]
    if channels % num_groups != 0:
        raise RuntimeError("Expected number of channels in input to be divisible by num_groups " + str(num_groups))
    grouped = input.reshape(batch, num_groups, -1)
    mean, centered, variance = _moments(grouped, (2,))
    rstd = torch.rsqrt(variance + eps)
    normalized = centered * rstd
    result = normalized.reshape(input.shape)
    shape = [1, channels] + [1] * (input.dim() - 2)
    if weight is not None:
        result = result * weight.reshape(shape)
    if bias is not None:
        result = result + bias.reshape(shape)
    return result


def _instance_norm_gradient(grad, input, weight, bias, eps):
    axes = tuple(range(2, input.dim()))
    count = prims.count(input, axes)
    mean, centered, variance = _moments(input, axes)
    rstd = torch.rsqrt(variance + eps)
    normalized = centered * rstd
    sums = _channel_sums(grad, normalized)
    projection, mean_grad = [(each / count).reshape(each.shape + (1,) * len(axes)) for each in sums]
    gradients = _of_parameters(*sums, weight, bias)
    gradients["input"] = _scaled(_through_moments(grad, normalized, rstd, projection, mean_grad), weight, None)
    return gradients


@op("aten::instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor", at="", dtypes="norm", grad=_instance_norm_gradient)
def _instance_norm(input, weight, bias, eps):
    mean, centered, variance = _moments(input, tuple(range(2, input.dim())))
    rstd = torch.rsqrt(variance + eps)
    normalized = centered * rstd
    return _scaled(normalized, weight, bias)


@view(at="torch F")
def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-05, cudnn_enabled=True):
    if not use_input_stats:
        return _batch_norm(input, running_mean, running_var, weight, bias, eps)
    if running_mean is not None:
        axes = tuple(range(2, input.dim()))
        count = prims.count(input, axes)
        mean, variance = _statistics(input, axes)
        _follow(running_mean, torch.mean(mean, 0), momentum, count)
        _follow(running_var, torch.mean(_unbiased(variance, count), 0), momentum, count)
    return _instance_norm(input, weight, bias, eps)


@op("aten::_native_batch_norm_legit(Tensor input) -> (Tensor, Tensor)", at="", dtypes="norm")
def _statistics(input, axes):
    mean, centered, variance = _moments(input, axes)
    return mean.squeeze(axes), variance.squeeze(axes)


def _unbiased(variance, count):
    return variance * (count / (count - 1))


def _follow(running, value, momentum, count):
    if running.requires_grad and not prims.without_gradient(running):
        return prims.refuse("running statistics that have a gradient are not supported: PyTorch has none", "make them buffers of a module")
    # An empty batch says nothing.
    followed = torch.where(torch.tensor(count) == 0, running, (1 - momentum) * running + momentum * value)
    # Autograd does not see it.
    with torch.no_grad():
        running.copy_(followed)


def _batch_norm_gradient(grad, input, mean, variance, weight, bias, eps):
    # In training: the mean and the variance are those of the input.
    axes = (0,) + tuple(range(2, input.dim()))
    count = prims.count(input, axes)
    rstd = torch.rsqrt(_along_channels(variance, input) + eps)
    normalized = (input - _along_channels(mean, input)) * rstd
    sums = torch.sum(grad * normalized, axes), torch.sum(grad, axes)
    projection, mean_grad = [_along_channels(each / count, input) for each in sums]
    gradients = {"input": _scaled(_through_moments(grad, normalized, rstd, projection, mean_grad), weight, None)}
    if weight is not None:
        gradients["weight"] = sums[0]
    if bias is not None:
        gradients["bias"] = sums[1]
    return gradients


def _normalised_by(input, mean, variance, weight, bias, eps):
    centered = input - _along_channels(mean, input)
    rstd = torch.rsqrt(_along_channels(variance, input) + eps)
    normalized = centered * rstd
    return _scaled(normalized, weight, bias)


@op("aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor", at="", dtypes="norm")
def _batch_norm(input, mean, variance, weight, bias, eps):
    return _normalised_by(input, mean, variance, weight, bias, eps)


@op("nereid::batch_norm_in_training(Tensor input, Tensor mean, Tensor variance, Tensor? weight, Tensor? bias, float eps) -> Tensor", at="", dtypes="norm", grad=_batch_norm_gradient)
def _batch_norm_in_training(input, mean, variance, weight, bias, eps):
    return _normalised_by(input, mean, variance, weight, bias, eps)


@view(at="F")
def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05):
    if input.dim() < 2:
        raise IndexError("batch_norm: expected an input of at least 2 dimensions, got " + str(input.dim()))
    if not training:
        return _batch_norm(input, running_mean, running_var, weight, bias, eps)
    axes = (0,) + tuple(range(2, input.dim()))
    count = prims.count(input, axes)
    if count == 1:
        raise ValueError("Expected more than 1 value per channel when training")
    # Statistics stay as wide as they are computed.
    mean, variance = _statistics(input if input.dtype == torch.float64 else input.float(), axes)
    result = _batch_norm_in_training(input, mean, variance, weight, bias, eps)
    if running_mean is not None:
        _follow(running_mean, mean, momentum, count)
    if running_var is not None:
        _follow(running_var, _unbiased(variance, count), momentum, count)
    return result


@op("nereid::local_response_norm(Tensor self, int size, float alpha=0.0001, float beta=0.75, float k=1.0) -> Tensor", at="F")
def local_response_norm(input, size, alpha=0.0001, beta=0.75, k=1.0):
    if input.dim() < 3:
        raise ValueError("Expected 3D or higher dimensionality input (got " + str(input.dim()) + " dimensions)")
    square = prims.pad(input * input, [0, 0] * (input.dim() - 2) + [size // 2, (size - 1) // 2])
    total = prims.slice(square, 1, 0, input.shape[1])
    for index in range(1, size):
        total = total + prims.slice(square, 1, index, input.shape[1])
    return input / (total / size * alpha + k) ** beta


@op("nereid::normalize(Tensor self, float p=2.0, int dim=1, float eps=1e-12) -> Tensor", at="F")
def normalize(input, p=2.0, dim=1, eps=1e-12):
    return input / torch.clamp_min(torch.norm(input, p, dim, True), eps)


def _cosine_gradient(grad, x1, x2, dim, eps):
    x1, x2 = torch.broadcast_tensors(x1, x2)
    grad = grad.unsqueeze(dim if dim >= 0 else dim + x1.dim())
    first = torch.sqrt(torch.sum(x1 * x1, dim, True))
    second = torch.sqrt(torch.sum(x2 * x2, dim, True))
    bounded1 = torch.maximum(first, eps)
    bounded2 = torch.maximum(second, eps)
    a = x1 / bounded1
    b = x2 / bounded2
    agreement = grad * torch.sum(a * b, dim, True)
    of_first = torch.where(first == 0, 0.0, x1 / first) * agreement
    of_second = torch.where(second == 0, 0.0, x2 / second) * agreement
    return {"x1": (grad * b - of_first) / bounded1, "x2": (grad * a - of_second) / bounded2}


@op("aten::cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor", at="torch F", grad=_cosine_gradient)
def cosine_similarity(x1, x2, dim=1, eps=1e-08):
    x1, x2 = torch.broadcast_tensors(x1, x2)
    product = torch.sum(x1 * x2, dim)
    first = torch.sqrt(torch.sum(x1 * x1, dim))
    second = torch.sqrt(torch.sum(x2 * x2, dim))
    return product / (torch.maximum(first, eps) * torch.maximum(second, eps))


# --- Parameters that are computed from others -----------------------------------------------------


def _computed(module, name, compute):
    delattr(module, name)
    module.__dict__.setdefault("_computed", {})[name] = compute
    return module


@export(at="utils")
def parameters_to_vector(parameters):
    return torch.cat([parameter.view(-1) for parameter in parameters])


@export(at="utils", names="weight_norm")
def _hooked_weight_norm(module, name="weight", dim=0):
    dim = -1 if dim is None else dim
    hooks = module._hook_table()["of weight_norm"]
    if name in hooks:
        raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    hooks.append(name)
    weight = getattr(module, name)
    setattr(module, name + "_g", torch.nn.Parameter(torch.norm_except_dim(weight, 2, dim)))
    setattr(module, name + "_v", torch.nn.Parameter(weight))
    return _computed(
        module, name, lambda self: torch._weight_norm(getattr(self, name + "_v"), getattr(self, name + "_g"), dim)
    )


@export(at="utils", names="remove_weight_norm")
def _remove_weight_norm(module, name="weight"):
    weight = getattr(module, name)
    del module._computed[name]
    module._hook_table()["of weight_norm"].remove(name)
    delattr(module, name + "_g")
    delattr(module, name + "_v")
    setattr(module, name, torch.nn.Parameter(weight))
    return module


class ParametrizationList(torch.nn.Module):
    """Of the class's name only: what PyTorch keeps originals in."""


@export(at="parametrizations", names="weight_norm")
def _parametrized_weight_norm(module, name="weight", dim=0):
    dim = -1 if dim is None else dim
    weight = getattr(module, name)
    originals = ParametrizationList()
    originals.original0 = torch.nn.Parameter(torch.norm_except_dim(weight, 2, dim))
    originals.original1 = torch.nn.Parameter(weight)
    if "parametrizations" not in module.__dict__:
        module.parametrizations = torch.nn.ModuleDict()
    setattr(module.parametrizations, name, originals)
    return _computed(module, name, lambda self: torch._weight_norm(originals.original1, originals.original0, dim))
