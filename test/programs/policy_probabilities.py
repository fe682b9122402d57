"""What policies ask of categorical and Bernoulli distributions."""

# program: policy

import torch


import torch.distributions as D


def policy(logits, other, actions, flags):
    pi, old = D.Categorical(logits=logits), D.Categorical(logits=other)
    gate = D.Bernoulli(logits=logits[:, 0])
    soft = D.Bernoulli(probs=torch.sigmoid(other[:, 0]))
    by_probs = D.categorical.Categorical(probs=torch.softmax(other, -1))
    return (
        pi.log_prob(actions),
        pi.entropy(),
        D.kl_divergence(old, pi),
        (pi.log_prob(actions) - old.log_prob(actions)).exp(),
        gate.log_prob(flags),
        gate.entropy(),
        soft.log_prob(flags),
        D.kl.kl_divergence(gate, soft),
        by_probs.log_prob(actions),
        by_probs.entropy().mean(),
        pi.probs,
        pi.mode,
        soft.mean,
        soft.variance,
        gate.logits,
        pi.perplexity(),
    )


def get_inputs():
    return [torch.randn(6, 4), torch.randn(6, 4), torch.randint(0, 4, (6,)), (torch.rand(6) > 0.5).float()]
