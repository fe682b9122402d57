"""A causal mask joined with a padding mask."""

# no gradient: no result has a gradient

import torch


def causal_mask_4d(attention_mask, dtype=torch.float32, sliding_window=None):
    bsz, seq = attention_mask.shape
    min_dtype = torch.finfo(dtype).min
    causal = torch.full((seq, seq), fill_value=min_dtype, dtype=dtype, device=attention_mask.device)
    causal = torch.triu(causal, diagonal=1)
    causal = causal[None, None, :, :].expand(bsz, 1, -1, -1)
    causal = causal.clone()
    padding_mask = causal + attention_mask[:, None, None, :]
    padding_mask = padding_mask == 0
    causal[:, :, :, :seq] = causal[:, :, :, :seq].masked_fill(padding_mask, min_dtype)
    return causal


def get_inputs():
    return [torch.randint(0, 2, (2, 7)).float()]
