"""Types that a call asks for: integers are as wide as the result, pairs of places and numbers have them, and results go to
the tensors that it names."""

import torch


def asked_types(i, x):
    n = x.shape[-1]
    wide = i.mean(dtype=torch.float64), i.softmax(0, dtype=torch.float64), i.log_softmax(0, dtype=torch.float64)
    powers = i * 2**n, i % 2**n, i**n, i * n**-1, torch.where(i > 2, 2**n, i)
    places = torch.tril_indices(2, 2, dtype=torch.int32), torch.triu_indices(2, 2, dtype=torch.int32)
    most, place = torch.empty(1, dtype=torch.int64), torch.empty(1, dtype=torch.int64)
    torch.topk(i, 1, out=(most, place))
    return *wide, *powers, *places, most, place, torch.scalar_tensor(True), x.nanmean(dtype=torch.float64), torch.scalar_tensor(5) + i


def get_inputs():
    return [torch.tensor([16777217, 16777217, 16777219]), torch.randn(4, 5)]
