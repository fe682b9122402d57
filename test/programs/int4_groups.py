"""Per-group int4 quantisation with packing into int32 as GPTQ has it, and back."""

# program: int4_groups

import torch


def pack(q):
    out = torch.zeros((q.shape[0] // 8, q.shape[1]), dtype=torch.int32, device=q.device)
    for i in range(8):
        out |= (q[i::8] & 0xF).to(torch.int32) << (4 * i)
    return out


def unpack(packed):
    wf = torch.tensor(list(range(0, 32, 4)), dtype=torch.int32, device=packed.device).unsqueeze(0)
    w = torch.bitwise_right_shift(packed.unsqueeze(1), wf.unsqueeze(-1)).to(torch.int16)
    return torch.bitwise_and(w, 15).reshape(-1, packed.shape[1])


def int4_groups(w: torch.Tensor, group_size: int = 16):
    n, m = w.shape
    g = w.reshape(-1, group_size, m)
    mx, mn = g.amax(1, keepdim=True), g.amin(1, keepdim=True)
    scale = (mx - mn).clamp(min=1e-5) / 15
    zero = (-torch.round(mn / scale)).clamp_(0, 15)
    q = torch.clamp(torch.round(g / scale) + zero, 0, 15).to(torch.uint8).reshape(n, m)
    packed = pack(q)
    deq = (unpack(packed).reshape(-1, group_size, m).to(w.dtype) - zero) * scale
    return packed, deq.reshape(n, m), scale.squeeze(1)


def get_inputs():
    return [torch.randn(32, 6)]
