// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/program/EqualValues.h"

#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/Hashing.h"

using namespace mlir;

namespace nereid::schedule {

static bool isEqual(const Access &a, const Access &b) {
  return a.from == b.from && a.at == b.at && a.isCopied == b.isCopied && a.loaded.empty() &&
         b.loaded.empty();
}

static bool isEqual(const Value &a, const Value &b) {
  bool isShapeEqual = a.kind == ValueKind::Sort || a.shape == b.shape;
  auto areAlike = [](Operation *first, Operation *second) {
    return first == second || (first && second &&
                               OperationEquivalence::isEquivalentTo(
                                   first, second, OperationEquivalence::ignoreValueEquivalence,
                                   nullptr, OperationEquivalence::IgnoreLocations));
  };
  auto areSortsAlike = [](Operation *first, Operation *second) {
    return first->getName() == second->getName() &&
           first->getRawDictionaryAttrs() == second->getRawDictionaryAttrs();
  };
  return a.kind == b.kind && a.elementType == b.elementType && isShapeEqual && a.dim == b.dim &&
         a.size == b.size && a.foldExtents == b.foldExtents && a.isReversed == b.isReversed &&
         a.isSegment == b.isSegment &&
         llvm::equal(a.inputs, b.inputs,
                     [](const Access &x, const Access &y) { return isEqual(x, y); }) &&
         llvm::equal(a.cases, b.cases,
                     [](const Case &x, const Case &y) {
                       return x.when == y.when && isEqual(x.access, y.access);
                     }) &&
         (a.kind == ValueKind::Sort ? areSortsAlike(a.op, b.op) : areAlike(a.op, b.op));
}

/// The same for equal values.
static llvm::hash_code hashOf(const Value &value) {
  llvm::hash_code hash = llvm::hash_combine(value.kind, value.elementType.getAsOpaquePointer(),
                                            value.inputs.size(), value.cases.size());
  auto add = [&](const Access &access) {
    hash = llvm::hash_combine(hash, access.from, access.at.size());
    for (Expr coordinate : access.at)
      hash = llvm::hash_combine(hash, coordinate.getAsOpaquePointer());
  };
  llvm::for_each(value.inputs, add);
  for (const Case &alternative : value.cases)
    add(alternative.access);
  return hash;
}

/// Whether a value depends on nothing but its inputs, and is not part of a loop.
static bool mayBeShared(const Value &value) {
  switch (value.kind) {
  case ValueKind::Iota:
  case ValueKind::Constant:
  case ValueKind::Size:
  case ValueKind::Map:
  case ValueKind::Select:
  case ValueKind::Fold:
  case ValueKind::Scan:
  case ValueKind::Sort:
    return value.loop < 0;
  default:
    return false;
  }
}

void joinEqualValues(Program &program) {
  llvm::DenseMap<size_t, llvm::SmallVector<Value *, 1>> known;
  llvm::DenseMap<const Value *, Value *> earlier;
  std::vector<Value *> ordered;
  for (Value &value : program.values)
    ordered.push_back(&value);
  llvm::stable_sort(ordered, [](const Value *a, const Value *b) { return a->order < b->order; });
  // What a loop or a function is given it may write to: the first states of two loops are two.
  llvm::DenseSet<const Value *> given;
  for (Value *value : ordered)
    if (value->kind == ValueKind::Call)
      forEachAccess(*value, [&](Access &access) { given.insert(access.from); });
  for (Value *value : ordered) {
    forEachAccess(*value, [&](Access &access) {
      if (Value *other = earlier.lookup(access.from))
        access.from = other;
    });
    if (!mayBeShared(*value) || given.contains(value))
      continue;
    llvm::SmallVector<Value *, 1> &alike = known[size_t(hashOf(*value))];
    auto *found = llvm::find_if(alike, [&](Value *other) { return isEqual(*other, *value); });
    if (found == alike.end()) {
      alike.push_back(value);
      continue;
    }
    earlier[value] = *found;
    if (value->kind == ValueKind::Sort && (*found)->shape != value->shape)
      (*found)->shape = value->inputs[0].from->shape;
  }
}

} // namespace nereid::schedule
