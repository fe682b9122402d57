# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch with results rounded at random: what a program makes of rounding, wherever it happens (Monte Carlo arithmetic)."""

import math

import torch
from torch._decomp import decomposition_table
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten


def _is_narrow(x):
    is_dense = isinstance(x, torch.Tensor) and x.layout == torch.strided
    return is_dense and x.is_floating_point() and x.dtype != torch.float64


def _widen(x):
    if x in (torch.float16, torch.bfloat16, torch.float32):
        return torch.float64
    if not isinstance(x, torch.Tensor):
        return x
    return x.double() if _is_narrow(x) else x.clone()  # the operator may write to it


def _variance(x, dims, correction=1, *, output_dtype=None):
    """By steps, each of which rounds: PyTorch's own is exactly 0 where all elements are the same, another order's is not."""
    dims = list(range(x.ndim)) if dims is None else list(dims)
    count = math.prod(x.shape[dim] for dim in dims)
    shifted = x - x.mean(dims, keepdim=True)
    return (shifted * shifted).sum(dims) / max(count - correction, 0)


def _sum(x, dims, *, output_dtype=None):
    """By halves: PyTorch's own sum rounds once, or where it likes."""
    if output_dtype is not None or not x.is_floating_point():
        raise NotImplementedError
    dims = range(x.ndim) if dims is None else dims
    x = x.movedim(list(dims), list(range(len(dims)))).flatten(0, len(dims) - 1) if len(dims) else x[None]
    while len(x) > 1:
        half = len(x) // 2
        x = torch.cat([x[:half] + x[half : 2 * half], x[2 * half :]])
    return x[0] if len(x) else x.sum(0)


STEPS = {**decomposition_table, torch.ops.prims.var.default: _variance, torch.ops.prims.sum.default: _sum}


def _round(own, exact):
    """One of the two numbers of the type of `own` that `exact` lies between; `own` where one of them is not finite."""
    nearest = exact.to(own.dtype)
    beyond = torch.where(exact > nearest, torch.inf, -torch.inf).to(own.dtype)
    other = torch.nextafter(nearest, beyond)
    is_between = (nearest.double() != exact) & torch.isfinite(other)
    rounded = torch.where(is_between & (torch.rand(own.shape) < 0.5), other, nearest)
    return torch.where(torch.isfinite(own) & torch.isfinite(exact), rounded, own)


class RandomRounding(TorchDispatchMode):
    """Every operator's results are its exact ones, of the operands that it gets, rounded up or down at random.

    An operator draws anew how an operand was rounded: one kernel that computes several operators rounds where it stores
    and not between. What PyTorch knows to decompose is computed step by step: there are other orders than that of its own
    kernels. Results of float64, and of operators that draw random numbers, are left as they are.
    """

    def __init__(self):
        super().__init__()
        #: By address of a storage: a tensor in it, which keeps it alive, and what all its elements are before rounding.
        self._exact = {}

    def _draw(self, x):
        """An operand rounded anew."""
        known, exact = self._exact.get(x.untyped_storage().data_ptr(), (None, None)) if _is_narrow(x) else (None, None)
        if known is None or known.dtype != x.dtype:
            return x
        return _round(x, torch.as_strided(exact, x.shape, x.stride(), x.storage_offset()))

    def _note(self, x, exact):
        storage = x.untyped_storage()
        if not storage.data_ptr():
            return
        if storage.data_ptr() not in self._exact:
            self._exact[storage.data_ptr()] = x, torch.empty(0, dtype=x.dtype).set_(storage).double()
        torch.as_strided(self._exact[storage.data_ptr()][1], x.shape, x.stride(), x.storage_offset()).copy_(exact)

    def _run(self, operator, args, kwargs):
        """The operator as it is; what it writes to is known no better."""
        if any(result.alias_info and result.alias_info.is_write for result in operator._schema.returns):
            for x in tree_flatten((args, kwargs))[0]:
                if isinstance(x, torch.Tensor):
                    self._exact.pop(x.untyped_storage().data_ptr(), None)
        return operator(*args, **kwargs)

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        aliases = [result.alias_info for result in operator._schema.returns]
        # A cast returns its operand where there is nothing to do.
        is_cast = operator.overloadpacket is torch.ops.aten.to
        is_view = not is_cast and any(alias is not None and not alias.is_write for alias in aliases)
        if is_view or torch.Tag.nondeterministic_seeded in operator.tags:
            return self._run(operator, args, kwargs)
        if operator in STEPS and not any(aliases):
            try:
                with self:
                    return STEPS[operator](*args, **kwargs)
            except (RuntimeError, NotImplementedError, TypeError):
                pass
        try:
            wide_args, wide_kwargs = tree_map(lambda x: _widen(self._draw(x)), (args, kwargs))
            exact = operator(*wide_args, **wide_kwargs)
        except (RuntimeError, NotImplementedError):
            return self._run(operator, args, kwargs)
        own, form = tree_flatten(operator(*args, **kwargs))
        for place, wide in enumerate(tree_flatten(exact)[0]):
            if _is_narrow(own[place]) and wide.dtype == torch.float64 and wide.shape == own[place].shape:
                rounded = _round(own[place], wide)
                own[place] = own[place].copy_(rounded) if any(aliases) else rounded
                self._note(own[place], wide)
        return tree_unflatten(own, form)
