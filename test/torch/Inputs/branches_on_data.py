import torch


def chosen(x):
    return x * 2 if x.sum() > 0 else x


def experts(x, w):
    out = x.clone()
    for row in w.unbind(0):
        mask = x[:, 0] > row[0]
        if mask.any():
            out[mask] += x[mask] * row
    return out


def skipped(x, w):
    out = x.clone()
    for row in w.unbind(0):
        places = torch.nonzero(x[:, 0] > row[0]).squeeze(1)
        if places.numel() == 0:
            continue
        out.index_add_(0, places, x[places] * row)
    return out


def other_mask(x):
    out = x.clone()
    if (x > 1).any():
        out[x > 0] = 0
    return out


def derivative(x):
    size = x.sum().sqrt()
    if size > 0:
        x = x / size
    return x


def both_arms(x):
    size = x.sum().sqrt()
    if x[0] > 0:
        x = x / size
    else:
        x = x * size
    return x


def sizes(x):
    if x.sum() > 0:
        y = x[:1]
    else:
        y = x
    return y


def raises(x):
    if torch.isnan(x).any():
        raise ValueError("not a number")
    return x * 2


def types(x):
    y = None
    if x.sum() > 0:
        y = x.exp()
    return y


def shared(x):
    y = x + 1
    if x.sum() > 0:
        z = y
    else:
        z = x * 2
    z.add_(1)
    return y, z


def lists(x):
    parts = [x]
    if x.sum() > 0:
        parts.append(x * 2)
    return torch.stack(parts)


def turns(x):
    for i in range(x.shape[0]):
        if x[i].sum() > 0:
            return x[i] * 2
    return x[0]


def several(x):
    return x if x > 0 else -x


def stopped(x):
    stop = False
    out = torch.zeros_like(x[0])
    for row in x.unbind(0):
        if stop is True:
            row = row * 2
        out = out + row
        if row.sum() > 1:
            stop = True
    return out


def same(x):
    y = x * 2 if x.sum() > 0 else x
    return x if y is x else y


def named_twice(x):
    whole = [x, x * 2]
    parts = [x]
    if x.sum() > 0:
        parts = [x * 2, x]
    else:
        parts = whole
    whole.append(x)
    return parts[0]


def kept(x):
    s = x[0]
    k = x.new_ones(())
    for t in range(x.shape[0]):
        s = s + k
        if x[t] > 0:
            k = k * 0.5
    return s
