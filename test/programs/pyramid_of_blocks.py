# Stages of blocks that are equal but for their channels, their resolution and their heads: each kind of block is one
# function, whose sizes are those of what it is applied to.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, dim, head_dim):
        super().__init__()
        self.heads = dim // head_dim
        self.norm = nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.norm(x)).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v)
        return x + self.out(y.transpose(1, 2).reshape(b, t, c))


class Block(nn.Module):
    def __init__(self, dim, groups):
        super().__init__()
        self.conv1 = nn.Conv2d(dim, 2 * dim, 3, padding=1)
        self.norm = nn.GroupNorm(groups, 2 * dim)
        self.conv2 = nn.Conv2d(2 * dim, dim, 1)

    def forward(self, x):
        return x + self.conv2(F.silu(self.norm(self.conv1(x))))


class Down(nn.Module):
    def __init__(self, dim, out_dim):
        super().__init__()
        self.reduce = nn.Conv2d(dim, out_dim, 1)
        self.conv = nn.Conv2d(out_dim, out_dim, 3, stride=2, padding=1)

    def forward(self, x):
        return self.conv(F.relu(self.reduce(x)))


class PyramidOfBlocks(nn.Module):
    def __init__(self, dims=(4, 8), groups=2, head_dim=2):
        super().__init__()
        self.stem = nn.Conv2d(3, dims[0], 3, padding=1)
        self.blocks = nn.ModuleList(Block(dim, groups) for dim in dims)
        self.downs = nn.ModuleList(Down(a, b) for a, b in zip(dims[:-1], dims[1:]))
        self.attentions = nn.ModuleList(Attention(dim, head_dim) for dim in dims)

    def forward(self, x):
        x, features = self.stem(x), []
        for number, block in enumerate(self.blocks):
            x = block(x)
            tokens = self.attentions[number](x.flatten(2).transpose(1, 2))
            features.append(tokens.mean(1))
            if number < len(self.downs):
                x = self.downs[number](x)
        return torch.cat(features, 1)


def get_inputs():
    return [torch.randn(1, 3, 4, 6)]


def get_init_inputs():
    return []
