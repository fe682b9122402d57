"""Modules that are not there: what an `except ImportError` says is taken."""

import torch

try:
    from flash_attn.ops.rms_norm import rms_norm as fast_rms_norm
except (ImportError, ModuleNotFoundError):
    fast_rms_norm = None

try:
    import xformers.ops as xops

    XFORMERS = True
except ImportError:
    XFORMERS = False


def rms_norm(x, w, eps: float = 1e-6):
    if fast_rms_norm is not None:
        return fast_rms_norm(x, w, eps)
    if XFORMERS:
        return xops.rms(x, w)
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w


def get_inputs():
    return [torch.randn(3, 6), torch.randn(6)]
