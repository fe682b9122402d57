// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What loops run over when its length is not known.
#include "frontend/torch/LoopReader.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

LoopItems *TorchLibrary::rowsOf(TensorValue *tensor, int64_t dim, Expr length) {
  Expr count = sizesOf(tensor)[dim];
  if (length)
    count = solver.resolve(index::floordiv(count, length));
  auto *rows = machine->make<LoopItems>(*this, tensorClass, LoopItems::Rows, count);
  rows->tensor = tensor;
  rows->dim = dim;
  rows->length = length;
  return rows;
}

/// What a loop over a value runs over; null when its length is known, or is none.
LoopItems *TorchLibrary::loopItemsOf(PyValue value) {
  value = standIn(value);
  if (auto *items = dyn_cast<LoopItems>(value))
    return items;
  if (auto *grown = dyn_cast<GrownList>(value))
    return itemsOfGrown(grown);
  auto *tensor = dyn_cast<TensorValue>(value);
  if (!tensor || tensor->isNumber || rankOf(tensor) == 0 || sizesOf(tensor)[0].isConstant())
    return nullptr;
  return rowsOf(tensor, 0);
}

/// Whether what is cut into pieces is cut into equal ones; a check where that is not known.
bool TorchLibrary::cutsEvenly(LoopItems *items) {
  if (items->kind == LoopItems::Zip)
    return all_of(items->parts, [&](PyValue part) { return cutsEvenly(cast<LoopItems>(part)); });
  if (!items->length)
    return true;
  Expr total = sizesOf(items->tensor)[items->dim];
  return solver.require(index::divisible(total, items->length),
                        "an axis of size " + total.str() + " is cut into equal pieces");
}

PyValue TorchLibrary::loopItem(LoopItems *items, Expr number) {
  Expr at = solver.resolve(items->isReversed ? items->count - 1 - number : number);
  switch (items->kind) {
  case LoopItems::Range:
    return makeSize(solver.resolve(items->start + at * items->step));
  case LoopItems::Rows:
    setPlace();
    return items->length ? narrow(items->tensor, items->dim, at * items->length, 1, items->length)
                         : select(items->tensor, items->dim, makeSize(at));
  case LoopItems::Zip: {
    SmallVector<PyValue> parts;
    for (PyValue part : items->parts) {
      auto *inner = dyn_cast<LoopItems>(part);
      if (!parts.emplace_back(inner ? loopItem(inner, at) : nullptr))
        return nullptr;
    }
    return machine->makeTuple(parts);
  }
  }
  llvm_unreachable("covered switch");
}

LoopItems *TorchLibrary::reversedItems(LoopItems *items) {
  auto *copy = machine->make<LoopItems>(*this, items->cls, items->kind, items->count);
  copy->isReversed = !items->isReversed;
  copy->isAsked = items->isAsked;
  copy->isOwn = items->isOwn;
  copy->start = items->start;
  copy->step = items->step;
  copy->tensor = items->tensor;
  copy->dim = items->dim;
  copy->length = items->length;
  copy->parts = items->parts;
  return copy;
}

/// An item of a range of sizes, or the range from its end: `range(n)[::-1]`.
PyValue TorchLibrary::rangeItem(LoopItems *range, PyValue key) {
  if (auto *slice = dyn_cast<SliceObject>(key)) {
    auto *step = dyn_cast<IntObject>(slice->step);
    bool isWhole = isa<NoneObject>(slice->start) && isa<NoneObject>(slice->stop);
    if (isWhole && step && step->small == -1)
      return reversedItems(range);
    return machine->refuse("this part of a range of sizes is not supported",
                           "say where it begins and ends: range(start, stop)");
  }
  std::optional<Expr> number = sizeArg(key, "an index");
  if (!number)
    return nullptr;
  auto *known = dyn_cast<IntObject>(key);
  Expr at = known && known->small < 0 ? range->count + *number : *number;
  if (!solver.require(index::ge(at, 0) & index::lt(at, range->count),
                      "range object index out of range"))
    return machine->raise("IndexError", "range object index out of range");
  return loopItem(range, at);
}

/// range() of sizes.
PyValue TorchLibrary::rangeOf(ArrayRef<PyValue> args) {
  SmallVector<Expr, 3> bounds;
  for (PyValue arg : args) {
    auto *number = dyn_cast<TensorValue>(arg);
    if (!isa<SizeValue, IntObject>(arg) && !(number && number->isNumber))
      return nullptr;
    std::optional<Expr> bound = sizeArg(arg, "a bound of range()");
    if (!bound)
      return nullptr;
    bounds.push_back(*bound);
  }
  if (bounds.empty() || bounds.size() > 3)
    return nullptr;
  Expr start = bounds.size() > 1 ? bounds[0] : writer.constantSize(0);
  Expr stop = bounds.size() > 1 ? bounds[1] : bounds[0];
  std::optional<int64_t> step = bounds.size() > 2 ? bounds[2].getConstant() : std::optional(1l);
  if (!step || *step == 0)
    return nullptr;
  Expr length = solver.resolve(*step > 0 ? stop - start : start - stop);
  if (solver.truth(index::ge(length, 0)) != index::Truth::True)
    length = index::max(length, writer.constantSize(0));
  Expr count = index::ceildiv(length, std::abs(*step));
  auto *items = machine->make<LoopItems>(*this, machine->builtinClass("range"), LoopItems::Range,
                                         solver.getFacts().simplify(count));
  items->start = start;
  items->step = *step;
  return items;
}

/// range, reversed, enumerate, zip, list and tuple of what has no known length.
Answer TorchLibrary::loopBuiltin(StringRef name, ArrayRef<PyValue> args) {
  if (name == "range") {
    PyValue items = rangeOf(args);
    return items || machine->pending() ? Answer(items) : std::nullopt;
  }
  if (args.empty() || !entry)
    return std::nullopt;
  auto counted = [&](LoopItems::Kind kind, Expr count) {
    return machine->make<LoopItems>(*this, machine->builtinClass("zip"), kind, count);
  };
  if (name == "tuple")
    return listOf(args[0], machine->makeList({}));
  if (name == "list")
    return listOf(args[1], cast<ListObject>(args[0]));
  if (name == "reversed") {
    if (auto *grown = dyn_cast<GrownList>(standIn(args[0])); grown && !grown->reader)
      return grownOf(machine->makeList({}), reversedParts(grown->parts));
    LoopItems *inner = loopItemsOf(args[0]);
    return inner ? Answer(reversedItems(inner)) : std::nullopt;
  }
  SmallVector<LoopItems *> parts;
  if (name == "enumerate") {
    LoopItems *inner = loopItemsOf(args[0]);
    PyValue start = args.size() > 1 ? args[1] : machine->makeInt(0);
    if (!inner || !isa<SizeValue, IntObject>(start))
      return std::nullopt;
    auto *numbers = counted(LoopItems::Range, inner->count);
    numbers->start = *sizeArg(start, "start");
    parts = {numbers, inner};
  } else {
    for (PyValue arg : args)
      parts.push_back(loopItemsOf(arg));
    if (is_contained(parts, nullptr))
      return std::nullopt;
  }
  auto *zipped = counted(LoopItems::Zip, parts.front()->count);
  for (LoopItems *part : parts) {
    if (!solver.equate(zipped->count, part->count))
      return machine->refuse("zip() of " + zipped->count.str() + " and " + part->count.str() +
                                 " items, which may differ",
                             "loop over equally many");
    zipped->parts.push_back(part);
  }
  zipped->count = solver.resolve(zipped->count);
  return zipped;
}

/// The items of a loop whose length gets fixed.
Answer TorchLibrary::unrolledItems(LoopItems *items) {
  // The last piece may be shorter.
  if (items->length && !items->isReversed)
    return machine->call(lookup("prims", "in_pieces"),
                         {items->tensor, machine->makeInt(items->dim), makeSize(items->length)});
  std::optional<int64_t> count = items->count.getConstant();
  if (!count && !(count = fixSizeOrRefuse(
                      items->count, mostTurns, "a loop that is written out",
                      "write the loop as a `for` statement, or as an operator along the axis")))
    return nullptr;
  SmallVector<PyValue> all;
  for (int64_t number = 0; number < *count; ++number)
    if (!all.emplace_back(loopItem(items, writer.constantSize(number))))
      return nullptr;
  return machine->makeTuple(all);
}

/// Known numbers of turns up to this are written out.
static constexpr int64_t longestUnrolled = 64;

/// Whether a loop that is met now may be kept.
bool TorchLibrary::keepsLoops() const {
  return entry && !compositeDepth && (!loopReader || keptLoops == KeptLoops::All);
}

static bool isOfPrelude(const Loop &loop) {
  return loop.frame.getFile().getSource().getName().starts_with("<torch");
}

std::optional<Completion> TorchLibrary::keepLoop(Loop &loop) {
  LoopItems *items = loopItemsOf(loop.iterable);
  if (!items || !keepsLoops() || (keptLoops == KeptLoops::None && !items->isAsked))
    return std::nullopt;
  if (isOfPrelude(loop) && !items->isAsked && !items->isOwn)
    return std::nullopt;
  std::optional<int64_t> known = items->count.getConstant();
  bool isLong = known && (items->isAsked || (items->isOwn && *known > longestUnrolled));
  if ((known && !isLong) || !cutsEvenly(items))
    return std::nullopt;
  return LoopReader(*this, loop, items, isLong || items->isAsked).run();
}

std::optional<Completion> TorchLibrary::comprehension(Loop &loop) { return keepLoop(loop); }

std::optional<Completion> TorchLibrary::rangeLoop(Loop &loop) {
  auto *range = cast<RangeObject>(loop.iterable);
  if (!keepsLoops() || range->size() <= longestUnrolled || isOfPrelude(loop))
    return std::nullopt;
  auto *items = machine->make<LoopItems>(*this, machine->builtinClass("range"), LoopItems::Range,
                                         writer.constantSize(range->size()));
  items->start = writer.constantSize(range->start);
  items->step = range->step;
  return LoopReader(*this, loop, items, true).run();
}

} // namespace nereid::torch
