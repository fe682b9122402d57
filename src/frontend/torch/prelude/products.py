# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products: of matrices, of matrices with vectors, of rows with rows, outer ones. Each is a fold of a map; whether it
becomes a contraction of tiles is the scheduler's choice, and no name of an operator counts there.

Axes have labels here, the letters of an einsum: axes of one label have one size, and what the result lacks is summed."""


def _one_type(name, *tensors):
    for tensor in tensors:
        if tensor.dtype != tensors[0].dtype:
            raise RuntimeError(f"{name}: expected tensors of one dtype, found {tensors[0].dtype} and {tensor.dtype}")


def _rank(name, tensor, rank):
    if tensor.dim() != rank:
        raise RuntimeError(f"{name}: expected {rank} dimensions, found {tensor.dim()}")


def _is_one(size):
    # A size that only the call knows is never repeated.
    return prims.is_known(size) and size == 1


def _diagonal(tensor, labels):
    """A view in which each label occurs once."""
    labels = list(labels)
    for label in list(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
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


def _is_shared(label, terms, result):
    return label in result or sum(label in labels for labels in terms) > 1


@op("aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor", at="", dtypes="number")
def einsum(tensors, terms, result):
    summed = [label for label in dict.fromkeys(sum(terms, [])) if label not in result and _is_shared(label, terms, result)]
    product = None
    for tensor, labels in zip(tensors, terms):
        # What one operand alone has is summed there.
        lone = [dim for dim, label in enumerate(labels) if not _is_shared(label, terms, result)]
        if lone:
            tensor = torch.sum(tensor, lone)
            labels = [label for label in labels if _is_shared(label, terms, result)]
        tensor = _aligned(tensor, labels, result + summed)
        product = tensor if product is None else product * tensor
    if summed:
        product = torch.sum(product, list(range(len(result), product.dim())))
    # Sums of one short integer each are long ones, of products they are not.
    is_short = len(tensors) > 1 and not product.is_floating_point() and tensors[0].dtype != torch.bool
    return product.to(tensors[0].dtype) if is_short else product


@export(at="prims")
def sizes_of_labels(name, tensors, terms):
    """The size of each label: its axes have one size, or one element where they are repeated."""
    sizes = {}
    for tensor, labels in zip(tensors, terms):
        for label, size in zip(labels, tensor.shape):
            if label not in sizes or _is_one(sizes[label]):
                sizes[label] = size
            elif not _is_one(size):
                assert sizes[label] == size, f"{name}: the sizes of its operands do not agree"
    return sizes


def _contracted(name, tensors, terms, result):
    _one_type(name, *tensors)
    pairs = [_diagonal(tensor, labels) for tensor, labels in zip(tensors, terms)]
    tensors, terms = [tensor for tensor, _ in pairs], [labels for _, labels in pairs]
    sizes = prims.sizes_of_labels(name, tensors, terms)
    for label in result:
        if label not in sizes or result.count(label) > 1:
            raise RuntimeError(f"{name}: the result has an axis that no operand has, or one twice")
    if len(tensors) == 1 and len(result) == len(terms[0]):
        return tensors[0].permute([terms[0].index(label) for label in result])
    return einsum(tensors, terms, result)


def _labels(term, rank, dots):
    """The letters of a term of an einsum, `...` as the numbers of the axes that it stands for."""
    before, found, after = term.partition("...")
    if not found:
        return list(before)
    return list(before) + list(range(dots - (rank - len(before) - len(after)), dots)) + list(after)


@export(at="prims")
def einsum_labels(equation, operands):
    """The labels of each operand and those of the result."""
    equation = equation.replace(" ", "")
    terms, arrow, result = equation.partition("->")
    terms = terms.split(",")
    if len(terms) != len(operands):
        raise RuntimeError("einsum: the equation has another number of operands")
    dots = max(operand.dim() - len(term.replace("...", "")) for term, operand in zip(terms, operands))
    labels = [_labels(term, operand.dim(), dots) for term, operand in zip(terms, operands)]
    for term, own, operand in zip(terms, labels, operands):
        if len(own) != operand.dim():
            raise RuntimeError(f"einsum: '{term}' is no operand of {operand.dim()} dimensions")
    if not arrow:
        joined = "".join(terms).replace(".", "")
        result = ("..." if "." in equation else "") + "".join(sorted(c for c in set(joined) if joined.count(c) == 1))
    before, found, after = result.partition("...")
    return labels, list(before) + (list(range(dots)) if found else []) + list(after)


@export(at="torch", names="einsum")
def _einsum(equation, *operands):
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    labels, result = prims.einsum_labels(equation, operands)
    return _contracted("torch.einsum", operands, labels, result)


@export(at="einops", names="einsum")
def _einops_einsum(*operands):
    operands, pattern = operands[:-1], operands[-1]
    terms, _, result = pattern.partition("->")
    labels = [term.split() for term in terms.split(",")]
    for term, operand in zip(labels, operands):
        if "..." in term or "(" in pattern:
            return prims.refuse("einops.einsum with '...' or brackets is not supported yet", "name every axis")
        if len(term) != operand.dim():
            raise RuntimeError(f"einops.einsum: '{' '.join(term)}' is no operand of {operand.dim()} dimensions")
    if len(labels) != len(operands):
        raise RuntimeError("einops.einsum: the pattern has another number of operands")
    return _contracted("torch.einsum", operands, labels, result.split())


def _product(name, input, other):
    if input.dim() == 0 or other.dim() == 0:
        raise RuntimeError(f"{name}: both arguments need at least one dimension")
    dots = max(input.dim(), other.dim(), 2) - 2
    left = ["row", "inner"][-input.dim() :] if input.dim() < 2 else list(range(dots - input.dim() + 2, dots)) + ["row", "inner"]
    right = ["inner"] if other.dim() < 2 else list(range(dots - other.dim() + 2, dots)) + ["inner", "column"]
    result = list(range(dots)) + ["row"] * (input.dim() > 1) + ["column"] * (other.dim() > 1)
    return _contracted(name, [input, other], [left, right], result)


@export(at="torch Tensor", names="matmul")
def _matmul(input, other):
    return _product("torch.matmul", input, other)


@export(at="torch Tensor", names="mm")
def _mm(input, mat2):
    _rank("mm", input, 2)
    _rank("mm", mat2, 2)
    return _product("torch.mm", input, mat2)


@export(at="torch Tensor", names="bmm")
def _bmm(input, mat2):
    _rank("bmm", input, 3)
    _rank("bmm", mat2, 3)
    return _product("torch.bmm", input, mat2)


@export(at="torch Tensor")
def mv(input, vec):
    _rank("mv", input, 2)
    _rank("mv", vec, 1)
    return _product("torch.mv", input, vec)


@op("aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor", dtypes="number")
def addmv(input, mat, vec, beta=1, alpha=1):
    product = torch.mv(mat, vec)
    product = product if alpha == 1 else alpha * product
    if beta == 0:
        return product
    return (input if beta == 1 else beta * input) + product


@op("aten::addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", dtypes="number")
def addr(input, vec1, vec2, beta=1, alpha=1):
    product = vec1.unsqueeze(1) * vec2
    if input.dtype == torch.bool and product.dtype == torch.bool:
        return (product & bool(alpha)) | (input & bool(beta))
    product = product if alpha == 1 else alpha * product
    if beta == 0:
        return product
    return (input if beta == 1 else beta * input) + product


@export(at="torch Tensor")
def inner(input, other):
    if input.dim() == 0 or other.dim() == 0:
        return input * other
    left = [("left", axis) for axis in range(input.dim() - 1)]
    right = [("right", axis) for axis in range(other.dim() - 1)]
    return _contracted("torch.inner", [input, other], [left + ["inner"], right + ["inner"]], left + right)


@op("aten::linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor", at="linalg")
def vecdot(x, y, dim=-1):
    return torch.sum(x * y, dim)


@export(at="torch")
def tensordot(a, b, dims=2, out=None):
    if isinstance(dims, int):
        left, right = list(range(a.dim() - dims, a.dim())), list(range(dims))
    else:
        left, right = dims
        left, right = [left] if isinstance(left, int) else left, [right] if isinstance(right, int) else right
    left, right = [dim % a.dim() for dim in left], [dim % b.dim() for dim in right]
    if len(left) != len(right):
        raise RuntimeError("tensordot: both operands have as many axes that are summed")
    first = [("left", axis) for axis in range(a.dim())]
    second = [first[left[right.index(axis)]] if axis in right else ("right", axis) for axis in range(b.dim())]
    kept = [first[axis] for axis in range(a.dim()) if axis not in left]
    return _contracted("torch.tensordot", [a, b], [first, second], kept + [second[axis] for axis in range(b.dim()) if axis not in right])
