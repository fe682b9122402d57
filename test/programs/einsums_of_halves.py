"""Products of vectors in halves are rounded once, under autocast too."""

import torch


def halves(a, x, y):
    with torch.autocast(a.device.type, dtype=torch.bfloat16):
        narrow = a.float() @ x.float()
    return a @ x, torch.einsum("bmk,bm->bk", a, y), narrow


def get_inputs():
    return [torch.randn(4, 5, 300).half(), torch.randn(300).half(), torch.randn(4, 5).half()]
