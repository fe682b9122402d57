"""The inverse of rigid motions, whose translation is what is left of four columns: one, which is stored, added and repeated."""

import torch


def one_wide_slices(motion):
    rotation, translation = motion[:, :3, :3], motion[:, :3, 3:]
    inverse = torch.eye(4).repeat(motion.shape[0], 1, 1)
    inverse[:, :3, :3] = rotation.mT
    inverse[:, :3, 3:] = -rotation.mT @ translation
    moved = torch.zeros(motion.shape[0], 3, 1)
    moved += translation
    return inverse, moved, translation.expand(-1, -1, 5), motion[:, 3:].broadcast_to(2, 4, 4)


def get_inputs():
    return [torch.randn(2, 4, 4)]
