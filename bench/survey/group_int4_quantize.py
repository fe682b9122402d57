"""Weight-only int4 quantisation in groups of 128: asymmetric scale and zero point, packed nibbles and the dequantised weight."""

# only forward
# small: 4096=3 11008=256

import torch


def group_int4_quantize(weight):
    group = 128
    rows, cols = weight.shape
    w = weight.reshape(rows, cols // group, group).float()
    w_max = w.amax(dim=-1, keepdim=True)
    w_min = w.amin(dim=-1, keepdim=True)
    scale = ((w_max - w_min) / 15.0).clamp(min=1e-6)
    zero = torch.round(-w_min / scale).clamp(0, 15)
    q = torch.clamp(torch.round(w / scale) + zero, 0, 15)
    dequant = ((q - zero) * scale).reshape(rows, cols).to(weight.dtype)
    qi = q.reshape(rows, cols).to(torch.uint8)
    packed = qi[:, 0::2] | (qi[:, 1::2] << 4)
    return packed, scale.squeeze(-1).to(weight.dtype), zero.squeeze(-1).to(torch.uint8), dequant


def get_inputs():
    return [torch.randn(4096, 11008, dtype=torch.float16) * 0.02]
