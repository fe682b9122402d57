# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def add(a, b): return a + b
def sub(a, b): return a - b
def mul(a, b): return a * b
def truediv(a, b): return a / b
def floordiv(a, b): return a // b
def mod(a, b): return a % b
def pow(a, b): return a ** b
def matmul(a, b): return a @ b
def and_(a, b): return a & b
def or_(a, b): return a | b
def xor(a, b): return a ^ b
def lshift(a, b): return a << b
def rshift(a, b): return a >> b
def neg(a): return -a
def pos(a): return +a
def inv(a): return ~a
invert = inv
def not_(a): return not a
def truth(a): return True if a else False
def eq(a, b): return a == b
def ne(a, b): return a != b
def lt(a, b): return a < b
def le(a, b): return a <= b
def gt(a, b): return a > b
def ge(a, b): return a >= b
def is_(a, b): return a is b
def is_not(a, b): return a is not b
_abs = abs
def abs(a): return _abs(a)
def contains(a, b): return b in a
def concat(a, b): return a + b
def getitem(a, b): return a[b]
def setitem(a, b, c): a[b] = c
def delitem(a, b): del a[b]
def index(a): return range(a).stop if isinstance(a, int) else a.__index__()
def iadd(a, b):
    a += b
    return a
def imul(a, b):
    a *= b
    return a
def isub(a, b):
    a -= b
    return a
def itruediv(a, b):
    a /= b
    return a
def ifloordiv(a, b):
    a //= b
    return a
def imod(a, b):
    a %= b
    return a
def ipow(a, b):
    a **= b
    return a
def imatmul(a, b):
    a @= b
    return a
def iand(a, b):
    a &= b
    return a
def ior(a, b):
    a |= b
    return a
def ixor(a, b):
    a ^= b
    return a
def ilshift(a, b):
    a <<= b
    return a
def irshift(a, b):
    a >>= b
    return a
iconcat = iadd
def call(obj, /, *args, **kwargs): return obj(*args, **kwargs)
def indexOf(a, b):
    for i, x in enumerate(a):
        if x is b or x == b:
            return i
    raise ValueError('sequence.index(x): x not in sequence')
def length_hint(obj, default=0): return len(obj) if hasattr(obj, '__len__') else default
def countOf(a, b): return sum(1 for x in a if x is b or x == b)
def itemgetter(item, *items):
    if not items:
        return lambda obj: obj[item]
    return lambda obj: tuple(obj[i] for i in (item, *items))
def attrgetter(attr, *attrs):
    def resolve(obj, path):
        for name in path.split('.'):
            obj = getattr(obj, name)
        return obj
    if not attrs:
        return lambda obj: resolve(obj, attr)
    return lambda obj: tuple(resolve(obj, a) for a in (attr, *attrs))
def methodcaller(name, /, *args, **kwargs):
    return lambda obj: getattr(obj, name)(*args, **kwargs)
__add__, __sub__, __mul__, __truediv__, __floordiv__, __mod__, __pow__, __matmul__ = add, sub, mul, truediv, floordiv, mod, pow, matmul
__and__, __or__, __xor__, __lshift__, __rshift__, __neg__, __pos__, __inv__, __invert__ = and_, or_, xor, lshift, rshift, neg, pos, inv, inv
__eq__, __ne__, __lt__, __le__, __gt__, __ge__, __not__, __abs__ = eq, ne, lt, le, gt, ge, not_, abs
__contains__, __getitem__, __setitem__, __delitem__, __concat__, __index__ = contains, getitem, setitem, delitem, concat, index
