// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slices that begin at a number which is data and have a known length: `queue[:, p : p + n]`. What
// is read is one of the windows of that length, a view; what is written goes to its places.
#include "frontend/torch/TorchLibrary.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

/// A number as what is data in it and what sizes add to that.
static std::pair<mlir::Value, Expr> splitNumber(TorchLibrary &t, mlir::Value number) {
  mlir::Operation *op = number.getDefiningOp();
  Expr zero = t.writer.constantSize(0);
  if (auto cast = dyn_cast_if_present<graph::CastOp>(op);
      cast && !isFloat(t.writer.dtype(cast.getInput())))
    return splitNumber(t, cast.getInput());
  if (!isa_and_present<graph::AddOp, graph::SubOp>(op))
    return {number, zero};
  bool isSum = isa<graph::AddOp>(op);
  if (Expr added = t.sizeOfNumber(op->getOperand(1))) {
    auto [data, offset] = splitNumber(t, op->getOperand(0));
    return {data, isSum ? offset + added : offset - added};
  }
  if (Expr added = isSum ? t.sizeOfNumber(op->getOperand(0)) : Expr()) {
    auto [data, offset] = splitNumber(t, op->getOperand(1));
    return {data, offset + added};
  }
  return {number, zero};
}

/// Whether a bound of a slice is a number that is data.
bool TorchLibrary::isDataBound(PyValue value) {
  auto *tensor = dyn_cast_if_present<TensorValue>(value);
  return tensor && !isFloat(tensor->dtype) && tensor->dtype != DType::Bool && !tensor->origin &&
         rankOf(tensor) == 0 && !constantItem(tensor) && !sizeOfNumber(read(tensor));
}

std::optional<TorchLibrary::DataSlice> TorchLibrary::dataSlice(PyValue item) {
  auto *slice = dyn_cast<SliceObject>(item);
  if (!slice || !isDataBound(slice->start) || !isDataBound(slice->stop))
    return std::nullopt;
  auto *step = dyn_cast<IntObject>(slice->step);
  if (!isa<NoneObject>(slice->step) && !(step && step->isSmall() && step->small == 1))
    return std::nullopt;
  mlir::Value start = read(cast<TensorValue>(slice->start));
  auto [from, before] = splitNumber(*this, start);
  auto [to, behind] = splitNumber(*this, read(cast<TensorValue>(slice->stop)));
  Expr length = solver.resolve(behind - before);
  if (!equalValues(from, to) || solver.truth(index::ge(length, 0)) == index::Truth::False)
    return std::nullopt;
  return DataSlice{writer.cast(start, DType::I64), length};
}

bool TorchLibrary::takeDataSlices(TensorValue *&tensor, PyValue &key) {
  SmallVector<PyValue> items{key};
  if (auto *tuple = dyn_cast<TupleObject>(key))
    items.assign(tuple->items.begin(), tuple->items.end());
  if (none_of(items, [&](PyValue item) { return dataSlice(item).has_value(); }))
    return true;
  PyValue none = machine->none();
  PyValue all = machine->makeSlice(none, none, none);
  std::optional<SmallVector<int64_t>> axes = axesOfItems(tensor, items);
  if (!axes)
    return true; // told by what reads the subscript
  for (auto [number, dim] : enumerate(*axes)) {
    std::optional<DataSlice> slice = dataSlice(items[number]);
    if (!slice)
      continue;
    Expr size = sizesOf(tensor)[dim];
    if (!solver.require(index::le(slice->length, size), "a slice is longer than its axis"))
      return false;
    mlir::Value place = countFromStart(slice->start, size);
    if (!place)
      return false;
    ViewStep window(ViewStep::Window);
    window.dim = dim;
    window.step = 1;
    window.size = slice->length;
    Expr count = solver.resolve(size - slice->length + 1);
    window.sizes = {count};
    tensor = view(tensor, window);
    ViewStep pick(ViewStep::Pick);
    pick.dim = dim;
    pick.place = checkedIndex(place, count, "a slice");
    tensor = view(tensor, pick);
    // The window's elements lie behind all axes.
    SmallVector<int64_t> order = to_vector(seq<int64_t>(0, rankOf(tensor) - 1));
    order.insert(order.begin() + dim, rankOf(tensor) - 1);
    tensor = permute(tensor, order);
    if (!tensor)
      return false;
    items[number] = all;
  }
  key = items.size() == 1 ? items.front() : machine->makeTuple(items);
  return true;
}

std::optional<SmallVector<int64_t>> TorchLibrary::axesOfItems(TensorValue *tensor,
                                                              ArrayRef<PyValue> items) {
  auto axesOf = [&](PyValue item) -> int64_t {
    if (isa<NoneObject, BoolObject>(item) || item->getKind() == Kind::Ellipsis)
      return 0;
    auto *index = dyn_cast<TensorValue>(item);
    return index && index->dtype == DType::Bool ? rankOf(index) : 1;
  };
  int64_t left = rankOf(tensor), dim = 0;
  for (PyValue item : items)
    left -= axesOf(item);
  if (left < 0)
    return std::nullopt;
  SmallVector<int64_t> axes;
  for (PyValue item : items) {
    axes.push_back(dim);
    dim += item->getKind() == Kind::Ellipsis ? left : axesOf(item);
  }
  return axes;
}

/// A write to a slice that begins at data, beside plain slices: to the places of its axis. Nothing
/// where the key has no such slice; false after an error.
std::optional<bool> TorchLibrary::storeDataSlice(TensorValue *tensor, PyValue key, PyValue value) {
  SmallVector<PyValue> items{key};
  if (auto *tuple = dyn_cast<TupleObject>(key))
    items.assign(tuple->items.begin(), tuple->items.end());
  auto found = find_if(items, [&](PyValue item) { return dataSlice(item).has_value(); });
  if (found == items.end())
    return std::nullopt;
  DataSlice slice = *dataSlice(*found);
  size_t number = found - items.begin();
  PyValue none = machine->none();
  PyValue all = machine->makeSlice(none, none, none);
  bool isPlain = all_of(enumerate(items), [&](auto each) {
    PyValue item = each.value();
    return each.index() == number || isa<NoneObject>(item) || item->getKind() == Kind::Ellipsis ||
           (isa<IntObject>(item) && !isa<BoolObject>(item)) ||
           (isa<SliceObject>(item) && !dataSlice(item));
  });
  if (!isPlain)
    return machine->refuse("a write to a slice from a place that is data beside other indices",
                           "write to a view: row = x[i]; row[a : a + n] = value"),
           false;
  std::optional<SmallVector<int64_t>> axes = axesOfItems(tensor, items);
  if (!axes)
    return machine->raise("IndexError", "too many indices for tensor"), false;
  int64_t dim = (*axes)[number], made = dim;
  for (PyValue item : ArrayRef(items).take_front(number))
    made += isa<NoneObject>(item) ? 1 : isa<IntObject>(item) ? -1 : 0;
  Expr size = sizesOf(tensor)[dim];
  if (!solver.require(index::le(slice.length, size), "a slice is longer than its axis"))
    return false;
  items[number] = all;
  PyValue whole = items.size() == 1 ? items.front() : machine->makeTuple(items);
  auto *target = dyn_cast_if_present<TensorValue>(index(tensor, whole));
  mlir::Value place = target ? countFromStart(slice.start, size) : mlir::Value();
  if (!place)
    return false;
  Sizes sizes{slice.length};
  mlir::Value places = writer.pointwise(
      "add", {writer.iota(0, sizes, DType::I64), writer.broadcastTo(place, sizes)});
  SmallVector<PyValue> at(made, all);
  at.push_back(wrap(places));
  return storeItem(target, machine->makeTuple(at), value);
}

} // namespace nereid::torch
