"""The library's attention with every kind of mask, a scale of its own and heads that share keys."""

import torch
import torch.nn.functional as F


def attentions(q, k, v, keep, bias):
    causal = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    masked = F.scaled_dot_product_attention(q, k, v, attn_mask=keep)
    biased = F.scaled_dot_product_attention(q, k, v, attn_mask=bias, scale=0.3)
    grouped = F.scaled_dot_product_attention(q, k[:, :1], v[:, :1], enable_gqa=True)
    plain = torch.nn.functional.scaled_dot_product_attention(q[:, :, :2], k, v, dropout_p=0.0)
    return causal, masked, biased, grouped, plain


def get_inputs():
    keep = torch.rand(2, 1, 5, 5) > 0.4
    keep[:, :, 2] = True
    return [torch.randn(2, 2, 5, 4), torch.randn(2, 2, 5, 4), torch.randn(2, 2, 5, 4), keep, torch.randn(2, 5, 5)]
