"""Patch embedding and its inverse, as masked autoencoders and latent decoders have them."""

import torch
from torch import nn


class PatchCodec(nn.Module):
    def __init__(self, patch=2, channels=3, dim=8):
        super().__init__()
        self.embed = nn.Conv2d(channels, dim, kernel_size=patch, stride=patch)
        self.mix = nn.Linear(dim, dim)
        self.unpatch = nn.ConvTranspose2d(dim, channels, kernel_size=patch, stride=patch)

    def forward(self, image):
        tokens = self.embed(image)
        h, w = tokens.shape[2:]
        tokens = tokens.flatten(2).transpose(1, 2)
        tokens = tokens + torch.tanh(self.mix(tokens))
        tokens = tokens.transpose(1, 2).unflatten(2, (h, w))
        return self.unpatch(tokens)


def get_inputs():
    return [torch.randn(2, 3, 6, 8)]
