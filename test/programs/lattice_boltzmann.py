"""A step of lattice Boltzmann: rolled by shifts that a buffer holds."""

import torch


class D2Q9(torch.nn.Module):
    def __init__(self, tau=0.6):
        super().__init__()
        self.tau = tau
        self.register_buffer(
            "e", torch.tensor([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]])
        )
        self.register_buffer("w", torch.tensor([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4))
        self.opposite = [0, 3, 4, 1, 2, 7, 8, 5, 6]

    def equilibrium(self, rho, u):
        eu = (self.e[:, :, None, None].to(u) * u.unsqueeze(0)).sum(1)
        uu = (u * u).sum(0)
        return self.w.view(-1, 1, 1) * rho * (1 + 3 * eu + 4.5 * eu**2 - 1.5 * uu)

    def forward(self, f, solid):
        rho = f.sum(0)
        u = (self.e[:, :, None, None].to(f) * f[:, None]).sum(0) / rho
        feq = self.equilibrium(rho, u)
        post = f - (f - feq) / self.tau
        post = torch.where(solid, f[self.opposite], post)
        out = torch.stack(
            [torch.roll(post[i], shifts=(int(self.e[i, 0]), int(self.e[i, 1])), dims=(0, 1)) for i in range(9)]
        )
        return out, rho, u


def get_inputs():
    return [torch.rand(9, 6, 7) + 0.5, torch.rand(6, 7) > 0.8]
