"""A convolution as long as its sequence, by Fourier transforms."""

import torch


def f(u, k, D):
    seqlen = u.shape[-1]
    fft_size = 2 * seqlen
    k_f = torch.fft.rfft(k, n=fft_size) / fft_size
    u_f = torch.fft.rfft(u.to(dtype=k.dtype), n=fft_size)
    y = torch.fft.irfft(u_f * k_f, n=fft_size, norm="forward")[..., :seqlen]
    return y + u * D.unsqueeze(-1)


def get_inputs():
    return [torch.randn(2, 3, 20), torch.randn(3, 20), torch.randn(3)]
