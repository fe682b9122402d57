# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `typing` has besides the forms of annotations, which the machine knows.
from _nereid_abc import ABCMeta

class TypeVar:
    def __init__(self, name, *constraints, bound=None, covariant=False, contravariant=False, infer_variance=False, default=None):
        self.__name__ = name
        self.__constraints__ = constraints
        self.__bound__ = bound
        self.__covariant__ = covariant
        self.__contravariant__ = contravariant
    def __repr__(self):
        return ('+' if self.__covariant__ else '-' if self.__contravariant__ else '~') + self.__name__
    def __or__(self, other):
        return _union(self, other)
    def __ror__(self, other):
        return _union(other, self)

class ParamSpec(TypeVar):
    args = kwargs = None

class TypeVarTuple:
    def __init__(self, name, *, default=None):
        self.__name__ = name
    def __iter__(self):
        yield self
    def __repr__(self):
        return self.__name__

AnyStr = TypeVar('AnyStr', bytes, str)

class NewType:
    def __init__(self, name, tp):
        self.__name__ = name
        self.__supertype__ = tp
    def __call__(self, x):
        return x
    def __or__(self, other):
        return _union(self, other)
    def __ror__(self, other):
        return _union(other, self)

class ForwardRef:
    def __init__(self, arg):
        self.__forward_arg__ = arg

def _union(left, right):
    import typing
    return typing.Union[left, right]

class TypedDict(dict):
    """Its classes make plain dicts."""
    def __new__(cls, *args, **kwargs):
        if cls is TypedDict:
            name, fields = args
            return type(name, (TypedDict,), {'__annotations__': dict(fields)})
        return dict(*args, **kwargs)
    def __init_subclass__(cls, total=True, **kwargs):
        cls.__total__ = total

class _ProtocolMeta(ABCMeta):
    def __instancecheck__(cls, instance):
        if not cls.__dict__.get('_is_protocol', False):
            return cls in type(instance).__mro__
        if cls in type(instance).__mro__:
            return True
        if not cls._is_runtime:
            raise TypeError('Instance and class checks can only be used with @runtime_checkable protocols')
        return all(hasattr(instance, name) for name in cls._members)
    def __subclasscheck__(cls, other):
        if not cls.__dict__.get('_is_protocol', False) or cls in other.__mro__:
            return cls in other.__mro__
        if not cls._is_runtime:
            raise TypeError('Instance and class checks can only be used with @runtime_checkable protocols')
        return all(hasattr(other, name) for name in cls._members)

def _members_of(cls):
    names = []
    for base in cls.__mro__:
        if base.__dict__.get('_is_protocol', False):
            for name in [*base.__dict__, *base.__dict__.get('__annotations__', {})]:
                if name not in names and name not in _inner:
                    names.append(name)
    return names

_inner = ['_is_protocol', '_is_runtime', '_members', '__module__', '__qualname__', '__doc__', '__dict__', '__annotations__', '__init__',
          '__hash__', '__orig_bases__', '__parameters__', '__slots__', '__init_subclass__', '__abstractmethods__', '__class_getitem__']

class Protocol(metaclass=_ProtocolMeta):
    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        cls._is_protocol = Protocol in cls.__bases__
        cls._is_runtime = False
        if cls._is_protocol:
            cls._members = _members_of(cls)

def runtime_checkable(cls):
    cls._is_runtime = True
    return cls

def get_type_hints(obj, globalns=None, localns=None, include_extras=False):
    """The annotations; those that are texts are names of built-in types, or stay."""
    hints = {}
    bases = obj.__mro__[::-1] if isinstance(obj, type) else [obj]
    for base in bases:
        for name, value in (base.__dict__.get('__annotations__', {}) if isinstance(obj, type) else base.__annotations__).items():
            if isinstance(value, str):
                value = _named.get(value, value)
            if getattr(value, '__metadata__', None) is not None and not include_extras:
                value = value.__origin__
            hints[name] = type(None) if value is None else value
    return hints

_named = {cls.__name__: cls for cls in (int, float, bool, str, bytes, complex, list, dict, set, tuple, frozenset, type, object)}
_named['None'] = type(None)

def assert_never(value):
    raise AssertionError(f'Expected code to be unreachable, but got: {value!r}')

def assert_type(value, typ, /):
    return value

def reveal_type(value, /):
    return value

def is_typeddict(tp):
    return isinstance(tp, type) and issubclass(tp, TypedDict)
