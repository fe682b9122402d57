# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The module `importlib.util`: which packages are installed is not known.
from _nereid import unknown as _unknown

def __getattr__(name):
    if name.startswith('__'):
        raise AttributeError(f"module 'importlib.util' has no attribute {name!r}")
    return _unknown('importlib.util.' + name)
