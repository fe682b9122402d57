"""Direct preference optimisation, with conservative labels."""

import torch
import torch.nn.functional as F


def preference_loss(pc, pr, rc, rr, beta=0.1, label_smoothing: float = 0.0):
    logits = (pc - pr) - (rc - rr)
    losses = -F.logsigmoid(beta * logits) * (1 - label_smoothing) - F.logsigmoid(-beta * logits) * label_smoothing
    return losses.mean(), (beta * (pc - rc)).detach(), (beta * (pr - rr)).detach()


def get_inputs():
    return [torch.randn(7), torch.randn(7), torch.randn(7), torch.randn(7)]
