import threading

import triton
import triton.language as tl


class Remembering:
    def __init__(self, fn):
        self.fn, self.lock = fn, threading.Lock()

    def __getitem__(self, grid):
        return self.fn[grid]


class Counting:
    def __init__(self, fn):
        self.fn, self.launches = fn, 0


def alone(fn):
    def launch(*arguments):
        fn[(1,)](*arguments)

    return launch


@Remembering
@triton.autotune(configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=["n"])
@triton.jit
def fill(x, n, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + places, 1.0, mask=places < n)


@Counting
@triton.autotune(configs=[triton.Config({"BLOCK": 32})], key=[])
@triton.jit
def clear(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 0.0)


@alone
@triton.jit
def mark(x):
    tl.store(x, 2.0)


missing = undefined_package.configs  # noqa: F821


@Remembering
@triton.autotune(configs=missing, key=[])
@triton.jit
def untuned(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 3.0)
