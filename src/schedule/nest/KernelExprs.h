// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every index expression of a kernel: the addresses of what it reads and writes, what is used as a
// number, and conditions. They decide which axes can be traversed as one, in what order, and along
// which of them memory is contiguous.
#pragma once

#include "schedule/nest/Form.h"
#include "schedule/nest/Requests.h"

namespace nereid::schedule {

/// A read or write and how many bytes it moves.
struct Touch {
  Expr offset;
  /// The same with strides that only the call knows taken to be row-major, as they mostly are.
  Expr usual;
  int64_t bytes;
  const Value *value;
  bool isWrite;
};

class KernelExprs {
public:
  /// Collects the expressions, simplified by `facts`. Adds the column spaces of folds to `kernel`.
  KernelExprs(const Program &program, const StoredSet &stored, const StrideMap &strides,
              Kernel &kernel);

  llvm::ArrayRef<Touch> getTouches() const { return touches; }
  llvm::ArrayRef<Pred> getPredicates() const { return predicates; }
  /// What is known of the kernel's indices.
  const index::Facts &getFacts() const { return facts; }
  bool hasScans() const { return scans; }
  /// Whether anything is folded over the columns of a row, and how many folds are asked for.
  bool hasRowFolds() const { return rowFolds > 0; }
  unsigned countRowFolds() const { return rowFolds; }
  /// Whether an output along the columns is made of what is folded over them.
  bool goesOverRowsAgain() const { return rowsAgain; }
  /// All bytes that are moved.
  int64_t countBytes() const;

  /// Merges axes of a space where all expressions of the kernel traverse them as one.
  void mergeAxes(Space &space, AxisMerges &merges) const;
  /// Puts the axes of a flat space in the order of the strides, as most bytes have them.
  void orderAxes(Space &space) const;
  /// Bytes of the accesses that are contiguous along an axis.
  int64_t countContiguous(Expr symbol, const AxisMerges &merges) const;
  /// The same of writes alone, or of reads.
  int64_t countContiguous(Expr symbol, const AxisMerges &merges, bool areWrites) const;
  /// The same of those that go on by so many elements along the axis.
  int64_t countSteps(Expr symbol, Expr step, const AxisMerges &merges, bool areWrites) const;

private:
  void add(const Program &program, const StrideMap &strides, const Value &value,
           llvm::ArrayRef<Expr> at, bool isWrite);
  void addRequests(const Program &program, const StrideMap &strides, const Kernel &kernel,
                   llvm::ArrayRef<Request> requests);
  int64_t compareStrides(Expr p, Expr q) const;

  index::Facts facts;
  std::vector<Touch> touches;
  std::vector<Expr> numbers;
  std::vector<Pred> predicates;
  bool scans = false, rowsAgain = false;
  unsigned rowFolds = 0;
};

} // namespace nereid::schedule
