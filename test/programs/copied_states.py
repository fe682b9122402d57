"""A norm that starts as another does, by its state, and stays there; running statistics are copied too."""

import torch
from torch import nn


class Teacher(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.student = nn.Sequential(nn.LayerNorm(width), nn.BatchNorm1d(width))
        self.teacher = nn.Sequential(nn.LayerNorm(width), nn.BatchNorm1d(width))
        self.teacher.load_state_dict(self.student.state_dict())
        for parameter in self.teacher.parameters():
            parameter.requires_grad = False

    def forward(self, x):
        with torch.no_grad():
            wanted = self.teacher(x)
        return ((self.student(x.sigmoid()) - wanted) ** 2).mean(-1)


def get_inputs():
    return [torch.randn(5, 6)]
