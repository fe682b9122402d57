# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators as graphs of the compiler name them: `torch.ops.aten.add.Tensor(x, y)`."""

# Those that take the same arguments in torch.nn.functional; losses there take other ones.
_FUNCTIONAL = (
    "relu6 silu gelu mish hardswish hardsigmoid hardtanh leaky_relu softplus glu avg_pool1d avg_pool2d avg_pool3d "
    "adaptive_avg_pool1d adaptive_avg_pool2d max_pool2d_with_indices max_pool3d_with_indices pad one_hot linear"
).split()


def _softmax(input, dim, half_to_float):
    return torch.softmax(input, dim, dtype=torch.float32 if half_to_float else None)


def _log_softmax(input, dim, half_to_float):
    return torch.log_softmax(input, dim, dtype=torch.float32 if half_to_float else None)


def _to_copy(input, *, dtype=None, layout=None, device=None, pin_memory=None, non_blocking=False, memory_format=None):
    return input.to(dtype or input.dtype, copy=True)


def _index(input, indices):
    return input[tuple(slice(None) if index is None else index for index in indices)]


_OWN = {
    "_softmax": _softmax,
    "_log_softmax": _log_softmax,
    "_to_copy": _to_copy,
    "slice": prims.sliced,
    "index": _index,
    "log_sigmoid": F.logsigmoid,
    "_unsafe_view": lambda input, size: input.reshape(size),
    "alias": lambda input: input,
}


class _Operator:
    """An operator and all its overloads, of which the arguments tell the one that is meant."""

    def __init__(self, name):
        self.__name__ = name

    def __getattr__(self, overload):
        return self

    def __call__(self, *args, **kwargs):
        name = self.__name__
        if name in _OWN:
            return _OWN[name](*args, **kwargs)
        if name in _FUNCTIONAL:
            return getattr(F, name)(*args, **kwargs)
        if hasattr(torch, name):
            return getattr(torch, name)(*args, **kwargs)
        if args and isinstance(args[0], torch.Tensor) and hasattr(args[0], name):
            return getattr(args[0], name)(*args[1:], **kwargs)
        return prims.refuse("torch.ops.aten." + name, "write it out with other operators of torch")


@export(at="prims")
def aten(name):
    return _Operator(name)
