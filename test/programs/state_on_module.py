"""A recurrent cell that keeps its state on the module, and one that was drawn when it was made."""

import torch
import torch.nn as nn


class StateOnModule(nn.Module):
    def __init__(self, inner=3, width=4, batch=2):
        super().__init__()
        self.hidden = torch.randn(batch, width)
        self.start = torch.randn(1, batch, width) * 0.5
        self.mix = nn.Linear(inner + width, width)
        self.rnn = nn.GRU(width, width, batch_first=True)

    def forward(self, x, initial=None):
        if initial is not None:
            self.hidden.copy_(initial)
        self.start = self.start.to(x.device)
        self.hidden = self.hidden.to(x.device)
        mixed = torch.tanh(self.mix(torch.cat((x, self.hidden), dim=1)))
        self.hidden = mixed.detach()
        return self.rnn(mixed[:, None], self.start)[0], self.hidden


# program: StateOnModule
def get_inputs():
    return [torch.randn(2, 3)]
