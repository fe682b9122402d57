import torch
import torch.nn.functional as F


def f(x, u, m):
    x = x.sin()
    t1 = x * torch.softmax(x, -1).sum(-1, keepdim=True)
    t2 = x.sum(0, keepdim=True)
    t3 = F.kl_div(F.log_softmax(t1, -1), torch.softmax(x, -1), reduction="sum")
    t5 = t2.new_zeros(m.shape[0]).index_add(-1, u, t2)
    return torch.lerp(t5, t3, 0.25)
