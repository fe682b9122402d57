"""Distillation of a language model: softened divergence from the teacher and cross entropy, ignored positions left out."""
# surveyed: decoupled_distill_loss
# constants: teacher

import torch
import torch.nn.functional as F


def distillation_loss(student, teacher, labels, temperature=2.0, weight=0.5):
    keep = labels != -100
    log_p = F.log_softmax(student.float() / temperature, dim=-1)
    q = F.softmax(teacher.float() / temperature, dim=-1)
    divergence = F.kl_div(log_p, q, reduction="none").sum(-1)
    divergence = (divergence * keep).sum() / keep.sum() * temperature**2
    cross_entropy = F.cross_entropy(student.float(), labels, ignore_index=-100)
    return weight * divergence + (1 - weight) * cross_entropy


def get_inputs():
    rows, vocabulary = 12000, 50257
    student = torch.randn(rows, vocabulary, dtype=torch.bfloat16)
    teacher = torch.randn(rows, vocabulary, dtype=torch.bfloat16)
    labels = torch.randint(0, 50257, (rows,))
    return [student, teacher, labels]
