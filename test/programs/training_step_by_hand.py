"""A network of two layers, its gradients written out, and a step that moves the weights."""

import torch


def train_step(x, y, w1, b1, w2, b2, lr: float = 0.1):
    # forward
    z1 = x @ w1 + b1
    a1 = torch.relu(z1)
    logits = a1 @ w2 + b2
    probs = torch.softmax(logits, dim=1)
    n = x.shape[0]
    loss = -torch.log(probs[torch.arange(n), y] + 1e-9).mean()
    # backward
    d_logits = probs.clone()
    d_logits[torch.arange(n), y] -= 1
    d_logits /= n
    d_w2 = a1.T @ d_logits
    d_b2 = d_logits.sum(0)
    d_z1 = (d_logits @ w2.T) * (z1 > 0)
    d_w1 = x.T @ d_z1
    d_b1 = d_z1.sum(0)
    return loss, w1 - lr * d_w1, b1 - lr * d_b1, w2 - lr * d_w2, b2 - lr * d_b2


def get_inputs():
    return [
        torch.randn(7, 5),
        torch.randint(0, 3, (7,)),
        torch.randn(5, 6),
        torch.randn(6),
        torch.randn(6, 3),
        torch.randn(3),
    ]
