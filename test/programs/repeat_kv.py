"""Key and value heads repeated for groups of queries."""

import torch


def repeat_kv(hidden_states: torch.Tensor, n_rep: int = 2) -> torch.Tensor:
    batch, num_key_value_heads, slen, head_dim = hidden_states.shape
    if n_rep == 1:
        return hidden_states
    hidden_states = hidden_states[:, :, None, :, :].expand(batch, num_key_value_heads, n_rep, slen, head_dim)
    return hidden_states.reshape(batch, num_key_value_heads * n_rep, slen, head_dim)


def get_inputs():
    return [torch.randn(2, 3, 16, 4)]
