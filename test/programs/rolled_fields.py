# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stencils around a torus: what a roll moves over the end is read at the start, in one load."""

import torch


def laplacian(z):
    neighbours = torch.roll(z, 1, 0) + torch.roll(z, -1, 0) + torch.roll(z, 1, 1) + torch.roll(z, -1, 1)
    return neighbours - 4 * z


def react(u, v, feed: float = 0.04, kill: float = 0.06):
    for _ in range(3):
        uvv = u * v * v
        u, v = u + 0.16 * laplacian(u) - uvv + feed * (1 - u), v + 0.08 * laplacian(v) + uvv - (feed + kill) * v
    return u, v, torch.roll(u * v, (3, -2), (0, 1)), u.roll(5)


def get_inputs():
    return [torch.rand(48, 80), torch.rand(48, 80)]
