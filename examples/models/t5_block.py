"""A decoder block of T5-base: relative position bias, attention to the encoder, norms without means."""

import math

import torch
from torch import nn


class T5LayerNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.variance_epsilon = eps

    def forward(self, hidden_states):
        variance = hidden_states.to(torch.float32).pow(2).mean(-1, keepdim=True)
        hidden_states = hidden_states * torch.rsqrt(variance + self.variance_epsilon)
        # convert into half-precision if necessary
        if self.weight.dtype in [torch.float16, torch.bfloat16]:
            hidden_states = hidden_states.to(self.weight.dtype)
        return self.weight * hidden_states


class T5Attention(nn.Module):
    def __init__(self, d_model, d_kv, num_heads, is_decoder, has_relative_attention_bias, num_buckets=32, distance=128):
        super().__init__()
        self.is_decoder = is_decoder
        self.has_relative_attention_bias = has_relative_attention_bias
        self.relative_attention_num_buckets = num_buckets
        self.relative_attention_max_distance = distance
        self.key_value_proj_dim = d_kv
        self.n_heads = num_heads
        self.inner_dim = self.n_heads * self.key_value_proj_dim

        self.q = nn.Linear(d_model, self.inner_dim, bias=False)
        self.k = nn.Linear(d_model, self.inner_dim, bias=False)
        self.v = nn.Linear(d_model, self.inner_dim, bias=False)
        self.o = nn.Linear(self.inner_dim, d_model, bias=False)
        if self.has_relative_attention_bias:
            self.relative_attention_bias = nn.Embedding(self.relative_attention_num_buckets, self.n_heads)

    @staticmethod
    def _relative_position_bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
        relative_buckets = 0
        if bidirectional:
            num_buckets //= 2
            relative_buckets += (relative_position > 0).to(torch.long) * num_buckets
            relative_position = torch.abs(relative_position)
        else:
            relative_position = -torch.min(relative_position, torch.zeros_like(relative_position))
        # now relative_position is in the range [0, inf)

        # half of the buckets are for exact increments in positions
        max_exact = num_buckets // 2
        is_small = relative_position < max_exact

        # The other half of the buckets are for logarithmically bigger bins in positions up to max_distance
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

    def compute_bias(self, query_length, key_length, device=None):
        if device is None:
            device = self.relative_attention_bias.weight.device
        context_position = torch.arange(query_length, dtype=torch.long, device=device)[:, None]
        memory_position = torch.arange(key_length, dtype=torch.long, device=device)[None, :]
        relative_position = memory_position - context_position  # shape (query_length, key_length)
        relative_position_bucket = self._relative_position_bucket(
            relative_position,
            bidirectional=(not self.is_decoder),
            num_buckets=self.relative_attention_num_buckets,
            max_distance=self.relative_attention_max_distance,
        )
        values = self.relative_attention_bias(relative_position_bucket)  # shape (query_length, key_length, num_heads)
        return values.permute([2, 0, 1]).unsqueeze(0)

    def forward(self, hidden_states, mask, key_value_states=None):
        batch_size, seq_length = hidden_states.shape[:2]
        current_states = key_value_states if key_value_states is not None else hidden_states
        key_length = current_states.shape[1]

        query_states = self.q(hidden_states)
        query_states = query_states.view(batch_size, -1, self.n_heads, self.key_value_proj_dim).transpose(1, 2)
        key_states = self.k(current_states)
        key_states = key_states.view(batch_size, -1, self.n_heads, self.key_value_proj_dim).transpose(1, 2)
        value_states = self.v(current_states)
        value_states = value_states.view(batch_size, -1, self.n_heads, self.key_value_proj_dim).transpose(1, 2)

        # compute scores, equivalent of torch.einsum("bnqd,bnkd->bnqk", query_states, key_states)
        scores = torch.matmul(query_states, key_states.transpose(3, 2))

        if self.has_relative_attention_bias:
            position_bias = self.compute_bias(seq_length, key_length, device=scores.device)
        else:
            position_bias = torch.zeros(
                (1, self.n_heads, seq_length, key_length), device=scores.device, dtype=scores.dtype
            )
        position_bias = position_bias + mask
        scores += position_bias

        # (batch_size, n_heads, seq_length, key_length)
        attn_weights = nn.functional.softmax(scores.float(), dim=-1).type_as(scores)
        attn_output = torch.matmul(attn_weights, value_states)
        attn_output = attn_output.transpose(1, 2).contiguous()
        attn_output = attn_output.view(batch_size, -1, self.inner_dim)
        return self.o(attn_output)


class T5DenseReluDense(nn.Module):
    def __init__(self, d_model, d_ff, dropout_rate):
        super().__init__()
        self.wi = nn.Linear(d_model, d_ff, bias=False)
        self.wo = nn.Linear(d_ff, d_model, bias=False)
        self.dropout = nn.Dropout(dropout_rate)
        self.act = nn.ReLU()

    def forward(self, hidden_states):
        hidden_states = self.wi(hidden_states)
        hidden_states = self.act(hidden_states)
        hidden_states = self.dropout(hidden_states)
        if self.wo.weight.dtype != hidden_states.dtype and self.wo.weight.dtype != torch.int8:
            hidden_states = hidden_states.to(self.wo.weight.dtype)
        return self.wo(hidden_states)


class T5Block(nn.Module):
    def __init__(self, d_model=768, d_kv=64, d_ff=3072, num_heads=12, dropout_rate=0.1):
        super().__init__()
        self.layer = nn.ModuleList()
        self.layer.append(T5Attention(d_model, d_kv, num_heads, True, True))
        self.layer.append(T5Attention(d_model, d_kv, num_heads, True, False))
        self.layer.append(T5DenseReluDense(d_model, d_ff, dropout_rate))
        self.norms = nn.ModuleList([T5LayerNorm(d_model) for _ in range(3)])
        self.dropout = nn.Dropout(dropout_rate)

    def forward(self, hidden_states, encoder_hidden_states, encoder_attention_mask):
        length = hidden_states.shape[1]
        smallest = torch.finfo(hidden_states.dtype).min
        seq_ids = torch.arange(length, device=hidden_states.device)
        causal_mask = seq_ids[None, None, :] <= seq_ids[None, :, None]
        causal_mask = (1.0 - causal_mask[:, None].to(hidden_states.dtype)) * smallest
        cross_mask = (1.0 - encoder_attention_mask[:, None, None, :].to(hidden_states.dtype)) * smallest

        attention_output = self.layer[0](self.norms[0](hidden_states), causal_mask)
        hidden_states = hidden_states + self.dropout(attention_output)

        attention_output = self.layer[1](self.norms[1](hidden_states), cross_mask, encoder_hidden_states)
        hidden_states = hidden_states + self.dropout(attention_output)

        forwarded = self.layer[-1](self.norms[-1](hidden_states))
        return hidden_states + self.dropout(forwarded)


def get_inputs():
    return [torch.randn(8, 512, 768), torch.randn(8, 512, 768), torch.ones(8, 512, dtype=torch.long)]


def get_init_inputs():
    return []


def get_small_inputs():
    return [torch.randn(2, 5, 12), torch.randn(2, 7, 12), (torch.arange(7) < torch.tensor([[5], [7]])).long()]


def get_small_init_inputs():
    return [12, 4, 20, 3]
