# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.nn: modules as plain Python. Constructors run on known values; parameters and buffers are
found afterwards by walking the attributes."""


class Module:
    # Whether a module trains is decided when it is called, unless train() or eval() settled it.
    @property
    def training(self):
        mode = self.__dict__.get("_training")
        return prims.training() if mode is None else mode

    @training.setter
    def training(self, mode):
        self.__dict__["_training"] = mode

    def __init__(self, *arguments, **options):
        pass

    def __call__(self, *arguments, **options):
        return self.forward(*arguments, **options)

    def forward(self, *arguments, **options):
        raise NotImplementedError('Module [' + type(self).__name__ + '] is missing the required "forward" function')

    def register_buffer(self, name, tensor, persistent=True):
        names = self.__dict__.setdefault("_buffer_names", {})
        names[name] = persistent
        setattr(self, name, tensor)

    def register_parameter(self, name, param):
        setattr(self, name, param)

    def register_module(self, name, module):
        setattr(self, name, module)

    def add_module(self, name, module):
        setattr(self, name, module)

    def named_children(self):
        return [(name, value) for name, value in self.__dict__.items() if isinstance(value, Module)]

    def children(self):
        return [module for name, module in self.named_children()]

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        found = [(prefix, self)]
        for name, module in self.named_children():
            found = found + module.named_modules(None, prefix + ("." if prefix else "") + name)
        return found

    def modules(self):
        return [module for name, module in self.named_modules()]

    def named_parameters(self, prefix="", recurse=True):
        return [(entry[0], entry[1]) for entry in _tree(self) if entry[2]]

    def parameters(self, recurse=True):
        return [parameter for name, parameter in self.named_parameters()]

    def named_buffers(self, prefix="", recurse=True):
        return [(entry[0], entry[1]) for entry in _tree(self) if not entry[2]]

    def buffers(self, recurse=True):
        return [buffer for name, buffer in self.named_buffers()]

    def get_submodule(self, target):
        module = self
        for name in target.split("."):
            module = getattr(module, name)
        return module

    def apply(self, fn):
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode=True):
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        return self

    def to(self, *arguments, **options):
        dtype = options.get("dtype")
        for argument in arguments:
            if isinstance(argument, torch.dtype):
                dtype = argument
        return self if dtype is None else self._cast(dtype)

    def _cast(self, dtype):
        for module in self.modules():
            for name, value in list(module.__dict__.items()):
                if isinstance(value, torch.Tensor) and value.is_floating_point():
                    cast = value.to(dtype)
                    setattr(module, name, Parameter(cast) if isinstance(value, Parameter) else cast)
        return self

    def half(self):
        return self._cast(torch.float16)

    def bfloat16(self):
        return self._cast(torch.bfloat16)

    def float(self):
        return self._cast(torch.float32)

    def double(self):
        return self._cast(torch.float64)

    def cuda(self, device=None):
        return self

    def cpu(self):
        return self

    def extra_repr(self):
        return ""


def _tree(module, prefix=""):
    """(path, tensor, is parameter, is persistent) of parameters and buffers in the order of state_dict."""
    buffers = module.__dict__.get("_buffer_names", {})
    items = list(module.__dict__.items())
    found = [(prefix + name, value, True, True) for name, value in items if isinstance(value, Parameter)]
    for name, value in items:
        if name in buffers and isinstance(value, torch.Tensor):
            found.append((prefix + name, value, False, buffers[name]))
    for name, value in items:
        if isinstance(value, Module):
            found = found + _tree(value, prefix + name + ".")
    return found


# --- Containers -----------------------------------------------------------------------------------


class _Numbered(Module):
    def _modules_in_order(self):
        return [value for value in self.__dict__.values() if isinstance(value, (Module, Parameter))]

    def __len__(self):
        return len(self._modules_in_order())

    def __iter__(self):
        return iter(self._modules_in_order())

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(self._modules_in_order()[index])
        return self._modules_in_order()[index]

    def append(self, module):
        setattr(self, str(len(self)), module)
        return self

    def extend(self, modules):
        for module in modules:
            self.append(module)
        return self


class Sequential(_Numbered):
    def __init__(self, *modules):
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], dict):
            for name, module in modules[0].items():
                setattr(self, name, module)
            return
        for module in modules:
            self.append(module)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return Sequential(*self._modules_in_order()[index])
        return self._modules_in_order()[index]

    def forward(self, input):
        for module in self._modules_in_order():
            input = module(input)
        return input


class ModuleList(_Numbered):
    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.extend(modules)


class ParameterList(_Numbered):
    def __init__(self, values=None):
        super().__init__()
        if values is not None:
            self.extend(values)


class _Named(Module):
    def __init__(self, entries=None):
        super().__init__()
        if entries is not None:
            for name, value in entries.items():
                setattr(self, name, value)

    def __getitem__(self, name):
        return self.__dict__[name]

    def __setitem__(self, name, value):
        setattr(self, name, value)

    def __contains__(self, name):
        return name in self.__dict__

    def _entries(self):
        return {name: value for name, value in self.__dict__.items() if isinstance(value, (Module, Parameter))}

    def __len__(self):
        return len(self._entries())

    def __iter__(self):
        return iter(self._entries())

    def keys(self):
        return self._entries().keys()

    def values(self):
        return self._entries().values()

    def items(self):
        return self._entries().items()


class ModuleDict(_Named):
    pass


class ParameterDict(_Named):
    pass


class Identity(Module):
    def forward(self, input):
        return input


class Flatten(Module):
    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input):
        return torch.flatten(input, self.start_dim, self.end_dim)


class Unflatten(Module):
    def __init__(self, dim, unflattened_size):
        super().__init__()
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input):
        return torch.unflatten(input, self.dim, self.unflattened_size)


class Buffer:
    def __new__(cls, data, persistent=True):
        return data


# --- Activations --------------------------------------------------------------------------------


class _InPlace(Module):
    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace


class ReLU(_InPlace):
    def forward(self, input):
        return F.relu(input, self.inplace)


class ReLU6(_InPlace):
    def forward(self, input):
        return F.relu6(input, self.inplace)


class SELU(_InPlace):
    def forward(self, input):
        return F.selu(input, self.inplace)


class SiLU(_InPlace):
    def forward(self, input):
        return F.silu(input, self.inplace)


class Mish(_InPlace):
    def forward(self, input):
        return F.mish(input, self.inplace)


class Hardsigmoid(_InPlace):
    def forward(self, input):
        return F.hardsigmoid(input, self.inplace)


class Hardswish(_InPlace):
    def forward(self, input):
        return F.hardswish(input, self.inplace)


class Sigmoid(Module):
    def forward(self, input):
        return torch.sigmoid(input)


class Tanh(Module):
    def forward(self, input):
        return torch.tanh(input)


class LogSigmoid(Module):
    def forward(self, input):
        return F.logsigmoid(input)


class Softsign(Module):
    def forward(self, input):
        return F.softsign(input)


class Tanhshrink(Module):
    def forward(self, input):
        return F.tanhshrink(input)


class ELU(Module):
    def __init__(self, alpha=1.0, inplace=False):
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input):
        return F.elu(input, self.alpha, self.inplace)


class CELU(Module):
    def __init__(self, alpha=1.0, inplace=False):
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input):
        return F.celu(input, self.alpha, self.inplace)


class LeakyReLU(Module):
    def __init__(self, negative_slope=0.01, inplace=False):
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input):
        return F.leaky_relu(input, self.negative_slope, self.inplace)


class RReLU(Module):
    def __init__(self, lower=0.125, upper=1.0 / 3, inplace=False):
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input):
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


class PReLU(Module):
    def __init__(self, num_parameters=1, init=0.25, device=None, dtype=None):
        super().__init__()
        self.num_parameters = num_parameters
        self.weight = Parameter(torch.full((num_parameters,), init, dtype=dtype))

    def forward(self, input):
        return F.prelu(input, self.weight)


class GELU(Module):
    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input):
        return F.gelu(input, self.approximate)


class Hardtanh(Module):
    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False):
        super().__init__()
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace

    def forward(self, input):
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)


class Hardshrink(Module):
    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, input):
        return F.hardshrink(input, self.lambd)


class Softshrink(Module):
    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, input):
        return F.softshrink(input, self.lambd)


class Softplus(Module):
    def __init__(self, beta=1.0, threshold=20.0):
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input):
        return F.softplus(input, self.beta, self.threshold)


class Threshold(Module):
    def __init__(self, threshold, value, inplace=False):
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input):
        return F.threshold(input, self.threshold, self.value, self.inplace)


class GLU(Module):
    def __init__(self, dim=-1):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return F.glu(input, self.dim)


class Softmax(Module):
    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return F.softmax(input, self.dim)


class LogSoftmax(Module):
    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return F.log_softmax(input, self.dim)


class Softmin(Module):
    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return F.softmin(input, self.dim)


class Softmax2d(Module):
    def forward(self, input):
        if input.dim() not in (3, 4):
            raise ValueError("Softmax2d: expected input to be 3D or 4D, got " + str(input.dim()) + "D instead")
        return F.softmax(input, -3)


# --- Normalisation ------------------------------------------------------------------------------


class LayerNorm(Module):
    def __init__(self, normalized_shape, eps=1e-05, elementwise_affine=True, bias=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.weight = Parameter(torch.ones(self.normalized_shape, dtype=dtype)) if elementwise_affine else None
        self.bias = Parameter(torch.zeros(self.normalized_shape, dtype=dtype)) if elementwise_affine and bias else None

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class RMSNorm(Module):
    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.weight = Parameter(torch.ones(self.normalized_shape, dtype=dtype)) if elementwise_affine else None

    def forward(self, input):
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)


class GroupNorm(Module):
    def __init__(self, num_groups, num_channels, eps=1e-05, affine=True, device=None, dtype=None):
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError("num_channels must be divisible by num_groups")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self.weight = Parameter(torch.ones(num_channels, dtype=dtype)) if affine else None
        self.bias = Parameter(torch.zeros(num_channels, dtype=dtype)) if affine else None

    def forward(self, input):
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)


class _BatchNorm(Module):
    def __init__(self, num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self.weight = Parameter(torch.ones(num_features, dtype=dtype)) if affine else None
        self.bias = Parameter(torch.zeros(num_features, dtype=dtype)) if affine else None
        if track_running_stats:
            self.register_buffer("running_mean", torch.zeros(num_features, dtype=dtype))
            self.register_buffer("running_var", torch.ones(num_features, dtype=dtype))
            self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.long))

    def forward(self, input):
        training = self.training or not self.track_running_stats
        mean = self.running_mean if self.track_running_stats else None
        var = self.running_var if self.track_running_stats else None
        return F.batch_norm(input, mean, var, self.weight, self.bias, training, self.momentum, self.eps)


class BatchNorm1d(_BatchNorm):
    pass


class BatchNorm2d(_BatchNorm):
    pass


class BatchNorm3d(_BatchNorm):
    pass


class _InstanceNorm(Module):
    def __init__(self, num_features, eps=1e-05, momentum=0.1, affine=False, track_running_stats=False, device=None, dtype=None):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.track_running_stats = track_running_stats
        self.weight = Parameter(torch.ones(num_features, dtype=dtype)) if affine else None
        self.bias = Parameter(torch.zeros(num_features, dtype=dtype)) if affine else None

    def forward(self, input):
        return F.instance_norm(input, None, None, self.weight, self.bias, not self.track_running_stats, 0.1, self.eps)


class InstanceNorm1d(_InstanceNorm):
    pass


class InstanceNorm2d(_InstanceNorm):
    pass


class InstanceNorm3d(_InstanceNorm):
    pass


class Embedding(Module):
    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False, device=None, dtype=None):
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.weight = Parameter(torch.empty(num_embeddings, embedding_dim, dtype=dtype))

    def forward(self, input):
        return F.embedding(input, self.weight, None, self.max_norm)


class CosineSimilarity(Module):
    def __init__(self, dim=1, eps=1e-08):
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1, x2):
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


# --- Randomness: without effect in evaluation ---------------------------------------------------------


class Dropout(Module):
    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        self.p = p
        self.inplace = inplace

    def forward(self, input):
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(Dropout):
    pass


class Dropout2d(Dropout):
    pass


class Dropout3d(Dropout):
    pass


class AlphaDropout(Dropout):
    pass


# --- Losses -------------------------------------------------------------------------------------


class _Loss(Module):
    def __init__(self, size_average=None, reduce=None, reduction="mean"):
        super().__init__()
        self.reduction = reduction


class MSELoss(_Loss):
    def forward(self, input, target):
        return F.mse_loss(input, target, reduction=self.reduction)


class L1Loss(_Loss):
    def forward(self, input, target):
        return F.l1_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(Module):
    def __init__(self, size_average=None, reduce=None, reduction="mean", beta=1.0):
        super().__init__()
        self.reduction = reduction
        self.beta = beta

    def forward(self, input, target):
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(Module):
    def __init__(self, reduction="mean", delta=1.0):
        super().__init__()
        self.reduction = reduction
        self.delta = delta

    def forward(self, input, target):
        return F.huber_loss(input, target, self.reduction, self.delta)


class BCELoss(Module):
    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean"):
        super().__init__()
        self.weight = weight
        self.reduction = reduction

    def forward(self, input, target):
        return F.binary_cross_entropy(input, target, self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(Module):
    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
        super().__init__()
        self.weight = weight
        self.reduction = reduction
        self.pos_weight = pos_weight

    def forward(self, input, target):
        return F.binary_cross_entropy_with_logits(input, target, self.weight, reduction=self.reduction, pos_weight=self.pos_weight)


class KLDivLoss(Module):
    def __init__(self, size_average=None, reduce=None, reduction="mean", log_target=False):
        super().__init__()
        self.reduction = reduction
        self.log_target = log_target

    def forward(self, input, target):
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class NLLLoss(Module):
    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
        super().__init__()
        self.weight = weight
        self.ignore_index = ignore_index
        self.reduction = reduction

    def forward(self, input, target):
        return F.nll_loss(input, target, self.weight, None, self.ignore_index, None, self.reduction)


class CrossEntropyLoss(Module):
    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
        super().__init__()
        self.weight = weight
        self.ignore_index = ignore_index
        self.reduction = reduction
        self.label_smoothing = label_smoothing

    def forward(self, input, target):
        return F.cross_entropy(input, target, self.weight, None, self.ignore_index, None, self.reduction, self.label_smoothing)
