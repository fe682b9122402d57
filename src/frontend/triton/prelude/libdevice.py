# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of the device library that are conversions: `tl` says the same with casts."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def _expect(x, dtype: tl.constexpr, name: tl.constexpr):
    tl.static_assert(x.dtype == dtype, f"libdevice.{name} takes {dtype}")


@triton.jit
def float_as_int(arg0):
    _expect(arg0, tl.float32, "float_as_int")
    return arg0.to(tl.int32, bitcast=True)


@triton.jit
def float_as_uint(arg0):
    _expect(arg0, tl.float32, "float_as_uint")
    return arg0.to(tl.int32, bitcast=True)


@triton.jit
def int_as_float(arg0):
    _expect(arg0, tl.int32, "int_as_float")
    return arg0.to(tl.float32, bitcast=True)


@triton.jit
def uint_as_float(arg0):
    _expect(arg0, tl.uint32, "uint_as_float")
    return arg0.to(tl.float32, bitcast=True)


@triton.jit
def double_as_longlong(arg0):
    _expect(arg0, tl.float64, "double_as_longlong")
    return arg0.to(tl.int64, bitcast=True)


@triton.jit
def longlong_as_double(arg0):
    _expect(arg0, tl.int64, "longlong_as_double")
    return arg0.to(tl.float64, bitcast=True)


@triton.jit
def float2int_rn(arg0):
    _expect(arg0, tl.float32, "float2int_rn")
    return libdevice.rint(arg0).to(tl.int32)


@triton.jit
def float2int_rz(arg0):
    _expect(arg0, tl.float32, "float2int_rz")
    return arg0.to(tl.int32)


@triton.jit
def float2int_rd(arg0):
    _expect(arg0, tl.float32, "float2int_rd")
    return tl.floor(arg0).to(tl.int32)


@triton.jit
def float2int_ru(arg0):
    _expect(arg0, tl.float32, "float2int_ru")
    return tl.ceil(arg0).to(tl.int32)


@triton.jit
def float2uint_rn(arg0):
    _expect(arg0, tl.float32, "float2uint_rn")
    return libdevice.rint(arg0).to(tl.uint32).to(tl.int32)


@triton.jit
def float2uint_rz(arg0):
    _expect(arg0, tl.float32, "float2uint_rz")
    return arg0.to(tl.uint32).to(tl.int32)


@triton.jit
def float2ll_rn(arg0):
    _expect(arg0, tl.float32, "float2ll_rn")
    return libdevice.rint(arg0).to(tl.int64)


@triton.jit
def float2ll_rz(arg0):
    _expect(arg0, tl.float32, "float2ll_rz")
    return arg0.to(tl.int64)


@triton.jit
def double2int_rn(arg0):
    _expect(arg0, tl.float64, "double2int_rn")
    return libdevice.rint(arg0).to(tl.int32)


@triton.jit
def double2int_rz(arg0):
    _expect(arg0, tl.float64, "double2int_rz")
    return arg0.to(tl.int32)


@triton.jit
def double2ll_rn(arg0):
    _expect(arg0, tl.float64, "double2ll_rn")
    return libdevice.rint(arg0).to(tl.int64)


@triton.jit
def double2ll_rz(arg0):
    _expect(arg0, tl.float64, "double2ll_rz")
    return arg0.to(tl.int64)


@triton.jit
def double2float_rn(arg0):
    _expect(arg0, tl.float64, "double2float_rn")
    return arg0.to(tl.float32)


@triton.jit
def int2float_rn(arg0):
    _expect(arg0, tl.int32, "int2float_rn")
    return arg0.to(tl.float32)


@triton.jit
def uint2float_rn(arg0):
    _expect(arg0, tl.uint32, "uint2float_rn")
    return arg0.to(tl.float32)


@triton.jit
def ll2float_rn(arg0):
    _expect(arg0, tl.int64, "ll2float_rn")
    return arg0.to(tl.float32)


@triton.jit
def int2double_rn(arg0):
    _expect(arg0, tl.int32, "int2double_rn")
    return arg0.to(tl.float64)


@triton.jit
def ll2double_rn(arg0):
    _expect(arg0, tl.int64, "ll2double_rn")
    return arg0.to(tl.float64)
