"""The partition function of a linear chain and a Lovasz loss: loops over sizes whose turns mix or sort, written out."""

import torch


def chain(emissions, mask, scores):
    state = emissions[0]
    for i in range(1, emissions.size(0)):
        following = torch.logsumexp(state.unsqueeze(2) + emissions[i].unsqueeze(1), dim=1)
        state = torch.where(mask[i].unsqueeze(1), following, state)
    losses = []
    for c in range(scores.size(1)):
        errors, order = torch.sort(scores[:, c], dim=0, descending=True, stable=True)
        losses.append((errors * scores[:, 0][order]).sum())
    return torch.logsumexp(state, dim=1), torch.stack(losses)


def get_inputs():
    return [torch.randn(6, 3, 5), torch.rand(6, 3) > 0.3, torch.randn(20, 3)]
