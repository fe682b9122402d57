"""Products in which one operand, the other, or both stand the other way round."""

import torch


def transposed_operands(A, B):
    return (
        torch.matmul(A.T, B),
        torch.matmul(A.transpose(0, 1), B.T.contiguous().t()),
        torch.matmul(B.T, A.T.contiguous().T),
        torch.mm(B.t(), A),
        (A.mT @ B).mT,
        torch.movedim(B, 0, 1) @ A,
        A.T @ B @ (B.T @ A),
    )


def get_inputs():
    return [torch.randn(7, 3), torch.randn(7, 11)]
