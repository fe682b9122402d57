"""A chain of operators in float16."""

import torch
import torch.nn.functional as F


def half_chain(x, w):
    a = F.layer_norm(x, (16,), w)
    b = F.softmax(x, dim=-1, dtype=torch.float32)
    c = (x.float() ** 2).mean(-1, keepdim=True)
    d = F.gelu(x)
    return (
        a,
        b,
        c,
        d,
        x.sum(-1),
        x.mean(),
        x.var(-1),
        F.silu(x) * w,
        x / (x.abs() + 1),
        torch.sigmoid(x),
        x.norm(dim=-1),
        F.log_softmax(x, -1),
        x.cumsum(-1),
        x.amax(-1),
        x @ w if False else x,
    )


def get_inputs():
    return [torch.randn(4, 16).half(), torch.randn(16).half()]
