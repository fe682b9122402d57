"""Two four-bit numbers in a byte, unpacked and scaled."""

import torch


def unpack_int4(packed, scales):
    low = (packed & 0x0F).to(torch.int8) - 8
    high = (packed >> 4).to(torch.int8) - 8
    w = torch.stack((low, high), dim=-1).reshape(packed.shape[0], -1)
    return w.to(scales.dtype) * scales


def get_inputs():
    return [torch.randint(0, 256, (8, 16), dtype=torch.uint8), torch.rand(8, 1)]
