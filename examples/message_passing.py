"""A step of message passing on a graph: each node gets the mean of what its neighbours send."""

import torch


def propagate(nodes, edges, weight):
    source, target = edges[0], edges[1]
    messages = nodes[source] * weight[:, None]
    total = torch.zeros_like(nodes).index_add_(0, target, messages)
    degree = nodes.new_zeros(nodes.shape[0]).index_add_(0, target, weight)
    return torch.relu(total / degree.clamp(min=1e-6)[:, None] + nodes)


def get_inputs():
    return [torch.randn(40, 12), torch.randint(0, 40, (2, 150)), torch.rand(150)]
