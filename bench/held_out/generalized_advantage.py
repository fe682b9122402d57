"""Generalised advantage estimation of many environments, backwards in time."""
# surveyed: rlhf_reward_to_go
# only forward

import torch


def generalized_advantage(rewards, values, dones, next_value, gamma=0.99, gae_lambda=0.95):
    advantages = torch.zeros_like(rewards)
    lastgaelam = torch.zeros_like(next_value)
    steps = rewards.shape[0]
    for t in reversed(range(steps)):
        if t == steps - 1:
            nextvalues = next_value
        else:
            nextvalues = values[t + 1]
        nextnonterminal = 1.0 - dones[t]
        delta = rewards[t] + gamma * nextvalues * nextnonterminal - values[t]
        lastgaelam = delta + gamma * gae_lambda * nextnonterminal * lastgaelam
        advantages[t] = lastgaelam
    return advantages, advantages + values


def get_inputs():
    steps, environments = 24, 2700000
    rewards = torch.randn(steps, environments)
    values = torch.randn(steps, environments)
    dones = (torch.rand(steps, environments) < 0.05).float()
    return [rewards, values, dones, torch.randn(environments)]
