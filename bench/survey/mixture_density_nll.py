"""World-model MDN loss: negative log likelihood of latents under five-component one-dimensional mixtures."""

import math

import torch


def mixture_density_nll(logmix, mean, logstd, target, mask):
    log_sqrt_two_pi = math.log(math.sqrt(2.0 * math.pi))
    logmix = logmix - torch.logsumexp(logmix, dim=-1, keepdim=True)
    y = target.unsqueeze(-1)
    lognormal = -0.5 * ((y - mean) / torch.exp(logstd)) ** 2 - logstd - log_sqrt_two_pi
    ll = torch.logsumexp(logmix + lognormal, dim=-1)
    ll = ll.mean(dim=-1)
    return -(ll * mask).sum() / mask.sum()


def get_inputs():
    b, t, z, k = 100, 500, 32, 5
    return [
        torch.randn(b, t, z, k),
        torch.randn(b, t, z, k),
        torch.randn(b, t, z, k) * 0.3,
        torch.randn(b, t, z),
        (torch.rand(b, t) > 0.1).float(),
    ]
