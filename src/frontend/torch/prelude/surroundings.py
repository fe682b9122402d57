# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What surrounds a program: limits of types, modes, compilers."""


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


@export(at="torch", names="compile")
def _compiled(function=None, **options):
    return _as_is(function)


@export(at="jit", names="script")
def _as_is(function=None, **options):
    if function is None:
        return lambda function: function
    return function


@export(at="torch", names="set_default_device set_float32_matmul_precision")
def _without_effect(value=None):
    return None


@export(at="torch")
def is_grad_enabled():
    return prims.is_recording()


@export(at="cuda")
def is_available():
    return True


@export(at="cuda", names="synchronize")
def _nothing(*arguments):
    return None


@export(at="torch", names="get_default_dtype")
def _default_dtype():
    return torch.float32


@export(at="torch")
class autocast:
    def __init__(self, device_type=None, dtype=None, enabled=True, cache_enabled=None):
        if enabled:
            prims.refuse("autocast regions are not supported yet", "cast with .to(dtype) where the region would, or pass enabled=False")

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return None

    def __call__(self, function):
        return function
