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
name = 'posix'
sep = '/'
linesep = '\n'

def getenv(key, default=None):
    return environ.get(key, default)

def __getattr__(name):
    if name.startswith('__'):
        raise AttributeError(f"module 'os' has no attribute {name!r}")
    return _refuse(f"'os.{name}' is not known to the converter", "remove the use: only the environment can be asked for")
