"""Capsules: votes by a product for each pair, weights that three iterations agree on."""

import torch
from torch import nn


def squash(x, dim=-1):
    squared_norm = (x**2).sum(dim=dim, keepdim=True)
    scale = squared_norm / (1 + squared_norm)
    return scale * x / (squared_norm.sqrt() + 1e-8)


class DigitCaps(nn.Module):
    def __init__(self, in_dim=4, in_caps=5, num_caps=3, dim_caps=6, num_routing=3):
        super().__init__()
        self.num_routing = num_routing
        self.W = nn.Parameter(0.1 * torch.randn(1, num_caps, in_caps, dim_caps, in_dim), requires_grad=True)

    def forward(self, x):
        batch_size = x.size(0)
        # (batch_size, in_caps, in_dim) -> (batch_size, 1, in_caps, in_dim, 1)
        x = x.unsqueeze(1).unsqueeze(4)
        # W @ x = (1, num_caps, in_caps, dim_caps, in_dim) @ (batch_size, 1, in_caps, in_dim, 1)
        u_hat = torch.matmul(self.W, x)
        u_hat = u_hat.squeeze(-1)
        # detach u_hat during routing iterations to prevent gradients from flowing
        temp_u_hat = u_hat.detach()
        b = torch.zeros(batch_size, self.W.shape[1], self.W.shape[2], 1)
        for route_iter in range(self.num_routing - 1):
            c = b.softmax(dim=1)
            s = (c * temp_u_hat).sum(dim=2)
            v = squash(s)
            uv = torch.matmul(temp_u_hat, v.unsqueeze(-1))
            b += uv
        c = b.softmax(dim=1)
        s = (c * u_hat).sum(dim=2)
        v = squash(s)
        return v, torch.sqrt((v**2).sum(dim=-1) + 1e-9)


# program: DigitCaps
def get_inputs():
    return [torch.randn(2, 5, 4)]
