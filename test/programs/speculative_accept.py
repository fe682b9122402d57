"""Acceptance of drafted tokens and the recovered distribution."""

import torch


def speculative_accept(target_probs, draft_probs, draft_ids, uniform):
    batch, k, vocab = draft_probs.shape
    b = torch.arange(batch, device=target_probs.device)[:, None]
    j = torch.arange(k, device=target_probs.device)
    selected_draft = draft_probs[b, j, draft_ids]
    selected_target = target_probs[b, j, draft_ids]
    capped = torch.minimum(selected_target / selected_draft, torch.full((1,), 1, device=target_probs.device))
    accepted = uniform < capped
    limits = (accepted == 0).max(1)
    lengths = torch.where(limits.values, limits.indices, k)
    difference = target_probs - draft_probs
    f = torch.clamp(difference, min=torch.finfo(torch.float32).tiny)
    recovered = f / torch.sum(f, dim=-1).reshape(-1, k, 1)
    return accepted, lengths, recovered


def get_inputs():
    return [
        torch.rand(4, 5, 9).softmax(-1),
        torch.rand(4, 5, 9).softmax(-1),
        torch.randint(0, 9, (4, 5)),
        torch.rand(4, 5),
    ]
