"""Tversky loss for volumetric segmentation."""

import torch
import torch.nn as nn


class TverskyLoss(nn.Module):
    def __init__(self, alpha: float = 0.3, beta: float = 0.7, smooth: float = 1.0, gamma: float = 0.75, **kwargs):
        super().__init__()
        if not 0 <= alpha <= 1:
            raise ValueError(f"alpha must be in [0, 1], got {alpha!r}")
        self.alpha, self.beta, self.smooth, self.gamma = alpha, beta, smooth, gamma

    def forward(self, logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        assert logits.size() == targets.size(), "shape mismatch"
        probs = torch.sigmoid(logits)
        dims = tuple(range(2, probs.dim()))
        tp = (probs * targets).sum(dim=dims)
        fp = ((1 - targets) * probs).sum(dim=dims)
        fn = (targets * (1 - probs)).sum(dim=dims)
        tversky = (tp + self.smooth) / (tp + self.alpha * fp + self.beta * fn + self.smooth)
        return ((1 - tversky) ** self.gamma).mean()


def get_inputs():
    return [torch.randn(2, 3, 5, 7), (torch.rand(2, 3, 5, 7) > 0.5).float()]


def get_init_inputs():
    return []
