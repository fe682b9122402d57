# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from _nereid_abc import *
