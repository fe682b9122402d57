# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from _nereid import shallow as _shallow, attributes as _attributes

class Error(Exception):
    pass

def copy(x):
    if hasattr(type(x), '__copy__'):
        return x.__copy__()
    return _shallow(x)

def deepcopy(x, memo=None):
    memo = {} if memo is None else memo
    # Numbers of objects are not known: what was copied is found one by one.
    known = memo.setdefault(None, [])
    for old, new in known:
        if old is x:
            return new
    if hasattr(x, '__deepcopy__'):
        y = x.__deepcopy__(memo)
        known.append((x, y))
        return y
    y = _shallow(x)
    if y is x and not isinstance(x, tuple):
        return x
    if isinstance(x, list):
        known.append((x, y))
        for i in range(len(y)):
            list.__setitem__(y, i, deepcopy(list.__getitem__(y, i), memo))
    elif isinstance(x, dict):
        known.append((x, y))
        items = [(k, v) for k, v in dict.items(y)]
        dict.clear(y)
        for k, v in items:
            dict.__setitem__(y, deepcopy(k, memo), deepcopy(v, memo))
    elif isinstance(x, tuple):
        items = [deepcopy(v, memo) for v in x]
        for a, b in zip(items, x):
            if a is not b:
                break
        else:
            return x
        y = tuple.__new__(type(x), items)
        known.append((x, y))
        return y
    else:
        known.append((x, y))
    for name, value in _attributes(y).items():
        object.__setattr__(y, name, deepcopy(value, memo))
    return y
