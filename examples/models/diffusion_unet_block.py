"""A level of the U-Net of DDPM (Ho et al., 2020): residual blocks with the time, attention, down and up again."""

import math

import torch
from torch import nn
from torch.nn import functional as F


def timestep_embedding(timesteps, dim, max_period=10000):
    half = dim // 2
    freqs = torch.exp(-math.log(max_period) * torch.arange(start=0, end=half, dtype=torch.float32) / half)
    freqs = freqs.to(device=timesteps.device)
    args = timesteps[:, None].float() * freqs[None]
    embedding = torch.cat([torch.cos(args), torch.sin(args)], dim=-1)
    if dim % 2:
        embedding = torch.cat([embedding, torch.zeros_like(embedding[:, :1])], dim=-1)
    return embedding


class ResBlock(nn.Module):
    def __init__(self, in_channels, out_channels, emb_channels, dropout=0.0, groups=32):
        super().__init__()
        self.in_layers = nn.Sequential(
            nn.GroupNorm(groups, in_channels),
            nn.SiLU(),
            nn.Conv2d(in_channels, out_channels, 3, padding=1),
        )
        self.emb_layers = nn.Sequential(nn.SiLU(), nn.Linear(emb_channels, out_channels))
        self.out_layers = nn.Sequential(
            nn.GroupNorm(groups, out_channels),
            nn.SiLU(),
            nn.Dropout(p=dropout),
            nn.Conv2d(out_channels, out_channels, 3, padding=1),
        )
        if in_channels == out_channels:
            self.skip_connection = nn.Identity()
        else:
            self.skip_connection = nn.Conv2d(in_channels, out_channels, 1)

    def forward(self, x, emb):
        h = self.in_layers(x)
        emb_out = self.emb_layers(emb).type(h.dtype)
        while len(emb_out.shape) < len(h.shape):
            emb_out = emb_out[..., None]
        h = h + emb_out
        h = self.out_layers(h)
        return self.skip_connection(x) + h


class AttentionBlock(nn.Module):
    def __init__(self, channels, num_heads=1, groups=32):
        super().__init__()
        self.num_heads = num_heads
        self.norm = nn.GroupNorm(groups, channels)
        self.qkv = nn.Conv1d(channels, channels * 3, 1)
        self.proj_out = nn.Conv1d(channels, channels, 1)

    def forward(self, x):
        b, c, *spatial = x.shape
        x = x.reshape(b, c, -1)
        qkv = self.qkv(self.norm(x))
        qkv = qkv.reshape(b * self.num_heads, -1, qkv.shape[2])
        h = self.attention(qkv)
        h = h.reshape(b, -1, h.shape[-1])
        h = self.proj_out(h)
        return (x + h).reshape(b, c, *spatial)

    def attention(self, qkv):
        ch = qkv.shape[1] // 3
        q, k, v = torch.split(qkv, ch, dim=1)
        scale = 1 / math.sqrt(math.sqrt(ch))
        weight = torch.einsum("bct,bcs->bts", q * scale, k * scale)  # More stable with f16 than dividing afterwards
        weight = torch.softmax(weight.float(), dim=-1).type(weight.dtype)
        return torch.einsum("bts,bcs->bct", weight, v)


class Downsample(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.op = nn.Conv2d(channels, channels, 3, stride=2, padding=1)

    def forward(self, x):
        return self.op(x)


class Upsample(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        x = F.interpolate(x, scale_factor=2, mode="nearest")
        return self.conv(x)


class UNetLevel(nn.Module):
    def __init__(self, channels=128, mult=2, num_heads=4, groups=32, dropout=0.0):
        super().__init__()
        emb, inner = 4 * channels, mult * channels
        self.channels = channels
        self.time_embed = nn.Sequential(nn.Linear(channels, emb), nn.SiLU(), nn.Linear(emb, emb))
        self.res1 = ResBlock(channels, inner, emb, dropout, groups)
        self.attn1 = AttentionBlock(inner, num_heads, groups)
        self.down = Downsample(inner)
        self.mid1 = ResBlock(inner, inner, emb, dropout, groups)
        self.mid_attn = AttentionBlock(inner, num_heads, groups)
        self.mid2 = ResBlock(inner, inner, emb, dropout, groups)
        self.up = Upsample(inner)
        self.res2 = ResBlock(inner + inner, channels, emb, dropout, groups)

    def forward(self, x, timesteps):
        emb = self.time_embed(timestep_embedding(timesteps, self.channels))
        h = self.attn1(self.res1(x, emb))
        skip = h
        h = self.down(h)
        h = self.mid1(h, emb)
        h = self.mid_attn(h)
        h = self.mid2(h, emb)
        h = self.up(h)
        return self.res2(torch.cat([h, skip], dim=1), emb)


def get_inputs():
    return [torch.randn(16, 128, 32, 32), torch.randint(0, 1000, (16,))]


def get_init_inputs():
    return []


def get_small_inputs():
    return [torch.randn(2, 4, 6, 6), torch.randint(0, 1000, (2,))]


def get_small_init_inputs():
    return [4, 2, 2, 2]
