# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Orthogonal polynomials (DLMF 18.9; arithmetic.py explains the decorators). PyTorch has no gradients of them.

Of a degree that is a number they are their recurrence, written out up to 64 and a loop above. Where the degree is a tensor,
those of Chebyshev are cosines of multiples of an angle, the others a loop over all degrees up to a limit.
"""


def _none(grad):
    return {}


# --- Recurrences ------------------------------------------------------------------------------------


def _written_out(x, n, first, step):
    """p[n] of p[0] = 1, p[1] = first(x) and p[k + 1] = step(x, k, p[k], p[k - 1])."""
    if n < 0:
        return torch.zeros_like(x)
    before, last = torch.ones_like(x), first(x)
    if n == 0:
        return before
    for k in range(1, n):
        before, last = last, step(x, k, last, before)
    return last


def _of_one_degree(x, n, first, step):
    before, last = torch.ones_like(x), first(x)
    for turn in prims.turns(n - 1):
        before, last = last, step(x, turn + 1, last, before)
    return last


def _of_degrees(x, n, first, step, limit):
    """The degree of each element, where it is at most the limit; NaN above."""
    before, last = torch.ones_like(x), first(x)
    result = torch.where(n == 0, before, last)
    for turn in prims.turns(limit - 1):
        before, last = last, step(x, turn + 1, last, before)
        result = torch.where(n == turn + 2, last, result)
    return torch.where(n > limit, float("nan"), torch.where(n >= 0, result, 0.0))


# --- Angles -----------------------------------------------------------------------------------------


def _first_kind(n, angle, rate):
    return torch.cos(n * angle), 0.5 + 0.5 * torch.exp(-2 * n * rate)


def _second_kind(n, angle, rate):
    inside = torch.where(angle == 0, n + 1, torch.sin((n + 1) * angle) / torch.sin(angle))
    return inside, torch.where(rate == 0, n + 1, torch.expm1(-2 * (n + 1) * rate) / torch.expm1(-2 * rate))


def _third_kind(n, angle, rate):
    inside = torch.cos((n + 0.5) * angle) / torch.cos(0.5 * angle)
    return inside, (1 + torch.exp(-(2 * n + 1) * rate)) / (1 + torch.exp(-rate))


def _fourth_kind(n, angle, rate):
    inside = torch.where(angle == 0, 2 * n + 1, torch.sin((n + 0.5) * angle) / torch.sin(0.5 * angle))
    return inside, torch.expm1(-(2 * n + 1) * rate) / torch.expm1(-rate)


def _by_angle(x, n, kind, mirrored):
    """A polynomial of Chebyshev (DLMF 18.5.1 to 18.5.4): of -x it is the mirrored one of x, for odd degrees with the other sign."""
    a = torch.abs(x)
    is_inside = a <= 1
    angle = torch.acos(torch.where(is_inside, a, 1.0))
    rate = torch.acosh(torch.where(is_inside, 1.0, a))
    growth = torch.exp(n * rate)
    inside, outside = kind(n, angle, rate)
    result = torch.where(is_inside, inside, growth * outside)
    if mirrored is not kind:
        inside, outside = mirrored(n, angle, rate)
        result = torch.where(x < 0, torch.where(is_inside, inside, growth * outside), result)
    result = torch.where((x < 0) & (n - 2 * torch.floor(n / 2) == 1), -result, result)
    return torch.where(n == 0, 1.0, torch.where(n > 0, result, 0.0))


# --- All of them ------------------------------------------------------------------------------------


def _register(name, first, step, limit=None, kind=None, mirrored=None, shifted=False):
    def of_number(input, n):
        x = 2 * input - 1 if shifted else input
        return _written_out(x, n, first, step)

    op("aten::special_" + name + ".n_scalar(Tensor x, Scalar n) -> Tensor", at="prims", names=name, dtypes="promote", grad=_none)(of_number)

    def by_angle(input, n):
        x = 2 * input - 1 if shifted else input
        return _by_angle(x, n, kind, mirrored)

    if kind is not None:
        op("aten::special_" + name + "(Tensor x, Tensor n) -> Tensor", at="prims", names=name + "_by_angle", dtypes="first", grad=_none)(by_angle)

    def polynomial(input, n):
        dtype = torch.result_type(input, n)
        dtype = dtype if dtype.is_floating_point else torch.get_default_dtype()
        if isinstance(n, torch.Tensor):
            n = torch.trunc(n).to(dtype) if n.is_floating_point() else n.to(dtype)
            x = input.to(dtype) if isinstance(input, torch.Tensor) else torch.full_like(n, input)
            x, n = torch.broadcast_tensors(x, n)
        else:
            n, x = int(n), input.to(dtype)
            if n <= (16 if kind is not None else 64):
                return getattr(prims, name)(x, n)
        if kind is not None:
            return getattr(prims, name + "_by_angle")(x, n if isinstance(n, torch.Tensor) else torch.full_like(x, n))
        if not isinstance(n, torch.Tensor):
            most = n if limit is None else _limit(limit, dtype)
            return _of_one_degree(x.detach(), n, first, step) if n <= most else torch.full_like(x, float("nan"))
        return _of_degrees(x.detach(), n, first, step, _limit(limit, dtype))

    view(at="special", names=name)(polynomial)


def _limit(limit, dtype):
    # PyTorch's own for the polynomials of Hermite.
    return 1024 if limit is None else 512 if dtype == torch.float64 else 128


def _double(x, k, last, before):
    return 2 * x * last - before


_KINDS = (
    ("t", lambda x: x, _first_kind, _first_kind),
    ("u", lambda x: 2 * x, _second_kind, _second_kind),
    ("v", lambda x: 2 * x - 1, _third_kind, _fourth_kind),
    ("w", lambda x: 2 * x + 1, _fourth_kind, _third_kind),
)
for _letter, _first, _kind, _mirrored in _KINDS:
    _register("chebyshev_polynomial_" + _letter, _first, _double, None, _kind, _mirrored)
    _register("shifted_chebyshev_polynomial_" + _letter, _first, _double, None, _kind, _mirrored, True)
_register("hermite_polynomial_h", lambda x: 2 * x, lambda x, k, last, before: 2 * x * last - 2 * k * before, "Hermite")
_register("hermite_polynomial_he", lambda x: x, lambda x, k, last, before: x * last - k * before, "Hermite")
_register("laguerre_polynomial_l", lambda x: 1 - x, lambda x, k, last, before: ((2 * k + 1 - x) * last - k * before) / (k + 1))
_register("legendre_polynomial_p", lambda x: x, lambda x, k, last, before: ((2 * k + 1) * x * last - k * before) / (k + 1))
