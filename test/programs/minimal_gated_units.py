"""Recurrences whose gates do not need the state (minGRU, SRU, QRNN): products outside, a scan within."""

import torch
import torch.nn.functional as F
from torch import nn


class MinGRU(nn.Module):
    def __init__(self, dim, expansion=1.5):
        super().__init__()
        inner = int(dim * expansion)
        self.to_hidden_and_gate = nn.Linear(dim, inner * 2, bias=False)
        self.to_out = nn.Linear(inner, dim, bias=False)

    def forward(self, x):
        hidden, gate = self.to_hidden_and_gate(x).chunk(2, dim=-1)
        z = torch.sigmoid(gate)
        h = torch.zeros_like(hidden[:, 0])
        out = []
        for t in range(x.shape[1]):
            h = (1 - z[:, t]) * h + z[:, t] * torch.tanh(hidden[:, t])
            out.append(h)
        return self.to_out(torch.stack(out, dim=1))


class QRNN(nn.Module):
    def __init__(self, dim, window=2):
        super().__init__()
        self.window = window
        self.conv = nn.Conv1d(dim, 3 * dim, window)

    def forward(self, x):
        y = self.conv(F.pad(x.transpose(1, 2), (self.window - 1, 0))).transpose(1, 2)
        z, f, o = y.chunk(3, dim=2)
        z, f, o = z.tanh(), f.sigmoid(), o.sigmoid()
        c, outputs = None, []
        for t in range(x.shape[1]):
            c = (1 - f[:, t]) * z[:, t] if c is None else f[:, t] * c + (1 - f[:, t]) * z[:, t]
            outputs.append(o[:, t] * c)
        return torch.stack(outputs, 1)


class Stack(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.a, self.b = MinGRU(dim), QRNN(dim)

    def forward(self, x):
        return self.b(x + self.a(x))


# program: Stack
def get_inputs():
    return [torch.randn(2, 5, 4)]
