// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where values come from, and the names that users gave them, which locations carry.
#pragma once

#include "mlir/IR/Location.h"

namespace nereid::schedule {

/// A location that carries a name for the value made there.
mlir::Location nameLoc(llvm::StringRef name, mlir::Location loc);
/// The location without a name: what is made there folds into its user's expression.
mlir::Location plainLoc(mlir::Location loc);

} // namespace nereid::schedule
