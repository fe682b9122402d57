# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
class EnumMeta(type):
    def __iter__(cls):
        if issubclass(cls, Flag):
            return iter(cls._canonical())
        return iter([m for n, m in cls._member_map_.items() if n == m._name_])
    def __len__(cls):
        return len([*cls])
    def __contains__(cls, item):
        return isinstance(item, cls) or any(m._value_ == item for m in cls._member_map_.values())
    def __getitem__(cls, name):
        if name in cls._member_map_:
            return cls._member_map_[name]
        raise KeyError(name)
    def __call__(cls, value, names=None, *, module=None, qualname=None, type=None, start=1, boundary=None):
        if names is not None:
            return _functional(cls, value, names, start)
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

def _functional(cls, name, names, start):
    """`Enum("Color", "RED GREEN")`."""
    if isinstance(names, str):
        names = names.replace(',', ' ').split()
    if isinstance(names, dict):
        members = dict(names)
    else:
        members, made = {}, []
        for item in names:
            if isinstance(item, (tuple, list)):
                members[item[0]] = item[1]
            else:
                members[item] = cls._generate_next_value_(item, start, len(made), made) if made or issubclass(cls, StrEnum) else start
                made.append(members[item])
    return type(name, (cls,), members)

class _Deferred:
    """A value in a class body that hangs on members whose values the class gives: `A | B`."""
    def __init__(self, compute):
        self.compute = compute
    def __or__(self, other):
        return _Deferred(lambda: _settled(self) | _settled(other))
    def __and__(self, other):
        return _Deferred(lambda: _settled(self) & _settled(other))
    def __xor__(self, other):
        return _Deferred(lambda: _settled(self) ^ _settled(other))
    def __invert__(self):
        return _Deferred(lambda: ~_settled(self))
    __ror__, __rand__, __rxor__ = __or__, __and__, __xor__

def _settled(value):
    return value.compute() if isinstance(value, _Deferred) else value

class auto(_Deferred):
    def __init__(self):
        self.value = None
    def compute(self):
        return self.value

def unique(cls):
    return cls

class nonmember:
    def __init__(self, value):
        self.value = value

class member:
    def __init__(self, value):
        self.value = value

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
        for name in ('__repr__', '__str__', '__format__') if mixin else ():
            # Enum says how members look, not the class of their values.
            if not any(name in base.__dict__ for base in cls.__mro__[:cls.__mro__.index(mixin)]):
                setattr(cls, name, Enum.__dict__[name])
        for name, value in list(cls.__dict__.items()):
            if name.startswith('_') or (callable(value) and not isinstance(value, member)) or isinstance(value, (property, staticmethod, classmethod)) or hasattr(value, '__get__'):
                continue
            if isinstance(value, nonmember):
                setattr(cls, name, value.value)
                continue
            if isinstance(value, member):
                value = value.value
            if isinstance(value, auto):
                value.value = cls._generate_next_value_(name, 1, len(values), values)
            value = _settled(value)
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

def _bits(value):
    return [1 << place for place in range(value.bit_length()) if value >> place & 1]

class Flag(Enum):
    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        return 1 << max(last_values).bit_length() if last_values else start
    @classmethod
    def _missing_(cls, value):
        """Members that are several at once, or none, are made when they are first asked for."""
        if not isinstance(value, int):
            return None
        every = cls._every()
        if value < 0:
            value &= every
        if value & ~every and not issubclass(cls, int):
            raise ValueError(f"{value!r} is not a valid {cls.__qualname__}")
        for known in [*cls._member_map_.values(), *cls.__dict__.get('_made_', [])]:
            if known._value_ == value:
                return known
        made = int.__new__(cls, value) if issubclass(cls, int) else object.__new__(cls)
        made._value_ = value
        names = [m._name_ for m in cls._canonical() if m._value_ & value]
        made._name_ = '|'.join(names) if names else None
        cls._made_ = [*cls.__dict__.get('_made_', []), made]
        return made
    @classmethod
    def _canonical(cls):
        return [m for n, m in cls._member_map_.items() if n == m._name_ and len(_bits(m._value_)) == 1]
    @classmethod
    def _every(cls):
        every = 0
        for member in cls._member_map_.values():
            every |= member._value_
        return every
    def _with(self, other, combine):
        value = other._value_ if isinstance(other, Flag) else other
        if not isinstance(other, type(self)) and not (isinstance(self, int) and isinstance(value, int)):
            return NotImplemented
        return type(self)(combine(self._value_, value))
    def __or__(self, other):
        return self._with(other, lambda a, b: a | b)
    def __and__(self, other):
        return self._with(other, lambda a, b: a & b)
    def __xor__(self, other):
        return self._with(other, lambda a, b: a ^ b)
    __ror__, __rand__, __rxor__ = __or__, __and__, __xor__
    def __invert__(self):
        return type(self)(type(self)._every() & ~self._value_)
    def __contains__(self, other):
        return other._value_ & self._value_ == other._value_
    def __iter__(self):
        return iter([m for m in type(self)._canonical() if m._value_ & self._value_])
    def __len__(self):
        return len(_bits(self._value_))
    def __bool__(self):
        return self._value_ != 0
    def __str__(self):
        return f"{type(self).__name__}({self._value_})" if self._name_ is None else f"{type(self).__name__}.{self._name_}"
    def __repr__(self):
        name = type(self).__name__ if self._name_ is None else f"{type(self).__name__}.{self._name_}"
        return f"<{name}: {self._value_!r}>"
    def __hash__(self):
        return hash(self._value_)

class IntFlag(int, Flag):
    # int comes first, and has all of these.
    __or__ = __ror__ = Flag.__or__
    __and__ = __rand__ = Flag.__and__
    __xor__ = __rxor__ = Flag.__xor__
    __invert__, __bool__, __repr__ = Flag.__invert__, Flag.__bool__, Flag.__repr__
    __str__, __format__, __hash__, __eq__ = IntEnum.__str__, IntEnum.__format__, IntEnum.__hash__, IntEnum.__eq__
