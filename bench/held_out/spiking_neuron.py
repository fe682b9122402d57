"""Leaky integrate-and-fire neurons over time steps, with an arc tangent for the gradient of the spike."""
# program: MultiStepLIF

import math

import torch
from torch import nn


class ATan(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, alpha):
        ctx.save_for_backward(x)
        ctx.alpha = alpha
        return (x >= 0).to(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return ctx.alpha / 2 / (1 + (math.pi / 2 * ctx.alpha * x).pow(2)) * grad_output, None


class MultiStepLIF(nn.Module):
    def __init__(self, tau=2.0, v_threshold=1.0, v_reset=0.0, alpha=2.0):
        super().__init__()
        self.tau = tau
        self.v_threshold = v_threshold
        self.v_reset = v_reset
        self.alpha = alpha

    def forward(self, x_seq):
        v = torch.zeros_like(x_seq[0])
        spikes = []
        for t in range(x_seq.shape[0]):
            v = v + (x_seq[t] - (v - self.v_reset)) / self.tau
            spike = ATan.apply(v - self.v_threshold, self.alpha)
            v = (1.0 - spike.detach()) * v + spike.detach() * self.v_reset
            spikes.append(spike)
        return torch.stack(spikes)


def get_inputs():
    return [torch.randn(6, 90, 128, 48, 48)]


def get_init_inputs():
    return []
