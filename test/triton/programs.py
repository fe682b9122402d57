# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as people write them, for run.py."""

import triton
import triton.language as tl

LOG2_E: tl.constexpr = tl.constexpr(1.4426950408889634)


@triton.jit
def softmax_kernel(
    output_ptr,
    input_ptr,
    input_row_stride,
    output_row_stride,
    n_rows,
    n_cols,
    BLOCK_SIZE: tl.constexpr,
    num_stages: tl.constexpr,
):
    row_start = tl.program_id(0)
    row_step = tl.num_programs(0)
    for row_idx in tl.range(row_start, n_rows, row_step, num_stages=num_stages):
        row_start_ptr = input_ptr + row_idx * input_row_stride
        col_offsets = tl.arange(0, BLOCK_SIZE)
        input_ptrs = row_start_ptr + col_offsets
        mask = col_offsets < n_cols
        row = tl.load(input_ptrs, mask=mask, other=-float("inf"))
        row_minus_max = row - tl.max(row, axis=0)
        numerator = tl.exp(row_minus_max)
        denominator = tl.sum(numerator, axis=0)
        softmax_output = numerator / denominator
        output_row_start_ptr = output_ptr + row_idx * output_row_stride
        tl.store(output_row_start_ptr + col_offsets, softmax_output, mask=mask)


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr, GROUP_SIZE_M: tl.constexpr,
    ACTIVATION: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_SIZE_M)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    num_pid_in_group = GROUP_SIZE_M * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP_SIZE_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_SIZE_M)
    pid_m = first_pid_m + ((pid % num_pid_in_group) % group_size_m)
    pid_n = (pid % num_pid_in_group) // group_size_m
    tl.assume(pid_m >= 0)
    offs_am = (pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)) % M
    offs_bn = (pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)) % N
    offs_am = tl.max_contiguous(tl.multiple_of(offs_am, 1), 1)
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    a_ptrs = a_ptr + (offs_am[:, None] * stride_am + offs_k[None, :] * stride_ak)
    b_ptrs = b_ptr + (offs_k[:, None] * stride_bk + offs_bn[None, :] * stride_bn)
    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_SIZE_K)):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BLOCK_SIZE_K, other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_SIZE_K, other=0.0)
        accumulator = tl.dot(a, b, accumulator)
        a_ptrs += BLOCK_SIZE_K * stride_ak
        b_ptrs += BLOCK_SIZE_K * stride_bk
    if ACTIVATION == "leaky_relu":
        accumulator = leaky_relu(accumulator)
    c = accumulator.to(tl.float16)
    offs_cm = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_cn = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    c_ptrs = c_ptr + stride_cm * offs_cm[:, None] + stride_cn * offs_cn[None, :]
    c_mask = (offs_cm[:, None] < M) & (offs_cn[None, :] < N)
    tl.store(c_ptrs, c, mask=c_mask)


@triton.jit
def layer_norm_fwd(X, Y, W, B, Mean, Rstd, stride, N, eps, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    Y += row * stride
    X += row * stride
    mean = 0
    _mean = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        a = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        _mean += a
    mean = tl.sum(_mean, axis=0) / N
    _var = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        x = tl.where(cols < N, x - mean, 0.0)
        _var += x * x
    var = tl.sum(_var, axis=0) / N
    rstd = 1 / tl.sqrt(var + eps)
    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        mask = cols < N
        w = tl.load(W + cols, mask=mask)
        b = tl.load(B + cols, mask=mask)
        x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
        x_hat = (x - mean) * rstd
        y = x_hat * w + b
        tl.store(Y + cols, y, mask=mask)


@triton.jit
def attention_inner(
    acc, l_i, m_i, q, k_ptrs, v_ptrs, stride_kn, stride_vn, start_m, qk_scale, N_CTX,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, STAGE: tl.constexpr, offs_m, offs_n,
):  # fmt: skip
    if STAGE == 1:
        lo, hi = 0, start_m * BLOCK_M
    elif STAGE == 2:
        lo, hi = start_m * BLOCK_M, (start_m + 1) * BLOCK_M
        lo = tl.multiple_of(lo, BLOCK_M)
    else:
        lo, hi = 0, N_CTX
    k_ptrs += lo * stride_kn
    v_ptrs += lo * stride_vn
    for start_n in tl.range(lo, hi, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        k = tl.load(k_ptrs)
        qk = tl.dot(q, k, input_precision="ieee")
        if STAGE == 2:
            mask = offs_m[:, None] >= (start_n + offs_n[None, :])
            qk = qk * qk_scale + tl.where(mask, 0, -1.0e6)
            m_ij = tl.maximum(m_i, tl.max(qk, 1))
            qk -= m_ij[:, None]
        else:
            m_ij = tl.maximum(m_i, tl.max(qk, 1) * qk_scale)
            qk = qk * qk_scale - m_ij[:, None]
        p = tl.math.exp2(qk)
        alpha = tl.math.exp2(m_i - m_ij)
        l_ij = tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(v_ptrs)
        acc = tl.dot(p, v, acc, input_precision="ieee")
        l_i = l_i * alpha + l_ij
        m_i = m_ij
        v_ptrs += BLOCK_N * stride_vn
        k_ptrs += BLOCK_N * stride_kn
    return acc, l_i, m_i


@triton.jit
def attention_fwd(
    Q, K, V, Out, sm_scale, stride_n, N_CTX,
    HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, STAGE: tl.constexpr,
):  # fmt: skip
    tl.static_assert(BLOCK_N <= HEAD_DIM, f"block {BLOCK_N} is larger than {HEAD_DIM}")
    start_m = tl.program_id(0)
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, HEAD_DIM)
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32) + 1.0
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    qk_scale = sm_scale * LOG2_E
    q = tl.load(Q + offs_m[:, None] * stride_n + offs_d[None, :])
    k_ptrs = K + offs_n[None, :] * stride_n + offs_d[:, None]
    v_ptrs = V + offs_n[:, None] * stride_n + offs_d[None, :]
    if STAGE & 1:
        acc, l_i, m_i = attention_inner(
            acc, l_i, m_i, q, k_ptrs, v_ptrs, stride_n, stride_n, start_m, qk_scale, N_CTX,
            BLOCK_M, BLOCK_N, 4 - STAGE, offs_m, offs_n,
        )  # fmt: skip
    if STAGE & 2:
        acc, l_i, m_i = attention_inner(
            acc,
            l_i,
            m_i,
            q,
            k_ptrs,
            v_ptrs,
            stride_n,
            stride_n,
            start_m,
            qk_scale,
            N_CTX,
            BLOCK_M,
            BLOCK_N,
            2,
            offs_m,
            offs_n,
        )
    acc = acc / l_i[:, None]
    tl.store(Out + offs_m[:, None] * stride_n + offs_d[None, :], acc)


@triton.jit
def cross_entropy(logits_ptr, labels_ptr, loss_ptr, n_cols, ignore_index, smoothing, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    label = tl.load(labels_ptr + row)
    if label == ignore_index:
        tl.store(loss_ptr + row, 0.0)
        return
    logits_ptr += row * n_cols
    m = float("-inf")
    d = 0.0
    total = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(logits_ptr + cols, mask=cols < n_cols, other=float("-inf"))
        if smoothing > 0:
            total += tl.sum(tl.where(cols < n_cols, x, 0.0))
        new_m = tl.maximum(m, tl.max(x))
        d = d * tl.exp(m - new_m) + tl.sum(tl.exp(x - new_m))
        m = new_m
    lse = m + tl.log(d)
    picked = tl.load(logits_ptr + label)
    loss = lse - picked
    if smoothing > 0:
        loss = loss * (1 - smoothing) + smoothing * (lse - total / n_cols)
    tl.store(loss_ptr + row, loss)


@triton.jit
def rotary(x_ptr, cos_ptr, sin_ptr, out_ptr, seq, HEAD: tl.constexpr):
    HALF: tl.constexpr = HEAD // 2
    pos = tl.program_id(0)
    i = tl.arange(0, HALF)
    cos = tl.load(cos_ptr + pos * HALF + i)
    sin = tl.load(sin_ptr + pos * HALF + i)
    x1 = tl.load(x_ptr + pos * HEAD + i)
    x2 = tl.load(x_ptr + pos * HEAD + HALF + i)
    tl.store(out_ptr + pos * HEAD + i, x1 * cos - x2 * sin)
    tl.store(out_ptr + pos * HEAD + HALF + i, x2 * cos + x1 * sin)


@triton.jit
def first_order(al, bl, ar, br):
    return al * ar, bl * ar + br


@triton.jit
def linear_recurrence(a_ptr, b_ptr, out_ptr, T, BLOCK: tl.constexpr):
    """h[t] = a[t] * h[t - 1] + b[t], block by block."""
    h = tl.zeros((), tl.float32)
    for start in range(0, T, BLOCK):
        t = start + tl.arange(0, BLOCK)
        a = tl.load(a_ptr + t, mask=t < T, other=1.0)
        b = tl.load(b_ptr + t, mask=t < T, other=0.0)
        A, B = tl.associative_scan((a, b), 0, first_order)
        state = A * h + B
        tl.store(out_ptr + t, state, mask=t < T)
        h = tl.sum(tl.where(tl.arange(0, BLOCK) == BLOCK - 1, state, 0.0), axis=0)
