import torch


def halves(x):
    a, b = x.chunk(2, dim=-1)
    return a * b


def named(x, y):
    return torch.cat([x, y], dim=1)


def checked(x, y):
    assert x.shape[0] % 4 == 0
    if x.shape[1] != y.shape[0]:
        raise ValueError("sizes")
    return x.view(-1, 4, x.shape[1]).sum(1)


def flat_product(x, y):
    n = y.size(0)
    return x.view(n, -1) * y.view(n, -1)


def blocks_and_back(x):
    blocks = x.reshape(-1, 32)
    return blocks.amax(-1).view(x.shape[0], -1)


def by_key(x):
    return x * {6: 2.0, 8: 3.0}.get(x.shape[1], 5.0)


def heads(x, w, m):
    return (x @ w).view(x.shape[0], -1, 2, 3) + m[:, None, None]


def by_hand(x, w):
    return w.flatten(1) @ torch.nn.functional.unfold(x, 2)


def elements(x):
    y = x / x.shape.numel() + x.size()[1:].numel()
    return y if hasattr(x.shape, "numel") and not hasattr(x.shape, "count_nonzero") else y.flatten()
