"""The best path of a chain, followed back through what each step pointed to."""

# no gradient: no result has a gradient

import torch


def viterbi(emissions, transitions):
    T, B, N = emissions.shape
    score = emissions[0]
    history = []
    for t in range(1, T):
        following = score.unsqueeze(2) + transitions
        score, pointers = following.max(dim=1)
        score = score + emissions[t]
        history.append(pointers)
    best = score.argmax(dim=1)
    path = [best]
    for pointers in reversed(history):
        best = pointers.gather(1, best.unsqueeze(1)).squeeze(1)
        path.append(best)
    path.reverse()
    return torch.stack(path)


def get_inputs():
    return [torch.randn(5, 2, 4), torch.randn(4, 4)]
