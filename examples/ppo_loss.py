"""The clipped policy loss of reinforcement learning over tokens that a mask selects."""

import torch


def ppo_loss(logp, old_logp, advantage, mask, clip=0.2):
    ratio = torch.exp(logp - old_logp)
    plain = ratio * advantage
    clipped = torch.clamp(ratio, 1 - clip, 1 + clip) * advantage
    count = mask.sum().clamp(min=1)
    return -(torch.min(plain, clipped) * mask).sum() / count


def get_inputs():
    return [
        torch.randn(8, 65),
        torch.randn(8, 65),
        torch.randn(8, 65),
        torch.rand(8, 65) > 0.3,
    ]
