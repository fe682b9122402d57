import torch
import torch.nn.functional as F


def chain(x, w):
    for _ in range(10):
        x = F.gelu(x) * w + x
        x = F.layer_norm(x, (x.shape[-1],), w)
        x = torch.softmax(x, -1) + x.roll(1, 0)
    return x
