// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes whose numbers Python has to know: keys, texts, bits, turns of loops that are written out,
// what math makes of them. They are fixed at the typical values, the wrapper checks them, and
// conversion tells which and why. Conditions on sizes are cases (Cases.cpp), and what has a form
// for all sizes keeps it.
#include "frontend/torch/TorchLibrary.h"

#include "graph/GraphEvaluator.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

std::optional<int64_t> TorchLibrary::fixSize(Expr size, int64_t limit, const Twine &reason) {
  std::optional<int64_t> value = solver.givenHint(size);
  if (!value || *value > limit)
    return std::nullopt;
  for (Expr symbol : index::collectSymbols(solver.resolve(size)))
    fixedSizes.push_back({symbol, userLocation(), reason.str()});
  if (solver.unify(size, writer.constantSize(*value)))
    return value;
  // What is computed of several sizes is fixed by them.
  for (Expr symbol : index::collectSymbols(solver.resolve(size))) {
    std::optional<int64_t> own = solver.hint(symbol);
    if (!own || !solver.unify(symbol, writer.constantSize(*own)))
      return std::nullopt;
  }
  return solver.resolve(size).isConstant(*value) ? value : std::nullopt;
}

std::optional<int64_t> TorchLibrary::fixSizeOrRefuse(Expr size, int64_t limit, const Twine &reason,
                                                     const Twine &help) {
  if (std::optional<int64_t> fixed = fixSize(size, limit, reason))
    return fixed;
  std::optional<int64_t> typical = solver.givenHint(size);
  std::string name = solver.resolve(size).str();
  if (typical && *typical > limit)
    machine->refuse(reason + " depends on the size " + name + ", which is " + Twine(*typical) +
                        " in the inputs: more than " + Twine(limit) + " are not written out",
                    help);
  else
    machine->refuse(reason + " depends on the size " + name + ", which is not fixed",
                    "write a number for it in --inputs");
  return std::nullopt;
}

bool TorchLibrary::fixSizesOf(Pred condition, const Twine &reason) {
  SmallVector<Expr> sizes;
  index::forEachSymbol(solver.resolve(condition), [&](Expr symbol) {
    if (!is_contained(sizes, symbol))
      sizes.push_back(symbol);
  });
  return all_of(sizes, [&](Expr size) {
    return solver.isKnown(size) && fixSize(size, greatestSize, reason).has_value();
  });
}

bool TorchLibrary::equateOrFix(Expr a, Expr b) {
  if (solver.equate(a, b))
    return true;
  std::optional<int64_t> first = solver.givenHint(a), second = solver.givenHint(b);
  // Of named sizes no number is known: of those beside them it may be.
  if ((first && second && first != second) || (a.isConstant() && b.isConstant()))
    return false;
  SizeSolver::State before = solver.save();
  size_t told = fixedSizes.size();
  auto undo = [&] {
    solver.restore(before);
    fixedSizes.resize(told);
    return false;
  };
  std::string reason = "an axis of " + a.str() + " beside one of " + b.str();
  // One of them may do: M * C // 19 is M where C is 19. Batches come first in a shape, and vary.
  ArrayRef<Expr> differing = index::collectSymbols(solver.resolve(a) - solver.resolve(b));
  // Then as many as are needed: M * H * W is 4 * M where H and W are 2.
  auto symbols = solver.getSymbols();
  for (bool isOne : {true, false}) {
    for (auto &[symbol, hint] : llvm::reverse(symbols)) {
      if (!is_contained(differing, symbol) || !solver.givenHint(symbol))
        continue;
      if (fixSize(symbol, greatestSize, reason) && solver.equate(a, b))
        return true;
      if (isOne)
        undo();
    }
    undo();
  }
  return (first && second && fixSize(a, greatestSize, reason) &&
          fixSize(b, greatestSize, reason)) ||
         undo();
}

/// The element of a result of the evaluator, as Python has it.
static PyValue elementOf(TorchLibrary &t, const graph::Array &array, DType dtype) {
  if (array.isFloat())
    return t.machine->makeFloat(array.reals[0]);
  return dtype == DType::Bool ? PyValue(t.machine->makeBool(array.integers[0] != 0))
                              : t.machine->makeInt(array.integers[0]);
}

PyValue TorchLibrary::numberOfSizes(TensorValue *number, StringRef reason) {
  if (!number->isNumber || number->flag)
    return nullptr;
  SmallVector<Expr> sizes;
  auto valueOf = [&](Expr symbol) {
    if (!is_contained(sizes, symbol))
      sizes.push_back(symbol);
    return solver.givenHint(symbol);
  };
  settleNumbers(read(number));
  mlir::Value value = read(number);
  std::optional<graph::Array> found = graph::evaluateConstant(value, valueOf);
  if (!found || found->shape.size() != 0)
    return nullptr;
  for (Expr size : sizes)
    if (!solver.resolve(size).isConstant() && !fixSizeOrRefuse(size, greatestSize, reason))
      return nullptr;
  return elementOf(*this, *found, number->dtype);
}

Answer TorchLibrary::known(Machine &, PyValue object, StringRef reason) {
  if (isLive(object))
    return settled(object);
  if (auto *size = dyn_cast<SizeValue>(object)) {
    std::optional<int64_t> fixed = fixSizeOrRefuse(size->expr, greatestSize, reason);
    return fixed ? machine->makeInt(*fixed) : nullptr;
  }
  if (auto *condition = dyn_cast<ConditionValue>(object)) {
    std::optional<bool> taken = decide(condition->pred, userLocation());
    return taken ? PyValue(machine->makeBool(*taken)) : nullptr;
  }
  auto *number = dyn_cast<TensorValue>(object);
  PyValue known = number ? numberOfSizes(number, reason) : nullptr;
  return known || machine->pending() ? Answer(known) : std::nullopt;
}

} // namespace nereid::torch
