# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compare.py asks of gradients beyond the entries of test/torch/table.py."""

INF = float("inf")

KINKS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.0, -2.0, 3.0, -3.0, 6.0, 19.0, 20.0, 21.0, 30.0, -30.0]
KINKS += [100.0, -100.0, 800.0, -800.0, INF, -INF]

# Every pair of these is met by binary operators.
PAIRS = [0.0, 1.0, -1.0, 0.5, 2.0, -2.5, 3.0, 800.0, INF, -INF]

# Entries for which PyTorch has no gradient and ours is zero, as that of `div(rounding_mode=)` is.
WIDER = {"x // y", "x // 2", "torch.floor_divide(x, y)", "torch.heaviside(x, x)"}

# Entries that compute in float32 on the way, as PyTorch's hardsigmoid does with its constants.
SINGLE = ["float32", "float()", "hardsigmoid", "_window("]

PROGRAMS = [
    ("x * x + x", ["f64[4]"]),
    ("y = x * 2\ny + y.exp()", ["f64[4]"]),
    ("x.detach() * x", ["f64[4]"]),
    ("with torch.no_grad():\n    w = x.exp()\nx * w", ["f64[4]"]),
    ("x.exp() * y", ["f64[3,4]", "f64[4]"]),
    ("x[1:] * x[:-1]", ["f64[5]"]),
    ("x[::3].exp()", ["f64[8,2]"]),
    ("x[:, 1::2] * y", ["f64[3,7]", "f64[3]"]),
    ("F.pad(x, (-1, 2)).exp()", ["f64[3,4]"]),
    ("x.expand(3, 4) * y", ["f64[1,4]", "f64[3,1]"]),
    ("x * y.sum()", ["f64[3,4]", "f64[5]"]),
    ("w = x.clone()\nw[1] = 0\nw.exp()", ["f64[3,4]"]),
    ("w = x * 1\nw[:, ::2] = y\nw.exp()", ["f64[3,4]", "f64[3,2]"]),
    ("w = x * 1\nw[w > 0] = 0\nw * x", ["f64[3,4]"]),
    ("w = x.exp()\nw.mul_(x)\nw", ["f64[3,4]"]),
    ("x.half().float() * x", ["f64[4]"]),
    ("x.data * x", ["f64[4]"]),
    ("x / (x > 0).sum().clamp(min=1)", ["f64[4]"]),
    ("with torch.no_grad():\n    w = x[1:] * 2\nwith torch.enable_grad():\n    v = x[1:] * w\nv", ["f64[4]"]),
    ("w = x * 2\nv = w.detach()\nv * w + F.relu(w - v)", ["f64[4]"]),
    ("F.layer_norm(x, (6,), y, z)", ["f16[4,6]", "f16[6]", "f16[6]"]),
    ("F.rms_norm(x, (6,), y)", ["bf16[4,6]", "bf16[6]"]),
    ("x.softmax(-1) * y", ["f16[4,6]", "f32[6]"]),
    ("F.gelu(x).sum(0) + y", ["bf16[4,6]", "bf16[6]"]),
    ("(x.float() * y).to(x.dtype) * x", ["f16[4,6]", "f16[6]"]),
    ("F.cross_entropy(x, y)", ["f16[5,7]", "i64[5]<7"]),
    ("x.cummax(0).values", ["f64[6,2]"]),
    ("x.cummin(1)[0] * x", ["f64[6,5]ties"]),
    ("x.unfold(0, 3, 1) * y", ["f64[7]", "f64[3]"]),
    ("x.diagonal() * y", ["f64[4,4]", "f64[4]"]),
    ("F.pad(x, (2, 1), mode='reflect') ** 2", ["f64[3,5]"]),
    ("x.float().exp()", ["f64[4]"]),
    ("(x > 0).double() * x", ["f64[4]"]),
    ("torch.where(x > 0, x, y)", ["f64[4]", "f64[4]"]),
    ("x.cumsum(0), x.argmax()", ["f64[4]"]),
    ("x + 1, y.exp()", ["f64[4]", "f64[4]"]),
    ("x.round() + y", ["f64[4]", "f64[4]"]),
    ("torch.lgamma(x)", ["f64[40]"]),
    ("x[y] * x[y]", ["f64[7,3]", "i64[9]<7"]),
    ("F.embedding(y, x).sum(1)", ["f64[7,3]", "i64[2,9]<7"]),
    ("F.embedding(y, x, padding_idx=2)", ["f64[7,3]", "i64[2,9]<7"]),
    ("F.embedding(y, x, padding_idx=-3) * x[0]", ["f64[7,3]", "i64[2,9]<7"]),
    ("torch.gather(x, 0, y)", ["f64[3,7]", "i64[5,7]<3"]),
    ("x.index_select(1, y).exp()", ["f64[3,7]", "i64[9]<7"]),
    ("x.cumprod(0)", ["f64[6,2]"]),
    ("(x * 1000).logcumsumexp(1)", ["f64[5,9]"]),
    ("torch.where(x < 0, -float('inf'), x).logcumsumexp(0) * y", ["f64[9,3]", "f64[9,3]"]),
    ("torch.where(x > 1, float('inf'), x * 800).logcumsumexp(1)", ["f64[3,9]"]),
    ("x.logcumsumexp(-1).exp() * y", ["f16[3,9]", "f16[9]"]),
    ("torch.lerp(x, y, z)", ["f64[4]", "f64[4]", "f64[4]"]),
    ("torch.clamp(x, y, z)", ["f64[4]", "f64[4]", "f64[4]"]),
]

# What is subtracted and cancels again, and what looks like it and does not.
GREATEST = "m = x.amax(-1, keepdim=True)\n"
EXPONENTIALS = GREATEST + "e = (x - m).exp()\n"
SHIFTED = [
    EXPONENTIALS + "e / e.sum(-1, keepdim=True) * x",
    EXPONENTIALS + "(e / e.sum(-1, keepdim=True) + 1) * e.sum()",
    EXPONENTIALS + "e / (e.sum(-1, keepdim=True) + 1e-3)",
    EXPONENTIALS + "e / e.sum(0)",
    EXPONENTIALS + "e / e.sum()",
    EXPONENTIALS + "e / e.sum(-1, keepdim=True), m",
    EXPONENTIALS + "e * e.sum(-1, keepdim=True)",
    EXPONENTIALS + "e / e.amax(-1, keepdim=True) + e.sqrt() / (e * e).sum(-1, keepdim=True) ** 0.25",
    EXPONENTIALS + "e.rsqrt() * e.sum(-1, keepdim=True).sqrt()",
    EXPONENTIALS + "e.rsqrt() / e.sum(-1, keepdim=True).sqrt()",
    EXPONENTIALS + "(x - m) - e.sum(-1, keepdim=True).log()",
    EXPONENTIALS + "(x - m) + e.sum(-1, keepdim=True).log()",
    EXPONENTIALS + "m + e.sum(-1, keepdim=True).log()",
    EXPONENTIALS + "m - e.sum(-1, keepdim=True).log()",
    EXPONENTIALS + "m.squeeze(-1) + e.sum(-1).log()",
    EXPONENTIALS + "m.squeeze(-1).flip(0) + e.sum(-1).log()",
    EXPONENTIALS + "e = e * (x > 0)\ne / e.sum(-1, keepdim=True).clamp(min=1e-3)",
    EXPONENTIALS + "e = e.masked_fill(x < -1, 0)\ne / e.sum(-1, keepdim=True)",
    EXPONENTIALS + "e = e.masked_fill(x < 0, 1)\ne / e.sum(-1, keepdim=True)",
    EXPONENTIALS + "e.detach() / e.sum(-1, keepdim=True)",
    EXPONENTIALS + "F.pad(e, (1, 1)).unfold(-1, 3, 1).sum(-1) / e.sum(-1, keepdim=True)",
    EXPONENTIALS + "F.pad(e, (1, 1), value=1.0).unfold(-1, 3, 1).sum(-1) / e.sum(-1, keepdim=True)",
    EXPONENTIALS + "torch.cat([e, e], -1) / e.sum(-1, keepdim=True)",
    EXPONENTIALS + "torch.cat([e, x], -1) / e.sum(-1, keepdim=True)",
    GREATEST + "e = ((x - m) / 0.7).exp()\ne / e.sum(-1, keepdim=True)",
    GREATEST + "t = x.detach().abs().mean()\ne = ((x - m) * t).exp()\nm * t + e.sum(-1, keepdim=True).log()",
    GREATEST + "t = x.abs().mean()\ne = ((x - m) * t).exp()\nm + e.sum(-1, keepdim=True).log()",
    GREATEST + "e = torch.exp2(x - m)\nm + e.sum(-1, keepdim=True).log2()",
    GREATEST + "e = torch.exp2(x - m)\nm + e.sum(-1, keepdim=True).log()",
    GREATEST + "(x - m) * (x - m)",
    GREATEST + "e = (m - x).exp()\ne.sum(-1, keepdim=True).log() - m",
    "m = x.max(-1, keepdim=True)[0]\ne = (x - m).exp()\ne / e.sum(-1, keepdim=True)",
    "m = x.mean(-1, keepdim=True)\ne = (x - m).exp()\ne / e.sum(-1, keepdim=True)",
    "m = x.max()\ne = (x - m).exp()\n(e / e.sum(-1, keepdim=True)).reshape(-1) + m",
    "m = x.max()\ne = (x - m).exp()\n(e.reshape(-1, 2) / e.sum()).sum(0)",
    "m = x.max()\n(m - x).exp().sum(), ((x - m).exp() * (m - x).exp().sum())",
    "m = torch.maximum(x.amax(-1, keepdim=True), y)\ne = (x - m).exp()\ne / (e.sum(-1, keepdim=True) + (y - m).exp())",
    "m = x.amax(0)\ne = (x - m).exp()\n(e / e.sum(0)).t() * x.t()",
]
PROGRAMS += [(text, ["f64[4,6]", "f64[4,1]"] if ", y)" in text else ["f64[4,6]"]) for text in SHIFTED]

KINK_PROGRAMS = [
    # Writes that autograd does not see: the gradient passes to what was there.
    ("w = x.clone()\nwith torch.no_grad():\n    w.clamp_(min=0.5)\nw * w * x", ["f64[23]kinks"]),
    ("w = x * y\nw.detach().clamp_(-1, 1)\nw + y", ["f64[3,4]", "f64[3,4]"]),
    ("w = x * 2\nwith torch.no_grad():\n    w[1:, ::2] = 0\nw.sum(0) * w[0]", ["f64[3,4]"]),
    ("w = x * 2\nwith torch.no_grad():\n    w[w > 0] = y.sum()\nw * w", ["f64[3,4]", "f64[3]"]),
    ("w = x * 2\nwith torch.no_grad():\n    w.t()[0].fill_(3)\nw * w", ["f64[3,4]"]),
    ("w = x * 2\nwith torch.no_grad():\n    w.copy_(y)\nw.mul_(y)\nw", ["f64[3,4]", "f64[3,4]"]),
    ("F.gaussian_nll_loss(x, y, z.abs() * (z > 0))", ["f64[3,4]", "f64[3,4]", "f64[3,4]ties"]),
    ("F.gaussian_nll_loss(x, y, z.abs(), eps=1.5, reduction='none')", ["f64[3,4]", "f64[3,4]", "f64[3]"]),
    ("nn.GaussianNLLLoss(eps=2.0, full=True)(x, y, z.abs())", ["f64[3,4]", "f64[3,4]", "f64[3,1]"]),
    ("F.cosine_similarity(x, y, eps=3.0)", ["f64[4,5]", "f64[4,5]"]),
    ("F.cosine_similarity(x * 0, y, eps=3.0)", ["f64[4,5]", "f64[4,5]"]),
    ("F.cosine_similarity(x, y * 1e-9)", ["f64[4,5]", "f64[4,5]"]),
    ("F.normalize(x, eps=4.0)", ["f64[4,5]"]),
    ("F.pairwise_distance(x, x)", ["f64[4,5]"]),
    ("x.cumprod(0)", ["f64[9,3]ties"]),
    ("x.cumprod(1)", ["f64[5,9]ties"]),
    ("x.prod(0)", ["f64[3,9]ties"]),
    ("x.norm(dim=1)", ["f64[5,2]ties"]),
    ("x.norm(3, dim=1)", ["f64[5,2]ties"]),
    ("(x * 0).norm()", ["f64[5,2]"]),
    ("(x * 0).std()", ["f64[5,2]"]),
    ("F.normalize(x * 0)", ["f64[5,2]"]),
    ("F.cosine_similarity(x * 0, y)", ["f64[5,2]", "f64[5,2]"]),
    ("x ** y", ["f64[100]left", "f64[100]right"]),
    ("torch.pow(x, y)", ["f64[100]left", "f64[100]right"]),
    ("x.masked_fill(x > 1, 0)", ["f64[23]kinks"]),
    ("torch.where(x > 0, x, 0 * x)", ["f64[23]kinks"]),
    ("x.masked_fill(y > 0, float('-inf')).softmax(-1)", ["f64[4,5]", "f64[4,5]"]),
    ("F.gelu(x)", ["f64[19]"]),
    ("F.mse_loss(x, y)", ["f64[3,4]ties", "f64[3,4]ties"]),
    ("F.l1_loss(x, y)", ["f64[3,4]ties", "f64[3,4]ties"]),
    ("F.smooth_l1_loss(x, y)", ["f64[3,4]ties", "f64[3,4]ties"]),
    ("F.huber_loss(x, y)", ["f64[3,4]ties", "f64[3,4]ties"]),
    ("torch.clamp(x, y, y + 1)", ["f64[100]left", "f64[100]right"]),
    ("F.prelu(x, y)", ["f64[3,4]ties", "f64[4]"]),
    ("F.softmax(x * 1000, -1)", ["f64[3,4]ties"]),
    ("F.log_softmax(x * 1000, -1)", ["f64[3,4]ties"]),
]

# A column each: all missing, infinite or zero, one or some of them among numbers, numbers whose squares vanish.
NAN = float("nan")
EDGES = [
    [NAN, NAN, NAN, NAN],
    [-INF, -INF, -INF, -INF],
    [INF, INF, INF, INF],
    [0.0, 0.0, 0.0, 0.0],
    [NAN, 1.0, 2.0, 3.0],
    [NAN, NAN, NAN, 1.0],
    [INF, 1.0, -INF, 2.0],
    [INF, 1.0, 2.0, INF],
    [-INF, 1.0, 2.0, -1.0],
    [INF, INF, 1.0, 0.0],
    [0.0, 2.0, 3.0, -1.0],
    [0.0, 0.0, 3.0, 2.0],
    [-0.0, 0.0, 1.0, 1.0],
    [1.0, 1.0, 1.0, 1.0],
    [1e-200, 1e-200, 1e-200, 1e-200],
]

# Every reduction over such columns.
EDGE_PROGRAMS = """
x.sum(0) | x.nansum(0) | x.mean(0) | x.nanmean(0) | torch.nanmean(x) | x.nansum() | x.nansum(-2) | x.nanmean((0, 1)) | x.nanmean(-2, keepdim=True)
x.amax(0) | x.amin(0) | x.max(0).values | x.min(0).values | torch.aminmax(x, dim=0) | x.cummax(0).values | x.cummin(0).values | x.mode(0).values | x.sort(0).values | x.median(0).values
torch.stack([c.max() for c in x.t()]) | torch.stack([c.min() for c in x.t()]) | torch.stack([c.amax() for c in x.t()]) | torch.stack([torch.nanmean(c) for c in x.t()])
torch.stack([c.prod() for c in x.t()[1:9]]) | x[:, 1:3].prod(0) | x[:, 4:9].prod(0) | x[:, 9:14].prod(0) | x[:, 9:14].cumprod(0) | x[:, 10:12].prod() | torch.stack([c.prod() for c in x.t()[10:]])
x.var(0) | x.std(0) | x.var(0, correction=0) | x.std(0, correction=0) | torch.var_mean(x, 0) | torch.std_mean(x, 0) | torch.stack([c.std() for c in x.t()]) | x.std()
x.norm(dim=0) | x.norm(1, dim=0) | x.norm(0, dim=0) | x.norm(3, dim=0) | x.norm(0.5, dim=0) | x.norm(1.5, dim=0) | x.norm(-1, dim=0) | x.norm(INF, dim=0) | x.norm(-INF, dim=0) | torch.linalg.vector_norm(x, -2, 0) | torch.stack([c.norm() for c in x.t()])
x.logsumexp(0) | x.logcumsumexp(0) | x.cumsum(0) | x.softmax(0) | x.log_softmax(0) | F.softmin(x, 0) | x.exp().sum(0).log() | x.quantile(0.4, 0) | torch.nanquantile(x, 0.4, 0) | x.quantile(0.4, 0, interpolation='lower')
F.normalize(x, dim=0) | F.normalize(x, 1, dim=0) | F.layer_norm(x.t(), (4,)) | F.rms_norm(x.t(), (4,)) | F.instance_norm(x.t()[None]) | F.batch_norm(x, None, None, training=True) | F.cosine_similarity(x, x.flip(0), 0) | F.pairwise_distance(x.t(), x.flip(0).t())
torch.masked.sum(x, 0, mask=x > 0) | torch.masked.mean(x, 0, mask=x > 1) | torch.masked.prod(x, 0, mask=x > 0) | torch.masked.amax(x, 0, mask=x > 1) | torch.masked.var(x, 0, mask=x > 0) | torch.masked.std(x, 0, mask=x > 0) | torch.masked.softmax(x, 0, mask=x > 1) | torch.masked.logsumexp(x, 0, mask=x > 1) | torch.masked.norm(x, 2, 0, mask=x > 1) | torch.masked.log_softmax(x, 0, mask=x > 1)
x.masked_fill(x > 1, 0).sum(0) / (x > 1).sum(0) | torch.where(x > 1, x, 0).sum(0) / (x > 1).sum(0) | x.nan_to_num().sum(0) | (x - x.mean(0)) / x.std(0) | x.abs().log().mean(0) | x.square().mean(0).sqrt() | torch.special.entr(x).sum(0) | torch.special.xlogy(x, x).sum(0)
x.scatter_reduce(0, torch.tensor([[0], [1], [0], [1]]).expand(4, 15), x, 'mean') | x.scatter_reduce(0, torch.tensor([[0], [1], [0], [1]]).expand(4, 15), x, 'amax') | x.scatter_reduce(0, torch.tensor([[0], [1], [0], [1]]).expand(4, 15), x, 'amin', include_self=False) | x.index_reduce(0, torch.tensor([0, 1, 0, 1]), x, 'amin') | torch.segment_reduce(x, 'mean', lengths=torch.tensor([1, 3]))
F.max_pool1d(x.t(), 2) | F.avg_pool1d(x.t(), 2) | F.lp_pool1d(x.t(), 2, 2) | F.local_response_norm(x.t()[None], 2) | torch.cov(x.t()[9:12]) | torch.corrcoef(x.t()[9:13]) | torch.cdist(x.t()[3:4], x.t()[10:12])
F.cross_entropy(x.t(), torch.arange(15) % 4, reduction='none') | F.kl_div(x, x, reduction='none').sum(0) | F.multi_margin_loss(x.t(), torch.arange(15) % 4, reduction='none') | F.multilabel_margin_loss(x.t(), torch.arange(60).reshape(15, 4) % 5 - 1) | F.huber_loss(x, x[:1].expand(4, 15), reduction='none') | F.smooth_l1_loss(x, x[:1].expand(4, 15), reduction='none') | F.binary_cross_entropy_with_logits(x, x.sign(), reduction='none') | F.soft_margin_loss(x, x.sign()) | F.triplet_margin_loss(x.t(), x.flip(0).t(), x.t() * 2, reduction='none') | F.cosine_embedding_loss(x.t(), x.flip(0).t(), torch.ones(15), reduction='none')
x[:0].sum(0) | x[:0].prod(0) | x[:0].mean(0) | x[:0].logsumexp(0) | x[:0].nanmean(0) | x[:0].nansum(0) | x[:0].var(0) | x[:0].std(0) | x[:0].norm(dim=0)
x[:1].var(0) | x[:1].std(0) | x[:1].std(0, correction=0) | x[:1, :14].norm(dim=0) | x[:1].logsumexp(0) | x[:1].softmax(0) | x[:1].nanmean(0) | x[:1].median(0).values | torch.std_mean(x[:1], 0) | torch.var_mean(x[:1], 0) | x[:1, :14].norm(3, dim=0) | x[:1].norm(1, dim=0) | x[:1].norm(INF, dim=0)
"""
