"""One step of beam search over flattened hypotheses."""

import torch


def beam_scores(log_probs, beam, lengths, done, k: int = 3, length_penalty=0.6, eos: int = 2):
    b, n, v = log_probs.shape
    eos_only = torch.full_like(log_probs, float("-inf"))
    eos_only[:, :, eos] = 0
    log_probs = torch.where(done[:, :, None], eos_only, log_probs)
    total = beam[:, :, None] + log_probs
    norm = ((5.0 + lengths) / 6.0) ** length_penalty
    scores = (total / norm[:, :, None]).view(b, n * v)
    top, ids = scores.topk(k, dim=1, largest=True, sorted=True)
    beam_ids = torch.div(ids, v, rounding_mode="floor")
    tokens = ids % v
    return top, beam_ids, tokens, total.view(b, -1).gather(1, ids), done.gather(1, beam_ids) | tokens.eq(eos)


def get_inputs():
    return [
        torch.randn(2, 3, 11).log_softmax(-1),
        torch.randn(2, 3),
        torch.randint(1, 9, (2, 3)),
        torch.rand(2, 3) > 0.7,
    ]
