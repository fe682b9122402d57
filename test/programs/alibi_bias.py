"""ALiBi as BLOOM builds it from the attention mask."""

# program: alibi_bloom

import math

import torch


def build_alibi_tensor(attention_mask: torch.Tensor, num_heads: int, dtype: torch.dtype) -> torch.Tensor:
    batch_size, seq_length = attention_mask.shape
    closest_power_of_2 = 2 ** math.floor(math.log2(num_heads))
    base = torch.tensor(
        2 ** (-(2 ** -(math.log2(closest_power_of_2) - 3))), device=attention_mask.device, dtype=torch.float32
    )
    powers = torch.arange(1, 1 + closest_power_of_2, device=attention_mask.device, dtype=torch.int32)
    slopes = torch.pow(base, powers)
    if closest_power_of_2 != num_heads:
        extra_base = torch.tensor(
            2 ** (-(2 ** -(math.log2(2 * closest_power_of_2) - 3))), device=attention_mask.device, dtype=torch.float32
        )
        num_remaining_heads = min(closest_power_of_2, num_heads - closest_power_of_2)
        extra_powers = torch.arange(1, 1 + 2 * num_remaining_heads, 2, device=attention_mask.device, dtype=torch.int32)
        slopes = torch.cat([slopes, torch.pow(extra_base, extra_powers)], dim=0)
    arange_tensor = ((attention_mask.cumsum(dim=-1) - 1) * attention_mask)[:, None, :]
    alibi = slopes[..., None] * arange_tensor
    return alibi.reshape(batch_size * num_heads, 1, seq_length).to(dtype)


def alibi_bloom(scores, attention_mask):
    b, h, s, _ = scores.shape
    alibi = build_alibi_tensor(attention_mask, 6, scores.dtype)
    scores = scores.view(b * h, s, s) + alibi
    causal = torch.triu(torch.ones(s, s, dtype=torch.bool, device=scores.device), diagonal=1)
    scores = scores.masked_fill(causal, torch.finfo(scores.dtype).min)
    return scores.softmax(-1).view(b, h, s, s)


def get_inputs():
    m = torch.ones(2, 7, dtype=torch.int64)
    m[0, :2] = 0
    return [torch.randn(2, 6, 7, 7), m]
