"""Language-model cross-entropy over 50257 tokens with label smoothing, ignored positions and a z-loss."""

import torch


def lm_smooth_ce_zloss(logits, labels):
    smoothing = 0.1
    logits = logits.float()
    valid = labels != -100
    safe = labels.masked_fill(~valid, 0)
    lse = torch.logsumexp(logits, dim=-1)
    picked = logits.gather(-1, safe.unsqueeze(-1)).squeeze(-1)
    nll = lse - picked
    smooth = lse - logits.mean(dim=-1)
    loss = (1 - smoothing) * nll + smoothing * smooth + 1e-4 * lse.pow(2)
    weight = valid.to(loss.dtype)
    return (loss * weight).sum() / weight.sum().clamp(min=1.0)


def get_inputs():
    labels = torch.randint(0, 50257, (4096,))
    labels[::13] = -100
    return [torch.randn(4096, 50257, dtype=torch.bfloat16), labels]
