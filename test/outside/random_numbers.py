# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout and random numbers of emitted files, under upstream Triton's interpreter.

    random_numbers.py BINARY

PyTorch's own stream of numbers is not reproduced, so nothing is compared with it: uniform numbers must be, bit for
bit, those that an implementation of Philox here makes of the seed and the element's position, at every stage and for
any strides; the other distributions must have their mean and variance; a gradient must see the forward's mask; a seed
that is not given must follow torch.manual_seed. Prints what fails; exits 1 then.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import upstream  # noqa: F401  (before triton)

import loading
import torch

SOURCE = """
import torch
import torch.nn as nn
import torch.nn.functional as F


def uniform(x):
    return torch.rand_like(x), x + torch.rand(x.shape)


def uniform_types(x):
    return torch.rand_like(x, dtype=torch.float16), torch.rand(x.shape, dtype=torch.bfloat16), torch.rand_like(x, dtype=torch.float64)


def integers(x):
    return torch.randint_like(x, 7), torch.randint(-5, 20, x.shape)


def drops(x, y):
    return F.dropout(x, 0.3) * y


def sums(x):
    return F.dropout(x * 2, 0.25).sum(1), F.dropout(x, 0.25).sum(0)


def none_and_all(x):
    return F.dropout(x, 0.0), F.dropout(x, 1.0), F.dropout(x, 0.5, training=False), torch.bernoulli(x * 0), torch.bernoulli(x * 0 + 1)


def channels(x):
    return F.dropout2d(x, 0.4), F.dropout1d(x[0], 0.4), F.dropout3d(x, 0.4), F.feature_alpha_dropout(x, 0.4, True)


def alpha(x):
    return F.alpha_dropout(x, 0.2, True)


def distributions(x):
    normal = torch.randn_like(x)
    shifted = torch.normal(3.0, 2.0, x.shape)
    symmetric = torch.empty_like(x).uniform_(-1, 3)
    exponential = torch.empty_like(x).exponential_(2.0)
    coins = torch.empty_like(x).bernoulli_(0.2)
    tries = torch.empty_like(x).geometric_(0.25)
    own = torch.bernoulli(torch.full_like(x, 0.7))
    slopes = F.rrelu(-torch.ones_like(x), 0.2, 0.4, training=True)
    return normal, shifted, symmetric, exponential, coins, tries, own, slopes


def gumbel(x):
    return F.gumbel_softmax(x, tau=0.5), F.gumbel_softmax(x, hard=True, dim=0)


def choices(x):
    order = torch.randperm(x.shape[0])
    return torch.multinomial(x, 1), torch.multinomial(x, 3), torch.multinomial(x[0], 4000, replacement=True), order, torch.empty_like(x).random_(2, 9)


def in_place(x):
    y = x * 1
    F.dropout(y, 0.5, inplace=True)
    y[:, :3].normal_()
    return y


def named(x, seed):
    return F.dropout(x, 0.5) * seed


class Block(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.first = nn.Dropout(0.1)
        self.second = nn.Dropout(0.4)

    def forward(self, x):
        return self.second(self.norm(x + self.first(x)))


def attends(x, y):
    return F.scaled_dot_product_attention(x, x, y, dropout_p=0.3)


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(4, 3, 2, dropout=0.4)

    def forward(self, x):
        return self.rnn(x)[0]
"""

PROGRAMS = {
    name: "x=f32[M,N]"
    for name in ("uniform uniform_types integers sums none_and_all alpha distributions gumbel in_place choices".split())
}
PROGRAMS |= {
    "drops": "x=f32[M,N],y=f32[M,N]",
    "channels": "x=f32[B,C,H,W]",
    "named": "x=f32[M,N],seed=f32[N]",
    "Block": "x=f32[M,24]",
    "attends": "x=f32[B,T,C],y=f32[B,T,D]",
    "Stack": "x=f32[2,B,4]",
}
GRADIENTS = ("drops", "sums", "Block", "attends")
FILES = {"Block": "block", "Stack": "stack"}
STREAM = 2**40


def philox(seed, offsets):
    """The words of Philox 4x32-10."""
    c = [offsets & 0xFFFFFFFF, offsets >> 32, offsets * 0, offsets * 0]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    mask = np.uint64(0xFFFFFFFF)
    c = [part.astype(np.uint64) for part in c]
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        high_a, high_b = a >> np.uint64(32), b >> np.uint64(32)
        c = [high_b ^ c[1] ^ np.uint64(key[0]), b & mask, high_a ^ c[3] ^ np.uint64(key[1]), a & mask]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def words(seed, stream, shape):
    """The words of as many elements: four neighbours share a counter."""
    count = int(np.prod(shape))
    counters = np.arange((count + 3) // 4, dtype=np.int64) + stream * STREAM
    drawn = np.stack(philox(seed, counters), axis=-1).reshape(-1)[:count]
    return torch.from_numpy(drawn.astype(np.int64).reshape(shape))


def uniform(seed, stream, shape):
    bits = words(seed, stream, shape).numpy().astype(np.uint32).view(np.int32)
    bits = np.where(bits < 0, ~bits, bits).astype(np.float32)
    return torch.from_numpy(bits * np.float32(4.6566127342e-10))


FAULTS = []
RIGHT = []


def expect(condition, *what):
    if condition:
        RIGHT.append(what)
    else:
        FAULTS.append(" ".join(map(str, what)))
        print("FAIL", *what)


def close(name, values, mean, variance):
    """Within five standard errors of the mean; the variance within a tenth."""
    values = values.double()
    error = 5 * (variance / values.numel()) ** 0.5
    expect(abs(values.mean() - mean) <= error, name, "has the mean", float(values.mean()), "expected", mean)
    if variance:
        expect(
            abs(values.var() / variance - 1) < 0.1, name, "has the variance", float(values.var()), "expected", variance
        )


def check_bits(load):
    shape, seed = (37, 50), 0x123456789ABCDEF
    x = torch.randn(shape)
    u = load("uniform")(x, seed=seed)
    expect(torch.equal(u[0], uniform(seed, 0, shape)), "rand_like is not Philox")
    expect(torch.equal(u[1], x + uniform(seed, 1, shape)), "the second draw is not Philox")
    small = load("uniform")(x, seed=-1)[0]
    expect(torch.equal(small, uniform(2**64 - 1, 0, shape)), "a negative seed is not Philox")
    half, bfloat, double = load("uniform_types")(x, seed=seed)
    expect(torch.equal(half, (uniform(seed, 0, shape) * 2048).floor().div(2048).half()), "float16")
    expect(torch.equal(bfloat, (uniform(seed, 1, shape) * 256).floor().div(256).bfloat16()), "bfloat16")
    expect(torch.equal(double, uniform(seed, 2, shape).double()), "float64")
    like, between = load("integers")(x, seed=seed)
    expect(torch.equal(like, (words(seed, 0, shape) % 7).float()), "randint_like is not Philox")
    expect(between.dtype == torch.int64, "the type of randint")
    expect(torch.equal(between, words(seed, 1, shape) % 25 - 5), "randint is not Philox")


def check_dropout(load):
    x, y, seed = torch.randn(37, 50), torch.randn(37, 50), 42
    dropped = uniform(seed, 0, x.shape) < torch.tensor(0.3)
    noise = torch.where(dropped, 0.0, 1 / 0.7)
    drops = load("drops")
    expect(torch.equal(drops(x, y, seed=seed), x * noise * y), "dropout's mask or scale")
    expect(torch.equal(drops(x.t().contiguous().t(), y, seed=seed), x * noise * y), "the mask depends on strides")
    expect(not torch.equal(drops(x, y, seed=43), drops(x, y, seed=seed)), "the seed does not matter")
    torch.manual_seed(5)
    first, second = drops(x, y), drops(x, y)
    torch.manual_seed(5)
    expect(torch.equal(drops(x, y), first), "torch.manual_seed does not repeat")
    expect(not torch.equal(first, second), "two calls without a seed have one mask")
    leaf, other = x.clone().requires_grad_(), y.clone().requires_grad_()
    cotangent = torch.randn(x.shape)
    drops(leaf, other, seed=seed).backward(cotangent)
    expect(torch.equal(leaf.grad, cotangent * y * noise), "the gradient has another mask")
    expect(torch.equal(other.grad, cotangent * (x * noise)), "the other gradient has another mask")
    leaf = x.clone().requires_grad_()
    first, second = load("sums")(leaf, seed=seed)
    a, b = ((uniform(seed, stream, x.shape) >= 0.25) / 0.75 for stream in (0, 1))
    torch.testing.assert_close(first, (x * 2 * a).sum(1))
    torch.testing.assert_close(second, (x * b).sum(0))
    (first.sum() + second.sum()).backward()
    torch.testing.assert_close(leaf.grad, 2 * a + b)
    zero, one, evaluated, never, always = load("none_and_all")(x, seed=seed)
    expect(torch.equal(zero, x) and torch.equal(evaluated, x), "dropout of nothing")
    expect(not one.any() and not never.any() and always.all(), "dropout of all")
    half = torch.where(uniform(seed, 0, x.shape) < 0.5, 0.0, 2.0)
    found = load("named")(x, y[0], random_seed=seed)
    expect(torch.equal(found, x * half * y[0]), "a parameter called seed")


def check_channels(load):
    x, seed = torch.rand(30, 20, 3, 5) + 1, 9
    two, one, three, alpha = load("channels")(x, seed=seed)
    # Each draws one number a channel.
    for stream, (name, found, given, channels) in enumerate(
        (
            ("dropout2d", two, x, (30, 20, 1, 1)),
            ("dropout1d", one, x[0], (20, 3, 1)),
            ("dropout3d", three, x, (30, 1, 1, 1)),
        )
    ):
        dropped = uniform(seed, stream, channels) < torch.tensor(0.4)
        expect(torch.equal(found, torch.where(dropped, 0.0, given * (1 / 0.6))), name, "drops other channels")
    dropped = (uniform(seed, 3, (30, 20, 1, 1)) < torch.tensor(0.4)).expand(x.shape)
    low = -1.7580993408473766
    scale = (0.6 * (1 + 0.4 * low**2)) ** -0.5
    expected = scale * torch.where(dropped, low, x) - scale * 0.4 * low
    expect(torch.allclose(alpha, expected, rtol=1e-5, atol=1e-6), "feature_alpha_dropout drops other channels")
    x = torch.randn(200, 200)
    close("alpha_dropout", load("alpha")(x, seed=3), 0.0, 1.0)


def check_distributions(load):
    x = torch.zeros(200, 201)
    found = load("distributions")(x, seed=11)
    expected = {
        "randn": (0, 1), "normal": (3, 4), "uniform_": (1, 16 / 12), "exponential_": (0.5, 0.25), "bernoulli_": (0.2, 0.16),
        "geometric_": (4, 12), "bernoulli": (0.7, 0.21), "rrelu": (-0.3, 0.04 / 12),
    }  # fmt: skip
    for (name, (mean, variance)), values in zip(expected.items(), found):
        close(name, values, mean, variance)
    expect(found[3].min() > 0 and found[5].min() == 1, "the least of exponential_ and geometric_")
    expect(abs((found[0] * found[1]).mean()) < 0.06, "two draws are correlated")
    soft, hard = load("gumbel")(torch.randn(60, 70), seed=2)
    torch.testing.assert_close(soft.sum(1), torch.ones(60))
    torch.testing.assert_close(hard.sum(0), torch.ones(70))
    y = load("in_place")(x + 1, seed=4)
    expect(set(y[:, 3:].unique().tolist()) == {0.0, 2.0}, "dropout in place")
    close("a view's normal_", y[:, :3], 0, 1)


def check_choices(load):
    weights = torch.tensor([0.1, 0.2, 0.0, 0.4, 0.25, 0.05])
    one, three, many, order, numbers = load("choices")((weights * 3).expand(1500, 6).contiguous(), seed=21)
    expect(
        three.dtype == torch.int64 and len(set(map(len, map(set, three.tolist())))) == 1, "multinomial repeats a choice"
    )
    for name, found in (("one", one), ("first of three", three[:, :1]), ("many", many)):
        counts = torch.bincount(found.reshape(-1), minlength=6).double()
        error = 5 * (weights * (1 - weights) / found.numel()) ** 0.5
        expect(
            bool(((counts / found.numel() - weights).abs() <= error).all()),
            name,
            "of multinomial has the rates",
            counts,
        )
    expect(torch.equal(order.sort().values, torch.arange(1500)), "randperm is no permutation")
    close("the first half of randperm", order[:750].double(), 749.5, 1500**2 / 12)
    close("random_", numbers, 5.0, 4.0)


def check_module(load, original):
    module, reference = load("Block")(), original.Block()
    x = torch.randn(6, 24)
    with torch.no_grad():
        reference.norm.weight.normal_()
    module.load_state_dict(reference.state_dict())
    first = torch.where(uniform(8, 0, x.shape) < torch.tensor(0.1), 0.0, 1 / 0.9)
    second = torch.where(uniform(8, 1, x.shape) < torch.tensor(0.4), 0.0, 1 / 0.6)
    leaf, same = x.clone().requires_grad_(), x.clone().requires_grad_()
    found = module(leaf, seed=8)
    expected = reference.norm(same + same * first) * second
    torch.testing.assert_close(found, expected)
    cotangent = torch.randn(x.shape)
    found.backward(cotangent)
    expected.backward(cotangent)
    torch.testing.assert_close(leaf.grad, same.grad, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(module.norm.weight.grad, reference.norm.weight.grad, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(module.eval()(x), reference.eval()(x))


def check_attention(load):
    """Weights are dropped behind the softmax."""
    x, y = torch.randn(2, 9, 4), torch.randn(2, 9, 5)
    noise = torch.where(uniform(6, 0, (2, 9, 9)) < torch.tensor(0.3), 0.0, 1 / 0.7)
    leaf, same = x.clone().requires_grad_(), x.clone().requires_grad_()
    found = load("attends")(leaf, y, seed=6)
    expected = (same @ same.mT / 2).softmax(-1) * noise @ y
    torch.testing.assert_close(found, expected)
    cotangent = torch.randn(found.shape)
    found.backward(cotangent)
    expected.backward(cotangent)
    torch.testing.assert_close(leaf.grad, same.grad, rtol=1e-4, atol=1e-5)


def check_layers(load, original):
    """What is dropped between recurrent layers, not behind the last."""
    module, reference = load("Stack")(), original.Stack()
    module.load_state_dict(reference.state_dict())
    x = torch.randn(2, 7, 4)
    layers = [torch.nn.GRU(4, 3), torch.nn.GRU(3, 3)]
    for place, layer in enumerate(layers):
        state = reference.rnn.state_dict()
        layer.load_state_dict({name: state[name.replace("l0", f"l{place}")] for name in layer.state_dict()})
    noise = torch.where(uniform(3, 0, (2, 7, 3)) < torch.tensor(0.4), 0.0, 1 / 0.6)
    torch.testing.assert_close(module(x, seed=3), layers[1](layers[0](x)[0] * noise)[0])
    torch.testing.assert_close(module.eval()(x), reference.eval()(x))


def main():
    binary = sys.argv[1]
    torch.set_num_threads(1)
    folder = Path(tempfile.mkdtemp())
    source = folder / "programs.py"
    source.write_text(SOURCE.lstrip())
    for name, inputs in PROGRAMS.items():
        options = ["--inputs", inputs] + (["--backward"] if name in GRADIENTS else [])
        done = subprocess.run(
            [binary, "convert", f"{source}:{name}", "--stage", "all", *options, "-o", folder],
            capture_output=True,
            text=True,
        )
        expect(done.returncode == 0, name, "is not converted:", done.stderr)
    if FAULTS:
        return 1
    for stage in (1, 2, 3):
        print("stage", stage)

        def load(name):
            return getattr(loading.load(folder / f"{FILES.get(name, name)}_stage{stage}.py"), name)

        check_bits(load)
        check_dropout(load)
        check_channels(load)
        if stage == 2:
            check_distributions(load)
            check_choices(load)
        check_module(load, loading.load(source))
        check_attention(load)
        check_layers(load, loading.load(source))
    print(f"random numbers: {len(RIGHT)} right, {len(FAULTS)} wrong")
    return bool(FAULTS)


if __name__ == "__main__":
    sys.exit(main())
