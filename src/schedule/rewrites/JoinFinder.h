// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds what is put together, and its parts: the sums of contractions in Joins.cpp, what one kernel
// makes element by element in JoinedMaps.cpp. Private to these.
#pragma once

#include "schedule/program/Value.h"

namespace nereid::schedule {

/// A part of a join: where it is chosen, and where its elements stand in the whole.
struct Part {
  Value *value;
  Pred when;
  /// Its coordinates over the indices of the whole, and those of the whole over its own.
  llvm::SmallVector<Expr, 4> at, places;

  bool standsAs(const Part &other) const {
    return when == other.when && at == other.at && places == other.places;
  }
};
using Parts = std::vector<Part>;

/// Finds the joins of one program.
class JoinFinder {
public:
  explicit JoinFinder(Program &program) : program(program), context(*program.context) {}

  void run();

private:
  void findReaders();
  index::Facts factsOf(llvm::ArrayRef<Expr> shape) const;
  bool collect(Value &select, llvm::ArrayRef<Expr> at, Pred guard, const index::Facts &facts,
               Parts &parts) const;
  bool invert(llvm::ArrayRef<Expr> whole, const index::Facts &facts, Part &part) const;
  Expr choose(int64_t count, Expr index, Pred when, const index::Facts &facts,
              llvm::function_ref<Expr(int64_t)> placeOf) const;
  Expr solve(Expr coordinate, Expr index, Expr own, Pred when, const index::Facts &facts) const;
  bool standsWithin(llvm::ArrayRef<Expr> whole, const Part &part) const;
  const Value *sumsOf(const Value &value) const;
  bool isPart(const Part &part) const;
  bool isReadWhole(const Value &value) const;
  bool areOfOneKernel(const Value &choice, const Parts &parts) const;
  bool hasNoSteps(const Part &part) const;
  void copyShown(Value &choice, Parts &parts);
  Expr countOf(llvm::ArrayRef<Expr> shape) const;
  std::optional<Parts> partsAt(const Access &access, llvm::ArrayRef<Expr> shape) const;
  bool mayPush(const Value &whole) const;
  bool push(Value &reader);
  void chooseAmong(Value &whole, const Parts &parts) const;
  void mark();

  Program &program;
  index::Context &context;
  llvm::DenseSet<const Value *> results, assigned;
  llvm::DenseMap<const Value *, llvm::SmallVector<Value *, 4>> readers;
  llvm::MapVector<Value *, Parts> joins;
};

} // namespace nereid::schedule
