"""ParameterList, ParameterDict, ModuleDict, children and named parameters."""

import torch
import torch.nn as nn


class ScalarMix(nn.Module):
    def __init__(self, n: int = 3, do_layer_norm: bool = True):
        super().__init__()
        self.n = n
        self.scalars = nn.ParameterList([nn.Parameter(torch.tensor([0.1 * i])) for i in range(n)])
        self.gains = nn.ParameterDict({"a": nn.Parameter(torch.ones(5)), "b": nn.Parameter(torch.zeros(5))})
        self.acts = nn.ModuleDict({"relu": nn.ReLU(), "elu": nn.ELU(alpha=0.5)})
        self.do_layer_norm = do_layer_norm
        self.gamma = nn.Parameter(torch.tensor([1.0]))

    def forward(self, tensors, mask):
        def _norm(t, m, num):
            masked = t * m
            mean = masked.sum() / num
            var = (((masked - mean) * m) ** 2).sum() / num
            return (t - mean) / torch.sqrt(var + 1e-12)

        weights = torch.nn.functional.softmax(torch.cat([p for p in self.scalars]), dim=0)
        weights = torch.split(weights, split_size_or_sections=1)
        m = mask.float().unsqueeze(dim=-1)
        num = mask.float().sum() * tensors[0].size(-1)
        pieces = [w * (_norm(t, m, num) if self.do_layer_norm else t) for w, t in zip(weights, tensors)]
        out = self.gamma * sum(pieces)
        for name, act in self.acts.items():
            out = act(out) * self.gains["a"] + self.gains["b"]
        return out


def get_inputs():
    return [[torch.randn(2, 4, 5) for _ in range(3)], torch.rand(2, 4) > 0.2]


def get_init_inputs():
    return []
