"""Qwen2-VL's rotary sections."""

# program: multimodal_rope

import torch


def rotate_half(x):
    x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def multimodal_rope(q, k, cos, sin, mrope_section=(2, 3, 3), unsqueeze_dim=1):
    mrope_section = list(mrope_section) * 2
    cos = torch.cat([m[i % 3] for i, m in enumerate(cos.split(mrope_section, dim=-1))], dim=-1).unsqueeze(unsqueeze_dim)
    sin = torch.cat([m[i % 3] for i, m in enumerate(sin.split(mrope_section, dim=-1))], dim=-1).unsqueeze(unsqueeze_dim)
    return (q * cos) + (rotate_half(q) * sin), (k * cos) + (rotate_half(k) * sin)


def get_inputs():
    return [torch.randn(2, 4, 5, 16), torch.randn(2, 2, 5, 16), torch.randn(3, 2, 5, 16), torch.randn(3, 2, 5, 16)]
