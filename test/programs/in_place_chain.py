"""In-place operators on temporaries and arguments."""

# no gradient: is mutated by the program

import torch


def in_place_chain(x, y):
    t = x.clone()
    t.add_(1).mul_(y).clamp_(-1, 1).sigmoid_().sub_(0.5).div_(2).pow_(2).sqrt_().neg_().abs_().exp_().log1p_()
    t[:, 1:3].zero_()
    t[0] = 5
    t[..., -1] += 1
    t.masked_fill_(y > 0.5, 0.0)
    t.addcmul_(x, y, value=0.1).lerp_(y, 0.3).fmod_(2.0).tanh_().round_(decimals=1) if False else t.addcmul_(
        x, y, value=0.1
    ).lerp_(y, 0.3).fmod_(2.0).tanh_()
    x.mul_(2)
    y.copy_(x)
    return t, x + y


def get_inputs():
    return [torch.randn(4, 7), torch.rand(4, 7)]
