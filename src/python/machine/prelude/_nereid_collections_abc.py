# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The module `collections.abc`.
from _nereid_abc import ABC, abstractmethod
from _nereid import has_method as _has_method

def _has(cls, *methods):
    for method in methods:
        if not _has_method(cls, method):
            return NotImplemented
    return True

class Hashable(ABC):
    @abstractmethod
    def __hash__(self):
        return 0
    @classmethod
    def __subclasshook__(cls, other):
        return _has(other, '__hash__') if cls is Hashable else NotImplemented

class Iterable(ABC):
    @abstractmethod
    def __iter__(self):
        while False:
            yield None
    @classmethod
    def __subclasshook__(cls, other):
        return _has(other, '__iter__') if cls is Iterable else NotImplemented

class Iterator(Iterable):
    @abstractmethod
    def __next__(self):
        raise StopIteration
    def __iter__(self):
        return self
    @classmethod
    def __subclasshook__(cls, other):
        return _has(other, '__iter__', '__next__') if cls is Iterator else NotImplemented

class Reversible(Iterable):
    @abstractmethod
    def __reversed__(self):
        while False:
            yield None
    @classmethod
    def __subclasshook__(cls, other):
        return _has(other, '__reversed__', '__iter__') if cls is Reversible else NotImplemented

class Generator(Iterator):
    def __next__(self):
        return self.send(None)
    @abstractmethod
    def send(self, value):
        raise StopIteration
    @abstractmethod
    def throw(self, typ, val=None, tb=None):
        raise StopIteration
    @classmethod
    def __subclasshook__(cls, other):
        return _has(other, '__iter__', '__next__', 'send', 'throw', 'close') if cls is Generator else NotImplemented

class Awaitable(ABC):
    @classmethod
    def __subclasshook__(cls, other):
        return _has(other, '__await__') if cls is Awaitable else NotImplemented

class Coroutine(Awaitable):
    pass

class AsyncIterable(ABC):
    @classmethod
    def __subclasshook__(cls, other):
        return _has(other, '__aiter__') if cls is AsyncIterable else NotImplemented

class AsyncIterator(AsyncIterable):
    pass

class AsyncGenerator(AsyncIterator):
    pass

class Sized(ABC):
    @abstractmethod
    def __len__(self):
        return 0
    @classmethod
    def __subclasshook__(cls, other):
        return _has(other, '__len__') if cls is Sized else NotImplemented

class Container(ABC):
    @abstractmethod
    def __contains__(self, x):
        return False
    @classmethod
    def __subclasshook__(cls, other):
        return _has(other, '__contains__') if cls is Container else NotImplemented

class Collection(Sized, Iterable, Container):
    @classmethod
    def __subclasshook__(cls, other):
        return _has(other, '__len__', '__iter__', '__contains__') if cls is Collection else NotImplemented

class Callable(ABC):
    @abstractmethod
    def __call__(self, *args, **kwds):
        return False
    @classmethod
    def __subclasshook__(cls, other):
        return _has(other, '__call__') if cls is Callable else NotImplemented

class Buffer(ABC):
    pass

class Set(Collection):
    def __le__(self, other):
        return all(e in other for e in self) if isinstance(other, (Set, set)) else NotImplemented
    def __lt__(self, other):
        return len(self) < len(other) and self <= other if isinstance(other, (Set, set)) else NotImplemented
    def __ge__(self, other):
        return all(e in self for e in other) if isinstance(other, (Set, set)) else NotImplemented
    def __gt__(self, other):
        return len(self) > len(other) and self >= other if isinstance(other, (Set, set)) else NotImplemented
    def __eq__(self, other):
        return len(self) == len(other) and self <= other if isinstance(other, (Set, set)) else NotImplemented
    @classmethod
    def _from_iterable(cls, it):
        return cls(it)
    def __and__(self, other):
        return self._from_iterable([value for value in other if value in self])
    def __or__(self, other):
        return self._from_iterable([*self, *other])
    def __sub__(self, other):
        return self._from_iterable([value for value in self if value not in other])
    def __xor__(self, other):
        return (self - other) | (other - self)
    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__
    def isdisjoint(self, other):
        return not any(value in self for value in other)

class MutableSet(Set):
    @abstractmethod
    def add(self, value):
        raise NotImplementedError
    @abstractmethod
    def discard(self, value):
        raise NotImplementedError
    def remove(self, value):
        if value not in self:
            raise KeyError(value)
        self.discard(value)
    def pop(self):
        for value in self:
            self.discard(value)
            return value
        raise KeyError
    def clear(self):
        for value in [*self]:
            self.discard(value)
    def __ior__(self, it):
        for value in it:
            self.add(value)
        return self

class Mapping(Collection):
    @abstractmethod
    def __getitem__(self, key):
        raise KeyError
    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default
    def __contains__(self, key):
        try:
            self[key]
        except KeyError:
            return False
        return True
    def keys(self):
        return KeysView(self)
    def items(self):
        return ItemsView(self)
    def values(self):
        return ValuesView(self)
    def __eq__(self, other):
        if not isinstance(other, Mapping):
            return NotImplemented
        return dict(self.items()) == dict(other.items())
    __reversed__ = None

class MutableMapping(Mapping):
    @abstractmethod
    def __setitem__(self, key, value):
        raise KeyError
    @abstractmethod
    def __delitem__(self, key):
        raise KeyError
    def pop(self, key, default=...):
        try:
            value = self[key]
        except KeyError:
            if default is ...:
                raise
            return default
        del self[key]
        return value
    def popitem(self):
        for key in self:
            value = self[key]
            del self[key]
            return key, value
        raise KeyError
    def clear(self):
        for key in [*self]:
            del self[key]
    def update(self, other=(), /, **kwds):
        if isinstance(other, Mapping) or hasattr(other, 'keys'):
            for key in other.keys():
                self[key] = other[key]
        else:
            for key, value in other:
                self[key] = value
        for key, value in kwds.items():
            self[key] = value
    def setdefault(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            self[key] = default
        return default

class MappingView(Sized):
    def __init__(self, mapping):
        self._mapping = mapping
    def __len__(self):
        return len(self._mapping)
    def __repr__(self):
        return f"{type(self).__name__}({self._mapping!r})"

class KeysView(MappingView, Set):
    def __contains__(self, key):
        return key in self._mapping
    def __iter__(self):
        yield from self._mapping
    @classmethod
    def _from_iterable(cls, it):
        return set(it)

class ItemsView(MappingView, Set):
    def __contains__(self, item):
        key, value = item
        return key in self._mapping and self._mapping[key] == value
    def __iter__(self):
        for key in self._mapping:
            yield (key, self._mapping[key])
    @classmethod
    def _from_iterable(cls, it):
        return set(it)

class ValuesView(MappingView, Collection):
    def __contains__(self, value):
        return any(value == self._mapping[key] for key in self._mapping)
    def __iter__(self):
        for key in self._mapping:
            yield self._mapping[key]

class Sequence(Reversible, Collection):
    @abstractmethod
    def __getitem__(self, index):
        raise IndexError
    def __iter__(self):
        i = 0
        while True:
            try:
                value = self[i]
            except IndexError:
                return
            yield value
            i += 1
    def __contains__(self, value):
        return any(v is value or v == value for v in self)
    def __reversed__(self):
        for i in reversed(range(len(self))):
            yield self[i]
    def index(self, value, start=0, stop=None):
        for i in range(len(self))[start:stop]:
            if self[i] is value or self[i] == value:
                return i
        raise ValueError
    def count(self, value):
        return sum(1 for v in self if v is value or v == value)

class ByteString(Sequence):
    pass

class MutableSequence(Sequence):
    @abstractmethod
    def __setitem__(self, index, value):
        raise IndexError
    @abstractmethod
    def __delitem__(self, index):
        raise IndexError
    @abstractmethod
    def insert(self, index, value):
        raise IndexError
    def append(self, value):
        self.insert(len(self), value)
    def clear(self):
        while len(self):
            self.pop()
    def reverse(self):
        n = len(self)
        for i in range(n // 2):
            self[i], self[n - i - 1] = self[n - i - 1], self[i]
    def extend(self, values):
        for value in [*values]:
            self.append(value)
    def pop(self, index=-1):
        value = self[index]
        del self[index]
        return value
    def remove(self, value):
        del self[self.index(value)]
    def __iadd__(self, values):
        self.extend(values)
        return self

for _cls in (tuple, str, range, bytes):
    Sequence.register(_cls)
ByteString.register(bytes)
MutableSequence.register(list)
MutableMapping.register(dict)
Set.register(frozenset)
MutableSet.register(set)
KeysView.register(type({}.keys()))
ItemsView.register(type({}.items()))
ValuesView.register(type({}.values()))
