# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def abstractmethod(funcobj):
    funcobj.__isabstractmethod__ = True
    return funcobj

class abstractproperty(property):
    pass

class ABCMeta(type):
    def register(cls, subclass):
        cls._abc_registry = [*cls.__dict__.get('_abc_registry', ()), subclass]
        return subclass
    def __instancecheck__(cls, instance):
        return ABCMeta.__subclasscheck__(cls, type(instance))
    def __subclasscheck__(cls, subclass):
        hook = getattr(cls, '__subclasshook__', None)
        if hook is not None:
            found = hook(subclass)
            if found is not NotImplemented:
                return True if found else False
        if cls in subclass.__mro__:
            return True
        for each in [*cls.__dict__.get('_abc_registry', ()), *cls.__dict__.get('_abc_derived', ())]:
            if issubclass(subclass, each):
                return True
        return False

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
        for base in cls.__mro__[1:]:
            # What is registered with a class counts for its bases, too.
            if base is not ABC and isinstance(type(base), type) and type(base) is ABCMeta and '_abc_derived' in base.__dict__:
                base._abc_derived = [*base._abc_derived, cls]
        cls._abc_derived = []
