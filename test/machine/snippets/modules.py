#--- collections.abc: isinstance of built-in values
import collections.abc
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, MutableMapping, MutableSequence, Sequence, Set, Sized
values = [1, 2.5, "ab", b"x", [1], (1,), {1: 2}, {1}, frozenset(), range(3), None, len, iter([1]), {}.keys(), {}.items(), {}.values(), (i for i in [])]
for kind in [Callable, Container, Hashable, Iterable, Iterator, Mapping, MutableMapping, MutableSequence, Sequence, Set, Sized, collections.abc.Collection, collections.abc.Generator, collections.abc.Reversible, collections.abc.KeysView, collections.abc.MutableSet]:
    print(kind.__name__, [isinstance(v, kind) for v in values])
print(isinstance("a", (int, Iterable)), isinstance(1, (str, collections.abc.Iterable)))
print(issubclass(list, Sequence), issubclass(dict, Sequence), issubclass(dict, Mapping), issubclass(str, (Mapping, Sequence)))
#--- collections.abc: user classes
from collections.abc import Iterable, Mapping, MutableMapping, Sequence, Sized, Callable, Hashable, Iterator
class A:
    def __iter__(self):
        return iter([1, 2])
class B:
    def __len__(self):
        return 3
    def __call__(self):
        return 0
class C:
    __hash__ = None
print(isinstance(A(), Iterable), isinstance(A(), Sized), isinstance(B(), Sized), isinstance(B(), Callable), isinstance(C(), Hashable), isinstance(A(), Iterator))
class Seq(Sequence):
    def __init__(self, items):
        self.items = items
    def __getitem__(self, i):
        return self.items[i]
    def __len__(self):
        return len(self.items)
s = Seq([3, 1, 4, 1])
print(list(s), 4 in s, 9 in s, s.index(4), s.count(1), list(reversed(s)), isinstance(s, Sequence), isinstance(s, Iterable))
class Table(MutableMapping):
    def __init__(self):
        self.data = {}
    def __getitem__(self, key):
        return self.data[key]
    def __setitem__(self, key, value):
        self.data[key] = value
    def __delitem__(self, key):
        del self.data[key]
    def __iter__(self):
        return iter(self.data)
    def __len__(self):
        return len(self.data)
t = Table()
t["a"] = 1
t.update({"b": 2}, c=3)
print(dict(t), t.get("z"), t.get("z", 5), t.pop("a"), t.setdefault("q", 7), list(t.keys()), list(t.items()), "b" in t, len(t), t == {"b": 2, "c": 3, "q": 7}, isinstance(t, Mapping))
try:
    t.pop("nothing")
except KeyError as e:
    print("KeyError", e)
t.clear()
print(len(t), bool(t))
#--- collections.abc: an abstract class has no instances
from collections.abc import Sequence
class S(Sequence):
    def __len__(self):
        return 0
try:
    S()
except TypeError as e:
    print("TypeError")
#--- abc: register and subclass hooks
import abc
class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self):
        ...
    @property
    @abc.abstractmethod
    def name(self):
        ...
class Square(Shape):
    def __init__(self, a):
        self.a = a
    def area(self):
        return self.a ** 2
    @property
    def name(self):
        return "square"
class Other:
    pass
Shape.register(Other)
print(isinstance(Other(), Shape), issubclass(Other, Shape), isinstance(Square(2), Shape), isinstance(3, Shape), Square(3).area(), Square(3).name)
try:
    Shape()
except TypeError as e:
    print("TypeError")
class Duck(metaclass=abc.ABCMeta):
    @classmethod
    def __subclasshook__(cls, other):
        return any("quack" in base.__dict__ for base in other.__mro__) or NotImplemented
class D:
    def quack(self):
        return "q"
print(isinstance(D(), Duck), isinstance(Other(), Duck), issubclass(D, Duck))
#--- typing: origins and arguments
from typing import Any, Callable, Dict, List, Literal, Optional, Tuple, Union, get_args, get_origin, Sequence, Type
import collections.abc
print(get_origin(List[int]) is list, get_args(List[int]) == (int,))
print(get_origin(Dict[str, int]) is dict, get_args(Dict[str, int]) == (str, int))
print(get_origin(Optional[int]) is Union, get_args(Optional[int]) == (int, type(None)))
print(get_origin(Union[int, str]) is Union, get_args(Union[int, str]) == (int, str))
print(get_origin(Literal["a", "b"]) is Literal, get_args(Literal["a", "b"]))
print(get_origin(Tuple[int, ...]) is tuple, get_args(Tuple[int, ...]) == (int, ...))
print(get_origin(Callable[[int], str]) is collections.abc.Callable, get_args(Callable[[int], str]) == ([int], str))
print(get_origin(list[int]) is list, get_args(list[int]) == (int,), get_origin(int), get_args(int))
print(get_origin(Sequence[int]) is collections.abc.Sequence, get_origin(Type[int]) is type, get_origin(Any))
print(Optional[Union[int, str]] == Union[int, str, None], Union[int, int] is int)
print(list[int] == list[int], List[int] == List[int], Literal["a"] == Literal["a"], Optional[int] == Union[int, None])
mode = Literal["sum", "mean"]
print("mean" in get_args(mode), "max" in mode.__args__)
#--- typing: isinstance by what stands for a class
import typing
from typing import Iterable, Sequence, Mapping, Callable, List, Dict, Hashable
print([isinstance(v, Iterable) for v in [1, "a", [1], {}]], [isinstance(v, Sequence) for v in [1, "a", (1,), {}]])
print(isinstance({}, Mapping), isinstance(print, Callable), isinstance([], List), isinstance({}, Dict), isinstance([], Hashable))
print(isinstance(1, typing.SupportsInt), isinstance("a", typing.Sized), isinstance(3, int | str), isinstance(None, int | None))
#--- typing: NamedTuple
from typing import NamedTuple, Optional
class Point(NamedTuple):
    """A point."""
    x: int
    y: int = 2
    label: Optional[str] = None
    @property
    def norm(self):
        return self.x * self.x + self.y * self.y
    def moved(self, by):
        return self._replace(x=self.x + by)
p = Point(1)
print(p, p.x, p.y, p.norm, p.moved(4), p._asdict(), Point._fields, Point._field_defaults, p == (1, 2, None), isinstance(p, tuple))
a, b, c = p
print(a, b, c, p[0], len(p), Point(y=5, x=3))
Q = NamedTuple("Q", [("u", int), ("v", str)])
print(Q(1, "z"), Q._fields)
#--- typing: TypeVar, Generic, Protocol, TypedDict, NewType, cast
from typing import TYPE_CHECKING, ClassVar, Final, Generic, NewType, Protocol, TypedDict, TypeVar, cast, final, overload, runtime_checkable, Annotated, get_type_hints
if TYPE_CHECKING:
    from nowhere import Missing
T = TypeVar("T")
K = TypeVar("K", bound=int)
N = TypeVar("N", int, float)
print(T.__name__, K.__bound__ is int, N.__constraints__ == (int, float), repr(T))
class Box(Generic[T]):
    limit: ClassVar[int] = 3
    def __init__(self, value: T) -> None:
        self.value = value
    def get(self) -> T:
        return self.value
print(Box(3).get(), Box[int](4).get(), Box.limit)
class IntBox(Box[int]):
    pass
print(IntBox(5).get(), issubclass(IntBox, Box), [b.__name__ for b in IntBox.__mro__])
@runtime_checkable
class HasArea(Protocol):
    def area(self) -> float:
        ...
class Sq:
    def area(self):
        return 4.0
print(isinstance(Sq(), HasArea), isinstance(3, HasArea))
class Movie(TypedDict, total=False):
    name: str
    year: int
m: Movie = {"name": "a", "year": 3}
print(m, Movie(name="b"), Movie.__annotations__ == {"name": str, "year": int}, type(Movie(name="b")) is dict)
UserId = NewType("UserId", int)
print(UserId(5) + 1, cast(int, "x"), UserId.__name__)
@overload
def f(x: int) -> int: ...
@overload
def f(x: str) -> str: ...
def f(x):
    return x
print(f(3), f("a"))
def g(a: int, b: "str" = "x") -> Annotated[int, "meta"]:
    return a
print(g.__annotations__["a"] is int, list(g.__annotations__), get_type_hints(g)["b"] is str)
X: Final = 3
print(X)
#--- contextlib
from contextlib import ExitStack, contextmanager, nullcontext, suppress, closing, ContextDecorator, redirect_stdout
log = []
@contextmanager
def section(name):
    log.append("in " + name)
    try:
        yield name.upper()
    except ValueError as e:
        log.append("caught " + str(e))
    finally:
        log.append("out " + name)
with section("a") as s:
    log.append(s)
with section("b"):
    raise ValueError("boom")
with suppress(KeyError, IndexError):
    [][3]
with nullcontext(5) as five, nullcontext():
    log.append(five)
with ExitStack() as stack:
    for name in ["x", "y"]:
        stack.enter_context(section(name))
    stack.callback(log.append, "callback")
@section("deco")
def work():
    log.append("work")
work()
work()
class Timer(ContextDecorator):
    def __enter__(self):
        log.append("start")
        return self
    def __exit__(self, *exc):
        log.append("stop")
        return False
@Timer()
def timed(x):
    return x + 1
print(timed(3), log)
with ExitStack() as stack:
    kept = stack.pop_all()
    stack.push(lambda *a: log.append("pushed"))
print(log[-1])
try:
    with ExitStack() as stack:
        stack.enter_context(suppress(KeyError))
        raise KeyError("k")
    print("suppressed")
except KeyError:
    print("not suppressed")
class Thing:
    def close(self):
        print("closed")
with closing(Thing()) as thing:
    pass
#--- itertools
import itertools
from itertools import accumulate, chain, combinations, count, cycle, groupby, islice, pairwise, permutations, product, repeat, starmap, takewhile, zip_longest
import operator
print(list(chain([1], (2, 3), "ab")), list(chain.from_iterable([[1], [2, 3]])), list(islice(count(3, 2), 4)), list(islice(cycle("ab"), 5)))
print(list(repeat(1, 3)), list(accumulate([1, 2, 3])), list(accumulate([1, 2, 3], operator.mul, initial=2)), list(islice(range(10), 2, 8, 3)))
print(list(product([1, 2], "ab")), list(product([0, 1], repeat=2)), list(permutations([1, 2, 3], 2)), list(combinations("abc", 2)))
print([(k, list(g)) for k, g in groupby([1, 1, 2, 3, 3])], [(k, list(g)) for k, g in groupby("aAbB", key=str.lower)])
print(list(zip_longest([1, 2, 3], "a", fillvalue=0)), list(pairwise([1, 2, 3])), list(starmap(pow, [(2, 3), (3, 2)])), list(takewhile(lambda x: x < 3, [1, 2, 3, 1])))
print(list(itertools.dropwhile(lambda x: x < 2, [1, 2, 1])), list(itertools.filterfalse(None, [0, 1, 2])), list(itertools.compress("abc", [1, 0, 1])), [list(t) for t in itertools.tee([1, 2])])
print(list(itertools.combinations_with_replacement("ab", 2)), sum(1 for _ in itertools.count() if False) if False else 0)
c = itertools.count()
print(next(c), next(c), next(c))
it = iter(range(7))
print(list(iter(lambda: list(islice(it, 3)), [])))
#--- operator
import operator
from operator import attrgetter, itemgetter, methodcaller
print(sorted([("b", 2), ("a", 3)], key=itemgetter(1)), itemgetter(0, 2)([5, 6, 7]), attrgetter("real")(3), methodcaller("upper")("abc"))
print(operator.add(1, 2), operator.xor(5, 3), operator.mod(-7, 3), operator.contains([1], 1), operator.indexOf([3, 4], 4), operator.index(7), operator.length_hint([1, 2]))
print(operator.iadd([1], [2]), operator.concat("a", "b"), operator.truediv(7, 2), operator.not_(0), operator.isub(5, 3), operator.ior({1}, {2}), operator.itruediv(1, 2), operator.iand(7, 3))
print(operator.itemgetter(slice(1, 3))("hello"), operator.__add__(1, 2), operator.__mul__(3, 4))
ops = {"+": operator.add, "-": operator.sub, "max": max}
print([f(5, 3) for f in ops.values()], operator.add.__name__)
#--- enum: kinds of values
from enum import Enum, Flag, IntEnum, IntFlag, StrEnum, auto, unique
@unique
class Color(Enum):
    RED = 1
    GREEN = auto()
    BLUE = "b"
    def lower(self):
        return self.name.lower()
    @classmethod
    def default(cls):
        return cls.RED
    @property
    def first(self):
        return self.name[0]
print(Color.RED, repr(Color.GREEN), Color.BLUE.value, Color("b"), Color["RED"], Color(2).name, Color.RED.lower(), Color.default(), Color.BLUE.first)
print([c.name for c in Color], len(Color), Color.RED in Color, Color.RED is Color(1), Color.RED == 1, list(Color.__members__))
print({Color.RED: "r", Color.BLUE: "b"}[Color.BLUE], Color.RED != Color.BLUE, isinstance(Color.RED, Color), hash(Color.RED) == hash(Color.RED))
class Size(IntEnum):
    SMALL = 1
    LARGE = 10
print(Size.LARGE + 1, Size.SMALL < Size.LARGE, {1: "one"}[Size.SMALL], {Size.LARGE: "l"}[10], [0, 5][Size.SMALL], f"{Size.LARGE}", Size(10).name, max(Size), Size.SMALL == 1, int(Size.LARGE))
class Mode(StrEnum):
    SUM = auto()
    MEAN = "mean"
print(Mode.SUM, Mode.MEAN == "mean", {"mean": 1}[Mode.MEAN], {Mode.SUM: 2}["sum"], f"{Mode.SUM}-x", Mode("sum"), Mode.MEAN.upper(), "me" in Mode.MEAN)
class Kind(str, Enum):
    A = "a"
    B = "b"
print(Kind.A == "a", Kind("b"), {"a": 1}[Kind.A], Kind.A.value + "x", repr(Kind.B), Kind.A.upper(), isinstance(Kind.A, str))
class Perm(Flag):
    R = auto()
    W = auto()
    X = auto()
    RW = R | W
print(Perm.R | Perm.X, Perm.RW, Perm.R in Perm.RW, Perm.X in Perm.RW, bool(Perm.R & Perm.W), Perm.RW.value, ~Perm.RW, list(Perm.RW))
class Bits(IntFlag):
    A = 1
    B = 2
print(Bits.A | Bits.B, int(Bits.A | Bits.B), Bits.B & 3)
try:
    Color(99)
except ValueError as e:
    print(e)
try:
    Color["NONE"]
except KeyError as e:
    print("KeyError", e)
#--- enum: functional form, members with data, aliases and missing
from enum import Enum, IntEnum
Animal = Enum("Animal", "CAT DOG")
print(Animal.CAT, Animal.DOG.value, [a.name for a in Animal])
Level = IntEnum("Level", {"LOW": 1, "HIGH": 5})
print(Level.HIGH + 1, Level(1).name)
class Planet(Enum):
    EARTH = (5.97, 6.37)
    MARS = (0.64, 3.39)
    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius
    @property
    def density(self):
        return round(self.mass / self.radius, 3)
print(Planet.EARTH.mass, Planet.MARS.density, Planet((0.64, 3.39)))
class Act(Enum):
    RELU = "relu"
    SWISH = "silu"
    SILU = "silu"
    @classmethod
    def _missing_(cls, value):
        for member in cls:
            if member.value == str(value).lower():
                return member
        return None
print(Act("RELU"), Act.SILU is Act.SWISH, [a.name for a in Act], list(Act.__members__))
def pick(a):
    match a:
        case Act.RELU:
            return 1
        case Act.SILU:
            return 2
print(pick(Act.RELU), pick(Act.SWISH))
#--- numbers and fractions of the tower
import numbers
print([isinstance(v, numbers.Number) for v in [1, 2.0, 3j, "a", True, None]], [isinstance(v, numbers.Integral) for v in [1, 2.0, True]], isinstance(1, numbers.Real), isinstance(2.5, (numbers.Integral, str)))
print(issubclass(int, numbers.Integral), issubclass(float, numbers.Integral), issubclass(bool, numbers.Number))
#--- copy
import copy
class Node:
    def __init__(self, value, next=None):
        self.value, self.next = value, next
a = Node([1, 2])
a.next = a
b, c = copy.copy(a), copy.deepcopy(a)
b.value.append(3)
print(a.value, c.value, c.next is c, b.next is a)
x = [[1], {"k": [2]}, (3, [4]), {5}]
y, z = copy.copy(x), copy.deepcopy(x)
x[0].append(9)
x[1]["k"].append(8)
x[2][1].append(7)
print(x, y, z, copy.deepcopy((1, 2)), copy.copy({"a": 1}))
class Own:
    def __init__(self, v):
        self.v = v
    def __copy__(self):
        return Own(self.v + 1)
    def __deepcopy__(self, memo):
        return Own(self.v + 2)
print(copy.copy(Own(1)).v, copy.deepcopy(Own(1)).v, copy.deepcopy([Own(3)])[0].v)
from collections import OrderedDict, defaultdict
d = copy.deepcopy(OrderedDict(a=[1]))
print(d, type(d).__name__, copy.copy(defaultdict(list, a=[1])))
memo = {}
e = copy.deepcopy([a], memo)
print(type(e).__name__)
#--- functools
import functools
from functools import cached_property, lru_cache, partial, partialmethod, reduce, singledispatch, total_ordering, wraps
def deco(f):
    @wraps(f)
    def inner(*args, **kwargs):
        """inner"""
        return f(*args, **kwargs) + 1
    return inner
@deco
def plus(a, b=2):
    """adds"""
    return a + b
print(plus(1), plus.__name__, plus.__doc__, plus.__wrapped__(1))
p = partial(plus, b=10)
print(p(1), p.func is plus, p.args, p.keywords, partial(p, 5)())
calls = []
@lru_cache(maxsize=None)
def fib(n):
    calls.append(n)
    return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(10), len(calls))
class M:
    def __init__(self):
        self.n = 0
    @cached_property
    def value(self):
        self.n += 1
        return self.n
    def add(self, a, b):
        return a + b
    add3 = partialmethod(add, 3)
m = M()
print(m.value, m.value, m.n, m.add3(4))
@singledispatch
def show(x):
    return "object"
@show.register
def _(x: int):
    return "int"
@show.register(list)
def _(x):
    return "list"
print(show(1), show([]), show("a"), show(True))
print(reduce(lambda a, b: a * b, [1, 2, 3, 4]), reduce(max, [3, 9, 2], 5), sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: b - a)))
#--- collections
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque, namedtuple, UserDict
d = defaultdict(list)
d["a"].append(1)
d["b"]
print(d, dict(d), d.get("z"), "z" in d, defaultdict(int, x=3)["y"], d.default_factory is list)
n = defaultdict(lambda: defaultdict(int))
n["a"]["b"] += 2
print(n["a"]["b"], len(n), isinstance(n, dict))
o = OrderedDict([("a", 1), ("b", 2)])
o.move_to_end("a")
o["c"] = 3
print(o, list(o), o.popitem(last=False), list(reversed(o)), o == {"a": 1, "c": 3})
c = Counter("abracadabra")
print(c.most_common(2), c["z"], sum(c.values()), Counter(a=1) + Counter(a=2, b=1), c - Counter("aaa"), sorted(c.elements())[:3], c & Counter("ab"), Counter([1, 1]) | Counter([2]))
q = deque([1, 2, 3], maxlen=3)
q.append(4)
q.appendleft(0)
print(q, q[0], len(q), list(q), q.popleft(), q.pop(), deque("ab") == deque("ab"), q.maxlen)
q.rotate(1)
q.extend([5, 6])
print(list(q), 5 in q, q.index(6), q.count(5), list(reversed(q)))
q.clear()
print(q, bool(q))
P = namedtuple("P", "x y z", defaults=[0])
print(P(1, 2), P(1, 2)._replace(y=5), P._fields, P._make([1, 2, 3]), P(1, 2)._asdict())
m = ChainMap({"a": 1}, {"a": 2, "b": 3})
print(m["a"], m["b"], sorted(m), len(m), dict(m) == {"a": 1, "b": 3}, m.get("z", 0), m.new_child({"c": 1})["c"])
class Reg(UserDict):
    def __setitem__(self, key, value):
        super().__setitem__(key.lower(), value)
r = Reg()
r["ABC"] = 1
print(r["abc"], r.data, len(r), "abc" in r, list(r))
class Reg2(dict):
    def __missing__(self, key):
        return key * 2
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name)
    __setattr__ = dict.__setitem__
x = Reg2(a=1)
x.b = 5
print(x.a, x["zz"], x.b, x)
#--- re
import re
print(re.match(r"(\w+)-(\d+)", "layer-12 rest").groups(), re.match("b", "ab"), re.search("b+", "abbb").span(), re.fullmatch("a.c", "abc").group())
print(re.findall(r"\d+", "a1b22c333"), re.findall(r"(\w)=(\d)", "a=1 b=2"), re.split(r"[,;]\s*", "a, b;c"), re.sub(r"\s+", " ", "a   b \n c"), re.sub(r"(\w+) (\w+)", r"\2 \1", "hello world"))
m = re.match(r"(?P<name>[a-z_]+)(?:\[(?P<index>\d+)\])?$", "conv[3]")
print(m.group("name"), m["index"], m.groupdict(), m.start("index"), m.end(), m.group(0, 1), m.lastindex)
pattern = re.compile(r"^(?:module\.)?layers\.(\d+)\.(weight|bias)$")
for key in ["module.layers.3.weight", "layers.12.bias", "layers.x.bias"]:
    found = pattern.match(key)
    print(found.groups() if found else None)
print(re.sub(r"\d+", lambda m: str(int(m.group()) * 2), "a1b20"), re.sub("a", "b", "aaa", count=2), re.subn("a", "b", "aab"), re.escape("a.b*c"))
print(re.findall(r"[A-Z][^A-Z]*", "CamelCaseName"), re.sub(r"(?<!^)(?=[A-Z])", "_", "CamelCaseName").lower(), [m.start() for m in re.finditer("a", "banana")])
print(re.match(r"a*?b", "aaab").group(), re.match(r"(a+)+$", "aaaa").group(1), re.search(r"\bfoo\b", "a foo b").start(), re.match(r"(?i)ABC", "abc").group(), re.match("abc", "ABC", re.IGNORECASE) is not None)
print(re.split(r"(-)", "a-b-c"), re.split(r"\W+", "a, b", maxsplit=1), re.findall(r"^\w", "ab\ncd", re.M), re.search(r"a.c", "a\nc", re.S) is not None, re.match(r"(\w)\1", "aa") is not None)
print(re.match(r"(\d{2,3})(\d*)", "12345").groups(), re.findall(r"x{2}", "xxxxx"), re.match(r"[^\W\d_]+", "abc1").group(), re.match(r"a|ab", "ab").group(), re.findall(r"", "ab"))
p = re.compile(r"(\d+)")
print(p.pattern, p.sub("#", "a1b2"), p.findall("1 2"), p.search("ab3").group(1), p.groups, bool(p.fullmatch("12")))
try:
    re.compile("(")
except re.error as e:
    print("re.error")
print(re.match(r"(?P<q>['\"]).*?(?P=q)", "'a' 'b'").group(), re.search(r"(?<=v)\d+", "v12").group(), re.match(r"[\w.+-]+@[\w-]+\.\w+", "a.b@c-d.org").group(), re.sub(r"(?m)^#.*$", "", "a\n#b\nc"))
#--- warnings and logging have no effect
import logging
import warnings
logger = logging.getLogger(__name__)
logger.debug("x %s", 1)
logging.basicConfig(level=logging.ERROR)
print(logger.name, logging.WARNING, logging.getLevelName(30))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    warnings.warn("w", DeprecationWarning, stacklevel=2)
warnings.filterwarnings("ignore", category=UserWarning)
print("done")
#--- os.path and sys on constants
import os
import os.path as osp
import sys
print(os.path.join("a", "b", "c.py"), os.path.join("a/", "/b"), os.path.basename("/x/y.txt"), os.path.dirname("/x/y.txt"), os.path.splitext("m.tar.gz"), os.path.split("a/b"))
print(osp.normpath("a/./b/../c"), osp.isabs("/a"), osp.commonprefix(["abc", "abd"]), os.sep, osp.join("x"))
print(sys.version_info >= (3, 8), sys.version_info[0], sys.maxsize == 2 ** 63 - 1, sys.byteorder, sys.float_info.eps if hasattr(sys.float_info, "eps") else sys.float_info.epsilon)
#--- dataclasses under postponed annotations
from __future__ import annotations
from dataclasses import dataclass, field, fields, replace, asdict
from typing import ClassVar, Optional
@dataclass
class Tree:
    value: int
    left: Tree | None = None
    right: Optional[Tree] = None
    count: ClassVar[int] = 0
    tags: list[str] = field(default_factory=list)
    def total(self) -> int:
        return self.value + sum(c.total() for c in (self.left, self.right) if c is not None)
t = Tree(1, Tree(2), Tree(3, left=Tree(4)))
print(t.total(), t, replace(t, value=5).value, [f.name for f in fields(Tree)], fields(Tree)[1].type, Tree.__annotations__["left"])
def f(x: Undefined, y: int = 3) -> AlsoUndefined:
    return x + y
print(f(1), list(f.__annotations__), f.__annotations__["x"])
class Own:
    def clone(self) -> Own:
        return Own()
print(type(Own().clone()).__name__)
#--- dicts with classes of their own
from collections import OrderedDict, defaultdict
class Config(dict):
    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError(name)
    def __setattr__(self, name, value):
        self[name] = value
c = Config(a=1, b={"x": 2})
c.d = 4
print(c.a, c.d, c, hasattr(c, "zz"), {**c}, Config(c) == c, c | {"e": 5}, type(c.copy()).__name__, sorted(c.items(), key=str))
class Out(OrderedDict):
    def to_tuple(self):
        return tuple(self[k] for k in self.keys())
    def __getitem__(self, k):
        if isinstance(k, str):
            return dict(self.items())[k]
        return self.to_tuple()[k]
    def __post_init__(self):
        pass
o = Out(a=1, b=2)
print(o[0], o["b"], o.to_tuple(), isinstance(o, dict))
#--- strings of a module
import string
import textwrap
print(string.ascii_lowercase[:3], textwrap.dedent("  a\n    b\n"), textwrap.indent("a\nb", "> "))
#--- inspect
import functools
import inspect

def f(a, b=2, /, c=3, *rest, d, e=5, **words):
    pass

signature = inspect.signature(f)
print(list(signature.parameters), [int(p.kind) for p in signature.parameters.values()])
print([p.default is inspect.Parameter.empty for p in signature.parameters.values()], signature.parameters["e"].default)
bound = signature.bind(1, 2, 3, 4, d=6, g=7)
print(bound.args, bound.kwargs, dict(bound.arguments))
bound = inspect.signature(lambda x, y=1, *, z=2: 0).bind(5)
bound.apply_defaults()
print(dict(bound.arguments), bound.args, bound.kwargs)

def decorator(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs)
    return wrapper

@decorator
def g(x, y):
    return x + y

print(list(inspect.signature(g).parameters), "y" in inspect.signature(g).parameters)
try:
    inspect.signature(g).bind(1)
except TypeError as error:
    print(error)
class C:
    def method(self, x, y=0):
        pass
print(list(inspect.signature(C().method).parameters))
#--- packaging_version
from packaging import version
from packaging.version import Version, parse

texts = ["1.0", "1", "2.1.0", "2.1", "2.1.0.post1", "2.1.0rc1", "2.1.0.dev3", "2.10", "2.9.1+cu128", "2.9.1", "2.1.0a2", "2.1b1"]
ordered = sorted(map(parse, texts))
print([str(v) for v in ordered])
print(parse("2.13.0+cu130") >= parse("2.4"), parse("2.4.0") == parse("2.4"), Version("3.6.0").release, Version("3.6").micro)
print(version.parse("2.1rc1").is_prerelease, version.parse("2.1").is_prerelease, Version("2.1.0.post1").is_postrelease)
print(Version("1.2.3").base_version, Version("2.9.1+cu128").local, Version("2.9.1+cu128").public)
try:
    Version("latest")
except version.InvalidVersion as error:
    print(error)
