// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subscripts of tensors, read and written: `x[1, :n, mask]`.
#include "frontend/torch/LoopReader.h"
#include "frontend/torch/LoopValues.h"
#include "frontend/torch/TorchLibrary.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

/// Whether a key is a list of some truth values that hold, which says at once where they are.
static bool isFlatMask(PyValue key) {
  auto *list = dyn_cast<ListObject>(key);
  auto isBool = [](PyValue item) { return isa<BoolObject>(item); };
  return list && all_of(list->items, isBool) &&
         any_of(list->items, [](PyValue item) { return cast<BoolObject>(item)->value(); });
}

namespace {

/// Applies the items of a subscript from left to right.
class Subscript {
public:
  Subscript(TorchLibrary &t, TensorValue *tensor) : t(t), tensor(tensor) {}

  TensorValue *run(PyValue key) {
    SmallVector<PyValue> items;
    if (auto *tuple = dyn_cast<TupleObject>(key))
      items.assign(tuple->items.begin(), tuple->items.end());
    else
      items.push_back(key);
    int64_t used = count_if(items, [](PyValue item) {
      return !isa<NoneObject, BoolObject>(item) && item->getKind() != Kind::Ellipsis;
    });
    int64_t rest = t.rankOf(tensor) - used;
    if (rest < 0)
      return t.machine->raise("IndexError", "too many indices for tensor of dimension " +
                                                Twine(t.rankOf(tensor))),
             nullptr;
    bool seen = false;
    for (PyValue item : items) {
      if (item->getKind() == Kind::Ellipsis) {
        if (seen)
          return t.machine->raise("IndexError", "an index can only have a single ellipsis"),
                 nullptr;
        seen = true;
        dim += rest;
      } else if (!apply(item)) {
        return nullptr;
      }
    }
    if (places.size() == 1)
      return t.take(tensor, places[0].first, places[0].second);
    return places.empty() ? tensor : takeAll();
  }

private:
  TorchLibrary &t;
  TensorValue *tensor;
  int64_t dim = 0;
  /// Axes that tensors of indices address.
  SmallVector<std::pair<int64_t, TensorValue *>> places;

  bool apply(PyValue item) {
    if (isa<NoneObject>(item)) {
      tensor = t.unsqueeze(tensor, dim++);
      return true;
    }
    if (auto *slice = dyn_cast<SliceObject>(item)) {
      int64_t step = 1;
      if (!isa<NoneObject>(slice->step)) {
        std::optional<int64_t> given = t.intArg(slice->step, "a slice step");
        if (!given)
          return false;
        step = *given;
      }
      if (step < 1)
        return t.machine->raise("ValueError", "step must be greater than zero", "use torch.flip"),
               false;
      tensor = t.slice(tensor, dim++, slice->start, slice->stop, step);
      return tensor;
    }
    if (isa<BoolObject>(item))
      return t.machine->refuse("indexing with a bool is not supported", "use None to add an axis"),
             false;
    if (isa<ListObject>(item) || isa<TensorValue>(item))
      return applyTensor(item);
    tensor = t.select(tensor, dim, item);
    return tensor;
  }

  /// The places of the truth values of a list, which is as long as the axis.
  PyValue placesOf(ArrayRef<PyValue> mask) {
    Sizes sizes = t.sizesOf(tensor);
    if (size_t(dim) >= sizes.size() ||
        !t.solver.equate(sizes[dim], t.writer.constantSize(int64_t(mask.size()))))
      return t.machine->raise("IndexError", "the shape of the mask [" +
                                                std::to_string(mask.size()) +
                                                "] does not match the axis that it stands at");
    SmallVector<PyValue> places;
    for (auto [place, item] : enumerate(mask))
      if (cast<BoolObject>(item)->value())
        places.push_back(t.machine->makeInt(place));
    return t.machine->makeList(places);
  }

  bool applyTensor(PyValue item) {
    if (isFlatMask(item) && !(item = placesOf(cast<ListObject>(item)->items)))
      return false;
    if (isa<ListObject>(item))
      item = t.machine->call(t.lookup("torch", "tensor"), {item});
    auto *indices = dyn_cast_if_present<TensorValue>(item);
    if (!indices)
      return false;
    if (indices->dtype == DType::Bool || indices->dtype == DType::U8)
      return t.machine->refuse("indexing with a mask has a size that depends on the data",
                               "use torch.where(mask, x, 0)"),
             false;
    if (isFloat(indices->dtype))
      return t.machine->raise("IndexError", "tensors used as indices must be long, int, byte or "
                                            "bool tensors"),
             false;
    places.push_back({dim++, indices});
    return true;
  }

  /// Several tensors of indices, of one shape when broadcast: their axes are addressed as one.
  TensorValue *takeAll() {
    GraphWriter &writer = t.writer;
    SmallVector<Sizes> shapes;
    for (auto [axis, indices] : places)
      shapes.push_back(t.sizesOf(indices));
    std::optional<Sizes> shape = t.broadcastSizes(shapes);
    if (!shape)
      return nullptr;
    // Axes that do not lie side by side come first.
    int64_t count = places.size(), first = places[0].first;
    bool adjacent = places.back().first == first + count - 1;
    SmallVector<int64_t> order;
    if (!adjacent)
      for (auto [axis, indices] : places)
        order.push_back(axis);
    for (int64_t axis = 0, rank = t.rankOf(tensor); axis < rank; ++axis)
      if (!is_contained(order, axis))
        order.push_back(axis);
    tensor = t.permute(tensor, order);
    first = adjacent ? first : 0;
    Sizes sizes = t.sizesOf(tensor);
    mlir::Value linear;
    for (auto [number, place] : enumerate(places)) {
      mlir::Value at = writer.broadcastTo(writer.cast(t.read(place.second), DType::I64), *shape);
      at = t.countFromStart(at, sizes[first + number]);
      if (!at)
        return nullptr;
      at = t.checkedIndex(at, sizes[first + number], "indexing");
      mlir::Value size = writer.broadcastTo(writer.size(sizes[first + number]), *shape);
      linear = number ? writer.pointwise("add", {writer.pointwise("mul", {linear, size}), at}) : at;
    }
    Sizes merged(sizes.begin(), sizes.begin() + first);
    merged.push_back(t.solver.resolve(
        index::product(t.solver.getContext(), ArrayRef<Expr>(sizes).slice(first, count))));
    merged.append(sizes.begin() + first + count, sizes.end());
    TensorValue *flat = t.wrap(writer.reshape(t.read(tensor), merged));
    return t.take(flat, first, t.wrap(linear), false);
  }
};

} // namespace

/// `x[0, mask, :n]`: the mask takes the axes that it stands at in the view that the other items
/// make.
std::optional<TorchLibrary::MaskedView> TorchLibrary::viewUnderMask(TensorValue *tensor,
                                                                    PyValue key) {
  auto isMask = [](PyValue item) {
    auto *mask = dyn_cast<TensorValue>(item);
    return mask && mask->dtype == DType::Bool;
  };
  if (isMask(key))
    return MaskedView{tensor, cast<TensorValue>(key), 0};
  auto *tuple = dyn_cast<TupleObject>(key);
  auto isIndices = [](PyValue item) { return isa<TensorValue, ListObject>(item); };
  if (!tuple || count_if(tuple->items, isIndices) != 1)
    return MaskedView{tensor, nullptr, 0};
  auto *found = find_if(tuple->items, isMask);
  if (found == tuple->items.end())
    return MaskedView{tensor, nullptr, 0};
  MaskedView result{nullptr, cast<TensorValue>(*found), 0};
  PyValue none = machine->none();
  SmallVector<PyValue> items(tuple->items.begin(), found);
  int64_t rank = rankOf(result.mask), before = items.size();
  items.append(rank, machine->makeSlice(none, none, none));
  items.append(std::next(found), tuple->items.end());
  int64_t used = count_if(items, [](PyValue item) {
    return !isa<NoneObject, BoolObject>(item) && item->getKind() != Kind::Ellipsis;
  });
  for (PyValue item : ArrayRef(items).take_front(before))
    result.dim += item->getKind() == Kind::Ellipsis    ? rankOf(tensor) - used
                  : isa<NoneObject, SliceObject>(item) ? 1
                                                       : 0;
  result.tensor = Subscript(*this, tensor).run(machine->makeTuple(items));
  if (!result.tensor)
    return std::nullopt;
  return result;
}

bool TorchLibrary::fitsMask(TensorValue *tensor, TensorValue *mask, int64_t dim) {
  Sizes own = sizesOf(tensor), masked = sizesOf(mask);
  bool fits = dim + masked.size() <= own.size();
  for (size_t axis = 0; fits && axis < masked.size(); ++axis)
    fits = solver.equate(masked[axis], own[dim + axis]);
  if (!fits)
    machine->raise("IndexError", "the shape of the mask does not match the tensor");
  return fits;
}

/// `x[mask]`. With gradients, the other elements are numbers of which every operator is finite:
/// what is computed of them gets no gradient, but 0 times infinity would be one.
PyValue TorchLibrary::selected(TensorValue *tensor, TensorValue *mask) {
  mlir::Value held = read(mask);
  if (!fitsMask(tensor, mask, 0))
    return nullptr;
  mlir::Value value = read(tensor);
  if (gradients && requiresGradient(tensor))
    value = heldApart(value, held);
  return machine->make<MaskedValue>(*this, tensorClass, wrap(value), held);
}

/// Whether a list is of truth values, or of such lists: it is a mask.
static bool isListOfBools(PyValue value) {
  auto *list = dyn_cast<ListObject>(value);
  return list && !list->items.empty() && all_of(list->items, [](PyValue item) {
           return isa<BoolObject>(item) || isListOfBools(item);
         });
}

/// A key in which ranges are tensors of their numbers, and lists of truth values are masks:
/// `x[range(len(x)), labels]`.
static PyValue withoutRanges(TorchLibrary &t, PyValue key, bool isRead) {
  if (auto *tuple = dyn_cast<TupleObject>(key)) {
    SmallVector<PyValue> items(tuple->items.begin(), tuple->items.end());
    for (PyValue &item : items)
      if (!(item = isa<TupleObject>(item) ? item : withoutRanges(t, item, isRead)))
        return nullptr;
    return items == ArrayRef<PyValue>(tuple->items) ? key : t.machine->makeTuple(items);
  }
  if (isRead && isFlatMask(key))
    return key;
  if (isListOfBools(key))
    return t.machine->call(t.lookup("torch", "tensor"), {key});
  PyValue arange = t.lookup("torch", "arange");
  if (auto *range = dyn_cast<RangeObject>(key))
    return t.machine->call(arange,
                           {t.machine->makeInt(range->start), t.machine->makeInt(range->stop),
                            t.machine->makeInt(range->step)});
  auto *items = dyn_cast<LoopItems>(key);
  if (!items || items->kind != LoopItems::Range || items->isReversed)
    return key;
  return t.machine->call(arange, {t.makeSize(items->start),
                                  t.makeSize(items->start + items->count * items->step),
                                  t.machine->makeInt(items->step)});
}

/// The first item of a key whose number is data; null where there is none.
static MaskedValue *firstPlaces(PyValue key) {
  if (auto *tuple = dyn_cast<TupleObject>(key))
    for (PyValue item : tuple->items)
      if (auto *masked = dyn_cast<MaskedValue>(item))
        return masked;
  return dyn_cast<MaskedValue>(key);
}

/// The places of a write to whole rows, `x[places]` or `x[places, :]`; null for others.
static MaskedValue *rowPlaces(TensorValue *tensor, PyValue key) {
  auto *tuple = dyn_cast<TupleObject>(key);
  if (!tuple || tuple->items.empty())
    return dyn_cast<MaskedValue>(key);
  bool takesRest = all_of(drop_begin(tuple->items), [](PyValue item) {
    auto *slice = dyn_cast<SliceObject>(item);
    return item->getKind() == Kind::Ellipsis ||
           (slice && isa<NoneObject>(slice->start) && isa<NoneObject>(slice->stop) &&
            isa<NoneObject>(slice->step));
  });
  return takesRest ? dyn_cast<MaskedValue>(tuple->items.front()) : nullptr;
}

/// Numbers that are data are indices like those that are known: each takes a part of the tensor,
/// from left to right, before tensors of indices address the axes that are left.
bool TorchLibrary::pickNumbers(TensorValue *&tensor, PyValue &key) {
  auto isNumber = [&](PyValue item) {
    auto *index = dyn_cast<TensorValue>(item);
    return index && !isFloat(index->dtype) && index->dtype != DType::Bool &&
           index->dtype != DType::U8 && rankOf(index) == 0;
  };
  SmallVector<PyValue> items{key}, rest;
  if (auto *tuple = dyn_cast<TupleObject>(key))
    items.assign(tuple->items.begin(), tuple->items.end());
  if (none_of(items, isNumber))
    return true;
  std::optional<SmallVector<int64_t>> axes = axesOfItems(tensor, items);
  if (!axes)
    return true; // told by what reads the subscript
  int64_t picked = 0;
  for (auto [item, dim] : zip_equal(items, *axes)) {
    if (!isNumber(item)) {
      rest.push_back(item);
      continue;
    }
    tensor = pick(tensor, dim - picked++, cast<TensorValue>(item));
    if (!tensor)
      return false;
  }
  key = rest.size() == 1 ? rest.front() : machine->makeTuple(rest);
  return true;
}

PyValue TorchLibrary::index(TensorValue *tensor, PyValue key) {
  if (isPoisoned(key))
    return poison();
  if (!(key = withoutRanges(*this, key, true)))
    return nullptr;
  setPlace();
  if (!takeDataSlices(tensor, key) || !pickNumbers(tensor, key))
    return nullptr;
  restoreMask(tensor, key);
  if (MaskedValue *places = firstPlaces(key))
    return indexByPlaces(tensor, key, places);
  std::optional<MaskedView> masked = viewUnderMask(tensor, key);
  if (!masked)
    return nullptr;
  // Elements that are selected lie along the first axis (SelectedRows.h).
  if (masked->mask && !masked->mask->isNumber && masked->dim == 0)
    return selected(masked->tensor, masked->mask);
  if (masked->mask && !masked->mask->isNumber) {
    if (!fitsMask(masked->tensor, masked->mask, masked->dim))
      return nullptr;
    PyValue settle = lookup("prims", "settled_behind");
    PyValue known =
        settle
            ? machine->call(settle, {masked->mask, masked->tensor, machine->makeInt(masked->dim)})
            : nullptr;
    if (!known || !isa<NoneObject>(known))
      return known;
  }
  return Subscript(*this, tensor).run(key);
}

/// A write whose places are data, by the definition `prims.<name>`.
bool TorchLibrary::storeBy(StringRef name, TensorValue *tensor, PyValue key,
                           const Operand &stored) {
  PyValue values = wrap(materialize(stored, tensor->dtype));
  if (name == "store") {
    SmallVector<PyValue> items;
    if (auto *tuple = dyn_cast<TupleObject>(key))
      items.assign(tuple->items.begin(), tuple->items.end());
    else
      items.push_back(key);
    for (PyValue &item : items)
      if (isa<ListObject>(item) && !(item = machine->call(lookup("torch", "tensor"), {item})))
        return false;
    key = machine->makeTuple(items);
  }
  PyValue result = machine->call(lookup("prims", name), {tensor, key, values});
  return result && (isPoisoned(result) || storeInPlace(tensor, result));
}

/// `row = x[i]; row += 1; x[i] = row`, which is `x[i] += 1`: nothing is left to store.
bool TorchLibrary::isPicked(TensorValue *target, PyValue value) {
  auto *tensor = dyn_cast<TensorValue>(value);
  if (!tensor || tensor->storage != target->storage || tensor->steps.size() != target->steps.size())
    return false;
  return all_of(zip(tensor->steps, target->steps), [&](auto pair) {
    auto [one, other] = pair;
    if (one.kind != ViewStep::Pick || other.kind != ViewStep::Pick)
      return areSame(solver, one, other);
    return one.dim == other.dim && equalValues(one.place, other.place);
  });
}

bool TorchLibrary::storeItem(TensorValue *tensor, PyValue key, PyValue value) {
  if (isPoisoned(key) || isPoisoned(value))
    return true;
  if (!(key = withoutRanges(*this, key, false)))
    return false;
  setPlace();
  if (std::optional<bool> stored = storeDataSlice(tensor, key, value))
    return *stored;
  TensorValue *whole = tensor;
  if (!pickNumbers(tensor, key))
    return false;
  restoreMask(tensor, key);
  if (MaskedValue *places = rowPlaces(tensor, key))
    return storeAtPlaces(tensor, places, value);
  if (firstPlaces(key))
    return machine->refuse("a write to places that a mask selects is not supported here",
                           "write by the mask itself: x[mask] = value"),
           false;
  std::optional<MaskedView> masked = viewUnderMask(tensor, key);
  if (!masked)
    return false;
  TensorValue *mask = masked->mask;
  bool wasMasked = isa<MaskedValue>(value);
  value = unmasked(tensor, mask, value);
  if (!value)
    return false;
  std::optional<Operand> stored = operand(value);
  if (!stored)
    return false;
  if (mask) {
    tensor = masked->tensor;
    Sizes own = sizesOf(tensor);
    Sizes held = sizesOf(mask);
    if (masked->dim + held.size() > own.size())
      return machine->raise("IndexError", "too many indices for tensor"), false;
    SmallVector<int64_t> dims;
    for (Expr size : held) {
      dims.push_back(masked->dim + dims.size());
      if (!solver.equate(size, own[dims.back()]))
        return machine->raise("IndexError", "the shape of the mask does not match the tensor"),
               false;
    }
    if (!wasMasked && stored->tensor && rankOf(stored->tensor) > 0) {
      if (masked->dim == 0)
        return storeBy("store_by_mask", tensor, mask, *stored);
      return machine->refuse("storing a tensor by a mask behind other axes is not supported",
                             "move the axes of the mask to the front, in a view: x.movedim(1, 0)"),
             false;
    }
    own = sizesOf(tensor);
    Sizes from = stored->tensor ? sizesOf(stored->tensor) : Sizes();
    for (auto [size, to] : zip(reverse(from), reverse(own)))
      if (from.size() > own.size() ||
          (!solver.resolve(size).isConstant(1) && !solver.equate(size, to)))
        return machine->raise("RuntimeError",
                              "shape mismatch: the rows of the value and of the tensor differ"),
               false;
    mlir::Value fill = writer.broadcastTo(materialize(*stored, tensor->dtype), own);
    mlir::Value where = writer.broadcast(read(mask), dims, own);
    return write(tensor, writer.where(where, fill, read(tensor)));
  }
  auto isMask = [](PyValue item) {
    auto *given = dyn_cast<TensorValue>(item);
    return given && (given->dtype == DType::Bool || given->dtype == DType::U8);
  };
  if (auto *items = dyn_cast<TupleObject>(key);
      isMask(key) || (items && any_of(items->items, isMask)))
    return machine->refuse("a mask beside tensors of indices, or one of bytes, is not supported",
                           "use torch.where(mask, value, x)"),
           false;
  auto hasTensor = [](PyValue item) { return isa<TensorValue>(item) || isa<ListObject>(item); };
  auto *tuple = dyn_cast<TupleObject>(key);
  if (hasTensor(key) || (tuple && any_of(tuple->items, hasTensor)))
    return storeBy("store", tensor, key, *stored);
  TensorValue *target = Subscript(*this, tensor).run(key);
  if (!target)
    return false;
  if (tensor != whole && isPicked(target, value))
    return true;
  Sizes own = sizesOf(target);
  Sizes from = stored->tensor ? sizesOf(stored->tensor) : Sizes();
  while (from.size() > own.size() && from.front().isConstant(1))
    from.erase(from.begin());
  // `inverse[:, :, 3:] = x[:, :, 3:]`: what is one element wide takes no more.
  for (auto [size, into] : zip(reverse(from), reverse(own)))
    if (into.isConstant(1) && isDerivedOne(size))
      size = into;
  std::optional<Sizes> sizes = broadcastSizes({own, from});
  if (!sizes)
    return false;
  own = sizesOf(target);
  if (*sizes != own)
    return machine->raise("RuntimeError", "the value does not fit the slice that it is stored in"),
           false;
  mlir::Value fresh = materialize(*stored, tensor->dtype);
  if (stored->tensor)
    fresh = writer.reshape(fresh, from);
  return write(target, writer.broadcastTo(fresh, own));
}

} // namespace nereid::torch
