"""Attention of one query by matrix-vector products."""

import torch


def read(memory, key, strength):
    similarity = torch.mv(memory, key) / (memory.norm(dim=1) * key.norm() + 1e-6)
    w = torch.softmax(strength * similarity, 0)
    return w @ memory, w


def get_inputs():
    return [torch.randn(9, 5), torch.randn(5), torch.rand(1) + 1]
