# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
