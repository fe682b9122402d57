// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers for what the values of kernels compute: equal numbers are equal values, in two kernels
// too, since all are given out by one table. Expressions have a normal form: shape operators sit on
// leaves alone, sums and conjunctions of integers are flat and sorted, names of axes are dropped.
//
//   (x + range)[:, None] * s    and    x + range[:, None], times s    have one number
#pragma once

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <vector>

namespace nereid::upgrade {

using Number = unsigned;

/// Which axis of its operand each axis of a tile is; -1 for one along which it repeats.
struct View {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<int64_t> axes;
};

class Numbers {
public:
  /// A new value that nothing is known of.
  Number makeLeaf(mlir::Type type);
  /// The leaf of a key: the same one for equal keys.
  Number makeLeaf(mlir::Type type, uint64_t first, uint64_t second);
  Number makeConstant(mlir::TypedAttr value, mlir::Type type);
  /// What an operator without regions computes from these.
  Number makeResult(mlir::Operation &op, unsigned result, llvm::ArrayRef<Number> operands);
  /// `condition ? one : two`.
  Number makeChoice(Number condition, Number one, Number two);
  Number makeSum(llvm::ArrayRef<Number> terms, mlir::Type type);
  Number apply(Number number, const View &view);

  /// What a sum has beside `term`, where it is a sum of it and more; nullopt for others.
  std::optional<std::vector<Number>> splitSum(Number sum, Number term);
  /// The scalar that is repeated over a tile; nullopt where it has different elements.
  std::optional<Number> getUniform(Number number);
  /// The newest leaf that it depends on. Leaves are counted.
  unsigned getNewestLeaf(Number number) const { return nodes[number].newestLeaf; }
  unsigned countLeaves() const { return leaves; }
  mlir::Type getType(Number number) const { return nodes[number].type; }

private:
  enum Kind : uint8_t { Leaf, Constant, Viewed, Sum, And, Pointer, Elementwise, Other };
  struct Node {
    Kind kind;
    mlir::Type type; // without the names of axes
    /// Of the operator, or of a leaf its key.
    uint64_t name = 0, detail = 0;
    std::vector<Number> operands = {};
    std::vector<int64_t> axes = {}; // Viewed
    mlir::Attribute value = {};     // Constant; Sum: the constant term, or null
    unsigned newestLeaf = 0;
  };

  Number intern(Node node);
  Number makePointer(Number base, Number offset);
  Number makeAnd(llvm::ArrayRef<Number> parts, mlir::Type type);
  std::optional<Number> fold(mlir::Operation &op, llvm::ArrayRef<Number> operands, mlir::Type type);
  Number repeat(Number number, mlir::Type like);
  bool isInteger(Number number, int64_t value) const;
  bool isNotNegative(Number number) const;
  mlir::Type withShape(mlir::Type type, llvm::ArrayRef<int64_t> shape) const;

  std::vector<Node> nodes;
  std::map<std::vector<uint64_t>, Number> known;
  unsigned leaves = 0;
};

/// A type without the names of its axes.
mlir::Type dropAxisNames(mlir::Type type);

} // namespace nereid::upgrade
