"""Clipping by the global norm over a list of gradients, then Lion."""

# no gradient: a write behind autograd's back

# program: foreach_clip_lion

import torch
from torch import Tensor
from typing import List


def clip_grads_with_norm(grads: List[Tensor], max_norm: float, norm_type: float = 2.0, eps=1e-6) -> Tensor:
    norms = [torch.linalg.vector_norm(g, norm_type) for g in grads]
    total_norm = torch.linalg.vector_norm(torch.stack(norms), norm_type)
    clip_coef = max_norm / (total_norm + eps)
    clip_coef_clamped = torch.clamp(clip_coef, max=1.0)
    for g in grads:
        g.mul_(clip_coef_clamped.to(g.device))
    return total_norm


def foreach_clip_lion(params: List[Tensor], grads: List[Tensor], moms: List[Tensor], lr: float = 1e-4, wd: float = 0.1):
    norm = clip_grads_with_norm(grads, 1.0)
    for p, g, m in zip(params, grads, moms, strict=True):
        p.data.mul_(1 - lr * wd)
        update = m.clone().mul_(0.9).add(g, alpha=0.1).sign_()
        p.add_(update, alpha=-lr)
        m.mul_(0.99).add_(g, alpha=0.01)
    return norm


def get_inputs():
    return [
        [torch.randn(5, 3), torch.randn(4)],
        [torch.randn(5, 3), torch.randn(4)],
        [torch.randn(5, 3), torch.randn(4)],
    ]
