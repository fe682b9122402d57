"""Four reductions of one input at once."""

import torch


def row_statistics(x):
    return {"mean": x.mean(1), "std": x.std(1), "low": x.amin(1), "high": x.amax(1)}


def get_inputs():
    return [torch.randn(256, 128)]
