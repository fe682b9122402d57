// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/program/LoadedNames.h"

#include "schedule/program/IndexMap.h"

namespace nereid::schedule {

Expr LoadedNames::nameOf(const Access &access, llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> fold,
                         Pred guard) {
  Access inner = resolve(access, at, fold, guard);
  std::tuple<const Value *, std::vector<Expr>, const void *> key{
      inner.from, {inner.at.begin(), inner.at.end()}, guard.getAsOpaquePointer()};
  Expr &symbol = names[key];
  if (!symbol) {
    symbol = program.context->symbol("@g" + std::to_string(names.size()));
    loaded[symbol] = {inner.from, inner.at, guard};
  }
  return symbol;
}

Access LoadedNames::resolve(const Access &access, llvm::ArrayRef<Expr> at,
                            llvm::ArrayRef<Expr> fold, Pred guard,
                            llvm::DenseMap<Expr, Expr> *ownNames) {
  Access result{access.from, {}, {}};
  llvm::DenseMap<Expr, Expr> symbols;
  for (const LoadedIndex &index : access.loaded)
    symbols[index.symbol] = nameOf(index.access, at, fold, guard);
  for (Expr coordinate : access.at)
    result.at.push_back(
        index::substitute(substituteIndices(coordinate, at, fold, program), symbols));
  if (ownNames)
    *ownNames = std::move(symbols);
  return result;
}

template <typename T>
void LoadedNames::visitAll(T what, llvm::function_ref<void(Expr)> visit) const {
  index::forEachSymbol(what, [&](Expr symbol) {
    visit(symbol);
    const Loaded *number = find(symbol);
    if (!number)
      return;
    for (Expr coordinate : number->at)
      visitAll(coordinate, visit);
    visitAll(number->guard, visit);
  });
}

void LoadedNames::forEachSymbol(Expr expr, llvm::function_ref<void(Expr)> visit) const {
  visitAll(expr, visit);
}

void LoadedNames::forEachSymbol(Pred pred, llvm::function_ref<void(Expr)> visit) const {
  visitAll(pred, visit);
}

} // namespace nereid::schedule
