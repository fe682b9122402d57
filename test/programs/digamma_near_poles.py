import torch


def digamma_near_poles(x):
    """Beside negative whole numbers the tangent of the reflection is small."""
    return torch.digamma(x), torch.lgamma(x)


def get_inputs():
    return [torch.randint(-9, 0, (64,)) + (torch.rand(64) - 0.5).sign() * (torch.rand(64) * 0.4 + 0.01)]
