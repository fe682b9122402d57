// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arrays that the graph evaluator computes with: row-major, floating-point elements held as
// float64 and integers as int64 whatever the element type, and their exchange with raw bytes.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace nereid::graph {

struct Array {
  llvm::SmallVector<int64_t, 6> shape;
  mlir::Type elementType;
  /// The elements of a floating-point array.
  std::vector<double> reals;
  /// The elements of an integer or bool array.
  std::vector<int64_t> integers;

  Array() = default;
  /// An array of zeros.
  Array(llvm::ArrayRef<int64_t> shape, mlir::Type elementType);

  bool isFloat() const { return llvm::isa<mlir::FloatType>(elementType); }
  int64_t size() const;
  /// Row-major strides, in elements.
  llvm::SmallVector<int64_t, 6> strides() const;
};

/// The bytes of one element: bool is one byte.
unsigned bytesOf(mlir::Type elementType);
/// Reads elements from little-endian bytes, and writes them, rounded to the element type.
Array fromBytes(llvm::ArrayRef<int64_t> shape, mlir::Type elementType, llvm::ArrayRef<char> bytes);
std::vector<char> toBytes(const Array &array);

/// A number rounded to a floating-point type, to nearest even.
double roundTo(double value, mlir::Type type);
/// The same as a function, for many numbers.
double (*roundingTo(mlir::Type type))(double);
/// An integer reduced to the width of a type, with its sign.
int64_t wrapTo(int64_t value, mlir::Type type);

} // namespace nereid::graph
