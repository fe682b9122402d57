# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy where programs compute with numbers and sizes. Arrays are not known: they are refused where they are used."""
import math as _math
from _nereid import unknown as _unknown

pi, e, inf, nan, euler_gamma, newaxis = _math.pi, _math.e, _math.inf, _math.nan, 0.5772156649015329, None


class generic:
    """No value of a program is a scalar or an array of NumPy's."""


class ndarray:
    pass


class number(generic):
    pass


class integer(number):
    pass


class floating(number):
    pass


class bool_(generic):
    pass


def __getattr__(name):
    return _unknown("numpy." + name)


def _of_numbers(name, compute, edges=()):
    """`compute` of a number; `edges` says what NumPy gives where `math` raises."""

    def call(x, *others):
        if isinstance(x, (list, tuple)) or others and isinstance(others[0], (list, tuple)):
            return _unknown("numpy." + name)(x, *others)
        for is_there, value in edges:
            if isinstance(x, (int, float)) and is_there(x):
                return value
        return compute(x, *others)

    call.__name__ = name
    return call


_LOGARITHM = ((lambda x: x == 0, -inf), (lambda x: x < 0, nan))
log = _of_numbers("log", _math.log, _LOGARITHM)
log2 = _of_numbers("log2", _math.log2, _LOGARITHM)
log10 = _of_numbers("log10", _math.log10, _LOGARITHM)
sqrt = _of_numbers("sqrt", _math.sqrt, ((lambda x: x < 0, nan),))
exp = _of_numbers("exp", _math.exp, ((lambda x: x > 709.782712893384, inf),))
sin = _of_numbers("sin", _math.sin)
cos = _of_numbers("cos", _math.cos)
tan = _of_numbers("tan", _math.tan)
arctan = _of_numbers("arctan", _math.atan)
tanh = _of_numbers("tanh", _math.tanh)
floor = _of_numbers("floor", lambda x: float(_math.floor(x)))
ceil = _of_numbers("ceil", lambda x: float(_math.ceil(x)))
power = _of_numbers("power", lambda x, y: x**y)
abs = absolute = _of_numbers("absolute", abs)


def prod(numbers):
    if not isinstance(numbers, (list, tuple)) or any(isinstance(x, (list, tuple)) for x in numbers):
        return _unknown("numpy.prod")(numbers)
    product = 1
    for number in numbers:
        product = product * number
    return product
