"""Token sampling: repetition, frequency and presence penalties from history, temperature, min-p, exponential-race pick."""

# only forward

import torch


def sampling_penalties(logits, history, temperature, noise):
    rep, freq, presence, min_p = 1.1, 0.2, 0.1, 0.05
    counts = torch.zeros_like(logits).scatter_add(1, history, torch.ones_like(history, dtype=logits.dtype))
    seen = counts > 0
    penalised = torch.where(logits > 0, logits / rep, logits * rep)
    logits = torch.where(seen, penalised, logits)
    logits = logits - freq * counts - presence * seen.to(logits.dtype)
    logits = logits / temperature.unsqueeze(1)
    probs = torch.softmax(logits, dim=-1)
    top = probs.max(dim=-1, keepdim=True).values
    logits = logits.masked_fill(probs < min_p * top, float("-inf"))
    probs = torch.softmax(logits, dim=-1)
    race = probs / (-torch.log(noise)).clamp(min=1e-10)
    token = race.argmax(dim=-1)
    logprob = torch.log_softmax(logits, dim=-1).gather(1, token.unsqueeze(1)).squeeze(1)
    return token, logprob


def get_inputs():
    return [
        torch.randn(512, 50257) * 4,
        torch.randint(0, 50257, (512, 768)),
        torch.rand(512) + 0.5,
        torch.rand(512, 50257),
    ]
