"""Top-p sampling: keeps the most likely tokens that make up a share of the probability, and renormalises."""

import torch


def nucleus_filter(logits: torch.Tensor, share: float = 0.8) -> torch.Tensor:
    ordered, places = torch.sort(logits, dim=-1, descending=True)
    probabilities = ordered.softmax(dim=-1)
    before = probabilities.cumsum(dim=-1) - probabilities
    kept = torch.where(before < share, probabilities, 0.0)
    kept = kept / kept.sum(dim=-1, keepdim=True)
    return kept.gather(-1, places.argsort(dim=-1))


def get_inputs():
    return [torch.randn(3, 60) * 3]
