// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialects that may stand in a module of this project: our own and the upstream ones that they
// build on.
#pragma once

namespace mlir {
class DialectRegistry;
}

namespace nereid {

void registerNereidDialects(mlir::DialectRegistry &registry);

} // namespace nereid
