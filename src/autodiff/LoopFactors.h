// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients of a loop's constants that are contractions of what each turn has, `dW = sum_t x_t^T
// g_t`: instead of being added up turn by turn, their factors are stacked, and one fold of the
// product behind the loop runs over the turns too.
//
//   LoopFactors factors(writer, count);
//   if (factors.plan(gradient)) ...          // of a turn; then each of factors.get() is stacked
//   Value all = factors.sum(gradient, stackOf);  // behind the loop
#pragma once

#include "autodiff/GradientWriter.h"

#include "llvm/ADT/SetVector.h"

namespace nereid::autodiff {

class LoopFactors {
public:
  LoopFactors(GradientWriter &writer, Expr count) : w(writer), count(count) {}

  /// Whether the sum over all turns of a value of one is a contraction; takes note of its factors.
  bool plan(Value value);
  /// Values of a turn, along a new first axis for all turns.
  ArrayRef<Value> get() const { return factors.getArrayRef(); }
  /// The sum of a planned value over all turns. `stackOf` gives the factors of all turns, and the
  /// values of constants; the flag says which it is.
  struct Given {
    Value value;
    bool isStacked;
  };
  Value sum(Value value, llvm::function_ref<Given(Value)> stackOf);

private:
  bool collect(Value product, llvm::SmallSetVector<Value, 4> &found);
  Given ofAllTurns(Value value, llvm::function_ref<Given(Value)> stackOf);
  Value stacked(Given given);

  GradientWriter &w;
  Expr count;
  llvm::SetVector<Value> factors;
};

} // namespace nereid::autodiff
