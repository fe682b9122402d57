"""RLHF PPO loss: mask up to the first end token by cumsum, KL rewards, GAE by a reversed discounted cumsum, clipped losses."""

# constants: ref_logprobs, scores

import torch
import torch.nn.functional as F


def rlhf_reward_to_go(logprobs, old_logprobs, ref_logprobs, values, scores, tokens):
    gamma, lam, kl_coef, clip, eos = 0.999, 0.998, 0.05, 0.2, 2
    b, t = logprobs.shape
    is_eos = (tokens == eos).long()
    mask = ((torch.cumsum(is_eos, dim=1) - is_eos) == 0).to(logprobs.dtype)
    last = mask - F.pad(mask[:, 1:], (0, 1))
    old_values = values.detach() * mask
    reward = -kl_coef * (old_logprobs - ref_logprobs) + last * scores.unsqueeze(1)
    delta = (reward + gamma * F.pad(old_values[:, 1:], (0, 1)) - old_values) * mask

    steps = torch.arange(t, device=logprobs.device, dtype=logprobs.dtype)
    weight = (gamma * lam) ** steps
    adv = torch.flip(torch.cumsum(torch.flip(delta * weight, dims=[1]), dim=1), dims=[1]) / weight
    returns = (adv + old_values).detach()
    count = mask.sum()
    mean = (adv * mask).sum() / count
    var = ((adv - mean) ** 2 * mask).sum() / count
    adv = ((adv - mean) * torch.rsqrt(var + 1e-8)).detach()

    ratio = torch.exp((logprobs - old_logprobs).clamp(-10, 10))
    pg = torch.max(-adv * ratio, -adv * ratio.clamp(1 - clip, 1 + clip))
    vf = 0.5 * (values - returns) ** 2
    return ((pg + 0.1 * vf) * mask).sum() / count, returns


def get_inputs():
    b, t = 1536, 1800
    logp = -torch.rand(b, t) * 3
    return [
        logp + 0.05 * torch.randn(b, t),
        logp,
        logp + 0.1 * torch.randn(b, t),
        torch.randn(b, t),
        torch.randn(b),
        torch.randint(0, 2500, (b, t)),
    ]
