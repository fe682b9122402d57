# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Special functions (arithmetic.py explains the decorators). Their expansions are good to float64: the series
of Chebyshev polynomials below were fitted to the functions' definitions with 40 digits."""


@export(at="prims")
def chebyshev(coefficients, x):
    """The sum of coefficients[k] * T_k(x), up to the last that counts in the type of x, as a sum of powers.

    Its coefficients are about as small as the sum where those of the series fall fast: no digits are lost."""
    count = len(coefficients)
    if x.dtype != torch.float64:
        while abs(coefficients[count - 1]) < 1e-9:
            count -= 1
    powers = [0.0] * count
    before, last = [0.0] * count, [1.0] + [0.0] * (count - 1)
    for degree in range(count):
        for place in range(degree % 2, degree + 1, 2):
            powers[place] += coefficients[degree] * last[place]
        following = [(1 if degree == 0 else 2) * c for c in [0.0] + last[:-1]]
        before, last = last, [a - b for a, b in zip(following, before)]
    return polynomial(powers, x)


@export(at="prims")
def polynomial(coefficients, x):
    """The sum of coefficients[k] * x**k."""
    result = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        result = result * x + coefficient
    return result


# --- Error functions ------------------------------------------------------------------------------


def _erfinv_gradient(grad, result):
    return {"input": grad * (0.8862269254527580 * torch.exp(result * result))}


@op("aten::erfinv(Tensor self) -> Tensor", at="torch Tensor special", dtypes="promote", grad=_erfinv_gradient)
def erfinv(input):
    a = torch.abs(input)
    rest = 1 - a
    # A start by Winitzki's formula, then Halley's steps on erf or, near 1, on erfc.
    high = a > 0.5
    log = torch.where(high, torch.log(rest * (1 + a)), torch.log1p(-a * a))
    t = 4.330746750799873 + 0.5 * log
    root = torch.sqrt(t * t - log / 0.147)
    y = torch.sqrt(torch.where(t > 0, -log / 0.147 / (root + t), root - t))
    for _ in range(3):
        error = torch.where(high, rest - torch.erfc(y), torch.erf(y) - a)
        step = error * (0.8862269254527580 * torch.exp(y * y))
        y = y - step / (1 + y * step)
    y = torch.where(a == 1, float("inf"), y)
    return torch.where(a == 0, input, torch.where(input < 0, -y, y))


_SCALED_ERFC = (
    1.17757893456740175, -0.00459005458064647733, -0.0842491333665179156, 0.0592099399981918905, -0.0266586684353057523, 0.00907499767070526509,
    -0.00241316354041760819, 0.000490775836525808632, -0.0000691697330250120637, 4.13902798607301017e-6, 7.74038306619849067e-7, -2.18864010492343957e-7,
    1.07649994656709104e-8, 4.5219598112182869e-9, -7.75440020883135111e-10, -6.31808834088668449e-11, 2.8687950109306699e-11, 1.94558685457773472e-13,
    -9.65469674843343891e-13, 3.25254814814873984e-14, 3.34781194828680539e-14, -1.8645628804193131e-15, -1.25079505306886471e-15, 7.41823525662404341e-17,
    5.06814890479611127e-17, -2.23705665943600008e-18,
)  # fmt: skip


def _erfcx_gradient(grad, result, input):
    return grad * (2 * input * result - 1.1283791670955126)


@op("aten::special_erfcx(Tensor self) -> Tensor", at="special", dtypes="promote", grad=_erfcx_gradient)
def erfcx(input):
    a = torch.abs(input)
    place = torch.where(torch.isinf(a), 1.0, (a - 3.75) / (a + 3.75))
    right = prims.chebyshev(_SCALED_ERFC, place) / (1 + 2 * a)
    return torch.where(input < 0, 2 * torch.exp(input * input) - right, right)


def _log_ndtr_gradient(grad, input):
    return grad * (0.7978845608028654 / erfcx(input * -0.7071067811865476))


@op("aten::special_log_ndtr(Tensor self) -> Tensor", at="special", dtypes="promote", grad=_log_ndtr_gradient)
def log_ndtr(input):
    t = input * 0.7071067811865476
    low = torch.log(erfcx(-t) / 2) - t * t
    return torch.where(input < -1, low, torch.log1p(-torch.erfc(t) / 2))


# --- Modified Bessel functions ----------------------------------------------------------------------

_I0_NEAR = (
    0.338397637204738042, -0.304682672343198399, 0.171620901522208775, -0.0949010970480476444, 0.0493052842396707085, -0.0237374148058994688,
    0.0105464603945949983, -0.00432430999505057594, 0.0016394756169413358, -0.000576375574538582366, 0.000188502885095841656, -0.000057541950100821037,
    0.0000164484480707288971, -4.41673835845875056e-6, 1.11738753912010372e-6, -2.67079385394061173e-7, 6.04699502254191895e-8, -1.30002500998624804e-8,
    2.65982372468238665e-9, -5.18979560163526291e-10, 9.67580903537323691e-11, -1.72682629144155571e-11, 2.95505266312963983e-12, -4.85644678311192946e-13,
    7.67618549860493562e-14, -1.16853328779934517e-14, 1.71539128555513303e-15, -2.43127984654795469e-16, 3.3307945188222381e-17, -4.41534164647933938e-18,
)  # fmt: skip
_I0_FAR = (
    0.402245205507054416, 0.00336911647825569409, 0.0000688975834691682398, 2.89137052083475648e-6, 2.04891858946906374e-7, 2.26666899049817806e-8,
    3.39623202570838635e-9, 4.94060238822496959e-10, 1.18891471078464383e-11, -3.14991652796324136e-11, -1.32158118404477131e-11, -1.79417853150680612e-12,
    7.18012445138366623e-13, 3.8527783827421427e-13, 1.54008621752140983e-14, -4.15056934728722209e-14, -9.55484669882830765e-15, 3.81168066935262242e-15,
    1.77256013305652638e-15, -3.42548561967721913e-16, -2.82762398051658348e-16, 3.46122286769746109e-17, 4.46562142029676e-17, -4.83050448594418207e-18,
    -7.23318048787475395e-18,
)  # fmt: skip
_I1_NEAR = (
    0.126293593221816827, -0.176416518357834055, 0.102643658689847095, -0.0529459812080949914, 0.0247264490306265168, -0.0105640848946261982,
    0.00415642294431288816, -0.00151357245063125315, 0.000512285956168575773, -0.000161760815825896746, 0.0000478156510755005423, -0.0000132731636560394358,
    3.47025130813767848e-6, -8.56872026469545474e-7, 2.00329475355213526e-7, -4.44505912879632808e-8, 9.38153738649577178e-9, -1.88724975172282929e-9,
    3.62559028155211704e-10, -6.66348972350202774e-11, 1.17361862988909016e-11, -1.98397439776494372e-12, 3.22379336594557471e-13, -5.04218550472791169e-14,
    7.60068429473540693e-15, -1.10559694773538631e-15, 1.55363195773620047e-16, -2.11142121435816608e-17, 2.77791411276104637e-18,
)  # fmt: skip
_I1_FAR = (
    0.38928811750914006, -0.00976109749136146841, -0.000110588938762623716, -3.88256480887769039e-6, -2.51223623787020893e-7, -2.63146884688951951e-8,
    -3.83538038596423702e-9, -5.58974346219658381e-10, -1.89749581235054123e-11, 3.25260358301548824e-11, 1.41258074366137813e-11, 2.03562854414708951e-12,
    -7.19855177624590851e-13, -4.08355111109219732e-13, -2.10154184277266431e-14, 4.27244001671195135e-14, 1.04202769841288028e-14, -3.8144030724370078e-15,
    -1.88035477551078245e-15, 3.30820231092092828e-16, 2.96262899764595014e-16, -3.20952592199342396e-17, -4.65030536848935833e-17, 4.41434832307170795e-18,
    7.51729631084210481e-18,
)  # fmt: skip


def _scaled_bessel(x, near, far):
    return torch.where(x <= 8, prims.chebyshev(near, x / 4 - 1), prims.chebyshev(far, 16 / x - 1) / torch.sqrt(x))


def _i0e_gradient(grad, result, input):
    return grad * (i1e(input) - torch.sign(input) * result)


@op("aten::special_i0e(Tensor self) -> Tensor", at="special", dtypes="promote", grad=_i0e_gradient)
def i0e(input):
    return _scaled_bessel(torch.abs(input), _I0_NEAR, _I0_FAR)


def _i0_gradient(grad, input):
    return grad * i1(input)


@op("aten::i0(Tensor self) -> Tensor", at="torch Tensor special", dtypes="promote", grad=_i0_gradient)
def i0(input):
    return torch.exp(torch.abs(input)) * i0e(input)


def _i1e_gradient(grad, result, input):
    slope = i0e(input) - result * (torch.sign(input) + 1 / input)
    return grad * torch.where(input == 0, 0.5, slope)


@op("aten::special_i1e(Tensor self) -> Tensor", at="special", dtypes="promote", grad=_i1e_gradient)
def i1e(input):
    a = torch.abs(input)
    near = prims.chebyshev(_I1_NEAR, a / 4 - 1) * a
    far = prims.chebyshev(_I1_FAR, 16 / a - 1) / torch.sqrt(a)
    result = torch.where(a <= 8, near, far)
    return torch.where(input < 0, -result, result)


def _i1_gradient(grad, result, input):
    return grad * torch.where(input == 0, 0.5, i0(input) - result / input)


@op("aten::special_i1(Tensor self) -> Tensor", at="special", dtypes="promote", grad=_i1_gradient)
def i1(input):
    return torch.exp(torch.abs(input)) * i1e(input)


# --- Integers ---------------------------------------------------------------------------------------


@op("aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor", at="prims", names="integer_power", dtypes="any")
def _integer_power(base, exponent):
    dtype = torch.result_type(base, exponent)
    bits = 8 * dtype.itemsize
    if isinstance(base, int) and base > 1 and base & (base - 1) == 0:
        width = base.bit_length() - 1
        inside = (exponent >= 0) & (exponent <= (bits - 1) // width)
        return torch.where(inside, torch.ones_like(exponent) << torch.where(inside, exponent, 0) * width, 0)
    base = base.to(dtype) if isinstance(base, torch.Tensor) else torch.full_like(exponent, base, dtype=dtype)
    square = base
    rest = exponent.to(dtype)
    result = torch.ones_like(base + rest)
    for index in range(bits if dtype == torch.uint8 else bits - 1):
        result = torch.where(rest & 1 != 0, result * square, result)
        if index + 2 < bits:
            square = square * square
            rest = rest >> 1
    if dtype == torch.uint8:
        return result
    sign = torch.where(exponent & 1 != 0, base, 1)
    return torch.where(exponent >= 0, result, torch.where(base == 1, 1, torch.where(base == -1, sign, 0)))


@op("aten::gcd(Tensor self, Tensor other) -> Tensor", dtypes="any")
def gcd(input, other):
    dtype = torch.result_type(input, other)
    if dtype.is_floating_point or dtype == torch.bool:
        raise RuntimeError("\"gcd\" not implemented for '" + str(dtype) + "'")
    a = torch.abs(input + torch.zeros_like(other))
    b = torch.abs(other + torch.zeros_like(input))
    # Euclid's algorithm takes at most 1.44 * bits steps.
    for _ in range({1: 12, 2: 23, 4: 46}.get(dtype.itemsize, 92)):
        done = b == 0
        rest = torch.fmod(a, torch.where(done, 1, b))
        a, b = torch.where(done, a, b), torch.where(done, 0, rest)
    return a


@op("aten::lcm(Tensor self, Tensor other) -> Tensor", dtypes="any")
def lcm(input, other):
    common = torch.result_type(input, other)
    if common in (torch.int8, torch.uint8, torch.int16):
        # As in C, small integers are multiplied in 32 bits.
        return lcm(input.to(torch.int32), other.to(torch.int32)).to(common)
    divisor = gcd(input, other)
    zero = divisor == 0
    return torch.where(zero, 0, torch.abs(input // torch.where(zero, 1, divisor) * other))


# --- Quantiles of the normal distribution


def _rational(x, above, below):
    return polynomial(above, x) / polynomial(below, x)


def _ndtri_gradient(grad, result):
    return grad * (2.5066282746310002 * torch.exp(result * result * 0.5))


# Wichura, algorithm AS 241 (1988), PPND16.
_QUANTILE_CENTER = (
    (3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3),
    (1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3, 2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3),
)
_QUANTILE_MIDDLE = (
    (1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4),
    (1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1, 1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9),
)
_QUANTILE_TAIL = (
    (6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7),
    (1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2, 7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15),
)


@op("aten::special_ndtri(Tensor self) -> Tensor", at="special", dtypes="promote", grad=_ndtri_gradient)
def ndtri(input):
    distance = input - 0.5
    center = distance * _rational(0.180625 - distance * distance, *_QUANTILE_CENTER)
    root = torch.sqrt(-torch.log(torch.where(distance < 0, input, 1 - input)))
    tail = torch.where(root <= 5, _rational(root - 1.6, *_QUANTILE_MIDDLE), _rational(root - 5, *_QUANTILE_TAIL))
    result = torch.where(torch.abs(distance) <= 0.425, center, torch.where(distance < 0, -tail, tail))
    result = torch.where(input == 0, float("-inf"), torch.where(input == 1, float("inf"), result))
    return torch.where((input >= 0) & (input <= 1), result, float("nan"))


# --- Parts of numbers


class mantissa_exponent(tuple):
    mantissa = property(lambda self: self[0])
    exponent = property(lambda self: self[1])


def _frexp_gradient(grad, result, input):
    # A power of two, exactly.
    has_parts = torch.isfinite(input) & (input != 0)
    return grad[0] * torch.where(has_parts, result[0] / torch.where(has_parts, input, 1.0), 1.0)


@op("aten::frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)", dtypes="norm", grad=_frexp_gradient)
def frexp(input):
    steps = [512, 256, 128, 64, 32, 16, 8, 4, 2, 1]
    if input.dtype != torch.float64:
        steps = steps[3:]
    # Powers of two, from the greatest: exact, and also for what is below the normal numbers.
    mantissa = torch.where(torch.isfinite(input), torch.abs(input), 0.0)
    has_parts = mantissa > 0
    exponent = torch.zeros_like(input, dtype=torch.int32)
    for step in steps + [1]:
        big = mantissa >= (2.0**step if step > 1 else 1.0)
        mantissa = torch.where(big, mantissa * 2.0**-step, mantissa)
        exponent = torch.where(big, exponent + step, exponent)
    for step in [steps[0]] + steps:
        small = has_parts & (mantissa < 2.0**-step)
        mantissa = torch.where(small, mantissa * 2.0**step, mantissa)
        exponent = torch.where(small, exponent - step, exponent)
    return mantissa_exponent((torch.where(has_parts, torch.copysign(mantissa, input), input), exponent))
