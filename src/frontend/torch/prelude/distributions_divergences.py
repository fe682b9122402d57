# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.distributions: divergences of Kullback and Leibler between two of a kind (distributions.py)."""

import math


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
    (torch.distributions.Normal, _of_normals),
    (torch.distributions.Categorical, _of_categories),
    (torch.distributions.Bernoulli, _of_bernoullis),
    (torch.distributions.Laplace, _of_laplaces),
    (torch.distributions.Exponential, _of_exponentials),
    (torch.distributions.Gamma, _of_gammas),
    (torch.distributions.Dirichlet, _of_dirichlets),
]


def kl_divergence(p, q):
    if isinstance(p, torch.distributions.Independent) and isinstance(q, torch.distributions.Independent):
        if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
            raise NotImplementedError
        return p._fold(kl_divergence(p.base_dist, q.base_dist))
    if isinstance(p, torch.distributions.Beta) and isinstance(q, torch.distributions.Beta):
        return _of_dirichlets(p._dirichlet(), q._dirichlet())
    for cls, divergence in _divergences:
        if isinstance(p, cls) and isinstance(q, cls):
            return divergence(p, q)
    what = type(p).__name__ + " and " + type(q).__name__
    return prims.refuse("kl_divergence of " + what + " is not supported yet", "write it out with their parameters")
