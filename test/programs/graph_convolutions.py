"""Graph convolutions on dense adjacencies: normalised, with polynomials, and with the sum of neighbours."""

import torch
from torch import nn
import torch.nn.functional as F


class GCNLayer(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(in_features, out_features) * 0.3)
        self.bias = nn.Parameter(torch.zeros(out_features))

    def forward(self, x, adj):
        support = torch.mm(x, self.weight)
        output = torch.spmm(adj, support) if adj.is_sparse else torch.mm(adj, support)
        return output + self.bias


class GraphNet(nn.Module):
    def __init__(self, features=5, hidden=4, classes=3, K=3):
        super().__init__()
        self.gc1 = GCNLayer(features, hidden)
        self.cheb = nn.ModuleList([nn.Linear(hidden, hidden, bias=False) for _ in range(K)])
        self.eps = nn.Parameter(torch.zeros(1))
        self.mlp = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, classes))

    def normalize(self, adj):
        adj = adj + torch.eye(adj.size(0), device=adj.device)
        d_inv_sqrt = adj.sum(1).pow(-0.5)
        return torch.diag(d_inv_sqrt) @ adj @ torch.diag(d_inv_sqrt)

    def forward(self, x, adj):
        norm = self.normalize(adj)
        x = F.relu(self.gc1(x, norm))
        lap = torch.eye(adj.size(0), device=adj.device) - norm
        t0, t1 = x, lap @ x
        out = self.cheb[0](t0) + self.cheb[1](t1)
        for layer in self.cheb[2:]:
            t0, t1 = t1, 2 * lap @ t1 - t0
            out = out + layer(t1)
        out = self.mlp((1 + self.eps) * out + adj @ out)
        return F.log_softmax(out, dim=1)


# program: GraphNet
def get_inputs():
    adj = (torch.rand(6, 6) < 0.4).float()
    return [torch.randn(6, 5), ((adj + adj.T) > 0).float()]
