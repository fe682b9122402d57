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


def unbound(x):
    h = torch.zeros_like(x[:, 0])
    ys = []
    for xt in x.unbind(1):
        h = 0.5 * h + xt
        ys.append(h)
    return torch.stack(list(reversed(ys)), 1)


def comprehension(x):
    return torch.stack([row.cumsum(0) for row in x])


def nested(x, s):
    h = torch.zeros_like(x[0])
    for k in range(s.shape[0]):
        for t in range(x.shape[0]):
            h = 0.5 * h + x[t] * s[k] * (k + 1)
    return h


def ring(x):
    last = torch.zeros_like(x[:3])
    total = torch.zeros_like(x[0])
    for t in range(x.shape[0]):
        total = total + last[(t - 2) % 3]
        last[t % 3] = x[t]
    return total


def distances(x):
    d = torch.zeros_like(x)
    for i in range(1, x.shape[0]):
        for j in range(1, x.shape[1]):
            d[i, j] = x[i, j] + torch.minimum(d[i - 1, j], d[i, j - 1])
    return d


def weights(x, w):
    h = torch.zeros_like(x[:, 0])
    for xt in x.unbind(1):
        h = torch.tanh(xt + h @ w)
    return h


def greatest_yet(x):
    h = torch.zeros_like(x[0])
    for t in range(x.shape[0]):
        values, places = (x[: t + 1] - h).max(0)
        h = 0.5 * values + places
    return h


def grown(x):
    h = torch.zeros_like(x[0])
    parts = []
    for t in range(x.shape[0]):
        h = h + x[t]
        parts.append(x[: t + 1] * h)
    return h, torch.cat(parts)


def sorted_prefix(x):
    h = torch.zeros_like(x[0])
    for t in range(x.shape[0]):
        h = h + (x[: t + 1] + h).sort(0).values[0]
    return h


def joined_axes(x):
    h = torch.zeros_like(x[0])
    for t in range(x.shape[0]):
        h = h + (x[: t + 1] + h).reshape(-1).norm()
    return h


def biased(x, bias):
    h = torch.zeros_like(x[0])
    for t in range(x.shape[0]):
        h = 0.5 * h
        for k in range(min(t + 1, 6)):
            h = h + x[t - k] * bias[k]
    return h


def head(x):
    ring = torch.zeros(4, x.shape[1])
    at = 0
    for t in range(x.shape[0]):
        ring[at] = x[t] + 0.5 * ring[at - 1]
        at = (at + 1) % 4
    return ring
