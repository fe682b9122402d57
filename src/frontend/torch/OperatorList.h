// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page `nereid docs operators`: what of PyTorch is read, made from the library's own tables, so
// that it cannot differ from what the binary does.
#pragma once

#include <string>

namespace mlir {
class MLIRContext;
}

namespace nereid::torch {

/// The page as Markdown; empty when a prelude cannot be read.
std::string listOperators(mlir::MLIRContext *context);

} // namespace nereid::torch
