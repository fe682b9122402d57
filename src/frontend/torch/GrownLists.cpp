// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists whose length is a size: those that loops fill, and the rows of a tensor.
#include "frontend/torch/LoopReader.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

static PyValue refuseGrown(TorchLibrary &t, StringRef what) {
  return t.machine->refuse("a list to which a loop appends has no known length: " + what +
                               " is not supported",
                           "use torch.stack or torch.cat on it, or index a stacked tensor");
}

/// Lets these parts stand for all of a list.
ListObject *TorchLibrary::grownOf(ListObject *list, std::vector<ListPart> parts,
                                  const GrownList *from) {
  auto *all = machine->make<GrownList>(*this, machine->builtinClass("list"), list);
  all->parts = std::move(parts);
  if (from) {
    all->reader = from->reader;
    all->number = from->number;
  }
  machine->willWrite(list);
  list->whole = all;
  list->items = {all};
  return list;
}

std::vector<ListPart> TorchLibrary::reversedParts(ArrayRef<ListPart> parts) {
  std::vector<ListPart> all(parts.rbegin(), parts.rend());
  for (ListPart &part : all)
    if (part.items)
      part.items = reversedItems(part.items);
  return all;
}

/// What a loop over a list runs over: its one part, or the rows of all items.
LoopItems *TorchLibrary::itemsOfGrown(GrownList *grown) {
  if (grown->parts.size() == 1)
    return grown->parts.front().items;
  if (!isJoinable(grown))
    return nullptr;
  auto *rows = dyn_cast_if_present<TensorValue>(joinGrown(grown, machine->makeInt(0), true));
  return rows ? rowsOf(rows, 0) : nullptr;
}

/// Fills a list with what has no known length.
Answer TorchLibrary::listOf(PyValue value, ListObject *list) {
  if (auto *grown = dyn_cast<GrownList>(standIn(value)); grown && !grown->reader)
    return grownOf(list, grown->parts);
  auto *items = dyn_cast<LoopItems>(value);
  if (!items || !keepsLoops() || keptLoops == KeptLoops::None || items->count.isConstant())
    return std::nullopt;
  return grownOf(list, {ListPart{nullptr, items}});
}

/// The items of a list one by one, which fixes how many there are.
std::optional<std::vector<PyValue>> TorchLibrary::writtenOut(GrownList *grown, StringRef what) {
  std::vector<PyValue> all;
  for (ListPart &part : grown->parts) {
    if (part.item) {
      all.push_back(part.item);
      continue;
    }
    if (!part.items)
      return refuseGrown(*this, what), std::nullopt;
    Answer items = unrolledItems(part.items);
    if (!items || !*items)
      return std::nullopt;
    llvm::append_range(all, cast<TupleObject>(*items)->items);
  }
  return all;
}

/// prims.rows(input, dim, length).
PyValue TorchLibrary::rowsOrNone(ArrayRef<PyValue> args) {
  auto *tensor = tensorArg(args[0], "rows");
  std::optional<int64_t> dim = tensor ? dimArg(args[1], rankOf(tensor)) : std::nullopt;
  if (!dim)
    return nullptr;
  if (!keepsLoops() || keptLoops == KeptLoops::None)
    return machine->none();
  Expr length;
  if (!isa<NoneObject>(args[2])) {
    std::optional<Expr> given = sizeArg(args[2], "split_size");
    if (!given)
      return nullptr;
    std::optional<int64_t> total = solver.hint(sizesOf(tensor)[*dim]), part = solver.hint(*given);
    if (!part || *part < 1 || (total && *total % *part))
      return machine->none();
    // x.split(n // 3) makes three pieces.
    length = solver.resolve(*given);
    if (length.getKind() == index::ExprKind::FloorDiv)
      return machine->none();
  }
  LoopItems *items = rowsOf(tensor, *dim, length);
  if (items->count.isConstant())
    return machine->none();
  ListObject *list = grownOf(machine->makeList({}), {ListPart{nullptr, items}});
  cast<GrownList>(list->whole)->isTuple = true;
  return list;
}

/// Makes an ordinary list of one whose length is a size.
ListObject *TorchLibrary::writeOut(GrownList *grown, StringRef what) {
  std::optional<std::vector<PyValue>> items = writtenOut(grown, what);
  if (!items)
    return nullptr;
  machine->willWrite(grown->list);
  grown->list->whole = nullptr;
  grown->list->items = std::move(*items);
  return grown->list;
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
      grownOf(now->list, std::move(parts), now);
      return machine->none();
    });
  if (name == "insert")
    return method([this](GrownList *now, ArrayRef<PyValue> args) -> PyValue {
      auto *place = args.size() == 2 ? dyn_cast<IntObject>(args[0]) : nullptr;
      if (!place || place->small != 0)
        return refuseGrown(*this, "insert() at other places than 0");
      std::vector<ListPart> parts = now->parts;
      parts.insert(parts.begin(), ListPart{args[1]});
      grownOf(now->list, std::move(parts), now);
      return machine->none();
    });
  if (name == "reverse")
    return method([this](GrownList *now, ArrayRef<PyValue>) -> PyValue {
      if (now->reader)
        return refuseGrown(*this, "reverse() in the loop");
      grownOf(now->list, reversedParts(now->parts), now);
      return machine->none();
    });
  if (name == "copy")
    return method([this](GrownList *now, ArrayRef<PyValue>) -> PyValue {
      if (now->reader)
        return refuseGrown(*this, "copy() in the loop");
      return grownOf(machine->makeList({}), now->parts);
    });
  if (name.starts_with("__"))
    return std::nullopt;
  ListObject *list = writeOut(grown, (name + "()").str());
  return list ? machine->getAttribute(list, name) : nullptr;
}

/// `ys + zs`, one of which has no known length.
Answer TorchLibrary::grownSum(PyValue left, PyValue right) {
  std::vector<ListPart> parts;
  for (PyValue side : {left, right}) {
    if (auto *grown = dyn_cast<GrownList>(standIn(side))) {
      if (grown->reader)
        return refuseGrown(*this, "a sum in the loop");
      llvm::append_range(parts, grown->parts);
    } else if (auto *list = dyn_cast<ListObject>(side)) {
      for (PyValue item : list->items)
        parts.push_back({item});
    } else {
      return std::nullopt;
    }
  }
  return grownOf(machine->makeList({}), std::move(parts));
}

/// The item at a place that is a size, of a list of rows alone.
PyValue TorchLibrary::grownItemAt(GrownList *grown, Expr place) {
  if (grown->reader)
    return grown->reader->itemAt(grown, place);
  LoopItems *items = itemsOfGrown(grown);
  if (!items)
    return refuseGrown(*this, "this index");
  std::string message =
      "list index " + place.str() + " is out of range of " + items->count.str() + " items";
  Expr at = solver.decideSign(place, message) ? place : solver.resolve(place + items->count);
  if (!solver.require(index::ge(at, 0), message) ||
      !solver.require(index::lt(at, items->count), message))
    return machine->raise("IndexError", "list index out of range");
  return loopItem(items, at);
}

/// `ys[-1]`, `ys[0]`, `ys[t]`, `ys[::-1]` and items that do not lie behind those of the loop.
PyValue TorchLibrary::grownItem(GrownList *grown, PyValue key) {
  setPlace();
  auto writtenOutItem = [&](StringRef what) -> PyValue {
    ListObject *list = writeOut(grown, what);
    return list ? machine->getItem(list, key) : nullptr;
  };
  if (auto *slice = dyn_cast<SliceObject>(key)) {
    auto *step = dyn_cast<IntObject>(slice->step);
    bool isWhole = isa<NoneObject>(slice->start) && isa<NoneObject>(slice->stop);
    if (!isWhole || grown->reader || !step || step->small != -1)
      return writtenOutItem("this slice");
    return grownOf(machine->makeList({}), reversedParts(grown->parts));
  }
  if (auto *size = dyn_cast<SizeValue>(key))
    return grownItemAt(grown, solver.resolve(size->expr));
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
  if (found.items) {
    Expr length = found.items->count;
    if (!solver.require(index::ge(length, skip + 1), "a list has too few items"))
      return machine->raise("IndexError", "list index out of range");
    return loopItem(found.items,
                    fromEnd ? solver.resolve(length - 1 - skip) : writer.constantSize(skip));
  }
  return fromEnd ? grown->reader->lastOf(grown->number, skip + 1)
                 : refuseGrown(*this, "this index in the loop");
}

PyValue TorchLibrary::grownLength(GrownList *grown) {
  Expr length = writer.constantSize(0);
  for (ListPart &part : grown->parts) {
    length = length + (part.item    ? writer.constantSize(1)
                       : part.items ? part.items->count
                                    : grown->reader->turnNumber());
  }
  return makeSize(solver.resolve(length));
}

/// Whether all items are tensors of the same sizes.
bool TorchLibrary::isJoinable(GrownList *grown) {
  std::optional<Sizes> first;
  for (ListPart &part : grown->parts) {
    auto *tensor = dyn_cast_if_present<TensorValue>(part.item);
    bool isRows = part.items && part.items->kind == LoopItems::Rows;
    if (isRows)
      tensor = part.items->tensor;
    if (!tensor || tensor->isNumber)
      return false;
    Sizes sizes = sizesOf(tensor);
    if (isRows && part.items->length)
      sizes[part.items->dim] = part.items->length;
    else if (isRows)
      sizes.erase(sizes.begin() + part.items->dim);
    if (first && *first != sizes)
      return false;
    first = sizes;
  }
  return true;
}

/// The rows of a tensor along a first axis, in their order.
mlir::Value TorchLibrary::stackedItems(LoopItems *items) {
  mlir::Value value = read(items->tensor);
  int64_t dim = items->dim, rank = writer.rank(value);
  if (items->length) {
    Sizes sizes = writer.sizes(value);
    sizes[dim] = items->count;
    sizes.insert(sizes.begin() + dim + 1, items->length);
    value = writer.reshape(value, sizes);
    ++rank;
  }
  SmallVector<int64_t> order{dim};
  for (int64_t axis = 0; axis < rank; ++axis)
    if (axis != dim)
      order.push_back(axis);
  value = writer.transpose(value, order);
  return items->isReversed ? writer.flip(value, {0}) : value;
}

/// The items of a list as one tensor, along a new axis or an axis of theirs.
PyValue TorchLibrary::joinGrown(GrownList *grown, PyValue axis, bool isStack) {
  SmallVector<PyValue> pieces;
  for (ListPart &part : grown->parts) {
    if (!part.item && !part.items)
      return refuseGrown(*this, "joining it in the loop");
    TensorValue *tensor = nullptr;
    if (part.items && part.items->kind != LoopItems::Rows)
      return machine->raise("TypeError", "expected Tensor as element of the list");
    if (part.items) {
      if (part.items->length && !cutsEvenly(part.items))
        return nullptr;
      tensor = wrap(stackedItems(part.items));
    } else {
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
