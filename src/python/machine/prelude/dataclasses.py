# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
