import torch
from torch import nn

class Model(nn.Module):
    """Complex parameters, buffers and arguments."""
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(0.1 * torch.randn(8, 6, dtype=torch.cfloat))
        self.register_buffer("table", torch.polar(torch.ones(8), torch.arange(8).float()))
        self.register_buffer("state", torch.randn(6, dtype=torch.cfloat))

    def forward(self, z, x):
        y = (z * self.table) @ self.weight + self.state
        out = torch.zeros(z.shape[0], 6, dtype=torch.cfloat, device=z.device)
        out[:, :3] = y[:, :3] / (y[:, 3:] + 2.5)
        out[:, 3:] = torch.exp(1j * x[:, :3]) * y[:, 3:].conj()
        return out, out.abs().sum(-1), torch.angle(y), out.real, (y - 1).pow(2).mean()

def get_inputs():
    return [torch.randn(4, 8, dtype=torch.cfloat), torch.randn(4, 5)]
def get_init_inputs():
    return []
