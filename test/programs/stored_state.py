"""Tensors that a call puts into a dict of the caller's."""

# no gradient: is mutated by the program

import torch


def momentum_step(p, g, state, beta: float = 0.9):
    state["m"] = beta * state["m"] + (1 - beta) * g
    state["norm"] = state["m"].norm()
    p.sub_(state["m"])


def get_inputs():
    return [torch.randn(4), torch.randn(4), {"m": torch.randn(4)}]
