"""The structure of what is returned depends on a size: a dict for long sequences, a tuple for one step."""

import torch


def encode(x, w):
    """x: [steps, features]; w: [features]."""
    h = torch.tanh(x * w)
    if x.shape[0] > 4:
        return {"states": h, "mean": h.mean(0), "input": x}
    if x.shape[0] == 1:
        return (h[0],)
    return h, h.amax(0)


def get_inputs():
    return [torch.randn(6, 3), torch.randn(3)]
