"""Layers shared over points and a maximum over them, with a learned transformation of the input (PointNet)."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class STN3d(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.conv1 = nn.Conv1d(3, width, 1)
        self.conv2 = nn.Conv1d(width, 2 * width, 1)
        self.fc1 = nn.Linear(2 * width, width)
        self.fc2 = nn.Linear(width, 9)
        self.width = width

    def forward(self, x):
        batchsize = x.size()[0]
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = torch.max(x, 2, keepdim=True)[0]
        x = x.view(-1, 2 * self.width)

        x = F.relu(self.fc1(x))
        x = self.fc2(x)

        iden = torch.eye(3, device=x.device).flatten().view(1, 9).repeat(batchsize, 1)
        x = x + iden
        x = x.view(-1, 3, 3)
        return x


class PointNet(nn.Module):
    def __init__(self, classes=4, width=6):
        super().__init__()
        self.stn = STN3d(width)
        self.conv1 = nn.Conv1d(3, width, 1)
        self.bn1 = nn.BatchNorm1d(width)
        self.conv2 = nn.Conv1d(width, classes, 1)

    def forward(self, x):
        trans = self.stn(x)
        x = x.transpose(2, 1)
        x = torch.bmm(x, trans)
        x = x.transpose(2, 1)
        x = F.relu(self.bn1(self.conv1(x)))
        x = self.conv2(x)
        x = torch.max(x, 2, keepdim=False)[0]
        identity = torch.eye(3, device=x.device)[None, :, :]
        loss = torch.mean(torch.norm(torch.bmm(trans, trans.transpose(2, 1)) - identity, dim=(1, 2)))
        return F.log_softmax(x, dim=1), loss


# program: PointNet
def get_inputs():
    return [torch.randn(3, 3, 10)]
