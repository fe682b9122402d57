// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The places where a condition holds, `torch.where(condition)`: the indices of all elements, of
// which the condition selects some. `x[places]` is `x[condition]` where they are all of its axes.
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

PyValue TorchLibrary::indexByPlaces(TensorValue *tensor, PyValue key, MaskedValue *first) {
  SmallVector<PyValue> items = itemsOf(key);
  if (items.size() > 1 && isa<NoneObject>(items.front()))
    return indexBehindOne(tensor, key);
  // The axes of the mask come first where its places do.
  if (items.front() != PyValue(first))
    return reportMasked();
  mlir::Value mask = first->mask;
  for (PyValue &item : items) {
    if (isa<TensorValue, ListObject>(item))
      return reportMasked();
    auto *masked = dyn_cast<MaskedValue>(item);
    if (!masked)
      continue;
    auto *places = cast<TensorValue>(masked->tensor);
    if (!equalValues(masked->mask, mask) || isFloat(places->dtype) ||
        places->dtype == DType::Bool || rankOf(places) != int64_t(writer.sizes(mask).size()))
      return reportMasked();
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
