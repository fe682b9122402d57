"""One step of the game of life."""

# no gradient: no argument needs a gradient

import torch


def game_of_life(board):
    n = sum(torch.roll(board, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
    return ((n == 3) | ((board == 1) & (n == 2))).to(board.dtype)


def get_inputs():
    return [torch.randint(0, 2, (8, 6))]
