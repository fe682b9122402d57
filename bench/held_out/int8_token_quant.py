"""Quantisation of activations to int8 with a scale for each token, bfloat16 in."""
# only forward

import torch


def int8_token_quant(x):
    scale = x.abs().amax(dim=-1, keepdim=True).clamp(min=1e-5).float() / 127.0
    q = torch.round(x.float() / scale).clamp(-128, 127).to(torch.int8)
    return q, scale


def get_inputs():
    return [torch.randn(65000, 7168, dtype=torch.bfloat16)]
