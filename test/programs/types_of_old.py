"""A focal loss as older repositories write it: `x.type(y.type())`, reductions by their numbers."""

# program: focal

import torch
import torch.nn.functional as F


def reduced(loss, reduction):
    number = F._Reduction.get_enum(reduction)
    if number == 0:
        return loss
    return loss.mean() if number == 1 else loss.sum()


def focal(logits, target, reduction="mean"):
    target = target.type(logits.type())
    loss = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
    share = torch.exp(-loss).type("torch.FloatTensor")
    return reduced((1.0 - share) ** 2 * loss, reduction)


def get_inputs():
    return [torch.randn(6, 40), torch.randint(0, 2, (6, 40))]
