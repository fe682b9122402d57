"""Attention without a softmax: features of queries and keys, over all positions, and causal by running sums."""

import torch
import torch.nn.functional as F


def elu_feature_map(x):
    return F.elu(x) + 1


def linear_attention(q, k, v, eps: float = 1e-6):
    Q, K = elu_feature_map(q), elu_feature_map(k)
    v_length = v.size(1)
    values = v / v_length  # prevent fp16 overflow
    KV = torch.einsum("nshd,nshv->nhdv", K, values)
    Z = 1 / (torch.einsum("nlhd,nhd->nlh", Q, K.sum(dim=1)) + eps)
    everywhere = torch.einsum("nlhd,nhdv,nlh->nlhv", Q, KV, Z) * v_length

    running = torch.einsum("nshd,nshv->nshdv", K, v).cumsum(dim=1)
    normaliser = torch.einsum("nlhd,nlhd->nlh", Q, K.cumsum(1)) + eps
    causal = torch.einsum("nlhd,nlhdv->nlhv", Q, running) / normaliser.unsqueeze(-1)
    return everywhere, causal


# program: linear_attention
def get_inputs():
    return [torch.randn(2, 5, 2, 3), torch.randn(2, 5, 2, 3), torch.randn(2, 5, 2, 4)]
