# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Upstream's interpreter, where it computes other than its compiler."""

# --- cut ---


def _mend_interpreter():
    """What upstream's interpreter does otherwise than a GPU, or not at all."""
    import numpy as np
    import triton.language as tl
    from triton.runtime import autotuner, driver, interpreter

    _lend_library()
    _mend_bfloat16()
    handle, convert = interpreter.TensorHandle, interpreter._implicit_cvt
    splat = interpreter.InterpreterBuilder.create_splat

    class Wide(float):
        """A number that a kernel takes as float64."""

    class Inspect:
        """The module, whose `getcallargs` tells numbers by the types that kernels give them."""

        def __getattr__(self, name):
            return getattr(inspect, name)

        def getcallargs(self, kernel, *arguments, **options):
            kinds = getattr(kernel, "__annotations__", {})
            named = inspect.getcallargs(kernel, *arguments, **options)
            wide = [n for n in named if str(kinds.get(n)) in ("fp64", "tl.float64")]
            return named | {n: Wide(named[n]) for n in wide}

    interpreter.inspect = Inspect()

    def make_argument(x):
        """A number of Python's has what numbers on a GPU have, such as `to`."""
        if not isinstance(x, float):
            return convert(x)
        is_wide = isinstance(x, Wide)
        kind = tl.float64 if is_wide else tl.float32
        data = np.array([x], dtype=np.float64 if is_wide else np.float32)
        return tl.tensor(handle(data, kind), kind)

    def make_splat(self, kind, x):
        """A scalar comparison that is spread over a tile is a mask."""
        found = splat(self, kind, x)
        if kind.scalar == tl.int1:
            found.data = found.data.astype(np.bool_)
        return found

    class NoDriver:
        def get_benchmarker(self):
            return lambda run, quantiles=None, **options: [0.0] * 3

    interpreter._implicit_cvt = make_argument
    interpreter.InterpreterBuilder.create_splat = make_splat
    # Tuning asks for a driver; here the first configuration wins and nothing runs twice.
    driver.set_active(NoDriver())
    tuner = autotuner.Autotuner
    tuner.check_disk_cache = lambda self, key, configs, run: bool(run())


def _mend_bfloat16():
    """Upstream's interpreter holds bfloat16 as bits: what computes with it goes through float32."""
    import numpy as np
    import triton.language as tl
    from triton.runtime import interpreter

    handle, builder = interpreter.TensorHandle, interpreter.InterpreterBuilder

    def decode(x):
        is_narrow = isinstance(x, handle) and x.dtype.scalar == tl.bfloat16
        bits = x.data.astype(np.uint32) << 16 if is_narrow else None
        return handle(bits.view(np.float32), tl.float32) if is_narrow else x

    def encode(values):
        """Ties to even."""
        bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
        rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
        bits = np.where(np.isnan(values), 0x7FC0, rounded).astype(np.uint16)
        return handle(bits, tl.bfloat16)

    def widened(method, keeps_float32):
        def call(self, *arguments, **options):
            wide = [decode(x) for x in arguments]
            found = method(self, *wide, **options)
            same = all(x is y for x, y in zip(wide, arguments))
            if same or keeps_float32 or found.data.dtype != np.float32:
                return found
            return encode(found.data)

        return call

    names = "unary_op binary_op ternary_op create_fma create_clampf create_fneg"
    for name in (*names.split(), "create_dot"):
        if hasattr(builder, name):
            method = getattr(builder, name)
            setattr(builder, name, widened(method, name == "create_dot"))
    builder.get_bf16 = lambda self, value: encode(np.array([value]))
    convert, cast = interpreter._convert_float, builder.cast_impl

    def convert_float(data, source, target, *options):
        if source == tl.float32 and target == tl.bfloat16:
            return encode(data).data
        return convert(data, source, target, *options)

    def make_cast(self, x, to):
        kinds = (x.dtype.scalar, to.scalar)
        if tl.bfloat16 not in kinds or tl.float32 in kinds or kinds[0] == kinds[1]:
            return cast(self, x, to)
        if to.scalar == tl.bfloat16:
            return encode(x.data.astype(np.float32))
        return cast(self, decode(x), to)

    interpreter._convert_float, builder.cast_impl = convert_float, make_cast
