"""Groupwise asymmetric quantisation to four bits, packed by twos."""

# program: group_quantize_tensor

import torch


def get_groupwise_affine_qparams(w, n_bit=4, groupsize=8):
    if groupsize > w.shape[-1]:
        groupsize = w.shape[-1]
    assert groupsize > 1
    assert w.shape[-1] % groupsize == 0
    assert w.dim() == 2
    to_quant = w.reshape(-1, groupsize)
    max_val = to_quant.amax(dim=1, keepdim=True)
    min_val = to_quant.amin(dim=1, keepdim=True)
    max_int = 2**n_bit - 1
    scales = (max_val - min_val).clamp(min=1e-6) / max_int
    zeros = min_val + scales * (2 ** (n_bit - 1))
    return scales.to(torch.float32).reshape(w.shape[0], -1), zeros.to(torch.bfloat16).reshape(w.shape[0], -1)


def group_quantize_tensor(w, n_bit=4, groupsize=8):
    scales, zeros = get_groupwise_affine_qparams(w, n_bit, groupsize)
    to_quant = w.reshape(-1, groupsize)
    s = scales.reshape(-1, 1)
    z = zeros.reshape(-1, 1)
    min_val = z - s * (2 ** (n_bit - 1))
    max_int = 2**n_bit - 1
    w_int = to_quant.sub(min_val).div(s).round().clamp_(0, max_int).to(torch.int32).reshape_as(w)
    packed = (w_int[:, ::2] << 4 | w_int[:, 1::2]).to(torch.uint8)
    scales_and_zeros = (
        torch.cat(
            [scales.reshape(scales.size(0), scales.size(1), 1), zeros.reshape(zeros.size(0), zeros.size(1), 1)], 2
        )
        .transpose(0, 1)
        .contiguous()
    )
    return packed, scales_and_zeros


def get_inputs():
    return [torch.randn(6, 32)]
