"""One projection cut into queries, keys and values."""

import torch
import torch.nn as nn


class SplitQKV(nn.Module):
    def __init__(self, n_head, n_embd):
        super().__init__()
        self.n_head = n_head
        self.n_embd = n_embd
        self.register_buffer("bias", torch.tril(torch.ones(16, 16)).view(1, 1, 16, 16))

    def forward(self, qkv):
        B, T, _ = qkv.size()
        q, k, v = qkv.split(self.n_embd, dim=2)
        k = k.view(B, T, self.n_head, self.n_embd // self.n_head).transpose(1, 2)
        q = q.view(B, T, self.n_head, -1).transpose(1, 2)
        v = v.view(B, T, self.n_head, -1).transpose(1, 2)
        att = (q * k).sum(-1)
        att = att.unsqueeze(-1).expand(B, self.n_head, T, T).masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
        return torch.softmax(att, -1), v.transpose(1, 2).contiguous().view(B, T, -1)


def get_inputs():
    return [torch.randn(2, 8, 48)]


def get_init_inputs():
    return [4, 16]
