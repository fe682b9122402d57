"""Convolutions whose kernels are mixed for each sample: one grouped convolution over the whole batch."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class DynamicConv2d(nn.Module):
    def __init__(self, in_planes=3, out_planes=4, kernel_size=3, K=2, temperature=4.0):
        super().__init__()
        self.in_planes, self.out_planes, self.kernel_size = in_planes, out_planes, kernel_size
        self.K, self.temperature = K, temperature
        self.fc1 = nn.Conv2d(in_planes, K, 1, bias=False)
        self.fc2 = nn.Conv2d(K, K, 1, bias=True)
        self.weight = nn.Parameter(torch.randn(K, out_planes, in_planes, kernel_size, kernel_size), requires_grad=True)
        self.bias = nn.Parameter(torch.zeros(K, out_planes))

    def forward(self, x):
        attention = F.adaptive_avg_pool2d(x, 1)
        attention = self.fc2(F.relu(self.fc1(attention))).view(x.size(0), -1)
        softmax_attention = F.softmax(attention / self.temperature, 1)

        batch_size, in_planes, height, width = x.size()
        x = x.view(1, -1, height, width)  # one image of batch * channels
        weight = self.weight.view(self.K, -1)
        aggregate_weight = torch.mm(softmax_attention, weight).view(
            batch_size * self.out_planes, self.in_planes, self.kernel_size, self.kernel_size
        )
        aggregate_bias = torch.mm(softmax_attention, self.bias).view(-1)
        output = F.conv2d(x, weight=aggregate_weight, bias=aggregate_bias, padding=1, groups=batch_size)
        return output.view(batch_size, self.out_planes, output.size(-2), output.size(-1))


def get_inputs():
    return [torch.randn(2, 3, 5, 6)]
