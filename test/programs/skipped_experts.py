"""A mixture of experts as Mixtral has it, that skips experts without tokens."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Mixture(nn.Module):
    def __init__(self, width=8, experts=3, chosen=2):
        super().__init__()
        self.gate = nn.Linear(width, experts, bias=False)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(width, 2 * width), nn.SiLU(), nn.Linear(2 * width, width)) for _ in range(experts))
        self.shared = nn.Linear(width, width)
        self.chosen = chosen

    def forward(self, hidden):
        batch, length, width = hidden.shape
        tokens = hidden.view(-1, width)
        weights, selected = torch.topk(F.softmax(self.gate(tokens), dim=1), self.chosen, dim=-1)
        weights /= weights.sum(dim=-1, keepdim=True)
        out = torch.zeros_like(tokens)
        mask = F.one_hot(selected, num_classes=len(self.experts)).permute(2, 1, 0)
        for number, expert in enumerate(self.experts):
            which, top = torch.where(mask[number])
            if top.shape[0] == 0:
                continue
            current = expert(tokens[None, top].reshape(-1, width)) * weights[top, which, None]
            out.index_add_(0, top, current)
        large = tokens.norm(dim=-1) > 1
        if large.any():
            out[large] += self.shared(tokens[large])
        return out.reshape(batch, length, width)


def get_inputs():
    return [torch.randn(2, 5, 8)]
