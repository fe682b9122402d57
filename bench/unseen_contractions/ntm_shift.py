"""Weights shifted by a circular convolution, sharpened, then written."""

import torch


def address(prev, content, g, s, gamma, memory, erase, add):
    w = g * content + (1 - g) * prev
    wrapped = torch.cat([w[:, -1:], w, w[:, :1]], dim=1)
    shifted = (wrapped.unfold(1, 3, 1) * s.unsqueeze(1)).sum(-1)
    sharp = shifted**gamma
    sharp = sharp / (sharp.sum(1, keepdim=True) + 1e-16)
    memory = memory * (1 - torch.bmm(sharp.unsqueeze(2), erase.unsqueeze(1))) + torch.bmm(
        sharp.unsqueeze(2), add.unsqueeze(1)
    )
    return sharp, memory


def get_inputs():
    return [
        torch.rand(2, 6).softmax(1),
        torch.rand(2, 6).softmax(1),
        torch.rand(2, 1),
        torch.rand(2, 3).softmax(1),
        1 + torch.rand(2, 1),
        torch.randn(2, 6, 4),
        torch.rand(2, 4),
        torch.randn(2, 4),
    ]
