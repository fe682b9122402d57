# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch with results rounded at random: what a program makes of rounding, wherever it happens (Monte Carlo arithmetic)."""

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


def _round(own, exact):
    """One of the two numbers of the type of `own` that `exact` lies between; `own` where it is not finite, or exact."""
    nearest = exact.to(own.dtype)
    beyond = torch.where(exact > nearest, torch.inf, -torch.inf).to(own.dtype)
    other = torch.nextafter(nearest, beyond)
    is_between = (nearest.double() != exact) & torch.isfinite(exact) & torch.isfinite(other)
    is_taken = torch.rand(own.shape) < 0.5
    return torch.where(is_between & torch.isfinite(own), torch.where(is_taken, other, nearest), own)


class RandomRounding(TorchDispatchMode):
    """Every operator's results are its exact ones, of the operands that it gets, rounded up or down at random.

    What PyTorch knows to decompose is computed step by step: there are other orders than that of its own kernels. Results
    of float64, and of operators that draw random numbers, are left as they are.
    """

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        aliases = [result.alias_info for result in operator._schema.returns]
        is_view = any(alias is not None and not alias.is_write for alias in aliases)
        if is_view or torch.Tag.nondeterministic_seeded in operator.tags:
            return operator(*args, **kwargs)
        if operator in decomposition_table and not any(aliases):
            try:
                with self:
                    return decomposition_table[operator](*args, **kwargs)
            except (RuntimeError, NotImplementedError, TypeError):
                pass
        try:
            exact = operator(*tree_map(_widen, args), **tree_map(_widen, kwargs))
        except (RuntimeError, NotImplementedError):
            return operator(*args, **kwargs)
        own, form = tree_flatten(operator(*args, **kwargs))
        for place, wide in enumerate(tree_flatten(exact)[0]):
            if _is_narrow(own[place]) and wide.dtype == torch.float64 and wide.shape == own[place].shape:
                rounded = _round(own[place], wide)
                own[place] = own[place].copy_(rounded) if any(aliases) else rounded
        return tree_unflatten(own, form)
