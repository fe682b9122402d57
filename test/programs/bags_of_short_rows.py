"""Rows that are looked up become no longer than a norm, in place."""
# no gradient: a write behind autograd's back

import torch
import torch.nn.functional as F


def bags_of_short_rows(idx, table, other):
    return F.embedding_bag(idx, table, max_norm=1.0, mode="sum"), F.embedding(idx, other, max_norm=2.0, norm_type=1.0)


def get_inputs():
    return [torch.randint(0, 20, (6, 4)), torch.randn(20, 8), torch.randn(20, 8)]
