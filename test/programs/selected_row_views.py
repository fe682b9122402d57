"""What is computed of selected rows: views of a row, weights of a row, operators in place, conditions within conditions."""

import torch
import torch.nn.functional as F


def f(x, w, t, keep):
    y = x[keep]
    a = (y * w).sum()
    b = torch.acosh(y.abs() + 1).mean() + F.mish(y).sum() + torch.lerp(y, y * 2, 0.25).sum()
    z = y[:, 1:3].clone()
    z.mul_(2).clamp_(max=1.5)
    c = z.sum() + F.normalize(y, dim=-1).sum() + y.unsqueeze(-1).expand(-1, -1, 2).sum()
    d = y[y > 0].sum() + y.max()
    e = torch.cat([y, y * 2], dim=1).sum() + torch.stack([y, -y], dim=-1).prod(-1).sum()
    g = F.gaussian_nll_loss(y, t[keep], torch.ones_like(y)) + F.cosine_embedding_loss(y, t[keep], keep[keep].float())
    return a, b, c, d, e, g, x[x > 0].max(), x[x < 0].view(-1).min()


def get_inputs():
    return [torch.randn(6, 5), torch.randn(5), torch.randn(6, 5), torch.tensor([True, False, True, True, False, True])]
