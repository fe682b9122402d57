"""Halves beside the greatest of them, which another kernel has stored."""

# program: hue

import torch


def hue(image, gain):
    colours = image * gain
    r, g, b = colours.unbind(-3)
    top, low = colours.amax(-3), colours.amin(-3)
    spread = torch.where(top == low, torch.ones_like(top), top - low)
    red = (top == r) * ((g - b) / spread)
    green = ((top == g) & (top != r)) * (2.0 + (b - r) / spread)
    blue = ((top != g) & (top != r)) * (4.0 + (r - g) / spread)
    peaks = ((colours >= colours.amax((-2, -1), keepdim=True)) * colours).sum((-2, -1))
    return red + green + blue + colours.mean((-2, -1), keepdim=True).sum(-3), top, peaks


def get_inputs():
    return [torch.rand(2, 3, 8, 8).half(), torch.rand(3, 1, 1).half() + 0.5]
