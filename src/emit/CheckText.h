// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The helpers of emitted files that check arguments.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace nereid::emit {

inline constexpr llvm::StringLiteral checkTensorText =
    R"py(def _check_tensor(name, x, sizes, dtype, device=None):
    """Raises unless `x` is a tensor of this dtype and device, and of so many or these sizes."""
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{name}: expected a tensor, found {type(x).__name__}")
    rank = sizes if isinstance(sizes, int) else len(sizes)
    if x.dim() != rank or x.dtype != dtype:
        found = f"{x.dim()} dimensions of {x.dtype}"
        if isinstance(x, torch.nn.Parameter) and x.dtype != dtype:
            found += "; a module that was moved is converted with --to"
        raise TypeError(f"{name}: expected {rank} dimensions of {dtype}, found {found}")
    if x.layout != torch.strided:
        raise TypeError(f"{name}: expected a dense tensor, found {x.layout}")
    if device is not None and x.device != device:
        raise ValueError(f"{name}: expected on {device}, found on {x.device}")
    if rank is not sizes:
        _check_shape(name, x, sizes)


def _check_shape(name, x, sizes):
    """Raises unless `x` has these sizes; None stands for any."""
    if x.shape == sizes:
        return
    if any(size not in (None, found) for size, found in zip(sizes, x.shape)):
        expected = ", ".join("any" if size is None else str(size) for size in sizes)
        raise ValueError(f"{name}: expected sizes ({expected}), found {tuple(x.shape)}")
)py";

inline constexpr llvm::StringLiteral checkApartText = R"py(def _reach(x):
    """The number of bytes from the first element to the end of the last."""
    if x.is_contiguous():
        return x.nbytes
    steps = sum((size - 1) * stride for size, stride in zip(x.shape, x.stride()))
    return (1 + steps) * x.element_size() if x.numel() else 0


def _lie_apart(*tensors):
    """Whether all lie in pieces of memory of their own."""
    end = 0
    for start, size in sorted([(x.data_ptr(), _reach(x)) for x in tensors]):
        if start < end:
            return False
        end = start + size
    return True


def _shares(x, y):
    """Whether two tensors share memory. Parts of one tensor do not where an axis parts them."""
    if _lie_apart(x, y):
        return False
    if x.dtype != y.dtype or x.stride() != y.stride():
        return True
    apart = (y.data_ptr() - x.data_ptr()) // x.element_size()
    for step in filter(None, x.stride()):
        within = [dim for dim, stride in enumerate(x.stride()) if stride % step]
        first, second = (
            1 + sum((a.size(d) - 1) * a.stride(d) for d in within) for a in (x, y)
        )
        if first <= apart % step <= step - second:
            return False
    return True


def _check_apart(written, used):
    """Raises if an argument shares memory with one written to before it is used."""
    for name, x, count in used:
        for other, y in written[:count]:
            if other != name and _shares(x, y):
                raise ValueError(
                    f"{name}: shares memory with {other}, which is written to first"
                )
)py";

inline constexpr llvm::StringLiteral apartCopyText = R"py(def _copy_if_shared(x, *written):
    """`x`, or a copy of it if kernels write to its memory while others read it."""
    return x.clone() if any(_shares(x, y) for y in written) else x
)py";

inline constexpr llvm::StringLiteral checkWrittenText = R"py(def _check_written(name, x):
    """Raises unless the elements of `x` lie apart, and if autograd would record the write."""
    if not x.is_contiguous():
        reach = 0
        for stride, size in sorted(zip(x.stride(), x.shape)):
            if size > 1 and stride <= reach:
                raise RuntimeError(
                    f"{name}: is written to, and its elements share memory"
                )
            reach += stride * max(size - 1, 0)
    if x.requires_grad and torch.is_grad_enabled():
        raise RuntimeError(f"{name}: is written to, and requires a gradient")


def _note_writes(*tensors):
    """Tells autograd that kernels wrote to these tensors."""
    for x in tensors:
        if not x.is_inference():
            torch.autograd.graph.increment_version(x)
)py";

inline constexpr llvm::StringLiteral checkNumberText =
    R"py(def _check_number(name, x, kind):
    """`x` as a number of this kind; raises unless it is one, of Python or that tracing knows."""
    kinds = {
        bool: bool,
        int: (int, torch.SymInt),
        float: (float, int, torch.SymFloat, torch.SymInt),
    }
    if not isinstance(x, kinds[kind]):
        raise TypeError(f"{name}: expected {kind.__name__}, found {type(x).__name__}")
    return float(x) if kind is float and isinstance(x, int) else x
)py";

inline constexpr llvm::StringLiteral checkSizeText = R"py(def _check_size(name, x):
    """Raises where `x` is negative: the kernels take it for a size or a bound of a slice."""
    if x < 0:
        raise ValueError(f"{name}: expected a size, which is at least 0, found {x}")
)py";

inline constexpr llvm::StringLiteral requireText = R"py(def _require(condition, message):
    """Raises unless sizes are such as the kernels are made for."""
    if not condition:
        raise ValueError(message)
)py";

inline constexpr llvm::StringLiteral checkTensorsText =
    R"py(def _check_tensors(device, dtype, sizes, /, **tensors):
    """Raises unless each tensor is of this dtype and these sizes, on this device."""
    for name, x in tensors.items():
        _check_tensor(name, x, sizes, dtype, device)
)py";

inline constexpr llvm::StringLiteral checkTableText =
    R"py(def _check_table(kind, table, tensors, device=None):
    """The tensors by name; raises unless they are of the types and sizes of the table."""
    for (path, (dtype, sizes)), x in zip(table.items(), tensors):
        is_known = isinstance(x, torch.Tensor) and x.shape == sizes and x.dtype == dtype
        if not is_known or x.layout != torch.strided or x.device != device:
            _check_tensor(path, x, sizes, dtype, device)
            device = x.device
    return kind(*tensors)
)py";

inline constexpr llvm::StringLiteral checkNumbersText =
    R"py(def _check_numbers(kind, numbers):
    """The numbers by name."""
    if any(type(x) is not float for x in numbers):
        named = zip(kind._fields, numbers)
        numbers = [_check_number(name, x, float) for name, x in named]
    return kind(*numbers)
)py";

inline constexpr llvm::StringLiteral checkStrideText =
    R"py(def _check_stride(name, x, dim, stride):
    """Raises unless dimension `dim` of `x` has this stride or at most one element."""
    found = x.stride(dim)
    if x.shape[dim] > 1 and x.numel() > 0 and found != stride:
        message = f"{name}: expected stride {stride} at dim {dim}, found {found}"
        raise ValueError(message)
)py";

inline constexpr llvm::StringLiteral checkContiguousText = R"py(def _check_contiguous(name, x):
    """Raises unless `x` has row-major strides."""
    if not x.is_contiguous():
        raise ValueError(f"{name}: expected row-major strides, found {x.stride()}")
)py";

inline constexpr llvm::StringLiteral checkKnownText = R"py(def _is_known(value, known):
    """Whether a value is equal and of equal types, which PyTorch can trace."""
    if type(value) is not type(known):
        return False
    if isinstance(known, bool):
        return known if value else not known
    if not isinstance(known, (list, tuple)):
        return value == known
    return len(value) == len(known) and all(map(_is_known, value, known))


def _check_known(name, value, known):
    """Raises unless `value` is what the kernels were made for."""
    value = tuple(value) if isinstance(value, torch.Size) else value
    if torch.compiler.is_compiling():
        is_known = _is_known(value, known)
    else:
        is_known = not isinstance(value, torch.Tensor) and repr(value) == repr(known)
    if not is_known:
        found = "a tensor" if isinstance(value, torch.Tensor) else repr(value)
        raise ValueError(
            f"{name}: the kernels are made for {known!r}, found {found}; convert again for it"
        )
)py";

inline constexpr llvm::StringLiteral checkConstantText =
    R"py(_CONSTANTS = WeakTensorKeyDictionary()


def _check_constant(name, x, shape, total, weighted, magnitude):
    """Raises unless a tensor that the constructor made has the elements that the kernels have."""
    if torch.compiler.is_compiling() or _CONSTANTS.get(x) == x._version:
        return
    parts = torch.view_as_real(x) if x.is_complex() else x
    elements = parts.detach().double().flatten().nan_to_num(nan=3, posinf=5, neginf=7)
    weights = torch.arange(parts.numel(), device=x.device) * 7919 % 1009
    sums = (elements.sum(), (elements * weights).sum(), elements.abs().sum())
    bounds = (magnitude, magnitude * 1009, magnitude)
    for found, known, bound in zip(sums, (total, weighted, magnitude), bounds):
        if parts.shape != shape or abs(found.item() - known) > 1e-4 * bound:
            made = "the kernels are made for other values; convert again"
            raise ValueError(f"{name}: {made}")
    _CONSTANTS[x] = x._version
)py";

} // namespace nereid::emit
