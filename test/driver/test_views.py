# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views of views: every access of both directions is proved by ranges, indices and digits alone."""

import json

import pytest

PROGRAMS = """import torch
import torch.nn.functional as F


def windows(x, size: int = 4):
    b, h, w, c = x.shape
    x = x.view(b, h // size, size, w // size, size, c)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, size, size, c)


def unshuffle(x):
    return F.pixel_unshuffle(x, 2)


def channel_shuffle(x, groups: int = 3):
    b, c, h, w = x.shape
    return x.view(b, groups, c // groups, h, w).transpose(1, 2).reshape(b, c, h, w)


def reordered(x):
    return x.movedim(-1, 0), torch.swapdims(x, 0, 1), x.permute(2, 1, 0), x[:, 1:-1, ::3]


def rotated_halves(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat([-b, a], dim=-1)
"""
FOUR_AXES = "x=f32[B,C,H,W]"
VIEWS = {
    "windows": FOUR_AXES,
    "unshuffle": FOUR_AXES,
    "channel_shuffle": FOUR_AXES,
    "reordered": "x=f32[M,N,K]",
    "rotated_halves": "x=f32[B,M,N]",
}


@pytest.mark.parametrize("name", VIEWS)
def test_proved_without_linear_programming(nereid, name):
    nereid.write("v.py", PROGRAMS)
    done = nereid("convert", f"v.py:{name}", "--inputs", VIEWS[name], "--stage", "all", "--backward", "--json")
    assert done.returncode == 0, done.stderr
    for file in json.loads(done.stdout)["files"]:
        for kernel in file["kernels"]:
            assert kernel["proved"] == kernel["accesses"] and kernel["tier"] <= 1, (file["stage"], kernel)
