"""Sums of rows and of elements at places that are data, some of them met often."""

import torch


def sums_by_index(table, rows, updates, flat, places, weights):
    a = table.index_add(0, rows, updates, alpha=2)
    b = torch.zeros_like(table)
    b.index_put_((rows,), updates, accumulate=True)
    c = flat.scatter_add(0, places, weights)
    d = torch.bincount(places, weights=weights.detach(), minlength=50)
    e = flat.clone().put_(places, weights, accumulate=True)
    f = flat.masked_scatter(flat > 0, weights)
    return a, b, c, d, e, f


def get_inputs():
    rows = torch.randint(0, 9, (700,))
    rows[100:650] = 4
    places = torch.randint(0, 50, (1500,))
    places[:1200] = 7
    return [torch.randn(9, 5), rows, torch.randn(700, 5), torch.randn(50), places, torch.randn(1500)]
