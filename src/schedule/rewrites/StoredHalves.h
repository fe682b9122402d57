// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors of products of float32 as halves. Matrix units multiply halves several times as fast as
// pieces of TF32, and add up what they give in float32; a kernel before the product scales each row
// of a factor by a power of two and stores it as two halves, which hold 22 binary digits:
// `x = (high + low / 4096) * scale`. Of the products of two such the least one is left out.
//
// What is far below the greatest element of its row has fewer digits, which shows where that one
// meets a 0. So each row has a spread: 0 where no element is below 2^-24 of the greatest, 1 where
// those that are not 0 are not below 2^-29, which halves hold, 2 for others, and 3 where halves
// hold nothing of use. A row of 1 may meet one of 1, and a row of 2 only one of 0, whose elements
// let the greatest through.
#pragma once

#include "schedule/nest/Contraction.h"

namespace nereid::schedule {

class StoredHalves {
public:
  explicit StoredHalves(Program &program) : program(program) {}

  /// What a factor was taken apart into: one kernel makes all of it.
  struct Parts {
    Value *scale, *spread, *high, *low;
    llvm::SmallVector<Value *, 4> all() const { return {scale, spread, high, low}; }
  };

  /// Gives a contraction halves of its factors; null, without a change, where a factor has none.
  /// Factors that are read alike share theirs: `added` are those that are new.
  bool attach(Value &fold, std::vector<Parts> &added);
  /// Takes them away from folds again, and forgets those that were added for it.
  void detach(llvm::ArrayRef<Value *> folds, llvm::ArrayRef<Parts> added);

private:
  /// A factor over its own indices: those of the fold that it has, and what is summed over.
  struct Factor {
    Access elements;
    llvm::SmallVector<Expr, 4> rows, terms;
    /// The indices of the fold that the rows are.
    llvm::SmallVector<unsigned, 4> dims;
  };
  std::optional<Factor> factorOf(const Value &fold, const Access &access) const;
  Parts partsOf(const Value &fold, const Factor &factor, std::vector<Parts> &added);
  Parts make(const Value &fold, const Factor &factor);
  void addInputs(Value &fold, const Factor &factor, const Parts &parts) const;

  Program &program;
  std::vector<std::pair<Factor, Parts>> known;
};

} // namespace nereid::schedule
