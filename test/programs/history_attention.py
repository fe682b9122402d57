"""A decoder that attends to all that it has read: keys and values up to the step, whose number grows."""

import torch
import torch.nn.functional as F


class HistoryDecoder(torch.nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.query = torch.nn.Linear(2 * width, width)
        self.norm = torch.nn.LayerNorm(width)

    def forward(self, x, keys, values):
        """x, keys, values: [batch, steps, width]."""
        context = torch.zeros_like(x[:, 0])
        outputs = []
        for t in range(x.size(1)):
            q = self.query(torch.cat([x[:, t], context], dim=-1))
            scores = torch.einsum("bd,bsd->bs", q, keys[:, : t + 1]) * q.shape[-1] ** -0.5
            attention = F.softmax(scores, dim=-1)
            context = self.norm(torch.einsum("bs,bsd->bd", attention, values[:, : t + 1]))
            outputs.append(context)
        return torch.stack(outputs, dim=1)


Model = HistoryDecoder


def get_inputs():
    return [torch.randn(2, 6, 4), torch.randn(2, 6, 4), torch.randn(2, 6, 4)]


def get_init_inputs():
    return []
