// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The typical values of sizes: those that the user gives, and others where a case assumes what does
// not hold of them.
#include "frontend/torch/SizeSolver.h"

using namespace llvm;

namespace nereid::torch {

static constexpr int64_t usual = 64;

std::optional<int64_t> SizeSolver::hint(Expr expr) const {
  return index::evaluate(resolve(expr), [&](Expr symbol) -> std::optional<int64_t> {
    auto found = hints.find(symbol);
    return found == hints.end() ? std::nullopt : std::optional(found->second);
  });
}

std::optional<int64_t> SizeSolver::firstHint(Expr size) const {
  auto found = firstHints.find(size);
  return found == firstHints.end() ? hint(size) : std::optional(found->second);
}

std::optional<int64_t> SizeSolver::givenHint(Expr expr) const {
  for (Expr symbol : index::collectSymbols(resolve(expr)))
    if (is_contained(invented, symbol))
      return std::nullopt;
  return hint(expr);
}

std::optional<int64_t> SizeSolver::typical(Expr expr) const {
  return index::evaluate(resolve(expr), [&](Expr symbol) -> std::optional<int64_t> {
    auto found = hints.find(symbol);
    if (found != hints.end())
      return found->second;
    return isKnown(symbol) ? std::optional(usual) : std::nullopt;
  });
}

/// Whether nothing is left of the divisions in a condition.
static bool dividesWhole(Pred pred, function_ref<std::optional<int64_t>(Expr)> hintOf) {
  bool isWhole = true;
  index::substitute(pred, [&](Expr atom) -> Expr {
    if (atom.getKind() == index::ExprKind::FloorDiv) {
      auto dividend = index::evaluate(atom.getOperands()[0], hintOf);
      auto divisor = index::evaluate(atom.getOperands()[1], hintOf);
      isWhole &= !dividend || !divisor || *divisor == 0 || *dividend % *divisor == 0;
    }
    return {};
  });
  return isWhole;
}

/// Finds typical sizes at which all that was assumed holds: those of one symbol change, to a number
/// near its own, to that of another symbol, or to a power of two. Best are those that divide:
/// patches of 2 x 2 of which there are 2 in a row are those of a row of 4, not of 5.
void SizeSolver::adaptHints(Pred pred) {
  auto hintOf = [&](Expr symbol) { return typical(symbol); };
  auto holds = [&](Pred each) { return index::evaluate(resolve(each), hintOf).value_or(true); };
  if (holds(pred))
    return;
  SmallVector<Expr> mentioned;
  index::forEachSymbol(pred, [&](Expr symbol) {
    if (!hintOf(symbol) || is_contained(mentioned, symbol))
      return;
    mentioned.push_back(symbol);
    if (hints.try_emplace(symbol, usual).second)
      invented.push_back(symbol);
  });
  for (Expr symbol : reverse(mentioned)) {
    int64_t own = hints[symbol];
    SmallVector<int64_t> candidates;
    for (Expr other : mentioned)
      candidates.push_back(hints[other]);
    candidates.append({own - 1, own / 2, own + 1, own * 2});
    for (int64_t power = int64_t(1) << 40; power > 0; power /= 2)
      if (power < own)
        candidates.push_back(power);
    for (int64_t power = 1; power <= int64_t(1) << 24; power *= 2)
      candidates.append({power, power + 1});
    candidates.push_back(0);
    for (bool anyRest : {false, true})
      for (int64_t candidate : candidates) {
        if (candidate < 0)
          continue;
        hints[symbol] = candidate;
        if (holds(pred) && (anyRest || dividesWhole(resolve(pred), hintOf)) &&
            all_of(assumed, holds) &&
            all_of(checks, [&](const Check &check) { return holds(check.pred); })) {
          firstHints.try_emplace(symbol, own);
          return;
        }
      }
    hints[symbol] = own;
  }
  for (Expr symbol : mentioned)
    hints.erase(symbol);
}

} // namespace nereid::torch
