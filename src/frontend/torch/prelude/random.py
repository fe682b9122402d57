# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout and random numbers, made from the program's seed and each element's position. PyTorch's own
stream of numbers is not reproduced: the distributions are."""

import math


def _uniform(seed, size, dtype):
    """Numbers in [0, 1) that a type can hold; the cast must not round one up to 1."""
    number = prims.random("uniform", seed, size)
    if dtype == torch.float16:
        number = torch.floor(number * 2048) / 2048
    if dtype == torch.bfloat16:
        number = torch.floor(number * 256) / 256
    return number.to(dtype)


def _happens(seed, size, p):
    """True with probability p, for a number p: always for 1, never for 0."""
    return prims.random("uniform", seed, size) < prims.float32(p)


def _constants(condition, yes, no, dtype):
    return torch.where(condition, torch.full([], yes, dtype=dtype), torch.full([], no, dtype=dtype))


# --- Dropout


@op("aten::dropout(Tensor input, float p, bool train) -> Tensor", at="prims", names="drop")
def _drop(input, seed, size, p):
    scale = prims.dropout_scale(p)
    dropped = _happens(seed, size, p)
    return input * _constants(dropped, 0.0, scale, input.dtype)


@op("aten::alpha_dropout(Tensor input, float p, bool train) -> Tensor", at="prims", names="drop_alpha")
def _drop_alpha(input, seed, size, p):
    alpha = 1.7580993408473766
    a = 1.0 / ((alpha * alpha * p + 1) * (1 - p)) ** 0.5
    dropped = _happens(seed, size, p)
    shift = _constants(dropped, alpha * a * p - alpha * a, alpha * a * p, input.dtype)
    return input * _constants(dropped, 0.0, a, input.dtype) + shift


def _dropout(drop, input, size, p, training, inplace):
    if not prims.is_known(p):
        return prims.refuse("the probability of dropout is not known while converting", "give it a number")
    if not prims.is_live(p, 0.0, 1.0) or drop is not _drop:
        if p < 0.0 or p > 1.0:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        if p == 0:
            return input
        drop = _drop if p == 1 else drop
    if not training:
        return input
    if not prims.draws():
        return prims.unknown(input)
    result = drop(input, prims.seed(), size, p)
    return input.copy_(result) if inplace else result


def _channels(input):
    """The sizes of one number a channel of each example."""
    if input.dim() < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return [input.size(0), input.size(1)] + [1] * (input.dim() - 2)


@view(at="F")
def dropout(input, p=0.5, training=True, inplace=False):
    return _dropout(_drop, input, input.shape, p, training, inplace)


@view(at="F")
def alpha_dropout(input, p=0.5, training=False, inplace=False):
    return _dropout(_drop_alpha, input, input.shape, p, training, inplace)


@view(at="F")
def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    return _dropout(_drop_alpha, input, _channels(input), p, training, inplace)


@view(at="torch")
def feature_dropout(input, p, train):
    return _dropout(_drop, input, _channels(input), p, train, False)


@view(at="torch", names="dropout")
def _dropout_of_torch(input, p, train):
    return dropout(input, p, train)


@view(at="torch", names="alpha_dropout")
def _alpha_dropout_of_torch(input, p, train):
    return alpha_dropout(input, p, train)


@view(at="torch", names="feature_alpha_dropout")
def _feature_alpha_dropout_of_torch(input, p, train):
    return feature_alpha_dropout(input, p, train)


@view(at="torch", names="dropout_")
def _dropout_in_place(input, p, train):
    return dropout(input, p, train, True)


def _drop_channels(input, p, training, inplace, unbatched):
    """`unbatched`: the rank of one example without an axis for the batch."""
    if input.dim() == unbatched:
        size = [input.size(0)] + [1] * (unbatched - 1)
        return _dropout(_drop, input, size, p, training, inplace)
    return _dropout(_drop, input, _channels(input), p, training, inplace)


@view(at="F")
def dropout1d(input, p=0.5, training=True, inplace=False):
    if input.dim() not in (2, 3):
        raise RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input.")
    return _drop_channels(input, p, training, inplace, 2)


@view(at="F")
def dropout2d(input, p=0.5, training=True, inplace=False):
    # PyTorch takes three axes for a batch of one-dimensional channels.
    return _drop_channels(input, p, training, inplace, None)


@view(at="F")
def dropout3d(input, p=0.5, training=True, inplace=False):
    return _drop_channels(input, p, training, inplace, 4)


@op("aten::rrelu_with_noise(Tensor self, Scalar lower, Scalar upper) -> Tensor", at="prims", names="rrelu_training")
def _rrelu_training(input, seed, lower, upper):
    slope = prims.random("uniform", seed, input.shape) * (upper - lower) + lower
    return torch.where(input <= 0, input * slope, input)


@op("aten::rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False) -> Tensor", at="prims", names="rrelu_mean")
def _rrelu_mean(input, lower, upper):
    return torch.where(input > 0, input, input * ((lower + upper) / 2))


@view(at="torch F")
def rrelu(input, lower=0.125, upper=0.3333333333333333, training=False, inplace=False):
    if training and prims.draws():
        result = _rrelu_training(input, prims.seed(), lower, upper)
    else:
        result = _rrelu_mean(input, lower, upper)
    return input.copy_(result) if inplace else result


# --- Distributions


@op("aten::rand(SymInt[] size) -> Tensor", at="prims", names="draw_rand", dtypes="any")
def _rand(seed, size, to):
    return _uniform(seed, size, to)


@op("aten::randn(SymInt[] size) -> Tensor", at="prims", names="draw_randn", dtypes="any")
def _randn(seed, size, to):
    return prims.random("normal", seed, size).to(to)


@op("aten::randint.low(SymInt low, SymInt high, SymInt[] size) -> Tensor", at="prims", names="draw_randint", dtypes="any")
def _randint(seed, size, to, low, high):
    return (torch.fmod(prims.random("bits", seed, size).to(torch.int64), high - low) + low).to(to)


@op("aten::exponential(Tensor self, float lambd=1) -> Tensor", at="prims", names="draw_exponential", dtypes="any")
def _exponential(seed, size, to, lambd):
    # Never 0, as PyTorch's: 2**-24 stands for what is less.
    return (torch.clamp(-torch.log1p(-prims.random("uniform", seed, size)), min=2.0**-24) / lambd).to(to)


@op("aten::cauchy(Tensor self, float median=0, float sigma=1) -> Tensor", at="prims", names="draw_cauchy", dtypes="any")
def _cauchy(seed, size, to, median, sigma):
    return (median + sigma * torch.tan(3.141592653589793 * (prims.random("uniform", seed, size) - 0.5))).to(to)


@op("aten::geometric(Tensor self, float p) -> Tensor", at="prims", names="draw_geometric", dtypes="any")
def _geometric(seed, size, to, p):
    tries = torch.ceil(torch.log1p(-prims.random("uniform", seed, size)) / math.log1p(-p))
    return torch.clamp(tries, min=1.0).to(to)


@op("aten::bernoulli(Tensor self) -> Tensor", at="prims", names="draw_bernoulli")
def _bernoulli(input, seed, size):
    return (prims.random("uniform", seed, size) < input).to(input.dtype)


@op("aten::bernoulli.p(Tensor self, float p) -> Tensor", at="prims", names="draw_bernoulli_p", dtypes="any")
def _bernoulli_p(seed, size, to, p):
    return _happens(seed, size, p).to(to)


@op("aten::normal.Tensor_Tensor(Tensor mean, Tensor std) -> Tensor", at="prims", names="draw_normal", dtypes="promote")
def _normal(mean, std, seed, size):
    return prims.random("normal", seed, size) * std + mean


def _check_probability(name, p):
    if p < 0.0 or p > 1.0:
        raise RuntimeError(f"{name} expects p to be in [0, 1], but got p={p}")


@view(at="torch Tensor")
def bernoulli(input, p=None, *, generator=None, out=None):
    if not prims.draws(generator):
        return prims.unknown(input)
    if p is None:
        return _bernoulli(input.detach(), prims.seed(), input.shape)
    if not prims.is_known(p):
        return prims.refuse("a probability that is not known while converting", "give bernoulli a tensor of them")
    _check_probability("bernoulli_", p)
    return _bernoulli_p(prims.seed(), input.shape, input.dtype, p)


@view(at="torch")
def normal(mean=0.0, std=1.0, size=None, *, generator=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False, out=None):
    tensors = [x for x in (mean, std) if isinstance(x, torch.Tensor)]
    if not tensors:
        if size is None:
            raise TypeError("normal() of two numbers needs a size")
        number = torch.randn(size, dtype=dtype, generator=generator)
        return number if mean == 0 and std == 1 else number * std + mean
    shape = tensors[0].shape if len(tensors) == 1 else torch.broadcast_tensors(mean, std)[0].shape
    if not prims.draws(generator):
        return prims.unknown(tensors[0].expand(shape))
    mean = mean.detach() if isinstance(mean, torch.Tensor) else mean
    std = std.detach() if isinstance(std, torch.Tensor) else std
    return _normal(mean, std, prims.seed(), shape)


@view(at="Tensor", names="bernoulli_")
def _bernoulli_in_place(input, p=0.5, *, generator=None):
    if not prims.draws(generator):
        return input
    if isinstance(p, torch.Tensor):
        return input.copy_(_bernoulli(p.detach().expand(input.shape), prims.seed(), input.shape))
    if not prims.is_known(p):
        return prims.refuse("a probability that is not known while converting", "give bernoulli_ a tensor of them")
    _check_probability("bernoulli_", p)
    return input.copy_(_bernoulli_p(prims.seed(), input.shape, input.dtype, p))


@view(at="Tensor", names="uniform_")
def _uniform_in_place(input, start=0.0, to=1.0, *, generator=None):
    if not prims.draws(generator):
        return input
    number = _rand(prims.seed(), input.shape, input.dtype)
    return input.copy_(number if start == 0 and to == 1 else number * (to - start) + start)


@view(at="Tensor", names="normal_")
def _normal_in_place(input, mean=0.0, std=1.0, *, generator=None):
    if not prims.draws(generator):
        return input
    number = _randn(prims.seed(), input.shape, input.dtype)
    return input.copy_(number if mean == 0 and std == 1 else number * std + mean)


@view(at="Tensor", names="log_normal_")
def _log_normal_in_place(input, mean=1.0, std=2.0, *, generator=None):
    if not prims.draws(generator):
        return input
    return input.copy_(torch.exp(_randn(prims.seed(), input.shape, input.dtype) * std + mean))


@view(at="Tensor", names="exponential_")
def _exponential_in_place(input, lambd=1.0, *, generator=None):
    if not prims.is_known(lambd):
        return prims.refuse("a rate that is not known while converting", "give it a number")
    if lambd <= 0.0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd}")
    if not prims.draws(generator):
        return input
    return input.copy_(_exponential(prims.seed(), input.shape, input.dtype, lambd))


@view(at="Tensor", names="cauchy_")
def _cauchy_in_place(input, median=0.0, sigma=1.0, *, generator=None):
    if not prims.draws(generator):
        return input
    return input.copy_(_cauchy(prims.seed(), input.shape, input.dtype, median, sigma))


@view(at="Tensor", names="geometric_")
def _geometric_in_place(input, p, *, generator=None):
    if not prims.is_known(p):
        return prims.refuse("a probability that is not known while converting", "give it a number")
    if p <= 0.0 or p >= 1.0:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p}")
    if not prims.draws(generator):
        return input
    return input.copy_(_geometric(prims.seed(), input.shape, input.dtype, p))


@view(at="F")
def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    if not prims.draws():
        return prims.unknown(logits)
    noise = -torch.log(_exponential(prims.seed(), logits.shape, logits.dtype, 1.0))
    soft = torch.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    largest = torch.argmax(soft, dim, keepdim=True)
    chosen = (prims.iota(soft.shape, dim) == largest).to(soft.dtype)
    return chosen - soft.detach() + soft


@view()
def multinomial(input, num_samples, replacement=False, *, generator=None, out=None):
    if input.dim() not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if not isinstance(num_samples, int) or num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not prims.draws(generator):
        return prims.unknown(torch.zeros(tuple(input.shape[:-1]) + (num_samples,), dtype=torch.int64))
    input = input.detach()
    weights = input.float() if input.dtype in (torch.float16, torch.bfloat16) else input
    if num_samples == 1 or not replacement:
        # Who waits least of clocks that ring at these rates: the first of them, then the next.
        ranks = weights / _exponential(prims.seed(), weights.shape, weights.dtype, 1.0)
        return torch.argmax(ranks, -1, keepdim=True) if num_samples == 1 else torch.topk(ranks, num_samples, -1).indices
    bounds = torch.cumsum(weights, -1)
    draws = _rand(prims.seed(), tuple(weights.shape[:-1]) + (num_samples,), weights.dtype) * bounds[..., -1:]
    return torch.clamp(torch.searchsorted(bounds, draws, right=True), max=weights.shape[-1] - 1)


@view(at="torch")
def randperm(n, *, out=None, generator=None, dtype=torch.int64, layout=None, device=None, requires_grad=False, pin_memory=False):
    if not prims.draws(generator):
        return prims.unknown(torch.zeros((n,), dtype=dtype))
    # Of two words: keys that are equal would keep the order of their places.
    high, low = [prims.random("bits", prims.seed(), (n,)).to(torch.int64) for _ in range(2)]
    return torch.argsort(high * 2**32 + low).to(dtype)


@view(at="Tensor", names="random_")
def _random_in_place(input, start=0, to=None, *, generator=None):
    if to is None:
        start, to = 0, start if start != 0 else None
    if not prims.draws(generator):
        return input
    if to is None:
        digits = {torch.float16: 11, torch.bfloat16: 8, torch.float32: 24, torch.float64: 53, torch.int8: 7, torch.uint8: 8, torch.int16: 15, torch.int32: 31, torch.bool: 1}
        to = 2 ** digits.get(input.dtype, 63) + (1 if input.is_floating_point() else 0)
    return input.copy_(_randint(prims.seed(), input.shape, input.dtype, start, to))


@export(at="torch cuda random", names="manual_seed")
def _manual_seed(seed):
    if prims.draws():
        return prims.refuse("torch.manual_seed in the program is not supported", "pass seed= to the converted program")
    return None
