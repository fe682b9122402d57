"""Views of views."""

import torch


def view_chain(x):
    a = x.flatten(start_dim=1)
    b = x.unflatten(-1, (2, 4))
    c = x.movedim(-1, 0)
    d = torch.swapdims(x, 0, 1)
    e = x.squeeze().unsqueeze(-1).squeeze(-1)
    f = x.view(x.shape[0], -1).t()
    g = x.permute(*range(x.dim() - 1, -1, -1))
    h = x[:, 1:-1, ::3]
    i = x[..., [0, 2, 1]]
    j = x[-1, :, None, 2]
    k = x.narrow(dim=-1, start=2, length=3)
    l = torch.select(x, 1, -1)
    return a, b, c, d, e, f, g, h, i, j, k, l


def get_inputs():
    return [torch.randn(3, 5, 8)]
