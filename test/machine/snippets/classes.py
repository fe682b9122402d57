#--- classes 1
class A:
    n = 0
    def __init__(self, x): self.x = x
    def get(self): return self.x
    @staticmethod
    def s(v): return v
    @classmethod
    def c(cls, v): return cls(v)
    @property
    def p(self): return self.x * 2
    @p.setter
    def p(self, v): self.x = v
a = A(1)
a.p = 5
print(a.get(), A.s(3), A.c(4).x, a.p, A.n, a.n, A.get(a))
#--- classes 2
class A:
    @property
    def p(self): return 1
A().p = 2
#--- classes 3
class A: pass
A().nope
#--- classes 4
class A: pass
A.nope
#--- classes 5
class A:
    def __init__(self, x): pass
A()
#--- classes 6
class A: pass
A(1)
#--- classes 7
class A:
    def m(self): pass
A().m(1)
#--- classes 8
class A:
    def f(self): return 'A'
class B(A):
    def f(self): return 'B' + super().f()
class C(A):
    def f(self): return 'C' + super().f()
class D(B, C):
    def f(self): return 'D' + super().f()
print(D().f(), [c.__name__ for c in D.__mro__], issubclass(D, A), isinstance(D(), C))
#--- classes 9
class A: pass
class B(A): pass
class C(A, B): pass
#--- classes 10
class V:
    def __init__(self, x): self.x = x
    def __add__(self, o): return V(self.x + (o.x if isinstance(o, V) else o))
    def __radd__(self, o): return V(o + self.x)
    def __mul__(self, o): return V(self.x * o)
    def __neg__(self): return V(-self.x)
    def __eq__(self, o): return isinstance(o, V) and self.x == o.x
    def __lt__(self, o): return self.x < o.x
    def __hash__(self): return hash(self.x)
    def __repr__(self): return f'V({self.x})'
    def __bool__(self): return self.x != 0
    def __len__(self): return 3
    def __getitem__(self, i): return self.x + i
    def __contains__(self, i): return i == self.x
    def __call__(self, *a): return a
    def __iadd__(self, o): self.x += 100; return self
    def __abs__(self): return abs(self.x)
    def __int__(self): return self.x
    def __float__(self): return float(self.x)
    def __index__(self): return self.x
    def __str__(self): return 'str'
    def __format__(self, s): return 'fmt' + s
v = V(2)
print(v + 1, 1 + v, v + v, v * 3, -v, v == V(2), v != V(3), v < V(3), V(3) > v, bool(V(0)), len(v), v[5], 2 in v, v(1, 2), abs(V(-3)), int(v), float(v), [1, 2, 3][v], str(v), f'{v:x}', {v: 1}[V(2)], sum([V(1), V(2)]))
v += 1
print(repr(v), sorted([V(3), V(1)]))
v - 1
#--- classes 11
class A:
    def __getattr__(self, n):
        if n.startswith('x'): return n
        raise AttributeError(n)
print(A().xyz, hasattr(A(), 'abc'), getattr(A(), 'q', 1))
A().abc
#--- classes 12
class A:
    def __setattr__(self, n, v):
        print('set', n, v)
        super().__setattr__(n, v)
a = A(); a.x = 1
print(a.x)
#--- classes 13
class R:
    def __init__(self, n): self.n = n
    def __iter__(self): return iter(range(self.n))
class I:
    def __init__(self): self.i = 0
    def __iter__(self): return self
    def __next__(self):
        self.i += 1
        if self.i > 3: raise StopIteration
        return self.i
class G:
    def __getitem__(self, i):
        if i > 2: raise IndexError
        return i * 10
print(list(R(3)), list(I()), list(G()), 10 in G(), [*R(2)])
#--- classes 14
class S:
    def __init__(self): self.d = {}
    def __setitem__(self, k, v): self.d[k] = v
    def __delitem__(self, k): del self.d[k]
    def __getitem__(self, k): return k
s = S(); s['a'] = 1; 
print(s.d.get('a'), s[1:2, ...], s[::2])
del s['a']
print(len(s.d))
#--- classes 15
class M(type): pass
print('skip')
#--- classes 16
class A:
    x = []
    def add(self, v): self.x.append(v)
A().add(1); A().add(2)
print(A.x)
#--- classes 17
class Base:
    def __init_subclass__(cls, tag=None, **kw):
        super().__init_subclass__(**kw)
        cls.tag = tag
class Sub(Base, tag='t'): pass
print(Sub.tag)
#--- classes 18
class D:
    def __set_name__(self, owner, name): self.name = name
    def __get__(self, obj, cls): return 'cls' if obj is None else obj.__dict__.get(self.name, 'default')
    def __set__(self, obj, v): obj.__dict__[self.name] = v * 2
class A: d = D()
a = A(); print(a.d); a.d = 5; print(a.d, A.d)
#--- classes 19
from dataclasses import dataclass, field, asdict, replace, fields
@dataclass
class P:
    x: int
    y: int = 2
    z: list = field(default_factory=list)
    def total(self): return self.x + self.y
p = P(1)
print(p, p.total(), p == P(1, 2), p == P(2), asdict(p), replace(p, x=9), [f.name for f in fields(P)])
#--- classes 20
from dataclasses import dataclass
@dataclass
class P:
    x: int
P()
#--- classes 21
from dataclasses import dataclass
@dataclass
class P:
    x: int
P(1, 2)
#--- classes 22
from dataclasses import dataclass
@dataclass(frozen=True, order=True)
class P:
    x: int
    y: int = 0
print(P(1) < P(2), hash(P(1)) == hash(P(1)), {P(1): 2}[P(1)])
P(1).x = 5
#--- classes 23
from dataclasses import dataclass, field
@dataclass
class Base:
    a: int
    b: str = 'b'
@dataclass
class Sub(Base):
    c: float = 1.5
    d: int = field(default=3, repr=False, init=False)
    def __post_init__(self): self.e = self.a * 2
s = Sub(1)
print(s, s.d, s.e)
match s:
    case Sub(a, b): print(a, b)
#--- classes 24
from dataclasses import dataclass
@dataclass
class A:
    x: int = 1
    y: int
#--- classes 25
from enum import Enum, IntEnum, auto
class C(Enum):
    RED = 1
    GREEN = 2
    ALIAS = 1
print(C.RED, C.RED.name, C.RED.value, C(2), C['RED'], list(C), C.ALIAS is C.RED, len(C), repr(C.GREEN), C.RED == C.RED, C.RED != C.GREEN, isinstance(C.RED, C))
class I(IntEnum):
    A = 1
    B = auto()
print(I.A + 1, I.B, I.B == 2, int(I.B), I(1).name, [x.value for x in I], sorted([I.B, I.A])[0].name)
class F(Enum):
    X = auto()
    Y = auto()
    @property
    def twice(self): return self.value * 2
print(F.Y.value, F.Y.twice, {F.X: 'x'}[F.X])
C(5)
#--- classes 26
from enum import Enum
class C(Enum):
    A = 'a'
C['Z']
#--- classes 27
from abc import ABC, abstractmethod
class A(ABC):
    @abstractmethod
    def f(self): ...
class B(A):
    def f(self): return 1
print(B().f())
A()
#--- classes 28
class L(list):
    def total(self): return sum(self)
l = L([1, 2]); l.append(3)
print(l, l.total(), len(l), isinstance(l, list), l == [1, 2, 3], type(l).__name__)
#--- classes 29
class D(dict):
    def __getattr__(self, k): return self[k]
    def __setitem__(self, k, v): super().__setitem__(k, v * 2)
    def __missing__(self, k): return 'missing'
d = D(a=1); d['b'] = 2
print(d.a, d.b, d['zz'], d, len(d))
#--- classes 30
class I(int):
    def __add__(self, o): return I(int.__add__(self, o) + 100)
print(I(5) + 1, I(5) * 2, type(I(1) + 1).__name__, I(3) == 3)
#--- classes 31
class S(str):
    def shout(self): return self.upper() + '!'
print(S('a').shout(), S('a') + 'b', len(S('abc')), S('x') == 'x')
#--- classes 32
class T(tuple):
    def __new__(cls, *a): return super().__new__(cls, a)
print(T(1, 2), len(T(1, 2)), T(1) == (1,))
#--- classes 33
class A:
    def __new__(cls, *a):
        print('new')
        return super().__new__(cls)
    def __init__(self, x): print('init', x)
A(1)
#--- classes 34
class Single:
    _i = None
    def __new__(cls):
        if cls._i is None: cls._i = super().__new__(cls)
        return cls._i
print(Single() is Single())
#--- classes 35
class A:
    def __eq__(self, o): return True
{A(): 1}
#--- classes 36
class A:
    def __repr__(self): return 5
repr(A())
#--- classes 37
class A:
    def __len__(self): return -1
len(A())
#--- classes 38
class A:
    def __bool__(self): return 5
bool(A())
#--- classes 39
class A:
    __slots__ = ('x',)
    def __init__(self): self.x = 1
print(A().x)
#--- classes 40
A = type('A', (), {'x': 1, 'f': lambda self: self.x})
print(A().f(), A.__name__)
#--- classes 41
class A:
    """doc"""
    y = 1
    z = y + 1
    def f(self): pass
print(A.__doc__, A.z, A.__name__, A.__module__, A.f.__name__, A().f.__self__.__class__ is A)
#--- classes 42
class Node:
    def __init__(self, v, *kids): self.v, self.kids = v, kids
    def walk(self):
        yield self.v
        for k in self.kids: yield from k.walk()
print(list(Node(1, Node(2, Node(3)), Node(4)).walk()))
#--- classes 43
class Module:
    def __init__(self):
        object.__setattr__(self, '_modules', {})
    def __setattr__(self, n, v):
        if isinstance(v, Module): self._modules[n] = v
        else: object.__setattr__(self, n, v)
    def __getattr__(self, n):
        m = self.__dict__.get('_modules', {})
        if n in m: return m[n]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{n}'")
    def __call__(self, *a): return self.forward(*a)
class Lin(Module):
    def __init__(self, k): super().__init__(); self.k = k
    def forward(self, x): return x * self.k
class Net(Module):
    def __init__(self):
        super().__init__()
        self.a = Lin(2); self.b = Lin(3)
    def forward(self, x): return self.b(self.a(x))
print(Net()(5), list(Net()._modules))
Net().c
#--- classes 44
class A:
    def __getattribute__(self, n):
        return 'got ' + n
print(A().x)
#--- classes 45
class A:
    def __mul__(self, o): return NotImplemented
    def __rsub__(self, o): return 'rsub'
print(5 - A())
A() * 2
#--- classes 46
class A:
    def __lt__(self, o): return True
print(A() < A(), A() > A())
A() <= A()
#--- classes 47
class A:
    def __enter__(self): return self
with A(): pass
#--- classes 48
class A: pass
try:
    A() + 1
except TypeError as e: print(e)
try:
    A()[0]
except TypeError as e: print(e)
try:
    len(A())
except TypeError as e: print(e)
try:
    A()()
except TypeError as e: print(e)
try:
    for x in A(): pass
except TypeError as e: print(e)
try:
    A() < A()
except TypeError as e: print(e)
try:
    1 in A()
except TypeError as e: print(e)
#--- classes 49
class A:
    x = 1
a = A()
a.x = 2
print(A.x, a.x); del a.x; print(a.x)
setattr(a, 'z', 3); print(getattr(a, 'z')); delattr(a, 'z')
a.z
#--- classes 50
class A:
    a, b = 1, 2
    for i in range(3): pass
    if a: c = 'c'
print(A.a, A.b, A.i, A.c)
#--- classes 51
class A:
    def f(self): return __class__.__name__ if False else type(self).__name__
print(A().f())
#--- classes 52
class Meta: pass
class A(Meta, object): pass
print(A.__bases__ == (Meta, object))
#--- classes 53
class A(int, str): pass
#--- classes 54
class A(bool): pass
#--- flags
import enum
class Part(enum.Flag):
    A = enum.auto()
    B = enum.auto()
    C = 8
    AB = A | B
    NONE = 0
print(Part.A | Part.C, Part.AB is Part.A | Part.B, Part.A in Part.AB, Part.C in Part.AB, Part(0) is Part.NONE)
print([p.name for p in Part], len(Part), [p.name for p in Part.AB], bool(Part.A & Part.B), ~Part.A, repr(Part.A | Part.C))
print(Part.AB.value, Part(3), (Part.A ^ Part.AB).name, {Part.A: 1}[Part.A])
class Mode(enum.IntFlag):
    READ = 4
    WRITE = 2
print(Mode.READ | Mode.WRITE, Mode.READ | 1, isinstance(Mode.READ | 2, Mode), Mode.READ + 1, Mode(6) == 6)
#--- deferred values of an enumeration
import enum
class Colour(enum.Enum):
    RED = enum.auto()
    GREEN = enum.auto()
    CYAN = "cyan"
print([c.value for c in Colour])
#--- single dispatch by annotations
from functools import singledispatch, singledispatchmethod
@singledispatch
def show(x, more=0):
    return "any"
@show.register
def _(x: float, more=0):
    return f"float {more}"
@show.register(list)
@show.register(tuple)
def _(x, more=0):
    return "sequence"
@show.register
def _(x: int, more: str = "") -> str:
    return "int"
print(show(1.5, 2), show(1), show(True), show([1]), show((1,)), show("a"), show.dispatch(int)(3))
class Shape:
    @singledispatchmethod
    def area(self, x):
        return 0
    @area.register
    def _(self, x: int):
        return x * x
    @area.register(tuple)
    def _(self, x):
        return x[0] * x[1]
print(Shape().area(3), Shape().area((2, 3)), Shape().area("a"))

#--- names that are private to a class
class Base:
    __kind = "base"
    def __init__(self):
        self.__x = 1
        self.__count = 0
    def __step(self):
        self.__count += 1
        return self.__kind
    def run(self):
        return self.__x, self.__step(), [self.__count for _ in range(2)], (lambda: self.__x)()
class _Derived(Base):
    __kind = "derived"
    kinds = [__kind, __kind.upper()]
    def __init__(self):
        super().__init__()
        self.__x = 10
    def __step(self):
        return "other"
    def both(self):
        class Inner:
            def __init__(self):
                self.__x = 5
        return self.run(), self.__x, self.__step(), vars(Inner()), self._Base__x
    def forget(self):
        del self.__x
        return sorted(vars(self))
print(_Derived().both(), _Derived.kinds, _Derived().forget(), hasattr(_Derived(), "__x"))
class __:
    def f(self):
        self.__y = 3
        return self.__y
print(__().f(), vars(Base()), Base()._Base__kind)
