# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from _nereid import parameters as _parameters, unknown as _unknown

class _Kind(int):
    pass

class Parameter:
    empty = type('_empty', (), {})
    POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD, VAR_POSITIONAL, KEYWORD_ONLY, VAR_KEYWORD = map(_Kind, range(5))
    def __init__(self, name, kind, *, default=empty, annotation=empty):
        self.name, self.kind, self.default, self.annotation = name, kind, default, annotation

class BoundArguments:
    def __init__(self, signature, arguments):
        self.signature, self.arguments = signature, arguments
    @property
    def args(self):
        taken = []
        for name, parameter in self.signature.parameters.items():
            if name not in self.arguments or parameter.kind in (3, 4):
                break
            if parameter.kind == 2:
                taken.extend(self.arguments[name])
            else:
                taken.append(self.arguments[name])
        return tuple(taken)
    @property
    def kwargs(self):
        rest = {}
        is_behind = False
        for name, parameter in self.signature.parameters.items():
            is_behind = is_behind or name not in self.arguments or parameter.kind in (3, 4)
            if name in self.arguments and is_behind:
                if parameter.kind == 4:
                    rest.update(self.arguments[name])
                else:
                    rest[name] = self.arguments[name]
        return rest
    def apply_defaults(self):
        filled = {}
        for name, parameter in self.signature.parameters.items():
            if name in self.arguments:
                filled[name] = self.arguments[name]
            elif parameter.kind == 2:
                filled[name] = ()
            elif parameter.kind == 4:
                filled[name] = {}
            elif parameter.default is not Parameter.empty:
                filled[name] = parameter.default
        self.arguments = filled

class Signature:
    empty = Parameter.empty
    def __init__(self, parameters=(), *, return_annotation=Parameter.empty):
        self.parameters = {parameter.name: parameter for parameter in parameters}
        self.return_annotation = return_annotation
    def _bind(self, args, kwargs, is_partial):
        bound = {}
        rest, given = list(args), dict(kwargs)
        for name, parameter in self.parameters.items():
            if parameter.kind == 2:
                bound[name] = tuple(rest)
                rest = []
            elif parameter.kind == 4:
                bound[name] = given
                given = {}
            elif rest and parameter.kind in (0, 1):
                if name in given:
                    raise TypeError(f"multiple values for argument {name!r}")
                bound[name] = rest.pop(0)
            elif name in given and parameter.kind != 0:
                bound[name] = given.pop(name)
            elif parameter.default is Parameter.empty and not is_partial:
                raise TypeError(f"missing a required argument: {name!r}")
        if rest:
            raise TypeError("too many positional arguments")
        if given:
            raise TypeError(f"got an unexpected keyword argument {next(iter(given))!r}")
        return BoundArguments(self, bound)
    def bind(self, *args, **kwargs):
        return self._bind(args, kwargs, False)
    def bind_partial(self, *args, **kwargs):
        return self._bind(args, kwargs, True)

def signature(callable, *, follow_wrapped=True):
    rows = _parameters(callable)
    while follow_wrapped and rows is not None and hasattr(callable, '__wrapped__'):
        callable = callable.__wrapped__
        rows = _parameters(callable)
    if rows is None:
        return _unknown('inspect.signature()')
    return Signature([Parameter(name, _Kind(kind), **({'default': default} if has else {}))
                      for name, kind, has, default in rows])

def unwrap(func, *, stop=None):
    while _parameters(func) is not None and hasattr(func, '__wrapped__') and not (stop is not None and stop(func)):
        func = func.__wrapped__
    return func

def isfunction(object):
    return type(object) is type(signature)

def isclass(object):
    return isinstance(object, type)

def __getattr__(name):
    if name.startswith('__'):
        raise AttributeError(f"module 'inspect' has no attribute {name!r}")
    return _unknown('inspect.' + name)
