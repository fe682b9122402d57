"""n-step returns over a replay batch."""

import torch


def n_step_returns(rewards, dones, bootstrap, n: int = 3, gamma: float = 0.99):
    T = rewards.size(0)
    padded = torch.cat([rewards, rewards.new_zeros(n, *rewards.shape[1:])])
    pdones = torch.cat([dones, dones.new_ones(n, *dones.shape[1:])])
    out = torch.zeros_like(rewards)
    alive = torch.ones_like(rewards)
    for i in range(n):
        out = out + (gamma**i) * alive * padded[i : i + T]
        alive = alive * (1 - pdones[i : i + T])
    return out + gamma**n * alive * bootstrap


def get_inputs():
    return [torch.randn(8, 4), (torch.rand(8, 4) > 0.8).float(), torch.randn(8, 4)]
