# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs of a program, and the bound that results are compared with."""

# --- cut ---


def _get_parts(x):
    """Real and imaginary parts of a complex tensor; others as they are."""
    return torch.view_as_real(x.resolve_conj()) if x.is_complex() else x


def _run(program, inputs, wide=False, gradients=False):
    """The results, the inputs and buffers as the call leaves them, and the gradients."""

    def clone(x):
        x = torch.empty_like(x).copy_(x)
        x = _to_wide(x) if wide else x
        return x.requires_grad_(gradients and _is_inexact(x))

    kept, buffers = [], []
    if isinstance(program, torch.nn.Module):
        # Training writes to buffers: each run has its own.
        program = _copied(program)
        program = _widen(program) if wide else program
        kept = list(program.parameters())
        names = program.state_dict().keys() & dict(program.named_buffers()).keys()
        names = sorted(names) if program.training else []
        buffers = [program.get_buffer(name) for name in names]
    inputs = pytree.tree_map_only(torch.Tensor, clone, inputs)
    for name in _UNGRADED:
        inputs[name].requires_grad_(False)
    mode = _Wide() if wide else _Narrow()
    with torch.set_grad_enabled(gradients), _InOrder(), mode, _made_in_float64(wide):
        results = program(**inputs)
        given = [*_get_tensors(results), *_get_tensors(inputs), *buffers]
        found = [*map(_get_parts, given)]
        if not gradients:
            return found
        outputs = [y for x, y in zip(given, found) if x.grad_fn is not None]
        leaves = [x for x in given + kept if x.requires_grad and x.grad_fn is None]
        if not outputs:
            return found
        # Numbers that every dtype has.
        steps = [torch.arange(x.numel(), device=x.device) % 7 - 3 for x in outputs]
        given = [s.reshape(x.shape).to(x.dtype) / 4 for s, x in zip(steps, outputs)]
        own = torch.autograd.grad(outputs, leaves, given, allow_unused=True)
    pairs = zip(own, leaves, strict=True)
    own = (torch.zeros_like(y) if x is None else x for x, y in pairs)
    return [*found, *map(_get_parts, own)]


def _get_errors(found, exact):
    """The errors of a result where it and float64 are finite."""
    finite = exact.to(found.dtype).isfinite() & found.isfinite()
    return torch.where(finite, (found.double() - exact.double()).abs(), 0)


def _compare(found, own, exact, usual=0.0):
    """What is wrong: errors above 4 times PyTorch's and 2 units in the last place.

    Of few elements PyTorch's error may be small by luck; `usual` is that of more inputs.
    """
    found, own, exact = found.detach(), own.detach(), exact.detach()
    if found.shape != own.shape or found.dtype != own.dtype:
        return f"found {found.dtype}{[*found.shape]}, not {own.dtype}{[*own.shape]}"
    rounded = exact.to(own.dtype)
    same = (found == own) | (found == rounded) | found.isnan() & (own + rounded).isnan()
    if not own.is_floating_point():
        return "" if bool(same.all()) else f"{int((~same).sum())} elements differ"
    finite = own.isfinite() & rounded.isfinite() & found.isfinite()
    if not bool((same | finite).all()):
        return "NaN or infinity at other places"
    mine, theirs = (_get_errors(x, exact)[finite] for x in (found, own))
    info, size = torch.finfo(own.dtype), exact[finite].abs()
    exponent = torch.frexp(size.clamp(min=info.tiny)).exponent - 1
    allowed = torch.ldexp(torch.full_like(size, 2 * info.eps), exponent)
    theirs = max(usual, float(theirs.max()) if theirs.numel() else 0)
    if own.dtype == torch.float64 and size.numel():
        # It is its own reference: other orders of sums differ by more units.
        theirs = max(theirs, 1024 * info.eps * max(1.0, float(size.max())))
    excess = mine > allowed.clamp(min=4 * theirs)
    return (
        f"errors of up to {float(mine[excess].max()):.3g}" if bool(excess.any()) else ""
    )


def _get_usual(run, draw):
    """PyTorch's greatest error of each result, over 16 inputs of a kind."""
    rows = []
    for _ in range(16):
        inputs = draw()
        try:
            runs = [run(inputs, wide=wide) for wide in (False, True)]
        except _RAISED:
            continue
        errors = [_get_errors(x.detach(), y.detach()) for x, y in zip(*runs)]
        rows.append([float(x.max()) if x.numel() else 0.0 for x in errors])
    return [max(column) for column in zip(*rows)]


def _register(record):
    """Lets trees of tensors go through a dataclass."""
    if not hasattr(record, "__dataclass_fields__"):
        return

    def rebuild(values, names):
        return record(**dict(zip(names, values, strict=True)))

    pytree.register_pytree_node(
        record, lambda x: ([*vars(x).values()], [*vars(x)]), rebuild
    )


def _is_repeated(first, second, bits=True):
    """Whether two runs gave tensors of one kind each, and the same elements."""
    for x, y in zip(first, second, strict=True):
        if x.shape != y.shape or x.dtype != y.dtype:
            return False
        # NaN is the same as NaN.
        if bits and not torch.where(x.isnan(), x.isnan() & y.isnan(), x == y).all():
            return False
    return True


_RAISED = (ArithmeticError, AssertionError, LookupError, RuntimeError, ValueError)
# Sizes that one of both refuses are tried as multiples of these.
_MULTIPLES = (1, 2, 4, 8, 64)
