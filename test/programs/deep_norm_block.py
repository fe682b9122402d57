"""DeepNorm residuals with LayerScale and DropPath in eval mode."""

# program: DeepNormBlock

import torch
import torch.nn as nn


def drop_path(x, drop_prob: float = 0.0, training: bool = False, scale_by_keep: bool = True):
    if drop_prob == 0.0 or not training:
        return x
    keep_prob = 1 - drop_prob
    shape = (x.shape[0],) + (1,) * (x.ndim - 1)
    random_tensor = x.new_empty(shape).bernoulli_(keep_prob)
    if keep_prob > 0.0 and scale_by_keep:
        random_tensor.div_(keep_prob)
    return x * random_tensor


class DropPath(nn.Module):
    def __init__(self, drop_prob: float = 0.0, scale_by_keep: bool = True):
        super().__init__()
        self.drop_prob = drop_prob
        self.scale_by_keep = scale_by_keep

    def forward(self, x):
        return drop_path(x, self.drop_prob, self.training, self.scale_by_keep)

    def extra_repr(self):
        return f"drop_prob={round(self.drop_prob, 3):0.3f}"


class LayerScale(nn.Module):
    def __init__(self, dim, init_values=1e-5, inplace=False):
        super().__init__()
        self.inplace = inplace
        self.gamma = nn.Parameter(init_values * torch.ones(dim))

    def forward(self, x):
        return x.mul_(self.gamma) if self.inplace else x * self.gamma


class DeepNormBlock(nn.Module):
    def __init__(self, dim: int, depth: int = 3, drop_path_rate: float = 0.2):
        super().__init__()
        self.alpha = (2 * depth) ** 0.25
        dpr = [x.item() for x in torch.linspace(0, drop_path_rate, depth)]
        self.norms = nn.ModuleList([nn.LayerNorm(dim) for _ in range(depth)])
        self.scales = nn.ModuleList([LayerScale(dim, init_values=0.5) for _ in range(depth)])
        self.drops = nn.ModuleList([DropPath(p) if p > 0.0 else nn.Identity() for p in dpr])

    def forward(self, x, fx):
        for norm, scale, drop in zip(self.norms, self.scales, self.drops):
            x = norm(x * self.alpha + drop(scale(fx)))
        return x


def get_inputs():
    return [torch.randn(3, 5, 16), torch.randn(3, 5, 16)]


def get_init_inputs():
    return [16]
