"""The loss of a language model, labels shifted by one."""

import torch
import torch.nn.functional as F


def shifted_lm_loss(logits, labels):
    shift_logits = logits[..., :-1, :].contiguous()
    shift_labels = labels[..., 1:].contiguous()
    return F.cross_entropy(shift_logits.view(-1, shift_logits.size(-1)), shift_labels.view(-1), ignore_index=-100)


def get_inputs():
    return [torch.randn(2, 7, 11), torch.randint(0, 11, (2, 7))]
