"""Words of eight 4-bit integers taken apart, with scales and zeros by groups of rows: two tensors of groups are one size."""

import torch


def unpack_dequant(qweight, scales, qzeros, bits: int = 4):
    shifts = torch.arange(0, 32, bits, device=qweight.device)
    iweights = torch.bitwise_right_shift(qweight[:, :, None], shifts[None, None, :]).to(torch.int8)
    iweights = iweights.view(iweights.shape[0], -1)
    izeros = torch.bitwise_right_shift(qzeros[:, :, None], shifts[None, None, :]).to(torch.int8)
    izeros = izeros.view(izeros.shape[0], -1)
    iweights = torch.bitwise_and(iweights, (2**bits) - 1)
    izeros = torch.bitwise_and(izeros, (2**bits) - 1)
    group = iweights.shape[0] // scales.shape[0]
    s = scales.repeat_interleave(group, dim=0)
    z = izeros.repeat_interleave(group, dim=0)
    return (iweights - z) * s


def get_inputs():
    return [
        torch.randint(-(2**31), 2**31 - 1, (8, 3), dtype=torch.int32),
        torch.randn(2, 24).half(),
        torch.randint(-(2**31), 2**31 - 1, (2, 3), dtype=torch.int32),
    ]
