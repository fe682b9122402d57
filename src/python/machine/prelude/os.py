# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from _nereid import getenv as _getenv, refuse as _refuse

class _Environ:
    """The environment of the conversion; it cannot be changed."""
    def get(self, name, default=None):
        value = _getenv(name)
        return default if value is None else value
    def __getitem__(self, name):
        value = _getenv(name)
        if value is None:
            raise KeyError(name)
        return value
    def __contains__(self, name):
        return _getenv(name) is not None

environ = _Environ()

class _Path:
    """Names of files, as texts."""
    sep, altsep, curdir, pardir, extsep = '/', None, '.', '..', '.'
    @staticmethod
    def join(a, *p):
        path = a
        for b in p:
            if b.startswith('/'):
                path = b
            elif not path or path.endswith('/'):
                path += b
            else:
                path += '/' + b
        return path
    @staticmethod
    def split(p):
        i = p.rfind('/') + 1
        head, tail = p[:i], p[i:]
        if head and head != '/' * len(head):
            head = head.rstrip('/')
        return head, tail
    @staticmethod
    def basename(p):
        return p[p.rfind('/') + 1:]
    @staticmethod
    def dirname(p):
        return _Path.split(p)[0]
    @staticmethod
    def splitext(p):
        base = p.rfind('/') + 1
        dot = p.rfind('.')
        if dot > base and p[base:dot].strip('.'):
            return p[:dot], p[dot:]
        return p, ''
    @staticmethod
    def isabs(s):
        return s.startswith('/')
    @staticmethod
    def normpath(path):
        if not path:
            return '.'
        slashes = '//' if path.startswith('//') and not path.startswith('///') else '/' if path.startswith('/') else ''
        parts = []
        for part in path.split('/'):
            if part in ('', '.'):
                continue
            if part != '..' or (not slashes and not parts) or (parts and parts[-1] == '..'):
                parts.append(part)
            elif parts:
                parts.pop()
        return slashes + '/'.join(parts) or '.'
    @staticmethod
    def normcase(s):
        return s
    @staticmethod
    def commonprefix(m):
        if not m:
            return ''
        first, last = min(m), max(m)
        for i, c in enumerate(first):
            if c != last[i]:
                return first[:i]
        return first
    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(f"module 'posixpath' has no attribute {name!r}")
        return _refuse(f"'os.path.{name}' is not known to the converter", "remove the use: files are not looked at while a program is read")

path = _Path()

def fspath(path):
    return path if isinstance(path, (str, bytes)) else path.__fspath__()

name = 'posix'
sep = '/'
linesep = '\n'

def getenv(key, default=None):
    return environ.get(key, default)

def __getattr__(name):
    if name.startswith('__'):
        raise AttributeError(f"module 'os' has no attribute {name!r}")
    return _refuse(f"'os.{name}' is not known to the converter", "remove the use: only the environment can be asked for")
