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
    return copies, x + 1, z, norms, losses, places, quantised, names


def get_inputs():
    return [torch.randn(4, 4), torch.randn(4, 4), torch.tensor([3, 0, 2, 1]), torch.randn(4)]
