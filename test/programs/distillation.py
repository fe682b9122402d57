"""Knowledge distillation at a temperature."""

import torch
import torch.nn.functional as F


def distillation(student, teacher, T=2.0):
    return F.kl_div(
        F.log_softmax(student / T, dim=1), F.log_softmax(teacher / T, dim=1), reduction="batchmean", log_target=True
    ) * (T * T)


def get_inputs():
    return [torch.randn(8, 8), torch.randn(8, 8)]
