"""A Gaussian policy with a learnt deviation, by torch.distributions."""

import torch
import torch.nn as nn


class GaussianActor(nn.Module):
    def __init__(self, act_dim=3):
        super().__init__()
        self.log_std = nn.Parameter(-0.5 * torch.ones(act_dim))

    def _distribution(self, mu):
        std = torch.exp(self.log_std)
        return torch.distributions.normal.Normal(mu, std)

    def _log_prob_from_distribution(self, pi, act):
        return pi.log_prob(act).sum(axis=-1)

    def forward(self, mu, act=None):
        pi = self._distribution(mu)
        logp_a = None
        if act is not None:
            logp_a = self._log_prob_from_distribution(pi, act)
        return pi.mean, logp_a, pi.entropy().sum(-1)


def get_inputs():
    return [torch.randn(5, 3), torch.randn(5, 3)]
