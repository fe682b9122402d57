// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel loads and computes, as far as its cost hangs on it: each place once, per lane, per
// program or per row.
#pragma once

#include "schedule/nest/Contraction.h"
#include "schedule/nest/Requests.h"

namespace nereid::schedule {

class KernelWork {
public:
  KernelWork(const Program &program, const Kernel &kernel);

  /// Adds what an output is made of.
  void add(llvm::ArrayRef<Request> requests);

  /// What each lane computes. Some of it hides behind the wait for what lies at places that data
  /// give.
  unsigned countOperations() const;
  /// Of the values that it computes and loads, how many are waited for at once, where each is
  /// computed right before the first that reads it.
  size_t countLive(llvm::ArrayRef<KernelOutput> outputs) const;
  /// Whether neighbours in memory are other programs'.
  bool isAcross(llvm::ArrayRef<Expr> at) const;

  llvm::SetVector<const Value *> loads, rareLoads;
  size_t rareTiles = 0;
  /// What programs of rows load or compute, each place once.
  std::vector<RequestedPlace> accesses, computations;
  llvm::DenseSet<const Value *> values;
  llvm::SmallVector<const Value *> folds;
  /// Of each lane: what finds out where operands lie.
  unsigned addressing = 0;
  /// What a program does once for all of its lanes, by how often.
  llvm::SmallMapVector<Expr, unsigned, 4> perProgram;
  /// What it takes to bring together what the lanes of a row have folded, by the number of rows.
  llvm::SmallMapVector<Expr, unsigned, 4> crossing;
  /// What programs read along another axis than that of neighbours in memory.
  llvm::DenseSet<const Value *> across;
  /// What is read in another order than before, as a transpose is: caches do not hold it.
  llvm::SmallVector<std::pair<const Value *, Expr>> otherWays;

private:
  using Axes = llvm::SmallSetVector<Expr, 4>;
  /// The indices of each coordinate.
  using Way = llvm::SmallVector<llvm::SmallVector<Expr, 2>, 4>;

  void load(const Request &request);
  void compute(const Request &request);
  void fold(const Request &request);
  void noteLookups(const Request &request);
  void noteLookups(const Access &access, const Request &request);
  bool hasLookups(llvm::ArrayRef<Expr> at) const;
  Axes axesOf(llvm::ArrayRef<Expr> at) const;
  bool isRare(const Request &request) const;
  bool isTile(llvm::ArrayRef<Expr> at) const;
  Way indicesOf(llvm::ArrayRef<Expr> at) const;
  void noteOtherWay(const Value &value, llvm::ArrayRef<Expr> at);
  /// What two outputs need is computed once.
  bool isNew(const Request &request) { return known.insert({request.value, request.place}).second; }
  unsigned costOf(Expr position);
  bool isOwn(Expr position) const;
  std::optional<Expr> countPrograms(llvm::ArrayRef<Expr> at) const;

  const Program &program;
  const Kernel &kernel;
  /// Of each lane, what is computed; and at places that data give, and how much is read there.
  unsigned operations = 0, lookedUp = 0, lookedUpLoads = 0;
  llvm::DenseSet<Expr> sizes;
  llvm::DenseSet<std::pair<const Value *, unsigned>> known;
  llvm::DenseSet<Expr> positions;
  /// By the symbol of what is looked up, along which axes that lies.
  llvm::DenseMap<Expr, Axes> lookups;
  llvm::DenseMap<const Value *, llvm::SmallVector<Way, 2>> ways;
};

} // namespace nereid::schedule
