"""Masked autoencoder loss: images cut in 16x16 patches, targets normalised per patch, squared error on masked patches."""

# small: 128=2 224=32 196=4

import torch


def mae_patch_loss(imgs, pred, mask):
    n, c, h, w = imgs.shape
    p = 16
    target = imgs.reshape(n, c, h // p, p, w // p, p)
    target = target.permute(0, 2, 4, 3, 5, 1).reshape(n, (h // p) * (w // p), p * p * c)
    mean = target.mean(dim=-1, keepdim=True)
    var = target.var(dim=-1, keepdim=True)
    target = (target - mean) / (var + 1.0e-6) ** 0.5
    loss = (pred - target) ** 2
    loss = loss.mean(dim=-1)
    return (loss * mask).sum() / mask.sum()


def get_inputs():
    return [
        torch.rand(128, 3, 224, 224),
        torch.randn(128, 196, 768),
        (torch.rand(128, 196) < 0.75).float(),
    ]
