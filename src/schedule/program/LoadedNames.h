// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names for the numbers that a kernel looks up: a gather reads at coordinates that another value
// holds, and its accesses have a symbol for each of them.
#pragma once

#include "schedule/program/Value.h"

#include <map>

namespace nereid::schedule {

class LoadedNames {
public:
  explicit LoadedNames(const Program &program) : program(program) {}

  /// What a symbol stands for: an element of a value, read where `guard` holds.
  struct Loaded {
    const Value *value;
    llvm::SmallVector<Expr, 4> at;
    Pred guard;
  };
  const Loaded *find(Expr symbol) const {
    auto found = loaded.find(symbol);
    return found == loaded.end() ? nullptr : &found->second;
  }

  /// The symbol of the number that an access reads; equal reads have one.
  Expr nameOf(const Access &access, llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> fold, Pred guard);
  /// An access at the coordinates of its reader: `$i` and `$ri` are replaced, loaded indices become
  /// symbols, which `ownNames` gets by those of the access.
  Access resolve(const Access &access, llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> fold,
                 Pred guard, llvm::DenseMap<Expr, Expr> *ownNames = nullptr);

  /// Calls `visit` for the symbols of an expression or a condition, and for those of what they
  /// stand for.
  void forEachSymbol(Expr expr, llvm::function_ref<void(Expr)> visit) const;
  void forEachSymbol(Pred pred, llvm::function_ref<void(Expr)> visit) const;

private:
  template <typename T> void visitAll(T what, llvm::function_ref<void(Expr)> visit) const;

  const Program &program;
  llvm::DenseMap<Expr, Loaded> loaded;
  std::map<std::tuple<const Value *, std::vector<Expr>, const void *>, Expr> names;
};

} // namespace nereid::schedule
