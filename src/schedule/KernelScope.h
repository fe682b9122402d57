// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds operations in a scope of a kernel: before the loop that is open in it, or at its end.
#pragma once

#include "schedule/KernelBuilder.h"

namespace nereid::schedule {

/// A location that carries a name for the value made there.
mlir::Location nameLoc(llvm::StringRef name, mlir::Location loc);
/// The location without a name: what is made there folds into its user's expression.
mlir::Location plainLoc(mlir::Location loc);
/// The location of a value's own result: named when the user named the value.
mlir::Location resultLoc(const Value &value);

/// While it lives, operations are built in the given scope.
class KernelBuilder::InScope {
public:
  InScope(KernelBuilder &kernel, Scope &scope) : kernel(kernel), before(kernel.current) {
    enter(scope);
  }
  ~InScope() { enter(*before); }

private:
  void enter(Scope &scope) {
    kernel.current = &scope;
    if (scope.inner)
      kernel.builder.setInsertionPoint(scope.inner);
    else
      kernel.builder.setInsertionPointToEnd(scope.block);
  }
  KernelBuilder &kernel;
  Scope *before;
};

} // namespace nereid::schedule
