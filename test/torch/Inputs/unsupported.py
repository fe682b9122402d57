import torch
import torch.nn as nn
import torch.nn.functional as F


def inverses(x, w):
    y = torch.linalg.inv(x)
    return y + torch.linalg.inv(w) + torch.sfotmax(y, -1)


def branch_on_data(x):
    while x.sum() > 0:
        x = x - 1
    return x


def branch_on_size(x):
    if x.shape[0] > 2:
        return x
    return -x


def loop_on_size(x):
    while x.shape[0] > 2:
        x = x[1:]
    return x


def random(x):
    return x + torch.poisson(x)


def dropout(x):
    return F.dropout(x, x.sum())


def reads_data(x):
    return sum(range(x.max().item()))


def shapes(x, w):
    return x + w


def result(x):
    return x, iter([])


class Trains(nn.Module):
    def forward(self, x):
        if self.training:
            return x * 2
        return x


def seeded(x):
    torch.manual_seed(0)
    return F.dropout(x, 0.5)


def types_by_name(x):
    if x.dtype == torch.float8_e4m3fn or x.dtype in (torch.complex64, torch.complex128):
        return x
    scale = x.abs().max() / torch.finfo(torch.float8_e4m3fn).max
    return (x / scale).to(torch.float8_e4m3fn), x.to(dtype=torch.complex64)


def missing_names(x):
    try:
        scale = x.scale
    except AttributeError:
        scale = getattr(x, "factor", 2)
    return x.nothing * scale, F.nothing(x), torch.linalg.eigvalsh(x)


class Incomplete(nn.Module):
    def forward(self, x):
        return torch.linalg.eigvalsh(x * self.weight)


def selections(x, y):
    some = x[x > 0]
    return some + y, torch.cat([some, some]), some.sort(), (some * x[x > 1]).sum()


def selected_result(x):
    return x[x > 0]


def numpy_arrays(x):
    import numpy as np

    return x * np.log([1.0, 2.0])


def numpy_of_tensors(x):
    import numpy as np

    return np.sqrt(x)


def chosen_places(x):
    (places,) = torch.where(x > 0)
    return x[places]
