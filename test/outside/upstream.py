# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes upstream's interpreter fit to judge emitted files on a machine without a GPU.

Import this before triton. It sets TRITON_INTERPRET and mends, from outside, what the interpreter
lacks: bfloat16 (it holds raw bits), the device library (its functions do nothing), and tuning
(which asks for a driver: here the first configuration wins and nothing runs twice).
"""

import os

os.environ["TRITON_INTERPRET"] = "1"

import numpy as np
import torch
import triton.language as tl
from triton.language.extra import libdevice
from triton.runtime import driver, interpreter
from triton.runtime.autotuner import Autotuner

Handle = interpreter.TensorHandle


class NoDriver:
    def get_benchmarker(self):
        return lambda run, quantiles=None, **options: [0.0] * 3


def mend_tuning():
    driver.set_active(NoDriver())
    # The cache on disk asks for the target of a driver.
    Autotuner.check_disk_cache = lambda self, key, configs, benchmark: bool(benchmark())


def decode(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def encode(values):
    """Rounds float32 to bfloat16, ties to even; the result is its bits."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(values), 0x7FC0, rounded).astype(np.uint16)


def is_bfloat16(value):
    return isinstance(value, Handle) and value.dtype.scalar == tl.bfloat16


def through_float32(method, keeps_float32):
    def call(self, *arguments, **options):
        if not any(is_bfloat16(argument) for argument in arguments):
            return method(self, *arguments, **options)
        wide = [Handle(decode(a.data), tl.float32) if is_bfloat16(a) else a for a in arguments]
        result = method(self, *wide, **options)
        if result.data.dtype != np.float32 or keeps_float32:
            return result
        return Handle(encode(result.data), tl.bfloat16)

    return call


def mend_bfloat16():
    builder = interpreter.InterpreterBuilder
    names = (
        "unary_op",
        "binary_op",
        "ternary_op",
        "create_fma",
        "create_clampf",
        "create_fneg",
    )
    for name in names + ("create_dot",):
        if hasattr(builder, name):
            method = getattr(builder, name)
            setattr(builder, name, through_float32(method, name == "create_dot"))
    builder.get_bf16 = lambda self, value: Handle(encode(np.array([value])), tl.bfloat16)
    convert = interpreter._convert_float

    def convert_float(data, source, target, rounding_mode=None):
        if source == tl.float32 and target == tl.bfloat16:
            return encode(data)
        if source == tl.bfloat16 and target == tl.float32:
            return decode(data)
        return convert(data, source, target, rounding_mode)

    interpreter._convert_float = convert_float
    cast = builder.cast_impl

    def cast_impl(self, source, to):
        """Other types than float32 are cast to and from raw bits there."""
        types = (source.dtype.scalar, to.scalar)
        if tl.float32 in types or tl.bfloat16 not in types or types[0] == types[1]:
            return cast(self, source, to)
        if to.scalar == tl.bfloat16:
            return Handle(encode(source.data.astype(np.float32)), tl.bfloat16)
        return Handle(decode(source.data).astype(interpreter._get_np_dtype(to)), to.scalar)

    builder.cast_impl = cast_impl
    mend_folds()


def mend_folds():
    def wrap(owner, name):
        method = getattr(owner, name)

        def fold(self, value, *arguments, **options):
            if value.dtype != tl.bfloat16:
                return method(self, value, *arguments, **options)
            wide = self.to_tensor(decode(value.handle.data), tl.float32)
            result = method(self, wide, *arguments, **options)
            return narrow(self, result)

        setattr(owner, name, fold)

    def narrow(self, result):
        if isinstance(result, (tuple, list)):
            return type(result)(narrow(self, part) for part in result)
        if result.dtype != tl.float32:
            return result
        bits = encode(result.handle.data)
        return self.to_tensor(bits if result.type.is_block() else bits.ravel()[0], tl.bfloat16)

    wrap(interpreter.ReduceOps, "sum")
    wrap(interpreter.ReduceOps, "min_max")
    wrap(interpreter.ScanOps, "cumsum")
    wrap(interpreter.ScanOps, "cumprod")


LIBRARY = {
    "acos": torch.acos,
    "acosh": torch.acosh,
    "asin": torch.asin,
    "asinh": torch.asinh,
    "atan": torch.atan,
    "atan2": torch.atan2,
    "atanh": torch.atanh,
    "cbrt": lambda x: torch.sign(x) * torch.abs(x) ** (1 / 3),
    "copysign": torch.copysign,
    "cosh": torch.cosh,
    "erf": torch.erf,
    "erfc": torch.erfc,
    "erfinv": torch.erfinv,
    "exp": torch.exp,
    "exp10": lambda x: torch.pow(10.0, x),
    "expm1": torch.expm1,
    "fmod": torch.fmod,
    "hypot": torch.hypot,
    "lgamma": torch.lgamma,
    "log": torch.log,
    "log10": torch.log10,
    "log1p": torch.log1p,
    "nearbyint": torch.round,
    "nextafter": torch.nextafter,
    "pow": torch.pow,
    "rint": torch.round,
    "round": lambda x: torch.copysign(torch.floor(torch.abs(x) + 0.5), x),
    "sin": torch.sin,
    "cos": torch.cos,
    "sinh": torch.sinh,
    "sqrt": torch.sqrt,
    "tan": torch.tan,
    "tanh": torch.tanh,
    "tgamma": lambda x: torch.exp(torch.lgamma(x)),
    "trunc": torch.trunc,
}
# These depend on the width of the type, so they are not computed in float64.
NARROW = {"nextafter"}


def mend_library():
    def make(name, function):
        def call(*arguments, **options):
            tensors = [a for a in arguments if isinstance(a, tl.tensor)]
            shaped = max(
                tensors,
                key=lambda tensor: tensor.numel.value if tensor.type.is_block() else 0,
            )
            dtype = tensors[0].dtype
            if any(tensor.dtype not in (tl.float32, tl.float64) for tensor in tensors):
                raise TypeError(f"libdevice.{name} takes float32 or float64")
            native = np.float64 if dtype == tl.float64 else np.float32
            compute = native if name in NARROW else np.float64
            # A number of Python's is a float32 there.
            values = [a.handle.data if isinstance(a, tl.tensor) else np.float32(a) for a in arguments]
            arrays = [torch.as_tensor(np.array(value, dtype=compute, order="C")) for value in values]
            result = function(*arrays).numpy().astype(native)
            return tl.tensor(Handle(result, dtype), shaped.type)

        return call

    for name in dir(libdevice):
        if name.startswith("_") or not callable(getattr(libdevice, name)):
            continue
        if name in LIBRARY:
            setattr(libdevice, name, make(name, LIBRARY[name]))


def refuse_unknown_library():
    """A function that the stand-in lacks must not silently give None."""

    def make(name):
        def call(*arguments, **options):
            raise NotImplementedError(f"the stand-in for libdevice lacks {name}")

        return call

    module = getattr(libdevice, "__name__", "")
    for name in dir(libdevice):
        function = getattr(libdevice, name)
        if name.startswith("_") or name in LIBRARY or isinstance(function, type):
            continue
        if getattr(function, "__module__", "") == module:
            setattr(libdevice, name, make(name))


def mend_bool_splat():
    """A scalar comparison keeps the type of its operands, so that spread over a tile it is no mask."""
    splat = interpreter.InterpreterBuilder.create_splat

    def create_splat(self, ret_ty, arg):
        result = splat(self, ret_ty, arg)
        if ret_ty.scalar == tl.int1:
            result.data = result.data.astype(np.bool_)
        return result

    interpreter.InterpreterBuilder.create_splat = create_splat


def mend_float_arguments():
    """Triton gives kernels a float32 for a number of Python's; the interpreter leaves the number."""
    convert = interpreter._implicit_cvt

    def implicit_cvt(argument):
        if isinstance(argument, float):
            return tl.tensor(Handle(np.array([argument], dtype=np.float32), tl.float32), tl.float32)
        return convert(argument)

    interpreter._implicit_cvt = implicit_cvt


def hasten_sorts():
    """The network of tl.sort folds by exclusive or, which the interpreter does element by element."""
    apply = interpreter.ReduceOps.apply_impl

    def apply_impl(self, input):
        if self.combine_fn is not tl.standard._xor_combine:
            return apply(self, input)
        value = input[0]
        folded = np.bitwise_xor.reduce(value.handle.data, axis=self.axis, keepdims=self.keep_dims)
        return self.to_tensor(folded, value.dtype)

    interpreter.ReduceOps.apply_impl = apply_impl


def hasten_folds():
    """Folds and scans by functions of the user's: whole tiles at once, as a tree, where the interpreter goes by elements."""

    def combine(self, left, right, input):
        parts = [
            self.to_tensor(np.ascontiguousarray(array), argument.dtype)
            for side in (left, right)
            for array, argument in zip(side, input)
        ]
        result = self.combine_fn.fn(*parts)
        return [part.handle.data for part in (result if isinstance(result, tuple) else (result,))]

    def generic_reduce(self, input):
        rank = len(input[0].handle.data.shape)
        input, axis = self.unravel(input, self.axis)
        arrays = [argument.handle.data for argument in input]
        while arrays[0].shape[axis] > 1:
            evens, odds = ([np.moveaxis(np.moveaxis(a, axis, 0)[k::2], 0, axis) for a in arrays] for k in (0, 1))
            arrays = combine(self, evens, odds, input)
        if not self.keep_dims:
            arrays = [array.squeeze(axis) for array in arrays]
            arrays = [array if array.shape else array.item() for array in arrays]
        elif self.axis is None:
            arrays = [array.reshape((1,) * rank) for array in arrays]
        return [self.to_tensor(array, argument.dtype) for array, argument in zip(arrays, input)]

    def generic_scan(self, input):
        arrays = [argument.handle.data for argument in input]
        shape, axis = arrays[0].shape, self.axis
        place = np.arange(shape[axis]).reshape([-1 if at == axis % len(shape) else 1 for at in range(len(shape))])
        step = 1
        while step < shape[axis]:
            before = [np.roll(array, step, axis) for array in arrays]
            after = combine(self, before, arrays, input)
            arrays = [np.where(place >= step, new, old) for new, old in zip(after, arrays)]
            step *= 2
        return [self.to_tensor(array, argument.dtype) for array, argument in zip(arrays, input)]

    interpreter.ReduceOps.generic_reduce = generic_reduce
    interpreter.ScanOps.generic_scan = generic_scan


mend_tuning()
mend_bool_splat()
mend_float_arguments()
mend_bfloat16()
mend_library()
refuse_unknown_library()
hasten_sorts()
hasten_folds()
