// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/program/ReversedScans.h"

#include "schedule/program/IndexMap.h"

namespace nereid::schedule {

/// Whether a coordinate falls as an index of its reader grows.
static bool isFalling(Expr coordinate) {
  bool found = false;
  index::forEachSymbol(coordinate, [&](Expr symbol) {
    auto linear = index::asLinearIn(coordinate, symbol);
    found |= symbol.getName().starts_with("$") && linear && linear->coefficient.isConstant(-1);
  });
  return found;
}

/// A result that only copies a value, element by element, is that value.
static void dropCopies(Program &program) {
  auto isResult = [&](const Value *value) {
    return llvm::any_of(program.results,
                        [&](const Result &result) { return result.value == value; });
  };
  for (Result &result : program.results) {
    Value &copy = *result.value;
    if (copy.kind != ValueKind::Map || copy.op || !copy.inputs[0].loaded.empty())
      continue;
    Value &source = *copy.inputs[0].from;
    bool isWhole = source.kind == ValueKind::Scan && source.shape == copy.shape &&
                   source.elementType == copy.elementType && !isResult(&source);
    for (auto [dim, coordinate] : llvm::enumerate(copy.inputs[0].at))
      isWhole &= coordinate == program.getIndex(dim);
    if (!isWhole)
      continue;
    if (copy.isNamed) {
      source.name = copy.name;
      source.isNamed = true;
    }
    result.value = &source;
  }
}

void reverseScans(Program &program) {
  for (Value &scan : program.values) {
    bool isResult =
        llvm::any_of(program.results, [&](const Result &result) { return result.value == &scan; });
    if (scan.kind != ValueKind::Scan || scan.loop >= 0 || isResult)
      continue;
    llvm::SmallVector<Access *> reads;
    for (Value &value : program.values)
      forEachAccess(value, [&](Access &access) {
        if (access.from == &scan)
          reads.push_back(&access);
      });
    bool isBackwards = !reads.empty() && llvm::all_of(reads, [&](const Access *read) {
      return isFalling(read->at[scan.dim]);
    });
    if (!isBackwards)
      continue;
    Expr last = scan.shape[scan.dim] - 1;
    for (Access *read : reads)
      read->at[scan.dim] = last - read->at[scan.dim];
    llvm::SmallVector<Expr, 4> at;
    for (unsigned dim = 0; dim < scan.shape.size(); ++dim)
      at.push_back(program.getIndex(dim));
    at[scan.dim] = last - at[scan.dim];
    for (Access &input : scan.inputs)
      input = compose(input, at, program);
    scan.isReversed = !scan.isReversed;
  }
  dropCopies(program);
}

} // namespace nereid::schedule
