"""Products in bfloat16 scaled in float32."""

import torch


def scaled_mm(a, b, sa, sb):
    return ((a @ b.t()).float() * sa * sb).to(torch.bfloat16), (a.float() * sa) @ (b.float() * sb).t()


def get_inputs():
    a, b = torch.randn(4, 8, dtype=torch.bfloat16), torch.randn(6, 8, dtype=torch.bfloat16)
    return [a, b, torch.rand(()) + 0.5, torch.rand(()) + 0.5]
