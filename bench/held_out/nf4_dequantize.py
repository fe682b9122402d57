"""Weights out of 4-bit codes: two a byte, a table of 16 levels, a scale for each block of 64."""
# only forward

import torch


def nf4_dequantize(packed, absmax, code):
    high = packed >> 4
    low = packed & 15
    index = torch.stack([high, low], dim=-1).view(-1)
    values = code[index.long()].view(-1, 64)
    return (values * absmax[:, None]).to(torch.bfloat16).view(-1)


def get_inputs():
    blocks = 4700000
    packed = torch.randint(0, 256, (blocks * 64 // 2,), dtype=torch.uint8)
    return [packed, torch.rand(blocks), torch.rand(16)]
