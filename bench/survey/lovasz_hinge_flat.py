"""Lovasz hinge for binary segmentation, per image: errors sorted, Jaccard gradient by cumulative sums."""

import torch
import torch.nn.functional as F


def lovasz_hinge_flat(logits, labels):
    b = logits.shape[0]
    logits = logits.reshape(b, -1)
    labels = labels.reshape(b, -1)
    signs = 2.0 * labels - 1.0
    errors = 1.0 - logits * signs
    errors_sorted, perm = torch.sort(errors, dim=1, descending=True)
    gt_sorted = torch.gather(labels, 1, perm)
    gts = gt_sorted.sum(dim=1, keepdim=True)
    intersection = gts - gt_sorted.cumsum(1)
    union = gts + (1.0 - gt_sorted).cumsum(1)
    jaccard = 1.0 - intersection / union
    grad = torch.cat([jaccard[:, :1], jaccard[:, 1:] - jaccard[:, :-1]], dim=1)
    loss = (F.elu(errors_sorted) + 1.0) * grad.detach()
    return loss.sum(dim=1).mean()


def get_inputs():
    return [torch.randn(16, 1, 512, 512), (torch.rand(16, 1, 512, 512) > 0.7).float()]
