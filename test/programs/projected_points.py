"""Points moved by rigid transforms and projected by cameras, with batches of small matrices."""

import torch


def rodrigues(axis_angle):
    angle = axis_angle.norm(dim=-1, keepdim=True).clamp(min=1e-8)
    axis = axis_angle / angle
    zero = torch.zeros_like(axis[..., 0])
    K = torch.stack(
        [zero, -axis[..., 2], axis[..., 1], axis[..., 2], zero, -axis[..., 0], -axis[..., 1], axis[..., 0], zero],
        dim=-1,
    ).reshape(axis.shape[:-1] + (3, 3))
    angle = angle.unsqueeze(-1)
    return torch.eye(3, device=axis.device) + torch.sin(angle) * K + (1 - torch.cos(angle)) * (K @ K)


def project(points, axis_angle, translation, intrinsics):
    """points: (B, N, 3), one camera a sample"""
    rotation = rodrigues(axis_angle)
    moved = torch.bmm(points, rotation.transpose(1, 2)) + translation[:, None]
    homogeneous = torch.matmul(moved, intrinsics.transpose(-1, -2))
    depth = homogeneous[..., 2:].abs().clamp(min=1e-3)
    return homogeneous[..., :2] / depth, moved


# program: project
def get_inputs():
    return [torch.randn(2, 7, 3), torch.randn(2, 3), torch.randn(2, 3), torch.randn(2, 3, 3)]
