"""Tables of rotary positions from constants of the module."""

# no gradient: no argument needs a gradient

import torch

THETA = 10000.0
_INV = 1.0 / (THETA ** (torch.arange(0, 16, 2).float() / 16))


def rope_tables(pos):
    ang = pos[:, None].float() * _INV
    return torch.cat([ang.cos(), ang.sin()], dim=-1)


def get_inputs():
    return [torch.arange(10)]
