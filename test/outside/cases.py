# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs for programs: from a SPEC such as `x=f32[7,64],w=bf16[64]`, or from a file of cases."""

import math
import re

import torch

DTYPES = {
    "f64": torch.float64,
    "f32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f8e4m3": torch.float8_e4m3fn,
    "f8e5m2": torch.float8_e5m2,
    "i64": torch.int64,
    "i32": torch.int32,
    "i16": torch.int16,
    "i8": torch.int8,
    "u8": torch.uint8,
    "bool": torch.bool,
}

ARGUMENT = re.compile(
    r"\s*(?P<name>\w+)\s*=\s*(?:(?P<dtype>\w+)\[(?P<sizes>[\d,\s]*)\]"
    r"(?:@\((?P<strides>[\d,\s]*)\))?(?:<(?P<below>\d+))?|(?P<value>[^,\[]+))\s*(?:,|$)"
)


def numbers(text):
    return tuple(int(part) for part in text.split(",") if part.strip())


def fill(shape, dtype, pattern, generator):
    """Values of a pattern; `normal` unless something else is asked for."""
    count = math.prod(shape)
    if pattern == "zeros":
        values = torch.zeros(count, dtype=torch.float64)
    elif pattern == "ones":
        values = torch.ones(count, dtype=torch.float64)
    else:
        values = torch.randn(count, dtype=torch.float64, generator=generator)
        if pattern == "large":
            values *= 1e6 if dtype != torch.float16 else 1e3
        elif pattern == "small":
            values *= 1e-6
        elif pattern == "alternating":
            values = values.abs() * (1 - 2 * (torch.arange(count) % 2))
        elif pattern == "special" and count:
            special = [math.inf, -math.inf, math.nan, -0.0, 0.0]
            for place in range(0, count, 3):
                values[place] = special[(place // 3) % len(special)]
    return values.reshape(shape).to(dtype)


def make_values(dtype, shape, below, pattern, generator):
    if dtype == torch.bool:
        return torch.rand(shape, generator=generator) < 0.5
    if dtype.is_floating_point:
        return fill(shape, dtype, pattern, generator)
    low = 0 if below is not None or dtype == torch.uint8 else -100
    high = below if below is not None else 100
    return torch.randint(low, high, shape, generator=generator).to(dtype)


def make_tensor(dtype, shape, strides, *how):
    if strides is None:
        return make_values(dtype, shape, *how)
    span = sum((size - 1) * stride for size, stride in zip(shape, strides)) + 1
    storage = make_values(dtype, (span if math.prod(shape) else 0,), *how)
    return storage.as_strided(shape, strides)


def parse(spec, pattern="normal", seed=0):
    """The arguments of a SPEC by name."""
    generator = torch.Generator().manual_seed(seed)
    arguments, at = {}, 0
    while at < len(spec):
        match = ARGUMENT.match(spec, at)
        if not match:
            raise ValueError(f"cannot read the inputs at '{spec[at:]}'")
        at = match.end()
        if match["dtype"] is None:
            arguments[match["name"]] = eval(match["value"], {"__builtins__": {}})
            continue
        strides = None if match["strides"] is None else numbers(match["strides"])
        below = None if match["below"] is None else int(match["below"])
        arguments[match["name"]] = make_tensor(
            DTYPES[match["dtype"]],
            numbers(match["sizes"]),
            strides,
            below,
            pattern,
            generator,
        )
    return arguments
