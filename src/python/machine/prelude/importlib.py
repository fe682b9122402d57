# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from _nereid import import_module, unknown as _unknown

def __getattr__(name):
    if name.startswith('__'):
        raise AttributeError(f"module 'importlib' has no attribute {name!r}")
    return _unknown('importlib.' + name)
