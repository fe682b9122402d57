# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compare.py compares: one entry for each primitive and composite, with input types."""

import convolutions
import products
from attention import ATTENTION
from fixed_sizes import FIXED
from loops import LOOPS
from recurrent import RECURRENT

FLOATS = ["f32", "f16", "bf16"]

# Of x; in several types.
UNARY = """
torch.exp(x) | x.exp2() | torch.expm1(x) | torch.sin(x) | torch.cos(x) | torch.tan(x) | torch.atan(x)
torch.sinh(x) | torch.cosh(x) | torch.tanh(x) | torch.asinh(x) | torch.erf(x) | torch.erfc(x)
-x | abs(x) | torch.sign(x) | torch.floor(x) | x.ceil() | torch.trunc(x) | torch.round(x) | torch.frac(x)
torch.isnan(x) | torch.isinf(x) | torch.isfinite(x) | torch.signbit(x) | torch.square(x) | torch.reciprocal(x + 11)
torch.sigmoid(x) | F.relu(x) | F.relu6(x) | F.hardtanh(x) | torch.sgn(x) | torch.deg2rad(x) | torch.rad2deg(x)
torch.isposinf(x) | torch.isneginf(x) | torch.nan_to_num(x) | torch.nan_to_num(x / 0) | torch.nan_to_num(x / 0 * 0, nan=0.5, neginf=-1.0) | torch.logical_not(x) | x.clamp(-1, 1) | x.clamp(min=0.5)
F.logsigmoid(x) | F.silu(x) | F.softplus(x) | F.softplus(x, 2.0, 1.0) | F.mish(x)
F.elu(x) | F.elu(x, 0.5) | F.selu(x) | F.celu(x, 1.5) | F.leaky_relu(x, 0.2) | F.rrelu(x) | F.hardsigmoid(x) | F.hardswish(x)
F.hardshrink(x) | F.softshrink(x) | F.softsign(x) | F.tanhshrink(x) | F.threshold(x, 0.5, 2.0) | torch.sinc(x)
x + 1 | x * 2 | x - 1.5 | 2 - x | 1 / (x + 20) | x / 3 | x // 2 | x % 3 | x % -2.5 | x ** 2 | x ** 3 | x > 0.5 | x == 1 | x != 0 | x <= -1
torch.fmod(x, 3) | torch.div(x, 2, rounding_mode='trunc') | torch.div(x, 2, rounding_mode='floor') | torch.heaviside(x, x)
x.to(torch.float16) | x.to(torch.bfloat16) * 3 | x.double() | x.int() | x.long() | x.bool() | x.half().float() | x.to(torch.int8)
torch.zeros_like(x) | torch.ones_like(x) | torch.full_like(x, 2) | x.clone() | x.float().type_as(x) | ~(x > 0) | x.new_zeros(3, 2) | torch.where(x > 0, x, 0)
"""

# Of x alone where it must be positive or within (-1, 1).
POSITIVE = "torch.log(x) | torch.log2(x) | torch.log10(x) | torch.log1p(x) | torch.sqrt(x) | torch.rsqrt(x) | torch.lgamma(x) | x ** 0.5 | x ** -0.5 | x ** -1 | x ** -2 | x ** 1.7 | 2 ** x | torch.acosh(x + 1) | torch.special.gammaln(x)"
UNIT = "torch.asin(x) | torch.acos(x) | torch.atanh(x) | torch.logit(x.abs(), 0.1)"

BINARY = """
x + y | x - y | x * y | x / y | x // y | x % y | torch.maximum(x, y) | torch.minimum(x, y) | torch.fmax(x, y) | torch.fmin(x, y)
torch.atan2(x, y) | torch.copysign(x, y) | x == y | x != y | x < y | x <= y | x > y | x >= y | torch.hypot(x, y) | torch.logaddexp(x, y)
torch.logaddexp2(x, y) | torch.xlogy(x, y) | torch.add(x, y, alpha=2) | torch.sub(x, y, alpha=0.5) | torch.lerp(x, y, 0.3) | torch.lerp(x / 0, y, 0.8) | torch.lerp(x, y / 0, 0.8) | torch.fmod(x, y)
torch.logical_and(x, y) | torch.logical_or(x, y) | torch.logical_xor(x, y) | torch.isclose(x, y) | torch.where(x > y, x, y) | torch.max(x, y) | torch.min(x, y)
torch.floor_divide(x, y) | torch.true_divide(x, y) | torch.rsub(x, y) | torch.div(x, y, rounding_mode='trunc')
"""

BITS = "x & y | x ^ y | torch.bitwise_or(x, y) | ~x | x << 2 | x >> 1 | torch.bitwise_left_shift(x, y.abs())"

REDUCTIONS = """
x.sum() | x.sum(0) | x.sum(-1, keepdim=True) | x.sum(dim=(0, 2)) | x.sum((-1, 0), True) | x.prod(1) | x.prod()
x.amax(1) | x.amax((0, 2)) | torch.amin(x, dim=-1, keepdim=True) | x.max() | x.min() | x.max(dim=1) | x.min(2, keepdim=True) | torch.max(x, 0).values | torch.max(x, 0)[1]
x.argmax() | x.argmax(1) | torch.argmin(x, dim=-1, keepdim=True) | x.argmax(keepdim=True) | (x > 1).any() | (x > 1).any(1) | (x > -9).all(-1) | x.any() | x.all(0, keepdim=True)
x.cumsum(1) | torch.cumsum(x, dim=-1) | x.cumsum(0) | torch.count_nonzero(x) | torch.count_nonzero(x, 1) | torch.aminmax(x, dim=1) | x.nansum(1)
torch.cummax(x, 1) | x.cummin(-1) | torch.cummax(x, dim=0).indices | torch.aminmax(x).min | x.aminmax(dim=0, keepdim=True).max | x.sum(axis=0)
"""

FLOAT_REDUCTIONS = """
x.mean() | x.mean(1) | x.mean(dim=(1, 2), keepdim=True) | torch.mean(x, -1) | x.var() | x.var(1) | x.var(dim=(0, 1), unbiased=False) | x.var(1, False) | x.var(0, correction=0, keepdim=True)
x.std() | x.std(2, keepdim=True) | torch.var_mean(x, 1) | torch.std_mean(x, dim=0, correction=0) | x.norm() | x.norm(dim=1) | x.norm(p=1, dim=-1) | x.norm(float('inf'), 1) | x.norm(3, dim=2, keepdim=True) | torch.norm(x, 2)
torch.logsumexp(x, 1) | torch.logsumexp(x, (0, 2), keepdim=True) | x.logcumsumexp(1) | (x * 1000).logcumsumexp(0) | torch.where(x > 1, float('inf'), x).logcumsumexp(1) | torch.where(x < 1, -float('inf'), x).logcumsumexp(2) | x.cumprod(1) | x.nanmean(1) | x.mean(dtype=torch.float64)
F.softmax(x, -1) | x.softmax(1) | torch.softmax(x, dim=0) | F.log_softmax(x, 2) | x.log_softmax(1) | F.softmin(x, 1) | F.softmax(x, 1, dtype=torch.float32) | F.softmax(x, 1, dtype=torch.float64)
F.layer_norm(x, (4,)) | F.layer_norm(x, x.shape[1:]) | F.rms_norm(x, (4,)) | F.rms_norm(x, [3, 4], eps=1e-3) | F.normalize(x) | F.normalize(x, dim=-1) | F.glu(x) | F.instance_norm(x)
x - x.mean(-1, keepdim=True) | x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) | torch.exp(x - x.amax(1, True)).sum(1)
"""

# Sorts are stable: equal elements and NaN keep their order.
SORTS = """
torch.sort(x) | x.sort() | x.sort(1) | torch.sort(x, dim=0, descending=True) | x.sort(-1, True) | torch.sort(x, stable=True, dim=1) | x.sort(stable=True, descending=True) | torch.sort(x, dim=1).values | x.sort(0)[1]
torch.argsort(x) | x.argsort(dim=1, descending=True) | torch.argsort(x, stable=True) | torch.msort(x) | x.msort() | torch.sort(x, dim=3) | torch.argsort(x, -4) | torch.mode(x) | x.mode(1, keepdim=True) | torch.mode(x, 0).values
"""

# The positions of equal elements are PyTorch's own choice here: only of values that differ.
RANKS = """
x.topk(2) | torch.topk(x, 1, dim=1) | x.topk(2, 0, largest=False) | torch.topk(x, k=3, dim=-1, largest=True, sorted=True) | x.topk(5) | x.topk(2, 3) | x.topk(0) | x.topk(-1) | torch.topk(x, x.shape[-1] // 2)
x.median() | x.median(1) | torch.median(x, dim=-1, keepdim=True) | x.nanmedian() | x.nanmedian(0) | torch.nanmedian(x, 2, True) | x.median(dim=3)
x.kthvalue(1) | torch.kthvalue(x, 2, dim=1) | x.kthvalue(3, -1, keepdim=True) | x.kthvalue(0) | x.kthvalue(5)
"""

QUANTILES = """
x.quantile(0.5) | torch.quantile(x, 0.25, dim=1) | x.quantile(0.9, -1, keepdim=True) | torch.quantile(x, y) | torch.quantile(x, y, dim=0) | torch.quantile(x, y, 1, True) | x.quantile(y[0], dim=2) | x.quantile(y, keepdim=True) | x.quantile(0.3, keepdim=True)
x.quantile(0.4, 1, interpolation='lower') | x.quantile(0.4, 1, interpolation='higher') | x.quantile(0.3, 2, interpolation='nearest') | x.quantile(y, 2, interpolation='midpoint') | x.quantile(1.5) | x.quantile(0.5, interpolation='cubic') | x.quantile(0.5, 3)
torch.nanquantile(x, 0.5) | x.nanquantile(y, dim=1) | torch.nanquantile(x, 0.7, dim=-1, keepdim=True) | x.nanquantile(0.2, 2, interpolation='nearest')
"""

VIEWS = """
x.view(2, 12) | x.view(-1) | x.view(6, -1) | x.reshape(4, 3, 2) | x.reshape((2, -1)) | x.reshape(x.shape[0], -1) | x.view(x.size(0), -1, 2) | torch.reshape(x, (24,))
x.transpose(0, 1) | x.permute(2, 0, 1) | torch.permute(x, (1, 2, 0)) | x.mT | x[0].T | x[0].t() | x.swapaxes(0, 2) | torch.movedim(x, 0, -1) | x.movedim((0, 1), (1, 2)) | x.transpose(1, 2).reshape(2, -1)
x.unsqueeze(0) | x.unsqueeze(-1) | x.unsqueeze(1).squeeze(1) | x[None].squeeze(0) | x[:, :1].squeeze() | x.flatten() | x.flatten(1) | torch.flatten(x, 0, 1) | x.unflatten(2, (2, 2)) | x.unflatten(-1, (-1, 2)) | x.ravel()
x[0] | x[-1] | x[:, 1] | x[..., 0] | x[1:] | x[:-1] | x[:, ::2] | x[..., 1::2] | x[:, None] | x[0, 1, 2] | x[:, -2:] | x[:, 1:2, 3] | x[..., None, :] | x[:, 5:] | x[:, :100]
x.narrow(1, 1, 2) | x.select(2, 1) | x[0].expand(5, 3, 4) | x[:, :1].expand(-1, 3, -1) | x[:1].expand_as(x) | torch.broadcast_to(x, (2, 2, 3, 4))
torch.cat([x, x]) | torch.cat((x, x + 1), dim=-1) | torch.cat([x, x[:, :1]], 1) | torch.stack([x, x]) | torch.stack((x, x), -1) | torch.stack([x, x], dim=1) | torch.hstack([x, x]) | torch.vstack([x, x])
x.chunk(2, -1)[0] * x.chunk(2, -1)[1] | x.chunk(2, dim=1) | torch.split(x, 2, dim=-1) | x.split([1, 2], 1) | x.split(2, 1) | x.unbind(0) | torch.unbind(x, 1) | torch.tensor_split(x, 3, 2)
x.flip(0) | torch.flip(x, [0, 2]) | x.flip(-1, 1) | torch.fliplr(x) | x.roll(1) | torch.roll(x, 2, 1) | torch.roll(x, (1, -1), (0, 2)) | x.repeat(2, 1, 1) | x.repeat(2, 2, 1, 3) | torch.tile(x, (2,)) | x.tile(2, 1) | x.repeat_interleave(2, 1) | torch.rot90(x)
F.pad(x, (1, 2)) | F.pad(x, (1, 0, 2, 1)) | F.pad(x, (0, 1), value=3) | F.pad(x, (-1, 1)) | torch.tril(x) | torch.triu(x, 1) | x.tril(-1) | torch.diff(x) | x.contiguous() | x.masked_fill(x > 1, 0) | x.masked_fill(x[0] > 0, -1)
x * int(0.5 * x.shape[2]) | x[: math.ceil(x.shape[1] / 2)] | x * math.floor(2.5 * x.shape[2] / 3) | x / x.abs().max().item() | x * float(x.sum()) | x + int(torch.tensor([3, 4]).prod()) | x * torch.linspace(0, 1, 5)[1].item() | x + sum(torch.arange(4).tolist()) | x + torch.Tensor([1, 2, 3, 4]) | torch.FloatTensor([2.5]) * x | x.size(0) * x | x.numel() + x | x / x.shape[-1] | x * x.dim() | x * math.sqrt(x.shape[1]) | x / x.shape[2] ** 0.5 | x.view_as(x.flatten(1)) | len(x) * x
x.diagonal(0, 1, 2) | torch.diagonal(x, offset=1, dim1=-2, dim2=-1) | x.diagonal(-1, 2, 1) | x.diagonal(offset=3, dim1=0, dim2=2) | torch.diag(x[0, 0]) | torch.diag(x[0], 1) | torch.diag_embed(x[0]) | torch.diag_embed(x, 1, 0, 2) | torch.diagflat(x[0, 0], -1) | torch.trace(x[0])
x.unfold(2, 2, 1) | x.unfold(-1, 3, 2) | x.unfold(1, 2, 2) | x[0, 0].unfold(0, 4, 1) | x.flip(dims=(0, 1)) | torch.flip(x, dims=[-1]) | x.fliplr() | torch.flipud(x) | x.view(size=(4, 6)) | x.reshape(shape=(6, 4)) | x.permute(dims=(2, 0, 1)) | x[:, :1].expand(size=(2, 3, 4))
x.hsplit(3) | torch.vsplit(x, 2) | x.dsplit([1, 3]) | torch.dstack([x[0], x[0]]) | torch.column_stack([x[0, 0], x[0, 1]]) | torch.atleast_2d(x[0, 0]) | torch.atleast_3d(x[0]) | torch.atleast_1d(x.sum())
F.pad(x, (1, 2), mode='reflect') | F.pad(x, (1, 1), 'replicate') | F.pad(x, (2, 1), mode='circular') | F.pad(x, (1, 1, 1, 2), 'reflect') | F.pad(x, (4, 0), 'reflect') | F.pad(x, (2, 2, 2, 2), mode='replicate') | F.pad(x, (1, 0, 3, 1), mode='circular')
torch.select_scatter(x, x[:, 0], 1, 2) | torch.slice_scatter(x, x[:, :1], 1, 1, 2) | torch.diagonal_scatter(x[0], x[0, 0, :3]) | x[[0, 1], [2, 0]] | x[:, [0, 2], [1, 1]] | x[[0, 1], :, [3, 2]] | x[[[0], [1]], [0, 2]] | x[[-1, 0], [0, -2], 1]
torch.take_along_dim(x, x[:, :, :1].long() * 0 + 1, 2) | x.index_fill(1, torch.tensor([0, 2]), 5) | torch.tril_indices(3, 4, -1) | torch.triu_indices(3, 3) | x.new_tensor([1, 2]) | F.channel_shuffle(x.reshape(1, 6, 2, 2), 3) | F.pixel_shuffle(x.reshape(1, 4, 2, 3), 2) | F.pixel_unshuffle(x, 1)
"""

# Several statements, and programs that write in place; (text, inputs).
PROGRAMS = [
    (
        "x.sort(), x.topk(1), x.kthvalue(1, 0), x.median(0), x.median(), x.argsort(), x.mode(), x.quantile(0.5), x.nanmedian(-1)",
        ["f32[]"],
    ),
    ("x.sort(1), x.argsort(0), x.topk(0, 0)", ["f32[0,3]"]),
    ("x.median(0)", ["f32[0,3]"]),
    ("x.topk(1, 0)", ["f32[0,3]"]),
    ("x.nanmedian(1), x.median(1), x.sort(1)", ["f32[2,9]odd"]),
    ("x.topk(4).values, x.topk(6, largest=False).values, x.kthvalue(5).values, x.median().view(1)", ["i64[3,7]"]),
    ("x.topk(3).values, x.median(0).values, x.kthvalue(2).values", ["bf16[3,7]"]),
    (
        "y = torch.msort(y)\ntorch.bucketize(x, y), torch.bucketize(x, y, right=True), torch.bucketize(x, y, out_int32=True)",
        ["f32[3,4]odd", "f32[5]"],
    ),
    (
        "y = y.sort()[0]\ntorch.bucketize(x, y), torch.searchsorted(y, x, right=True), torch.searchsorted(y, x[0], side='left')",
        ["i64[3,4]", "i64[5]"],
    ),
    (
        "y, w = torch.sort(y)\ntorch.searchsorted(y, x), torch.searchsorted(y, x, out_int32=True, side='right')",
        ["f32[3,4]odd", "f32[3,5]"],
    ),
    ("torch.searchsorted(y, x, sorter=y.argsort())", ["f32[3,4]", "f32[3,5]"]),
    ("torch.searchsorted(y, x, right=True, side='left')", ["f32[4]", "f32[5]"]),
    ("torch.searchsorted(x.sort()[0], 0.5), torch.bucketize(0.5, x.sort()[0])", ["f32[5]"]),
    ("a, b = x.softmax(-1).topk(2)\na / a.sum(-1, keepdim=True), b", ["f32[6,8]"]),
    (
        "p, i = torch.sort(x.softmax(-1), descending=True)\np.masked_fill(p.cumsum(-1) - p > 0.8, 0).gather(-1, i.argsort(-1))",
        ["f32[3,9]"],
    ),
    ("x.sort(dim=1).values[:, 1:-1].mean(1)", ["f32[3,9]"]),
    ("F.pad(x, (1, 1)).unfold(1, 3, 1).median(-1).values", ["f32[3,9]"]),
    # Writes to places that are data: sums are in order, of what meets one place the last stays.
    ("x.index_add(0, y, z)", ["f32[4,5]", "i64[6]<4", "f32[6,5]"]),
    ("torch.index_add(x, 1, y, z, alpha=2), x.index_add(-1, y, z, alpha=-0.5)", ["f32[4,5]", "i64[6]<5", "f32[4,6]"]),
    ("x.index_add(1, y, z)", ["bf16[3,4,2]", "i32[5]<4", "bf16[3,5,2]"]),
    ("x.index_add(0, y, z), x.index_add(0, y, z, alpha=3)", ["i64[4]", "i64[6]<4", "i64[6]"]),
    ("x.index_add(0, y, z)", ["u8[4]", "i64[6]<4", "u8[6]"]),
    ("x.index_add_(0, y, z)\nx * 2", ["f32[4,5]", "i64[6]<4", "f32[6,5]"]),
    ("x.index_add(0, y, z)", ["f32[4,5]", "i64[6]<4", "f64[6,5]"]),
    ("x.index_add(0, y, z)", ["f32[4,5]", "i64[7]<4", "f32[6,5]"]),
    ("x.index_copy(0, y.argsort(), z)", ["f32[4,5]", "f32[4]", "f32[4,5]"]),
    (
        "x.index_copy(1, y.argsort()[:2], z)\nx.index_copy_(1, y.argsort()[2:], z)\nx",
        ["i64[3,4]", "f32[4]", "i64[3,2]"],
    ),
    ("x.index_fill(0, y, 7), x.index_fill(1, y, -1.5)", ["f32[4,5]", "i64[2]<4"]),
    (
        "x.index_reduce(0, y, z, 'amax'), x.index_reduce(0, y, z, 'mean', include_self=False), x.index_reduce(0, y, z, 'prod')",
        ["f32[4,5]", "i64[6]<4", "f32[6,5]"],
    ),
    ("x.scatter_add(1, y, z), torch.scatter_add(x, 0, y, z)", ["f32[4,5]", "i64[4,5]<4", "f32[4,5]"]),
    ("x.scatter_add(1, y, z)", ["f32[4,5]", "i64[3,7]<5", "f32[4,8]"]),
    ("x.scatter_add(0, y, z)", ["i32[4,5]", "i64[6,3]<4", "i32[6,5]"]),
    ("x.scatter_add(0, y, z)", ["f16[4]", "i64[9]<4", "f16[9]"]),
    ("x.scatter_add(0, y, z)", ["f32[4,5]", "i64[6]<4", "f32[6,5]"]),
    ("x.scatter(1, y.argsort(1), y), x.scatter(1, y.argsort(1), value=2.5)", ["f32[3,4]", "f32[3,4]"]),
    (
        "x.scatter(0, y, 1.0), torch.scatter(x, 0, y, 3), x.scatter(0, y, 2, reduce='multiply')",
        ["f32[4,5]", "i64[2,3]<4"],
    ),
    (
        "x.scatter(1, y.argsort(1)[:, :2], z), x.scatter_(1, y.argsort(1)[:, 2:], z)\nx",
        ["i64[3,4]", "f32[3,4]", "i64[3,2]"],
    ),
    ("torch.zeros(x.shape[0], 5).scatter_(1, x, 1)", ["i64[6,1]<5"]),
    ("x.scatter(0, y, z, reduce='add')", ["f32[4,5]", "i64[6,3]<4", "f32[6,5]"]),
    (
        "[x.scatter_reduce(0, y, z, r, include_self=s) for r in ('sum', 'prod', 'mean', 'amax', 'amin') for s in (True, False)]",
        ["f32[4,5]", "i64[6,3]<4", "f32[6,5]"],
    ),
    (
        "[x.scatter_reduce(1, y, z, r) for r in ('sum', 'prod', 'mean', 'amax', 'amin')]",
        ["i64[4,5]", "i64[4,6]<5", "i64[4,6]"],
    ),
    ("x.scatter_reduce(0, y, z, 'amax')", ["f32[4]", "i64[9]<4", "f32[9]odd"]),
    ("x.scatter_reduce(0, y, z, 'median')", ["f32[4]", "i64[9]<4", "f32[9]"]),
    ("x[y] = z\nx", ["f32[4,5]", "i64[1]<4", "f32[1,5]"]),
    ("x[y.argsort()] = z\nx", ["f32[4,5]", "f32[4]", "f32[5]"]),
    ("x[:, y.argsort()[:2]] = 3\nx", ["f32[4,5]", "f32[5]"]),
    ("x[..., y.argsort()[:2]] = z\nx", ["f32[4,2,5]", "f32[5]", "f32[2]"]),
    ("x[y] += 1\nx", ["f32[4,5]", "i64[6]<4"]),
    ("x[y, z] = 0\nx", ["f32[4,5]", "i64[6]<4", "i64[6]<4"]),
    ("x[torch.arange(3), y] = x.sum(1)\nx", ["f32[3,5]", "i64[3]<5"]),
    ("x[1:, y, 0] = 2\nx[[0, 2], -1] = 5\nx", ["f32[3,5,2]", "i64[3]<5"]),
    ("x[-y - 1] = 9\nx", ["i64[6]", "i64[3]<6"]),
    (
        "x.index_put((y, z), w), x.index_put((y,), w[0], accumulate=True), x.index_put((y, z), w, accumulate=True)",
        ["f32[4,5]", "i64[1]<4", "i64[1]<4", "f32[1]"],
    ),
    ("x.index_put((y, z), w, accumulate=True)", ["f32[4,5]", "i64[6]<4", "i64[6]<4", "f32[6]"]),
    ("x.index_put_((y,), w, True)\nx", ["f32[4,5]", "i64[2,3]<4", "f32[2,3,5]"]),
    ("x.index_put((x > 0,), y)", ["f32[4,5]", "f32[1]"]),
    ("x[x > 0] = y\nx", ["f32[4,5]", "f32[1]"]),
    ("x[y] = z\nx", ["f32[4,5]", "bool[4]", "f32[5]"]),
    ("x[y, 0].sum(), x[0, z].mean(), x[y, 1:].sum(0), x[..., -1][y].sum()", ["f32[4,5]", "bool[4]", "bool[5]"]),
    ("x[y, 0] = 7\nx[2, z] = -1\nx[1:, z] = 1\nx[y, None, 2:4] = 3\nx", ["f32[4,5]", "bool[4]", "bool[5]"]),
    ("x[y, :, -1] = z\nx[0, ..., w] = 2\nx", ["f32[4,3,5]", "bool[4]", "f32[3]", "bool[5]"]),
    ("x[y, 1] *= 2\nx[y, 2] = x[y, 2] + 1\nx[w, 3] = z[:, 3]\nx", ["f32[4,5]", "bool[4]", "f32[4,5]", "bool[4]"]),
    ("x[y, 0] = z\nx", ["f32[4,5]", "bool[4]", "f32[1]"]),
    ("x[:, y] = 9\nx[..., y] = 8\nx[z, :] = 5\nx[:, 1:][:, y[1:]] = 4\nx", ["f32[4,5]", "bool[5]", "bool[4]"]),
    ("x[[True, False, True, False]] = 3\nx[:, [True, False, True, False, True]] = 1\nx", ["f32[4,5]"]),
    ("x[:, y > 0] = 3\nx[y > 0, :] = 2\nx[..., 0, :, y > 0] = 1\nx", ["f32[4,4,4,4]", "f32[4,4]"]),
    ("x[:, y > 0] = x.mean()\nx[:, (x > 0).any(0)] = 2\nx[z, ...] = y\nx", ["f32[4,5]", "f32[5]", "bool[4]"]),
    ("x[[True, False]] = 3\nx", ["f32[4,5]"]),
    ("torch.hypot(x, x.roll(1)), torch.hypot(x.roll(2), x)", ["f32[8]odd"]),
    ("x * 2 if x.get_device() == y.get_device() else x", ["f32[4]", "f32[4]"]),
    ("with torch.device(x.device):\n    w = torch.arange(4) + torch.ones(())\nx * w", ["f32[4]"]),
    ("torch.stack([x[t] for t in range(x.shape[0])[::-1]]), x[range(x.shape[0])[-1]]", ["f32[N4,3]"]),
    ("x[[True, False, True, False]].sum(0)", ["f32[4,5]"]),
    ("x[y, 7] = 1\nx", ["f32[4,5]", "bool[4]"]),
    ("x[0, y] = 1\nx", ["f32[4,5]", "bool[4]"]),
    ("x[y, 0, 0] = 1\nx", ["f32[4,5]", "bool[4]"]),
    ("x.masked_scatter(y, z), torch.masked_scatter(x, y[0], z)", ["f32[4,5]", "bool[4,5]", "f32[25]"]),
    ("x.put(y, z), x.put(y, z, accumulate=True), x.take(y)", ["f32[4,5]", "i64[1,1]<20", "f32[1,1]"]),
    ("x.put_(y - 20, z, accumulate=True)\nx", ["f32[4,5]", "i64[6]<20", "f32[6]"]),
    ("torch.bincount(x, minlength=7), x.bincount(minlength=9), torch.bincount(x, x * 0.5, 7)", ["i64[30]<7"]),
    ("torch.bincount(x, y, minlength=7)", ["i32[30]<7", "f64[30]"]),
    ("torch.bincount(x, minlength=7)", ["f32[30]"]),
    ("torch.histc(x, bins=8, min=-2, max=2), x.histc(5), torch.histc(x, 4, 0, 0)", ["f32[40]"]),
    ("F.embedding(x, y, padding_idx=0)", ["i64[3,4]<6", "f32[6,5]"]),
    (
        "[F.embedding_bag(y, x, mode=m) for m in ('mean', 'sum', 'max')], F.embedding_bag(y, x, mode='sum', per_sample_weights=z)",
        ["f32[7,3]", "i64[2,4]<7", "f32[2,4]"],
    ),
    (
        "[F.embedding_bag(y, x, torch.tensor([0, 2, 2, 5]), mode=m) for m in ('mean', 'sum', 'max')]",
        ["f32[7,3]", "i64[9]<7"],
    ),
    (
        "F.embedding_bag(y, x, torch.tensor([0, 4, 9]), include_last_offset=True), F.embedding_bag(y, x)",
        ["f32[7,3]", "i64[9]<7"],
    ),
    ("F.embedding_bag(y, x, torch.tensor([0, 4, 9]), include_last_offset=True)", ["f32[7,3]", "i64[9]<7"]),
    (
        "torch.zeros(6, x.shape[1]).index_add_(0, y[1], x[y[0]]) / torch.bincount(y[1], minlength=6).clamp(min=1)[:, None]",
        ["f32[6,3]", "i64[2,9]<6"],
    ),
    # PyTorch's vector code gives NaN for gelu(inf), its scalar code inf; so finite numbers only.
    ("F.gelu(x)", ["f32[4,6]"]),
    ("F.gelu(x)", ["bf16[4,6]"]),
    ("F.gelu(x)", ["i64[4,6]"]),
    ("F.gelu(x, approximate='tanh')", ["f32[4,6]"]),
    ("F.gelu(x, approximate='tanh')", ["f16[4,6]"]),
    ("x.split(split_size=[1, 4], dim=-1), torch.split(x, split_size_or_sections=2)", ["f32[4,5]"]),
    ("x.expand(-1, 3, 4, 5)", ["f32[4,5]"]),
    ("x.expand(3, -1, -1)", ["f32[4,5]"]),
    ("x += 1\nx", ["f32[4,5]"]),
    ("y = x.transpose(1, 2).reshape(x.shape[0], -1)\ny *= 2\ny, x", ["f32[2,3,4]"]),
    ("y = x.flatten(1)\ny += 1\ny, x", ["f32[2,3,4]"]),
    ("y = x.flatten()[:-1].view(3, 5)[:, 1:].flatten()\ny.pow_(2)\ny, x", ["f32[4,4]"]),
    ("y = x.permute(1, 2, 0).reshape(12, 2)\ny.zero_()\ny, x", ["f32[2,3,4]"]),
    ("y = x[:, :2].reshape(2, 8)\ny.neg_()\ny, x", ["f32[2,3,4]"]),
    ("y = x[1:].reshape(-1)\ny.neg_()\ny, x", ["f32[3,3,4]"]),
    ("y = x.transpose(0, 1).reshape(3, 2, 2, 2)\ny.neg_()\ny, x", ["f32[2,3,4]"]),
    ("y = x.unsqueeze(1).expand(2, 3, 4).reshape(6, 4)\ny.neg_()\ny, x", ["f32[2,4]"]),
    ("y = x[:, ::2].unflatten(0, (2, 2))\ny.mul_(3)\ny, x", ["f32[4,6]"]),
    ("x[:, 0] = 7\nx", ["f32[4,5]"]),
    ("x[1:3] *= 2\nx * 1", ["f32[4,5]"]),
    ("x[:, ::2] = y\nx", ["f32[4,6]", "f32[4,3]"]),
    ("x[..., 1::2] += 1\nx", ["i64[3,7]"]),
    ("v = x.t()\nv[0] = 3\nx", ["f32[4,5]"]),
    ("v = x.view(-1)\nv[3:7] = 0\nx + 0", ["f32[4,5]"]),
    ("v = x[1]\nv.mul_(2)\nx.sum()", ["f32[4,5]"]),
    ("w = x.clone()\nw.zero_()\nx + w", ["f32[4,5]"]),
    ("x[x > 0] = 0\nx", ["f32[4,5]"]),
    ("w = torch.zeros(4, 5)\nw[1] = x\nw[:, 2] = 1\nw", ["f32[5]"]),
    ("x.add_(y).relu_()\nx", ["f32[4,5]", "f32[5]"]),
    ("x.copy_(y)\nx", ["f16[4]", "f32[4]"]),
    ("x.clamp_(min=0)\nx + 1", ["f32[7]"]),
    ("x //= 2\nx", ["i32[7]"]),
    ("x /= 2\nx", ["i32[7]"]),
    ("x += 1.5\nx", ["i32[7]"]),
    ("y = F.relu(x, inplace=True)\ny + x", ["f32[7]"]),
    ("a, b = x.chunk(2, dim=-1)\nF.silu(a) * b", ["f32[4,6]"]),
    ("a, b = x.split(x.shape[-1] // 2, dim=-1)\ntorch.cat([-b, a], -1)", ["f32[4,6]"]),
    (
        "h = x.shape[-1] // 2\na = x[..., :h]\nb = x[..., h:]\nx * 2 + torch.cat((-b, a), dim=-1)",
        ["f32[4,6]"],
    ),
    (
        "b, t, c = x.shape\nx.view(b, t, 2, c // 2).transpose(1, 2).reshape(b, 2, -1)",
        ["f32[2,3,4]"],
    ),
    (
        "out = []\nfor i in range(3):\n    out.append(x * i)\ntorch.stack(out).sum(0)",
        ["f32[4]"],
    ),
    (
        "total = 0\nfor row in [x, y]:\n    total = total + row\ntotal",
        ["f32[4]", "f32[4]"],
    ),
    ("sum([x, y, x])", ["f32[4]", "f32[4]"]),
    (
        "m = torch.arange(x.shape[1]) <= torch.arange(x.shape[0])[:, None]\nx.masked_fill(~m, float('-inf')).softmax(-1)",
        ["f32[5,5]"],
    ),
    ("n = x.size(0)\nx * torch.arange(n, dtype=torch.float32)", ["f32[5]"]),
    ("torch.arange(0, 1, 0.25) + x", ["f32[4]"]),
    ("torch.arange(x.shape[0] - 1, -1, -1.0) * x, torch.arange(0.0, x.size(0), 2.0)", ["f32[5]"]),
    ("torch.arange(10, 2, -2) + x", ["i64[4]"]),
    ("torch.linspace(-1, 1, 5) * x", ["f32[5]"]),
    ("torch.eye(3) * x", ["f32[3]"]),
    ("torch.tensor([1.0, 2.0, 4.0]) * x", ["f32[3]"]),
    ("torch.tensor([[1, 2], [3, 4]]) + x", ["i32[2]"]),
    ("torch.tensor(2) * x", ["i32[2]"]),
    ("torch.tensor(2.0) * x", ["f16[2]"]),
    ("torch.full((2, 3), 1.5) + x", ["f32[3]"]),
    ("x[y]", ["f32[7,3]", "i64[4]<7"]),
    ("x[:, y]", ["f32[3,7]", "i64[2,4]<7"]),
    ("torch.gather(x, 1, y)", ["f32[3,7]", "i64[3,4]<7"]),
    ("x.index_select(0, y)", ["f32[7,3]", "i64[4]<7"]),
    ("F.embedding(y, x)", ["f32[7,3]", "i64[2,4]<7"]),
    ("torch.addcmul(x, y, z, value=0.5)", ["f32[4,5]", "f32[5]", "f32[4,1]"]),
    ("torch.add(x, y, alpha=2), torch.sub(x, y, alpha=3), torch.rsub(y, x, alpha=2)", ["f32[4]", "i8[4]<100"]),
    ("torch.add(x, y, alpha=1000), torch.rsub(y, x, alpha=3), x.clone().add_(y, alpha=7)", ["i64[4]<100", "i8[4]<100"]),
    ("torch.sub(x, y, alpha=1e5), torch.add(x, y, alpha=0.1)", ["f64[4]", "f16[4]"]),
    ("torch.arange(end=4) + x, torch.ones_like(x, memory_format=torch.legacy_contiguous_format) + x", ["i64[4]"]),
    ("torch.addcmul(x, y, z), torch.addcmul(x, y, z, value=3)", ["f32[4]", "i8[4]<100", "i8[4]<100"]),
    ("torch.addcdiv(x, y, z, value=0.1)", ["f64[4]", "f32[4]", "f32[4]>0"]),
    ("torch.isclose(x, y, atol=20), torch.isclose(x, y, rtol=0.1, atol=20)", ["i8[64]<100", "i8[64]<100"]),
    ("torch.trapezoid(x), torch.trapezoid(x, dx=2), torch.vander(x, 4), torch.lcm(x, y)", ["i8[9]<120", "i8[9]<120"]),
    ("torch.special.xlog1py(x, y), torch.special.zeta(y + 2, x + 1)", ["i64[5]<90", "f64[5]>0"]),
    ("torch.addcdiv(x, y, z)", ["f32[4,5]", "f32[5]", "f32[4,1]>0"]),
    ("torch.lerp(x, y, z)", ["f32[4]", "f32[4]", "f32[4]"]),
    ("torch.clamp(x, y, z)", ["f32[4]", "f32[4]", "f32[4]"]),
    ("F.prelu(x, y)", ["f32[2,3,4]", "f32[3]"]),
    ("F.prelu(x, y)", ["f16[2,3]", "f16[1]"]),
    ("F.layer_norm(x, (6,), y, z)", ["f32[4,6]", "f32[6]", "f32[6]"]),
    ("F.layer_norm(x, (6,), y, z, 1e-3)", ["f16[4,6]", "f16[6]", "f16[6]"]),
    ("F.layer_norm(x, (6,), y)", ["bf16[4,6]", "bf16[6]"]),
    ("F.layer_norm(x, (5,))", ["f32[4,6]"]),
    ("F.rms_norm(x, (6,), y)", ["bf16[4,6]", "bf16[6]"]),
    ("F.group_norm(x, 2, y, z)", ["f32[3,4,5]", "f32[4]", "f32[4]"]),
    ("F.batch_norm(x, y, z)", ["f32[3,4,5]", "f32[4]", "f32[4]>0"]),
    (
        "F.batch_norm(x, y, z, w, u)",
        ["f32[3,4]", "f32[4]", "f32[4]>0", "f32[4]", "f32[4]"],
    ),
    ("F.mse_loss(x, y)", ["f32[3,4]", "f32[3,4]"]),
    ("F.l1_loss(x, y, reduction='sum')", ["f32[3,4]", "f32[3,4]"]),
    ("F.smooth_l1_loss(x, y)", ["f32[3,4]", "f32[3,4]"]),
    ("F.huber_loss(x, y, delta=0.5)", ["f32[3,4]", "f32[3,4]"]),
    (
        "F.binary_cross_entropy(torch.sigmoid(x), torch.sigmoid(y))",
        ["f32[3,4]", "f32[3,4]"],
    ),
    (
        "F.binary_cross_entropy_with_logits(x, torch.sigmoid(y))",
        ["f32[3,4]", "f32[3,4]"],
    ),
    (
        "F.kl_div(F.log_softmax(x, -1), F.softmax(y, -1), reduction='batchmean')",
        ["f32[3,4]", "f32[3,4]"],
    ),
    ("F.cosine_similarity(x, y)", ["f32[3,4]", "f32[3,4]"]),
    ("v = x.diagonal()\nv += 1\nx * 2", ["f32[4,5]"]),
    ("torch.diagonal(x, -1, 1, 0).zero_()\nx", ["f32[4,5]"]),
    ("x.fill_diagonal_(7)\nx", ["f32[5,4]"]),
    ("w = torch.empty_like(x)\ntorch.add(x, y, out=w)\nw", ["f32[4,5]", "f32[5]"]),
    ("torch.sigmoid(x, out=x)\nx", ["f32[4,5]"]),
    ("w = torch.empty(4)\ntorch.sum(x, 1, out=w)\nw", ["f32[4,5]"]),
    ("w = torch.zeros(4, 5, dtype=torch.float64)\ntorch.mul(x, 2, out=w)\nw", ["f16[4,5]"]),
    ("w = torch.zeros(4, 5, dtype=torch.int64)\ntorch.mul(x, 2.5, out=w)\nw", ["f32[4,5]"]),
    ("F.relu_(x)\ntorch.neg_(x)\nF.elu_(x)\nx", ["f32[4,5]"]),
    ("w = x * 2\nw.unsqueeze_(0).transpose_(1, 2)\nw", ["f32[4,5]"]),
    ("w = x * 2\nv = w[1:]\nv.t_()\nv, w", ["f32[4,5]"]),
    ("x[torch.arange(4), y]", ["f32[4,5]", "i64[4]<5"]),
    ("x[:, y, z]", ["f32[2,4,5]", "i64[3]<4", "i64[2,1]<5"]),
    ("x[y, :, z]", ["f32[2,4,5]", "i64[3]<2", "i64[3]<5"]),
    ("x[y, None, z]", ["f32[4,5]", "i64[3]<4", "i64[3]<5"]),
    ("torch.take_along_dim(x, y, dim=1)", ["f32[4,5]", "i64[1,3]<5"]),
    (
        "torch.unsqueeze_copy(x, 0), torch.permute_copy(x, (1, 0)), torch.expand_copy(x[:, :1], (4, 6)), torch.diagonal_copy(x), torch.select_copy(x, 1, -1), torch.t_copy(x)",
        ["f32[4,6]"],
    ),
    (
        "torch.unfold_copy(x, 1, 3, 2), torch.unbind_copy(x), torch.split_with_sizes_copy(x, [1, 3]), torch.slice_copy(x, -1, 1, None, 2), x.narrow_copy(0, 1, 2)",
        ["f32[4,6]"],
    ),
    ("x.unsafe_chunk(2), torch.unsafe_split(x, 3, 1), torch.unsafe_split_with_sizes(x, [2, 2])", ["f32[4,6]"]),
    (
        "torch.constant_pad_nd(x, (1, 2), 0.5), torch.native_channel_shuffle(x.reshape(1, 4, 2, 3), 2), torch.special.modified_bessel_i0(x), torch.frobenius_norm(x, [1], True), torch.fill(x, y[0, 0])",
        ["f32[4,6]", "f32[4,6]"],
    ),
    (
        "torch.cosine_embedding_loss(x, y, y[:, 0].sign(), 0.1, 0), torch.hinge_embedding_loss(x, y.sign(), 1.0, 2), torch.poisson_nll_loss(x, y, True, False, 1e-8, 1)",
        ["f32[4,6]", "f32[4,6]"],
    ),
    ("torch.fake_quantize_per_channel_affine(x, y.abs() + 0.1, z, 1, -4, 5)", ["f32[4,6]", "f32[6]", "i32[6]<4"]),
    (
        "torch.ops.aten.slice.Tensor(x, 1, 1, 5, 2), torch.ops.aten.max_pool2d_with_indices(x.reshape(1, 1, 4, 6), [2, 2])",
        ["f32[4,6]"],
    ),
    (
        "m = y > 0\ntorch.masked.sum(x, 1, mask=m), torch.masked.prod(x, (0, 2), mask=m), torch.masked.amax(x, 0, keepdim=True, mask=m), torch.masked.amin(x, mask=m)",
        ["f32[2,3,4]", "f32[3,4]"],
    ),
    (
        "m = y > 0\ntorch.masked.mean(x, 1, mask=m), torch.masked.std(x, (0, 2), mask=m), torch.masked.var(x, 0, unbiased=False, mask=m), torch.masked.norm(x, 3, 0, mask=m)",
        ["f64[2,3,4]", "f64[3,4]"],
    ),
    (
        "m = y > 0\ntorch.masked.softmax(x, 0, mask=m), torch.masked.log_softmax(x, 1, mask=y[:, :1] > -9), torch.masked.softmin(x, 0, mask=m), torch.masked.normalize(x, 2.0, 1, mask=m)",
        ["f32[2,3,4]", "f32[3,4]"],
    ),
    (
        "m = y > 0\ntorch.masked.cumsum(x, 1, mask=m), torch.masked.cumprod(x, 2, mask=m), torch.masked.median(x, 2, mask=m), torch.masked.logsumexp(x, 0, mask=m), torch.masked.logaddexp(x, x * 2, input_mask=m)",
        ["f64[2,3,4]", "f64[3,4]"],
    ),
    (
        "torch.masked.argmax(x, 1, mask=y > 0), torch.masked.argmin(x, mask=y > 0), torch.masked.sum(x.int(), 0, mask=y > 0), torch.masked.amax(x.int(), 0, mask=y > 0)",
        ["f32[2,3,4]", "f32[3,4]"],
    ),
    ("torch.masked.mean(x, mask=y > 0)", ["i64[2,3]", "f32[3]"]),
    ("torch.masked.sum(x, (0, 0), mask=y > 0)", ["f32[2,3]", "f32[3]"]),
    ("torch.masked.sum(x, mask=y > 0)", ["f32[3]", "f32[2,3]"]),
    (
        "x.__add__(y), x.__radd__(2), x.__rsub__(1), x.__rmul__(y), x.__rtruediv__(2.5), x.__mod__(3), x.__rmod__(3), x.__pow__(2), x.__rpow__(2), x.__rfloordiv__(5)",
        ["f32[4,6]>0", "f32[6]"],
    ),
    (
        "x.__and__(y), x.__ror__(4), x.__xor__(y), x.__invert__(), x.__lshift__(2), x.__neg__(), x.__lt__(y), x.__eq__(y), x.__abs__(), x.__getitem__((0, slice(1, 3)))",
        ["i64[4,6]", "i64[6]"],
    ),
    (
        "w = x * 2\nw.__iadd__(y)\nw.__setitem__(0, 3.0)\nw, torch.Tensor.mul(x, y), torch.Tensor.__sub__(x, 1)",
        ["f32[4,6]", "f32[6]"],
    ),
    (
        "F.embedding_bag(x, y), F.embedding_bag(y, x, mode='sum', padding_idx=-2), [F.embedding_bag(y.reshape(-1), x, torch.tensor([0, 2, 2, 5]), mode=m, padding_idx=1) for m in ('mean', 'sum', 'max')]",
        ["f64[6,4]", "i64[3,4]<6"],
    ),
    (
        "F.embedding(y, x, scale_grad_by_freq=True), F.embedding_bag(y.reshape(-1), x * 0, torch.tensor([0, 5]), mode='max'), F.embedding_bag(y, x * 0, mode='max')",
        ["f64[6,4]", "i64[3,4]<6"],
    ),
    (
        "F.embedding_bag(y, x, max_norm=1.0, mode='sum'), F.embedding(y, x, max_norm=0.8, norm_type=1.0)",
        ["f64[6,4]", "i64[2,2]<6"],
    ),
    ("F.embedding_bag(y, x, mode='median')", ["f32[6,4]", "i64[3,4]<6"]),
    ("F.embedding_bag(y, x, mode='sum', per_sample_weights=x[0])", ["f32[6,4]", "i64[3,4]<6"]),
    ("F.embedding_bag(y, x)", ["i64[6,4]", "i64[3,4]<6"]),
    ("F.cosine_similarity(x, y, dim=-2), F.cosine_similarity(x, y, dim=0)", ["f64[1,2,3]", "f64[2,1,3]"]),
    (
        "torch.diff(x, 0, 1, y, y), x.squeeze(()), x[0, 0].unfold(0, 1, 1), torch.prelu(x[0, 0], y[0, :1])",
        ["f64[2,3]", "f64[2,1]"],
    ),
    (
        "torch.linspace(x[0], 3, 7, dtype=torch.int64), torch.logspace(0, 4, 5, 2.0, dtype=torch.int32), torch.float_power(x, y)",
        ["f64[5]>0", "bf16[5]>0"],
    ),
    ("F.pad(x, (-4, 5, 2, -1), 'replicate'), F.pad(x, (-1, 2, 1, -2), 'reflect')", ["f64[2,3,5,4]"]),
    (
        "torch.repeat_interleave(x, torch.arange(4), 0, output_size=6), x[0].repeat_interleave(torch.tensor([2]), output_size=12)",
        ["f32[4,6]"],
    ),
    (
        "torch.special.shifted_chebyshev_polynomial_u(x.detach(), 4), torch.special.shifted_chebyshev_polynomial_v(x.detach(), 3), torch.special.shifted_chebyshev_polynomial_w(x.detach(), 1)",
        ["f64[4,6]"],
    ),
    (
        "torch.cov(x), torch.cov(x, correction=0, aweights=y), torch.cov(y), torch.corrcoef(x), torch.corrcoef(y)",
        ["f64[3,5]", "f64[5]>0"],
    ),
    ("torch.cov(x, fweights=y), torch.cov(x, fweights=y, correction=2)", ["f64[3,5]", "i64[5]>0"]),
    ("torch.pdist(x), F.pdist(x, 1), torch.pdist(x, p=float('inf'))", ["f64[7,3]"]),
    (
        "torch.combinations(x), torch.combinations(x, 3), torch.combinations(x, with_replacement=True), torch.combinations(x, 1), torch.combinations(x, 0)",
        ["f32[5]"],
    ),
    (
        "torch.histogram(x, 5).hist, x.histogram(4, range=(-2.0, 2.0), weight=y, density=True), torch.histogram(x, torch.tensor([-3.0, -1.0, 0.0, 2.0]))",
        ["f32[4,6]", "f32[4,6]>0"],
    ),
    (
        "torch.histogramdd(x, [3, 4]).hist, torch.histogramdd(x, 3, range=[-1.0, 1.0, -2.0, 2.0], weight=y, density=True)[0]",
        ["f32[9,2]", "f32[9]>0"],
    ),
    (
        "[torch.segment_reduce(x, m, lengths=torch.tensor([2, 0, 3, 4])) for m in ('max', 'min', 'sum', 'mean', 'prod')], [torch.segment_reduce(x, m, offsets=torch.tensor([0, 4, 4, 9]), initial=0.5) for m in ('max', 'min', 'sum', 'mean', 'prod')]",
        ["f64[9,3]"],
    ),
    (
        "[torch.segment_reduce(x, m, lengths=torch.tensor([[2, 0, 3], [1, 1, 3]]), axis=1) for m in ('max', 'min', 'sum', 'prod')]",
        ["f64[2,5,3]"],
    ),
    (
        "torch.nonzero_static(x > 0, size=5), torch.nonzero_static(x, size=30, fill_value=-7), (x > 1).reshape(-1).nonzero_static(size=0)",
        ["f32[2,3,4]"],
    ),
    (
        "torch.gradient(x, spacing=(y,), dim=1), torch.gradient(x, spacing=(y,), dim=-1, edge_order=2), torch.gradient(x, dim=(0, 1), spacing=[1.5, 0.5])",
        ["f64[4,6]", "f64[6]>0"],
    ),
    (
        "F.grid_sample(x, y, mode='bicubic', align_corners=False), F.grid_sample(x, y, mode='bicubic', padding_mode='border', align_corners=True)",
        ["f64[2,3,4,5]", "f64[2,3,6,2]"],
    ),
    (
        "F.grid_sample(x, y, align_corners=False), torch.grid_sampler(x, y, 0, 2, True), torch.grid_sampler_3d(x, y, 1, 1, False)",
        ["f64[2,2,3,4,5]", "f64[2,2,3,4,3]"],
    ),
    ("F.grid_sample(x, y, mode='bicubic')", ["f64[2,2,3,4,5]", "f64[2,2,3,4,3]"]),
    ("F.affine_grid(x, (2, 3, 4, 5, 6), align_corners=False), F.affine_grid(x, [2, 1, 2, 3, 2], True)", ["f64[2,3,4]"]),
    (
        "w = y.clone()\ntorch.native_batch_norm(x, z, None, w, w + 1, True, 0.2, 1e-5), torch.native_batch_norm(x, None, z, y, y + 1, False, 0.2, 1e-5)[0], w",
        ["f64[2,4,3]", "f64[4]>0", "f64[4]"],
    ),
    (
        "torch.alias_copy(x), torch._chunk_cat([x, x[:3]], 0, 2), torch._unsafe_masked_index(x, y > 2, [y % 4, y], 0.5)",
        ["f32[4,9]", "i64[6]<9"],
    ),
    (
        "a = x[0, 0]\na.scatter(0, y[0] * 0, z[0]), a.scatter_add(0, y[0] * 0, z[0]), a.index_add(0, y[:1] * 0, z[0]), a.index_fill(0, y[:1] * 0, 3.0), a.index_copy(0, y[:1] * 0, z[0]), a.scatter_reduce(0, y[0] * 0, z[0], 'amax')",
        ["f64[4,9]", "i64[6]<9", "f64[6]"],
    ),
    (
        "torch.index_put(x, (y > 0,), z, accumulate=True), x.masked_scatter(x > 0, x.flip(0)), torch.take(x, torch.tensor([-1, 3, -36]))",
        ["f64[4,9]", "f64[4]", "f64[9]"],
    ),
    (
        "F.multi_margin_loss(x[0], torch.tensor(2)), F.multi_margin_loss(x[0], torch.tensor([2]), reduction='none'), F.multi_margin_loss(x[0, 0], torch.tensor(0)), F.multilabel_margin_loss(x[0, 0], torch.tensor(0))",
        ["f64[4,9]"],
    ),
    ("torch.hann_window(6) * x", ["f32[6]"]),
    ("torch.hamming_window(6, periodic=False) * x", ["f32[6]"]),
    ("torch.blackman_window(6) * x", ["f32[6]"]),
    ("torch.special.i0e(x), torch.i0(x), torch.special.i1e(x)", ["f64[4,6]>0"]),
    # PyTorch's own have seven digits in float64 between 5 and 8, its Airy function left of -2.
    (
        "torch.special.bessel_j0(9 * x), torch.special.bessel_j1(9 * x), torch.special.bessel_j0(3 * x), torch.special.bessel_j1(3 * x)",
        ["f32[4,6]"],
    ),
    (
        "torch.special.bessel_y0(x), torch.special.bessel_y1(x), torch.special.bessel_y0(9 * x), torch.special.bessel_y1(9 * x), torch.special.bessel_y0(x - x), torch.special.bessel_y1(-x)",
        ["f32[4,6]>0"],
    ),
    (
        "torch.special.modified_bessel_k0(x), torch.special.modified_bessel_k1(x), torch.special.scaled_modified_bessel_k0(4 * x), torch.special.scaled_modified_bessel_k1(4 * x)",
        ["f64[4,6]>0"],
    ),
    (
        "torch.special.modified_bessel_k0(x - x), torch.special.modified_bessel_k1(-x), torch.special.modified_bessel_k0(x / 0), torch.special.scaled_modified_bessel_k1(x / 0)",
        ["f64[4,6]>0"],
    ),
    ("torch.special.airy_ai(x), torch.special.airy_ai(4 * x), torch.special.airy_ai(x / 0)", ["f32[4,6]"]),
    (
        "torch.special.spherical_bessel_j0(x), torch.special.spherical_bessel_j0(9 * x), torch.special.spherical_bessel_j0(x / 0)",
        ["f64[4,6]"],
    ),
    # PyTorch's own trigamma, the gradient, is good to 1e-9.
    ("torch.digamma(x)", ["f32[4,6]>0"]),
    # PyTorch's own trigamma has ten digits.
    ("torch.polygamma(1, x), torch.polygamma(2, x), x.polygamma(1)", ["f32[4,6]>0"]),
    (
        "torch.special.i1(x), torch.special.erfcx(x), torch.special.log_ndtr(x), torch.mvlgamma(x.abs() + 3, 3)",
        ["f64[4,6]"],
    ),
    # PyTorch's own have nine digits where the first argument is above 20.
    (
        "torch.igamma(x.detach(), y), torch.special.gammainc(4 * x.detach(), 9 * y), x.detach().igammac(4 * y), torch.igammac(4 * x.detach(), 3 * y)",
        ["f64[4,6]>0", "f64[6]>0"],
    ),
    (
        "torch.igamma(40 * x, 40 * y), torch.igammac(90 * x, 80 * y), torch.igamma(x - x, y), torch.igammac(x, y - y), torch.igamma(-x, y), torch.igammac(x / 0, y), torch.igamma(x, y / 0)",
        ["f32[4,6]>0", "f32[6]>0"],
    ),
    (
        "torch.special.zeta(x.detach() + 1, y), torch.special.zeta(3, y), torch.special.zeta(2.5, 9 * y), torch.special.zeta(x.detach() + 1, 2.0)",
        ["f64[4,6]>0", "f64[6]>0"],
    ),
    (
        "torch.special.zeta(x.round(), y * 20), torch.special.zeta(x, y), torch.special.zeta(2 + x.abs(), y.round()), torch.special.zeta(4, y)",
        ["f64[4,6]", "f64[6]"],
    ),
    ("torch.polygamma(2, x), torch.polygamma(3, x), torch.polygamma(4, x * 5), torch.polygamma(9, x)", ["f64[4,6]"]),
    (
        "torch.special.chebyshev_polynomial_t(x, y), torch.special.chebyshev_polynomial_u(x, y), torch.special.chebyshev_polynomial_v(x, y), torch.special.chebyshev_polynomial_w(x, y)",
        ["f64[4,6]", "i64[6]"],
    ),
    (
        "torch.special.shifted_chebyshev_polynomial_t(x, y), torch.special.shifted_chebyshev_polynomial_u(x, y), torch.special.shifted_chebyshev_polynomial_v(x, y), torch.special.shifted_chebyshev_polynomial_w(y, x)",
        ["f64[4,6]unit", "i64[6]"],
    ),
    (
        "torch.special.hermite_polynomial_h(x, y), torch.special.hermite_polynomial_he(x, y), torch.special.laguerre_polynomial_l(x, y), torch.special.legendre_polynomial_p(x, y)",
        ["f64[4,6]", "f32[6]"],
    ),
    (
        "torch.special.chebyshev_polynomial_u(x, 30), torch.special.legendre_polynomial_p(x, 70), torch.special.hermite_polynomial_h(x, 600), torch.special.laguerre_polynomial_l(x, -1), torch.special.hermite_polynomial_he(y, 3), torch.special.chebyshev_polynomial_v(x, 3.7)",
        ["f64[4,6]unit", "i64[6]"],
    ),
    ("torch.special.chebyshev_polynomial_t(0.3, y), torch.special.legendre_polynomial_p(2, y)", ["f32[4]", "i64[6]"]),
    ("p = torch.frexp(x)\np.mantissa, p.exponent, torch.frexp(x * 1e-40)[1]", ["f32[8]odd"]),
    ("x.frexp(), torch.frexp(x * 1e-310), torch.frexp(x * 1e200)", ["f64[8]odd"]),
    ("torch.frexp(x)", ["bf16[4,6]"]),
    ("torch.frexp(x)", ["i64[6]"]),
    (
        "torch.dot(x[0], y), torch.inner(x, y), x @ y, torch.einsum('ij,ij->i', x, x), torch.einsum('ij->', x)",
        ["i32[4,6]", "i32[6]"],
    ),
    (
        "torch.vdot(x, x), torch.mv(x.reshape(2, 3), x[:3]), torch.einsum('i,j->ij', x, x), torch.tensordot(x, x, 1)",
        ["u8[6]"],
    ),
    (
        "torch.linspace(x[0] + 20, 3, 5, dtype=torch.uint8), torch.logspace(x[0] // 3, x[0] - x[0], 4, 2.0, dtype=torch.uint8)",
        ["i64[4]>0"],
    ),
    ("torch.unravel_index(x, (4, 5))", ["i32[2,3]<9"]),
    (
        "from torch.distributions import Chi2, Gamma, InverseGamma\nd = Chi2(x)\ni = InverseGamma(x, y)\nd.mean, d.df, i.mean, i.mode, i.variance",
        ["f64[4,6]>0", "f64[6]>0"],
    ),
    (
        "from torch.distributions import Chi2, Gamma, InverseGamma\nc = x.detach()\nGamma(c, y).cdf(y), Chi2(c).cdf(y), InverseGamma(c, y).cdf(y * 2), Chi2(c).log_prob(y), Chi2(c).entropy(), InverseGamma(c, y).log_prob(y), InverseGamma(c, y).entropy()",
        ["f64[4,6]>0", "f64[6]>0"],
    ),
    ("torch.erfinv(torch.tanh(x)), torch.special.erfinv(x)", ["f64[4,6]"]),
    ("torch.gcd(x, y), torch.lcm(x, y)", ["i32[9]", "i32[9]"]),
    ("2 ** x.clamp(0, 70), x ** y.abs(), 3 ** y.abs(), (-1) ** y.abs()", ["i64[9]", "i64[9]"]),
    ("x.to(torch.uint8) ** y.abs().to(torch.uint8)", ["i32[9]", "i32[9]"]),
    (
        "torch.nn.utils.rnn.pad_sequence([x, x[:2], y], batch_first=True, padding_value=-1.0), torch.nn.utils.rnn.pad_sequence([x, y], padding_side='left')",
        ["f32[3,4]", "f32[5,4]"],
    ),
    ("F.interpolate(x, scale_factor=1.5, mode='bicubic'), F.interpolate(x, scale_factor=0.4, mode='bilinear')", ["f64[2,2,10,8]"]),
    ("F.interpolate(x, scale_factor=(1.5, 0.7), mode='nearest'), F.interpolate(x, scale_factor=1.25, mode='nearest-exact')", ["f64[2,2,8,10]"]),
    ("F.interpolate(x.reshape(1, 2, 10), scale_factor=1.4142, mode='linear')", ["f64[20]"]),
    (
        "F.interpolate(x, scale_factor=2), F.interpolate(x, size=(5, 7)), F.interpolate(x, scale_factor=0.5)",
        ["f32[2,3,4,6]"],
    ),
    (
        "F.interpolate(x, scale_factor=3, mode='nearest-exact'), F.interpolate(x, size=3, mode='nearest-exact')",
        ["f32[2,3,4,6]"],
    ),
    ("F.interpolate(x, scale_factor=2, mode='bilinear')", ["f64[2,3,4,6]"]),
    ("F.interpolate(x, size=(3, 8), mode='bilinear', align_corners=True)", ["f64[2,3,4,6]"]),
    (
        "F.interpolate(x, size=7, mode='linear'), F.interpolate(x, scale_factor=2, mode='linear', align_corners=True)",
        ["f64[2,3,6]"],
    ),
    ("F.interpolate(x, scale_factor=2, mode='trilinear')", ["f64[1,2,3,2,4]"]),
    ("F.interpolate(x, size=(7, 3), mode='bicubic'), F.interpolate(x, size=(2, 3), mode='area')", ["f64[1,2,4,6]"]),
    ("F.grid_sample(x, y, align_corners=False)", ["f64[2,3,4,5]", "f64[2,3,6,2]"]),
    (
        "F.grid_sample(x, y, mode='nearest', padding_mode='border', align_corners=True)",
        ["f64[2,3,4,5]", "f64[2,3,6,2]"],
    ),
    ("F.grid_sample(x, y, padding_mode='reflection', align_corners=True)", ["f64[2,3,4,5]", "f64[2,3,6,2]"]),
    ("F.affine_grid(x, (2, 3, 4, 5), align_corners=False), F.affine_grid(x, [2, 3, 4, 5], True)", ["f64[2,2,3]"]),
    ("F.unfold(x, 3, padding=1), F.unfold(x, (2, 3), dilation=(1, 2), stride=(2, 1))", ["f64[2,3,5,6]"]),
    ("F.fold(F.unfold(x, 3, 2, 2, 2), (5, 6), 3, 2, 2, 2)", ["f64[2,3,5,6]"]),
    (
        "F.embedding_bag(y, x), F.embedding_bag(y, x, mode='sum', padding_idx=1), F.embedding_bag(y, x, mode='max')",
        ["f64[6,4]", "i64[3,5]<6"],
    ),
    ("F.max_pool2d(x, 3, 2, ceil_mode=True), F.lp_pool2d(x, 2, 2)", ["f64[1,2,6,7]>0"]),
    ("F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False)", ["f64[1,2,6,8]"]),
    ("F.avg_pool1d(x, 3, 2, 1, ceil_mode=True)", ["f64[1,2,6]"]),
    ("F.max_pool1d(x, 2, 2, 1), F.max_pool1d(x, 2, 3, 1, ceil_mode=True)", ["f64[1,2,5]"]),
    (
        "torch.kron(x, y), torch.kron(y, x), torch.block_diag(x, y), torch.ger(y, y), torch.addr(x, y[:3], y)",
        ["f64[3,4]", "f64[4]"],
    ),
    ("torch.cdist(x, y), torch.cdist(x, y, p=1)", ["f64[3,4]", "f64[5,4]"]),
    ("torch.renorm(x, 2, 0, 1.0), torch.renorm(x, 1, -1, 2.0)", ["f64[3,4]"]),
    ("torch.trapezoid(x), torch.trapz(x, y), torch.cumulative_trapezoid(x, dx=0.5, dim=0)", ["f64[3,4]", "f64[4]"]),
    ("torch.gradient(x)[1], torch.gradient(x, spacing=2.0, dim=0, edge_order=2)[0]", ["f64[5,4]"]),
    ("torch.vander(x), torch.vander(x, 3, increasing=True), torch.cartesian_prod(x, x)", ["f64[4]"]),
    (
        "torch.isin(x, y), torch.isin(x, 2), torch.isin(x, y, invert=True), torch.logspace(0, 1, 5)",
        ["i64[4]<6", "i64[3]<6"],
    ),
    ("torch.take(x, y), x.masked_scatter(x > 0, z)", ["f64[3,4]", "i64[2,3]<12", "f64[12]"]),
    ("x.half(), (x * 1e38 * 1e300).bfloat16(), (-x * 1e300).half(), (x * 1e200).float()", ["f64[3,4]"]),
    ("torch.angle(x), torch.isreal(x), x.conj(), x.sum_to_size(1, 4), x.sum_to_size(4)", ["f64[3,4]"]),
    (
        "torch.linalg.norm(x, 1), torch.linalg.norm(x, float('inf')), torch.linalg.norm(x, -1), torch.linalg.matrix_norm(x)",
        ["f64[3,4]"],
    ),
    (
        "torch.linalg.norm(x, 3, dim=1), torch.linalg.norm(x, dim=(0, 1)), torch.linalg.diagonal(x, offset=1)",
        ["f64[3,4]"],
    ),
    ("torch._weight_norm(x, y, 0), torch.norm_except_dim(x, 2, 0)", ["f64[3,4]", "f64[3,1]"]),
    ("torch.special.entr(x), torch.special.xlog1py(x, x), torch.special.ndtr(x)", ["f32[4,6]>0"]),
    ("torch.float_power(x, 2), torch.ldexp(x, y)", ["f32[4]", "i64[4]"]),
    ("torch.dist(x, y, 3)", ["f32[3,4]", "f32[3,4]"]),
    ("a = x.sum()\ntorch.cat([a.view(1), y.view(1)]), a.expand(3), y.unsqueeze(0).repeat(4)", ["f32[4]", "f32[]"]),
    ("x.softmax(0), x.mean(), x.max(), x.cumsum(0), x.argmax()", ["f32[]"]),
    ("torch.linspace(0, 1, x.shape[0]) * x", ["f32[5]"]),
    ("torch.cross(x, y, dim=1)", ["f32[5,3]", "f32[5,3]"]),
    ("torch.linalg.cross(x, y)", ["i64[5,3]", "i64[5,3]"]),
    ("torch.cross(x, y, dim=1)", ["f32[5,4]", "f32[5,4]"]),
    ("x ** 5, x ** 4", ["i64[7]"]),
    ("x ** 7", ["u8[7]"]),
    ("x * max(1, x.shape[0] / x.shape[1])", ["f32[6,4]"]),
    ("x * min(x.shape[0] / x.shape[1], 1.0, 2)", ["f32[6,4]"]),
    ("assert x.shape == y.shape\nx + y", ["f32[3,4]", "f32[3,4]"]),
    ("if x.shape[1:] != y.shape[1:]:\n    raise ValueError('sizes')\nx[0] + y[0]", ["f32[3,4,5]", "f32[2,4,5]"]),
    ("x[:, 0::2] + x[:, 1::2]", ["f32[3,6]"]),
    ("a, b = torch.tensor_split(x, 2, dim=-1)\na * b", ["f32[3,6]"]),
    (
        "y = x.reshape(2, -1, 3, 4).mean(0)[:, :1, :1]\ntorch.cat([x, y.repeat(2, 1, 4).reshape(4, 1, 4)], 1)",
        ["f32[4,3,4]"],
    ),
    ("x.view(y.size(0), -1) * y.view(y.size(0), -1)", ["f32[4,1,2,3]", "f32[4,1,2,3]"]),
    ("F.local_response_norm(x, 3)", ["f32[2,5,3,4]"]),
    ("F.local_response_norm(x, 4, alpha=0.5, k=2.0)", ["f32[2,5,3]"]),
    ("F.batch_norm(x, y, z, training=True), y, z", ["f32[3,4,5]", "f32[4]", "f32[4]>0"]),
    ("F.batch_norm(x, y, z, w, u, True, 0.3), y, z", ["f16[3,4]", "f32[4]", "f32[4]>0", "f32[4]", "f32[4]"]),
    ("F.batch_norm(x, None, None, training=True)", ["f32[3,4,2,2]"]),
    ("F.instance_norm(x, y, z, use_input_stats=False)", ["f32[3,4,5]", "f32[4]", "f32[4]>0"]),
    ("F.instance_norm(x, y, z, momentum=0.3), y, z", ["f32[3,4,5]", "f32[4]", "f32[4]>0"]),
    ("F.avg_pool1d(x, 2), F.max_pool1d(x, 3, 2, 1)", ["f32[2,3,8]"]),
    (
        "F.avg_pool2d(x, (2, 3), stride=1), F.avg_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 3, 2, 1, count_include_pad=False), F.avg_pool2d(x, 2, divisor_override=3)",
        ["f32[2,3,8,6]"],
    ),
    (
        "F.max_pool2d(x, 2), F.max_pool2d(x, 3, stride=1, padding=1), F.max_pool2d(x, 2, dilation=2, stride=(1, 2))",
        ["f32[2,3,8,6]odd"],
    ),
    ("F.avg_pool3d(x, 2), F.max_pool3d(x, 2, 1)", ["f32[1,2,4,4,6]"]),
    (
        "F.adaptive_avg_pool2d(x, 1), F.adaptive_avg_pool2d(x, (2, None)), F.adaptive_max_pool2d(x, (4, 3)), F.adaptive_avg_pool1d(x[0], 2)",
        ["f32[2,3,8,6]"],
    ),
    ("F.avg_pool2d(x, 3, ceil_mode=True)", ["f32[2,9,6]"]),
    ("torch.outer(x, y)", ["f32[3]", "f32[4]"]),
    ("x.outer(y)", ["f32[3]", "f32[4]"]),
    ("x.adjoint()", ["f32[3,4]"]),
    ("torch.arcsinh(x) + x.abs().add(1).arccosh() + torch.arctanh(x / 10)", ["f32[3,4]"]),
    ("torch.divide(x, 3, rounding_mode='trunc') + x.divide(2)", ["f32[3,4]"]),
    ("torch.unravel_index(torch.arange(12), (3, 4))", []),
    ("x * torch.bartlett_window(7) + torch.bartlett_window(7, periodic=False)", ["f32[7]"]),
    ("a, b = torch.meshgrid(x, y, indexing='ij')\na + b", ["f32[3]", "f32[4]"]),
    ("torch.broadcast_tensors(x, y)", ["f32[3,1]", "f32[4]"]),
    ("x.float().softmax(-1).to(x.dtype)", ["f16[3,4]"]),
    (
        "assert x.shape[0] == y.shape[0]\nif x.shape[1] != y.shape[1]:\n    raise ValueError('sizes')\nx * y",
        ["f32[3,4]", "f32[3,4]"],
    ),
    (
        "d = x.dtype\nx = x.to(torch.float32)\n(x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)).to(d) * y",
        ["bf16[3,8]", "bf16[8]"],
    ),
    (
        "out = torch.empty_like(x)\nout[:, :3] = x[:, 3:]\nout[:, 3:] = -x[:, :3]\nout",
        ["f32[4,6]"],
    ),
    ("w = torch.zeros(3, 4)\nfor i in range(3):\n    w[i] = x[i] * i\nw", ["f32[3,4]"]),
    ("F.cross_entropy(x, y)", ["f32[5,7]", "i64[5]<7"]),
    (
        "F.cross_entropy(x, y, reduction='none', ignore_index=2)",
        ["f16[5,7]", "i64[5]<7"],
    ),
    ("F.cross_entropy(x, y)", ["f32[5,7,3]", "i64[5,3]<7"]),
    ("F.nll_loss(F.log_softmax(x, 1), y, ignore_index=1)", ["f32[5,7]", "i64[5]<7"]),
    ("F.one_hot(x, 5)", ["i64[4]<5"]),
    ("torch.linalg.norm(x)", ["f32[4,5]"]),
    ("torch.linalg.vector_norm(x, dim=1)", ["f32[4,5]"]),
    ("F.pairwise_distance(x, y)", ["f32[4,5]", "f32[4,5]"]),
    (
        "torch.sum(x, axis=1, keepdims=True) + x.mean(axis=-1, keepdims=True)",
        ["f32[4,5]"],
    ),
    ("F.softmax(x, dim=1) * torch.pi + torch.e", ["f32[4,5]"]),
    (
        "x[:, torch.newaxis].to(x.device, memory_format=torch.contiguous_format)",
        ["f32[4,5]"],
    ),
    ("torch.dot(x, y)", ["f32[5]", "f32[5]"]),
    ("x[x > 0] *= 2\nx", ["f32[4,5]"]),
    ("x[y > 0] = -x[y > 0] + 1\nx", ["f32[4,5]", "f32[4,5]"]),
    ("x.unknown_method()", ["f32[3]"]),
    ("torch.sfotmax(x, -1)", ["f32[3]"]),
    ("x.view(5, 5)", ["f32[4,5]"]),
    ("x + y", ["f32[1,4]", "f32[3,1]"]),
    ("x.squeeze(0) + y.squeeze()", ["f32[1,4]", "f32[1,1]"]),
    ("x.sum(5)", ["f32[3,4]"]),
    ("x.softmax(-1)", ["i64[3,4]"]),
    ("x.mean()", ["i64[3,4]"]),
    ("x ** 0, x.pow(False), torch.pow(x, 0), (x > 0) ** 0, (x > 0) ** False, x.to(torch.uint8) ** 0", ["i64[4]"]),
    ("x - y", ["bool[3]", "bool[3]"]),
    ("-x", ["bool[3]"]),
    ("x.nextafter(y)", ["f32[3]", "f32[3]"]),
    ("F.softmax(x, dim=1)", ["f32[0,4]"]),
    ("x.sum(0) + x.sum()", ["f32[0,4]"]),
    ("x.amax(0)", ["f32[0,4]"]),
    ("x.mean(1)", ["f32[4,0]"]),
]

PROMOTION = [
    (a, b)
    for a in [
        "f32[3]",
        "f16[3]",
        "bf16[3]",
        "f64[3]",
        "i64[3]",
        "i32[3]",
        "u8[3]",
        "i8[3]",
        "i16[3]",
        "bool[3]",
        "f32[]",
        "f64[]",
        "i64[]",
        "f16[]",
        "bool[]",
    ]
    for b in [
        "f32[3]",
        "f16[3]",
        "bf16[3]",
        "i64[3]",
        "u8[3]",
        "i8[3]",
        "bool[3]",
        "f64[]",
        "f32[]",
        "i64[]",
        "bool[]",
    ]
]


# Losses of an input, a target and one more: each with its reductions.
LOSSES = [
    ("F.mse_loss(x, y{})", ["f32[3,4]", "f32[3,4]"]),
    ("F.l1_loss(x, y{})", ["f16[3,4]", "f16[3,4]"]),
    ("F.mse_loss(x, y, weight=z{})", ["f32[3,4]", "f32[3,4]", "f32[3,4]>0"]),
    ("F.l1_loss(x, y, weight=z{})", ["f32[3,4]", "f32[3,4]", "f32[3,4]>0"]),
    ("F.huber_loss(x, y, weight=z{})", ["f32[3,4]", "f32[3,4]", "f32[3,4]>0"]),
    ("F.smooth_l1_loss(x, y, beta=0.0{})", ["f32[3,4]", "f32[3,4]"]),
    ("F.smooth_l1_loss(x, y, beta=0.5{})", ["bf16[3,4]", "bf16[3,4]"]),
    ("F.binary_cross_entropy(x.sigmoid(), y.sigmoid(), z{})", ["f32[3,4]", "f32[3,4]", "f32[4]>0"]),
    ("F.binary_cross_entropy_with_logits(x, y.sigmoid(){})", ["f64[3,4]", "f32[3,4]"]),
    ("F.binary_cross_entropy_with_logits(x, y.sigmoid(), pos_weight=z{})", ["f32[3,4]", "f32[3,4]", "f32[4]>0"]),
    ("F.kl_div(x, y, log_target=True{})", ["f32[3,4]", "f32[3,4]"]),
    ("F.poisson_nll_loss(x, y{})", ["f32[3,4]", "f32[3,4]>0"]),
    ("F.poisson_nll_loss(x, y, log_input=False, full=True{})", ["f32[3,4]>0", "f32[3,4]>0"]),
    ("F.gaussian_nll_loss(x, y, z, full=True{})", ["f32[3,4]", "f32[3,4]", "f32[3,4]>0"]),
    ("F.gaussian_nll_loss(x, y, z{})", ["f32[3,4]", "f32[3,4]", "f32[3]>0"]),
    ("F.multilabel_soft_margin_loss(x, (y > 0).float(), z{})", ["f32[3,4]", "f32[3,4]", "f32[4]>0"]),
    ("F.multilabel_margin_loss(x, y{})", ["f32[3,4]", "i64[3,4]<4"]),
    ("F.multilabel_margin_loss(x, y - 1{})", ["f32[3,4]", "i64[3,4]<5"]),
    ("F.multi_margin_loss(x, y{})", ["f32[3,4]", "i64[3]<4"]),
    ("F.multi_margin_loss(x, y, p=2, margin=0.5, weight=z{})", ["f32[3,4]", "i64[3]<4", "f32[4]>0"]),
    ("F.soft_margin_loss(x, torch.sign(y){})", ["f32[3,4]", "f32[3,4]"]),
    ("F.hinge_embedding_loss(x, torch.sign(y), margin=0.5{})", ["f32[3,4]", "f32[3,4]"]),
    ("F.margin_ranking_loss(x, y, torch.sign(z), margin=0.1{})", ["f32[7]", "f32[7]", "f32[7]"]),
    ("F.cosine_embedding_loss(x, y, torch.sign(z), margin=0.1{})", ["f32[3,4]", "f32[3,4]", "f32[3]"]),
    ("F.triplet_margin_loss(x, y, z{})", ["f32[3,4]", "f32[3,4]", "f32[3,4]"]),
    ("F.triplet_margin_loss(x, y, z, margin=0.3, p=1, swap=True{})", ["f32[3,4]", "f32[3,4]", "f32[3,4]"]),
    (
        "F.triplet_margin_with_distance_loss(x, y, z, distance_function=lambda a, b: (a - b).abs().sum(-1){})",
        ["f32[3,4]", "f32[3,4]", "f32[3,4]"],
    ),
    ("F.nll_loss(F.log_softmax(x, 1), y, z, ignore_index=1{})", ["f32[5,7]", "i64[5]<7", "f32[7]>0"]),
    ("F.cross_entropy(x, y, z{})", ["f32[5,7,3]", "i64[5,3]<7", "f32[7]>0"]),
    ("F.cross_entropy(x, y, label_smoothing=0.2{})", ["f32[5,7]", "i64[5]<7"]),
    ("F.cross_entropy(x, y.softmax(1){})", ["f32[5,7]", "f32[5,7]"]),
    ("F.cross_entropy(x, y.softmax(1){})", ["f32[5,0]", "f32[5,0]"]),
    ("F.cross_entropy(x, y, z, label_smoothing=0.2, ignore_index=2{})", ["f32[5,7]", "i64[5]<7", "f32[7]>0"]),
    ("F.cross_entropy(x, y.softmax(1){})", ["f16[5,7]", "f16[5,7]"]),
    ("F.cross_entropy(x, y.softmax(1), z, label_smoothing=0.1{})", ["f32[5,7,2]", "f32[5,7,2]", "f32[7]>0"]),
    ("F.cross_entropy(x, y{})", ["f32[7]", "i64[]<7"]),
    ("F.mse_loss(x, y, size_average=False)", ["f32[3,4]", "f32[3,4]"]),
    ("F.l1_loss(x, y, reduce=False)", ["f32[3,4]", "f32[3,4]"]),
    ("F.binary_cross_entropy(x.sigmoid(), y.sigmoid())", ["f32[3,4]", "f32[3,1]"]),
    ("F.cross_entropy(x, y)", ["i64[5,7]", "i64[5]<7"]),
]


def split(text):
    return [part.strip() for line in text.strip().split("\n") for part in line.split(" | ")]


def named(spec):
    """`f32[2,5]` as `f32[N2,N5]`: sizes that are equal have one name."""
    dtype, _, rest = spec.partition("[")
    sizes, _, suffix = rest.partition("]")
    return f"{dtype}[{','.join('N' + size for size in sizes.split(','))}]{suffix}"


def entries():
    """(text, input types) of everything."""
    found = []
    for text in split(UNARY):
        found += [
            (text, [dtype + "[4,6]odd" if dtype == "f32" else dtype + "[4,6]"])
            for dtype in FLOATS + ["i64", "bool", "u8"]
        ]
    for text in split(POSITIVE):
        found += [(text, [dtype + "[4,6]>0"]) for dtype in FLOATS + ["i64"]]
    for text in split(UNIT):
        found += [(text, [dtype + "[4,6]unit"]) for dtype in FLOATS]
    for text in split(BINARY):
        found += [(text, [dtype + "[4,6]", dtype + "[6]>0"]) for dtype in FLOATS + ["i64"]]
        found += [
            (text, ["f32[4,1]odd", "f32[6]odd"]),
            (text, ["f32[4,6]", "i64[4,1]>0"]),
        ]
    for text in split(BITS):
        found += [(text, [dtype + "[4,6]", dtype + "[6]>0"]) for dtype in ["i64", "i32", "u8", "bool", "f32"]]
    for text in split(REDUCTIONS):
        found += [(text, [dtype + "[2,3,4]"]) for dtype in ["f32", "bf16", "i64", "bool", "u8"]]
        found += [(text, ["f32[2,3,4]odd"])]
    for text in split(FLOAT_REDUCTIONS):
        found += [(text, [dtype + "[2,3,4]"]) for dtype in ["f32", "f16", "bf16", "i64"]]
    for text in split(SORTS):
        found += [(text, [dtype + "[2,3,4]"]) for dtype in ["f32", "bf16", "i64", "bool", "u8"]]
        found += [(text, [spec]) for spec in ["f64[3,2,5]odd", "f32[2,3,4]odd", "i8[1,9,2]"]]
    for text in split(RANKS):
        found += [(text, [spec]) for spec in ["f32[2,3,4]", "f64[3,5,2]", "bool[2,3,4]"]]
    for text in split(QUANTILES):
        found += [(text, [spec, spec[:3] + "[2]share"]) for spec in ["f32[2,3,4]", "f64[3,5,7]", "f32[2,5,3]odd"]]
        found += [(text, ["f16[2,3,4]", "f16[2]share"])]
    for text in split(VIEWS):
        found += [(text, [dtype + "[2,3,4]"]) for dtype in ["f32", "i64"]]
    for a, b in PROMOTION:
        found += [
            ("x + y", [a, b]),
            ("x / y", [a, b]),
            ("torch.where(x > y, x, y)", [a, b]),
        ]
    for text, specs in LOSSES:
        endings = ["", ", reduction='sum'", ", reduction='none'"] if "{}" in text else [""]
        found += [(text.format(ending), specs) for ending in endings]
    found += PROGRAMS + FIXED + LOOPS + ATTENTION + RECURRENT
    # Loops of few turns are written out; with sizes that have names they are kept.
    found += [(text, [named(spec) for spec in specs]) for text, specs in LOOPS if "for " in text]
    return found + products.entries() + convolutions.entries()
