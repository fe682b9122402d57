"""Ordinal regression: CORAL levels."""

# program: ordinal_and_coral

import torch
import torch.nn.functional as F


def levels_from_labels(labels, num_classes, dtype=torch.float32):
    return (torch.arange(num_classes - 1, device=labels.device)[None, :] < labels[:, None]).to(dtype)


def ordinal_and_coral(logits, labels, importance_weights=None):
    levels = levels_from_labels(labels, num_classes=logits.shape[1] + 1)
    if not logits.shape == levels.shape:
        raise ValueError(
            "Please ensure that logits (%s) has the same shape as levels (%s). " % (logits.shape, levels.shape)
        )
    term = F.logsigmoid(logits) * levels + (F.logsigmoid(logits) - logits) * (1 - levels)
    if importance_weights is not None:
        term *= importance_weights
    val = -torch.sum(term, dim=1)
    predicted = (torch.sigmoid(logits).cumprod(dim=1) > 0.5).sum(dim=1)
    return torch.mean(val), predicted


def get_inputs():
    return [torch.randn(7, 4), torch.randint(0, 5, (7,))]
