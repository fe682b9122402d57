# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that several tests convert."""

SOFTMAX = """import torch


def softmax(x):
    shifted = x - x.amax(dim=-1, keepdim=True)
    exponentials = torch.exp(shifted)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)
"""
