# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from _nereid_abc import ABC

class Number(ABC):
    pass

class Complex(Number):
    pass

class Real(Complex):
    pass

class Rational(Real):
    pass

class Integral(Rational):
    pass

Complex.register(complex)
Real.register(float)
Integral.register(int)
