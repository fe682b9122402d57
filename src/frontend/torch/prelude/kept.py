# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that Nereid does not compute: the sizes and types of what they give, for calls that are left to
PyTorch (`--keep-torch`). What they return here stands for a tensor of this type; it is never used."""


def _one_type(name, *tensors):
    for tensor in tensors:
        if tensor is not None and tensor.dtype != tensors[0].dtype:
            raise RuntimeError(f"{name}: expected tensors of one dtype, found {tensors[0].dtype} and {tensor.dtype}")


def _agree(name, a, b):
    assert a == b, f"{name}: the sizes of its operands do not agree"


def _empty(sizes, like):
    return torch.empty(tuple(sizes), dtype=like.dtype)


def _float(name, tensor):
    if not tensor.is_floating_point():
        raise RuntimeError(f"{name}: expected floating-point numbers, found {tensor.dtype}")


# --- Linear algebra


def _square(name, input):
    _float(name, input)
    if input.dim() < 2:
        raise RuntimeError(f"{name}: expected at least 2 dimensions, found {input.dim()}")
    _agree(name, input.shape[-1], input.shape[-2])


@export(at="kept_linalg kept", names="inv inverse cholesky matrix_exp")
def _of_square(input, upper=False):
    _square("the operator of square matrices", input)
    return _empty(input.shape, input)


@export(at="kept_linalg kept", names="det logdet")
def _number_of_square(input):
    _square("det", input)
    return _empty(input.shape[:-2], input)


@export(at="kept_linalg kept")
def matrix_power(input, n):
    _square("matrix_power", input)
    return _empty(input.shape, input)


@export(at="kept_linalg")
def solve(A, B, *, left=True):
    _one_type("solve", A, B)
    _square("solve", A)
    if B.dim() != A.dim():
        raise RuntimeError("linalg.solve of vectors: give them a last axis of one element")
    _agree("solve", A.shape[-1], B.shape[-2] if left else B.shape[-1])
    batch = tuple(torch.broadcast_shapes(tuple(A.shape[:-2]), tuple(B.shape[:-2])))
    return _empty(batch + tuple(B.shape[-2:]), A)


@export(at="kept_linalg")
def solve_triangular(A, B, *, upper, left=True, unitriangular=False):
    return solve(A, B, left=left)


class _decomposed(tuple):
    """What torch.linalg gives by name: `eigenvalues`, `U`, `Q`, ..."""

    eigenvalues = property(lambda self: self[0])
    eigenvectors = property(lambda self: self[1])
    Q = property(lambda self: self[0])
    R = property(lambda self: self[1])
    sign = property(lambda self: self[0])
    logabsdet = property(lambda self: self[1])
    U = property(lambda self: self[0])
    S = property(lambda self: self[1])
    Vh = property(lambda self: self[2])


@export(at="kept_linalg")
def eigh(A, UPLO="L"):
    _square("eigh", A)
    return _decomposed((_empty(A.shape[:-1], A), _empty(A.shape, A)))


@export(at="kept_linalg kept")
def slogdet(A):
    _square("slogdet", A)
    return _decomposed((_empty(A.shape[:-2], A), _empty(A.shape[:-2], A)))


@export(at="kept_linalg")
def qr(A, mode="reduced"):
    _float("qr", A)
    if mode == "r":
        raise RuntimeError("linalg.qr(mode='r') cannot be left to PyTorch: use mode='reduced'")
    rows, columns = A.shape[-2], A.shape[-1]
    least = rows if mode == "complete" else min(rows, columns)
    batch = tuple(A.shape[:-2])
    return _decomposed((_empty(batch + (rows, least), A), _empty(batch + (least, columns), A)))


@export(at="kept_linalg")
def svd(A, full_matrices=True, *, driver=None):
    _float("svd", A)
    rows, columns = A.shape[-2], A.shape[-1]
    least, batch = min(rows, columns), tuple(A.shape[:-2])
    u, v = (rows, columns) if full_matrices else (least, least)
    return _decomposed((_empty(batch + (rows, u), A), _empty(batch + (least,), A), _empty(batch + (v, columns), A)))


@export(at="kept_linalg")
def svdvals(A, *, driver=None):
    _float("svdvals", A)
    return _empty(tuple(A.shape[:-2]) + (min(A.shape[-2], A.shape[-1]),), A)


@export(at="kept_linalg")
def eigvalsh(A, UPLO="L"):
    _square("eigvalsh", A)
    return _empty(A.shape[:-1], A)


@export(at="kept_linalg")
def pinv(A, *, atol=None, rtol=None, hermitian=False):
    _float("pinv", A)
    return _empty(tuple(A.shape[:-2]) + (A.shape[-1], A.shape[-2]), A)
