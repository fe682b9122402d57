"""Generalised advantage estimation, with one value more than there are rewards."""

import torch


def advantages(rewards, values, dones, gamma=0.99, lam=0.95):
    result = torch.zeros_like(rewards)
    last = 0
    for t in reversed(range(rewards.shape[0])):
        alive = 1.0 - dones[t]
        delta = rewards[t] + gamma * values[t + 1] * alive - values[t]
        result[t] = last = delta + gamma * lam * alive * last
    return result, result + values[:-1]


def get_inputs():
    dones = (torch.rand(40, 9) < 0.1).float()
    return [torch.randn(40, 9), torch.randn(41, 9), dones]
