# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs of any size and kind, and what makes float64 or narrow numbers of a call."""

# --- cut ---


class _Wide(TorchFunctionMode):
    """Casts that the program writes round; what follows them is float64 again."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        kinds = {x.dtype for x in args if isinstance(x, torch.Tensor)}
        floats = {kind for kind in kinds if kind.is_floating_point or kind.is_complex}
        wide = floats & {torch.float64, torch.complex128} or kinds and not floats
        narrow = isinstance(out, torch.Tensor)
        return _to_wide(out) if wide and narrow else out


class _InOrder(TorchFunctionMode):
    """Sorts keep equal elements in order, which PyTorch does not promise."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        name, kwargs = getattr(function, "__name__", ""), kwargs or {}
        if name not in ("argsort", "sort", "topk") or not args or "out" in kwargs:
            return function(*args, **kwargs)
        names = ["k", "dim", "largest"] if name == "topk" else ["dim", "descending"]
        x, given = args[0], dict(zip(names, args[1:])) | kwargs
        if name != "topk" or not x.dim():
            return function(x, **given | ({"stable": True} if name != "topk" else {}))
        dim = given.get("dim", -1)
        pair = x.sort(dim=dim, descending=given.get("largest", True), stable=True)
        return torch.return_types.topk([y.narrow(dim, 0, given["k"]) for y in pair])


# --- precision ---
class _Narrow(TorchDispatchMode):
    """Convolutions and recurrent layers read TF32 where they may: PyTorch's error is that of its precision."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if "convolution" in function.__name__ or "_cudnn_rnn" in function.__name__:
            args = pytree.tree_map_only(torch.Tensor, _rounded_to_tf32, args)
        return function(*args, **(kwargs or {}))


def _rounded_to_tf32(x):
    """What TF32 keeps of float32, if convolutions take no more of it."""
    if x.dtype != torch.float32 or _FILE._convolution_precision(x) != "tf32":
        return x
    bits = x.view(torch.int32) + 0x1000
    return torch.where(x.isnan(), x, (bits & -0x2000).view(torch.float32))


# --- end ---
def _to_shares(x):
    """Numbers that sum to 1 along the last axis."""
    return x.softmax(-1) if x.dim() else x.sigmoid()


# Kinds of values, one of which the program takes.
_KINDS = {"any": None, "positive": lambda x: x.abs() + 0.1}
_KINDS |= {"in (0, 1)": torch.sigmoid, "shares": _to_shares}


def _maker(device, kind="any", scale=1.0, special=False, strided=False):
    """A function that makes random tensors for `_inputs`."""

    def make(shape, dtype, below=2):
        if dtype.is_complex:
            pair = (make(shape, dtype.to_real()) for _ in range(2))
            return torch.complex(*pair)
        if not dtype.is_floating_point:
            return torch.randint(below, shape, device=device).to(dtype)
        x = torch.randn(shape, dtype=torch.float64, device=device)
        x = _KINDS[kind](x) if _KINDS[kind] else x
        x *= min(scale, torch.finfo(dtype).max / 64)
        if special:
            x = torch.where(x > 1, torch.inf, torch.where(x < -1, torch.nan, -0.0 * x))
        if strided and len(shape) > 1:
            x = x.transpose(-1, -2).contiguous().transpose(-1, -2)
        return x.to(dtype)

    return make


def _plain(module):
    """(part, name, tensor) of attributes that are neither parameters nor buffers."""
    for part in module.modules():
        for name, x in vars(part).items():
            if isinstance(x, torch.Tensor):
                yield part, name, x


def _copy_state(original, emitted):
    """Gives what is emitted the parameters, buffers and other tensors of the original."""
    emitted.load_state_dict(original.state_dict())
    parts = dict(emitted.named_modules())
    paths = {part: path for path, part in original.named_modules()}
    for part, name, x in _plain(original):
        if paths[part] in parts:
            setattr(parts[paths[part]], name, x.detach().clone())


def _copied(module):
    """A copy; what a hook computes from parameters (weight_norm) is computed anew there."""
    for part, name, x in list(_plain(module)):
        if not x.is_leaf:
            setattr(part, name, x.detach())
    return copy.deepcopy(module)


def _to_wide(x):
    """The same numbers in twice the precision, where they have one."""
    wide = torch.complex128 if x.is_complex() else torch.float64
    return x.to(wide) if _is_inexact(x) else x


def _is_inexact(x):
    return x.is_floating_point() or x.is_complex()


def _widen(module):
    """The module in float64, its other tensors too."""
    for part, name, x in list(_plain(module)):
        setattr(part, name, _to_wide(x))
    return module._apply(_to_wide)


@torch.no_grad()
def _randomize(module, signed):
    """Gives parameters and statistics numbers by which each of them shows.

    Weights of contractions are normal, of variance 1/fan-in; others lie in [0.5, 1.5],
    with signs where they may. Integers, and buffers that are no constant, stay.
    """
    for part in module.modules():
        skipped = part._non_persistent_buffers_set
        buffers = {k: x for k, x in part._buffers.items() if k not in skipped}
        for name, x in (part._parameters | buffers).items():
            x = torch.view_as_real(x) if x is not None and x.is_complex() else x
            if x is None or not x.is_floating_point() or not x.numel():
                continue
            is_buffer = name in buffers
            size = torch.rand(x.shape, device=x.device) + 0.5
            sign = torch.randint(2, x.shape, device=x.device) * 2 - 1
            if is_buffer and not bool((x == x.flatten()[0]).all()):
                continue
            if x.dim() > 1 and not is_buffer and not hasattr(part, "eps"):
                x.normal_(0, (x.shape[0] / x.numel()) ** 0.5)
            else:
                is_positive = is_buffer and name != "running_mean"
                x.copy_(size if is_positive or not signed else size * sign)


def _get_tensors(value):
    """The tensors in lists, dicts and objects, in their order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        parts = [*value.values()]
    elif isinstance(value, (list, tuple)):
        parts = [*value]
    elif isinstance(value, type):
        return []
    else:
        parts = [*getattr(value, "__dict__", {}).values()]
    return [tensor for part in parts for tensor in _get_tensors(part)]


@contextlib.contextmanager
def _made_in_float64(wide):
    """Tensors that the program makes without a type are float64 too."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64 if wide else before)
    try:
        yield
    finally:
        torch.set_default_dtype(before)
