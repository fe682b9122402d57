// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one program says of the order of the axes of what it takes, returns, and passes to functions
// (FunctionOrders.h).
#pragma once

#include "schedule/program/Value.h"

namespace nereid::schedule {

/// Of each argument or result the axis that should be last; nothing where it is well as it is.
using MovedAxes = llvm::SmallVector<std::optional<unsigned>, 4>;

struct FunctionAxes {
  MovedAxes arguments, results;

  bool isAny() const {
    auto isMoved = [](const std::optional<unsigned> &axis) { return axis.has_value(); };
    return llvm::any_of(arguments, isMoved) || llvm::any_of(results, isMoved);
  }
};

using AxesByFunction = llvm::DenseMap<mlir::func::FuncOp, FunctionAxes>;

/// What one program says of the order of what it takes, returns, and passes to functions.
class ProgramOrders {
public:
  ProgramOrders(mlir::func::FuncOp func, const Policy &policy, AxesByFunction &known);

  bool isRead() const { return wasRead; }
  /// What was found out hangs on what functions take.
  void forget() {
    wishes.clear();
    free.clear();
  }
  MovedAxes wishesOfArguments();
  /// The axis along which readers want a value; nothing where it is its last one.
  std::optional<unsigned> wishOf(const Value &value);
  /// Whether a value may lie along an axis at no cost: products write along any.
  bool isFree(const Value &value, unsigned axis);
  bool isMadeOfProducts(const Value &value);

  Program program;

private:
  struct Read {
    const Value *reader;
    const Access *access;
  };
  bool goesBy(Expr coordinate, unsigned index) const;
  void addWishes();
  std::optional<unsigned> wishOfReader(const Value &value, const Read &read);

  AxesByFunction &known;
  bool wasRead = false;
  llvm::DenseMap<const Value *, llvm::SmallVector<Read, 2>> reads;
  /// The axes along which products read their factors.
  llvm::DenseMap<const Value *, llvm::SmallVector<unsigned, 2>> ofProducts;
  llvm::DenseSet<const Value *> products;
  llvm::DenseMap<const Value *, std::optional<unsigned>> wishes;
  llvm::DenseMap<std::pair<const Value *, unsigned>, bool> free;
  llvm::DenseMap<const Value *, bool> ofProduct;
};

/// Images, and what has more axes.
inline constexpr unsigned leastRank = 3;

} // namespace nereid::schedule
