"""Optical-flow census loss: soft ternary transform over 7x7 patches and its robust Hamming distance."""

# small: 8=1 384=11 512=13

import torch
import torch.nn as nn
import torch.nn.functional as F


class CensusHammingLoss(nn.Module):
    def __init__(self, max_distance=3):
        super().__init__()
        self.r = max_distance

    def ternary(self, image):
        gray = (0.2989 * image[:, 0:1] + 0.5870 * image[:, 1:2] + 0.1140 * image[:, 2:3]) * 255.0
        h, w = gray.shape[-2:]
        padded = F.pad(gray, (self.r, self.r, self.r, self.r))
        size = 2 * self.r + 1
        shifted = [padded[:, :, i : i + h, j : j + w] for i in range(size) for j in range(size)]
        diff = torch.cat(shifted, dim=1) - gray
        return diff / torch.sqrt(0.81 + diff**2)

    def forward(self, im1, im2_warped, occlusion):
        t1 = self.ternary(im1)
        t2 = self.ternary(im2_warped)
        dist = (t1 - t2) ** 2
        dist = (dist / (0.1 + dist)).sum(1, keepdim=True)
        inner = torch.ones_like(dist[:, :, self.r : -self.r, self.r : -self.r])
        valid = F.pad(inner, (self.r, self.r, self.r, self.r)) * occlusion
        loss = (dist**2 + 1e-6) ** 0.45
        return (loss * valid).sum() / (valid.sum() + 1e-6)


def get_init_inputs():
    return [3]


def get_inputs():
    return [torch.rand(8, 3, 384, 512), torch.rand(8, 3, 384, 512), torch.rand(8, 1, 384, 512)]
