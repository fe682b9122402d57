// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel computes as formulas: `exp(x - x_max) / sum`, with names for its axes and values.
#pragma once

#include "schedule/nest/LoopNest.h"

namespace nereid::schedule {

/// How tightly an operator's text binds.
enum class Binds : uint8_t { Choice, Compare, Add, Multiply, Unary, Atom };

struct Text {
  std::string text;
  Binds binds = Binds::Atom;
};

class NestFormulas {
public:
  NestFormulas(const Program &program, const Requests &requests, const Kernel &kernel);

  /// Gives axes names: `m` for one of M elements; where the length has no name, that of the space.
  void nameAxes(const Space &space, AxisRole role);
  llvm::StringRef nameOfAxis(Expr symbol) const { return axisNames.find(symbol)->second; }
  /// `x`, with its place where it is needed at several: `x[m, n]`.
  std::string nameOf(const Request &request);
  std::string nameOf(const Value &value);
  /// `[m, n]`.
  std::string place(llvm::ArrayRef<Expr> at) const;

  /// Whether something has a line of its own, and formulas its name: what is read, folded, or
  /// called something by the user, and what several readers share.
  bool isOwnLine(const Request &request);
  /// Whether a symbol stands for a number that is looked up.
  bool isLookup(Expr symbol) const { return lookups.contains(symbol); }

  /// As its readers have it; as it is made; a fold or scan.
  Text write(const Request &request);
  Text make(const Request &request);
  std::string fold(const Request &request);

private:
  const Request &get(unsigned number) const { return requests.getAll()[number]; }
  std::string print(Expr expr) const;
  std::string print(Pred pred) const;
  bool isOfData(const Value &value);
  llvm::SmallVector<unsigned, 3> operandsOf(const Request &request) const;
  std::string list(llvm::ArrayRef<unsigned> operands);
  Text makeMap(const Request &request);
  Text makeSelect(const Request &request);

  const Program &program;
  const Requests &requests;
  index::Facts facts;
  llvm::DenseMap<Expr, std::string> axisNames;
  llvm::StringMap<unsigned> usedNames;
  llvm::DenseMap<const Value *, std::string> valueNames;
  llvm::DenseMap<const Value *, unsigned> readers;
  llvm::DenseMap<const Value *, bool> ofData;
  /// The value that holds each number which is looked up.
  llvm::DenseMap<Expr, const Value *> lookups;
  StoredSet isLookedUp;
  /// Where each value is needed.
  llvm::DenseMap<const Value *, llvm::SmallDenseSet<unsigned, 2>> places;
};

} // namespace nereid::schedule
