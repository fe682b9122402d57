// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel reads and computes: one request for each value at each place where it is needed,
// with the requests that it is made of there. Planning, cost, documentation and emission all go
// over such lists.
#pragma once

#include "schedule/nest/Kernel.h"

namespace nereid::schedule {

/// A value at coordinates of a kernel.
struct Request {
  const Value *value = nullptr;
  llvm::ArrayRef<Expr> at;
  /// The number of `at` in `Program::indexMemory`.
  unsigned place = 0;
  /// An argument, or stored by a kernel before: it is read, and made of nothing.
  bool isLoad = false;
  /// Needed only where numbers are rare that no half holds.
  bool isRare = false;
  /// A fold or scan: the indices that it runs over.
  llvm::ArrayRef<Expr> over;
  /// A select: the conditions of the cases that may hold there.
  llvm::SmallVector<Pred, 0> conditions;
  /// The numbers of the requests that it is made of, in the order in which they are read.
  llvm::SmallVector<unsigned, 3> operands;

  /// A tensor that is read: a scalar argument is passed.
  bool isTensorLoad() const { return isLoad && value->kind != ValueKind::Scalar; }
  bool isFold() const {
    return !isLoad && (value->kind == ValueKind::Fold || value->kind == ValueKind::Scan);
  }
  /// Whether lanes compute it; a fold brings them together.
  bool isComputed() const;
  /// The index expression that it needs as a number; null where it needs none.
  Expr getNumber(const Program &program) const;
};

class Requests {
public:
  /// Values in `stored` are loaded, but for those in `computed`.
  Requests(const Program &program, const StoredSet &stored, StoredSet computed)
      : program(program), stored(stored), computed(std::move(computed)) {}

  /// The indices that a fold or scan at some coordinates runs over; nothing where it cannot be made
  /// there.
  using FoldRule = llvm::function_ref<std::optional<llvm::SmallVector<Expr, 4>>(
      const Value &, llvm::ArrayRef<Expr>)>;
  /// What becomes of a state that a loop carries: whether what it is made of is needed too, or not,
  /// or it cannot be read there.
  enum class StateRead : uint8_t { Follow, Stop, Refuse };
  using StateRule = llvm::function_ref<StateRead(const Value &, llvm::ArrayRef<Expr>)>;

  /// Adds a value at coordinates and all that it is made of, each place once; places of an earlier
  /// `add` count anew. Returns whether folds and states could be made where they are needed: if
  /// not, what was found so far is there.
  bool add(const Value &value, llvm::ArrayRef<Expr> at, FoldRule indicesOf, StateRule readState);
  bool add(const Value &value, llvm::ArrayRef<Expr> at, FoldRule indicesOf);
  /// The same with any names for what folds run over.
  bool add(const Value &value, llvm::ArrayRef<Expr> at);

  llvm::ArrayRef<Request> getAll() const { return requests; }
  /// Those of one `add`, the value itself first, each before what it is made of.
  llvm::ArrayRef<Request> getAdded(unsigned number) const;
  llvm::ArrayRef<Request> getLast() const { return getAdded(starts.size() - 1); }

  /// The tensors that are read, in the order of the program.
  llvm::SmallVector<const Value *> getLoads() const;

private:
  class Walk;

  const Program &program;
  const StoredSet &stored;
  StoredSet computed;
  std::vector<Request> requests;
  llvm::SmallVector<size_t, 2> starts;
};

/// All that a kernel's outputs are made of, an `add` for each; folds run over the kernel's own
/// indices, where it has some for them.
Requests requestsOf(const Program &program, const StoredSet &stored, const Kernel &kernel);

/// Names for the columns that a fold or scan runs over, where any will do.
llvm::SmallVector<Expr, 4> anyColumns(const Value &fold, index::Context &context);

/// The access to read in place of an upward cast whose operand is an elidable cast down from the
/// same type, which nothing stores or rounds otherwise; null when the cast must be made.
const Access *elidedCast(const Value &value, const StoredSet &stored);

} // namespace nereid::schedule
