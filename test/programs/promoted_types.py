"""What meets what: halves, integers, numbers, tensors without axes, factories."""

import torch


def f(h, b, i, s, n):
    return (
        h + b,
        h + i,
        h + 1.5,
        b * s,
        i + 2.5,
        i / 2,
        i // 2,
        i + s,
        h + n,
        torch.where(i > 0, h, 0.0),
        torch.where(i > 0, 1, 2.0),
        torch.where(i > 0, h, b.float()),
        torch.tensor(2.0) * i,
        torch.tensor(2) * h,
        torch.full((2, 3), 7) + h[:2, :3],
        torch.arange(3) * 0.5,
        torch.arange(0, 1, 0.25),
        torch.arange(5, 0, -2),
        torch.linspace(-1, 1, 5, dtype=torch.float16),
        torch.ones(3, dtype=torch.bool) * h[0, :3],
        torch.eye(3, 5),
        torch.zeros_like(h, dtype=torch.int32),
        torch.full_like(i, 2.7),
        torch.ones_like(i) / 3,
        h.float().to(torch.bfloat16).double(),
        (h > 0) * b,
        (h > 0) + (b > 0),
        h.sum(dtype=torch.float32),
        torch.add(i, 2, alpha=3),
        torch.rsub(i, 1),
        i.to(torch.bool).to(torch.float32),
        h.new_tensor([1, 2]),
        h.new_full((2,), 3),
        torch.result_type(h, b) == torch.float32,
    )


def get_inputs():
    return [
        torch.randn(3, 4).half(),
        torch.randn(3, 4).bfloat16(),
        torch.randint(-5, 5, (3, 4)),
        torch.tensor(1.5),
        torch.tensor(2.5, dtype=torch.float64),
    ]
