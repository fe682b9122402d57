// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/PartNeeds.h"

#include "sym/SymDialect.h"

using namespace mlir;
using nereid::index::Expr;

namespace nereid::graph {

/// What is known of the sizes of a program.
static index::Facts learnSizes(func::FuncOp program) {
  index::Facts facts(sym::SymDialect::getIndexContext(program.getContext()));
  for (Type type : program.getArgumentTypes())
    for (Expr size : cast<TensorType>(type).getSizes())
      if (size.isSymbol())
        facts.setRange(size, index::Range::atLeast(0));
  for (CheckOp check : program.getOps<CheckOp>())
    facts.assume(check.getPred().getPred());
  return facts;
}

const index::Facts &PartNeeds::factsOf(const Part &part) {
  auto facts = known.find(part.program);
  if (facts == known.end())
    facts = known.try_emplace(part.program, learnSizes(part.program)).first;
  return facts->second;
}

bool PartNeeds::holdsInParts(index::Pred need) {
  for (auto [number, part] : llvm::enumerate(parts)) {
    llvm::DenseMap<Expr, Expr> values;
    for (const PartSizes::Symbol &symbol : sizes.getSymbols())
      values[symbol.name] = symbol.values[number];
    if (!factsOf(*part).isTrue(index::substitute(need, values)))
      return false;
  }
  return true;
}

std::optional<SmallVector<index::Pred>> PartNeeds::find() {
  SmallVector<index::Pred> needs = sizes.getNeeds();
  if (!llvm::all_of(needs, [&](index::Pred need) { return holdsInParts(need); }))
    return std::nullopt;
  for (index::Pred need : sizes.getUsualNeeds())
    if (!llvm::is_contained(needs, need) && holdsInParts(need))
      needs.push_back(need);
  return needs;
}

int64_t PartNeeds::leastOf(const PartSizes::Symbol &symbol) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (auto [part, value] : llvm::zip_equal(parts, symbol.values))
    least = std::min(least, factsOf(*part).range(value).lo.value_or(0));
  return least;
}

} // namespace nereid::graph
