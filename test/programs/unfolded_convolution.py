"""A convolution written as unfold, a product and fold."""

import torch
import torch.nn.functional as F


def unfolded(x, weight, bias):
    n, c, h, w = x.shape
    out, _, kh, kw = weight.shape
    columns = F.unfold(x, (kh, kw), padding=1, stride=(2, 1))
    y = weight.view(out, -1) @ columns + bias[None, :, None]
    rows = (h + 2 - kh) // 2 + 1
    by_view = y.view(n, out, rows, -1)
    by_fold = F.fold(y, (rows, w + 3 - kw), kernel_size=1)
    # The transposed one: columns of the product, folded back.
    back = F.fold(torch.einsum("ok,nol->nkl", weight.flatten(1), y), (h, w), (kh, kw), padding=1, stride=(2, 1))
    return by_view, by_fold, back


def get_inputs():
    return [torch.randn(2, 3, 7, 6), torch.randn(4, 3, 3, 2), torch.randn(4)]
