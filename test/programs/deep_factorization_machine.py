"""Pairwise products of embeddings by the square of the sum less the sum of squares, beside a deep part."""

import torch
from torch import nn


class DeepFM(nn.Module):
    def __init__(self, total=20, fields=4, embed=3, hidden=(8, 6), dropout=0.0):
        super().__init__()
        self.register_buffer("offsets", torch.tensor([0, 5, 10, 15]))
        self.embedding = nn.Embedding(total, embed)
        self.linear = nn.Embedding(total, 1)
        self.bias = nn.Parameter(torch.zeros((1,)))
        layers = list()
        current = fields * embed
        self.flat = current
        for size in hidden:
            layers.append(nn.Linear(current, size))
            layers.append(nn.BatchNorm1d(size))
            layers.append(nn.ReLU())
            layers.append(nn.Dropout(p=dropout))
            current = size
        layers.append(nn.Linear(current, 1))
        self.mlp = nn.Sequential(*layers)

    def forward(self, x):
        x = x + self.offsets.unsqueeze(0)
        e = self.embedding(x)
        square_of_sum = torch.sum(e, dim=1) ** 2
        sum_of_square = torch.sum(e**2, dim=1)
        fm = 0.5 * torch.sum(square_of_sum - sum_of_square, dim=1, keepdim=True)
        y = torch.sum(self.linear(x), dim=1) + self.bias + fm + self.mlp(e.view(-1, self.flat))
        return torch.sigmoid(y.squeeze(1))


def get_inputs():
    return [torch.randint(0, 5, (6, 4))]
