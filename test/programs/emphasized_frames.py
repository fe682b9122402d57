"""Differences of neighbours in a signal, reflected at its ends, in frames that overlap."""

import torch
import torch.nn.functional as F


def emphasized_frames(signal, window):
    emphasized = torch.cat([signal[:, :1], signal[:, 1:] - 0.97 * signal[:, :-1]], dim=1)
    padded = F.pad(emphasized.unsqueeze(1), (4, 4), mode="reflect").squeeze(1)
    frames = padded.unfold(-1, 8, 4) * window
    return frames.square().sum(-1)


def get_inputs():
    return [torch.randn(2, 24), torch.rand(8)]
