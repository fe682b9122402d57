"""Softmax of attention scores over the incoming edges of every node (graph attention)."""
# surveyed: gat_edge_softmax
# constants: weight

import torch
import torch.nn.functional as F


def edge_softmax(alpha_src, alpha_dst, index, weight):
    src, dst = index[0], index[1]
    nodes, heads = alpha_dst.shape
    alpha = F.leaky_relu(alpha_src[src] + alpha_dst[dst], 0.2)
    at = dst.unsqueeze(-1).expand(-1, heads)
    largest = torch.full_like(alpha_dst, float("-inf")).scatter_reduce(0, at, alpha.detach(), reduce="amax")
    alpha = (alpha - largest[dst]).exp()
    total = torch.zeros_like(alpha_dst).scatter_add(0, at, alpha)
    return alpha / (total[dst] + 1e-16) * weight.unsqueeze(-1)


def get_inputs():
    nodes, edges, heads = 700000, 11000000, 8
    alpha_src = torch.randn(nodes, heads)
    alpha_dst = torch.randn(nodes, heads)
    index = torch.randint(0, 700000, (2, edges))
    return [alpha_src, alpha_dst, index, torch.rand(edges)]
