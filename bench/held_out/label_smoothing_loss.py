"""Cross entropy with smoothed labels over the classes of a long-tailed data set, in bfloat16."""
# surveyed: lm_smooth_ce_zloss

import torch
import torch.nn.functional as F
from torch import nn


class LabelSmoothingCrossEntropy(nn.Module):
    def __init__(self, smoothing=0.1):
        super().__init__()
        self.confidence = 1.0 - smoothing
        self.smoothing = smoothing

    def forward(self, x, target):
        logprobs = F.log_softmax(x, dim=-1)
        nll_loss = -logprobs.gather(dim=-1, index=target.unsqueeze(1))
        nll_loss = nll_loss.squeeze(1)
        smooth_loss = -logprobs.mean(dim=-1)
        loss = self.confidence * nll_loss + self.smoothing * smooth_loss
        return loss.mean()


def get_inputs():
    rows, classes = 200000, 1203
    return [torch.randn(rows, classes, dtype=torch.bfloat16), torch.randint(0, 1203, (rows,))]


def get_init_inputs():
    return [0.1]
