"""Video stem pooling: gated mix of strided 3-D max and average pools after ReLU, and the clip descriptor."""

import torch
import torch.nn.functional as F


def video_mix_pool3d(x, gate):
    x = F.relu(x)
    mx = F.max_pool3d(x, kernel_size=(1, 3, 3), stride=(1, 2, 2), padding=(0, 1, 1))
    av = F.avg_pool3d(x, kernel_size=(1, 3, 3), stride=(1, 2, 2), padding=(0, 1, 1), count_include_pad=False)
    g = torch.sigmoid(gate).view(1, -1, 1, 1, 1)
    y = g * mx + (1 - g) * av
    y = F.max_pool3d(y, kernel_size=2, stride=2)
    clip = F.adaptive_avg_pool3d(y, (4, 1, 1)).flatten(2)
    return y, clip


def get_inputs():
    return [torch.randn(4, 64, 16, 112, 112), torch.randn(64)]
