from torch import nn


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(4)

    def forward(self, x):
        y = self.norm(x)
        self.aux_loss = y.square().mean()
        return y
