// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/machine/Prelude.h"

#include "llvm/ADT/StringSwitch.h"

using namespace nereid;

static const char Functools[] = R"py(
from _nereid import share_name as _share_name

class partial:
    def __new__(cls, func, /, *args, **keywords):
        if not callable(func):
            raise TypeError("the first argument must be callable")
        self = object.__new__(cls)
        if isinstance(func, partial):
            args = func.args + args
            keywords = {**func.keywords, **keywords}
            func = func.func
        self.func = func
        self.args = args
        self.keywords = keywords
        return self
    def __init__(self, func, /, *args, **keywords):
        pass
    def __call__(self, /, *args, **keywords):
        return self.func(*self.args, *args, **{**self.keywords, **keywords})

class partialmethod:
    def __init__(self, func, /, *args, **keywords):
        self.func = func
        self.args = args
        self.keywords = keywords
    def __get__(self, obj, cls=None):
        return partial(self.func.__get__(obj, cls) if hasattr(self.func, '__get__') else partial(self.func, obj), *self.args, **self.keywords)

def update_wrapper(wrapper, wrapped, assigned=None, updated=None):
    _share_name(wrapper, wrapped)
    wrapper.__wrapped__ = wrapped
    return wrapper

def wraps(wrapped, assigned=None, updated=None):
    return lambda wrapper: update_wrapper(wrapper, wrapped)

def reduce(function, sequence, initial=..., /):
    it = iter(sequence)
    if initial is ...:
        try:
            value = next(it)
        except StopIteration:
            raise TypeError("reduce() of empty iterable with no initial value") from None
    else:
        value = initial
    for element in it:
        value = function(value, element)
    return value

def lru_cache(maxsize=128, typed=False):
    if callable(maxsize):
        return cache(maxsize)
    return cache

def cache(user_function):
    results = {}
    def wrapper(*args, **kwargs):
        key = (args, tuple(kwargs.items()))
        if key in results:
            return results[key]
        value = user_function(*args, **kwargs)
        results[key] = value
        return value
    def cache_clear():
        results.clear()
    wrapper.cache_clear = cache_clear
    return update_wrapper(wrapper, user_function)

class cached_property:
    def __init__(self, func):
        self.func = func
        self.attrname = None
    def __set_name__(self, owner, name):
        self.attrname = name
    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        value = self.func(instance)
        object.__setattr__(instance, self.attrname, value)
        return value

def cmp_to_key(mycmp):
    class K:
        def __init__(self, obj):
            self.obj = obj
        def __lt__(self, other):
            return mycmp(self.obj, other.obj) < 0
        def __gt__(self, other):
            return mycmp(self.obj, other.obj) > 0
        def __eq__(self, other):
            return mycmp(self.obj, other.obj) == 0
        def __le__(self, other):
            return mycmp(self.obj, other.obj) <= 0
        def __ge__(self, other):
            return mycmp(self.obj, other.obj) >= 0
    return K

def total_ordering(cls):
    names = [n for n in ('__lt__', '__le__', '__gt__', '__ge__') if n in cls.__dict__]
    if not names:
        raise ValueError('must define at least one ordering operation: < > <= >=')
    root = names[0]
    def eq(a, b): return a == b
    table = {
        '__lt__': {'__gt__': lambda s, o: not (s < o) and s != o, '__le__': lambda s, o: s < o or s == o, '__ge__': lambda s, o: not s < o},
        '__le__': {'__ge__': lambda s, o: not (s <= o) or s == o, '__lt__': lambda s, o: s <= o and s != o, '__gt__': lambda s, o: not s <= o},
        '__gt__': {'__lt__': lambda s, o: not (s > o) and s != o, '__ge__': lambda s, o: s > o or s == o, '__le__': lambda s, o: not s > o},
        '__ge__': {'__le__': lambda s, o: not (s >= o) or s == o, '__gt__': lambda s, o: s >= o and s != o, '__lt__': lambda s, o: not s >= o},
    }
    for name, op in table[root].items():
        if name not in names:
            setattr(cls, name, op)
    return cls

def singledispatch(func):
    registry = {}
    def dispatch(cls):
        for base in cls.__mro__:
            if base in registry:
                return registry[base]
        return func
    def register(cls, impl=None):
        if impl is None:
            return lambda f: register(cls, f)
        registry[cls] = impl
        return impl
    def wrapper(*args, **kw):
        return dispatch(type(args[0]))(*args, **kw)
    wrapper.register = register
    wrapper.dispatch = dispatch
    return update_wrapper(wrapper, func)
)py";

static const char Itertools[] = R"py(
def chain(*iterables):
    for it in iterables:
        yield from it

def _from_iterable(iterables):
    for it in iterables:
        yield from it

chain.from_iterable = _from_iterable

def count(start=0, step=1):
    n = start
    while True:
        yield n
        n += step

def cycle(iterable):
    saved = []
    for element in iterable:
        yield element
        saved.append(element)
    while saved:
        for element in saved:
            yield element

def repeat(object, times=None):
    if times is None:
        while True:
            yield object
    else:
        for i in range(times):
            yield object

def accumulate(iterable, func=None, *, initial=None):
    it = iter(iterable)
    total = initial
    if initial is None:
        try:
            total = next(it)
        except StopIteration:
            return
    yield total
    for element in it:
        total = total + element if func is None else func(total, element)
        yield total

def islice(iterable, *args):
    s = slice(*args)
    start, stop, step = s.start or 0, s.stop, 1 if s.step is None else s.step
    if start < 0 or (stop is not None and stop < 0):
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    if step < 1:
        raise ValueError("Step for islice() must be a positive integer or None.")
    it = iter(iterable)
    i = 0
    wanted = start
    while stop is None or wanted < stop:
        try:
            element = next(it)
        except StopIteration:
            return
        if i == wanted:
            yield element
            wanted += step
        i += 1

def takewhile(predicate, iterable):
    for x in iterable:
        if not predicate(x):
            break
        yield x

def dropwhile(predicate, iterable):
    it = iter(iterable)
    for x in it:
        if not predicate(x):
            yield x
            break
    for x in it:
        yield x

def filterfalse(predicate, iterable):
    for x in iterable:
        if not (x if predicate is None else predicate(x)):
            yield x

def compress(data, selectors):
    return (d for d, s in zip(data, selectors) if s)

def starmap(function, iterable):
    for args in iterable:
        yield function(*args)

def pairwise(iterable):
    it = iter(iterable)
    try:
        a = next(it)
    except StopIteration:
        return
    for b in it:
        yield a, b
        a = b

def zip_longest(*args, fillvalue=None):
    iterators = [iter(it) for it in args]
    active = len(iterators)
    if not active:
        return
    while True:
        values = []
        for i, it in enumerate(iterators):
            try:
                value = next(it)
            except StopIteration:
                active -= 1
                if not active:
                    return
                iterators[i] = repeat(fillvalue)
                value = fillvalue
            values.append(value)
        yield tuple(values)

def product(*args, repeat=1):
    pools = [tuple(pool) for pool in args] * repeat
    result = [()]
    for pool in pools:
        result = [x + (y,) for x in result for y in pool]
    yield from result

def permutations(iterable, r=None):
    pool = tuple(iterable)
    n = len(pool)
    r = n if r is None else r
    for indices in product(range(n), repeat=r):
        if len(set(indices)) == r:
            yield tuple(pool[i] for i in indices)

def combinations(iterable, r):
    pool = tuple(iterable)
    n = len(pool)
    if r > n:
        return
    indices = list(range(r))
    yield tuple(pool[i] for i in indices)
    while True:
        for i in reversed(range(r)):
            if indices[i] != i + n - r:
                break
        else:
            return
        indices[i] += 1
        for j in range(i + 1, r):
            indices[j] = indices[j - 1] + 1
        yield tuple(pool[i] for i in indices)

def combinations_with_replacement(iterable, r):
    pool = tuple(iterable)
    for indices in product(range(len(pool)), repeat=r):
        if sorted(indices) == list(indices):
            yield tuple(pool[i] for i in indices)

def groupby(iterable, key=None):
    # Each group is read to its end before the next one starts.
    group = []
    current = ...
    for element in iterable:
        k = element if key is None else key(element)
        if current is ... or k != current:
            if group:
                yield current, iter(group)
            current = k
            group = []
        group.append(element)
    if group:
        yield current, iter(group)

def tee(iterable, n=2):
    items = list(iterable)
    return tuple(iter(items) for i in range(n))
)py";

static const char Collections[] = R"py(
from _nereid import define as _define

class OrderedDict(dict):
    def move_to_end(self, key, last=True):
        value = self.pop(key)
        if last:
            self[key] = value
        else:
            rest = list(self.items())
            self.clear()
            self[key] = value
            self.update(rest)
    def popitem(self, last=True):
        if not self:
            raise KeyError('dictionary is empty')
        key = list(self)[-1 if last else 0]
        return key, self.pop(key)
    def copy(self):
        return type(self)(self)
    def __repr__(self):
        return f"{type(self).__name__}({dict(self)!r})" if self else f"{type(self).__name__}()"

class defaultdict(dict):
    def __init__(self, default_factory=None, /, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.default_factory = default_factory
    def __missing__(self, key):
        if self.default_factory is None:
            raise KeyError(key)
        value = self.default_factory()
        self[key] = value
        return value
    def copy(self):
        return type(self)(self.default_factory, self)
    def __repr__(self):
        return f"defaultdict({self.default_factory!r}, {dict(self)!r})"

class Counter(dict):
    def __init__(self, iterable=(), /, **kwds):
        super().__init__()
        self.update(iterable, **kwds)
    def __missing__(self, key):
        return 0
    def update(self, iterable=(), /, **kwds):
        if isinstance(iterable, dict):
            for key, count in iterable.items():
                self[key] = self[key] + count
        else:
            for element in iterable:
                self[element] = self[element] + 1
        for key, count in kwds.items():
            self[key] = self[key] + count
    def subtract(self, iterable=(), /):
        for key, count in (iterable.items() if isinstance(iterable, dict) else ((e, 1) for e in iterable)):
            self[key] = self[key] - count
    def most_common(self, n=None):
        ordered = sorted(self.items(), key=lambda item: item[1], reverse=True)
        return ordered if n is None else ordered[:n]
    def elements(self):
        for key, count in self.items():
            for i in range(count):
                yield key
    def total(self):
        return sum(self.values())
    def __add__(self, other):
        result = Counter()
        for key in list(self) + [k for k in other if k not in self]:
            if self[key] + other[key] > 0:
                result[key] = self[key] + other[key]
        return result
    def __sub__(self, other):
        result = Counter()
        for key in list(self) + [k for k in other if k not in self]:
            if self[key] - other[key] > 0:
                result[key] = self[key] - other[key]
        return result
    def __repr__(self):
        if not self:
            return "Counter()"
        return "Counter(" + repr(dict(self.most_common())) + ")"

class ChainMap:
    def __init__(self, *maps):
        self.maps = list(maps) or [{}]
    def __getitem__(self, key):
        for m in self.maps:
            if key in m:
                return m[key]
        raise KeyError(key)
    def __contains__(self, key):
        return any(key in m for m in self.maps)
    def get(self, key, default=None):
        return self[key] if key in self else default

class deque(list):
    def __init__(self, iterable=(), maxlen=None):
        super().__init__(iterable)
        self.maxlen = maxlen
        self._trim(True)
    def _trim(self, left):
        if self.maxlen is not None:
            while len(self) > self.maxlen:
                list.pop(self, 0 if left else -1)
    def append(self, x):
        list.append(self, x)
        self._trim(True)
    def appendleft(self, x):
        list.insert(self, 0, x)
        self._trim(False)
    def extend(self, xs):
        for x in xs:
            self.append(x)
    def extendleft(self, xs):
        for x in xs:
            self.appendleft(x)
    def pop(self):
        if not self:
            raise IndexError('pop from an empty deque')
        return list.pop(self)
    def popleft(self):
        if not self:
            raise IndexError('pop from an empty deque')
        return list.pop(self, 0)
    def rotate(self, n=1):
        for i in range(n % len(self) if self else 0):
            list.insert(self, 0, list.pop(self))
    def __repr__(self):
        tail = "" if self.maxlen is None else f", maxlen={self.maxlen}"
        return f"deque({list(self)!r}{tail})"

def _make_named(typename, fields, defaults, namespace):
    def _asdict(self):
        return dict(zip(self._fields, self))
    def _replace(self, /, **kwds):
        result = self._make(map(kwds.pop, fields, self))
        if kwds:
            raise ValueError(f'Got unexpected field names: {list(kwds)!r}')
        return result
    def _make(cls, iterable):
        result = tuple.__new__(cls, iterable)
        if len(result) != len(fields):
            raise TypeError(f'Expected {len(fields)} arguments, got {len(result)}')
        return result
    def __repr__(self):
        return type(self).__name__ + '(' + ', '.join(f'{n}={v!r}' for n, v in zip(fields, self)) + ')'
    def __getnewargs__(self):
        return tuple(self)
    names = {'_new': tuple.__new__}
    parameters = []
    for name in fields:
        if name in defaults:
            names['_default_' + name] = defaults[name]
            parameters.append(f'{name}=_default_{name}')
        else:
            parameters.append(name)
    text = f"def __new__(_cls, {', '.join(parameters)}):\n    return _new(_cls, ({', '.join(fields)}{',' if fields else ''}))\n"
    body = {'__new__': _define(text, names, typename + '.__new__'), '_fields': tuple(fields), '_field_defaults': dict(defaults),
            '__match_args__': tuple(fields), '_asdict': _asdict, '_replace': _replace, '_make': classmethod(_make), '__repr__': __repr__}
    def getter(i):
        return property(lambda self: tuple.__getitem__(self, i))
    for i, name in enumerate(fields):
        body[name] = getter(i)
    for name, value in namespace.items():
        if name not in fields:
            body[name] = value
    return type(typename, (tuple,), body)

def namedtuple(typename, field_names, *, rename=False, defaults=None, module=None):
    if isinstance(field_names, str):
        field_names = field_names.replace(',', ' ').split()
    fields = [str(name) for name in field_names]
    if rename:
        fields = [name if name.isidentifier() and not name.startswith('_') and name not in fields[:i] else f'_{i}' for i, name in enumerate(fields)]
    seen = set()
    for name in fields:
        if name.startswith('_') and not rename:
            raise ValueError(f'Field names cannot start with an underscore: {name!r}')
        if name in seen:
            raise ValueError(f'Encountered duplicate field name: {name!r}')
        seen.add(name)
    defaults = tuple(defaults or ())
    if len(defaults) > len(fields):
        raise TypeError('Got more default values than field names')
    return _make_named(typename, fields, dict(zip(fields[len(fields) - len(defaults):], defaults)), {})

def _named_tuple_class(typename, namespace):
    fields = list(namespace.get('__annotations__', {}))
    return _make_named(typename, fields, {n: namespace[n] for n in fields if n in namespace}, namespace)
)py";

static const char Dataclasses[] = R"py(
from _nereid import define as _define

class _Missing:
    def __repr__(self):
        return '<dataclasses._MISSING_TYPE object>'

MISSING = _Missing()

class _KwOnly:
    pass

KW_ONLY = _KwOnly()

class FrozenInstanceError(AttributeError):
    pass

class InitVar:
    def __class_getitem__(cls, key):
        return cls()

class Field:
    def __init__(self, default, default_factory, init, repr, hash, compare, metadata, kw_only):
        self.name = None
        self.type = None
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.hash = hash
        self.compare = compare
        self.metadata = metadata or {}
        self.kw_only = kw_only
        self._initvar = False

def field(*, default=MISSING, default_factory=MISSING, init=True, repr=True, hash=None, compare=True, metadata=None, kw_only=MISSING):
    if default is not MISSING and default_factory is not MISSING:
        raise ValueError('cannot specify both default and default_factory')
    return Field(default, default_factory, init, repr, hash, compare, metadata, kw_only)

def _is(kind, annotation):
    if isinstance(annotation, str):
        return kind in annotation.split('[')[0]
    return kind in repr(annotation).split('[')[0] or (kind == 'InitVar' and (annotation is InitVar or isinstance(annotation, InitVar)))

def _collect(cls, kw_only):
    fields = {}
    for base in cls.__mro__[-1:0:-1]:
        for f in base.__dict__.get('__dataclass_fields__', {}).values():
            fields[f.name] = f
    own_kw_only = kw_only
    for name, annotation in cls.__dict__.get('__annotations__', {}).items():
        if annotation is KW_ONLY:
            own_kw_only = True
            continue
        if _is('ClassVar', annotation):
            continue
        default = cls.__dict__.get(name, MISSING)
        f = default if isinstance(default, Field) else field(default=default)
        if isinstance(f.default, (list, dict, set)):
            raise ValueError(f'mutable default {type(f.default)} for field {name} is not allowed: use default_factory')
        f.name = name
        f.type = annotation
        f._initvar = _is('InitVar', annotation)
        if f.kw_only is MISSING:
            f.kw_only = own_kw_only
        if isinstance(default, Field):
            if f.default is MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, f.default)
        fields[name] = f
    return fields

def _make_init(cls, fields, frozen):
    names = {'MISSING': MISSING, '_set': object.__setattr__}
    plain, keyword, lines = [], [], []
    seen_default = None
    for f in fields.values():
        has_default = f.default is not MISSING or f.default_factory is not MISSING
        if f.init:
            parameter = f.name
            if f.default is not MISSING:
                names['_default_' + f.name] = f.default
                parameter += '=_default_' + f.name
            elif f.default_factory is not MISSING:
                parameter += '=MISSING'
            if f.kw_only:
                keyword.append(parameter)
            else:
                if has_default:
                    seen_default = f.name
                elif seen_default is not None:
                    raise TypeError(f'non-default argument {f.name!r} follows default argument')
                plain.append(parameter)
        value = f.name
        if f.default_factory is not MISSING:
            names['_factory_' + f.name] = f.default_factory
            value = f'_factory_{f.name}() if {f.name} is MISSING else {f.name}' if f.init else f'_factory_{f.name}()'
        elif not f.init:
            if f.default is MISSING:
                continue
            names['_default_' + f.name] = f.default
            value = '_default_' + f.name
        if not f._initvar:
            lines.append(f'_set(self, {f.name!r}, {value})' if frozen else f'self.{f.name} = {value}')
    if hasattr(cls, '__post_init__'):
        lines.append('self.__post_init__(' + ', '.join(f.name for f in fields.values() if f._initvar) + ')')
    parameters = ['self'] + plain + (['*'] + keyword if keyword else [])
    body = '\n'.join('    ' + line for line in lines or ['pass'])
    return _define(f"def __init__({', '.join(parameters)}):\n{body}\n", names, cls.__qualname__ + '.__init__')

def _process(cls, init, repr, eq, order, unsafe_hash, frozen, kw_only):
    fields = _collect(cls, kw_only)
    cls.__dataclass_fields__ = fields
    real = [f for f in fields.values() if not f._initvar]
    shown = [f.name for f in real if f.repr]
    compared = [f.name for f in real if f.compare]
    own = cls.__dict__
    def key(self):
        return tuple(getattr(self, name) for name in compared)
    if init:
        cls.__init__ = _make_init(cls, fields, frozen)
    if repr and '__repr__' not in own:
        def __repr__(self):
            return type(self).__qualname__ + '(' + ', '.join(f'{name}={getattr(self, name)!r}' for name in shown) + ')'
        cls.__repr__ = __repr__
    if eq and '__eq__' not in own:
        def __eq__(self, other):
            if other.__class__ is self.__class__:
                return key(self) == key(other)
            return NotImplemented
        cls.__eq__ = __eq__
    if order:
        def compare(op):
            def method(self, other):
                return op(key(self), key(other)) if other.__class__ is self.__class__ else NotImplemented
            return method
        cls.__lt__ = compare(lambda a, b: a < b)
        cls.__le__ = compare(lambda a, b: a <= b)
        cls.__gt__ = compare(lambda a, b: a > b)
        cls.__ge__ = compare(lambda a, b: a >= b)
    if frozen:
        def __setattr__(self, name, value):
            raise FrozenInstanceError(f'cannot assign to field {name!r}')
        def __delattr__(self, name):
            raise FrozenInstanceError(f'cannot delete field {name!r}')
        cls.__setattr__ = __setattr__
        cls.__delattr__ = __delattr__
    if unsafe_hash or (eq and frozen):
        cls.__hash__ = lambda self: hash(key(self))
    elif eq and own.get('__hash__') is None:
        cls.__hash__ = None
    if '__match_args__' not in own:
        cls.__match_args__ = tuple(f.name for f in fields.values() if f.init and not f.kw_only)
    return cls

def dataclass(cls=None, /, *, init=True, repr=True, eq=True, order=False, unsafe_hash=False, frozen=False, match_args=True, kw_only=False, slots=False, weakref_slot=False):
    def wrap(cls):
        return _process(cls, init, repr, eq, order, unsafe_hash, frozen, kw_only)
    return wrap if cls is None else wrap(cls)

def fields(class_or_instance):
    table = getattr(class_or_instance, '__dataclass_fields__', None)
    if table is None:
        raise TypeError('must be called with a dataclass type or instance')
    return tuple(f for f in table.values() if not f._initvar)

def is_dataclass(obj):
    return hasattr(obj if isinstance(obj, type) else type(obj), '__dataclass_fields__')

def _inner(value, make_dict):
    if is_dataclass(value) and not isinstance(value, type):
        if make_dict:
            return {f.name: _inner(getattr(value, f.name), True) for f in fields(value)}
        return tuple(_inner(getattr(value, f.name), False) for f in fields(value))
    if isinstance(value, tuple) and hasattr(value, '_fields'):
        return type(value)(*[_inner(v, make_dict) for v in value])
    if isinstance(value, (list, tuple)):
        return type(value)(_inner(v, make_dict) for v in value)
    if isinstance(value, dict):
        return {_inner(k, make_dict): _inner(v, make_dict) for k, v in value.items()}
    return value

def asdict(obj, *, dict_factory=dict):
    if isinstance(obj, type) or not is_dataclass(obj):
        raise TypeError('asdict() should be called on dataclass instances')
    return dict_factory(_inner(obj, True).items())

def astuple(obj):
    if isinstance(obj, type) or not is_dataclass(obj):
        raise TypeError('astuple() should be called on dataclass instances')
    return _inner(obj, False)

def replace(obj, /, **changes):
    for f in obj.__dataclass_fields__.values():
        if not f.init:
            if f.name in changes:
                raise ValueError(f'field {f.name} is declared with init=False, it cannot be specified with replace()')
            continue
        if f.name not in changes:
            changes[f.name] = getattr(obj, f.name)
    return obj.__class__(**changes)

def make_dataclass(cls_name, fields, *, bases=(), namespace=None, **options):
    body = dict(namespace or {})
    annotations = {}
    for item in fields:
        if isinstance(item, str):
            annotations[item] = 'typing.Any'
            continue
        annotations[item[0]] = item[1]
        if len(item) == 3:
            body[item[0]] = item[2]
    body['__annotations__'] = annotations
    return dataclass(type(cls_name, bases, body), **options)
)py";

static const char NereidEnum[] = R"py(
class EnumMeta(type):
    def __iter__(cls):
        return iter([m for n, m in cls._member_map_.items() if n == m._name_])
    def __len__(cls):
        return len([1 for n, m in cls._member_map_.items() if n == m._name_])
    def __contains__(cls, item):
        return isinstance(item, cls) or any(m._value_ == item for m in cls._member_map_.values())
    def __getitem__(cls, name):
        if name in cls._member_map_:
            return cls._member_map_[name]
        raise KeyError(name)
    def __call__(cls, value, names=None):
        for member in cls._member_map_.values():
            if member is value or member._value_ == value:
                return member
        result = cls._missing_(value)
        if result is not None:
            return result
        raise ValueError(f"{value!r} is not a valid {cls.__qualname__}")
    def __repr__(cls):
        return f"<enum {cls.__name__!r}>"
    def __bool__(cls):
        return True
    __members__ = property(lambda cls: cls._member_map_)

EnumType = EnumMeta

class auto:
    def __or__(self, other):
        return self

def unique(cls):
    return cls

class nonmember:
    def __init__(self, value):
        self.value = value

def member(value):
    return value

class Enum(metaclass=EnumMeta):
    _member_map_ = {}
    def _generate_next_value_(name, start, count, last_values):
        return max([v for v in last_values if isinstance(v, int)], default=0) + 1
    _generate_next_value_ = staticmethod(_generate_next_value_)
    def __init_subclass__(cls, **kwargs):
        members = {}
        values = []
        mixin = None
        for base in cls.__mro__:
            if base in (int, str, float):
                mixin = base
                break
        for name, value in list(cls.__dict__.items()):
            if name.startswith('_') or callable(value) or isinstance(value, (property, staticmethod, classmethod)) or hasattr(value, '__get__'):
                continue
            if isinstance(value, auto):
                value = cls._generate_next_value_(name, 1, len(values), values)
            known = None
            for other in members.values():
                if other._value_ == value:
                    known = other
            if known is None:
                if mixin is not None:
                    known = mixin.__new__(cls, value)
                    known._value_ = value
                else:
                    known = object.__new__(cls)
                    known._value_ = value
                known._name_ = name
                if '__init__' in cls.__dict__:
                    if isinstance(value, tuple):
                        known.__init__(*value)
                    else:
                        known.__init__(value)
            members[name] = known
            values.append(value)
            setattr(cls, name, known)
        cls._member_map_ = members
    @classmethod
    def _missing_(cls, value):
        return None
    name = property(lambda self: self._name_)
    value = property(lambda self: self._value_)
    def __repr__(self):
        return f"<{type(self).__name__}.{self._name_}: {self._value_!r}>"
    def __str__(self):
        return f"{type(self).__name__}.{self._name_}"
    def __hash__(self):
        return hash(self._name_)
    def __eq__(self, other):
        return self is other
    def __format__(self, spec):
        return format(str(self), spec)

class IntEnum(int, Enum):
    def __str__(self):
        return int.__repr__(self._value_)
    def __repr__(self):
        return f"<{type(self).__name__}.{self._name_}: {self._value_!r}>"
    def __format__(self, spec):
        return format(self._value_, spec)
    def __hash__(self):
        return hash(self._value_)
    def __eq__(self, other):
        return self._value_ == (other._value_ if isinstance(other, Enum) else other)

class StrEnum(str, Enum):
    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        return name.lower()
    def __str__(self):
        return self._value_
    def __repr__(self):
        return f"<{type(self).__name__}.{self._name_}: {self._value_!r}>"
    def __format__(self, spec):
        return format(self._value_, spec)
    def __hash__(self):
        return hash(self._value_)
    def __eq__(self, other):
        return self._value_ == (other._value_ if isinstance(other, Enum) else other)
)py";

static const char Operator[] = R"py(
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
)py";

static const char Copy[] = R"py(
from _nereid import shallow as _shallow, attributes as _attributes

class Error(Exception):
    pass

def copy(x):
    if hasattr(type(x), '__copy__'):
        return x.__copy__()
    return _shallow(x)

def deepcopy(x, memo=None):
    if memo is None:
        memo = []
    for old, new in memo:
        if old is x:
            return new
    if hasattr(type(x), '__deepcopy__'):
        y = x.__deepcopy__(memo)
        memo.append((x, y))
        return y
    y = _shallow(x)
    if y is x and not isinstance(x, tuple):
        return x
    if isinstance(x, list):
        memo.append((x, y))
        for i in range(len(y)):
            list.__setitem__(y, i, deepcopy(list.__getitem__(y, i), memo))
    elif isinstance(x, dict):
        memo.append((x, y))
        items = [(k, v) for k, v in dict.items(y)]
        dict.clear(y)
        for k, v in items:
            dict.__setitem__(y, deepcopy(k, memo), deepcopy(v, memo))
    elif isinstance(x, tuple):
        items = [deepcopy(v, memo) for v in x]
        for a, b in zip(items, x):
            if a is not b:
                break
        else:
            return x
        y = tuple.__new__(type(x), items)
        memo.append((x, y))
        return y
    else:
        memo.append((x, y))
    for name, value in _attributes(y).items():
        object.__setattr__(y, name, deepcopy(value, memo))
    return y
)py";

static const char Abc[] = R"py(
def abstractmethod(funcobj):
    funcobj.__isabstractmethod__ = True
    return funcobj

class abstractproperty(property):
    pass

class ABCMeta(type):
    def register(cls, subclass):
        return subclass

def _open(cls):
    names = []
    for base in cls.__mro__[::-1]:
        for name, value in base.__dict__.items():
            inner = value
            if isinstance(value, property):
                inner = value.fget
            elif isinstance(value, (staticmethod, classmethod)):
                inner = value.__func__
            if getattr(inner, '__isabstractmethod__', False):
                if name not in names:
                    names.append(name)
            elif name in names:
                names.remove(name)
    return sorted(names)

class ABC(metaclass=ABCMeta):
    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.__abstractmethods__ = _open(cls)
)py";

static const char Contextlib[] = R"py(
from functools import wraps as _wraps

class AbstractContextManager:
    def __enter__(self):
        return self

class ContextDecorator:
    def __call__(self, func):
        @_wraps(func)
        def inner(*args, **kwds):
            with self._recreate_cm():
                return func(*args, **kwds)
        return inner
    def _recreate_cm(self):
        return self

class _GeneratorContextManager(ContextDecorator):
    def __init__(self, func, args, kwds):
        self.gen = func(*args, **kwds)
        self.func, self.args, self.kwds = func, args, kwds
    def _recreate_cm(self):
        return type(self)(self.func, self.args, self.kwds)
    def __enter__(self):
        try:
            return next(self.gen)
        except StopIteration:
            raise RuntimeError("generator didn't yield") from None
    def __exit__(self, typ, value, traceback):
        if typ is None:
            try:
                next(self.gen)
            except StopIteration:
                return False
            raise RuntimeError("generator didn't stop")
        try:
            self.gen.throw(value)
        except StopIteration as exc:
            return exc is not value
        except BaseException as exc:
            if exc is not value:
                raise
            return False
        raise RuntimeError("generator didn't stop after throw()")

def contextmanager(func):
    @_wraps(func)
    def helper(*args, **kwds):
        return _GeneratorContextManager(func, args, kwds)
    return helper

class nullcontext:
    def __init__(self, enter_result=None):
        self.enter_result = enter_result
    def __enter__(self):
        return self.enter_result
    def __exit__(self, *excinfo):
        pass

class suppress:
    def __init__(self, *exceptions):
        self._exceptions = exceptions
    def __enter__(self):
        pass
    def __exit__(self, exctype, excinst, exctb):
        return exctype is not None and issubclass(exctype, self._exceptions)

class closing:
    def __init__(self, thing):
        self.thing = thing
    def __enter__(self):
        return self.thing
    def __exit__(self, *exc_info):
        self.thing.close()

class ExitStack:
    def __init__(self):
        self._callbacks = []
    def enter_context(self, cm):
        result = cm.__enter__()
        self._callbacks.append(cm.__exit__)
        return result
    def callback(self, callback, /, *args, **kwds):
        def run(*details):
            callback(*args, **kwds)
        self._callbacks.append(run)
        return callback
    def __enter__(self):
        return self
    def __exit__(self, *details):
        suppressed = False
        while self._callbacks:
            if self._callbacks.pop()(*details):
                details = (None, None, None)
                suppressed = True
        return suppressed
)py";

static const char Warnings[] = R"py(
def warn(message, category=None, stacklevel=1, source=None):
    pass
def filterwarnings(*args, **kwargs):
    pass
def simplefilter(*args, **kwargs):
    pass
def resetwarnings():
    pass
class catch_warnings:
    def __init__(self, *, record=False, module=None, action=None):
        self.record = record
    def __enter__(self):
        return [] if self.record else None
    def __exit__(self, *details):
        return False
)py";

static const char String[] = R"py(
whitespace = ' \t\n\r\v\f'
ascii_lowercase = 'abcdefghijklmnopqrstuvwxyz'
ascii_uppercase = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
ascii_letters = ascii_lowercase + ascii_uppercase
digits = '0123456789'
hexdigits = digits + 'abcdef' + 'ABCDEF'
octdigits = '01234567'
punctuation = r"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"""
printable = digits + ascii_letters + punctuation + whitespace
def capwords(s, sep=None):
    return (sep or ' ').join(x.capitalize() for x in s.split(sep))
)py";

static const char NereidClasses[] = R"py(
from _nereid import attributes, write as _write

class instance_dict:
    def __init__(self, obj):
        object.__setattr__(self, '_o', obj)
    def __getitem__(self, key):
        return attributes(self._o)[key]
    def __setitem__(self, key, value):
        _write(self._o, key, value)
    def __delitem__(self, key):
        if key not in attributes(self._o):
            raise KeyError(key)
        _write(self._o, key)
    def __contains__(self, key):
        return key in attributes(self._o)
    def __iter__(self):
        return iter(attributes(self._o))
    def __len__(self):
        return len(attributes(self._o))
    def __eq__(self, other):
        return attributes(self._o) == (attributes(other._o) if isinstance(other, instance_dict) else other)
    def __repr__(self):
        return repr(attributes(self._o))
    def __or__(self, other):
        return attributes(self._o) | other
    def keys(self):
        return attributes(self._o).keys()
    def values(self):
        return attributes(self._o).values()
    def items(self):
        return attributes(self._o).items()
    def copy(self):
        return attributes(self._o)
    def get(self, key, default=None):
        return attributes(self._o).get(key, default)
    def update(self, other=(), /, **rest):
        for key, value in dict(other, **rest).items():
            _write(self._o, key, value)
    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]
    def pop(self, key, *default):
        table = attributes(self._o)
        if key in table:
            _write(self._o, key)
        return table.pop(key, *default)
    def clear(self):
        for key in attributes(self._o):
            _write(self._o, key)
)py";

const char *machine::preludeSource(llvm::StringRef module) {
  return llvm::StringSwitch<const char *>(module)
      .Case("functools", Functools)
      .Case("itertools", Itertools)
      .Case("collections", Collections)
      .Case("dataclasses", Dataclasses)
      .Case("_nereid_enum", NereidEnum)
      .Case("enum", "from _nereid_enum import *\n")
      .Case("operator", Operator)
      .Case("copy", Copy)
      .Case("_nereid_abc", Abc)
      .Case("abc", "from _nereid_abc import *\n")
      .Case("contextlib", Contextlib)
      .Case("warnings", Warnings)
      .Case("string", String)
      .Case("_nereid_classes", NereidClasses)
      .Default(nullptr);
}
