# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products: of matrices, of matrices with vectors, of rows with rows, outer ones. Each is a fold of a map; whether it
becomes a contraction of tiles is the scheduler's choice, and no name of an operator counts there.

Axes of an einsum have labels, its letters: axes of one label have one size, and what the result lacks is summed."""


def _rank(name, tensor, rank):
    if tensor.dim() != rank:
        raise RuntimeError(f"{name}: expected {rank} dimensions, found {tensor.dim()}")


def _agree(name, a, b):
    if not prims.match((a,), (b,)):
        raise RuntimeError(f"{name}: the sizes of its operands do not agree")


def _is_one(size):
    # A size that only the call knows is never repeated.
    return prims.is_known(size) and size == 1


# --- Matrices and vectors -----------------------------------------------------------------------------


def _multiplied(name, input, other):
    """Rows times columns, one axis of each in common; a vector is a row before a matrix and a column behind one."""
    if input.dim() == 0 or other.dim() == 0:
        raise RuntimeError(f"{name}: both arguments need at least one dimension")
    has_columns = other.dim() > 1
    _agree(name, input.shape[-1], other.shape[-2] if has_columns else other.shape[0])
    left = input.unsqueeze(-1) if has_columns else input
    right = other.unsqueeze(-3) if has_columns and input.dim() > 1 else other
    product = left * right
    # Sums of short integers wrap around, as PyTorch's do here.
    return torch.sum(product, -2 if has_columns else -1, dtype=product.dtype)


@op("aten::matmul(Tensor self, Tensor other) -> Tensor", at="torch Tensor linalg", dtypes="one")
def matmul(input, other):
    return _multiplied("matmul", input, other)


@op("aten::mm(Tensor self, Tensor mat2) -> Tensor", dtypes="one")
def mm(input, mat2):
    _rank("mm", input, 2)
    _rank("mm", mat2, 2)
    return _multiplied("mm", input, mat2)


@op("aten::bmm(Tensor self, Tensor mat2) -> Tensor", dtypes="one")
def bmm(input, mat2):
    _rank("bmm", input, 3)
    _rank("bmm", mat2, 3)
    _agree("bmm", input.shape[0], mat2.shape[0])
    return _multiplied("bmm", input, mat2)


@op("aten::mv(Tensor self, Tensor vec) -> Tensor", dtypes="one")
def mv(input, vec):
    _rank("mv", input, 2)
    _rank("mv", vec, 1)
    return _multiplied("mv", input, vec)


@op("aten::dot(Tensor self, Tensor tensor) -> Tensor", dtypes="one")
def dot(input, tensor):
    if input.dim() != 1 or tensor.dim() != 1:
        raise RuntimeError(f"1D tensors expected, but got {input.dim()}D and {tensor.dim()}D tensors")
    return _multiplied("dot", input, tensor)


@op("aten::vdot(Tensor self, Tensor other) -> Tensor", dtypes="one")
def vdot(input, other):
    return dot(input, other)


@op("aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor", at="F", dtypes="one")
def linear(input, weight, bias=None):
    if weight.dim() not in (1, 2):
        raise RuntimeError(f"linear: expected a weight of 1 or 2 dimensions, found {weight.dim()}")
    result = _multiplied("linear", input, weight.t())
    return result if bias is None else result + bias


@op("aten::bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor", at="torch F", dtypes="one")
def bilinear(input1, input2, weight, bias=None):
    _rank("bilinear", weight, 3)
    if input1.dim() != input2.dim():
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {input1.dim()} and {input2.dim()}")
    for axis in range(input1.dim() - 1):
        _agree("bilinear", input1.shape[axis], input2.shape[axis])
    _agree("bilinear", input1.shape[-1], weight.shape[1])
    _agree("bilinear", input2.shape[-1], weight.shape[2])
    product = input1[..., None, :, None] * weight * input2[..., None, None, :]
    result = torch.sum(product, (-2, -1), dtype=product.dtype)
    return result if bias is None else result + bias


# --- Products that are added --------------------------------------------------------------------------


def _is_fixed(number):
    return prims.is_known(number) and not prims.is_live(number)


def _times(number, tensor):
    """A number times a tensor, in the tensor's type."""
    if not tensor.is_floating_point():
        number = int(number)
    return tensor if _is_fixed(number) and number == 1 else number * tensor


def _combined(input, product, beta, alpha):
    """beta * input + alpha * product; an input times 0 does not count, be it infinite."""
    product = _times(alpha, product)
    input = input.expand(product.shape)
    if not prims.is_known(beta):
        is_left_out = torch.zeros((), dtype=product.dtype) + beta == 0
        return torch.where(is_left_out, product, _times(beta, input) + product)
    return product if beta == 0 else _times(beta, input) + product


@op("aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", dtypes="one")
def addmm(input, mat1, mat2, beta=1, alpha=1):
    return _combined(input, mm(mat1, mat2), beta, alpha)


@op("aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor", dtypes="one")
def addmv(input, mat, vec, beta=1, alpha=1):
    return _combined(input, mv(mat, vec), beta, alpha)


@op("aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", dtypes="one")
def baddbmm(input, batch1, batch2, beta=1, alpha=1):
    return _combined(input, bmm(batch1, batch2), beta, alpha)


@op("aten::addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", dtypes="one")
def addbmm(input, batch1, batch2, beta=1, alpha=1):
    _rank("addbmm", batch1, 3)
    _rank("addbmm", batch2, 3)
    _agree("addbmm", batch1.shape[0], batch2.shape[0])
    _agree("addbmm", batch1.shape[2], batch2.shape[1])
    product = batch1.unsqueeze(-1) * batch2.unsqueeze(1)
    return _combined(input, torch.sum(product, (0, 2), dtype=product.dtype), beta, alpha)


@op("aten::addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", dtypes="number")
def addr(input, vec1, vec2, beta=1, alpha=1):
    product = vec1.unsqueeze(1) * vec2
    if input.dtype == torch.bool and product.dtype == torch.bool:
        return (product & bool(alpha)) | (input & bool(beta))
    common = torch.result_type(input, product)
    return _combined(input.to(common), product.to(common), beta, alpha)


# --- Labels -------------------------------------------------------------------------------------------


def _diagonal(tensor, labels):
    """A view in which each label occurs once."""
    labels = list(labels)
    for label in list(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            _agree("einsum", tensor.shape[first], tensor.shape[second])
            tensor = torch.diagonal(tensor, 0, first, second)
            labels = labels[:first] + labels[first + 1 : second] + labels[second + 1 :] + [label]
    return tensor, labels


def _aligned(tensor, labels, order):
    """The axes in this order, of size 1 where the tensor lacks one."""
    tensor = tensor.permute([labels.index(label) for label in order if label in labels])
    for place, label in enumerate(order):
        if label not in labels:
            tensor = tensor.unsqueeze(place)
    return tensor


def _without(tensor, labels, kept):
    """The tensor summed over the axes whose labels are not kept."""
    lone = [dim for dim, label in enumerate(labels) if label not in kept]
    if not lone:
        return tensor, labels
    return torch.sum(tensor, lone), [label for label in labels if label in kept]


def _contracted_pair(left, right, first, second, kept):
    """The product of two, summed over what is not kept."""
    # What one operand alone has is summed there, integers as long ones.
    left, first = _without(left, first, kept + second)
    right, second = _without(right, second, kept + first)
    summed = [label for label in first if label not in kept]
    product = _aligned(left, first, kept + summed) * _aligned(right, second, kept + summed)
    if summed:
        product = torch.sum(product, list(range(len(kept), len(kept) + len(summed))), dtype=product.dtype)
    return product


def _contracted(tensors, terms, result):
    """The operands of an einsum, contracted two by two from the left."""
    if len(tensors) == 1:
        total, labels = _without(tensors[0], terms[0], result)
        return total.permute([labels.index(label) for label in result])
    total, labels = tensors[0], terms[0]
    for place in range(1, len(tensors)):
        later = result + sum(terms[place + 1 :], [])
        kept = result if place + 1 == len(tensors) else [label for label in dict.fromkeys(labels + terms[place]) if label in later]
        total = _contracted_pair(total, tensors[place], labels, terms[place], kept)
        labels = kept
    return total


@export(at="prims")
def check_labels(name, tensors, terms, result):
    """Axes of one label have one size, or one element where they are repeated; the result has each label once."""
    sizes = {}
    for tensor, labels in zip(tensors, terms):
        for label, size in zip(labels, tensor.shape):
            if label not in sizes or _is_one(sizes[label]):
                sizes[label] = size
            elif not _is_one(size):
                _agree(name, sizes[label], size)
    for label in result:
        if label not in sizes or result.count(label) > 1:
            raise RuntimeError(f"{name}: the result has an axis that no operand has, or one twice")


_SCHEMA = "aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor"


@op(_SCHEMA, at="", dtypes="one")
def _fold_of_labels(tensors, terms, result):
    return _contracted(tensors, terms, result)


@op(_SCHEMA, at="", dtypes="number")
def _map_of_labels(tensors, terms, result):
    return _contracted(tensors, terms, result)


def _einsum(name, tensors, terms, result):
    tensors = prims.narrowed(tensors)
    for labels, tensor in zip(terms, tensors):
        if len(labels) != tensor.dim():
            raise RuntimeError(f"{name}: an operand has {tensor.dim()} dimensions and {len(labels)} labels")
    pairs = [_diagonal(tensor, labels) for tensor, labels in zip(tensors, terms)]
    tensors, terms = [tensor for tensor, _ in pairs], [labels for _, labels in pairs]
    prims.check_labels(name, tensors, terms, result)
    if len(tensors) == 1 and len(result) == len(terms[0]):
        return tensors[0].permute([terms[0].index(label) for label in result])
    # Only what sums products wants operands of one type.
    shared = [label for label in dict.fromkeys(sum(terms, [])) if label not in result and sum(label in labels for labels in terms) > 1]
    return _fold_of_labels(tensors, terms, result) if shared else _map_of_labels(tensors, terms, result)


def _labels(term, rank, dots):
    """The labels of a term of an einsum, `...` as the numbers of the axes that it stands for."""
    if "..." not in term:
        return list(term)
    place = term.index("...")
    before, after = list(term[:place]), list(term[place + 1 :])
    return before + list(range(dots - (rank - len(before) - len(after)), dots)) + after


def _resolved(terms, result, operands):
    """Terms whose labels may be `...`: the labels of each operand and those of the result."""
    dots = 0
    for term, operand in zip(terms, operands):
        if "..." in term:
            dots = max(dots, operand.dim() - len(term) + 1)
    return [_labels(term, operand.dim(), dots) for term, operand in zip(terms, operands)], _labels(result, len(result) - 1 + dots, dots)


def _letters(term):
    """The labels of a term that is text."""
    before, dots, after = term.replace(" ", "").partition("...")
    return list(before) + (["..."] if dots else []) + list(after)


def _equation_terms(equation, operands):
    terms, arrow, result = equation.partition("->")
    terms = [_letters(term) for term in terms.split(",")]
    if len(terms) != len(operands):
        raise RuntimeError("einsum: the equation has another number of operands")
    if arrow:
        return terms, _letters(result)
    joined = sum(terms, [])
    alone = sorted([label for label in dict.fromkeys(joined) if label != "..." and joined.count(label) == 1])
    return terms, (["..."] if "..." in joined else []) + alone


_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _lettered(labels):
    """A list of numbers and `...` as an equation writes it."""
    for label in labels:
        if label is not Ellipsis and not 0 <= label < 52:
            raise RuntimeError(f"einsum: the number {label} of an axis is not within [0, 52)")
    return "".join(["..." if label is Ellipsis else _ALPHABET[label] for label in labels])


@export(at="torch", names="einsum")
def einsum(equation, *operands):
    if not isinstance(equation, str):
        # Each operand before the numbers of its axes, those of the result behind.
        given = (equation,) + operands
        operands, result = given[: len(given) // 2 * 2 : 2], "->" + _lettered(given[-1]) if len(given) % 2 else ""
        equation = ",".join([_lettered(labels) for labels in given[1::2]]) + result
    elif len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    terms, result = _equation_terms(equation, operands)
    terms, result = _resolved(terms, result, operands)
    return _einsum("einsum", operands, terms, result)


@export(at="einops", names="einsum")
def _einops_einsum(*operands):
    operands, pattern = operands[:-1], operands[-1]
    if "(" in pattern:
        return prims.refuse("einops.einsum with brackets is not supported", "einops does not read them either: use rearrange before it")
    terms, _, result = pattern.partition("->")
    terms = [term.split() for term in terms.split(",")]
    if len(terms) != len(operands):
        raise RuntimeError("einops.einsum: the pattern has another number of operands")
    terms, result = _resolved(terms, result.split(), operands)
    return _einsum("einops.einsum", operands, terms, result)


def _summed_axes(name, a, b, dims):
    if isinstance(dims, int):
        return list(range(a.dim() - dims, a.dim())), list(range(dims))
    left, right = dims
    left, right = [left] if isinstance(left, int) else left, [right] if isinstance(right, int) else right
    if len(left) != len(right):
        raise RuntimeError(f"{name}: both operands have as many axes that are summed")
    return [dim % a.dim() for dim in left], [dim % b.dim() for dim in right]


@op("aten::tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor", at="torch", dtypes="one")
def tensordot(a, b, dims=2):
    left, right = _summed_axes("tensordot", a, b, dims)
    first = [("left", axis) for axis in range(a.dim())]
    second = [first[left[right.index(axis)]] if axis in right else ("right", axis) for axis in range(b.dim())]
    kept = [first[axis] for axis in range(a.dim()) if axis not in left] + [second[axis] for axis in range(b.dim()) if axis not in right]
    prims.check_labels("tensordot", [a, b], [first, second], kept)
    return _contracted([a, b], [first, second], kept)


@view()
def inner(input, other):
    if input.dim() == 0 or other.dim() == 0:
        return input * other
    _agree("inner", input.shape[-1], other.shape[-1])
    return tensordot(input, other, ([-1], [-1]))


@op("aten::linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor", at="linalg")
def vecdot(x, y, dim=-1):
    return torch.sum(x * y, dim)


# --- Products of several matrices ---------------------------------------------------------------------


def _chained(name, matrices):
    if len(matrices) < 1:
        raise RuntimeError(f"{name}: expected at least one matrix")
    total = matrices[0]
    for matrix in matrices[1:]:
        total = _multiplied(name, total, matrix)
    return total


@op("aten::chain_matmul(Tensor[] matrices) -> Tensor", at="", dtypes="one")
def _chain_matmul(matrices):
    for matrix in matrices:
        _rank("chain_matmul", matrix, 2)
    return _chained("chain_matmul", matrices)


@view(at="torch")
def chain_matmul(*matrices, out=None):
    return _chain_matmul(matrices, out=out)


@op("aten::linalg_multi_dot(Tensor[] tensors) -> Tensor", at="linalg", dtypes="one")
def multi_dot(tensors):
    if len(tensors) < 2:
        raise RuntimeError("multi_dot(): expected at least 2 tensors but got 1")
    for place, matrix in enumerate(tensors):
        if matrix.dim() != 1 or place not in (0, len(tensors) - 1):
            _rank("multi_dot", matrix, 2)
    return _chained("multi_dot", tensors)


@view(at="torch Tensor linalg")
def matrix_power(input, n):
    if input.dim() < 2:
        raise RuntimeError(f"linalg.matrix_power: expected at least 2 dimensions, found {input.dim()}")
    _agree("linalg.matrix_power", input.shape[-1], input.shape[-2])
    if n < 0:
        return prims.refuse("a negative power of a matrix is not supported", "it needs the inverse; leave it to PyTorch by --keep-torch matrix_power")
    if n == 0:
        return torch.eye(input.shape[-1], dtype=input.dtype).expand(input.shape).clone()
    # By squares: every factor is a power of two of them.
    square, total = input, None
    while n > 0:
        if n % 2 == 1:
            total = square if total is None else matmul(total, square)
        n = n // 2
        if n > 0:
            square = matmul(square, square)
    return total.clone() if total is input else total
