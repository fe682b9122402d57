"""The rest of the linear algebra that can be left to PyTorch."""

# options: --keep-torch inverse,matrix_exp,logdet,matrix_power,linalg.cholesky,solve_triangular,svdvals,eigvalsh,pinv

import torch


def kept_more_linalg(a, b):
    identity = torch.eye(a.shape[-1])
    s = (a.unsqueeze(-1) * a.unsqueeze(-2)).sum(-3) + 4 * identity
    factor = torch.linalg.cholesky(s)
    results = [
        torch.inverse(s),
        torch.matrix_exp(a * 0.1),
        torch.logdet(s),
        torch.linalg.matrix_power(s, 3) * 0.01,
        torch.linalg.solve_triangular(factor, b, upper=False),
        torch.linalg.svdvals(b),
        torch.linalg.eigvalsh(s),
        torch.linalg.pinv(b),
    ]
    return [result * 2 for result in results]


def get_inputs():
    return [torch.randn(3, 4, 4), torch.randn(3, 4, 2)]
