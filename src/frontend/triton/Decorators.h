// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose own decorators cannot be evaluated (an autotune list that comes from a package
// which is not there) are still kernels: their file is read again without these decorators.
#pragma once

#include "python/machine/Machine.h"

namespace nereid::triton {

/// The text of the module's file in which the decorators beside @triton.jit of functions that could
/// not be defined are blank; null when there are none. Warns about each.
std::shared_ptr<const SourceFile> blankFailedDecorators(machine::Machine &machine,
                                                        machine::ModuleObject &module,
                                                        Diagnostics &diagnostics);

} // namespace nereid::triton
