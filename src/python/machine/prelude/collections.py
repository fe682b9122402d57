# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from _nereid import define as _define
import _nereid_collections_abc as abc

class OrderedDict(dict):
    def move_to_end(self, key, last=True):
        value = self.pop(key)
        if last:
            self[key] = value
        else:
            rest = list(self.items())
            self.clear()
            self[key] = value
            self.update(rest)
    def popitem(self, last=True):
        if not self:
            raise KeyError('dictionary is empty')
        key = list(self)[-1 if last else 0]
        return key, self.pop(key)
    def copy(self):
        return type(self)(self)
    def __repr__(self):
        return f"{type(self).__name__}({list(self.items())!r})" if self else f"{type(self).__name__}()"

class defaultdict(dict):
    def __init__(self, default_factory=None, /, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.default_factory = default_factory
    def __missing__(self, key):
        if self.default_factory is None:
            raise KeyError(key)
        value = self.default_factory()
        self[key] = value
        return value
    def copy(self):
        return type(self)(self.default_factory, self)
    def __repr__(self):
        return f"defaultdict({self.default_factory!r}, {dict(self)!r})"

class Counter(dict):
    def __init__(self, iterable=(), /, **kwds):
        super().__init__()
        self.update(iterable, **kwds)
    def __missing__(self, key):
        return 0
    def update(self, iterable=(), /, **kwds):
        if isinstance(iterable, dict):
            for key, count in iterable.items():
                self[key] = self[key] + count
        else:
            for element in iterable:
                self[element] = self[element] + 1
        for key, count in kwds.items():
            self[key] = self[key] + count
    def subtract(self, iterable=(), /):
        for key, count in (iterable.items() if isinstance(iterable, dict) else ((e, 1) for e in iterable)):
            self[key] = self[key] - count
    def most_common(self, n=None):
        ordered = sorted(self.items(), key=lambda item: item[1], reverse=True)
        return ordered if n is None else ordered[:n]
    def elements(self):
        for key, count in self.items():
            for i in range(count):
                yield key
    def total(self):
        return sum(self.values())
    def __add__(self, other):
        result = Counter()
        for key in list(self) + [k for k in other if k not in self]:
            if self[key] + other[key] > 0:
                result[key] = self[key] + other[key]
        return result
    def __sub__(self, other):
        result = Counter()
        for key in list(self) + [k for k in other if k not in self]:
            if self[key] - other[key] > 0:
                result[key] = self[key] - other[key]
        return result
    def __and__(self, other):
        return Counter({key: min(count, other[key]) for key, count in self.items() if min(count, other[key]) > 0})
    def __or__(self, other):
        keys = list(self) + [k for k in other if k not in self]
        return Counter({key: max(self[key], other[key]) for key in keys if max(self[key], other[key]) > 0})
    def copy(self):
        return type(self)(self)
    def __repr__(self):
        if not self:
            return "Counter()"
        return "Counter(" + repr(dict(self.most_common())) + ")"

class ChainMap(abc.MutableMapping):
    def __init__(self, *maps):
        self.maps = list(maps) or [{}]
    def __getitem__(self, key):
        for m in self.maps:
            if key in m:
                return m[key]
        raise KeyError(key)
    def __setitem__(self, key, value):
        self.maps[0][key] = value
    def __delitem__(self, key):
        del self.maps[0][key]
    def __contains__(self, key):
        return any(key in m for m in self.maps)
    def get(self, key, default=None):
        return self[key] if key in self else default
    def __iter__(self):
        found = {}
        for m in self.maps[::-1]:
            found |= dict.fromkeys(m)
        return iter(found)
    def __len__(self):
        return len([*self])
    def new_child(self, m=None, **kwargs):
        return type(self)({**(m or {}), **kwargs}, *self.maps)
    @property
    def parents(self):
        return type(self)(*self.maps[1:])

class UserDict(abc.MutableMapping):
    def __init__(self, dict=None, /, **kwargs):
        self.data = {}
        if dict is not None:
            self.update(dict)
        if kwargs:
            self.update(kwargs)
    def __len__(self):
        return len(self.data)
    def __getitem__(self, key):
        if key in self.data:
            return self.data[key]
        if hasattr(type(self), '__missing__'):
            return type(self).__missing__(self, key)
        raise KeyError(key)
    def __setitem__(self, key, item):
        self.data[key] = item
    def __delitem__(self, key):
        del self.data[key]
    def __iter__(self):
        return iter(self.data)
    def __contains__(self, key):
        return key in self.data
    def __repr__(self):
        return repr(self.data)
    def copy(self):
        return type(self)(self.data)

class UserList(abc.MutableSequence):
    def __init__(self, initlist=None):
        self.data = [] if initlist is None else [*initlist]
    def __len__(self):
        return len(self.data)
    def __getitem__(self, i):
        return type(self)(self.data[i]) if isinstance(i, slice) else self.data[i]
    def __setitem__(self, i, item):
        self.data[i] = item
    def __delitem__(self, i):
        del self.data[i]
    def insert(self, i, item):
        self.data.insert(i, item)
    def __eq__(self, other):
        return self.data == (other.data if isinstance(other, UserList) else other)
    def __repr__(self):
        return repr(self.data)

class deque(list):
    def __init__(self, iterable=(), maxlen=None):
        super().__init__(iterable)
        self.maxlen = maxlen
        self._trim(True)
    def _trim(self, left):
        if self.maxlen is not None:
            while len(self) > self.maxlen:
                list.pop(self, 0 if left else -1)
    def append(self, x):
        list.append(self, x)
        self._trim(True)
    def appendleft(self, x):
        list.insert(self, 0, x)
        self._trim(False)
    def extend(self, xs):
        for x in xs:
            self.append(x)
    def extendleft(self, xs):
        for x in xs:
            self.appendleft(x)
    def pop(self):
        if not self:
            raise IndexError('pop from an empty deque')
        return list.pop(self)
    def popleft(self):
        if not self:
            raise IndexError('pop from an empty deque')
        return list.pop(self, 0)
    def rotate(self, n=1):
        for i in range(n % len(self) if self else 0):
            list.insert(self, 0, list.pop(self))
    def __repr__(self):
        tail = "" if self.maxlen is None else f", maxlen={self.maxlen}"
        return f"deque({list(self)!r}{tail})"

def _make_named(typename, fields, defaults, namespace):
    def _asdict(self):
        return dict(zip(self._fields, self))
    def _replace(self, /, **kwds):
        result = self._make(map(kwds.pop, fields, self))
        if kwds:
            raise ValueError(f'Got unexpected field names: {list(kwds)!r}')
        return result
    def _make(cls, iterable):
        result = tuple.__new__(cls, iterable)
        if len(result) != len(fields):
            raise TypeError(f'Expected {len(fields)} arguments, got {len(result)}')
        return result
    def __repr__(self):
        return type(self).__name__ + '(' + ', '.join(f'{n}={v!r}' for n, v in zip(fields, self)) + ')'
    def __getnewargs__(self):
        return tuple(self)
    names = {'_new': tuple.__new__}
    parameters = []
    for name in fields:
        if name in defaults:
            names['_default_' + name] = defaults[name]
            parameters.append(f'{name}=_default_{name}')
        else:
            parameters.append(name)
    text = f"def __new__(_cls, {', '.join(parameters)}):\n    return _new(_cls, ({', '.join(fields)}{',' if fields else ''}))\n"
    body = {'__new__': _define(text, names, typename + '.__new__'), '_fields': tuple(fields), '_field_defaults': dict(defaults),
            '__match_args__': tuple(fields), '_asdict': _asdict, '_replace': _replace, '_make': classmethod(_make), '__repr__': __repr__}
    def getter(i):
        return property(lambda self: tuple.__getitem__(self, i))
    for i, name in enumerate(fields):
        body[name] = getter(i)
    for name, value in namespace.items():
        if name not in fields:
            body[name] = value
    return type(typename, (tuple,), body)

def namedtuple(typename, field_names, *, rename=False, defaults=None, module=None):
    if isinstance(field_names, str):
        field_names = field_names.replace(',', ' ').split()
    fields = [str(name) for name in field_names]
    if rename:
        fields = [name if name.isidentifier() and not name.startswith('_') and name not in fields[:i] else f'_{i}' for i, name in enumerate(fields)]
    seen = set()
    for name in fields:
        if name.startswith('_') and not rename:
            raise ValueError(f'Field names cannot start with an underscore: {name!r}')
        if name in seen:
            raise ValueError(f'Encountered duplicate field name: {name!r}')
        seen.add(name)
    defaults = tuple(defaults or ())
    if len(defaults) > len(fields):
        raise TypeError('Got more default values than field names')
    return _make_named(typename, fields, dict(zip(fields[len(fields) - len(defaults):], defaults)), {})

def _named_tuple_class(typename, namespace):
    fields = list(namespace.get('__annotations__', {}))
    return _make_named(typename, fields, {n: namespace[n] for n in fields if n in namespace}, namespace)

def _named_tuple_of(typename, fields=(), **kwargs):
    return namedtuple(typename, [name for name, _ in (fields or kwargs.items())])
