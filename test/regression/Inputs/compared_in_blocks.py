import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(6)
        self.up, self.down = nn.Linear(6, 12), nn.Linear(12, 6)

    def forward(self, x, adj):
        y = self.down(torch.nn.functional.gelu(self.up(self.norm(x))))
        return torch.where(adj > 0, x + y, x).softmax(-1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Layer() for _ in range(4)])

    def forward(self, x, adj):
        for layer in self.layers:
            x = layer(x, adj)
        return x


def get_inputs():
    return [torch.randn(5, 6), torch.randn(5, 6)]
