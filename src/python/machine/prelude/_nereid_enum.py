# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
