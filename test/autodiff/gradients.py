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

KINK_PROGRAMS = [
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
