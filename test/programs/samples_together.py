"""What samples say together: covariances, distances of pairs, folds of pieces, gradients over places."""

import torch


def samples_together(x, lengths):
    return (
        torch.corrcoef(x),
        torch.pdist(x),
        torch.segment_reduce(x, "max", lengths=lengths),
        torch.segment_reduce(x, "mean", lengths=lengths, initial=0.0),
        torch.gradient(x, spacing=(torch.cumsum(x[0].abs() + 0.1, 0),), dim=1)[0],
    )


def get_inputs():
    return [torch.randn(9, 12), torch.tensor([3, 0, 2, 4])]
