"""Shortest paths between all pairs (Floyd, Warshall): each turn looks at one row and one column of what it carries."""

import torch


def shortest_paths(distances):
    for k in range(distances.shape[0]):
        distances = torch.minimum(distances, distances[:, k : k + 1] + distances[k : k + 1, :])
    return distances


def get_inputs():
    return [torch.rand(7, 7) * 4]
