import torch


def recurrence(a, x):
    h = torch.zeros_like(x[:, 0])
    ys = []
    for t in range(x.shape[1]):
        h = a[:, t] * h + x[:, t]
        ys.append(h)
    return torch.stack(ys, 1)


def first_turn(x):
    h = None
    for row in x:
        h = row if h is None else 0.5 * h + row
    return h


def grows(x):
    h = x[0]
    for row in x:
        h = torch.cat([h, row])
    return h


def some_turns(x):
    h = torch.zeros_like(x[0])
    for t in range(x.shape[0]):
        if t % 2 == 0:
            h = h + x[t]
    return h


def prefix(x):
    total = torch.zeros_like(x[0])
    for t in range(x.shape[0]):
        total = total + x[:t].sum(0)
    return total


def leaves(x):
    h = torch.zeros_like(x[0])
    for row in x:
        h = h + row
        return h


def shares(x):
    h = torch.zeros_like(x[0])
    ys = []
    for row in x:
        h.mul_(0.5).add_(row)
        ys.append(h)
    return torch.stack(ys)


def runtime_turns(x, n: int):
    for _ in range(n):
        x = x * 0.5
    return x


def length(x):
    ys = []
    for row in x:
        ys.append(row * 2)
    return torch.stack(ys) * len(ys)
