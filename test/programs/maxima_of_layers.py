"""A layer for each field, the outputs joined, crossed and ranked (DCN-v2 and DLRM interactions)."""

import torch
import torch.nn as nn


class CrossNetV2(nn.Module):
    def __init__(self, input_dim, num_layers):
        super().__init__()
        self.num_layers = num_layers
        self.cross_layers = nn.ModuleList(nn.Linear(input_dim, input_dim) for _ in range(self.num_layers))

    def forward(self, X_0):
        X_i = X_0  # b x dim
        for i in range(self.num_layers):
            X_i = X_i + X_0 * self.cross_layers[i](X_i)
        return X_i


class Recommender(nn.Module):
    def __init__(self, fields=(7, 5, 9), dim=4, dense=3, mlp=(6, 1)):
        super().__init__()
        self.tables = nn.ModuleList([nn.EmbeddingBag(n, dim, mode="sum") for n in fields])
        self.bottom = nn.Sequential(nn.Linear(dense, dim), nn.ReLU())
        count = len(fields) + 1
        self.cross = CrossNetV2(dim * count, 2)
        layers, current = nn.Sequential(), dim * count + count * (count - 1) // 2
        for i, size in enumerate(mlp):
            layers.add_module(f"fc{i}", nn.Linear(current, size))
            layers.add_module(f"act{i}", nn.Sigmoid() if i == len(mlp) - 1 else nn.ReLU())
            current = size
        self.top = layers

    def interact(self, x, ly):
        (batch_size, d) = x.shape
        T = torch.cat([x] + ly, dim=1).view((batch_size, -1, d))
        Z = torch.bmm(T, torch.transpose(T, 1, 2))
        _, ni, nj = Z.shape
        li = torch.tensor([i for i in range(ni) for j in range(i)])
        lj = torch.tensor([j for i in range(nj) for j in range(i)])
        return T.flatten(1), Z[:, li, lj]

    def forward(self, dense, ids):
        x = self.bottom(dense)
        ly = [table(ids[:, k]) for k, table in enumerate(self.tables)]
        flat, products = self.interact(x, ly)
        return self.top(torch.cat([self.cross(flat), products], dim=1)).squeeze(1)


# program: Recommender
def get_inputs():
    return [torch.randn(4, 3), torch.stack([torch.randint(0, n, (4, 2)) for n in (7, 5, 9)], dim=1)]
