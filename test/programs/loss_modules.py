"""Loss modules in one program."""

# only forward: PyTorch refuses a gradient of the target

import torch
import torch.nn as nn


class LossModules(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.SoftMarginLoss()
        self.b = nn.MarginRankingLoss(0.1)
        self.c = nn.PoissonNLLLoss()
        self.d = nn.GaussianNLLLoss()
        self.e = nn.HingeEmbeddingLoss()
        self.f = nn.NLLLoss(weight=torch.tensor([0.1, 0.2, 0.3]))
        self.g = nn.BCEWithLogitsLoss(pos_weight=torch.tensor([1.0, 2.0, 3.0]))
        self.h = nn.CosineEmbeddingLoss()
        self.i = nn.MultiLabelSoftMarginLoss()
        self.j = nn.PairwiseDistance(p=2)

    def forward(self, x, y, t, k):
        s = t * 2 - 1
        return (
            self.a(x, s),
            self.b(x, y, s),
            self.c(x, y.abs()),
            self.d(x, y, y.abs() + 1),
            self.e(x, s),
            self.f(x, k),
            self.g(x, t),
            self.h(x, y, s[:, 0]),
            self.i(x, t),
            self.j(x, y),
        )


def get_inputs():
    return [torch.randn(6, 3), torch.randn(6, 3), torch.randint(0, 2, (6, 3)).float(), torch.randint(0, 3, (6,))]


def get_init_inputs():
    return []
