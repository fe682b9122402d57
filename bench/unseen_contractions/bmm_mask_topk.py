"""Scores of a batch of pairs, the greatest three of each row."""

import torch


def retrieve(q, k, valid):
    s = torch.bmm(q, k.transpose(1, 2)) / q.size(-1) ** 0.5
    s = s.masked_fill(~valid[:, None], float("-inf"))
    top, where = s.topk(3, dim=-1)
    return top.softmax(-1), where


def get_inputs():
    valid = torch.ones(2, 7, dtype=torch.bool)
    valid[0, 5:] = False
    return [torch.randn(2, 4, 3), torch.randn(2, 7, 3), valid]
