"""Sentences classified by kernels of three widths and the greatest over time."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class TextCNN(nn.Module):
    def __init__(self, vocab=13, dim=5, kernels=(2, 3, 4), filters=4, classes=3):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.convs = nn.ModuleList([nn.Conv2d(1, filters, (k, dim)) for k in kernels])
        self.fc = nn.Linear(filters * len(kernels), classes)

    def conv_and_pool(self, x, conv):
        x = F.relu(conv(x)).squeeze(3)
        return F.max_pool1d(x, x.size(2)).squeeze(2)

    def forward(self, x):
        out = self.embed(x).unsqueeze(1)
        out = torch.cat([self.conv_and_pool(out, conv) for conv in self.convs], 1)
        return self.fc(out)


def get_inputs():
    return [torch.randint(0, 13, (3, 7))]
