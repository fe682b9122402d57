import torch
import torch.nn as nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.up2 = nn.ConvTranspose2d(4, 4, kernel_size=2, stride=2)
        self.up1 = nn.ConvTranspose2d(8, 4, kernel_size=2, stride=2)

    def forward(self, x):
        """x: [batch, 4, height, width]."""
        half = nn.functional.max_pool2d(x, 2, 2)
        quarter = nn.functional.max_pool2d(half, 2, 2)
        return self.up1(torch.cat((self.up2(quarter), half), 1)) + x


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.norm = nn.GroupNorm(2, channels)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)))


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.outer, self.inner, self.last = Block(4), Block(8), Block(4)
        self.down = nn.Conv2d(4, 8, 4, 2, 1)
        self.up = nn.Sequential(nn.Upsample(scale_factor=2, mode="nearest"), nn.Conv2d(8, 4, 3, padding=1))

    def forward(self, x):
        """x: [batch, 4, height, width]."""
        assert all([size % 2 == 0 for size in x.shape[-2:]]), "sizes have to be even"
        x = self.outer(x)
        return self.last(self.up(self.inner(self.down(x))) + x)


def get_inputs():
    return [torch.randn(1, 4, 16, 32)]


def get_init_inputs():
    return []
