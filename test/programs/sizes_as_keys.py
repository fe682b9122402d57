"""Sizes as keys of dicts and sets, and as texts: they are numbers there, and messages still show them as they are."""

import torch

SCALES = {"width 6": 0.5, "width 8": 0.25}


def sizes_as_keys(x):
    rows, width = x.shape
    if x.dim() != 2:
        raise ValueError(f"expected two axes, found {tuple(x.shape)}")
    assert rows > 0, f"no rows of {width}"
    by_key = {6: 2.0, 8: 3.0}.get(width, 5.0)
    by_set = 7.0 if width in {6, 8} else 11.0
    by_text = SCALES[f"width {width}"] * len(f"{width:b}") * int(str(width))
    return x * (by_key + by_set * by_text)


def get_inputs():
    return [torch.randn(3, 6)]
