"""Supervised contrastive loss over a given cosine similarity matrix with labels, temperature 0.1."""

import torch


def supcon_from_similarity(sim, labels):
    temperature, base_temperature = 0.1, 0.07
    n = sim.shape[0]
    labels = labels.view(-1, 1)
    mask = torch.eq(labels, labels.T).float()
    logits = sim / temperature
    logits_max, _ = torch.max(logits, dim=1, keepdim=True)
    logits = logits - logits_max.detach()
    logits_mask = 1.0 - torch.eye(n, dtype=sim.dtype, device=sim.device)
    mask = mask * logits_mask
    exp_logits = torch.exp(logits) * logits_mask
    log_prob = logits - torch.log(exp_logits.sum(1, keepdim=True))
    mask_pos_pairs = mask.sum(1)
    mask_pos_pairs = torch.where(mask_pos_pairs < 1e-6, torch.ones_like(mask_pos_pairs), mask_pos_pairs)
    mean_log_prob_pos = (mask * log_prob).sum(1) / mask_pos_pairs
    return -(temperature / base_temperature) * mean_log_prob_pos.mean()


def get_inputs():
    return [torch.rand(6000, 6000) * 2 - 1, torch.randint(0, 1000, (6000,))]
