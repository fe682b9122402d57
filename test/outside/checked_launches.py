# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Watches the launches of upstream's interpreter: what each was given, and that it stays within its tensors.

Upstream's interpreter reads and writes wherever an address points. Here an access outside of the tensors of its launch
raises OutOfBounds, and masked lanes without `other` hold NaN (integers: the greatest number) where upstream has 0.
"""

import contextlib
import dataclasses

import numpy as np
import torch
import upstream  # noqa: F401  (before triton)
from triton.runtime import interpreter

builder = interpreter.InterpreterBuilder


class OutOfBounds(Exception):
    pass


@dataclasses.dataclass
class Launch:
    kernel: str
    grid: tuple
    #: Tensors as copies of their memory from the first to the last element, others as they are.
    arguments: dict
    constexprs: dict

    def key(self):
        """Launches of one key run through the same code with the same sizes."""
        described = [(n, v.dtype if isinstance(v, torch.Tensor) else v) for n, v in self.arguments.items()]
        return self.kernel, self.grid, str(described), str(self.constexprs)


def get_span(tensor):
    """How many elements lie between the first and the last, both counted."""
    if tensor.numel() == 0:
        return 0
    return sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride())) + 1


def copy_span(tensor):
    return tensor.as_strided((get_span(tensor),), (1,)).clone()


class Watch:
    """The memory of the launch that runs, and what is recorded of launches."""

    def __init__(self):
        self.starts, self.ends, self.name = np.zeros(0, np.uint64), np.zeros(0, np.uint64), ""
        self.records, self.counts, self.ran = None, {}, set()

    def enter(self, name, tensors):
        spans = sorted((t.data_ptr(), t.data_ptr() + get_span(t) * t.element_size()) for t in tensors)
        self.name = name
        self.starts = np.array([start for start, _ in spans], np.uint64)
        # Tensors may lie within each other.
        self.ends = np.maximum.accumulate(np.array([end for _, end in spans], np.uint64))

    def check(self, pointers, mask, what):
        active = pointers.data[np.broadcast_to(mask.data, pointers.data.shape)].astype(np.uint64).ravel()
        if not active.size:
            return
        if not self.starts.size:
            raise OutOfBounds(f"{self.name} {what} without a tensor")
        size = np.uint64(max(pointers.get_element_ty().primitive_bitwidth // 8, 1))
        place = np.searchsorted(self.starts, active, side="right").astype(np.int64) - 1
        bad = (place < 0) | (active + size > self.ends[np.maximum(place, 0)])
        if bad.any():
            raise OutOfBounds(f"{self.name} {what} outside of its tensors ({int(bad.sum())} of {active.size} lanes)")


WATCH = Watch()


def note(executor, arguments, grid):
    tensors = {name: x for name, x in arguments.items() if isinstance(x, torch.Tensor)}
    name = executor.fn.__name__
    WATCH.enter(name, tensors.values())
    WATCH.ran.add(name)
    if WATCH.records is None:
        return
    constexprs = {name: x for name, x in arguments.items() if name in executor.constexprs}
    given = {name: copy_span(x) if name in tensors else x for name, x in arguments.items() if name not in constexprs}
    launch = Launch(name, tuple(int(extent) for extent in grid), given, constexprs)
    WATCH.records.setdefault(launch.key(), launch)


def watch_launches():
    """The grid is known when the interpreter is told of it: then the arguments are noted."""
    set_grid_dim, call = builder.set_grid_dim, interpreter.GridExecutor.__call__
    current = []

    def noting_call(self, *arguments, **options):
        current.append((self, arguments, options))
        try:
            return call(self, *arguments, **options)
        finally:
            current.pop()

    def noting_grid(self, *grid):
        executor, arguments, options = current[-1]
        named = dict(zip(executor.arg_names, arguments))
        named |= {name: x for name, x in options.items() if name in executor.arg_names}
        note(executor, named, grid)
        return set_grid_dim(self, *grid)

    builder.set_grid_dim, interpreter.GridExecutor.__call__ = noting_grid, noting_call


def check_accesses():
    load, store, atomic = builder.create_masked_load, builder.create_masked_store, builder.create_atomic_rmw

    def checked_load(self, pointers, mask, other, *rest):
        WATCH.check(pointers, mask, "reads")
        if other is None:
            kind = pointers.get_element_ty()
            dtype = interpreter._get_np_dtype(kind)
            # bfloat16 is held as its bits, of which the greatest are a NaN.
            unknown = np.nan if dtype.kind == "f" else True if dtype.kind == "b" else np.iinfo(dtype).max
            other = interpreter.TensorHandle(np.full(pointers.data.shape, unknown, dtype), kind)
        return load(self, pointers, mask, other, *rest)

    def checked_store(self, pointers, value, mask, *rest):
        WATCH.check(pointers, mask, "writes")
        return store(self, pointers, value, mask, *rest)

    def checked_atomic(self, operation, pointers, value, mask, *rest):
        WATCH.check(pointers, mask, "adds")
        return atomic(self, operation, pointers, value, mask, *rest)

    builder.create_masked_load, builder.create_masked_store = checked_load, checked_store
    builder.create_atomic_rmw = checked_atomic


watch_launches()
check_accesses()


@contextlib.contextmanager
def recorded():
    """The launches that happen meanwhile, one of each key."""
    WATCH.records = {}
    try:
        yield WATCH.records
    finally:
        WATCH.records = None


@contextlib.contextmanager
def filled_with_nan():
    """Fresh memory holds NaN, or the greatest integer: what a kernel leaves out is seen."""
    before = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before[0], warn_only=before[1])
