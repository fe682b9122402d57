"""Vertices blended over the transforms of joints along a kinematic tree (linear blend skinning)."""

import torch


def blend_skinning(vertices, joints, rotations, weights, shapes, betas):
    parents = [-1, 0, 1, 1]
    vertices = vertices + torch.einsum("bl,mkl->bmk", betas, shapes)
    rel_joints = joints.clone()
    rel_joints[:, 1:] = joints[:, 1:] - joints[:, parents[1:]]
    bottom = torch.tensor([0.0, 0.0, 0.0, 1.0]).expand(joints.shape[0], joints.shape[1], 1, 4)
    transforms = torch.cat([torch.cat([rotations, rel_joints.unsqueeze(-1)], dim=-1), bottom], dim=-2)
    chain = [transforms[:, 0]]
    for i in range(1, len(parents)):
        chain.append(torch.matmul(chain[parents[i]], transforms[:, i]))
    transforms = torch.stack(chain, dim=1)
    posed = transforms[:, :, :3, 3]
    homogeneous = torch.nn.functional.pad(joints.unsqueeze(-1), [0, 0, 0, 1])
    relative = transforms - torch.nn.functional.pad(torch.matmul(transforms, homogeneous), [3, 0, 0, 0, 0, 0])
    T = torch.matmul(weights, relative.view(joints.shape[0], joints.shape[1], 16)).view(joints.shape[0], -1, 4, 4)
    ones = torch.ones(vertices.shape[0], vertices.shape[1], 1)
    return torch.matmul(T, torch.cat([vertices, ones], dim=2).unsqueeze(-1))[:, :, :3, 0], posed


def get_inputs():
    weights = torch.rand(2, 6, 4).softmax(-1)
    return [
        torch.randn(2, 6, 3),
        torch.randn(2, 4, 3),
        torch.randn(2, 4, 3, 3),
        weights,
        torch.randn(6, 3, 2),
        torch.randn(2, 2),
    ]
