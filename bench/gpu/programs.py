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


def total(x):
    return x.sum()


def mean_and_variance(x):
    return x.mean(), x.var()


def short_softmax(x):
    return torch.softmax(x, dim=-1)


def short_layer_norm(x, weight, bias):
    return F.layer_norm(x, (x.shape[-1],), weight, bias)


def vocabulary_softmax(x):
    return torch.softmax(x, dim=-1)


def causal_softmax(scores):
    rows = torch.arange(scores.shape[-2], device=scores.device)
    columns = torch.arange(scores.shape[-1], device=scores.device)
    hidden = columns[None, :] > rows[:, None]
    return torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)


def cross_entropy(logits, labels):
    return F.cross_entropy(logits, labels)


def kl_divergence(log_probabilities, target):
    return F.kl_div(log_probabilities, target, reduction="batchmean")


def modulated_layer_norm(x, shift, scale):
    normal = F.layer_norm(x, (x.shape[-1],))
    return normal * (1 + scale[:, None, :]) + shift[:, None, :]


def quantize_tokens(x):
    scale = x.abs().amax(dim=-1, keepdim=True).float() / 127.0
    return torch.round(x.float() / scale).clamp(-128, 127).to(torch.int8), scale


def group_norm_silu(x, weight, bias):
    return F.silu(F.group_norm(x, 32, weight, bias))


def instance_norm(x):
    return F.instance_norm(x)


def batch_norm(x, mean, variance, weight, bias):
    return F.batch_norm(x, mean, variance, weight, bias)


def row_maximum(x):
    return x.amax(dim=-1)


def transposed_add(x, y):
    return x.transpose(1, 2) + y


def rotary(x, cosine, sine):
    first, second = x.chunk(2, dim=-1)
    return x * cosine + torch.cat((-second, first), dim=-1) * sine


def running_sum(x):
    return torch.cumsum(x, dim=-1)


def adam(parameter, gradient, average, square):
    average = 0.9 * average + 0.1 * gradient
    square = 0.999 * square + 0.001 * gradient * gradient
    return parameter - 1e-3 * average / (square.sqrt() + 1e-8), average, square


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
    "total": ("x=f32[M,N]", {"M": 16384, "N": 8192}),
    "mean_and_variance": ("x=f32[M,N]", {"M": 16384, "N": 8192}),
    "short_softmax": ("x=f32[M,N]", {"M": 1 << 20, "N": 128}),
    "short_layer_norm": ("x=bf16[M,N],weight=bf16[N],bias=bf16[N]", {"M": 1 << 19, "N": 256}),
    "vocabulary_softmax": ("x=f32[M,N]", {"M": 1024, "N": 131072}),
    "causal_softmax": ("scores=f32[B,S,T]", {"B": 64, "S": 2048, "T": 2048}),
    "cross_entropy": ("logits=f32[M,V],labels=i64[M]<32768", {"M": 8192, "V": 32768}),
    "kl_divergence": ("log_probabilities=f32[M,N],target=f32[M,N]", {"M": 8192, "N": 16384}),
    "modulated_layer_norm": ("x=bf16[B,T,D],shift=bf16[B,D],scale=bf16[B,D]", {"B": 64, "T": 1024, "D": 2048}),
    "quantize_tokens": ("x=bf16[M,N]", {"M": 16384, "N": 8192}),
    "group_norm_silu": ("x=bf16[B,256,H,W],weight=bf16[256],bias=bf16[256]", {"B": 32, "H": 128, "W": 128}),
    "instance_norm": ("x=f32[B,C,H,W]", {"B": 32, "C": 128, "H": 128, "W": 128}),
    "batch_norm": (
        "x=f32[B,C,H,W],mean=f32[C],variance=f32[C],weight=f32[C],bias=f32[C]",
        {"B": 32, "C": 128, "H": 128, "W": 128},
    ),
    "row_maximum": ("x=f32[M,N]", {"M": 16384, "N": 8192}),
    "transposed_add": ("x=f32[B,M,N],y=f32[B,N,M]", {"B": 16, "M": 2048, "N": 2048}),
    "rotary": ("x=bf16[B,S,H,D],cosine=bf16[S,1,D],sine=bf16[S,1,D]", {"B": 8, "S": 2048, "H": 64, "D": 128}),
    "running_sum": ("x=f32[M,N]", {"M": 16384, "N": 4096}),
    "adam": ("parameter=f32[N],gradient=f32[N],average=f32[N],square=f32[N]", {"N": 1 << 25}),
}
