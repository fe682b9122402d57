"""Back from 8 bits with a scale for each row."""

import torch


def dequantize(q, scale):
    return q.to(torch.float32) * scale


def get_inputs():
    return [torch.randint(0, 100, (64, 512)).to(torch.int8), torch.rand(64, 1)]
