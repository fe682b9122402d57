# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.distributions: densities over numbers and vectors (distributions.py)."""

import math

Distribution = torch.distributions.Distribution
_half_log_tau = 0.5 * math.log(2 * math.pi)
_euler = 0.57721566490153286060


class _LocationScale(Distribution):
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = prims.together(loc, scale)
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
        (self.scale,) = prims.together(scale)
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
        self.df, self.loc, self.scale = prims.together(df, loc, scale)
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
        self.low, self.high = prims.together(low, high)
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
        (self.rate,) = prims.together(rate)
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
        self.concentration, self.rate = prims.together(concentration, rate)
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
        self.concentration, self.rate = prims.together(concentration, rate)
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
        self.concentration1, self.concentration0 = prims.together(concentration1, concentration0)
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
