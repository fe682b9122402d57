"""Viterbi decoding: the best path of tags and its score."""

# no gradient: no result has a gradient

import torch


def viterbi(emissions, transitions):
    seq_len = emissions.shape[1]
    score = emissions[:, 0]
    history = []
    for t in range(1, seq_len):
        total = score.unsqueeze(2) + transitions + emissions[:, t].unsqueeze(1)
        score, indices = total.max(dim=1)
        history.append(indices)
    best = score.argmax(dim=1)
    path = [best]
    for indices in reversed(history):
        best = indices.gather(1, best.unsqueeze(1)).squeeze(1)
        path.append(best)
    path.reverse()
    return torch.stack(path, dim=1)


def get_inputs():
    return [torch.randn(3, 6, 4), torch.randn(4, 4)]
