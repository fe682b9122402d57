# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.distributions. Parameters and values are not checked against their domains, which would read
the data; samples have their own stream of numbers (random.py)."""

@export(at="prims", names="together")
def _together(*values):
    """Parameters of one shape; numbers get the type of the tensors."""
    dtype = torch.get_default_dtype()
    for value in values:
        if isinstance(value, torch.Tensor):
            dtype = value.dtype
            break
    return torch.broadcast_tensors(*[v if isinstance(v, torch.Tensor) else torch.full((), v, dtype=dtype) for v in values])


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
