# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import _nereid_packaging_version as version
from _nereid import unknown as _unknown

def __getattr__(name):
    if name.startswith('__'):
        raise AttributeError(f"module 'packaging' has no attribute {name!r}")
    return _unknown('packaging.' + name)
