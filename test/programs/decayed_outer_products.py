"""A state of outer products with a decay for each key, in its recurrent form."""

import torch


def gated_linear_attention(q, k, v, gk, initial_state):
    dtype = q.dtype
    q, k, v, gk = map(lambda x: x.float(), (q, k, v, gk))
    batch_size, n_heads, seq_len, d_head_k = q.shape
    o = torch.zeros_like(v)
    h = initial_state.float()
    scale = d_head_k**-0.5
    for i in range(seq_len):
        q_i = q[:, :, i, :] * scale
        k_i = k[:, :, i]
        v_i = v[:, :, i, :]
        gk_i = torch.nn.functional.logsigmoid(gk[:, :, i]).div(16).exp()
        kv_i = k_i[..., None] * v_i[..., None, :]
        h = h * gk_i[..., None] + kv_i
        o_i = (q_i[..., None] * h).sum(-2)
        o[:, :, i] = o_i
    return o.to(dtype), h


def get_inputs():
    return [
        torch.randn(1, 2, 6, 3),
        torch.randn(1, 2, 6, 3),
        torch.randn(1, 2, 6, 4),
        torch.randn(1, 2, 6, 3),
        torch.randn(1, 2, 3, 4),
    ]
