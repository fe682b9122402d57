"""Swin V2 window attention weights: clamped logit scale, gathered relative bias, shift mask, softmax over 49."""

import math

import torch


def window_attention_probs(attn, logit_scale, bias_table, rel_index, mask):
    b, heads, n, _ = attn.shape
    num_windows = mask.shape[0]
    scale = torch.clamp(logit_scale, max=math.log(100.0)).exp()
    attn = attn * scale
    bias = bias_table[rel_index.view(-1)].view(n, n, heads).permute(2, 0, 1).contiguous()
    bias = 16 * torch.sigmoid(bias)
    attn = attn + bias.unsqueeze(0)
    attn = attn.view(b // num_windows, num_windows, heads, n, n) + mask.unsqueeze(1).unsqueeze(0)
    attn = attn.view(b, heads, n, n)
    return torch.softmax(attn, dim=-1)


def get_inputs():
    heads, n, windows = 3, 49, 64
    mask = torch.where(torch.rand(windows, n, n) < 0.2, -100.0, 0.0)
    return [
        torch.rand(32 * windows, heads, n, n) * 2 - 1,
        torch.rand(heads, 1, 1) + 2.0,
        torch.randn(169, heads),
        torch.randint(0, 169, (n, n)),
        mask,
    ]
