"""A loop over all steps but the last, which looks at the next one."""

import torch


def next_steps(rewards, done):
    result = torch.zeros_like(rewards)
    steps = rewards.shape[0]
    for t in range(steps - 1):
        result[t] = rewards[t] * done[t + 1]
    return result


def get_inputs():
    return [torch.randn(5, 3), torch.randint(0, 2, (5, 3)).float()]
