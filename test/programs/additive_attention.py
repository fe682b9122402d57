"""Attention by a small network over queries and keys (Bahdanau) and by a bilinear product (Luong), masked by lengths."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class BahdanauAttention(nn.Module):
    def __init__(self, hidden_size):
        super(BahdanauAttention, self).__init__()
        self.Wa = nn.Linear(hidden_size, hidden_size)
        self.Ua = nn.Linear(hidden_size, hidden_size)
        self.Va = nn.Linear(hidden_size, 1)

    def forward(self, query, keys):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys)))
        scores = scores.squeeze(2).unsqueeze(1)
        weights = F.softmax(scores, dim=-1)
        context = torch.bmm(weights, keys)
        return context, weights


class LuongAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.attn = nn.Linear(hidden_size, hidden_size, bias=False)

    def forward(self, hidden, outputs, lengths):
        energy = torch.bmm(self.attn(hidden), outputs.transpose(1, 2))
        positions = torch.arange(outputs.size(1), device=outputs.device)
        energy = energy.masked_fill(positions[None, None, :] >= lengths[:, None, None], -1e10)
        return torch.bmm(F.softmax(energy, dim=2), outputs)


class Reader(nn.Module):
    def __init__(self, hidden=6):
        super().__init__()
        self.first, self.second = BahdanauAttention(hidden), LuongAttention(hidden)
        self.out = nn.Linear(2 * hidden, hidden)

    def forward(self, query, keys, lengths):
        context, weights = self.first(query, keys)
        again = self.second(context, keys, lengths)
        return torch.tanh(self.out(torch.cat((context, again), dim=2))), weights


# program: Reader
def get_inputs():
    return [torch.randn(3, 1, 6), torch.randn(3, 5, 6), torch.tensor([5, 2, 4])]
