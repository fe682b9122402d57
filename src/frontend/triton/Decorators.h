// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose own decorators cannot be evaluated (an autotune list that comes from a package
// which is not there), or are wrapped in an object that launches them, are still kernels: their
// file is read again without these decorators.
#pragma once

#include "python/machine/Machine.h"

namespace nereid::triton {

/// The text of the module's file in which some decorators are blank, of functions under @triton.jit
/// that are no kernels: those above Triton's own, else all beside @triton.jit, with a warning for
/// each. Null when there are none.
std::shared_ptr<const SourceFile> blankFailedDecorators(machine::Machine &machine,
                                                        machine::ModuleObject &module,
                                                        Diagnostics &diagnostics);

} // namespace nereid::triton
