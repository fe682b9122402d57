"""Windowed attention scores with a table of relative positions and a mask for each window."""

# program: WindowBias

from typing import Optional, Tuple

import torch
import torch.nn as nn


def gen_relative_position_index(win_size: Tuple[int, int]) -> torch.Tensor:
    coords = torch.stack(torch.meshgrid(torch.arange(win_size[0]), torch.arange(win_size[1]), indexing="ij"))
    coords_flatten = torch.flatten(coords, 1)
    relative_coords = coords_flatten[:, :, None] - coords_flatten[:, None, :]
    relative_coords = relative_coords.permute(1, 2, 0).contiguous()
    relative_coords[:, :, 0] += win_size[0] - 1
    relative_coords[:, :, 1] += win_size[1] - 1
    relative_coords[:, :, 0] *= 2 * win_size[1] - 1
    return relative_coords.sum(-1)


class WindowBias(nn.Module):
    def __init__(self, win=(3, 4), num_heads=2):
        super().__init__()
        self.num_heads = num_heads
        self.win_area = win[0] * win[1]
        self.relative_position_bias_table = nn.Parameter(torch.randn((2 * win[0] - 1) * (2 * win[1] - 1), num_heads))
        self.register_buffer("relative_position_index", gen_relative_position_index(win), persistent=False)

    def _get_rel_pos_bias(self) -> torch.Tensor:
        bias = self.relative_position_bias_table[self.relative_position_index.view(-1)].view(
            self.win_area, self.win_area, -1
        )
        return bias.permute(2, 0, 1).contiguous().unsqueeze(0)

    def forward(self, attn, mask: Optional[torch.Tensor] = None):
        B_, H, N, _ = attn.shape
        attn = attn + self._get_rel_pos_bias()
        if mask is not None:
            num_win = mask.shape[0]
            attn = attn.view(-1, num_win, self.num_heads, N, N) + mask.unsqueeze(1).unsqueeze(0)
            attn = attn.view(-1, self.num_heads, N, N)
        return attn.softmax(dim=-1)


def get_inputs():
    return [torch.randn(6, 2, 12, 12), torch.randn(3, 12, 12)]
