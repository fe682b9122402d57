"""Presence, frequency and repetition penalties by counts, as serving engines compute them."""

# no gradient: is mutated

# program: repetition_penalty

import torch


def get_token_bin_counts_and_mask(tokens: torch.Tensor, vocab_size: int, num_seqs: int):
    bin_counts = torch.zeros((num_seqs, vocab_size + 1), dtype=torch.long, device=tokens.device)
    bin_counts.scatter_add_(1, tokens, torch.ones_like(tokens))
    bin_counts = bin_counts[:, :vocab_size]
    mask = bin_counts > 0
    return bin_counts, mask


def repetition_penalty(logits, prompt_tokens, output_tokens, presence, frequency, repetition):
    num_seqs, vocab_size = logits.shape
    _, prompt_mask = get_token_bin_counts_and_mask(prompt_tokens, vocab_size, num_seqs)
    counts, output_mask = get_token_bin_counts_and_mask(output_tokens, vocab_size, num_seqs)
    repetition = repetition[:, None].repeat(1, vocab_size)
    penalties = torch.where(prompt_mask | output_mask, repetition, 1.0)
    scaling = torch.where(logits > 0, 1.0 / penalties, penalties)
    logits *= scaling
    logits -= frequency.unsqueeze(dim=1) * counts
    logits -= presence.unsqueeze(dim=1) * output_mask
    return logits


def get_inputs():
    return [
        torch.randn(3, 17),
        torch.randint(0, 18, (3, 5)),
        torch.randint(0, 18, (3, 6)),
        torch.rand(3),
        torch.rand(3),
        torch.rand(3) + 1,
    ]
