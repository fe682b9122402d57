"""Tensors of no dimensions."""

import torch


def zero_dimensional(x, s):
    a = x.sum()
    b = a * s
    c = b.view(1)
    d = torch.stack([a, b])
    e = a.expand(3)
    f = s.unsqueeze(0).repeat(4)
    return (
        b,
        c,
        d,
        e,
        f,
        s.exp(),
        s.sum(),
        s.mean(),
        s.max(),
        s.softmax(0),
        torch.cat([c, c]),
        a.reshape(()),
        s.item() if False else s,
        s > 0,
        s.clamp(0, 1),
        s.argmax(),
        s.cumsum(0),
        s.std() if False else s,
    )


def get_inputs():
    return [torch.randn(5), torch.randn(())]
