# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The module `packaging.version`: the order of versions. A release is before what is added to it
# (`.post1`, `+cu128`), and behind what leads to it (`.dev1`, `a1`, `b2`, `rc1`).
from functools import total_ordering as _total_ordering
from _nereid import unknown as _unknown

class InvalidVersion(ValueError):
    pass

_before = {'dev': -4, 'a': -3, 'alpha': -3, 'b': -2, 'beta': -2, 'c': -1, 'rc': -1, 'pre': -1, 'preview': -1}

def _digits(text):
    count = 0
    while count < len(text) and text[count].isdigit():
        count += 1
    return text[:count], text[count:]

def _parse(text):
    release, local = (text.strip().lower().lstrip('v').split('+', 1) + [''])[:2]
    numbers, suffixes = [], []
    rest = release
    while True:
        number, rest = _digits(rest)
        if not number:
            break
        numbers.append(int(number))
        if not rest.startswith('.') or not rest[1:2].isdigit():
            break
        rest = rest[1:]
    if not numbers:
        raise InvalidVersion(f"Invalid version: {text!r}")
    while rest:
        rest = rest.lstrip('.-_')
        count = 0
        while count < len(rest) and rest[count].isalpha():
            count += 1
        word, rest = rest[:count], rest[count:].lstrip('.-_')
        number, rest = _digits(rest)
        if word not in _before and word not in ('post', 'rev', 'r'):
            raise InvalidVersion(f"Invalid version: {text!r}")
        suffixes.append((_before.get(word, 1), int(number or 0)))
    return tuple(numbers), tuple(suffixes), local

@_total_ordering
class Version:
    # The version of a module that is not there.
    def __new__(cls, version):
        return object.__new__(cls) if isinstance(version, str) else _unknown('packaging.version.Version()')
    def __init__(self, version):
        version = self._text = str(version)
        self.release, self._suffixes, self.local = _parse(version)
        self.local = self.local or None
    @property
    def _key(self):
        numbers = list(self.release)
        while len(numbers) > 1 and numbers[-1] == 0:
            numbers.pop()
        return tuple(numbers), self._suffixes + ((0, 0),), self.local or ''
    @property
    def major(self):
        return self.release[0]
    @property
    def minor(self):
        return self.release[1] if len(self.release) > 1 else 0
    @property
    def micro(self):
        return self.release[2] if len(self.release) > 2 else 0
    @property
    def base_version(self):
        return '.'.join(map(str, self.release))
    @property
    def public(self):
        return self._text.split('+')[0]
    @property
    def is_prerelease(self):
        return any(kind < 0 for kind, number in self._suffixes)
    @property
    def is_devrelease(self):
        return any(kind == -4 for kind, number in self._suffixes)
    @property
    def is_postrelease(self):
        return any(kind == 1 for kind, number in self._suffixes)
    def __eq__(self, other):
        return self._key == other._key if isinstance(other, Version) else NotImplemented
    def __lt__(self, other):
        return self._key < other._key if isinstance(other, Version) else NotImplemented
    def __hash__(self):
        return hash(self._key)
    def __str__(self):
        return self._text
    def __repr__(self):
        return f"<Version({self._text!r})>"

def parse(version):
    return Version(version)
