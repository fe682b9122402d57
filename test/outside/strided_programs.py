# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs whose results take their strides from operands."""

import torch


def add_transposed(x, y):
    return x.t() + y


def scaled_transposed(x):
    return x.t() * 2


def result_transposed(x):
    return (x * 2).transpose(1, 2)


def transposed_copy(x):
    return (x * 2).transpose(1, 2).contiguous()


def bias_of_channels(x, b):
    return torch.relu(x + b.view(1, -1, 1, 1))


def softmax_and_more(x):
    return torch.softmax(x, dim=-1) + 1


def sliced(x):
    return x[:, 1:] + 1


def permuted_product(x, y):
    return x.permute(2, 0, 1) * y


def flipped(x):
    return x.t().flip(0) * 3


def second_decides(row, x):
    return row * x + 1


def rolled_steps(u, v):
    """Several kernels: inputs that are not row-major are copied, and the results laid out afterwards."""
    for _ in range(3):
        u, v = u + v.roll(1, 0) * v.roll(-1, 1), v - u.roll(2, 1) * u.roll(1, 0)
    return u, (u * v).t(), v.roll(1, 1)
