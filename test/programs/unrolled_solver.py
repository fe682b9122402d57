"""A field that a network gives, followed by four steps of Runge-Kutta, with what it costs on the way."""

import torch
from torch import nn


class ODEFunc(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim + 1, hidden), nn.Tanh(), nn.Linear(hidden, dim))

    def forward(self, t, y):
        tt = torch.ones_like(y[:, :1]) * t
        return self.net(torch.cat([tt, y], dim=1))


def rk4_step(func, t, dt, y):
    k1 = func(t, y)
    k2 = func(t + dt / 2, y + dt * k1 / 2)
    k3 = func(t + dt / 2, y + dt * k2 / 2)
    k4 = func(t + dt, y + dt * k3)
    return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


class NeuralODE(nn.Module):
    def __init__(self, dim=3, hidden=5, steps=3, t1=1.0):
        super().__init__()
        self.func = ODEFunc(dim, hidden)
        self.steps, self.t1 = steps, t1

    def forward(self, y):
        dt = self.t1 / self.steps
        kinetic = 0.0
        for i in range(self.steps):
            kinetic = kinetic + dt * self.func(i * dt, y).pow(2).mean()
            y = rk4_step(self.func, i * dt, dt, y)
        return y, kinetic


# program: NeuralODE
def get_inputs():
    return [torch.randn(4, 3)]
