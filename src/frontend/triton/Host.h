// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stands around kernels in a file: decorators, configurations and numbers for the grid.
#pragma once

#include "frontend/triton/TritonLibrary.h"

namespace nereid::triton {

/// Adds jit, autotune, heuristics, Config, cdiv, next_power_of_2, ... to the module `triton`.
void addHost(TritonLibrary &, machine::Machine &, machine::ModuleObject *,
             machine::ClassObject *functionClass, machine::ClassObject *configClass);

} // namespace nereid::triton
