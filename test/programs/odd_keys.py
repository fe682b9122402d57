"""Inputs and results in dicts of any keys, and parameters with the names of builtins."""

import torch


def odd_keys(len, d, list, max=2.0, type="a b", int=(1, 3)):
    kept = d["in"] * d["a b"] + d["a-b"] * d["a_b"] + d['q"'] * d["größe"] + d["{"] * d["0"]
    d["class"] = kept * max
    return {type: len * int[1] + kept, "a-b": kept.sum(-1), 'q"': list["}"], 3: [kept - len], ("x", 1): len.exp()}


def get_inputs():
    keys = ["in", "a b", "a-b", "a_b", 'q"', "größe", "{", "0"]
    values = [torch.randn(7, 9) for _ in keys]
    return [torch.randn(7, 9), dict(zip(keys, values)), {"}": torch.randn(5)}, 2.0, "a b", (1, 3)]
