"""Adaptive layer norm of a diffusion transformer: norm without weights, shift and scale for each sample, gated residual."""

import torch
import torch.nn.functional as F


def dit_modulate(x, branch, shift, scale, gate):
    x = x + gate.unsqueeze(1) * branch
    normalized = F.layer_norm(x, (x.shape[-1],), eps=1e-6)
    return x, normalized * (1 + scale.unsqueeze(1)) + shift.unsqueeze(1)


def get_inputs():
    batch, tokens, width = 48, 4096, 1152
    x = torch.randn(batch, tokens, width, dtype=torch.bfloat16)
    branch = torch.randn(batch, tokens, width, dtype=torch.bfloat16)
    shift = torch.randn(batch, width, dtype=torch.bfloat16)
    scale = torch.randn(batch, width, dtype=torch.bfloat16)
    gate = torch.randn(batch, width, dtype=torch.bfloat16)
    return [x, branch, shift, scale, gate]
