"""A variational autoencoder of images: the noise is an argument, the loss has two terms."""


import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits as bce


class ConvVAE(nn.Module):
    def __init__(self, channels=1, hidden=(4, 6), latent=3, size=8):
        super().__init__()
        self.side = size // 4
        encoder, current = [], channels
        for h in hidden:
            encoder += [nn.Conv2d(current, h, 4, 2, 1), nn.LeakyReLU(0.2)]
            current = h
        self.encoder = nn.Sequential(*encoder)
        flat = hidden[-1] * self.side**2
        self.mu, self.logvar = nn.Linear(flat, latent), nn.Linear(flat, latent)
        self.expand = nn.Linear(latent, flat)
        self.decoder = nn.Sequential(
            nn.Unflatten(1, (hidden[-1], self.side, self.side)),
            nn.ConvTranspose2d(hidden[1], hidden[0], 4, 2, 1),
            nn.ReLU(),
            nn.ConvTranspose2d(hidden[0], channels, 4, 2, 1),
        )

    def encode(self, x):
        h = self.encoder(x).flatten(1)
        return self.mu(h), self.logvar(h)

    def forward(self, x, noise):
        mu, logvar = self.encode(x)
        z = mu + noise * torch.exp(0.5 * logvar)
        logits = self.decoder(F.relu(self.expand(z)))
        kl = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp(), dim=1).mean()
        return bce(logits, x, reduction="sum") / x.shape[0] + kl, torch.sigmoid(logits)


def get_inputs():
    return [torch.rand(2, 1, 8, 8), torch.randn(2, 3)]
