"""Products of arrays of three and four axes with matrices, by matmul and einsum."""

import torch


def tensor_matrix(A, B, C):
    a = torch.matmul(A, B)
    b = torch.einsum("bijl,lk->bijk", C, B)
    c = A @ B @ B.T
    d = torch.matmul(C, A.transpose(-1, -2))  # A broadcasts over the first axis of C
    return a, b, c, d


def get_inputs():
    return [torch.randn(3, 6, 5), torch.randn(5, 4), torch.randn(2, 3, 4, 5)]
