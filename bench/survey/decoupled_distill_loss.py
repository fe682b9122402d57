"""Decoupled knowledge distillation over 1000 classes: target-class and non-target-class KL with temperature 4."""

# constants: logits_teacher

import torch
import torch.nn.functional as F


def decoupled_distill_loss(logits_student, logits_teacher, target):
    alpha, beta, temperature = 1.0, 8.0, 4.0
    logits_teacher = logits_teacher.detach()
    n = target.shape[0]
    gt_mask = torch.zeros_like(logits_student).scatter(1, target.unsqueeze(1), 1.0)
    pred_student = F.softmax(logits_student / temperature, dim=1)
    pred_teacher = F.softmax(logits_teacher / temperature, dim=1)
    ps_t = (pred_student * gt_mask).sum(dim=1, keepdim=True)
    pt_t = (pred_teacher * gt_mask).sum(dim=1, keepdim=True)
    cat_student = torch.cat([ps_t, 1.0 - ps_t], dim=1)
    cat_teacher = torch.cat([pt_t, 1.0 - pt_t], dim=1)
    tckd = F.kl_div(torch.log(cat_student + 1e-8), cat_teacher, reduction="sum") * temperature**2 / n

    part2_teacher = F.softmax(logits_teacher / temperature - 1000.0 * gt_mask, dim=1)
    log_part2_student = F.log_softmax(logits_student / temperature - 1000.0 * gt_mask, dim=1)
    nckd = F.kl_div(log_part2_student, part2_teacher, reduction="sum") * temperature**2 / n
    return F.cross_entropy(logits_student, target) + alpha * tckd + beta * nckd


def get_inputs():
    return [torch.randn(32768, 1000) * 3, torch.randn(32768, 1000) * 3, torch.randint(0, 1000, (32768,))]
