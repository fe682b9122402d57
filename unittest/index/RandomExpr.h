// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random expressions with a meaning of their own: each comes with a tree that is evaluated naively,
// without the library's canonical form, as the oracle of the property tests.
#pragma once

#include "index/Pred.h"

#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace nereid::index::test {

using Values = std::vector<int64_t>;
/// The naive value of a random expression; nullopt for division by zero and overflow.
using Oracle = std::function<std::optional<int64_t>(const Values &)>;
using PredOracle = std::function<std::optional<bool>(const Values &)>;

struct RandomExpr {
  Expr expr;
  Oracle oracle;
};

struct RandomPred {
  Pred pred;
  PredOracle oracle;
};

class ExprGenerator {
public:
  ExprGenerator(Context &context, unsigned seed, unsigned symbols);

  RandomExpr expr(unsigned depth);
  RandomPred pred(unsigned depth);
  int64_t number(int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(engine);
  }

  llvm::ArrayRef<Expr> getSymbols() const { return symbols; }
  /// Random values, within [lo, hi] each.
  Values values(int64_t lo, int64_t hi);

private:
  RandomExpr leaf();
  RandomExpr binary(unsigned depth);

  Context &context;
  std::mt19937 engine;
  llvm::SmallVector<Expr> symbols;
};

/// The library's value of `expr` when symbol number i has values[i].
std::optional<int64_t> valueOf(Expr expr, llvm::ArrayRef<Expr> symbols, const Values &values);
std::optional<bool> valueOf(Pred pred, llvm::ArrayRef<Expr> symbols, const Values &values);

} // namespace nereid::index::test
