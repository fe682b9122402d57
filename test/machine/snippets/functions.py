#--- functions 1
def f(a, b=2, *args, c, d=4, **kw): return a, b, args, c, d, kw
print(f(1, c=3), f(1, 2, 3, 4, c=5, e=6))
#--- functions 2
def f(a, b): pass
f(1)
#--- functions 3
def f(a, b): pass
f(1, 2, 3)
#--- functions 4
def f(a, b, c): pass
f()
#--- functions 5
def f(a, b=1): pass
f(1, 2, 3)
#--- functions 6
def f(a): pass
f(1, a=2)
#--- functions 7
def f(a): pass
f(1, z=2)
#--- functions 8
def f(*, k): pass
f()
#--- functions 9
def f(*, k): pass
f(1)
#--- functions 10
def f(a, /, b): return a, b
print(f(1, b=2))
f(a=1, b=2)
#--- functions 11
def f(a, /, **kw): return a, kw
print(f(1, a=2))
#--- functions 12
def f(): pass
f(1)
#--- functions 13
def f(x, y): return x, y
print(f(*[1, 2]), f(**{'x': 1, 'y': 2}), f(*[1], **{'y': 3}), f(1, *(2,)))
#--- functions 14
def f(l=[]):
    l.append(1)
    return l
f(); print(f())
#--- functions 15
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print([fib(i) for i in range(15)])
#--- functions 16
def deco(f):
    def wrapper(*a, **k):
        print('call', f.__name__)
        return f(*a, **k)
    return wrapper
@deco
def add(a, b): return a + b
print(add(1, b=2))
#--- functions 17
def deco(n):
    def inner(f): return lambda x: f(x) * n
    return inner
@deco(3)
@deco(2)
def f(x): return x
print(f(5))
#--- functions 18
def gen(n):
    for i in range(n):
        got = yield i
        if got: print('got', got)
    return 'end'
g = gen(3)
print(next(g), g.send('hi'), next(g))
try: next(g)
except StopIteration as e: print('stop', e.value)
#--- functions 19
def inner():
    x = yield 1
    print('x', x)
    return 'r'
def outer():
    r = yield from inner()
    print('r', r)
    yield from [2, 3]
g = outer()
print(next(g), g.send('s'), list(g))
#--- functions 20
def g():
    try:
        yield 1
    except ValueError as e:
        yield 'caught ' + str(e)
it = g()
next(it)
print(it.throw(ValueError('v')))
#--- functions 21
def count():
    n = 0
    while True:
        yield n
        n += 1
c = count()
print([next(c) for _ in range(5)])
#--- functions 22
def g():
    yield from range(3)
    return
print(list(g()), sum(g()), max(g()), [*g()], dict(zip(g(), 'abc')))
#--- functions 23
def g():
    print('start')
    yield 1
    print('end')
for x in g(): print(x)
#--- functions 24
def fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b
import itertools
print(list(itertools.islice(fib(), 10)), list(itertools.takewhile(lambda x: x < 20, fib())))
#--- functions 25
e = (print(i) or i for i in range(3))
print('made')
print(next(e))
print(list(e))
#--- functions 26
def f():
    raise StopIteration
def g():
    yield f()
list(g())
#--- functions 27
print((lambda x, *a, y=2, **k: (x, a, y, k))(1, 2, 3, z=4))
#--- functions 28
from functools import partial, reduce, wraps, lru_cache, cache
print(partial(int, base=2)('101'), reduce(lambda a, b: a * b, [1, 2, 3, 4]), reduce(lambda a, b: a + b, [], 5))
@lru_cache(maxsize=None)
def f(n): return n if n < 2 else f(n - 1) + f(n - 2)
print(f(60))
@cache
def h(x): print('once'); return x
print(h(1), h(1))
@wraps(h)
def w(): pass
print(w.__name__)
#--- functions 29
from functools import reduce
reduce(lambda a, b: a, [])
#--- functions 30
from itertools import *
print(list(chain([1], 'a')), list(product([1, 2], 'ab')), list(accumulate([1, 2, 3])), list(zip_longest([1], [2, 3])), list(repeat(1, 2)))
print(list(permutations([1, 2, 3], 2)), list(combinations('abc', 2)), list(pairwise([1, 2, 3])), list(chain.from_iterable([[1], [2]])), list(islice(range(10), 2, 8, 3)))
print(list(starmap(pow, [(2, 3)])), list(dropwhile(lambda x: x < 2, [1, 2, 1])), list(compress('abc', [1, 0, 1])), [(k, list(g)) for k, g in groupby('aab')], list(islice(cycle('ab'), 3)))
#--- functions 31
import operator
print(operator.add(1, 2), operator.itemgetter(1)([1, 2]), operator.attrgetter('real')(5), operator.mul(3, 4), list(map(operator.neg, [1, 2])))
#--- functions 32
from collections import namedtuple, OrderedDict, defaultdict, Counter, deque
P = namedtuple('P', 'x y')
p = P(1, y=2)
print(p, p.x, p[1], p._replace(x=5), p._asdict(), P._fields, p == (1, 2), len(p), isinstance(p, tuple))
a, b = p
print(a, b)
#--- functions 33
from collections import namedtuple
P = namedtuple('P', ['x', 'y'], defaults=[5])
print(P(1))
P()
#--- functions 34
from collections import OrderedDict, defaultdict, Counter, deque
d = defaultdict(list)
d['a'].append(1)
print(d['a'], dict(d), len(d))
print(Counter('abca').most_common(1), Counter('ab')['z'])
o = OrderedDict([('a', 1), ('b', 2)])
o.move_to_end('a')
print(list(o))
q = deque([1, 2], maxlen=2)
q.append(3); q.appendleft(0)
print(list(q))
#--- functions 35
def f(a: int, b: str = 'x') -> bool: return True
print(f.__name__, f.__defaults__, f.__annotations__, f.__doc__, f.__qualname__)
#--- functions 36
def outer():
    class C:
        def m(self):
            def g(): pass
            return g.__qualname__
    return C().m(), C.__qualname__
print(outer())
#--- functions 37
def f(n):
    """doc"""
    return [f(n - 1)] if n else []
print(f(3), f.__doc__)
#--- functions 38
x = 'global'
class C:
    x = 'class'
    y = [x for _ in range(1)]
    z = [i for i in x]
    def m(self): return x
print(C.y, C.z, C().m())
#--- functions 39
def f(x):
    def g():
        return x
    x = 5
    return g
print(f(1)())
#--- functions 40
print([[x, y] for x in range(3) for y in range(x) if (x + y) % 2], {(a, b): a * b for a in (1, 2) for b in (3,)})
#--- functions 41
print(list(map(lambda p: p[0] + p[1], zip([1, 2], [3, 4]))), sorted('banana', key='nab'.index))
#--- functions 42
def f(*args, **kwargs):
    return args, kwargs
print(f(1, *[2, 3], 4, a=1, **{'b': 2}, c=3))
f(**{'a': 1}, a=2)
#--- functions 43
def f(): return 1, 2
a = f()
print(a, type(a))
def g(): pass
print(g(), g() is None)
#--- functions 44
def check(v):
    if v < 0: raise ValueError(f"negative: {v!r}")
    return v ** 0.5
for v in (4, -1):
    try: print(check(v))
    except ValueError as e: print('error', e)
#--- functions 45
from contextlib import contextmanager, nullcontext, suppress
@contextmanager
def cm(x):
    print('in')
    try:
        yield x
    finally:
        print('out')
with cm(5) as v: print(v)
with suppress(KeyError): {}['a']
with nullcontext(3) as n: print(n)
with cm(1): raise ValueError('inside')
#--- functions 46
import copy
a = [1, [2]]
b = copy.copy(a); c = copy.deepcopy(a)
a[1].append(3)
print(b, c)
class O:
    def __init__(self): self.l = [1]
o = O(); p = copy.deepcopy(o); p.l.append(2)
print(o.l, p.l)
#--- functions 47
import string
print(string.ascii_lowercase[:3], string.digits)
#--- functions 48
from typing import List, Optional, Union, Any, Callable, TypeVar, Generic, NamedTuple, cast, TYPE_CHECKING
T = TypeVar('T')
class Box(Generic[T]):
    def __init__(self, v: T): self.v = v
def f(x: Optional[List[int]] = None) -> Union[int, str]: return cast(int, 5)
print(Box(3).v, f(), TYPE_CHECKING)
class P(NamedTuple):
    x: int
    y: int = 2
    def total(self): return self.x + self.y
print(P(1), P(1).total(), P(3, 4) + (5,))
