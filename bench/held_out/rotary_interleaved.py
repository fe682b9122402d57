"""Rotary position embedding in pairs of neighbours (GPT-J), of the first part of each head."""
# program: rotary_interleaved
# constants: sincos

import torch


def rotate_every_two(x):
    x1 = x[:, :, :, ::2]
    x2 = x[:, :, :, 1::2]
    x = torch.stack((-x2, x1), dim=-1)
    return x.flatten(-2)


def apply_rotary_pos_emb(tensor, sin, cos):
    sin = torch.repeat_interleave(sin[:, :, None, :], 2, 3)
    cos = torch.repeat_interleave(cos[:, :, None, :], 2, 3)
    return (tensor * cos) + (rotate_every_two(tensor) * sin)


def rotary_interleaved(query, key, sincos):
    rotary_dim = sincos.shape[-1]
    sin, cos = torch.split(sincos, rotary_dim // 2, dim=-1)
    k_rot = key[:, :, :, :rotary_dim]
    k_pass = key[:, :, :, rotary_dim:]
    q_rot = query[:, :, :, :rotary_dim]
    q_pass = query[:, :, :, rotary_dim:]
    k_rot = apply_rotary_pos_emb(k_rot, sin, cos)
    q_rot = apply_rotary_pos_emb(q_rot, sin, cos)
    key = torch.cat([k_rot, k_pass], dim=-1)
    query = torch.cat([q_rot, q_pass], dim=-1)
    return query.permute(0, 2, 1, 3), key.permute(0, 2, 1, 3)


def get_inputs():
    batch, length, heads, width = 11, 3000, 16, 256
    query = torch.randn(batch, length, heads, width, dtype=torch.bfloat16)
    key = torch.randn(batch, length, heads, width, dtype=torch.bfloat16)
    sincos = torch.randn(batch, length, 64, dtype=torch.bfloat16)
    return [query, key, sincos]
