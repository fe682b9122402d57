# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What surrounds a program: limits of types, modes, compilers."""

import operator

from packaging.version import Version


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
    if dtype == torch.float8_e4m3fn:
        return _Limits(8, 0.125, 448.0, 0.015625)
    if dtype == torch.float8_e5m2:
        return _Limits(8, 0.25, 57344.0, 6.103515625e-05)
    if dtype == torch.float8_e4m3fnuz:
        return _Limits(8, 0.125, 240.0, 0.0078125)
    if dtype == torch.float8_e5m2fnuz:
        return _Limits(8, 0.25, 57344.0, 3.0517578125e-05)
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


@export(at="torch")
def _assert(condition, message):
    assert condition, message


class _Mode:
    """A context or decorator that says whether gradients are recorded."""

    def __init__(self, mode=True):
        self.records = self.recorded(mode)

    def __enter__(self):
        self.before = prims.record(self.records)
        return self

    def __exit__(self, kind, value, trace):
        prims.record(self.before)

    def __call__(self, function):
        return prims.recorded(function, self.records)


@export(at="torch", names="no_grad")
class _NoGrad(_Mode):
    def recorded(self, mode):
        return False


@export(at="torch", names="enable_grad")
class _EnableGrad(_Mode):
    def recorded(self, mode):
        return True


@export(at="torch", names="inference_mode")
class _InferenceMode(_Mode):
    def recorded(self, mode):
        return not mode


@export(at="torch", names="set_grad_enabled")
class _SetGradEnabled(_Mode):
    def __init__(self, mode):
        self.records = mode
        self.before = prims.record(mode)

    def __enter__(self):
        return self

    def recorded(self, mode):
        return mode


def _as_before(grad):
    return grad


@export(at="prims", names="unrecorded")
@op("nereid::unrecorded(Tensor self, Tensor values) -> Tensor", at="", dtypes="own", grad=_as_before)
def _unrecorded(input, values):
    """A tensor after a write under torch.no_grad(): its gradient passes to what it was."""
    return values


@export(at="torch", names="compile")
def _compiled(function=None, **options):
    return _as_is(function)


@export(at="jit", names="script script_if_tracing ignore export unused script_method interface")
def _as_is(function=None, **options):
    if function is None:
        return lambda function: function
    return function


@export(at="torch", names="set_default_device set_float32_matmul_precision")
def _without_effect(value=None):
    return None


class _TorchVersion(str):
    """The version whose behaviour conversion has, in the order of versions: `torch.__version__ >= "2.1"`."""

    def _compared(self, other, compare):
        other = ".".join(map(str, other)) if isinstance(other, tuple) else str(other)
        return compare(Version(str(self)), Version(other))

    def __lt__(self, other):
        return self._compared(other, operator.lt)

    def __le__(self, other):
        return self._compared(other, operator.le)

    def __gt__(self, other):
        return self._compared(other, operator.gt)

    def __ge__(self, other):
        return self._compared(other, operator.ge)

    def __eq__(self, other):
        return self._compared(other, operator.eq)

    def __ne__(self, other):
        return self._compared(other, operator.ne)

    def __hash__(self):
        return hash(str(self))


@export(at="prims")
def torch_version():
    return _TorchVersion("2.11.0")


@export(at="cuda")
def is_available():
    return True


@export(at="cuda", names="synchronize empty_cache")
def _nothing(*arguments):
    return None


@export(at="cuda nvtx", names="range_push range_pop mark")
def _marked(*arguments):
    return None


@export(at="jit compiler onnx", names="is_scripting is_tracing is_compiling is_dynamo_compiling is_exporting is_in_onnx_export")
def _not_so(*arguments):
    return False


@export(at="overrides", names="has_torch_function has_torch_function_unary has_torch_function_variadic")
def _plain(*arguments):
    return False


@export(at="compiler", names="disable allow_in_graph assume_constant_result")
def _not_compiled(function=None, recursive=True, **options):
    return _as_is(function)


@export(at="fx", names="wrap")
def _wrapped(function):
    return function


@export(at="jit", names="annotate")
def _annotated(kind, value):
    return value


@export(at="checkpoint", names="checkpoint")
def _checkpoint(function, *arguments, use_reentrant=None, context_fn=None, determinism_check=None, debug=False, preserve_rng_state=True, **options):
    return function(*arguments, **options)


@export(at="checkpoint", names="checkpoint_sequential")
def _checkpoint_sequential(functions, segments, input, use_reentrant=None, **options):
    for function in functions.children() if isinstance(functions, nn.Sequential) else functions:
        input = function(input)
    return input


class _Region:
    """A context without effect on what is computed; a decorator too."""

    def __init__(self, *arguments, **options):
        pass

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return None

    def __call__(self, function):
        return function


@export(at="profiler", names="record_function")
class _RecordFunction(_Region):
    pass


@export(at="nvtx", names="range")
class _NvtxRange(_Region):
    pass


@export(at="autograd", names="set_detect_anomaly detect_anomaly")
class _Anomaly(_Region):
    pass


@export(at="attention", names="sdpa_kernel")
class _AttentionKernel(_Region):
    pass


@export(at="attention", names="SDPBackend")
class _AttentionBackend:
    ERROR, MATH, FLASH_ATTENTION, EFFICIENT_ATTENTION, CUDNN_ATTENTION, OVERRIDEABLE = range(-1, 5)


@export(at="torch", names="get_default_dtype")
def _default_dtype():
    return torch.float32


class _Autocast:
    def __init__(self, device_type="cuda", dtype=None, enabled=True, cache_enabled=None):
        if isinstance(device_type, torch.device):
            raise ValueError("Expected `device_type` of type `str`, got: `<class 'torch.device'>`")
        # The kernels run on CUDA devices: regions of other devices change nothing there.
        self.counts = device_type == "cuda"
        if not self.counts and enabled:
            prims.warn_of_region(device_type)
        dtype = torch.float16 if dtype is None else dtype
        self.dtype = dtype if enabled and dtype in (torch.float16, torch.bfloat16) else None

    def __enter__(self):
        self.before = prims.autocast_type()
        if self.counts:
            prims.autocast(self.dtype)
        return self

    def __exit__(self, kind, value, trace):
        prims.autocast(self.before)

    def __call__(self, function):
        return prims.autocasting(function, self.dtype) if self.counts else function


@export(at="torch amp", names="autocast")
class _AutocastOf(_Autocast):
    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        super().__init__(device_type, dtype, enabled, cache_enabled)


@export(at="cuda_amp", names="autocast")
class _CudaAutocast(_Autocast):
    def __init__(self, enabled=True, dtype=None, cache_enabled=True):
        super().__init__("cuda", dtype, enabled, cache_enabled)


@export(at="torch")
def is_autocast_enabled(device_type="cuda"):
    return device_type == "cuda" and prims.autocast_type() is not None


@export(at="torch", names="get_autocast_dtype get_autocast_gpu_dtype")
def _autocast_dtype(device_type="cuda"):
    dtype = prims.autocast_type()
    return torch.float16 if dtype is None else dtype


# --- Constructors of old ---------------------------------------------------------------------------


def _made(dtype):
    def make(*arguments, device=None):
        if len(arguments) == 1 and isinstance(arguments[0], tuple):
            return prims.refuse("a tuple may be sizes or data here", "use torch.empty or torch.tensor")
        if len(arguments) == 1 and isinstance(arguments[0], list):
            return torch.tensor(arguments[0], dtype=dtype)
        if len(arguments) == 1 and isinstance(arguments[0], torch.Tensor):
            return arguments[0]
        return torch.empty(*arguments, dtype=dtype) if arguments else torch.tensor([], dtype=dtype)

    make.dtype = dtype  # x.type(torch.LongTensor)
    return make


export(at="torch", names="Tensor")(_made(torch.float32))
export(at="torch cuda", names="FloatTensor")(_made(torch.float32))
export(at="torch cuda", names="DoubleTensor")(_made(torch.float64))
export(at="torch cuda", names="HalfTensor")(_made(torch.float16))
export(at="torch cuda", names="BFloat16Tensor")(_made(torch.bfloat16))
export(at="torch cuda", names="LongTensor")(_made(torch.int64))
export(at="torch cuda", names="IntTensor")(_made(torch.int32))
export(at="torch cuda", names="ShortTensor")(_made(torch.int16))
export(at="torch cuda", names="CharTensor")(_made(torch.int8))
export(at="torch cuda", names="BoolTensor")(_made(torch.bool))
export(at="torch cuda", names="ByteTensor")(_made(torch.uint8))


class _Reduction:
    """Names of reductions as numbers."""

    @staticmethod
    def get_enum(reduction):
        numbers = {"none": 0, "mean": 1, "elementwise_mean": 1, "sum": 2}
        if reduction not in numbers:
            raise ValueError(f"{reduction} is not a valid value for reduction")
        return numbers[reduction]

    @staticmethod
    def legacy_get_string(size_average, reduce, emit_warning=True):
        if reduce is not None and not reduce:
            return "none"
        return "mean" if size_average is None or size_average else "sum"

    @staticmethod
    def legacy_get_enum(size_average, reduce, emit_warning=True):
        return _Reduction.get_enum(_Reduction.legacy_get_string(size_average, reduce))


export(at="F", names="_Reduction")(_Reduction)
export(at="nn", names="_reduction")(_Reduction)


# --- Lists of tensors -----------------------------------------------------------------------------


def _for_each(name, in_place):
    def apply(self, *others, **options):
        results = []
        for index, tensor in enumerate(self):
            own = [other[index] if isinstance(other, (list, tuple)) else other for other in others]
            given = {
                key: value[index] if isinstance(value, (list, tuple)) else value for key, value in options.items()
            }
            # The last argument of these is a keyword of the operator on one tensor.
            if name in ("addcmul", "addcdiv") and len(own) == 3:
                given["value"] = own.pop()
            if in_place and name not in ("copy", "zero"):
                results.append(tensor.copy_(getattr(tensor, name)(*own, **given)))
            else:
                results.append(getattr(tensor, name + "_" if in_place else name)(*own, **given))
        return None if in_place else results

    return apply


for _name in (
    "abs acos add addcdiv addcmul asin atan ceil clamp_max clamp_min cos cosh div erf erfc exp expm1 floor frac lerp "
    "lgamma log log10 log1p log2 maximum minimum mul neg pow reciprocal round rsqrt sigmoid sign sin sinh sqrt sub tan "
    "tanh trunc"
).split():
    export(at="torch", names="_foreach_" + _name)(_for_each(_name, False))
    export(at="torch", names="_foreach_" + _name + "_")(_for_each(_name, True))
for _name in ("copy", "zero"):
    export(at="torch", names="_foreach_" + _name + "_")(_for_each(_name, True))


@export(at="torch", names="_foreach_norm")
def _foreach_norm(self, ord=2, dtype=None):
    return [torch.linalg.vector_norm(tensor, ord, dtype=dtype) for tensor in self]


# --- Operators of the user's ----------------------------------------------------------------------


class _Context:
    def __init__(self, inputs):
        self.saved_tensors = ()
        self.needs_input_grad = tuple(
            isinstance(input, torch.Tensor) and input.is_floating_point() for input in inputs
        )

    def save_for_backward(self, *tensors):
        self.saved_tensors = tensors

    def mark_non_differentiable(self, *tensors):
        return None

    def set_materialize_grads(self, value):
        return None

    def mark_dirty(self, *tensors):
        return prims.refuse("an autograd.Function that changes its inputs is not supported", "return new tensors")


@export(at="autograd", names="Variable")
def _variable(data, requires_grad=False, volatile=None):
    return data.detach()


@export(at="autograd function", names="Function")
class _Function:
    @classmethod
    def apply(cls, *arguments):
        def run(inputs):
            context = _Context(inputs)
            if hasattr(cls, "setup_context"):
                result = cls.forward(*inputs)
                cls.setup_context(context, inputs, result)
                return context, result
            return context, cls.forward(context, *inputs)

        if not prims.is_recording():
            return run(arguments)[1]

        # What the forward pass saves is computed again from its inputs; what pays is stored.
        def backward(grad, inputs):
            context, result = run(inputs)
            grads = grad if isinstance(result, tuple) else (grad,)
            returned = cls.backward(context, *grads)
            return returned if isinstance(returned, tuple) else (returned,)

        def forward(inputs):
            return run(inputs)[1]

        name = "autograd::" + cls.__name__ + "(Tensor[] inputs) -> Tensor"
        return op(name, at="autograd_functions", dtypes="own", grad=backward)(forward)(arguments)


@export(at="function", names="once_differentiable")
def _once_differentiable(function):
    return function


@export(at="cuda_amp", names="custom_fwd custom_bwd")
def _custom_pass(function=None, **options):
    return _as_is(function)


@export(at="amp", names="custom_fwd custom_bwd")
def _custom_pass_of(function=None, **options):
    return _as_is(function)
