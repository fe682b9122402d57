"""Spellings that PyTorch's own functions and older programs use."""

import torch


def f(x, y, i, w):
    copies = (
        torch.squeeze_copy(x[:1]),
        torch.transpose_copy(x, 0, 1),
        torch.slice_copy(x, 1, 1, None, 2),
        torch.split_copy(x, 2)[1],
        torch.narrow_copy(x, 1, 0, 2),
    )
    z = torch.view_copy(x, (16,))
    z.mul_(2)
    norms = (
        torch.native_layer_norm(x, (4,), w, None, 1e-5)[0],
        torch.native_group_norm(x.reshape(2, 4, 2), w, None, 2, 4, 2, 2, 1e-5)[0],
    )
    losses = (
        torch.kl_div(x, y.exp()),
        torch.binary_cross_entropy_with_logits(x, y.sigmoid(), reduction=2),
        torch.margin_ranking_loss(x, y, y.sign(), 0.5, 0),
    )
    # Not reduced, where torch.nn.functional takes the mean.
    unreduced = (
        torch.margin_ranking_loss(x, y, y.sign()),
        torch.hinge_embedding_loss(x, y.sign()),
        torch.cosine_embedding_loss(x, y, w.sign()),
        torch.triplet_margin_loss(x, y, x + y, 0.5, 2.0),
        torch.binary_cross_entropy_with_logits(x, y.sigmoid()),
    )
    greatest, where = torch.adaptive_max_pool1d(x, 2)
    numbers = (torch.xlogy(2.0, x.abs() + 1), x.xlogy(2.0), torch.special.xlog1py(x.abs(), 2.0))
    parts = (
        torch.split(tensor=x, split_size_or_sections=2, dim=1)[0],
        torch.tensor_split(x, sections=2, dim=1)[0],
        torch.tensor_split(x, indices=[1, 3], dim=1)[1],
        torch.hsplit(x, indices=[1])[1],
        torch.swapaxes(x, axis0=0, axis1=1),
        torch.tile(x, dims=(1, 2)),
        torch.dropout(x, p=0.5, train=False),
    )
    places = torch.unravel_index(i, (2, 2))
    quantised = torch.fake_quantize_per_tensor_affine(x, 0.1, 3, -8, 9)
    names = (
        torch.arcsinh(x),
        torch.arccosh(x.abs() + 1),
        torch.divide(x, y.abs() + 1),
        x.adjoint(),
        torch.fill(x.detach(), 2.0),
        x[0].outer(y[0]),
        x[0].ger(w),
        torch.embedding(x, i),
        torch.batch_norm(x, w, None, None, None, True, 0.1, 1e-5, False),
    )
    return copies, x + 1, z, norms, losses, unreduced, greatest, where, numbers, parts, places, quantised, names


def get_inputs():
    return [torch.randn(4, 4), torch.randn(4, 4), torch.tensor([3, 0, 2, 1]), torch.randn(4)]
