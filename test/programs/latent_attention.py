"""Keys and values from a compressed latent with a separate rotated part (DeepSeek's MLA), absorbed into the query."""

import torch
from torch import nn


def rotate(x, cos, sin):
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class MLA(nn.Module):
    def __init__(self, dim=8, heads=2, nope=4, rope=2, latent=5, v_dim=3):
        super().__init__()
        self.heads, self.nope, self.rope, self.v_dim = heads, nope, rope, v_dim
        self.wq = nn.Linear(dim, heads * (nope + rope), bias=False)
        self.wkv_a = nn.Linear(dim, latent + rope, bias=False)
        self.kv_norm = nn.RMSNorm(latent)
        self.wkv_b = nn.Linear(latent, heads * (nope + v_dim), bias=False)
        self.wo = nn.Linear(heads * v_dim, dim, bias=False)
        self.softmax_scale = (nope + rope) ** -0.5

    def forward(self, x, cos, sin, absorb: bool = True):
        bsz, seqlen, _ = x.size()
        q = self.wq(x).view(bsz, seqlen, self.heads, self.nope + self.rope)
        q_nope, q_pe = torch.split(q, [self.nope, self.rope], dim=-1)
        q_pe = rotate(q_pe, cos[:, None], sin[:, None])
        kv, k_pe = torch.split(self.wkv_a(x), [self.kv_norm.normalized_shape[0], self.rope], dim=-1)
        k_pe = rotate(k_pe, cos, sin)
        kv = self.kv_norm(kv)
        mask = torch.full((seqlen, seqlen), float("-inf"), device=x.device).triu_(1)
        if absorb:
            wkv_b = self.wkv_b.weight.view(self.heads, -1, kv.shape[-1])
            q_nope = torch.einsum("bshd,hdc->bshc", q_nope, wkv_b[:, : self.nope])
            scores = torch.einsum("bshc,btc->bsht", q_nope, kv) + torch.einsum("bshr,btr->bsht", q_pe, k_pe)
            scores = (scores * self.softmax_scale + mask.unsqueeze(1)).softmax(dim=-1, dtype=torch.float32).type_as(x)
            y = torch.einsum("bsht,btc->bshc", scores, kv)
            y = torch.einsum("bshc,hdc->bshd", y, wkv_b[:, -self.v_dim :])
        else:
            k_nope, v = self.wkv_b(kv).view(bsz, seqlen, self.heads, -1).split([self.nope, self.v_dim], dim=-1)
            k = torch.cat([k_nope, k_pe.unsqueeze(2).expand(-1, -1, self.heads, -1)], dim=-1)
            scores = torch.einsum("bshd,bthd->bsht", torch.cat([q_nope, q_pe], dim=-1), k) * self.softmax_scale
            y = torch.einsum("bsht,bthd->bshd", (scores + mask.unsqueeze(1)).softmax(-1), v)
        return self.wo(y.flatten(2))


# program: MLA
def get_inputs():
    angle = torch.arange(5).float()[:, None] * torch.tensor([1.0])
    return [torch.randn(2, 5, 8), angle.cos(), angle.sin()]
