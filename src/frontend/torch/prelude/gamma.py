# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gamma function's derivatives and integrals, and the zeta function (arithmetic.py explains the decorators)."""


def _shifted(x, steps, term):
    """x moved up until it is at least `steps`, and the sum of term(x) on the way."""
    total = torch.zeros_like(x)
    for _ in range(steps):
        small = x < steps
        total = torch.where(small, total + term(x), total)
        x = torch.where(small, x + 1, x)
    return x, total


def _series(square, coefficients):
    result = coefficients[-1] * square
    for coefficient in coefficients[-2::-1]:
        result = (result + coefficient) * square
    return result


def _positive_digamma(x):
    x, total = _shifted(x, 10, lambda x: 1 / x)
    square = 1 / (x * x)
    tail = _series(square, (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12))
    return torch.log(x) - 0.5 / x - tail - total


def _digamma_gradient(grad, input):
    return grad * _trigamma(input)


@op("aten::digamma(Tensor self) -> Tensor", at="torch Tensor special", names="digamma psi", dtypes="promote", grad=_digamma_gradient)
def digamma(input):
    low = input < 0
    # From the nearest whole number: near to one the tangent is as exact as this difference.
    turn = 3.141592653589793 * (input - torch.round(input))
    result = _positive_digamma(torch.where(low, 1 - input, input))
    mirrored = torch.where(turn == 0, float("nan"), result - 3.141592653589793 / torch.tan(turn))
    result = torch.where(low, mirrored, result)
    return torch.where(input == 0, torch.copysign(float("inf") + torch.zeros_like(input), -input), result)


def _trigamma(x):
    low = x < 0.5
    shifted, total = _shifted(torch.where(low, 1 - x, x), 10, lambda x: 1 / (x * x))
    square = 1 / (shifted * shifted)
    tail = _series(square, (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6))
    result = total + 1 / shifted + 0.5 * square + tail / shifted
    sine = torch.sin(3.141592653589793 * (x - torch.round(x)))
    return torch.where(low, 9.869604401089358 / (sine * sine) - result, result)


def _tetragamma(x):
    low = x < 0.5
    shifted, total = _shifted(torch.where(low, 1 - x, x), 12, lambda x: 2 / (x * x * x))
    square = 1 / (shifted * shifted)
    tail = _series(square, (1 / 2, -1 / 6, 1 / 6, -3 / 10, 5 / 6, -691 / 210, 35 / 2))
    result = -(total + square + square / shifted + tail * square)
    turn = x - torch.round(x)
    sine = torch.sin(3.141592653589793 * turn)
    cosine = torch.sin(3.141592653589793 * (0.5 - torch.abs(turn)))  # of no rounded angle beside its zeros
    return torch.where(low, result - 62.01255336059964 * cosine / (sine * sine * sine), result)


# --- The zeta function of Hurwitz -------------------------------------------------------------------

# The numbers of Bernoulli, B[2k] / (2k)!, k = 1, 2, ...
_BERNOULLI = (
    0.083333333333333333, -0.0013888888888888889, 0.000033068783068783069, -8.2671957671957672e-7, 2.0876756987868099e-8,
    -5.2841901386874932e-10, 1.3382536530684679e-11, -3.3896802963225829e-13, 8.5860620562778446e-15,
)  # fmt: skip


def _positive_zeta(s, q):
    """The sum of (q + k) ** -s for q above 0, by the formula of Euler and Maclaurin (DLMF 25.11.28) behind the first terms."""
    exact = q.dtype == torch.float64
    steps = 9 if exact else 4
    total = torch.pow(q, -s)
    for step in range(1, steps):
        total = total + torch.pow(q + step, -s)
    last = q + steps
    term = torch.pow(last, -s)
    square = last * last
    rising = s / last
    tail = 0.5 + last / (s - 1)
    for index, number in enumerate(_BERNOULLI if exact else _BERNOULLI[:5]):
        tail = tail + number * rising
        rising = rising * ((s + (2 * index + 1)) / last) * ((s + (2 * index + 2)) / last)
    # Where the terms fall so fast that the tail does not count, its formula has no meaning.
    return torch.where(term < 1e-17 * total, total, total + term * tail)


def _zeta(s, q):
    low = q < 0
    whole = torch.floor(q)
    part = q - whole
    right = _positive_zeta(s, torch.where(low, part, q))
    # To the left of 0, for whole numbers s: the sum over all k less that over k below -q. Those next to 0 cancel first.
    mirrored, rest = _positive_zeta(s, 1 - part), _positive_zeta(s, torch.where(low, 1 - q, 1.0))
    if isinstance(s, int):
        left = right - mirrored + rest if s % 2 else right + mirrored - rest
        return torch.where((q <= 0) & (q == whole), float("inf"), torch.where(low, left, right))
    left = torch.where(s - 2 * torch.floor(s / 2) == 1, right - mirrored + rest, right + mirrored - rest)
    left = torch.where(s == torch.floor(s), left, float("nan"))
    result = torch.where((q <= 0) & (q == whole), float("inf"), torch.where(low, left, right))
    return torch.where(s == 1, float("inf"), torch.where(s < 1, float("nan"), result))


def _needs_none(name, tensor):
    if prims.is_recording() and isinstance(tensor, torch.Tensor) and tensor.requires_grad:
        return prims.refuse("the gradient of " + name + " for its first argument is not supported", "PyTorch has none; detach it")


def _zeta_of_any(s, q):
    if not isinstance(q, torch.Tensor):
        q = torch.full_like(s, q)
    if not isinstance(s, torch.Tensor):
        s = int(s) if 1 < s < 1e6 and s == int(s) else torch.full_like(q, s)
    return _zeta(s, q)


def _zeta_gradient(grad, input, other):
    return {"other": grad * (-input * _zeta_of_any(input + 1, other))}


@op("aten::special_zeta(Tensor self, Tensor other) -> Tensor", at="prims", names="zeta", dtypes="promote", grad=_zeta_gradient)
def _hurwitz(input, other):
    return _zeta_of_any(input, other)


@view(at="special")
def zeta(input, other):
    _needs_none("zeta", input)
    return prims.zeta(input, other)


# --- Derivatives of digamma -------------------------------------------------------------------------


def _polygamma_gradient(grad, n, input):
    return grad * polygamma(n + 1, input)


def _factorial(n):
    result = 1.0
    for factor in range(2, n + 1):
        result *= factor
    return result


@op("aten::polygamma(int n, Tensor self) -> Tensor", at="torch special", dtypes="promote", grad=_polygamma_gradient)
def polygamma(n, input):
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    if n == 0:
        return digamma(input)
    if n == 1:
        return _trigamma(input)
    if n == 2:
        return _tetragamma(input)
    return (_factorial(n) if n % 2 else -_factorial(n)) * _zeta(n + 1, input)


@view(at="Tensor", names="polygamma")
def _polygamma_method(self, n):
    return polygamma(n, self)


@op("aten::mvlgamma(Tensor self, int p) -> Tensor", at="torch Tensor special", names="mvlgamma multigammaln", dtypes="promote")
def mvlgamma(input, p):
    result = p * (p - 1) * 0.28618247146235004
    for index in range(p):
        result = result + torch.lgamma(input - index / 2)
    return result


# --- Incomplete gamma functions ---------------------------------------------------------------------

# (t - log(1 + t)) / t**2 for t of 0.3 times the place, fitted with 60 digits.
_LOG_REST = (
    0.511786650922826121, -0.104281200342166844, 0.0119708029750978506, -0.00146709024886268257, 0.000187396455362771137, -0.0000246298514787795123,
    3.30544542619274542e-6, -4.50733354955475712e-7, 6.22394806588882282e-8, -8.68209082886269813e-9, 1.22130449057837398e-9, -1.73013396805760818e-10,
    2.46568191160416934e-11, -3.53212182935885582e-12, 5.08259299452660449e-13, -7.34258011705122183e-14, 1.06445972432220093e-14, -1.54796947686432465e-15,
    2.25740249092441572e-16,
)  # fmt: skip
# Temme's expansion (DLMF 8.12.8 to 8.12.14): the coefficients of powers of eta, for each power of 1 / a.
_TEMME = (
    (-0.333333333333333333, 0.0833333333333333333, -0.0148148148148148148, 0.00115740740740740741, 0.0003527336860670194, -0.000178755144032921811,
     0.0000391926317852243778, -2.18544851067999216e-6, -1.85406221071515996e-6, 8.29671134095308601e-7, -1.76659527368260793e-7,
     6.70785354340149858e-9, 1.0261809784240308e-8, -4.38203601845335319e-9),
    (-0.00185185185185185185, -0.00347222222222222222, 0.0026455026455026455, -0.000990226337448559671, 0.000205761316872427984,
     -4.01877572016460905e-7, -0.0000180985503344899778, 7.64916091608111008e-6, -1.6120900894563446e-6, 4.64712780280743434e-9,
     1.37863344691572096e-7, -5.75254560351770496e-8),
    (0.0041335978835978836, -0.00268132716049382716, 0.000771604938271604938, 2.00938786008230453e-6, -0.000107366532263651605,
     0.0000529234488291201254, -0.0000127606351886187277, 3.42357873409613807e-8, 1.37219573090629332e-6, -6.29899213838005502e-7,
     1.42806142060642418e-7),
    (0.000649434156378600823, 0.000229472093621399177, -0.000469189494395255712, 0.000267720632062838853, -0.0000756180167188397641,
     -2.39650511386729665e-7, 0.0000110826541153473024, -5.67495282699159657e-6, 1.42309007324358839e-6),
    (-0.000861888290916711699, 0.000784039221720066627, -0.00029907248030319018, -1.46384525788434182e-6, 0.0000664149821546512219,
     -0.0000396836504717943466, 0.0000113757269706784191, 2.5074972262375328e-10),
    (-0.00033679855336635815, -0.0000697281375836585777, 0.000277275324495939208, -0.000199325705161888477, 0.0000679778047793720784,
     1.41906292064396701e-7),
    (0.000531307936463992223, -0.000592166437353693883, 0.000270878209671804483, 7.90235323266032787e-7, -0.0000815396936756196875),
    (0.000344367606892377671, 0.0000517179090826059219, -0.000334931610811422363),
)  # fmt: skip


def _near_gammas(a, x):
    """Both functions for a above 20 and x within 3 parts of 10 of it."""
    shift = (x - a) / a
    rest = prims.chebyshev(_LOG_REST, shift / 0.3)
    eta = shift * torch.sqrt(2 * rest)
    terms = 8 if a.dtype == torch.float64 else 4
    tail = None
    for order in range(terms - 1, -1, -1):
        row = _TEMME[order] if terms == 8 else _TEMME[order][: 7 - order]
        sum = prims.polynomial(row, eta)
        tail = sum if tail is None else tail / a + sum
    tail = tail * torch.exp(-a * (shift * shift * rest)) * torch.rsqrt(6.283185307179586 * a)
    half = eta * torch.sqrt(a / 2)
    return 0.5 * torch.erfc(-half) - tail, 0.5 * torch.erfc(half) + tail


def _first_term(a, x):
    """x**a * exp(-x) / gamma(a + 1): of logarithms, or, where these are large, by Stirling's formula."""
    direct = torch.exp(a * torch.log(x) - x - torch.lgamma(a + 1))
    shift = (x - a) / a
    inverse = 1 / a
    correction = _series(inverse * inverse, (-1 / 360, 1 / 1260, -1 / 1680, 1 / 1188))
    stirling = inverse * (1 / 12 + correction)
    near = shift * shift * prims.chebyshev(_LOG_REST, shift / 0.3)
    rest = torch.where(torch.abs(shift) < 0.3, near, shift - torch.log(x / a))
    return torch.where(a > 20, torch.exp(-a * rest - stirling) * torch.rsqrt(6.283185307179586 * a), direct)


def _turned(a, x):
    """The sums of the series 8.11.4 (of DLMF) and of the continued fraction 8.9.2, from their last terms."""
    count = 96 if a.dtype == torch.float64 else 72
    series, fraction = torch.ones_like(a), x + (2 * count + 1) - a
    for turn in prims.turns(count):
        k = count - turn
        series = 1 + series * (x / (a + k))
        fraction = x + (2 * k - 1) - a - k * (k - a) / fraction
    return series, fraction


def _gammas(a, x, series, fraction):
    """The regularised functions, lower and upper (DLMF 8.2.4), of a and x above 0."""
    first = _first_term(a, x)
    lower, upper = first * series, first * a / fraction
    near_lower, near_upper = _near_gammas(a, x)
    is_near = (a > 20) & (torch.abs(x - a) < 0.3 * a)
    # The series where x is below a, the fraction above.
    is_low = x < torch.where(a > 20, a, torch.clamp(a, min=1.0))
    lower = torch.where(is_near, near_lower, torch.where(is_low, lower, 1 - upper))
    upper = torch.where(is_near, near_upper, torch.where(is_low, 1 - lower, upper))
    return lower, upper


def _with_limits(result, a, x, at_zero):
    """The values at 0 and infinity of the function that is at_zero at x = 0."""
    whole = 1.0 - at_zero
    result = torch.where(torch.isinf(x) | (a == 0), whole, torch.where(torch.isinf(a) | (x == 0), at_zero, result))
    none = (x < 0) | (a < 0) | ((a == 0) & (x == 0)) | (torch.isinf(a) & torch.isinf(x)) | torch.isnan(a) | torch.isnan(x)
    return torch.where(none, float("nan"), result)


def _density(input, other):
    return torch.exp((input - 1) * torch.log(other) - other - torch.lgamma(input))


def _igamma_gradient(grad, input, other):
    return {"other": grad * _density(input, other)}


def _igammac_gradient(grad, input, other):
    return {"other": -grad * _density(input, other)}


@op("aten::igamma(Tensor self, Tensor other) -> Tensor", at="prims", names="igamma", dtypes="first", grad=_igamma_gradient)
def _lower_gamma(input, other, series, fraction):
    return _with_limits(_gammas(input, other, series, fraction)[0], input, other, 0.0)


@op("aten::igammac(Tensor self, Tensor other) -> Tensor", at="prims", names="igammac", dtypes="first", grad=_igammac_gradient)
def _upper_gamma(input, other, series, fraction):
    return _with_limits(_gammas(input, other, series, fraction)[1], input, other, 1.0)


def _register_incomplete(name, special):
    def incomplete(input, other):
        dtype = torch.result_type(input, other)
        if not dtype.is_floating_point:
            raise RuntimeError("\"" + name + "_cpu\" not implemented for integers")
        _needs_none(name, input)
        input, other = torch.broadcast_tensors(input.to(dtype), other.to(dtype))
        exact = dtype if dtype == torch.float64 else torch.float32
        series, fraction = _turned(input.detach().to(exact), other.detach().to(exact))
        return getattr(prims, name)(input, other, series, fraction)

    view(at="torch Tensor", names=name)(incomplete)
    view(at="special", names=special)(incomplete)


_register_incomplete("igamma", "gammainc")
_register_incomplete("igammac", "gammaincc")
