// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointwise operators of the graph on scalars and tiles.
#pragma once

#include "schedule/kernel/TileValue.h"

namespace nereid::schedule {

/// Applies a pointwise graph operator to operands of equal shapes. `types` are the graph's element
/// types of the operands (they say which integers are unsigned), `result` that of the result. Null
/// after a diagnostic when the operator has no lowering for these types.
mlir::Value applyPointwise(mlir::OpBuilder &builder, mlir::Operation *op,
                           llvm::ArrayRef<mlir::Value> operands, llvm::ArrayRef<mlir::Type> types,
                           mlir::Type result, mlir::Location loc);

/// Whether an element type has this very number: what padding may be.
bool canHold(mlir::Type element, double number);

/// What a pointwise operator makes of padding, where that is a number; operands without a known
/// padding are nullopt.
std::optional<double> padOfPointwise(mlir::Operation *op,
                                     llvm::ArrayRef<std::optional<double>> pads);

/// What the first operand should be padded with so that the result is padded with `wanted`, where
/// that is possible.
std::optional<double> padWantedOfOperand(mlir::Operation *op, std::optional<double> wanted);

/// Converts between element types as `graph.cast` does.
mlir::Value castElements(mlir::OpBuilder &builder, mlir::Value value, mlir::Type from,
                         mlir::Type to, mlir::Location loc);

} // namespace nereid::schedule
