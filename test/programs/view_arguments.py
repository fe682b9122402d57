"""Views with negative axes, steps, tuples and lists."""

# options: --inputs x=f32[3,4,6]

import torch
import torch.nn.functional as F


def f(x):
    return (
        x[::2, 1:-1, -3:],
        x[..., None, -1],
        x[:, [0, 2, 1]],
        x.unfold(-1, 3, 2),
        x.diagonal(offset=-1, dim1=-1, dim2=0),
        x.movedim((0, -1), (-1, 1)),
        x.flatten(-2),
        x.flatten(0, 1),
        x.unflatten(-1, (2, -1)),
        x.tile((2, 1)),
        x.tile(2, 1, 1, 2),
        x.repeat(2, 1, 1, 3),
        x.repeat_interleave(3, dim=-2),
        x.repeat_interleave(2),
        x.roll((1, -2), dims=(0, -1)),
        x.roll(5),
        torch.rot90(x, -1, (1, -1)),
        torch.rot90(x, 2, [0, 1]),
        F.pad(x, (1, -1, 0, 2), value=3.0),
        F.pad(x, (2, 1), mode="circular"),
        F.pad(x, (2, 1), mode="reflect"),
        F.pad(x, (3, 0), mode="replicate"),
        x.tril(-1),
        x.triu(2),
        torch.cat([x, x.transpose(1, 0).transpose(0, 1)], dim=-1),
        torch.stack([x, -x], dim=-2),
        x.split((1, 3), dim=1),
        x.split(2, -1),
        x.chunk(4, dim=-1),
        x.unbind(-2),
        x.swapaxes(0, -1),
        x.mT,
        x.permute(2, 0, 1).contiguous().view(-1, 4),
        x.narrow(-1, 1, 3),
        x.select(-1, -2),
        x.squeeze(),
        x.unsqueeze(-2).expand(-1, -1, 2, -1),
        x.flip(-1, 0),
        torch.fliplr(x),
        torch.hstack([x, x]),
        torch.vstack([x, x]),
        torch.dstack([x, x]),
        torch.tensor_split(x, 3, dim=-1),
        torch.tensor_split(x, (1, 4), dim=-1),
        x.view_as(x).reshape(-1)[5],
        torch.atleast_3d(x[0, 0]),
        x.diag_embed(1, 0, -1),
        torch.broadcast_to(x[:, :1], (3, 4, 6)),
        x.T if x.ndim == 2 else x.mT,
        x.ravel()[::7],
        torch.block_diag(x[0], x[1]),
        torch.combinations(x[0, 0]) if False else x[0, 0],
        torch.cartesian_prod(x[0, 0], x[0, 1]),
        x.view(3, 2, 2, 6).transpose(1, 2).reshape(3, -1),
    )


def get_inputs():
    return [torch.randn(3, 4, 6)]
