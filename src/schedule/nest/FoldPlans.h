// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which loop of a kernel each of its folds is made. A fold that needs the result of another one
// goes over the row again, unless the cascade algebra finds an online form for it: then both share
// a loop (Cascade.h).
#pragma once

#include "schedule/folds/Cascade.h"
#include "schedule/nest/Form.h"
#include "schedule/nest/Requests.h"
#include "schedule/program/LoadedNames.h"

namespace nereid::schedule {

/// How a kernel makes a fold at some coordinates.
struct FoldPlan {
  const Value *value;
  llvm::SmallVector<Expr, 4> at;
  /// Which of the loops over its columns, or which group of reductions of a row that is held.
  unsigned level = 0;
  /// One more than that of any fold that it needs.
  unsigned depth = 0;
  /// How it is made in the loop of folds that it needs.
  std::optional<Cascade> cascade = {};
  /// The folds that it needs.
  std::vector<const Value *> needs = {};
  /// Why it needs a loop of its own, where it needs others.
  std::string refusal = "";
};

/// An atom of a cascade: a value at coordinates.
struct CascadeAtom {
  Value *value;
  llvm::SmallVector<Expr, 4> at;
};

class FoldPlans {
public:
  /// Of a kernel that has not been built yet: nothing is planned.
  FoldPlans(const Program &program, const StoredSet &stored, const Kernel &kernel, const Form &form,
            LoadedNames &names);

  /// Plans the folds among the requests; `facts` decide their coordinates.
  void plan(const Requests &requests, const index::Facts &facts);

  /// In the order in which they are made.
  llvm::ArrayRef<FoldPlan> getAll() const { return folds; }
  /// Whether two are made in one loop, or one group of reductions.
  bool areTogether(const FoldPlan &a, const FoldPlan &b) const;
  /// Those that are made together with one that is planned.
  std::vector<FoldPlan> getGroup(const Value &fold, llvm::ArrayRef<Expr> at) const;
  /// The folds without whose results a value cannot be made; what earlier turns of a loop needed
  /// does not count.
  llvm::SmallVector<const Value *> foldsNeeded(const Value &value) const;
  /// What cascades number.
  const CascadeAtom &getAtom(unsigned number) const { return atoms[number]; }

  /// Whether a fold is the greatest (least) element of a base.
  bool isExtremeOf(const FoldPlan &fold, bool greatest, unsigned base) const;
  /// Whether the sums of a fold have lanes, along the right axes of a contraction: it is one of
  /// products of tiles.
  bool hasLanes(llvm::ArrayRef<Expr> at) const;

private:
  class CascadeReader;

  bool isOwn(const Request &request) const;
  unsigned depthOf(const Value &fold, llvm::DenseMap<const Value *, unsigned> &depths) const;
  void joinLoops();
  bool isAlong(const FoldPlan &fold, const FoldPlan &other) const;
  Derivation derive(const FoldPlan &fold, unsigned level);
  std::string refuseProducts(const FoldPlan &fold, const Cascade &cascade) const;
  bool comesFromExtreme(const FoldPlan &fold, const Cascade &cascade) const;
  bool hidesNan(const Cascade &cascade) const;
  bool followsInfinity(const LinearForm &centre, unsigned base) const;
  bool varies(llvm::ArrayRef<Expr> at, unsigned columns) const;
  unsigned atomOf(Value &value, llvm::ArrayRef<Expr> at);
  Access resolve(const Access &access, llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> over) const;
  bool isLoaded(const Value &value) const {
    return value.kind == ValueKind::Input ||
           (stored.contains(&value) && !computed.contains(&value));
  }

  const Program &program;
  const StoredSet &stored;
  StoredSet computed;
  const Kernel &kernel;
  const Form &form;
  LoadedNames &names;
  std::vector<FoldPlan> folds;
  std::vector<CascadeAtom> atoms;
};

} // namespace nereid::schedule
