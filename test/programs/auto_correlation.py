"""Attention by auto-correlation: the delays of most correlation are rolled to."""

import math

import torch
from torch import nn


class AutoCorrelation(nn.Module):
    def __init__(self, factor=1):
        super().__init__()
        self.factor = factor

    def forward(self, queries, keys, values):
        B, L, H, E = queries.shape
        q_fft = torch.fft.rfft(queries.permute(0, 2, 3, 1).contiguous(), dim=-1)
        k_fft = torch.fft.rfft(keys.permute(0, 2, 3, 1).contiguous(), dim=-1)
        res = q_fft * torch.conj(k_fft)
        corr = torch.fft.irfft(res, dim=-1)
        top_k = int(self.factor * math.log(L))
        mean_value = torch.mean(torch.mean(corr, dim=1), dim=1)
        index = torch.topk(torch.mean(mean_value, dim=0), top_k, dim=-1)[1]
        weights = torch.stack([mean_value[:, index[i]] for i in range(top_k)], dim=-1)
        tmp_corr = torch.softmax(weights, dim=-1)
        tmp_values = values.permute(0, 2, 3, 1).contiguous()
        delays_agg = torch.zeros_like(tmp_values).float()
        for i in range(top_k):
            pattern = torch.roll(tmp_values, -int(index[i]), -1)
            delays_agg = delays_agg + pattern * (
                tmp_corr[:, i].unsqueeze(1).unsqueeze(1).unsqueeze(1).repeat(1, H, E, L)
            )
        return delays_agg.permute(0, 3, 1, 2).contiguous()


def get_inputs():
    return [torch.randn(2, 12, 2, 3), torch.randn(2, 12, 2, 3), torch.randn(2, 12, 2, 3)]
