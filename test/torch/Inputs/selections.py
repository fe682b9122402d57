import torch.nn.functional as F


def positions(x, mask):
    y = x[mask]
    a = y.tril()
    b = y.cumsum(0)
    c = y[0]
    d = y.t()
    e = y * x
    return a, b, c, d, e, y.sort(0)


def axes(x, mask):
    y = x[mask]
    return y.softmax(0), y.max(0), y[:, 0], y.unsqueeze(1)


def means(x, y, w, mask):
    return (x[mask] > 0).view(0), F.mse_loss(x[mask], y[mask], weight=w[mask])


def beside(x, mask, i):
    y = x.clone()
    y[mask, i] = 3
    return y


def behind(x, mask):
    y = x.clone()
    y[:, mask] = x[:, 0]
    return y
