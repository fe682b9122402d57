"""The balance of experts over the tokens of several layers: their number is a quotient of sizes that later turn out alike."""

# program: balance

import torch


def balance(first, second, mask):
    n, t = mask.shape
    both = torch.cat([first, second])
    layers = both.shape[0] // (n * t)
    probs = both.softmax(-1)
    wide = mask[None, :, :, None].expand(layers, n, t, both.shape[-1]).reshape(-1, both.shape[-1])
    share = (probs * wide).sum(0) / wide.sum(0)
    log_z = torch.logsumexp(first.view(n, t, -1), dim=-1)
    return (share * share).sum() + (log_z**2).mean()


def get_inputs():
    return [torch.randn(10, 4), torch.randn(10, 4), torch.ones(2, 5, dtype=torch.long)]
