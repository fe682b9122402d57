"""Programs for the GPU table, each with the sizes at which it is timed (hundreds of MB)."""

import torch
import torch.nn.functional as F


def vector_add(x, y):
    return x + y


def bias_gelu(x, bias):
    return F.gelu(x + bias)


def silu_gate(gate, up):
    return F.silu(gate) * up


def softmax(x):
    return torch.softmax(x, dim=-1)


def log_softmax(x):
    return torch.log_softmax(x, dim=-1)


def layer_norm(x, weight, bias):
    return F.layer_norm(x, (x.shape[-1],), weight, bias)


def rms_norm(x, weight):
    return x * torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + 1e-6) * weight


def residual_rms_norm(x, residual, weight):
    h = x + residual
    return h * torch.rsqrt(h.pow(2).mean(dim=-1, keepdim=True) + 1e-6) * weight, h


def logsumexp(x):
    return torch.logsumexp(x, dim=-1)


def row_l2_normalize(x):
    return x / x.pow(2).sum(dim=-1, keepdim=True).sqrt().clamp(min=1e-12)


def column_sum(x):
    return x.sum(dim=0)


def middle_softmax(x):
    return torch.softmax(x, dim=1)


def row_argmax(x):
    return torch.argmax(x, dim=-1)


def masked_scale(x, mask, scale):
    return torch.where(mask, x * scale, torch.zeros_like(x))


PROGRAMS = {
    "vector_add": ("x=f32[N],y=f32[N]", {"N": 1 << 26}),
    "bias_gelu": ("x=bf16[M,N],bias=bf16[N]", {"M": 16384, "N": 8192}),
    "silu_gate": ("gate=bf16[M,N],up=bf16[M,N]", {"M": 16384, "N": 8192}),
    "softmax": ("x=f32[M,N]", {"M": 16384, "N": 4096}),
    "log_softmax": ("x=bf16[M,N]", {"M": 8192, "N": 32768}),
    "layer_norm": ("x=f32[M,N],weight=f32[N],bias=f32[N]", {"M": 16384, "N": 8192}),
    "rms_norm": ("x=bf16[M,N],weight=bf16[N]", {"M": 32768, "N": 4096}),
    "residual_rms_norm": ("x=bf16[M,N],residual=bf16[M,N],weight=bf16[N]", {"M": 16384, "N": 8192}),
    "logsumexp": ("x=f32[M,N]", {"M": 16384, "N": 8192}),
    "row_l2_normalize": ("x=f32[M,N]", {"M": 16384, "N": 8192}),
    "column_sum": ("x=f32[M,N]", {"M": 4096, "N": 32768}),
    "middle_softmax": ("x=f32[B,T,D]", {"B": 64, "T": 1024, "D": 1024}),
    "row_argmax": ("x=f32[M,N]", {"M": 16384, "N": 8192}),
    "masked_scale": ("x=f32[M,N],mask=bool[M,N],scale=f32[]", {"M": 16384, "N": 8192}),
}
