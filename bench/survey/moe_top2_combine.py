"""Mixture-of-experts top-2 combine: gathers expert rows by slot, weighs and adds them, with the load-balancing loss."""

import torch


def moe_top2_combine(residual, expert_out, router_logits, slots):
    tokens, num_experts = router_logits.shape
    probs = torch.softmax(router_logits.float(), dim=-1)
    weights, chosen = torch.topk(probs, 2, dim=-1)
    weights = weights / weights.sum(dim=-1, keepdim=True)
    gathered = expert_out[slots.reshape(-1)].view(tokens, 2, -1)
    mixed = (gathered * weights.unsqueeze(-1).to(gathered.dtype)).sum(dim=1)

    flat = chosen.reshape(-1)
    load = torch.zeros(num_experts, dtype=probs.dtype, device=probs.device)
    load = load.scatter_add(0, flat, torch.ones_like(flat, dtype=probs.dtype)) / (2 * tokens)
    aux = num_experts * (load * probs.mean(dim=0)).sum()
    z_loss = torch.logsumexp(router_logits.float(), dim=-1).pow(2).mean()
    return residual + mixed, aux + 1e-3 * z_loss


def get_inputs():
    tokens, dim, experts = 24576, 1152, 60
    slots = torch.randperm(2 * tokens).view(tokens, 2)
    return [
        torch.randn(tokens, dim, dtype=torch.bfloat16),
        torch.randn(2 * tokens, dim, dtype=torch.bfloat16),
        torch.randn(tokens, experts, dtype=torch.bfloat16),
        slots,
    ]
