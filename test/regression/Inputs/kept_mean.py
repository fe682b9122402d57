from torch import nn


class Shifted(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(4)

    def forward(self, x):
        self.mean = x.mean()
        return self.norm(x) + self.mean
