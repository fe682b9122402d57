"""Graph attention aggregation: leaky-ReLU edge scores, softmax over incoming edges, weighted sum per node."""

import torch
import torch.nn.functional as F


def gat_edge_softmax(h, alpha_src, alpha_dst, src, dst, bias):
    num_nodes, heads, dim = h.shape
    score = F.leaky_relu(alpha_src[src] + alpha_dst[dst], 0.2)
    index = dst.unsqueeze(-1).expand(-1, heads)
    peak = torch.zeros(num_nodes, heads, dtype=h.dtype, device=h.device).scatter_reduce(
        0, index, score.detach(), reduce="amax", include_self=False
    )
    score = torch.exp(score - peak.index_select(0, dst))
    total = torch.zeros(num_nodes, heads, dtype=h.dtype, device=h.device).scatter_add(0, index, score)
    alpha = score / (total.index_select(0, dst) + 1e-16)
    message = h.index_select(0, src) * alpha.unsqueeze(-1)
    out = torch.zeros_like(h).index_add(0, dst, message)
    return F.elu(out.reshape(num_nodes, heads * dim) + bias)


def get_inputs():
    n, e, heads, dim = 169343, 1166243, 8, 8
    return [
        torch.randn(n, heads, dim),
        torch.randn(n, heads),
        torch.randn(n, heads),
        torch.randint(0, n, (e,)),
        torch.randint(0, n, (e,)),
        torch.randn(heads * dim),
    ]
