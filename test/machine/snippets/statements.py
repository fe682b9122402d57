#--- statements 1
a, b = 1, 2
a, b = b, a
print(a, b)
#--- statements 2
a, *b = range(4)
*c, d = 'xyz'
e, (f, *g), h = 1, (2, 3, 4), 5
print(a, b, c, d, e, f, g, h)
#--- statements 3
a, b = 1, 2, 3
#--- statements 4
a, b, c = 1, 2
#--- statements 5
a, *b, c = [1]
#--- statements 6
a, b = 5
#--- statements 7
x = y = []
x.append(1)
print(y)
#--- statements 8
x = 5
x += 3; x *= 2; x -= 1; x //= 2; x **= 2; x %= 10; x <<= 3; x |= 1; x &= 0xff; x ^= 3; x >>= 1
print(x)
#--- statements 9
x = [1]
y = x
x += [2]
x *= 2
print(y)
#--- statements 10
t = (1,)
u = t
t += (2,)
print(t, u)
#--- statements 11
for i in range(3):
    print(i)
else:
    print('else')
#--- statements 12
for i in range(5):
    if i == 1: continue
    if i == 3: break
    print(i)
else:
    print('never')
#--- statements 13
n = 3
while n:
    n -= 1
    print(n)
else:
    print('done')
#--- statements 14
for i, (a, b) in enumerate([(1, 2), (3, 4)]):
    print(i, a, b)
print(i)
#--- statements 15
d = {'a': 1}
for k in d:
    d['b'] = 2
#--- statements 16
l = [1, 2, 3]
for x in l:
    if x < 3:
        l.append(x + 10)
    if len(l) > 8: break
print(l)
#--- statements 17
try:
    1 / 0
except ZeroDivisionError as e:
    print('caught', e, type(e).__name__)
else:
    print('else')
finally:
    print('finally')
#--- statements 18
try:
    print('ok')
except Exception:
    print('no')
else:
    print('else')
finally:
    print('finally')
#--- statements 19
def f():
    try:
        return 1
    finally:
        print('cleanup')
print(f())
#--- statements 20
def f():
    try:
        return 1
    finally:
        return 2
print(f())
#--- statements 21
def f():
    for i in range(3):
        try:
            continue
        finally:
            print('f', i)
f()
#--- statements 22
try:
    try:
        raise ValueError('a')
    except ValueError:
        raise KeyError('b')
except KeyError as e:
    print(repr(e), repr(e.__context__), e.__cause__)
#--- statements 23
try:
    raise ValueError('a') from TypeError('b')
except ValueError as e:
    print(repr(e.__cause__), e.args)
#--- statements 24
try:
    [][0]
except (KeyError, IndexError) as e:
    print(e)
#--- statements 25
try:
    {}['x']
except LookupError as e:
    print(repr(e), str(e))
#--- statements 26
try:
    raise ValueError
except ValueError as e:
    print(repr(e), e.args)
try:
    print(e)
except NameError as n:
    print(n)
#--- statements 27
class E(Exception):
    def __init__(self, code):
        super().__init__(f'code {code}')
        self.code = code
try:
    raise E(5)
except E as e:
    print(e, e.code, repr(e), e.args)
#--- statements 28
class E(ValueError): pass
raise E('boom')
#--- statements 29
raise ValueError('a', 'b')
#--- statements 30
raise 5
#--- statements 31
raise RuntimeError
#--- statements 32
try:
    raise ValueError(1)
except ValueError:
    try:
        raise
    except ValueError as e:
        print('again', e)
#--- statements 33
raise
#--- statements 34
assert 1 == 1
assert 1 == 2, 'message'
#--- statements 35
assert []
#--- statements 36
assert False, (1, 2)
#--- statements 37
x = 1
del x
print(x)
#--- statements 38
d = {'a': 1, 'b': 2}
del d['a']
l = [1, 2, 3, 4]
del l[0], l[1:]
print(d, l)
#--- statements 39
l = [1, 2, 3, 4, 5]
l[1:3] = ['a', 'b', 'c']
print(l)
l[::2] = [0, 0, 0]
print(l)
l[10:] = [9]
print(l)
#--- statements 40
l = [1, 2, 3]
l[::2] = [1]
#--- statements 41
l = [1]
l[5] = 2
#--- statements 42
(1, 2)[0] = 1
#--- statements 43
'abc'[0] = 'x'
#--- statements 44
l = [3, 1, 2]
l.sort(); print(l)
l.sort(key=lambda x: -x); print(l)
l.reverse(); print(l)
l.insert(1, 9); l.insert(-1, 8); l.insert(100, 7); print(l)
print(l.pop(), l.pop(0), l)
l.extend('ab'); l.remove('a'); print(l)
c = l.copy(); c.clear(); print(l, c)
#--- statements 45
s = {1, 2}
s.add(3); s.discard(9); s.remove(1); s.update([5, 6])
s |= {7}; s -= {5}
print(sorted(s))
s.remove(100)
#--- statements 46
d = {}
d['x'] = 1; d.update(y=2); d.update({'z': 3}); d |= {'w': 4}
d.setdefault('v', []).append(1)
print(d, d.pop('x'), list(d), d.popitem())
for k, v in d.items(): print(k, v)
#--- statements 47
x = 10
def f():
    print(x)
    x = 5
f()
#--- statements 48
def f():
    global g
    g = 5
f()
print(g)
#--- statements 49
def outer():
    n = 0
    def inc():
        nonlocal n
        n += 1
        return n
    inc(); inc()
    return n
print(outer())
#--- statements 50
print(undefined_name)
#--- statements 51
def f():
    def g(): return v
    return g()
    v = 1
f()
#--- statements 52
fs = [lambda: i for i in range(3)]
print([f() for f in fs])
#--- statements 53
fs = [lambda i=i: i for i in range(3)]
print([f() for f in fs])
#--- statements 54
if (n := len('abc')) > 2: print(n)
print([last := x for x in range(3)], last)
#--- statements 55
match [1, 2, 3]:
    case [x]: print('one', x)
    case [x, *rest]: print('many', x, rest)
#--- statements 56
def m(v):
    match v:
        case 0 | 1: return 'small'
        case int(n) if n > 100: return f'big {n}'
        case int(): return 'int'
        case str() as s: return 'str ' + s
        case {'k': k, **rest}: return ('dict', k, rest)
        case (a, (b, _)): return ('pair', a, b)
        case None: return 'none'
        case [*_]: return 'list'
        case _: return 'other'
print([m(v) for v in [1, 500, 50, 'x', {'k': 1, 'z': 2}, (1, (2, 3)), None, [], 2.5]])
#--- statements 57
class P:
    __match_args__ = ('x', 'y')
    def __init__(self, x, y): self.x, self.y = x, y
match P(1, 2):
    case P(0, y): print('no')
    case P(x, y=2): print('yes', x)
#--- statements 58
class C:
    def __enter__(self): print('enter'); return 'v'
    def __exit__(self, t, v, tb): print('exit', t and t.__name__, v); return True
with C() as c:
    print(c)
    raise ValueError('x')
print('after')
#--- statements 59
class C:
    def __init__(self, n): self.n = n
    def __enter__(self): print('enter', self.n)
    def __exit__(self, *a): print('exit', self.n)
with C(1), C(2):
    print('body')
def f():
    with C(3):
        return 4
print(f())
#--- statements 60
with 5: pass
#--- statements 61
pass
...
"""docstring"""
print(1 if True else 2, not 1, None is None)
#--- statements 62
x: int = 5
y: 'nope'
print(x)
#--- statements 63
import math
print(math.pi, math.sqrt(16), math.floor(-2.5), math.ceil(2.1), math.log(8, 2), math.log2(1024), math.inf, math.isnan(math.nan))
print(math.gcd(12, 18), math.lcm(4, 6), math.factorial(20), math.comb(5, 2), math.prod([1, 2, 3]), math.isqrt(99), math.hypot(3, 4), math.copysign(1, -0.0))
print(math.exp(1), math.sin(1), math.cos(1), math.tanh(0.5), math.erf(0.5), math.trunc(-2.7), math.fsum([0.1] * 10), math.isclose(0.1 + 0.2, 0.3))
#--- statements 64
import math
math.sqrt(-1)
#--- statements 65
import math
math.log(0)
#--- statements 66
import math
math.exp(1000)
#--- statements 67
from math import pi as p, e
import math as m
print(p == m.pi, e)
#--- statements 68
a = b = c = 0
a, b[0] = 1, 2
#--- statements 69
print(*[1, 2], sep='-', end='!\n')
print()
print('a', None, 1.0, [1], sep='|')
#--- statements 70
i = 0
while True:
    i += 1
    if i > 3: break
print(i)
#--- statements 71
class A: pass
a = A()
a.x = [1]
a.x += [2]
a.y = 1
a.y += 1
print(a.x, a.y, vars(a), a.__dict__)
del a.y
print(hasattr(a, 'y'))
#--- statements 72
def gen():
    try:
        yield 1
        yield 2
    finally:
        print('closed')
g = gen()
print(next(g)); g.close()
#--- statements 73
for x in [1, 2]:
    for y in [3, 4]:
        if y == 4: break
        print(x, y)
#--- what the interpreter is
import os, sys
print(sys.version_info >= (3, 8), sys.version_info[0], sys.version_info.major, sys.maxsize == 2**63 - 1, sys.float_info.epsilon)
print(os.environ.get("NEREID_NO_SUCH_NAME", "5"), os.getenv("NEREID_NO_SUCH_NAME"), "NEREID_NO_SUCH_NAME" in os.environ)
try:
    os.environ["NEREID_NO_SUCH_NAME"]
except KeyError as error:
    print(error)
#--- a module that is not there
try:
    import nereid_no_such_module
    from nereid_no_such_module.inner import thing
    there = True
except ImportError as error:
    there = False
    print(type(error).__name__, error)
try:
    from nereid_no_such_module import thing
except (ImportError, ModuleNotFoundError):
    thing = None
print(there, thing)
