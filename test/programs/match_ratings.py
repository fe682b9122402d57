"""Ratings after matches (Elo): who played is data, and each match begins with what the ones before it left."""

import torch


def match_ratings(ratings, first, second, won, step: float = 32.0):
    ratings = ratings.clone()
    for match in range(first.shape[0]):
        expected = 1 / (1 + 10 ** ((ratings[second[match]] - ratings[first[match]]) / 400))
        change = step * (won[match] - expected)
        ratings[first[match]] += change
        ratings[second[match]] -= change
    return ratings


def get_inputs():
    return [torch.full((5,), 1000.0), torch.randint(0, 5, (9,)), torch.randint(0, 5, (9,)), torch.rand(9)]
