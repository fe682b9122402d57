# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The module `importlib.metadata`: a package's version is that of its module.
from _nereid import import_module as _import_module, unknown as _unknown

def version(distribution_name):
    return _import_module(distribution_name).__version__

def __getattr__(name):
    if name.startswith('__'):
        raise AttributeError(f"module 'importlib.metadata' has no attribute {name!r}")
    return _unknown('importlib.metadata.' + name)
