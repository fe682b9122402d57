"""Mixtures of experts that write to the tokens of each expert, as Mistral and DeepSeek have them."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Routed(nn.Module):
    def __init__(self, width=8, experts=3, chosen=2):
        super().__init__()
        self.gate = nn.Linear(width, experts, bias=False)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(width, width), nn.SiLU()) for _ in range(experts))
        self.chosen = chosen

    def forward(self, x):
        weights, selected = torch.topk(self.gate(x), self.chosen)
        weights = F.softmax(weights, dim=1)
        results = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            tokens, places = torch.where(selected == number)
            results[tokens] += weights[tokens, places, None] * expert(x[tokens])
        best, route = weights.max(-1)
        for number in range(self.chosen):
            tokens = torch.eq(route, number).nonzero(as_tuple=True)[0]
            results[tokens, :] = results[tokens, :] * best[tokens, None]
        return results


def get_inputs():
    return [torch.randn(6, 8)]
