"""Generalised advantage estimation: a recurrence from the last step to the first."""

import torch


def advantage_estimation(rewards, values, next_values, dones, gamma=0.99, lam=0.95):
    advantages = torch.zeros_like(rewards)
    last = 0
    for t in reversed(range(rewards.shape[0])):
        alive = 1.0 - dones[t]
        delta = rewards[t] + gamma * next_values[t] * alive - values[t]
        advantages[t] = last = delta + gamma * lam * alive * last
    return advantages, advantages + values


def get_inputs():
    dones = (torch.rand(40, 9) < 0.1).float()
    return [torch.randn(40, 9), torch.randn(40, 9), torch.randn(40, 9), dones]
