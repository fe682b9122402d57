"""Top-k sparse autoencoder activation: 32 largest latents kept by scatter, plus 128 dead latents for the auxiliary loss."""

# small: 4096=2 18432=600

import torch
import torch.nn.functional as F


def topk_sae_activation(pre, bias, dead):
    pre = pre + bias
    values, indices = torch.topk(pre, 32, dim=-1, sorted=False)
    latents = torch.zeros_like(pre).scatter(-1, indices, F.relu(values))
    masked = pre.masked_fill(~dead, float("-inf"))
    aux_values, aux_indices = torch.topk(masked, 128, dim=-1, sorted=False)
    aux = torch.zeros_like(pre).scatter(-1, aux_indices, F.relu(aux_values))
    fired = (latents > 0).sum(dim=0)
    return latents, aux, fired


def get_inputs():
    dead = torch.rand(18432) < 0.1
    return [
        torch.randn(4096, 18432, dtype=torch.bfloat16),
        torch.randn(18432, dtype=torch.bfloat16) * 0.1,
        dead,
    ]
