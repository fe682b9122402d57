"""The Lovasz hinge of binary segmentation, with logits sorted by error."""

# program: lovasz_hinge

import torch
import torch.nn.functional as F


def lovasz_grad(gt_sorted):
    p = gt_sorted.size(-1)
    gts = gt_sorted.sum(-1, keepdim=True)
    intersection = gts - gt_sorted.float().cumsum(-1)
    union = gts + (1 - gt_sorted).float().cumsum(-1)
    jaccard = 1.0 - intersection / union
    if p > 1:
        jaccard[..., 1:p] = jaccard[..., 1:p] - jaccard[..., 0:-1]
    return jaccard


def lovasz_hinge(logits, labels):
    signs = 2.0 * labels.float() - 1.0
    errors = 1.0 - logits * signs
    errors_sorted, perm = torch.sort(errors, dim=-1, descending=True)
    gt_sorted = torch.gather(labels, -1, perm)
    grad = lovasz_grad(gt_sorted)
    return (F.relu(errors_sorted) * grad).sum(-1).mean()


def get_inputs():
    return [torch.randn(4, 33), (torch.rand(4, 33) > 0.5).float()]
