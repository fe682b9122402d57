import torch.nn.functional as F


def windows(x):
    B, H, W = x.shape
    ph, pw = (4 - H % 4) % 4, (4 - W % 4) % 4
    y = x
    if ph > 0 or pw > 0:
        y = F.pad(y, (0, pw, 0, ph))
    Hp, Wp = H + ph, W + pw
    y = y.view(B, Hp // 4, 4, Wp // 4, 4).softmax(-1).view(B, Hp, Wp)
    if Hp > H or Wp > W:
        y = y[:, :H, :W]
    return x + y


def branch(x, m):
    if x.shape[1] > 4:
        x = x * 2
    return x * m


def heads(x):
    return x.view(x.size(0), -1, 4, x.size(-1) // 4).softmax(-1)
