"""Gated linear attention, one turn for each element of the sequence: the state is a matrix of each head."""

import torch


def naive_recurrent_gla(q, k, v, gk):
    q, k, v, gk = (x.transpose(1, 2).float() for x in (q, k, v, gk))
    B, H, T, K = q.shape
    V = v.shape[-1]
    o = torch.zeros_like(v)
    scale = K**-0.5
    h = q.new_zeros(B, H, K, V, dtype=torch.float32)
    for i in range(T):
        q_i = q[:, :, i] * scale
        k_i = k[:, :, i]
        v_i = v[:, :, i]
        gk_i = gk[:, :, i].exp()
        kv_i = k_i[..., None] * v_i[..., None, :]
        h = h * gk_i[..., None] + kv_i
        o[:, :, i] = (q_i[..., None] * h).sum(-2)
    return o.transpose(1, 2)


def get_inputs():
    return [torch.randn(2, 6, 2, 4), torch.randn(2, 6, 2, 4), torch.randn(2, 6, 2, 3), -torch.rand(2, 6, 2, 4)]
