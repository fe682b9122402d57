import torch


def f(x):
    t0 = x[..., None]
    t1 = torch.cat([t0, t0, t0], -2)
    t3 = t1.cumsum(-1)
    t5 = torch.empty_like(t3)
    t5[:, :, :2] = 1.0
    t5[:, :, 2:] = t3[:, :, 2:]
    return t5
