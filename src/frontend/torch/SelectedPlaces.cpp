// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The places where a condition holds, `torch.where(condition)`: the indices of all elements, of
// which the condition selects some. `x[places]` is `x[condition]` where they are all of its axes.
#include "frontend/torch/DataBranch.h"
#include "frontend/torch/KnownPlaces.h"
#include "frontend/torch/TorchLibrary.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

PyValue TorchLibrary::placesWhere(TensorValue *condition) {
  int64_t rank = rankOf(condition);
  if (rank == 0)
    return machine->refuse("the places where a number holds are not supported",
                           "use torch.where(condition, a, b)");
  setPlace();
  Sizes sizes = sizesOf(condition);
  mlir::Value mask = writer.cast(read(condition), DType::Bool);
  SmallVector<PyValue> places;
  for (int64_t axis = 0; axis < rank; ++axis)
    places.push_back(machine->make<MaskedValue>(*this, tensorClass,
                                                wrap(writer.iota(axis, sizes, DType::I64)), mask));
  return machine->makeTuple(places);
}

PyValue TorchLibrary::joinPlaces(PyValue places) {
  auto *each = dyn_cast<TupleObject>(places);
  if (!each)
    return places;
  auto *first = cast<MaskedValue>(each->items.front());
  Sizes sizes = sizesOf(cast<TensorValue>(first->tensor));
  int64_t axes = sizes.size();
  sizes.push_back(writer.constantSize(1));
  SmallVector<mlir::Value> parts;
  for (PyValue item : each->items)
    parts.push_back(
        writer.reshape(read(cast<TensorValue>(cast<MaskedValue>(item)->tensor)), sizes));
  mlir::Value all = parts.size() == 1 ? parts.front() : writer.concat(parts, axes);
  return machine->make<MaskedValue>(*this, tensorClass, wrap(all), first->mask);
}

/// The items of a key.
static SmallVector<PyValue> itemsOf(PyValue key) {
  if (auto *tuple = dyn_cast<TupleObject>(key))
    return SmallVector<PyValue>(tuple->items.begin(), tuple->items.end());
  return {key};
}

void TorchLibrary::restoreMask(TensorValue *tensor, PyValue &key) {
  SmallVector<PyValue> items = itemsOf(key);
  auto *first = items.empty() ? nullptr : dyn_cast<MaskedValue>(items.front());
  if (!first)
    return;
  Sizes held = writer.sizes(first->mask), own = sizesOf(tensor);
  size_t axes = held.size();
  if (items.size() < axes || own.size() < axes)
    return;
  for (size_t axis = 0; axis < axes; ++axis) {
    auto *masked = dyn_cast<MaskedValue>(items[axis]);
    // Sizes that are typically equal are so from now on.
    bool isAsLong = solver.resolve(own[axis]) == solver.resolve(held[axis]) ||
                    (solver.hint(own[axis]) && solver.hint(own[axis]) == solver.hint(held[axis]));
    if (!masked || !isAsLong || !equalValues(masked->mask, first->mask))
      return;
    mlir::Value places = read(cast<TensorValue>(masked->tensor));
    if (!equal(writer.sizes(places), held) ||
        findAxisOfPlaces(places, solver.getContext()) != int64_t(axis))
      return;
  }
  SmallVector<PyValue> all{wrap(first->mask)};
  append_range(all, ArrayRef(items).drop_front(axes));
  key = all.size() == 1 ? all.front() : machine->makeTuple(all);
}

PyValue TorchLibrary::indexBehindOne(TensorValue *tensor, PyValue key) {
  SmallVector<PyValue> items = itemsOf(key);
  PyValue rest = items.size() == 2 ? items[1] : machine->makeTuple(ArrayRef(items).drop_front());
  PyValue taken = index(tensor, rest);
  auto *masked = dyn_cast_if_present<MaskedValue>(taken);
  if (!masked)
    return taken;
  masked->isBehindOne = true;
  return masked;
}

Answer TorchLibrary::attributeBehindOne(MaskedValue *masked, StringRef name) {
  if (name != "reshape" && name != "view")
    return reportMasked();
  return machine->makeBuiltin(
      name == "view" ? "view" : "reshape",
      [this, masked](Machine &, const CallArgs &args) -> PyValue {
        ArrayRef<PyValue> sizes = args.positional;
        if (auto *tuple = sizes.size() == 1 ? dyn_cast<TupleObject>(sizes[0]) : nullptr)
          sizes = tuple->items;
        Sizes own = sizesOf(cast<TensorValue>(masked->tensor));
        ArrayRef<Expr> row = ArrayRef(own).drop_front(writer.sizes(masked->mask).size());
        auto *count = sizes.empty() ? nullptr : dyn_cast<IntObject>(sizes[0]);
        bool isRows = count && count->small == -1 && sizes.size() == row.size() + 1;
        for (size_t dim = 0; isRows && dim < row.size(); ++dim) {
          std::optional<Expr> size = sizeArg(sizes[dim + 1], "a size");
          if (!size)
            return nullptr;
          isRows = solver.resolve(*size) == solver.resolve(row[dim]);
        }
        return isRows ? PyValue(machine->make<MaskedValue>(*this, tensorClass, masked->tensor,
                                                           masked->mask))
                      : reportMasked();
      });
}

std::optional<Completion> TorchLibrary::loopOverSelected(Loop &loop, MaskedValue *masked) {
  Sizes held = writer.sizes(masked->mask);
  if (masked->isBehindOne || held.size() != 1 || !isa<python::For>(loop.node)) {
    reportMasked();
    return Completion::raise();
  }
  std::optional<int64_t> count =
      fixSizeOrRefuse(held[0], mostTurns, "a loop over an axis that is written out",
                      "write the loop as an operator along the axis");
  if (!count)
    return Completion::raise();
  auto *all = cast<TensorValue>(masked->tensor);
  bool arePlaces = findAxisOfPlaces(read(all), solver.getContext()) == 0;
  TensorValue *mask = wrap(masked->mask);
  for (int64_t row = 0; row < *count; ++row) {
    setPlace();
    PyValue number = machine->makeInt(row);
    TensorValue *item = select(all, 0, number), *holds = select(mask, 0, number);
    if (!item || !holds)
      return Completion::raise();
    // A place is a number that is known.
    if (arePlaces)
      item = wrap(writer.broadcastTo(writer.integer(item->dtype, row), sizesOf(item)));
    Branch branch{*machine, loop.frame, loop.node, holds};
    Completion ended = DataBranch(*this, branch, read(holds)).run([&] {
      if (!loop.bindTarget(item))
        return Completion::raise();
      Completion turn = loop.runBody();
      return turn.kind == Completion::Continue ? Completion::normal() : turn;
    });
    if (ended.isRaise())
      return ended;
  }
  return loop.runElse();
}

/// Of one tensor of places that are the indices of an axis of the mask: that axis, where the first
/// axis of the tensor is as long.
std::optional<int64_t> TorchLibrary::axisOfPlaces(TensorValue *tensor, MaskedValue *places) {
  mlir::Value at = read(cast<TensorValue>(places->tensor));
  Sizes held = writer.sizes(places->mask), own = sizesOf(tensor);
  std::optional<int64_t> axis = findAxisOfPlaces(at, solver.getContext());
  bool isAsLong = axis && !own.empty() && equal(writer.sizes(at), held) &&
                  (solver.resolve(own[0]) == solver.resolve(held[*axis]) ||
                   (solver.hint(own[0]) && solver.hint(own[0]) == solver.hint(held[*axis])));
  // Sizes that are typically equal are so from now on.
  return isAsLong && solver.equate(own[0], held[*axis]) ? axis : std::nullopt;
}

bool TorchLibrary::storeAtPlaces(TensorValue *tensor, MaskedValue *places, PyValue value) {
  auto *masked = dyn_cast<MaskedValue>(value);
  if (places->known || (masked && (masked->isBehindOne || masked->known ||
                                   !equalValues(masked->mask, places->mask))))
    return refuseMasked(), false;
  PyValue whole = masked ? masked->tensor : value;
  auto *given = dyn_cast<TensorValue>(whole);
  // Rows of their own are stored in order, by the mask.
  if (!masked && given && rankOf(given) >= rankOf(tensor) && rankOf(tensor) > 0)
    return machine->refuse("a write to places that a mask selects is not supported here",
                           "write by the mask itself: x[mask] = value"),
           false;
  std::optional<int64_t> axis = axisOfPlaces(tensor, places);
  SmallVector<PyValue> arguments{tensor, wrap(places->mask), whole};
  arguments.push_back(axis ? PyValue(machine->makeInt(*axis)) : places->tensor);
  PyValue result =
      machine->call(lookup("prims", axis ? "store_rows_where" : "store_at_where"), arguments);
  return result && (isPoisoned(result) || storeInPlace(tensor, result));
}

PyValue TorchLibrary::settledIndex(TensorValue *tensor, ArrayRef<PyValue> items) {
  return settledCall({items, {}}, [&](const CallArgs &known) {
    return index(tensor, machine->makeTuple(known.positional));
  });
}

PyValue TorchLibrary::indexByPlaces(TensorValue *tensor, PyValue key, MaskedValue *first) {
  SmallVector<PyValue> items = itemsOf(key);
  if (items.size() > 1 && isa<NoneObject>(items.front()))
    return indexBehindOne(tensor, key);
  // The axes of the mask come first where its places do.
  if (first->known || items.front() != PyValue(first))
    return settledIndex(tensor, items);
  mlir::Value mask = first->mask;
  if (std::optional<int64_t> axis =
          items.size() == 1 ? axisOfPlaces(tensor, first) : std::nullopt) {
    // Each row, as often as the mask may select it.
    SmallVector<int64_t> dims{*axis};
    Sizes sizes = writer.sizes(mask), own = sizesOf(tensor);
    for (Expr size : ArrayRef(own).drop_front()) {
      dims.push_back(sizes.size());
      sizes.push_back(size);
    }
    mlir::Value value = writer.broadcast(read(tensor), dims, sizes);
    return machine->make<MaskedValue>(
        *this, tensorClass,
        wrap(gradients && requiresGradient(tensor) ? heldApart(value, mask) : value), mask);
  }
  for (PyValue &item : items) {
    if (isa<TensorValue, ListObject>(item))
      return settledIndex(tensor, itemsOf(key));
    auto *masked = dyn_cast<MaskedValue>(item);
    if (!masked)
      continue;
    auto *places = cast<TensorValue>(masked->tensor);
    if (!equalValues(masked->mask, mask) || isFloat(places->dtype) ||
        places->dtype == DType::Bool || rankOf(places) != int64_t(writer.sizes(mask).size()))
      return settledIndex(tensor, itemsOf(key));
    // Those of elements that are not selected may be anything.
    mlir::Value at = writer.cast(read(places), DType::I64);
    mlir::Value none = writer.broadcastTo(writer.integer(DType::I64, 0), writer.sizes(at));
    item = wrap(writer.where(mask, at, none));
  }
  PyValue taken = index(tensor, items.size() == 1 ? items.front() : machine->makeTuple(items));
  auto *result = dyn_cast_if_present<TensorValue>(taken);
  if (!result)
    return taken;
  mlir::Value value = read(result);
  if (gradients && requiresGradient(tensor))
    value = heldApart(value, mask);
  return machine->make<MaskedValue>(*this, tensorClass, wrap(value), mask);
}

} // namespace nereid::torch
