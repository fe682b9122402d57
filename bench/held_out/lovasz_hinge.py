"""Lovasz hinge loss of binary masks, image by image: a sort, two running sums and a product of differences."""
# surveyed: lovasz_hinge_flat
# program: lovasz_hinge
# constants: labels

import torch
import torch.nn.functional as F


def lovasz_grad(gt_sorted):
    gts = gt_sorted.sum(-1, keepdim=True)
    intersection = gts - gt_sorted.cumsum(-1)
    union = gts + (1 - gt_sorted).cumsum(-1)
    jaccard = 1.0 - intersection / union
    return torch.cat([jaccard[:, :1], jaccard[:, 1:] - jaccard[:, :-1]], dim=-1)


def lovasz_hinge(logits, labels):
    signs = 2.0 * labels - 1.0
    errors = 1.0 - logits * signs
    errors_sorted, perm = torch.sort(errors, dim=-1, descending=True)
    gt_sorted = torch.gather(labels, 1, perm)
    grad = lovasz_grad(gt_sorted)
    return (F.elu(errors_sorted) + 1).mul(grad).sum(-1).mean()


def get_inputs():
    images, pixels = 700, 20480
    return [torch.randn(images, pixels), (torch.rand(images, pixels) < 0.3).float()]
