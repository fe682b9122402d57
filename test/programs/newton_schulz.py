"""Five steps of a polynomial iteration that orthogonalises an update, with momentum (Muon)."""

import torch


def zeropower_via_newtonschulz5(G, steps: int = 5):
    a, b, c = (3.4445, -4.7750, 2.0315)
    X = G
    if G.size(-2) > G.size(-1):
        X = X.mT
    # Ensure spectral norm is at most 1
    X = X / (X.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(steps):
        A = X @ X.mT
        B = b * A + c * A @ A
        X = a * X + B @ X
    if G.size(-2) > G.size(-1):
        X = X.mT
    return X


def muon_update(grad, momentum, beta=0.95, ns_steps=5, nesterov=True):
    momentum = momentum.lerp(grad, 1 - beta)
    update = grad.lerp(momentum, beta) if nesterov else momentum
    update = zeropower_via_newtonschulz5(update, steps=ns_steps)
    return update * max(1, grad.size(-2) / grad.size(-1)) ** 0.5, momentum


# program: muon_update
def get_inputs():
    return [torch.randn(8, 4), torch.randn(8, 4)]
