# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `triton.aggregate`: values of a kernel under one name. What it makes of a class is a tuple whose
# fields have names, which the constructor of the class gives; jit functions in it are its methods.
from collections import _named_tuple_class, namedtuple

from triton.language.core import _method, constexpr, tensor


class _Fields:
    pass


_own = ('__annotations__', '__init__', '__new__', '__module__', '__doc__', '__qualname__', '__dict__', '__weakref__')


def _is(annotation, cls, name):
    return annotation is cls or isinstance(annotation, str) and annotation.endswith(name)


def _check(cls, name, annotation, value):
    if _is(annotation, constexpr, 'constexpr') and isinstance(value, tensor):
        raise TypeError(f"the field {name} of {cls} is a constexpr, found a value that is only known when the kernel runs")
    if _is(annotation, tensor, 'tl.tensor') and not isinstance(value, tensor):
        raise TypeError(f"the field {name} of {cls} is a tensor, found a constexpr")


def _arguments(cls, fields, defaults, args, kwargs):
    if len(args) > len(fields):
        raise TypeError(f'{cls}.__init__() takes {len(fields)} arguments but {len(args)} were given')
    given = dict(zip(fields, args))
    for name, value in kwargs.items():
        if name not in fields:
            raise TypeError(f"{cls}.__init__() got an unexpected keyword argument '{name}'")
        if name in given:
            raise TypeError(f"{cls}.__init__() got multiple values for argument '{name}'")
        given[name] = value
    for name in fields:
        if name not in given and name not in defaults:
            raise TypeError(f"{cls}.__init__() missing required argument: '{name}'")
    return {name: given[name] if name in given else defaults[name] for name in fields}


def aggregate(cls):
    fields, defaults, members = {}, {}, {}
    for base in reversed(cls.__mro__[1:]):
        if base is object or base is tuple:
            continue
        if not hasattr(base, '_aggregate_fields'):
            raise TypeError(f'aggregates inherit from aggregates alone, found {base.__name__}')
        fields.update(base._aggregate_fields)
        defaults.update(base._aggregate_defaults)
        members.update(base._aggregate_members)
    own = cls.__dict__
    fields.update(own.get('__annotations__', {}))
    init = own.get('__init__')
    init = getattr(init, 'fn', init)
    for name, value in own.items():
        if name in fields:
            defaults[name] = value
        elif name not in _own:
            members[name] = _method(value)
    known = {'_aggregate_fields': fields, '_aggregate_defaults': defaults, '_aggregate_members': members}
    made = _named_tuple_class(cls.__name__, {'__annotations__': fields, **members, **known})

    def new(made, *args, **kwargs):
        if init is None:
            values = _arguments(cls.__name__, fields, defaults, args, kwargs)
        else:
            under = _Fields()
            init(under, *args, **kwargs)
            values = under.__dict__
        for name in values:
            if name not in fields:
                raise AttributeError(f"{cls.__name__} has no field '{name}'")
        for name, annotation in fields.items():
            if name not in values:
                raise AttributeError(f"the constructor of {cls.__name__} does not set '{name}'")
            _check(cls.__name__, name, annotation, values[name])
        return tuple.__new__(made, [values[name] for name in fields])

    made.__new__ = new
    return made


def aggregate_replace(instance, **changes):
    values = {name: getattr(instance, name) for name in instance._aggregate_fields}
    for name in changes:
        if name not in values:
            raise TypeError(f"{type(instance).__name__} has no field '{name}'")
    return type(instance)(**{**values, **changes})


def _named(name, fields):
    return namedtuple(name, fields)
