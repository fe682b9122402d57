"""Shifted windows of both axes and back: each axis is a multiple of its window."""

import torch
from torch import nn
from typing import Tuple


def window_partition(x, window_size: Tuple[int, int]):
    B, H, W, C = x.shape
    x = x.view(B, H // window_size[0], window_size[0], W // window_size[1], window_size[1], C)
    windows = x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, window_size[0], window_size[1], C)
    return windows


def window_reverse(windows, window_size, H: int, W: int):
    C = windows.shape[-1]
    x = windows.view(-1, H // window_size[0], W // window_size[1], window_size[0], window_size[1], C)
    x = x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, H, W, C)
    return x


def get_relative_position_index(win_h: int, win_w: int):
    coords = torch.stack(torch.meshgrid(torch.arange(win_h), torch.arange(win_w), indexing="ij"))
    coords_flatten = torch.flatten(coords, 1)
    relative_coords = coords_flatten[:, :, None] - coords_flatten[:, None, :]
    relative_coords = relative_coords.permute(1, 2, 0).contiguous()
    relative_coords[:, :, 0] += win_h - 1
    relative_coords[:, :, 1] += win_w - 1
    relative_coords[:, :, 0] *= 2 * win_w - 1
    return relative_coords.sum(-1)


class SwinPre(nn.Module):
    def __init__(self, dim=6, window=(2, 2), shift=(1, 1), heads=2, resolution=(4, 6)):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.window_size, self.shift_size = window, shift
        self.relative_position_bias_table = nn.Parameter(torch.zeros((2 * window[0] - 1) * (2 * window[1] - 1), heads))
        self.register_buffer("relative_position_index", get_relative_position_index(*window), persistent=False)
        nn.init.trunc_normal_(self.relative_position_bias_table, std=0.02)
        H, W = resolution
        img_mask = torch.zeros((1, H, W, 1))
        cnt = 0
        for h in ((0, -window[0]), (-window[0], -shift[0]), (-shift[0], None)):
            for w in ((0, -window[1]), (-window[1], -shift[1]), (-shift[1], None)):
                img_mask[:, h[0] : h[1], w[0] : w[1], :] = cnt
                cnt += 1
        mask_windows = window_partition(img_mask, window).view(-1, window[0] * window[1])
        attn_mask = mask_windows.unsqueeze(1) - mask_windows.unsqueeze(2)
        attn_mask = attn_mask.masked_fill(attn_mask != 0, float(-100.0)).masked_fill(attn_mask == 0, float(0.0))
        self.register_buffer("attn_mask", attn_mask, persistent=False)

    def _get_rel_pos_bias(self):
        n = self.window_size[0] * self.window_size[1]
        b = self.relative_position_bias_table[self.relative_position_index.view(-1)].view(n, n, -1)
        return b.permute(2, 0, 1).contiguous().unsqueeze(0)

    def forward(self, x, attn):
        B, H, W, C = x.shape
        shifted = torch.roll(self.norm(x), shifts=(-self.shift_size[0], -self.shift_size[1]), dims=(1, 2))
        windows = window_partition(shifted, self.window_size)
        attn = attn + self._get_rel_pos_bias()
        num_win = self.attn_mask.shape[0]
        B_, nh, N, _ = attn.shape
        attn = attn.view(-1, num_win, nh, N, N) + self.attn_mask.unsqueeze(1).unsqueeze(0)
        attn = attn.view(-1, nh, N, N).softmax(dim=-1)
        back = torch.roll(window_reverse(windows, self.window_size, H, W), shifts=self.shift_size, dims=(1, 2))
        return windows.view(-1, N, C), attn, x + back


# program: SwinPre
def get_inputs():
    return [torch.randn(2, 4, 6, 6), torch.randn(12, 2, 4, 4)]
