# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.distributions. Parameters and values are not checked against their domains, which would read
the data; samples have their own stream of numbers (random.py)."""

import math

_half_log_tau = 0.5 * math.log(2 * math.pi)
_euler = 0.57721566490153286060


def _together(*values):
    """Parameters of one shape; numbers get the type of the tensors."""
    dtype = torch.get_default_dtype()
    for value in values:
        if isinstance(value, torch.Tensor):
            dtype = value.dtype
            break
    return torch.broadcast_tensors(*[v if isinstance(v, torch.Tensor) else torch.full((), v, dtype=dtype) for v in values])


def _inside(probs):
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


class Distribution:
    has_rsample = False

    def __init__(self, batch_shape=(), event_shape=(), validate_args=None):
        self._batch_shape = tuple(batch_shape)
        self._event_shape = tuple(event_shape)

    @property
    def batch_shape(self):
        return self._batch_shape

    @property
    def event_shape(self):
        return self._event_shape

    @property
    def stddev(self):
        return torch.sqrt(self.variance)

    def _extended_shape(self, sample_shape=()):
        return tuple(sample_shape) + self._batch_shape + self._event_shape

    def sample(self, sample_shape=()):
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=()):
        return prims.refuse(type(self).__name__ + ".sample is not supported yet", "pass the sample as an argument")

    def log_prob(self, value):
        raise NotImplementedError

    def entropy(self):
        raise NotImplementedError

    def perplexity(self):
        return torch.exp(self.entropy())


class _LocationScale(Distribution):
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = _together(loc, scale)
        super().__init__(self.loc.shape)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc


class Normal(_LocationScale):
    @property
    def stddev(self):
        return self.scale

    @property
    def variance(self):
        return self.scale.pow(2)

    def rsample(self, sample_shape=()):
        noise = torch.randn(self._extended_shape(sample_shape), dtype=self.loc.dtype)
        return self.loc + noise * self.scale

    def log_prob(self, value):
        return -((value - self.loc) ** 2) / (2 * self.scale**2) - self.scale.log() - _half_log_tau

    def cdf(self, value):
        return 0.5 * (1 + torch.erf((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    def icdf(self, value):
        return self.loc + self.scale * torch.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self):
        return 0.5 + _half_log_tau + torch.log(self.scale)


class LogNormal(_LocationScale):
    @property
    def mean(self):
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self):
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self):
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()

    def rsample(self, sample_shape=()):
        return Normal(self.loc, self.scale).rsample(sample_shape).exp()

    def log_prob(self, value):
        return Normal(self.loc, self.scale).log_prob(value.log()) - value.log()

    def entropy(self):
        return Normal(self.loc, self.scale).entropy() + self.loc


class HalfNormal(Distribution):
    has_rsample = True

    def __init__(self, scale, validate_args=None):
        (self.scale,) = _together(scale)
        super().__init__(self.scale.shape)

    @property
    def mean(self):
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self):
        return self.scale.pow(2) * (1 - 2 / math.pi)

    def rsample(self, sample_shape=()):
        return Normal(torch.zeros_like(self.scale), self.scale).rsample(sample_shape).abs()

    def log_prob(self, value):
        inside = Normal(torch.zeros_like(self.scale), self.scale).log_prob(value) + math.log(2)
        return torch.where(value >= 0, inside, -math.inf)

    def entropy(self):
        return 0.5 + _half_log_tau + torch.log(self.scale) - math.log(2)


class Laplace(_LocationScale):
    @property
    def variance(self):
        return 2 * self.scale.pow(2)

    @property
    def stddev(self):
        return math.sqrt(2) * self.scale

    def rsample(self, sample_shape=()):
        u = torch.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype) - 0.5
        return self.loc - self.scale * u.sign() * torch.log1p(-2 * u.abs())

    def log_prob(self, value):
        return -torch.log(2 * self.scale) - torch.abs(value - self.loc) / self.scale

    def cdf(self, value):
        return 0.5 - 0.5 * (value - self.loc).sign() * torch.expm1(-(value - self.loc).abs() / self.scale)

    def entropy(self):
        return 1 + torch.log(2 * self.scale)


class Cauchy(_LocationScale):
    @property
    def mean(self):
        return torch.full_like(self.loc, math.nan)

    @property
    def variance(self):
        return torch.full_like(self.loc, math.inf)

    def log_prob(self, value):
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    def cdf(self, value):
        return torch.atan((value - self.loc) / self.scale) / math.pi + 0.5

    def entropy(self):
        return math.log(4 * math.pi) + self.scale.log()


class Gumbel(_LocationScale):
    @property
    def mean(self):
        return self.loc + self.scale * _euler

    @property
    def variance(self):
        return self.stddev.pow(2)

    @property
    def stddev(self):
        return (math.pi / math.sqrt(6)) * self.scale

    def rsample(self, sample_shape=()):
        u = torch.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype)
        return self.loc - self.scale * torch.log(-torch.log(u))

    def log_prob(self, value):
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    def entropy(self):
        return self.scale.log() + (1 + _euler)


class StudentT(Distribution):
    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        self.df, self.loc, self.scale = _together(df, loc, scale)
        super().__init__(self.df.shape)

    @property
    def mode(self):
        return self.loc

    def log_prob(self, value):
        y = (value - self.loc) / self.scale
        norm = self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi)
        norm = norm + torch.lgamma(0.5 * self.df) - torch.lgamma(0.5 * (self.df + 1.0))
        return -0.5 * (self.df + 1.0) * torch.log1p(y**2.0 / self.df) - norm


class Uniform(Distribution):
    has_rsample = True

    def __init__(self, low, high, validate_args=None):
        self.low, self.high = _together(low, high)
        super().__init__(self.low.shape)

    @property
    def mean(self):
        return (self.high + self.low) / 2

    @property
    def stddev(self):
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self):
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape=()):
        u = torch.rand(self._extended_shape(sample_shape), dtype=self.low.dtype)
        return self.low + u * (self.high - self.low)

    def log_prob(self, value):
        inside = self.low.le(value).type_as(self.low) * self.high.gt(value).type_as(self.low)
        return torch.log(inside) - torch.log(self.high - self.low)

    def cdf(self, value):
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value):
        return value * (self.high - self.low) + self.low

    def entropy(self):
        return torch.log(self.high - self.low)


class Exponential(Distribution):
    has_rsample = True

    def __init__(self, rate, validate_args=None):
        (self.rate,) = _together(rate)
        super().__init__(self.rate.shape)

    @property
    def mean(self):
        return self.rate.reciprocal()

    @property
    def mode(self):
        return torch.zeros_like(self.rate)

    @property
    def stddev(self):
        return self.rate.reciprocal()

    @property
    def variance(self):
        return self.rate.pow(-2)

    def rsample(self, sample_shape=()):
        u = torch.rand(self._extended_shape(sample_shape), dtype=self.rate.dtype)
        return -torch.log1p(-u) / self.rate

    def log_prob(self, value):
        return self.rate.log() - self.rate * value

    def cdf(self, value):
        return 1 - torch.exp(-self.rate * value)

    def icdf(self, value):
        return -torch.log1p(-value) / self.rate

    def entropy(self):
        return 1.0 - torch.log(self.rate)


class Gamma(Distribution):
    def __init__(self, concentration, rate, validate_args=None):
        self.concentration, self.rate = _together(concentration, rate)
        super().__init__(self.concentration.shape)

    @property
    def mean(self):
        return self.concentration / self.rate

    @property
    def mode(self):
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self):
        return self.concentration / self.rate.pow(2)

    def log_prob(self, value):
        value = torch.as_tensor(value, dtype=self.rate.dtype)
        first = torch.xlogy(self.concentration, self.rate) + torch.xlogy(self.concentration - 1, value)
        return first - self.rate * value - torch.lgamma(self.concentration)

    def entropy(self):
        first = self.concentration - torch.log(self.rate) + torch.lgamma(self.concentration)
        return first + (1.0 - self.concentration) * torch.digamma(self.concentration)

    def cdf(self, value):
        value = torch.as_tensor(value, dtype=self.rate.dtype)
        return torch.special.gammainc(self.concentration, self.rate * value)


class Chi2(Gamma):
    def __init__(self, df, validate_args=None):
        super().__init__(0.5 * df, 0.5)

    @property
    def df(self):
        return self.concentration * 2


class InverseGamma(Distribution):
    def __init__(self, concentration, rate, validate_args=None):
        self.concentration, self.rate = _together(concentration, rate)
        super().__init__(self.concentration.shape)

    @property
    def mean(self):
        return torch.where(self.concentration > 1, self.rate / (self.concentration - 1), float("inf"))

    @property
    def mode(self):
        return self.rate / (self.concentration + 1)

    @property
    def variance(self):
        less = self.concentration - 1
        return torch.where(self.concentration > 2, self.rate.square() / (less.square() * (less - 1)), float("inf"))

    def log_prob(self, value):
        value = torch.as_tensor(value, dtype=self.rate.dtype)
        return Gamma(self.concentration, self.rate).log_prob(1 / value) - 2 * torch.log(value)

    def entropy(self):
        c = self.concentration
        return c + torch.log(self.rate) + torch.lgamma(c) - (1 + c) * torch.digamma(c)

    def cdf(self, value):
        value = torch.as_tensor(value, dtype=self.rate.dtype)
        return torch.special.gammaincc(self.concentration, self.rate / value)


class Dirichlet(Distribution):
    def __init__(self, concentration, validate_args=None):
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:])

    @property
    def mean(self):
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def variance(self):
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def log_prob(self, value):
        c = self.concentration
        return torch.xlogy(c - 1.0, value).sum(-1) + torch.lgamma(c.sum(-1)) - torch.lgamma(c).sum(-1)

    def entropy(self):
        c = self.concentration
        count, total = c.size(-1), c.sum(-1)
        first = torch.lgamma(c).sum(-1) - torch.lgamma(total) - (count - total) * torch.digamma(total)
        return first - ((c - 1.0) * torch.digamma(c)).sum(-1)


class Beta(Distribution):
    def __init__(self, concentration1, concentration0, validate_args=None):
        self.concentration1, self.concentration0 = _together(concentration1, concentration0)
        super().__init__(self.concentration1.shape)

    def _dirichlet(self):
        return Dirichlet(torch.stack([self.concentration1, self.concentration0], -1))

    @property
    def mean(self):
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def variance(self):
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def log_prob(self, value):
        return self._dirichlet().log_prob(torch.stack([value, 1.0 - value], -1))

    def entropy(self):
        return self._dirichlet().entropy()


class _Probable(Distribution):
    """Given by probabilities or by logits; each follows from the other when it is asked for."""

    def __init__(self, probs=None, logits=None, validate_args=None):
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        self._given_probs, self._given_logits = probs, logits
        if probs is not None:
            (self._given_probs,) = _together(probs)
        else:
            (self._given_logits,) = _together(logits)
        super().__init__((self._given_logits if probs is None else self._given_probs).shape)

    @property
    def probs(self):
        return self._given_probs if self._given_probs is not None else torch.sigmoid(self._given_logits)

    @property
    def logits(self):
        if self._given_logits is not None:
            return self._given_logits
        inside = _inside(self._given_probs)
        return torch.log(inside) - torch.log1p(-inside)


class Bernoulli(_Probable):
    @property
    def mean(self):
        return self.probs

    @property
    def variance(self):
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape=()):
        with torch.no_grad():
            return torch.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        logits, value = torch.broadcast_tensors(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self):
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")


class Geometric(_Probable):
    @property
    def mean(self):
        return 1.0 / self.probs - 1.0

    @property
    def variance(self):
        return (1.0 / self.probs - 1.0) / self.probs

    def log_prob(self, value):
        value, probs = torch.broadcast_tensors(value, self.probs)
        probs = probs.masked_fill((probs == 1) & (value == 0), 0)
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self):
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs


class Poisson(Distribution):
    def __init__(self, rate, validate_args=None):
        (self.rate,) = _together(rate)
        super().__init__(self.rate.shape)

    @property
    def mean(self):
        return self.rate

    @property
    def variance(self):
        return self.rate

    def log_prob(self, value):
        return torch.xlogy(value, self.rate) - self.rate - torch.lgamma(value + 1)


class Categorical(Distribution):
    def __init__(self, probs=None, logits=None, validate_args=None):
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        given = logits if probs is None else probs
        if given.dim() < 1:
            raise ValueError("`probs` or `logits` parameter must be at least one-dimensional.")
        self._by_probs = probs is not None
        self._given = given / given.sum(-1, keepdim=True) if self._by_probs else given - given.logsumexp(-1, keepdim=True)
        self._num_events = given.shape[-1]
        super().__init__(given.shape[:-1])

    @property
    def probs(self):
        return self._given if self._by_probs else F.softmax(self._given, dim=-1)

    @property
    def logits(self):
        return torch.log(_inside(self._given)) if self._by_probs else self._given

    @property
    def mode(self):
        return self.probs.argmax(dim=-1)

    def sample(self, sample_shape=()):
        with torch.no_grad():
            logits = self.logits
            u = torch.rand(tuple(sample_shape) + tuple(logits.shape), dtype=logits.dtype)
            return (logits - torch.log(-torch.log(u))).argmax(-1)

    def log_prob(self, value):
        value, logits = torch.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self):
        logits = torch.clamp(self.logits, min=torch.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)


class Independent(Distribution):
    """The last axes of a batch as parts of one event."""

    def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None):
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        shape = base_distribution.batch_shape
        kept = len(shape) - reinterpreted_batch_ndims
        if kept < 0:
            raise ValueError("Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape)")
        super().__init__(shape[:kept], shape[kept:] + base_distribution.event_shape)

    def _fold(self, value):
        count = self.reinterpreted_batch_ndims
        return value if count == 0 else value.sum(tuple(range(-count, 0)))

    @property
    def has_rsample(self):
        return self.base_dist.has_rsample

    @property
    def mean(self):
        return self.base_dist.mean

    @property
    def mode(self):
        return self.base_dist.mode

    @property
    def variance(self):
        return self.base_dist.variance

    def sample(self, sample_shape=()):
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape=()):
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value):
        return self._fold(self.base_dist.log_prob(value))

    def entropy(self):
        return self._fold(self.base_dist.entropy())


def _of_normals(p, q):
    ratio = (p.scale / q.scale).pow(2)
    distance = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + distance - 1 - ratio.log())


def _of_categories(p, q):
    t = p.probs * (p.logits - q.logits)
    t = torch.where(q.probs.expand_as(t) == 0, math.inf, t)
    return torch.where(p.probs.expand_as(t) == 0, 0.0, t).sum(-1)


def _of_bernoullis(p, q):
    yes = p.probs * (F.softplus(-q.logits) - F.softplus(-p.logits))
    yes = torch.where(p.probs == 0, 0.0, torch.where(q.probs == 0, math.inf, yes))
    no = (1 - p.probs) * (F.softplus(q.logits) - F.softplus(p.logits))
    return yes + torch.where(p.probs == 1, 0.0, torch.where(q.probs == 1, math.inf, no))


def _of_laplaces(p, q):
    ratio = p.scale / q.scale
    distance = (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * torch.exp(-distance / p.scale) - 1


def _of_exponentials(p, q):
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


def _of_gammas(p, q):
    first = q.concentration * (p.rate / q.rate).log()
    second = torch.lgamma(q.concentration) - torch.lgamma(p.concentration)
    third = (p.concentration - q.concentration) * torch.digamma(p.concentration)
    return first + second + third + (q.rate - p.rate) * (p.concentration / p.rate)


def _of_dirichlets(p, q):
    a, b = p.concentration, q.concentration
    total, other = a.sum(-1), b.sum(-1)
    first = torch.lgamma(total) - torch.lgamma(other) - (torch.lgamma(a) - torch.lgamma(b)).sum(-1)
    return first + ((a - b) * (torch.digamma(a) - torch.digamma(total).unsqueeze(-1))).sum(-1)


_divergences = [
    (Normal, _of_normals),
    (Categorical, _of_categories),
    (Bernoulli, _of_bernoullis),
    (Laplace, _of_laplaces),
    (Exponential, _of_exponentials),
    (Gamma, _of_gammas),
    (Dirichlet, _of_dirichlets),
]


def kl_divergence(p, q):
    if isinstance(p, Independent) and isinstance(q, Independent):
        if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
            raise NotImplementedError
        return p._fold(kl_divergence(p.base_dist, q.base_dist))
    if isinstance(p, Beta) and isinstance(q, Beta):
        return _of_dirichlets(p._dirichlet(), q._dirichlet())
    for cls, divergence in _divergences:
        if isinstance(p, cls) and isinstance(q, cls):
            return divergence(p, q)
    what = type(p).__name__ + " and " + type(q).__name__
    return prims.refuse("kl_divergence of " + what + " is not supported yet", "write it out with their parameters")
