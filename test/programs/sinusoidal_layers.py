"""Layers through sines, their first with a frequency of its own (SIREN), weighted by a small hyper-network."""

import numpy as np
import torch
from torch import nn


class SineLayer(nn.Module):
    def __init__(self, in_features, out_features, bias=True, is_first=False, omega_0=30):
        super().__init__()
        self.omega_0 = omega_0
        self.is_first = is_first
        self.in_features = in_features
        self.linear = nn.Linear(in_features, out_features, bias=bias)
        self.init_weights()

    def init_weights(self):
        with torch.no_grad():
            if self.is_first:
                self.linear.weight.uniform_(-1 / self.in_features, 1 / self.in_features)
            else:
                self.linear.weight.uniform_(
                    -np.sqrt(6 / self.in_features) / self.omega_0, np.sqrt(6 / self.in_features) / self.omega_0
                )

    def forward(self, input):
        return torch.sin(self.omega_0 * self.linear(input))


class HyperSiren(nn.Module):
    def __init__(self, coords=2, hidden=6, code=3):
        super().__init__()
        self.net = nn.Sequential(
            SineLayer(coords, hidden, is_first=True, omega_0=3), SineLayer(hidden, hidden, omega_0=1.0)
        )
        self.hyper = nn.Linear(code, hidden * 3 + 3)
        self.hidden = hidden

    def forward(self, coords, code):
        h = self.net(coords)
        generated = self.hyper(code)
        weight, bias = generated.split([self.hidden * 3, 3], dim=-1)
        return torch.bmm(h, weight.view(-1, self.hidden, 3)) + bias[:, None]


# program: HyperSiren
def get_inputs():
    return [torch.rand(2, 5, 2), torch.randn(2, 3)]
