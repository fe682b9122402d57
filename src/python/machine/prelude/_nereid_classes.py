# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from _nereid import attributes, read as _read, write as _write

_absent = object()

class instance_dict:
    def __init__(self, obj):
        object.__setattr__(self, '_o', obj)
    def __getitem__(self, key):
        value = _read(self._o, key, _absent)
        if value is _absent:
            raise KeyError(key)
        return value
    def __setitem__(self, key, value):
        _write(self._o, key, value)
    def __delitem__(self, key):
        if key not in attributes(self._o):
            raise KeyError(key)
        _write(self._o, key)
    def __contains__(self, key):
        return _read(self._o, key, _absent) is not _absent
    def __iter__(self):
        return iter(attributes(self._o))
    def __len__(self):
        return len(attributes(self._o))
    def __eq__(self, other):
        return attributes(self._o) == (attributes(other._o) if isinstance(other, instance_dict) else other)
    def __repr__(self):
        return repr(attributes(self._o))
    def __or__(self, other):
        return attributes(self._o) | other
    def keys(self):
        return attributes(self._o).keys()
    def values(self):
        return self.copy().values()
    def items(self):
        return self.copy().items()
    def copy(self):
        return {key: _read(self._o, key, None) for key in attributes(self._o)}
    def get(self, key, default=None):
        return _read(self._o, key, default)
    def update(self, other=(), /, **rest):
        for key, value in dict(other, **rest).items():
            _write(self._o, key, value)
    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]
    def pop(self, key, *default):
        table = attributes(self._o)
        if key in table:
            _write(self._o, key)
        return table.pop(key, *default)
    def clear(self):
        for key in attributes(self._o):
            _write(self._o, key)
