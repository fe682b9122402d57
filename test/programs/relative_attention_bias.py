"""Scores with a learned bias by relative position."""

import math

import torch
from torch import nn


class RelativeBias(nn.Module):
    def __init__(self, num_heads=4, num_buckets=8, max_distance=20, is_decoder=False):
        super().__init__()
        self.relative_attention_num_buckets = num_buckets
        self.relative_attention_max_distance = max_distance
        self.is_decoder = is_decoder
        self.relative_attention_bias = nn.Embedding(num_buckets, num_heads)

    @staticmethod
    def _relative_position_bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
        relative_buckets = 0
        if bidirectional:
            num_buckets //= 2
            relative_buckets += (relative_position > 0).to(torch.long) * num_buckets
            relative_position = torch.abs(relative_position)
        else:
            relative_position = -torch.min(relative_position, torch.zeros_like(relative_position))
        max_exact = num_buckets // 2
        is_small = relative_position < max_exact
        relative_position_if_large = max_exact + (
            torch.log(relative_position.float() / max_exact)
            / math.log(max_distance / max_exact)
            * (num_buckets - max_exact)
        ).to(torch.long)
        relative_position_if_large = torch.min(
            relative_position_if_large, torch.full_like(relative_position_if_large, num_buckets - 1)
        )
        relative_buckets += torch.where(is_small, relative_position, relative_position_if_large)
        return relative_buckets

    def forward(self, scores):
        query_length, key_length = scores.shape[-2:]
        device = self.relative_attention_bias.weight.device
        context_position = torch.arange(query_length, dtype=torch.long, device=device)[:, None]
        memory_position = torch.arange(key_length, dtype=torch.long, device=device)[None, :]
        relative_position = memory_position - context_position
        bucket = self._relative_position_bucket(
            relative_position,
            bidirectional=(not self.is_decoder),
            num_buckets=self.relative_attention_num_buckets,
            max_distance=self.relative_attention_max_distance,
        )
        values = self.relative_attention_bias(bucket)
        values = values.permute([2, 0, 1]).unsqueeze(0)
        return nn.functional.softmax((scores + values).float(), dim=-1).type_as(scores)


def get_inputs():
    return [torch.randn(2, 4, 6, 9)]


def get_init_inputs():
    return []
