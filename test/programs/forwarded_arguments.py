"""Arguments forwarded by * and **."""

# program: forwarded_arguments

import torch


def base(x, *scales, shift=0.0, **options):
    for s in scales:
        x = x * s
    if options.get("clip"):
        lo, hi = options["clip"]
        x = x.clamp(lo, hi)
    return x + shift


def wrapper(*args, **kwargs):
    kwargs.setdefault("shift", 1.0)
    return base(*args, **kwargs)


def forwarded_arguments(x, w):
    return wrapper(x, w, 2.0, clip=(-1, 1)) + wrapper(*[x, 0.5], **{"shift": -0.5})


def get_inputs():
    return [torch.randn(4, 8), torch.randn(8)]
