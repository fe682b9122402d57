"""gather, index_select and indexing by tensors."""

import torch


def gathers(x, idx, tok, table):
    a = x.gather(1, idx)
    b = torch.take_along_dim(x, idx, dim=1)
    c = table[tok]
    d = torch.index_select(table, 0, tok.view(-1))
    e = table[:, tok[0]] if False else table[tok, :]
    f = x[torch.arange(x.shape[0]), idx[:, 0]]
    return a, b, c, d, e, f


def get_inputs():
    return [torch.randn(4, 9), torch.randint(0, 9, (4, 3)), torch.randint(0, 7, (2, 5)), torch.randn(7, 6)]
