// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The function that a name on the command line means: itself, or the wrapper of a kernel.
#pragma once

#include "python/Ast.h"
#include "support/Diagnostic.h"

#include "llvm/ADT/DenseSet.h"

namespace nereid::eager {

/// A function at the top of the file, or `forward` of a class there. Of a kernel: the public
/// function that launches it, or that comes to such a launch by calls in the file, and that no
/// other such function calls. An empty name: the only wrapper in the file. Null after an error.
const python::FunctionDef *findWrapper(const python::ParsedFile &file, llvm::StringRef name,
                                       const llvm::DenseSet<const python::FunctionDef *> &kernels,
                                       Diagnostics &diagnostics);

} // namespace nereid::eager
