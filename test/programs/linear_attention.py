"""Linear attention (Katharopoulos et al.): a feature map instead of the softmax, not causal and causal."""

# program: linear_attention

import torch
import torch.nn.functional as F


def elu_feature_map(x):
    return F.elu(x) + 1


def linear_attention(queries, keys, values):
    Q = elu_feature_map(queries)
    K = elu_feature_map(keys)
    KV = torch.einsum("nshd,nshm->nhmd", K, values)
    Z = 1 / (torch.einsum("nlhd,nhd->nlh", Q, K.sum(dim=1)) + 1e-6)
    V = torch.einsum("nlhd,nhmd,nlh->nlhm", Q, KV, Z)
    scores = torch.einsum("nlhd,nshd->nhls", Q, K).tril()
    causal = torch.einsum("nhls,nshm->nlhm", scores / (scores.sum(-1, keepdim=True) + 1e-6), values)
    return V.contiguous(), causal


def get_inputs():
    return [torch.randn(2, 6, 3, 4), torch.randn(2, 6, 3, 4), torch.randn(2, 6, 3, 5)]
