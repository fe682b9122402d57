import torch
import torch.nn as nn
import torch.nn.functional as F


class Dense(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.conv1 = nn.Conv2d(dim, 6, 1, bias=False)
        self.conv2 = nn.Conv2d(6, 2, 3, padding=1, bias=False)

    def forward(self, *features):
        return self.conv2(F.relu(self.conv1(torch.cat(features, 1))))


class Split(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.qk = nn.Linear(dim, 2 * dim, bias=False)
        self.out = nn.Linear(dim, dim, bias=False)

    def forward(self, x):
        b, t, c = x.shape
        q, k = self.qk(self.norm(x)).view(b, t, 2, c // 2, 2).unbind(2)
        return self.out((q * k.sigmoid()).reshape(b, t, c))


class Down(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(2, 2, 3, stride=2, padding=1, bias=False)
        self.conv2 = nn.Conv2d(2, 2, 1, bias=False)

    def forward(self, x):
        return self.conv2(self.conv1(x))


class Power(nn.Module):
    def __init__(self, exponent):
        super().__init__()
        self.exponent = exponent
        self.a = nn.Linear(4, 4, bias=False)
        self.b = nn.Linear(4, 4, bias=False)

    def forward(self, x):
        return self.b(self.a(x) ** self.exponent)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.dense1, self.dense2 = Dense(2), Dense(4)
        self.split1, self.split2 = Split(6), Split(4)
        self.down1, self.down2 = Down(), Down()
        self.power1, self.power2 = Power(3), Power(5)

    def forward(self, x):
        y = self.dense1(x)
        z = self.dense2(x, y)
        a = self.split1(torch.cat([x, y, z], 1).flatten(2).transpose(1, 2))
        b = self.split2(torch.cat([y, z], 1).flatten(2).transpose(1, 2))
        d = self.down2(self.down1(z))
        return a.mean(1), b.mean(1), d, self.power2(self.power1(b.mean(1)))


def get_inputs():
    return [torch.randn(1, 2, 3, 4)]
