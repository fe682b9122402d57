# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.distributions: probabilities of integers and categories (distributions.py)."""

Distribution = torch.distributions.Distribution


def _inside(probs):
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


class _Probable(Distribution):
    """Given by probabilities or by logits; each follows from the other when it is asked for."""

    def __init__(self, probs=None, logits=None, validate_args=None):
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        self._given_probs, self._given_logits = probs, logits
        if probs is not None:
            (self._given_probs,) = prims.together(probs)
        else:
            (self._given_logits,) = prims.together(logits)
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
        (self.rate,) = prims.together(rate)
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
