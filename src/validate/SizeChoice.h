// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values for the size symbols of a graph program, so that all its inputs fit together: the symbol
// that is the last axis of most inputs takes the wished size, the others small values, and all
// requirements of the program hold.
#pragma once

#include "graph/GraphDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace nereid::validate {

/// No input holds more elements.
constexpr int64_t mostElements = int64_t(1) << 20;
/// At the typical sizes, and where the last axis is given and others grow, fewer suffice: enough
/// for several programs of the grid along each axis.
constexpr int64_t mostTypicalElements = int64_t(1) << 17;

struct SizeChoice {
  llvm::DenseMap<index::Expr, int64_t> values;
  /// Why no values fit; empty when they do.
  std::string refusal;

  /// The sizes of a tensor type under the values.
  llvm::SmallVector<int64_t> sizesOf(graph::TensorType type) const;
  /// `M = 5, N = 64`.
  std::string str() const;
};

/// Values for a wished size of the last axis and of the first other one, or for `hintedSize` the
/// hints scaled down. Where an input would have no elements, `kernelChecks` hold too if that is
/// possible: kernels ask for even divisions that nothing is divided by then. Sizes that `limits`
/// bound are at most those of the hints; another one takes the wished size in their place.
SizeChoice chooseSizes(mlir::func::FuncOp program, int64_t size, int64_t batch,
                       llvm::ArrayRef<index::Pred> kernelChecks = {},
                       llvm::ArrayRef<index::Pred> limits = {});

} // namespace nereid::validate
