"""Whether a list that grows in a loop has items by now: what the first turn does otherwise."""

import torch


def grown_list_truth(x):
    outs, sums = [], {"all": []}
    for t in x:
        h = outs[-1] if outs else t
        if not sums["all"]:
            t = t * 0.5
        outs.append(torch.tanh(t + h))
        sums["all"].append(outs[-1] + t)
    return torch.stack(outs), torch.stack(sums["all"])


def get_inputs():
    return [torch.randn(5, 3)]
