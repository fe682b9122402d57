"""Encoded points through layers with a skip, and densities and colours by the view (NeRF)."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class NeRF(nn.Module):
    def __init__(self, D=4, W=8, freqs=2, skips=(2,), use_viewdirs=True):
        super().__init__()
        self.freqs = freqs
        input_ch = 3 + 3 * 2 * freqs
        self.skips = skips
        self.use_viewdirs = use_viewdirs
        self.pts_linears = nn.ModuleList(
            [nn.Linear(input_ch, W)]
            + [nn.Linear(W, W) if i not in self.skips else nn.Linear(W + input_ch, W) for i in range(D - 1)]
        )
        self.views_linears = nn.ModuleList([nn.Linear(input_ch + W, W // 2)])
        self.feature_linear = nn.Linear(W, W)
        self.alpha_linear = nn.Linear(W, 1)
        self.rgb_linear = nn.Linear(W // 2, 3)

    def embed(self, x):
        parts = [x]
        for freq in 2.0 ** torch.linspace(0.0, self.freqs - 1, steps=self.freqs):
            for fn in (torch.sin, torch.cos):
                parts.append(fn(x * freq))
        return torch.cat(parts, -1)

    def forward(self, points, dirs):
        input_pts, input_views = self.embed(points), self.embed(dirs)
        h = input_pts
        for i, l in enumerate(self.pts_linears):
            h = self.pts_linears[i](h)
            h = F.relu(h)
            if i in self.skips:
                h = torch.cat([input_pts, h], -1)
        alpha = self.alpha_linear(h)
        feature = self.feature_linear(h)
        h = torch.cat([feature, input_views], -1)
        for i, l in enumerate(self.views_linears):
            h = self.views_linears[i](h)
            h = F.relu(h)
        rgb = self.rgb_linear(h)
        return torch.cat([rgb, alpha], -1)


def get_inputs():
    return [torch.randn(6, 3), torch.randn(6, 3)]
