# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The module `importlib.util`: which packages are installed is not known, but for the modules of Triton.
import sys
from _nereid import import_module as _import_module, unknown as _unknown

class _Loader:
    def exec_module(self, module):
        pass

class _ModuleSpec:
    def __init__(self, name, module):
        self.name = name
        self.loader = _Loader()
        self._module = module

def find_spec(name, package=None):
    if name.partition('.')[0] != 'triton':
        return _unknown('importlib.util.find_spec()')
    try:
        module = _import_module(name)
    except ImportError:
        return None
    if type(module) is not type(sys):
        return _unknown('importlib.util.find_spec()')
    return _ModuleSpec(name, module)

def module_from_spec(spec):
    if type(spec) is not _ModuleSpec:
        return _unknown('importlib.util.module_from_spec()')
    return spec._module

def __getattr__(name):
    if name.startswith('__'):
        raise AttributeError(f"module 'importlib.util' has no attribute {name!r}")
    return _unknown('importlib.util.' + name)
