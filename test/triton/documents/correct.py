# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of the project's documents that are correct Triton, with the imports that they need."""

import torch  # noqa: F401
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def KERNEL_NAME(
    x_ptr,                # *T*  - tensor pointer(s)
    N,                    # *i64* - total elements
    BLOCK_SIZE: tl.constexpr,
):
    pid  = tl.program_id(0)
    offs = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offs < N

    data = tl.load(x_ptr + offs, mask=mask)
    # TODO: compute
    tl.store(x_ptr + offs, data, mask=mask)


@triton.jit
def fp16_relu(
    x_ptr,  # tensor pointer (no annotation)
    y_ptr,
    N,
    BLOCK_SIZE: tl.constexpr,
):
    pid  = tl.program_id(0)
    offs = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offs < N

    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.maximum(x, 0.0)
    tl.store(y_ptr + offs, y, mask=mask)


@triton.jit
def asin_kernel(
    x_ptr,
    y_ptr,
    n_elements,
    BLOCK_SIZE: tl.constexpr,
):
    pid         = tl.program_id(0)
    block_start = pid * BLOCK_SIZE
    offsets     = block_start + tl.arange(0, BLOCK_SIZE)
    mask        = offsets < n_elements
    x           = tl.load(x_ptr + offsets, mask=mask)
    x           = libdevice.asin(x)  # compute arc-sine
    tl.store(y_ptr + offsets, x, mask=mask)


@triton.jit
def kernel_1d(x_ptr, N, BLOCK_SIZE: tl.constexpr):
    pid   = tl.program_id(0)
    start = pid * BLOCK_SIZE
    offs  = start + tl.arange(0, BLOCK_SIZE)
    mask  = offs < N
    data  = tl.load(x_ptr + offs, mask=mask)
    # ... compute ...
    tl.store(x_ptr + offs, data, mask=mask)


@triton.jit
def kernel_2d(A_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    start_m = pid_m * BLOCK_M
    start_n = pid_n * BLOCK_N
    off_m = start_m + tl.arange(0, BLOCK_M)
    off_n = start_n + tl.arange(0, BLOCK_N)
    # broadcast to 2D
    idx = off_m[:, None] * N + off_n[None, :]
    mask = (off_m[:, None] < M) & (off_n[None, :] < N)
    block = tl.load(A_ptr + idx, mask=mask)
    # ... compute ...
    tl.store(A_ptr + idx, block, mask=mask)


def make_configs():
    configs = []
    for BM in [64,128]:
      for BN in [64,256]:
        for BK in [32,64]:
          configs.append(
            triton.Config({'BLOCK_M':BM,'BLOCK_N':BN,'BLOCK_K':BK},
                          num_stages=4, num_warps=8)
          )
    return configs


@triton.autotune(
  configs=make_configs(),
  key=['M','N','K'],
)
@triton.jit
def gemm(
    a_ptr, b_ptr, c_ptr,
    M, N, K,
    stride_am, stride_ak,
    stride_bk, stride_bn,
    stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    """Matrix multiply: C = A @ B"""
    # Which output block does this program compute?
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)

    # Compute starting positions
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)

    # Initialize accumulator
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)

    # Iterate over K dimension
    for k_start in range(0, K, BLOCK_K):
        # Load A block: (BLOCK_M, BLOCK_K)
        a_ptrs = a_ptr + offs_m[:, None] * stride_am + (k_start + offs_k[None, :]) * stride_ak
        a = tl.load(a_ptrs, mask=(offs_m[:, None] < M) & ((k_start + offs_k[None, :]) < K))

        # Load B block: (BLOCK_K, BLOCK_N)
        b_ptrs = b_ptr + (k_start + offs_k[:, None]) * stride_bk + offs_n[None, :] * stride_bn
        b = tl.load(b_ptrs, mask=((k_start + offs_k[:, None]) < K) & (offs_n[None, :] < N))

        # Accumulate
        acc += tl.dot(a, b)

    # Store result
    c_ptrs = c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn
    tl.store(c_ptrs, acc, mask=(offs_m[:, None] < M) & (offs_n[None, :] < N))


@triton.jit
def add_kernel(
    x_ptr, y_ptr, output_ptr,
    n_elements,
    BLOCK_SIZE: tl.constexpr,
):
    """Add two vectors element-wise."""
    # Which block of elements does this program instance process?
    pid = tl.program_id(axis=0)

    # Compute the starting offset for this block
    block_start = pid * BLOCK_SIZE

    # Generate offsets for this block
    offsets = block_start + tl.arange(0, BLOCK_SIZE)

    # Create a mask for boundary handling
    mask = offsets < n_elements

    # Load data from global memory
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)

    # Perform computation
    output = x + y

    # Store result to global memory
    tl.store(output_ptr + offsets, output, mask=mask)


@triton.jit
def naive_kernel(
    input_ptr, output_ptr,
    N: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
):
    # Simple 1:1 translation from PyTorch
    pid = tl.program_id(0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < N

    # Load, compute, store - straightforward
    x = tl.load(input_ptr + offsets, mask=mask)
    y = x * 2  # Your computation
    tl.store(output_ptr + offsets, y, mask=mask)


# The two-phase reduction: programs add up their rows behind a lock, then a second kernel folds.


@triton.jit
def locked_partial(X, buf, Lock, Count, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    idx = tl.arange(0, BN)
    mask = idx < N
    x = tl.load(X + rows[:, None] * N + idx[None, :], mask=(rows[:, None] < M) & mask[None, :], other=0.0)
    partial = tl.sum(x, axis=0)
    while tl.atomic_cas(Lock, 0, 1) == 1:
        pass
    count = tl.load(Count)
    if count == 0:
        tl.atomic_xchg(Count, 1)
    else:
        partial += tl.load(buf + idx, mask=mask)
    tl.store(buf + idx, partial, mask=mask)
    tl.atomic_xchg(Lock, 0)


@triton.jit
def finalize(DW, FINAL, M, N, BM: tl.constexpr, BN: tl.constexpr):
    pid = tl.program_id(0)
    cols = pid*BN + tl.arange(0,BN)
    acc = tl.zeros([BM,BN], tl.float32)
    for i in range(0, M, BM):
        rows = i + tl.arange(0,BM)
        idx  = rows[:,None]*N + cols[None,:]
        m    = (rows[:,None]<M)&(cols[None,:]<N)
        acc += tl.load(DW+idx, mask=m, other=0.0)
    out = tl.sum(acc, axis=0)
    tl.store(FINAL+cols, out, mask=cols<N)


@triton.jit
def persistent(x_ptr, y_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, NUM_SMS: tl.constexpr):
    tid = tl.program_id(0)
    num_pid_m = tl.cdiv(M, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    total = num_pid_m * num_pid_n
    for t in tl.range(tid, total, NUM_SMS, flatten=True):
        pid_m = t // num_pid_n
        pid_n = t % num_pid_n
        rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
        cols = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
        idx = rows[:, None] * N + cols[None, :]
        m = (rows[:, None] < M) & (cols[None, :] < N)
        tl.store(y_ptr + idx, tl.load(x_ptr + idx, mask=m) * 2, mask=m)


@triton.jit
def logsumexp_kernel(ptr, out_ptr, C, C_PAD: tl.constexpr):
    row = tl.program_id(0)
    c_idx = tl.arange(0, C_PAD)
    c_mask = c_idx < C
    x = tl.load(ptr + row * C + c_idx, mask=c_mask, other=-float("inf"))
    # Stable logsumexp
    max_val = tl.max(x, axis=0)
    exp_x = tl.exp(x - max_val)
    result = max_val + tl.log(tl.sum(exp_x, axis=0))
    tl.store(out_ptr + row, result)


@triton.jit
def ring_kernel(x_ptr, ring_ptr, out_ptr, T, K, C, C_PAD: tl.constexpr):
    """out[t] = x[t] + max(out[t - 1], out[t - K + 1]): the last K rows live in a ring buffer."""
    c_idx = tl.arange(0, C_PAD)
    c_mask = c_idx < C
    head = 0
    for t in range(0, T):
        value = tl.load(x_ptr + t * C + c_idx, mask=c_mask, other=0.0)
        near = tl.load(ring_ptr + (head + K - 1) % K * C + c_idx, mask=c_mask, other=0.0)
        far = tl.load(ring_ptr + (head + 1) % K * C + c_idx, mask=c_mask, other=0.0)
        new_value = value + tl.maximum(near, far)
        tl.store(ring_ptr + head * C + c_idx, new_value, mask=c_mask)
        tl.store(out_ptr + t * C + c_idx, new_value, mask=c_mask)
        head = (head + 1) % K


@triton.jit
def block_pointer_copy(x_ptr, y_ptr, M, N, stride_m, stride_n, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    block_ptr = tl.make_block_ptr(
        base=x_ptr,
        shape=(M, N),
        strides=(stride_m, stride_n),
        offsets=(tl.program_id(0) * BLOCK_M, 0),
        block_shape=(BLOCK_M, BLOCK_N),
        order=(1, 0),
    )
    out_ptr = tl.make_block_ptr(
        base=y_ptr,
        shape=(M, N),
        strides=(stride_m, stride_n),
        offsets=(tl.program_id(0) * BLOCK_M, 0),
        block_shape=(BLOCK_M, BLOCK_N),
        order=(1, 0),
    )
    for _ in range(0, N, BLOCK_N):
        A = tl.load(block_ptr, boundary_check=(0, 1), padding_option="zero")
        tl.store(out_ptr, A + 1.0, boundary_check=(0, 1))
        block_ptr = tl.advance(block_ptr, (0, BLOCK_N))
        out_ptr = tl.advance(out_ptr, (0, BLOCK_N))


@triton.jit
def debug_kernel(x_ptr, N, BLOCK_SIZE: tl.constexpr, DEBUG: tl.constexpr):
    offs = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + offs, mask=offs < N)
    if DEBUG:
        tl.debug_barrier()
        tl.device_print("x", x)
    tl.store(x_ptr + offs, x, mask=offs < N)
