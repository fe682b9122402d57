"""A semi-Markov CRF: the log partition of segmentations into labelled segments of at most K - 1
positions. A ring holds what the last K positions have; the first positions see fewer durations."""

import torch


class SemiMarkovPartition(torch.nn.Module):
    def __init__(self, max_duration=4, labels=3):
        super().__init__()
        self.max_duration = max_duration
        self.transition = torch.nn.Parameter(torch.randn(labels, labels) * 0.1)
        self.register_buffer("durations", torch.arange(1, max_duration), persistent=False)

    def forward(self, edge, lengths):
        """edge: [batch, time, max_duration, labels], where a segment starts, its duration and label."""
        batch, time, K, labels = edge.shape
        ring = edge.new_full((batch, K, labels), -1e9)
        ring[:, 0] = 0.0
        head = 0
        partition = edge.new_zeros(batch)
        for n in range(1, time):
            dur = self.durations[: min(K - 1, n)]
            starts = n - dur
            ring_idx = (head - (dur - 1)) % K
            prev = ring.index_select(1, ring_idx)
            segment = edge[:, starts, dur]
            scores = prev.unsqueeze(-1) + self.transition + segment.unsqueeze(2)
            alpha = torch.logsumexp(torch.logsumexp(scores, dim=2), dim=1)
            head = (head + 1) % K
            ring = ring.index_copy(1, torch.tensor([head], device=edge.device), alpha.unsqueeze(1))
            partition = torch.where(lengths == n + 1, torch.logsumexp(alpha, dim=1), partition)
        return partition


Model = SemiMarkovPartition


def get_inputs():
    return [torch.randn(2, 9, 4, 3), torch.tensor([9, 6])]


def get_init_inputs():
    return []
