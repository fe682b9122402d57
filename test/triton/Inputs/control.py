import triton
import triton.language as tl


@triton.jit
def accumulate(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        value = tl.load(x + start + i, mask=start + i < n, other=0.0)
        total += value
    tl.store(out, tl.sum(total, axis=0))


@triton.jit
def choose(x, n):
    if n > 3:
        value = 1.0
    else:
        value = 2.0
    tl.store(x, value)


@triton.jit
def guarded(x, n):
    if n > 3:
        return
    tl.store(x, 1.0)


@triton.jit
def locked(lock):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.atomic_xchg(lock, 0)


@triton.jit
def staged(x, n):
    for i in tl.range(0, n, num_stages=2):
        tl.store(x + i, 1.0)
