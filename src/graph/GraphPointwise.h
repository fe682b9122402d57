// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pointwise operators of the graph dialect: which they are, and what they do to single
// elements, by name, which GraphEvaluator applies to whole arrays.
#pragma once

#include "mlir/IR/Types.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace mlir {
class Operation;
}

namespace nereid::graph {

/// Whether an operator makes each element of its result from the elements at the same place of its
/// operands, all of the same sizes: those of GraphPointwiseOps.td.
bool isPointwise(mlir::Operation *op);

using RealUnary = double (*)(double);
using RealBinary = double (*)(double, double);
using RealTest = bool (*)(double, double);
using IntegerUnary = int64_t (*)(int64_t);
using IntegerBinary = int64_t (*)(int64_t, int64_t);

/// `name` without the dialect (`exp`); null when there is no such operator on such elements.
RealUnary findRealUnary(llvm::StringRef name);
/// `isSingle`: the operands are float32, which only nextafter asks.
RealBinary findRealBinary(llvm::StringRef name, bool isSingle);
RealTest findRealTest(llvm::StringRef name);
IntegerUnary findIntegerUnary(llvm::StringRef name);
/// 64-bit unsigned operands have their own division and comparison.
IntegerBinary findIntegerBinary(llvm::StringRef name, bool isUnsigned64);
/// Of two integers: 0 or 1.
IntegerBinary findIntegerTest(llvm::StringRef name, bool isUnsigned64);

} // namespace nereid::graph
