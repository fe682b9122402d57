"""Attention weights with linear biases by distance (ALiBi), causal, in float16 with a float32 softmax."""
# constants: slopes

import torch


def alibi_softmax(scores, slopes):
    length = scores.shape[-1]
    position = torch.arange(length, device=scores.device)
    distance = position[None, :] - position[:, None]
    bias = slopes[:, None, None] * distance[None, :, :]
    scores = scores + bias[None].to(scores.dtype)
    causal = distance > 0
    scores = scores.masked_fill(causal, torch.finfo(scores.dtype).min)
    return torch.softmax(scores, dim=-1, dtype=torch.float32).to(scores.dtype)


def get_inputs():
    scores = torch.randn(3, 40, 2500, 2500, dtype=torch.float16)
    slopes = torch.rand(40)
    return [scores, slopes]
