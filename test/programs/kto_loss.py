"""Kahneman-Tversky optimisation."""

import torch


def kto_loss(
    policy_chosen,
    policy_rejected,
    ref_chosen,
    ref_rejected,
    kl_policy,
    kl_ref,
    beta=0.1,
    desirable_weight=1.0,
    undesirable_weight=1.33,
):
    kl = (kl_policy - kl_ref).mean().detach().clamp(min=0)
    if policy_chosen.shape[0] != 0:
        chosen_logratios = policy_chosen - ref_chosen
        chosen_losses = 1 - torch.sigmoid(beta * (chosen_logratios - kl))
        chosen_rewards = beta * chosen_logratios.detach()
    else:
        chosen_losses = torch.Tensor([]).to(policy_chosen.dtype)
        chosen_rewards = torch.Tensor([]).to(policy_chosen.dtype)
    rejected_logratios = policy_rejected - ref_rejected
    rejected_losses = 1 - torch.sigmoid(beta * (kl - rejected_logratios))
    losses = torch.cat((desirable_weight * chosen_losses, undesirable_weight * rejected_losses), 0)
    return losses.nanmean(), chosen_rewards.sum(), kl


def get_inputs():
    return [torch.randn(5), torch.randn(7), torch.randn(5), torch.randn(7), torch.randn(12), torch.randn(12)]
