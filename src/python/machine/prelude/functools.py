# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from _nereid import is_key as _is_key, refuse as _refuse, share_name as _share_name

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

WRAPPER_ASSIGNMENTS = ('__module__', '__name__', '__qualname__', '__doc__', '__annotations__')
WRAPPER_UPDATES = ('__dict__',)

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
    # All results are kept, and nothing is counted: a call leaves the same behind as the one before.
    results = {}
    def wrapper(*args, **kwargs):
        key = (args, tuple(kwargs.items()))
        if not _is_key(key):
            return user_function(*args, **kwargs)
        if key in results:
            return results[key]
        value = user_function(*args, **kwargs)
        results[key] = value
        return value
    def cache_clear():
        results.clear()
    def cache_info():
        return _refuse("the counts of a cache are not kept", "count the calls in a variable")
    wrapper.cache_clear = cache_clear
    wrapper.cache_info = cache_info
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

def _dispatched(value):
    """The classes that `register` was given, or that a function says of its first argument."""
    is_union = hasattr(value, '__args__') and getattr(value, '__origin__', None) is None
    return list(value.__args__) if is_union else [value]

def singledispatch(func):
    registry = {object: func}
    def dispatch(cls):
        for base in cls.__mro__:
            if base in registry:
                found = registry[base]
                break
        if found is func:
            # Classes that say by themselves what counts as derived stand in no order of bases.
            for base, impl in registry.items():
                if base is not object and issubclass(cls, base):
                    return impl
        return found
    def register(cls, impl=None):
        if impl is None and not isinstance(cls, type) and not hasattr(cls, '__args__'):
            impl = cls
            types = [t for name, t in impl.__annotations__.items() if name != 'return']
            if not types:
                raise TypeError(f"Invalid first argument to `register()`: {cls!r}. Use either `@register(some_class)` or plain `@register` on an annotated function.")
            cls = types[0]
        if impl is None:
            return lambda f: register(cls, f)
        for each in _dispatched(cls):
            registry[each] = impl
        return impl
    def wrapper(*args, **kw):
        if not args:
            raise TypeError(f"{func.__name__} requires at least 1 positional argument")
        return dispatch(type(args[0]))(*args, **kw)
    wrapper.register = register
    wrapper.dispatch = dispatch
    wrapper.registry = registry
    return update_wrapper(wrapper, func)

class singledispatchmethod:
    def __init__(self, func):
        self.func = func
        self.dispatcher = singledispatch(func)
    def register(self, cls, method=None):
        return self.dispatcher.register(cls, method)
    def __get__(self, obj, cls=None):
        def method(*args, **kw):
            return self.dispatcher.dispatch(type(args[0]))(obj, *args, **kw)
        return update_wrapper(method, self.func)
