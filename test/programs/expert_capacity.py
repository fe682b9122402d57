"""Switch routing with capacity: positions in experts by a cumulative sum, auxiliary losses."""


# program: Router

from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class RouterOutput:
    dispatch: torch.Tensor
    combine: torch.Tensor
    aux_loss: torch.Tensor
    z_loss: torch.Tensor


class Router(nn.Module):
    def __init__(self, num_experts: int, k: int = 2, capacity_factor: float = 1.25):
        super().__init__()
        self.num_experts, self.k, self.capacity_factor = num_experts, k, capacity_factor

    def forward(self, logits):
        n, e = logits.shape
        capacity = int(self.k * self.capacity_factor * n / self.num_experts)
        probs = F.softmax(logits, dim=-1, dtype=torch.float32)
        z_loss = torch.logsumexp(logits, dim=-1).square().mean()
        gates, idx = torch.topk(probs, self.k, dim=-1)
        gates = gates / gates.sum(-1, keepdim=True).clamp(min=torch.finfo(gates.dtype).eps)
        mask = F.one_hot(idx, self.num_experts)
        flat = mask.transpose(0, 1).reshape(self.k * n, e)
        position = (torch.cumsum(flat, dim=0) - 1) * flat
        keep = (position < capacity) & (flat > 0)
        position = (position * keep).sum(-1).view(self.k, n).t()
        keep = keep.any(-1).view(self.k, n).t()
        gates = gates * keep
        slot = F.one_hot(position, capacity).to(gates.dtype) * keep.unsqueeze(-1)
        combine = (gates[..., None, None] * mask[..., None].to(gates.dtype) * slot[..., None, :]).sum(1)
        density = mask[:, 0].float().mean(0)
        aux = (density * probs.mean(0)).sum() * self.num_experts
        return RouterOutput(combine.bool(), combine, aux, z_loss)


def get_inputs():
    return [torch.randn(16, 4)]


def get_init_inputs():
    return [4]
