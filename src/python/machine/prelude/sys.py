# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from collections import namedtuple as _namedtuple
from _nereid import refuse as _refuse, unknown as _unknown

version_info = _namedtuple('version_info', ['major', 'minor', 'micro', 'releaselevel', 'serial'])(3, 11, 0, 'final', 0)
platform = 'linux'
byteorder = 'little'
maxsize = 2 ** 63 - 1
float_info = _namedtuple('float_info', ['max', 'min', 'epsilon', 'dig', 'mant_dig'])(1.7976931348623157e308, 2.2250738585072014e-308, 2.220446049250313e-16, 15, 53)

modules = _unknown('sys.modules')

def __getattr__(name):
    if name.startswith('__'):
        raise AttributeError(f"module 'sys' has no attribute {name!r}")
    return _refuse(f"'sys.{name}' is not known to the converter", "remove the use")
