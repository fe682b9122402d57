"""NetVLAD (Arandjelovic et al., 2015) over a feature map, with a gated projection behind it."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class NetVLAD(nn.Module):
    """NetVLAD layer implementation"""

    def __init__(self, num_clusters=64, dim=128, alpha=100.0, normalize_input=True):
        super().__init__()
        self.num_clusters = num_clusters
        self.dim = dim
        self.alpha = alpha
        self.normalize_input = normalize_input
        self.conv = nn.Conv2d(dim, num_clusters, kernel_size=(1, 1), bias=True)
        self.centroids = nn.Parameter(torch.rand(num_clusters, dim))
        self._init_params()

    def _init_params(self):
        self.conv.weight = nn.Parameter((2.0 * self.alpha * self.centroids).unsqueeze(-1).unsqueeze(-1))
        self.conv.bias = nn.Parameter(-self.alpha * self.centroids.norm(dim=1))

    def forward(self, x):
        N, C = x.shape[:2]

        if self.normalize_input:
            x = F.normalize(x, p=2, dim=1)  # across descriptor dim

        # soft-assignment
        soft_assign = self.conv(x).view(N, self.num_clusters, -1)
        soft_assign = F.softmax(soft_assign, dim=1)

        x_flatten = x.view(N, C, -1)

        # calculate residuals to each clusters
        vlad = torch.matmul(soft_assign, x_flatten.permute(0, 2, 1))
        vlad = vlad - soft_assign.sum(dim=-1).unsqueeze(-1) * self.centroids.unsqueeze(0)

        vlad = F.normalize(vlad, p=2, dim=2)  # intra-normalization
        vlad = vlad.view(x.size(0), -1)  # flatten
        return F.normalize(vlad, p=2, dim=1)  # L2 normalize


class ContextGating(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)

    def forward(self, x):
        return F.glu(torch.cat((x, self.fc(x)), 1), 1)


class VLADHead(nn.Module):
    def __init__(self, num_clusters=64, dim=512, output_dim=4096, alpha=100.0):
        super().__init__()
        self.net_vlad = NetVLAD(num_clusters, dim, alpha)
        self.hidden = nn.Linear(num_clusters * dim, output_dim)
        self.gating = ContextGating(output_dim)

    def forward(self, x):
        embedding = self.gating(self.hidden(self.net_vlad(x)))
        return F.normalize(embedding, dim=-1)


def get_inputs():
    return [torch.randn(16, 512, 30, 40)]


def get_init_inputs():
    return []


def get_small_inputs():
    return [torch.randn(2, 6, 3, 4)]


def get_small_init_inputs():
    return [4, 6, 8, 2.0]
