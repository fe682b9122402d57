"""Group relative policy optimisation with a KL term and token masks."""

import torch


def grpo_loss(logps, old_logps, ref_logps, rewards, mask, beta=0.04, epsilon=0.2, group=4):
    grouped = rewards.view(-1, group)
    mean = grouped.mean(dim=1).repeat_interleave(group, dim=0)
    std = grouped.std(dim=1).repeat_interleave(group, dim=0)
    advantages = ((rewards - mean) / (std + 1e-4)).unsqueeze(1)
    kl = torch.exp(ref_logps - logps) - (ref_logps - logps) - 1
    ratio = torch.exp(logps - old_logps)
    clipped = torch.clamp(ratio, 1 - epsilon, 1 + epsilon)
    per_token = -(torch.min(ratio * advantages, clipped * advantages) - beta * kl)
    loss = ((per_token * mask).sum(dim=1) / mask.sum(dim=1)).mean()
    is_clipped = ((ratio < 1 - epsilon) & (advantages < 0)) | ((ratio > 1 + epsilon) & (advantages > 0))
    clip_ratio = (is_clipped * mask).sum() / mask.sum()
    return loss, clip_ratio, (kl * mask).sum() / mask.sum()


def get_inputs():
    m = torch.ones(8, 11)
    m[:, 7:] = 0
    return [torch.randn(8, 11) * 0.1, torch.randn(8, 11) * 0.1, torch.randn(8, 11) * 0.1, torch.randn(8), m]
