"""A spectral norm by a few power iterations on detached vectors, and a layer with the weight over it."""

import torch
from torch import nn
import torch.nn.functional as F


class SNLinear(nn.Module):
    def __init__(self, in_features=6, out_features=5, iterations=2):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(out_features, in_features))
        self.bias = nn.Parameter(torch.zeros(out_features))
        self.register_buffer("u", F.normalize(torch.randn(out_features), dim=0))
        self.iterations = iterations

    def compute_weight(self):
        u, w = self.u, self.weight
        with torch.no_grad():
            for _ in range(self.iterations):
                v = F.normalize(torch.mv(w.t(), u), dim=0, eps=1e-12)
                u = F.normalize(torch.mv(w, v), dim=0, eps=1e-12)
        sigma = torch.dot(u, torch.mv(w, v))
        return w / sigma

    def forward(self, x):
        return F.linear(x, self.compute_weight(), self.bias)


def get_inputs():
    return [torch.randn(4, 6)]
