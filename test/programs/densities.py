"""Log densities, entropies and divergences of torch.distributions."""

# program: log_probs

import torch
import torch.nn.functional as F


from torch.distributions import (
    Beta,
    Cauchy,
    Dirichlet,
    Exponential,
    Gamma,
    Geometric,
    Gumbel,
    HalfNormal,
    Independent,
    Laplace,
    LogNormal,
    Normal,
    Poisson,
    StudentT,
    Uniform,
    kl_divergence,
)


def log_probs(x, a, b, counts):
    s, r = F.softplus(a), F.softplus(b) + 0.5
    u = torch.sigmoid(x)
    continuous = [Normal(a, s), Laplace(a, s), Cauchy(0.0, s), Gumbel(a, 2.0), StudentT(r, a, s)]
    positive = [LogNormal(a, s), HalfNormal(s), Exponential(r), Gamma(s, r)]
    return (
        torch.stack([d.log_prob(x) for d in continuous]),
        torch.stack([d.log_prob(x.abs() + 0.1) for d in positive]),
        torch.stack([d.entropy() for d in [*continuous[:4], *positive]]),
        Beta(s + 0.5, r).log_prob(u),
        Beta(s + 0.5, r).entropy(),
        Dirichlet(s + 0.1).log_prob(torch.softmax(x, -1)),
        Dirichlet(s + 0.1).entropy(),
        Poisson(s).log_prob(counts),
        Geometric(probs=u).log_prob(counts),
        Uniform(-1.0, s + 1).log_prob(u),
        Independent(Normal(a, s), 1).log_prob(x),
        Independent(Normal(a, s), 1).entropy(),
        kl_divergence(Normal(a, s), Normal(0.0, r)),
        kl_divergence(Gamma(s, r), Gamma(r, s)),
        kl_divergence(Laplace(a, s), Laplace(b, r)),
        kl_divergence(Independent(Normal(a, s), 1), Independent(Normal(b, r), 1)),
        Normal(a, s).cdf(x),
        Normal(a, s).icdf(u),
        Gamma(s, r).mean + Laplace(a, s).stddev + Normal(a, s).variance,
    )


def get_inputs():
    return [torch.randn(4, 5), torch.randn(4, 5), torch.randn(4, 5), torch.randint(0, 6, (4, 5)).float()]
