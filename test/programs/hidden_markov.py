"""The forward algorithm in log space, the most likely score, and posteriors by both directions."""

import torch
from torch import nn


class HMM(nn.Module):
    def __init__(self, states=4, symbols=6):
        super().__init__()
        self.transition = nn.Parameter(torch.randn(states, states))
        self.emission = nn.Parameter(torch.randn(states, symbols))
        self.prior = nn.Parameter(torch.randn(states))

    def forward(self, x):
        """x: (batch, T) of symbols"""
        log_a = torch.log_softmax(self.transition, dim=0)
        log_b = torch.log_softmax(self.emission, dim=1)
        log_pi = torch.log_softmax(self.prior, dim=0)
        emitted = log_b[:, x].permute(1, 2, 0)  # batch, T, states
        alpha = emitted[:, 0] + log_pi
        best = alpha
        alphas = [alpha]
        for t in range(1, x.shape[1]):
            alpha = emitted[:, t] + torch.logsumexp(alpha.unsqueeze(1) + log_a, dim=2)
            best = emitted[:, t] + torch.max(best.unsqueeze(1) + log_a, dim=2).values
            alphas.append(alpha)
        beta = torch.zeros_like(alpha)
        betas = [beta]
        for t in reversed(range(x.shape[1] - 1)):
            beta = torch.logsumexp(beta.unsqueeze(2) + emitted[:, t + 1].unsqueeze(2) + log_a, dim=1)
            betas.insert(0, beta)
        posterior = torch.softmax(torch.stack(alphas, 1) + torch.stack(betas, 1), dim=-1)
        return alpha.logsumexp(1), best.amax(1), posterior


def get_inputs():
    return [torch.randint(0, 6, (2, 5))]
