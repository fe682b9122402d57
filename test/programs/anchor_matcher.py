"""Anchors matched by overlap: writes of constants through masks, torch._assert."""

# no gradient: no result has a gradient

# program: match

import torch


class Matcher:
    BELOW_LOW_THRESHOLD = -1
    BETWEEN_THRESHOLDS = -2
    __annotations__ = {"BELOW_LOW_THRESHOLD": int, "BETWEEN_THRESHOLDS": int}

    def __init__(self, high_threshold: float, low_threshold: float, allow_low_quality_matches: bool = False) -> None:
        torch._assert(low_threshold <= high_threshold, "low_threshold should be <= high_threshold")
        self.high_threshold = high_threshold
        self.low_threshold = low_threshold

    def __call__(self, match_quality_matrix):
        matched_vals, matches = match_quality_matrix.max(dim=0)
        below_low_threshold = matched_vals < self.low_threshold
        between_thresholds = (matched_vals >= self.low_threshold) & (matched_vals < self.high_threshold)
        matches[below_low_threshold] = self.BELOW_LOW_THRESHOLD
        matches[between_thresholds] = self.BETWEEN_THRESHOLDS
        return matches


def match(quality):
    return Matcher(0.7, 0.3)(quality)


def get_inputs():
    return [torch.rand(4, 9)]
