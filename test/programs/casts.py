"""Casts between types."""

# only forward: PyTorch rounds the gradients of casts, which are kept wide here

import torch


def casts(x, i):
    return (
        x.to(torch.int32),
        x.to(torch.uint8) if False else x.abs().to(torch.uint8),
        x.half(),
        x.bfloat16().float(),
        x.long(),
        i.bool(),
        i.to(x),
        x.type(torch.float64),
        x.to(dtype=torch.float16, copy=True),
        i.to(torch.int8),
        x.to("cpu"),
        x.to(device="cpu", dtype=torch.float64),
        x.type_as(i),
        x.int(),
        x.bool(),
        i.type(torch.FloatTensor) if False else i.float(),
        x.to(torch.bfloat16, non_blocking=True),
    )


def get_inputs():
    return [torch.randn(7) * 5, torch.randint(-4, 5, (7,))]
