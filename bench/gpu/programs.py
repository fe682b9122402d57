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


def swiglu_packed(x):
    gate, up = x.chunk(2, dim=-1)
    return F.silu(gate) * up


def geglu(gate, up):
    return F.gelu(gate, approximate="tanh") * up


def dropout_add(x, residual):
    return residual + F.dropout(x, 0.1, training=True)


def rotary_interleaved(x, cosine, sine):
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cosine - odd * sine, even * sine + odd * cosine), dim=-1).flatten(-2)


def channels_last(x):
    return x.permute(0, 2, 3, 1).contiguous()


def split_qkv(qkv):
    q, k, v = qkv.unflatten(-1, (3, 32, 128)).unbind(2)
    return q.transpose(1, 2).contiguous(), k.transpose(1, 2).contiguous(), v.transpose(1, 2).contiguous()


def pixel_shuffle(x):
    return F.pixel_shuffle(x, 2)


def reflect_pad(x):
    return F.pad(x, (3, 3, 3, 3), mode="reflect")


def concat_features(x, y, z):
    return torch.cat((x, y, z), dim=-1)


def repeat_heads(x):
    return x.repeat_interleave(4, dim=1)


def token_shift(x, mix):
    previous = F.pad(x, (0, 0, 1, -1))
    return x * mix + previous * (1 - mix)


def average_pool(x):
    return x.mean(dim=(2, 3))


def max_pool_rows(x):
    return x.max(dim=-1)


def middle_mean(x):
    return x.mean(dim=1)


def column_variance(x):
    return x.var(dim=0)


def row_standardize(x):
    return (x - x.mean(dim=-1, keepdim=True)) / (x.std(dim=-1, keepdim=True) + 1e-5)


def global_norm(x):
    return x.norm()


def count_positive(x):
    return (x > 0).sum(dim=-1)


def masked_mean(x, mask):
    weights = mask.unsqueeze(-1).to(x.dtype)
    return (x * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)


def biased_softmax(scores, bias):
    return torch.softmax(scores * 0.125 + bias, dim=-1)


def softcap_softmax(scores):
    return torch.softmax(30 * torch.tanh(scores / 30), dim=-1)


def padded_softmax(scores, lengths):
    columns = torch.arange(scores.shape[-1], device=scores.device)
    hidden = columns[None, None, :] >= lengths[:, None, None]
    return torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)


def entropy(logits):
    log_p = torch.log_softmax(logits, dim=-1)
    return -(log_p.exp() * log_p).sum(dim=-1)


def half_softmax(x):
    return torch.softmax(x, dim=-1)


def gated_rms_norm(x, gate, weight):
    h = x * F.silu(gate)
    return F.rms_norm(h, (h.shape[-1],), weight)


def head_rms_norm(q, weight):
    return F.rms_norm(q, (q.shape[-1],), weight)


def residual_layer_norm(x, residual, weight, bias):
    h = x + residual
    return F.layer_norm(h, (h.shape[-1],), weight, bias), h


def batch_norm_train(x, weight, bias):
    return F.batch_norm(x, None, None, weight, bias, training=True)


def channel_norm(x, weight, bias):
    mean = x.mean(dim=1, keepdim=True)
    variance = x.var(dim=1, keepdim=True, unbiased=False)
    return (x - mean) * torch.rsqrt(variance + 1e-6) * weight[:, None, None] + bias[:, None, None]


def normalize(x):
    return F.normalize(x, dim=-1)


def cosine_similarity(x, y):
    return F.cosine_similarity(x, y, dim=-1)


def weight_norm(direction, magnitude):
    return direction * (magnitude / direction.norm(dim=1, keepdim=True))


def mean_squared_error(x, target):
    return F.mse_loss(x, target)


def smooth_l1(x, target):
    return F.smooth_l1_loss(x, target)


def focal_loss(logits, target):
    p = torch.sigmoid(logits)
    ce = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
    chance = p * target + (1 - p) * (1 - target)
    return (ce * (1 - chance) ** 2).mean()


def smoothed_cross_entropy(logits, labels):
    return F.cross_entropy(logits, labels, label_smoothing=0.1, ignore_index=0)


def triplet_loss(anchor, positive, negative):
    return F.triplet_margin_loss(anchor, positive, negative)


def embedding(tokens, table):
    return F.embedding(tokens, table)


def select_rows(x, rows):
    return torch.index_select(x, 0, rows)


def column_running_sum(x):
    return torch.cumsum(x, dim=0)


def running_maximum(x):
    return torch.cummax(x, dim=-1).values


def alpha_composite(alpha, color):
    through = torch.cumprod(1 - alpha, dim=-1)
    weights = alpha * torch.cat((torch.ones_like(through[:, :1]), through[:, :-1]), dim=-1)
    return (weights * color).sum(dim=-1)


def dequantize(x, scale):
    return (x.float() * scale).to(torch.bfloat16)


def quantize_groups(x):
    groups = x.unflatten(-1, (-1, 128))
    scale = groups.abs().amax(dim=-1, keepdim=True).float() / 127.0
    return torch.round(groups.float() / scale).to(torch.int8).flatten(-2), scale.squeeze(-1)


def lion(parameter, gradient, momentum):
    update = torch.sign(0.9 * momentum + 0.1 * gradient)
    return parameter - 1e-4 * update, 0.99 * momentum + 0.01 * gradient


def moving_average(average, parameter):
    return torch.lerp(average, parameter, 0.001)


def adamw_step(parameter, gradient, average, square):
    parameter.mul_(1 - 1e-3 * 0.01)
    average.lerp_(gradient, 0.1)
    square.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
    parameter.addcdiv_(average, square.sqrt() + 1e-8, value=-1e-3)


def momentum_step(parameter, gradient, momentum):
    momentum.mul_(0.9).add_(gradient)
    parameter.sub_(momentum, alpha=1e-3)


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
    "swiglu_packed": ("x=bf16[M,16384]", {"M": 8192}),
    "geglu": ("gate=f32[M,N],up=f32[M,N]", {"M": 8192, "N": 8192}),
    "dropout_add": ("x=bf16[M,N],residual=bf16[M,N]", {"M": 16384, "N": 8192}),
    "rotary_interleaved": ("x=f32[B,S,H,128],cosine=f32[S,1,64],sine=f32[S,1,64]", {"B": 8, "S": 2048, "H": 32}),
    "channels_last": ("x=bf16[B,C,H,W]", {"B": 32, "C": 256, "H": 128, "W": 128}),
    "split_qkv": ("qkv=bf16[B,S,12288]", {"B": 8, "S": 2048}),
    "pixel_shuffle": ("x=f32[B,C*4,H,W]", {"B": 16, "C": 64, "H": 128, "W": 128}),
    "reflect_pad": ("x=f32[B,C,H,W]", {"B": 16, "C": 256, "H": 128, "W": 128}),
    "concat_features": ("x=f32[M,K],y=f32[M,N],z=f32[M,P]", {"M": 16384, "K": 1024, "N": 2048, "P": 512}),
    "repeat_heads": ("x=bf16[B,H,S,D]", {"B": 16, "H": 8, "S": 4096, "D": 128}),
    "token_shift": ("x=bf16[B,T,D],mix=bf16[D]", {"B": 16, "T": 2048, "D": 4096}),
    "average_pool": ("x=f32[B,C,H,W]", {"B": 64, "C": 512, "H": 56, "W": 56}),
    "max_pool_rows": ("x=f32[M,N]", {"M": 16384, "N": 8192}),
    "middle_mean": ("x=bf16[B,T,D]", {"B": 64, "T": 2048, "D": 1024}),
    "column_variance": ("x=f32[M,N]", {"M": 16384, "N": 4096}),
    "row_standardize": ("x=f32[M,N]", {"M": 16384, "N": 8192}),
    "global_norm": ("x=f32[N]", {"N": 1 << 27}),
    "count_positive": ("x=bf16[M,N]", {"M": 16384, "N": 16384}),
    "masked_mean": ("x=f32[B,T,D],mask=bool[B,T]", {"B": 64, "T": 1024, "D": 1024}),
    "biased_softmax": ("scores=bf16[B,H,S,T],bias=bf16[H,S,T]", {"B": 8, "H": 16, "S": 1024, "T": 1024}),
    "softcap_softmax": ("scores=f32[M,N]", {"M": 32768, "N": 2048}),
    "padded_softmax": ("scores=f32[B,S,T],lengths=i64[B]<2048", {"B": 32, "S": 1024, "T": 2048}),
    "entropy": ("logits=f32[M,N]", {"M": 8192, "N": 16384}),
    "half_softmax": ("x=bf16[M,N]", {"M": 65536, "N": 2048}),
    "gated_rms_norm": ("x=bf16[M,N],gate=bf16[M,N],weight=bf16[N]", {"M": 16384, "N": 4096}),
    "head_rms_norm": ("q=bf16[M,H,D],weight=bf16[D]", {"M": 16384, "H": 32, "D": 128}),
    "residual_layer_norm": (
        "x=f32[M,N],residual=f32[M,N],weight=f32[N],bias=f32[N]",
        {"M": 16384, "N": 4096},
    ),
    "batch_norm_train": ("x=f32[B,C,H,W],weight=f32[C],bias=f32[C]", {"B": 32, "C": 128, "H": 128, "W": 128}),
    "channel_norm": ("x=f32[B,C,H,W],weight=f32[C],bias=f32[C]", {"B": 32, "C": 256, "H": 96, "W": 96}),
    "normalize": ("x=bf16[M,N]", {"M": 262144, "N": 768}),
    "cosine_similarity": ("x=f32[M,N],y=f32[M,N]", {"M": 65536, "N": 1024}),
    "weight_norm": ("direction=f32[M,N],magnitude=f32[M,1]", {"M": 16384, "N": 4096}),
    "mean_squared_error": ("x=f32[N],target=f32[N]", {"N": 1 << 26}),
    "smooth_l1": ("x=bf16[M,N],target=bf16[M,N]", {"M": 16384, "N": 8192}),
    "focal_loss": ("logits=f32[M,N],target=f32[M,N]", {"M": 65536, "N": 1024}),
    "smoothed_cross_entropy": ("logits=bf16[M,V],labels=i64[M]<32000", {"M": 16384, "V": 32000}),
    "triplet_loss": ("anchor=f32[M,N],positive=f32[M,N],negative=f32[M,N]", {"M": 65536, "N": 512}),
    "embedding": ("tokens=i64[B,T]<32000,table=bf16[V,D]", {"B": 16, "T": 4096, "V": 32000, "D": 2048}),
    "select_rows": ("x=f32[M,N],rows=i64[K]<65536", {"M": 65536, "N": 1024, "K": 65536}),
    "column_running_sum": ("x=f32[M,N]", {"M": 4096, "N": 16384}),
    "running_maximum": ("x=f32[M,N]", {"M": 16384, "N": 4096}),
    "alpha_composite": ("alpha=f32[M,N],color=f32[M,N]", {"M": 524288, "N": 128}),
    "dequantize": ("x=i8[M,N],scale=f32[M,1]", {"M": 16384, "N": 8192}),
    "quantize_groups": ("x=bf16[M,N]", {"M": 16384, "N": 8192}),
    "adamw_step": ("parameter=f32[N],gradient=f32[N],average=f32[N],square=f32[N]", {"N": 1 << 25}),
    "momentum_step": ("parameter=bf16[N],gradient=bf16[N],momentum=bf16[N]", {"N": 1 << 27}),
    "lion": ("parameter=f32[N],gradient=f32[N],momentum=f32[N]", {"N": 1 << 26}),
    "moving_average": ("average=f32[N],parameter=f32[N]", {"N": 1 << 26}),
}

# Inputs that stand for probabilities, and are drawn from [0, 1).
PROBABILITIES = {"alpha", "target", "square"}

# Programs that write to their arguments, which have no gradient.
IN_PLACE = {"adamw_step", "momentum_step"}

# Programs that draw random numbers of their own: their results cannot be compared with PyTorch's.
RANDOM = {"dropout_add"}

# Positions of inputs that have no gradient in use: rotary's tables, running statistics, targets.
CONSTANTS = {
    "rotary": (1, 2),
    "rotary_interleaved": (1, 2),
    "batch_norm": (1, 2),
    "kl_divergence": (1,),
    "mean_squared_error": (1,),
    "smooth_l1": (1,),
    "focal_loss": (1,),
    "adam": (0, 1, 2, 3),
    "lion": (0, 1, 2),
    "moving_average": (0, 1),
    "quantize_tokens": (0,),
    "quantize_groups": (0,),
    "dequantize": (1,),
}
