// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What loops run over when its length is not known, and the lists that they fill.
#include "frontend/torch/LoopReader.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

// --- What loops run over -------------------------------------------------------------------------

/// What a loop over a value runs over; null when its length is known, or is none.
LoopItems *TorchLibrary::loopItemsOf(PyValue value) {
  value = standIn(value);
  if (auto *items = dyn_cast<LoopItems>(value))
    return items;
  auto *tensor = dyn_cast<TensorValue>(value);
  if (auto *grown = dyn_cast<GrownList>(value); grown && grown->parts.size() == 1)
    tensor = grown->parts.front().stacked;
  if (!tensor || tensor->isNumber || rankOf(tensor) == 0)
    return nullptr;
  Expr count = sizesOf(tensor)[0];
  if (count.isConstant())
    return nullptr;
  auto *rows = machine->make<LoopItems>(*this, tensorClass, LoopItems::Rows, count);
  rows->tensor = tensor;
  return rows;
}

PyValue TorchLibrary::loopItem(LoopItems *items, Expr number) {
  Expr at = solver.resolve(items->isReversed ? items->count - 1 - number : number);
  switch (items->kind) {
  case LoopItems::Range:
    return makeSize(solver.resolve(items->start + at * items->step));
  case LoopItems::Rows:
    setPlace();
    return select(items->tensor, 0, makeSize(at));
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

/// range, reversed, enumerate and zip of what has no known length.
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
  if (name == "reversed") {
    LoopItems *inner = loopItemsOf(args[0]);
    if (!inner)
      return std::nullopt;
    auto *copy = counted(inner->kind, inner->count);
    copy->isReversed = !inner->isReversed;
    copy->start = inner->start;
    copy->step = inner->step;
    copy->tensor = inner->tensor;
    copy->parts = inner->parts;
    return copy;
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

/// Loops nest by unrolling the inner one.
bool TorchLibrary::keepsLoops() const { return entry && !loopReader && !compositeDepth; }

static bool isOfPrelude(Loop &loop) {
  return loop.frame.getFile().getSource().getName().starts_with("<torch");
}

std::optional<Completion> TorchLibrary::keepLoop(Loop &loop) {
  LoopItems *items = loopItemsOf(loop.iterable);
  if (!items || !keepsLoops() || (writesLoopsOut && !items->isAsked) ||
      (!items->isAsked && (isOfPrelude(loop) || items->count.isConstant())))
    return std::nullopt;
  return LoopReader(*this, loop, items, items->isAsked).run();
}

std::optional<Completion> TorchLibrary::rangeLoop(Loop &loop) {
  auto *range = cast<RangeObject>(loop.iterable);
  constexpr int64_t longest = 64;
  if (!keepsLoops() || range->size() <= longest || isOfPrelude(loop))
    return std::nullopt;
  auto *items = machine->make<LoopItems>(*this, machine->builtinClass("range"), LoopItems::Range,
                                         writer.constantSize(range->size()));
  items->start = writer.constantSize(range->start);
  items->step = range->step;
  return LoopReader(*this, loop, items, true).run();
}

// --- Lists that loops fill -----------------------------------------------------------------------

static PyValue refuseGrown(TorchLibrary &t, StringRef what) {
  return t.machine->refuse("a list to which a loop appends has no known length: " + what +
                               " is not supported",
                           "use torch.stack or torch.cat on it, or index a stacked tensor");
}

/// The list with other contents.
PyValue TorchLibrary::regrown(GrownList *from, ListObject *list, std::vector<ListPart> parts) {
  auto *all = machine->make<GrownList>(*this, machine->builtinClass("list"), list);
  all->parts = std::move(parts);
  all->reader = from->reader;
  all->number = from->number;
  machine->willWrite(list);
  list->whole = all;
  list->items = {all};
  return list;
}

static std::vector<ListPart> reversedParts(TorchLibrary &t, const GrownList &list) {
  std::vector<ListPart> parts(list.parts.rbegin(), list.parts.rend());
  for (ListPart &part : parts)
    if (part.stacked)
      part.stacked = t.wrap(t.writer.flip(t.read(part.stacked), {0}));
  return parts;
}

/// A method of a list.
Answer TorchLibrary::grownAttribute(GrownList *grown, StringRef name) {
  auto method = [&](auto body) {
    return machine->makeBuiltin(machine->save(name),
                                [this, grown, body](Machine &, const CallArgs &args) -> PyValue {
                                  auto *now = cast<GrownList>(grown->list->whole);
                                  setPlace();
                                  return body(now, args.positional);
                                });
  };
  if (name == "append")
    return method([this](GrownList *now, ArrayRef<PyValue> args) -> PyValue {
      if (args.size() != 1)
        return machine->raise("TypeError", "list.append() takes exactly one argument");
      std::vector<ListPart> parts = now->parts;
      parts.push_back({args[0]});
      regrown(now, now->list, std::move(parts));
      return machine->none();
    });
  if (name == "insert")
    return method([this](GrownList *now, ArrayRef<PyValue> args) -> PyValue {
      auto *place = args.size() == 2 ? dyn_cast<IntObject>(args[0]) : nullptr;
      if (!place || place->small != 0)
        return refuseGrown(*this, "insert() at other places than 0");
      std::vector<ListPart> parts = now->parts;
      parts.insert(parts.begin(), ListPart{args[1]});
      regrown(now, now->list, std::move(parts));
      return machine->none();
    });
  if (name == "reverse")
    return method([this](GrownList *now, ArrayRef<PyValue>) -> PyValue {
      if (now->reader)
        return refuseGrown(*this, "reverse() in the loop");
      regrown(now, now->list, reversedParts(*this, *now));
      return machine->none();
    });
  if (name == "copy")
    return method([this](GrownList *now, ArrayRef<PyValue>) -> PyValue {
      if (now->reader)
        return refuseGrown(*this, "copy() in the loop");
      return regrown(now, machine->makeList({}), now->parts);
    });
  if (name.starts_with("__"))
    return std::nullopt;
  return machine->makeBuiltin(machine->save(name),
                              [this, name = name.str()](Machine &, const CallArgs &) {
                                return refuseGrown(*this, name + "()");
                              });
}

/// `ys[-1]`, `ys[0]`, `ys[::-1]` and items that do not lie behind those of the loop.
PyValue TorchLibrary::grownItem(GrownList *grown, PyValue key) {
  setPlace();
  if (auto *slice = dyn_cast<SliceObject>(key)) {
    auto *step = dyn_cast<IntObject>(slice->step);
    if (!isa<NoneObject>(slice->start) || !isa<NoneObject>(slice->stop) || !step ||
        step->small != -1 || grown->reader)
      return refuseGrown(*this, "this slice");
    return regrown(grown, machine->makeList({}), reversedParts(*this, *grown));
  }
  auto *number = dyn_cast<IntObject>(key);
  if (!number)
    return refuseGrown(*this, "this index");
  bool fromEnd = number->small < 0;
  int64_t skip = fromEnd ? -1 - number->small : number->small;
  size_t part = 0, count = grown->parts.size();
  auto at = [&](size_t index) -> ListPart & {
    return grown->parts[fromEnd ? count - 1 - index : index];
  };
  while (part < count && skip > 0 && at(part).item) {
    ++part;
    --skip;
  }
  if (part == count)
    return machine->raise("IndexError", "list index out of range");
  ListPart &found = at(part);
  if (found.item)
    return found.item;
  if (found.stacked) {
    Expr length = sizesOf(found.stacked)[0];
    if (!solver.require(index::ge(length, skip + 1), "a list has too few items"))
      return machine->raise("IndexError", "list index out of range");
    return select(found.stacked, 0, fromEnd ? makeSize(length - 1 - skip) : machine->makeInt(skip));
  }
  return skip == 0 && fromEnd ? grown->reader->lastOf(grown->number)
                              : refuseGrown(*this, "this index in the loop");
}

PyValue TorchLibrary::grownLength(GrownList *grown) {
  Expr length = writer.constantSize(0);
  for (ListPart &part : grown->parts) {
    if (!part.item && !part.stacked)
      return refuseGrown(*this, "len() in the loop");
    length = length + (part.item ? writer.constantSize(1) : sizesOf(part.stacked)[0]);
  }
  return makeSize(solver.resolve(length));
}

/// The items of a list as one tensor, along a new axis or an axis of theirs.
PyValue TorchLibrary::joinGrown(GrownList *grown, PyValue axis, bool isStack) {
  SmallVector<PyValue> pieces;
  for (ListPart &part : grown->parts) {
    if (!part.item && !part.stacked)
      return refuseGrown(*this, "joining it in the loop");
    TensorValue *tensor = part.stacked;
    if (!tensor) {
      auto *item = tensorArg(part.item, isStack ? "stack" : "cat");
      if (!item || !(tensor = unsqueeze(item, 0)))
        return nullptr;
    }
    int64_t rank = rankOf(tensor) - 1;
    std::optional<int64_t> dim = dimArg(axis, isStack ? rank + 1 : rank);
    if (!dim)
      return nullptr;
    SmallVector<int64_t> order;
    for (int64_t at = 0; at <= rank; ++at)
      order.push_back(at == *dim ? 0 : at < *dim ? at + 1 : at);
    mlir::Value value = writer.transpose(read(tensor), order);
    if (!isStack) {
      Sizes sizes = writer.sizes(value);
      sizes[*dim] = solver.resolve(sizes[*dim] * sizes[*dim + 1]);
      sizes.erase(sizes.begin() + *dim + 1);
      value = writer.reshape(value, sizes);
    }
    pieces.push_back(wrap(value));
  }
  return pieces.size() == 1
             ? pieces.front()
             : machine->call(lookup("torch", "cat"), {machine->makeTuple(pieces), axis});
}

} // namespace nereid::torch
