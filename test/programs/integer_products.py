"""Products of integers, counts and flags."""

# no gradient: no argument needs a gradient

import torch


def integer_products(a, b, small, flags):
    reach = flags.int() @ flags.int()
    return (
        a @ b,
        torch.matmul(small.to(torch.int32), small.T.to(torch.int32)),
        (reach > 0) | flags,
        torch.einsum("ij,jk->ik", a, b).float() * 0.5,
        a[:, :, None].mul(b).sum(1).eq(a @ b).all(),
    )


def get_inputs():
    return [
        torch.randint(-9, 9, (4, 6)),
        torch.randint(-9, 9, (6, 5)),
        torch.randint(-100, 100, (3, 7), dtype=torch.int8),
        torch.rand(5, 5) > 0.6,
    ]
