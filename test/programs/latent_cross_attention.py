"""A few learned latents that read a longer input, then mix among themselves (Perceiver)."""

import torch
from torch import nn
from torch.nn import functional as F


class PreNorm(nn.Module):
    def __init__(self, dim, fn, context_dim=None):
        super().__init__()
        self.fn = fn
        self.norm = nn.LayerNorm(dim)
        self.norm_context = nn.LayerNorm(context_dim) if context_dim is not None else None

    def forward(self, x, **kwargs):
        x = self.norm(x)
        if self.norm_context is not None:
            context = kwargs["context"]
            normed_context = self.norm_context(context)
            kwargs.update(context=normed_context)
        return self.fn(x, **kwargs)


class GEGLU(nn.Module):
    def forward(self, x):
        x, gates = x.chunk(2, dim=-1)
        return x * F.gelu(gates)


class Attention(nn.Module):
    def __init__(self, query_dim, context_dim=None, heads=2, dim_head=4):
        super().__init__()
        inner_dim = dim_head * heads
        context_dim = context_dim if context_dim is not None else query_dim
        self.scale = dim_head**-0.5
        self.heads = heads
        self.to_q = nn.Linear(query_dim, inner_dim, bias=False)
        self.to_kv = nn.Linear(context_dim, inner_dim * 2, bias=False)
        self.to_out = nn.Linear(inner_dim, query_dim)

    def forward(self, x, context=None, mask=None):
        h = self.heads
        q = self.to_q(x)
        context = x if context is None else context
        k, v = self.to_kv(context).chunk(2, dim=-1)
        b = x.shape[0]
        q, k, v = map(lambda t: t.view(b, -1, h, t.shape[-1] // h).transpose(1, 2).flatten(0, 1), (q, k, v))
        sim = torch.einsum("b i d, b j d -> b i j", q, k) * self.scale
        if mask is not None:
            mask = mask[:, None, None, :].expand(-1, h, -1, -1).flatten(0, 1)
            sim.masked_fill_(~mask, -torch.finfo(sim.dtype).max)
        attn = sim.softmax(dim=-1)
        out = torch.einsum("b i j, b j d -> b i d", attn, v)
        out = out.view(b, h, -1, out.shape[-1]).transpose(1, 2).flatten(2)
        return self.to_out(out)


class Perceiver(nn.Module):
    def __init__(self, input_dim=5, num_latents=3, latent_dim=8, depth=2):
        super().__init__()
        self.latents = nn.Parameter(torch.randn(num_latents, latent_dim))
        self.cross = PreNorm(latent_dim, Attention(latent_dim, input_dim), context_dim=input_dim)
        ff = nn.Sequential(nn.Linear(latent_dim, 2 * latent_dim), GEGLU(), nn.Linear(latent_dim, latent_dim))
        self.layers = nn.ModuleList([])
        for _ in range(depth):
            self.layers.append(nn.ModuleList([PreNorm(latent_dim, Attention(latent_dim)), PreNorm(latent_dim, ff)]))

    def forward(self, data, mask=None):
        x = self.latents.unsqueeze(0).repeat(data.shape[0], 1, 1)
        x = self.cross(x, context=data, mask=mask) + x
        for self_attn, self_ff in self.layers:
            x = self_attn(x) + x
            x = self_ff(x) + x
        return x.mean(dim=-2)


# program: Perceiver
def get_inputs():
    return [torch.randn(2, 6, 5), torch.arange(6) < torch.tensor([[4], [6]])]
