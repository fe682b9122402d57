"""Losses of direct preference optimisation, chosen by a string."""

# program: dpo_loss

from typing import Literal, Tuple

import torch
import torch.nn.functional as F


def get_batch_logps(logits, labels, average_log_prob: bool = False, ignore: int = -100):
    assert logits.shape[:-1] == labels.shape
    labels = labels[:, 1:].clone()
    logits = logits[:, :-1, :]
    loss_mask = labels != ignore
    labels[labels == ignore] = 0
    per_token = torch.gather(logits.log_softmax(-1), dim=2, index=labels.unsqueeze(2)).squeeze(2)
    total = (per_token * loss_mask).sum(-1)
    return total / loss_mask.sum(-1) if average_log_prob else total


def dpo_loss(
    logits: torch.Tensor,
    labels: torch.Tensor,
    reference: torch.Tensor,
    beta: float = 0.1,
    label_smoothing: float = 0.05,
    loss_type: Literal["sigmoid", "hinge", "ipo"] = "sigmoid",
) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    all_logps = get_batch_logps(logits, labels)
    n = logits.shape[0] // 2
    chosen, rejected = all_logps[:n], all_logps[n:]
    ratio = (chosen - rejected) - (reference[:n] - reference[n:])
    if loss_type == "sigmoid":
        losses = -F.logsigmoid(beta * ratio) * (1 - label_smoothing) - F.logsigmoid(-beta * ratio) * label_smoothing
    elif loss_type == "hinge":
        losses = torch.relu(1 - beta * ratio)
    else:
        raise ValueError(f"unknown loss type {loss_type}")
    chosen_rewards = beta * (chosen - reference[:n]).detach()
    rejected_rewards = beta * (rejected - reference[n:]).detach()
    return losses.mean(), chosen_rewards, rejected_rewards


def get_inputs():
    labels = torch.randint(0, 13, (6, 7))
    labels[:, :2] = -100
    return [torch.randn(6, 7, 13), labels, torch.randn(6)]
