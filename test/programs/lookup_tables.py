"""Bytes through a table, in three spellings."""

# only forward

import torch


def apply_lut(img, lut):
    return lut[img.long()], torch.take(lut, img.to(torch.int64)), lut.index_select(0, img.flatten().int()).view_as(img)


def get_inputs():
    return [torch.randint(0, 256, (2, 4, 5), dtype=torch.uint8), torch.randint(0, 256, (256,), dtype=torch.uint8)]
