import torch
import torch.nn.functional as F
from torch import amp
from torch.cuda.amp import autocast


def lists(x, w):
    with torch.autocast(device_type="cuda", dtype=torch.bfloat16):
        wide = F.layer_norm(x, (16,), w), x.softmax(-1), x.sum(-1), x**2, 1.0 / x, x.exp(), x.norm(dim=-1)
        kept = F.gelu(x), x.mean(-1), x * 2, x.cumsum(-1, dtype=torch.bfloat16)
        widest = torch.addcmul(x, x, w), torch.addcmul(x, x, x)
        with torch.autocast("cuda", enabled=False):
            inside = x.softmax(-1)
    return *wide, *kept, *widest, inside, x.softmax(-1)


@torch.autocast("cuda", dtype=torch.float16)
def decorated(x):
    return x.softmax(-1), x * 2


def spellings(x):
    with autocast():
        a = x.softmax(-1)
        assert torch.is_autocast_enabled()
    with amp.autocast(device_type=x.device.type, dtype=torch.bfloat16):
        b = x.softmax(-1).to(torch.get_autocast_dtype("cuda"))
    with torch.autocast("cpu"):
        c = x.softmax(-1)
    return a, b, c


def narrow(x, w):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        return F.prelu(x, w)


def products(x, w, h):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        equations = torch.einsum("mk,kn->mn", x, w), torch.einsum("mk,kn->mn", [x, h]), torch.einsum("mk->km", x)
        return *equations, torch.linalg.multi_dot([x, w, x]), torch.chain_matmul(x, h), torch.tensordot(x, w, 1)


def unsafe(x, t):
    with torch.autocast("cuda"):
        return F.binary_cross_entropy(x, t)


def elsewhere(x):
    for _ in range(2):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            x = torch.softmax(x @ x, -1)
    return x
