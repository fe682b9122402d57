// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles made, broadcast and rearranged. Axis names travel with the sizes; where two names meet, one
// that is there wins over none, and the left one over the right.
#include "frontend/triton/TritonLibrary.h"

using namespace llvm;
using namespace mlir;

namespace nereid::triton {

static constexpr int64_t maxElements = 1 << 20;

std::optional<Dims> KernelBuilder::toDims(PyValue shape, StringRef what) {
  Dims dims;
  auto add = [&](PyValue item) {
    std::optional<int64_t> size = knownInt(machine, item, ("every item of the " + what).str());
    if (!size)
      return false;
    auto *named = dyn_cast<ConstValue>(item);
    dims.push_back({*size, named ? named->text.str() : ""});
    return true;
  };
  auto items = sequence(shape);
  if (!items)
    return add(shape) ? std::optional(dims) : std::nullopt;
  for (PyValue item : *items)
    if (!add(item))
      return std::nullopt;
  return dims;
}

bool KernelBuilder::checkDims(ArrayRef<Dim> dims) {
  int64_t elements = 1;
  for (auto [axis, dim] : enumerate(dims)) {
    if (dim.size <= 0 || !isPowerOf2_64(dim.size)) {
      requirePowerOfTwo(dim);
      fail("a tile's extents must be powers of two, found " + Twine(dim.size) + " for axis " +
               Twine(axis),
           "round it up with triton.next_power_of_2 on the host and mask what is beyond");
      return false;
    }
    elements *= dim.size;
    if (elements > maxElements) {
      fail("a tile holds at most " + Twine(maxElements) + " elements, found " + Twine(elements));
      return false;
    }
  }
  return true;
}

TensorValue *KernelBuilder::splat(TensorValue *scalar, ArrayRef<Dim> dims) {
  if (dims.empty())
    return scalar;
  return emit<tile::SplatOp>(scalar->type, tileType(scalar->type, dims), scalar->value);
}

mlir::Value KernelBuilder::relabel(mlir::Value value, Type type) {
  if (value.getType() == type || !isa<RankedTensorType>(type))
    return value;
  return tile::RelabelOp::create(builder, location(), type, value);
}

TensorValue *KernelBuilder::broadcastTo(TensorValue *value, ArrayRef<Dim> dims) {
  if (!value->isBlock())
    return splat(value, dims);
  if (value->rank() != dims.size()) {
    requireRank(value, dims.size());
    return fail("cannot broadcast " + describe(value) + " to rank " + Twine(dims.size()));
  }
  for (auto [axis, size, dim] : enumerate(value->shape(), dims))
    if (size != dim.size && size != 1) {
      requireEqual(value->dims()[axis], dim);
      return fail("cannot broadcast " + describe(value) + ": extent " + Twine(size) + " of axis " +
                  Twine(axis) + " is neither 1 nor " + Twine(dim.size));
    }
  Type type = tileType(value->type, dims);
  if (ArrayRef(cast<RankedTensorType>(type).getShape()) == value->shape())
    return make(relabel(value->value, type), value->type);
  return emit<tile::BroadcastOp>(value->type, type, value->value);
}

bool KernelBuilder::unify(MutableArrayRef<TensorValue *> values) {
  size_t rank = 0;
  for (TensorValue *value : values)
    rank = std::max<size_t>(rank, value->rank());
  if (rank == 0)
    return true;
  Dims target(rank);
  for (TensorValue *&value : values) {
    while (value->isBlock() && value->rank() < rank)
      value = expandDims(value, 0);
    if (!value->isBlock())
      continue;
    for (auto [axis, dim] : enumerate(value->dims())) {
      Dim &goal = target[axis];
      if (goal.size == 1 && dim.size != 1)
        goal = dim;
      else if (goal.size == dim.size && goal.name.empty())
        goal.name = dim.name;
      else if (goal.size != dim.size && dim.size != 1) {
        requireEqual(goal, dim);
        fail("shapes do not fit: axis " + Twine(axis) + " is " + Twine(goal.size) + " and " +
             Twine(dim.size));
        return false;
      }
    }
  }
  if (!checkDims(target))
    return false;
  for (TensorValue *&value : values)
    value = broadcastTo(value, target);
  return true;
}

/// A range from zero is named after its end.
static std::string nameRange(int64_t first, PyValue stop) {
  auto *end = dyn_cast<ConstValue>(stop);
  return first == 0 && end ? end->text.str() : "";
}

TensorValue *KernelBuilder::arange(PyValue start, PyValue stop) {
  std::optional<int64_t> from = knownInt(machine, start, "the start of tl.arange");
  std::optional<int64_t> to = from ? knownInt(machine, stop, "the end of tl.arange") : std::nullopt;
  if (!to)
    return nullptr;
  if (!isUInt<31>(*from) || !isUInt<31>(*to)) {
    requirePowerOfTwo({*to, nameRange(0, stop)});
    return fail("tl.arange counts from 0 on within 31 bits, found " + Twine(*from) + " to " +
                    Twine(*to),
                "shift it afterwards: tl.arange(0, N) - 4");
  }
  if (*to <= *from) {
    requirePowerOfTwo({*to, nameRange(0, stop)});
    return fail("tl.arange must end after its start, found " + Twine(*from) + " to " + Twine(*to));
  }
  if (!isPowerOf2_64(*to - *from)) {
    requirePowerOfTwo({*to - *from, nameRange(*from, stop)});
    return fail("the length of tl.arange must be a power of two, found " + Twine(*to - *from),
                "take the next power of two and mask what is beyond");
  }
  Dims dims{{*to - *from, nameRange(*from, stop)}};
  if (!checkDims(dims))
    return nullptr;
  return emit<tile::RangeOp>(Scalar::Int32, tileType(Scalar::Int32, dims),
                             builder.getI32IntegerAttr(*from));
}

TensorValue *KernelBuilder::full(PyValue shape, PyValue value, DType type) {
  std::optional<Dims> dims = toDims(shape);
  if (!dims || !checkDims(*dims))
    return nullptr;
  TensorValue *scalar;
  if (auto *tensor = dyn_cast<TensorValue>(value)) {
    if (tensor->isBlock())
      return fail("tl.full takes one number, found " + describe(tensor),
                  "use tl.broadcast_to for a tile");
    scalar = castTo(tensor, type);
  } else {
    auto *integer = dyn_cast<machine::IntObject>(plain(value));
    if (integer && integer->wide().isNegative() && type.isUnsigned())
      return fail("a negative number cannot fill a tile of " + type.name(),
                  "write the unsigned number of the same bits");
    scalar = constant(value, type);
  }
  return scalar ? splat(scalar, *dims) : nullptr;
}

TensorValue *KernelBuilder::expandDims(TensorValue *value, int64_t axis) {
  int64_t rank = value->rank();
  if (axis < 0)
    axis += rank + 1;
  if (axis < 0 || axis > rank) {
    requireRank(value, axis < 0 ? -axis : axis);
    return fail("axis " + Twine(axis) + " is not within rank " + Twine(rank + 1));
  }
  Dims dims = value->dims();
  dims.insert(dims.begin() + axis, Dim());
  if (!value->isBlock())
    return splat(value, dims);
  return emit<tile::ExpandDimsOp>(value->type, tileType(value->type, dims), value->value,
                                  builder.getI32IntegerAttr(axis));
}

TensorValue *KernelBuilder::reshape(TensorValue *value, ArrayRef<Dim> dims) {
  int64_t elements = 1, own = 1;
  for (const Dim &dim : dims)
    elements *= dim.size;
  for (int64_t size : value->shape())
    own *= size;
  if (elements != own) {
    value->isBlock() ? requireEqual(value->dims(), dims) : requireRank(value, 1);
    return fail("cannot reshape " + describe(value) + " to " + Twine(elements) + " elements");
  }
  if (!checkDims(dims))
    return nullptr;
  if (!value->isBlock())
    return splat(value, dims);
  if (dims.empty())
    return fail("cannot reshape " + describe(value) + " to a scalar",
                "write tl.sum(x), which adds up its one element");
  Type type = tileType(value->type, dims);
  if (cast<RankedTensorType>(type).getShape() == value->shape())
    return make(relabel(value->value, type), value->type);
  return emit<tile::ReshapeOp>(value->type, type, value->value);
}

TensorValue *KernelBuilder::permute(TensorValue *value, ArrayRef<int64_t> order) {
  int64_t rank = value->rank();
  SmallVector<int32_t> axes;
  SmallVector<bool> seen(rank, false);
  for (int64_t axis : order) {
    int64_t own = axis < 0 ? axis + rank : axis;
    if (own < 0 || own >= rank || seen[own] || order.size() != size_t(rank)) {
      requireRank(value, order.size());
      return fail("the order of axes must be a permutation of 0 to " + Twine(rank - 1));
    }
    seen[own] = true;
    axes.push_back(own);
  }
  if (order.size() != size_t(rank))
    return fail("expected " + Twine(rank) + " axes, found " + Twine(order.size()));
  Dims dims, own = value->dims();
  for (int32_t axis : axes)
    dims.push_back(own[axis]);
  return emit<tile::TransOp>(value->type, tileType(value->type, dims), value->value,
                             builder.getDenseI32ArrayAttr(axes));
}

TensorValue *KernelBuilder::join(TensorValue *left, TensorValue *right) {
  TensorValue *both[] = {left, right};
  if (!unify(both))
    return nullptr;
  if (both[0]->type != both[1]->type)
    return fail("tl.join needs two tensors of one dtype, found " + describe(left) + " and " +
                describe(right));
  bool scalars = !both[0]->isBlock();
  for (TensorValue *&value : both)
    if (scalars)
      value = expandDims(value, 0);
  Dims dims = both[0]->dims();
  dims.push_back({2, ""});
  if (!checkDims(dims))
    return nullptr;
  TensorValue *joined =
      emit<tile::JoinOp>(left->type, tileType(left->type, dims), both[0]->value, both[1]->value);
  return scalars ? reshape(joined, {Dim{2, ""}}) : joined;
}

PyValue KernelBuilder::split(TensorValue *value) {
  if (!value->isBlock() || value->shape().back() != 2) {
    value->isBlock() ? requireEqual(value->dims().back(), Dim{2, ""}) : requireRank(value, 1);
    return fail("tl.split needs a last axis of extent 2, found " + describe(value));
  }
  Dims dims = value->dims();
  dims.pop_back();
  Type type = tileType(value->type, dims);
  auto op = tile::SplitOp::create(builder, location(), type, type, value->value);
  return machine.makeTuple({make(op.getLhs(), value->type), make(op.getRhs(), value->type)});
}

/// Two tiles one after the other along an axis: joined pairs, of which the new axis moves before
/// it.
TensorValue *KernelBuilder::catAlong(TensorValue *left, TensorValue *right, int64_t axis) {
  TensorValue *pairs = join(left, right);
  if (!pairs)
    return nullptr;
  int64_t rank = left->rank();
  SmallVector<int64_t> order;
  for (int64_t d = 0; d <= rank; ++d)
    order.push_back(d < axis ? d : d == axis ? rank : d - 1);
  Dims dims = left->dims();
  dims[axis] = Dim{2 * dims[axis].size, ""};
  TensorValue *ordered = permute(pairs, order);
  return ordered && checkDims(dims) ? reshape(ordered, dims) : nullptr;
}

TensorValue *KernelBuilder::cat(TensorValue *left, TensorValue *right, int64_t axis) {
  int64_t rank = left->rank();
  bool fits = left->type == right->type && left->rank() == right->rank() && rank > 0 &&
              (rank == 1 || left->shape() == right->shape());
  if (!fits)
    return fail("tl.cat joins two tiles of one shape and dtype, found " + describe(left) + " and " +
                describe(right));
  if (axis < -rank || axis >= rank)
    return fail("axis " + Twine(axis) + " is not within rank " + Twine(rank));
  if (rank > 1)
    return catAlong(left, right, axis < 0 ? axis + rank : axis);
  Dims dims{{left->shape()[0] + right->shape()[0], ""}};
  std::string name = left->dims()[0].name;
  if (!name.empty() && name == right->dims()[0].name)
    dims[0].name = "2 * " + (StringRef(name).contains(' ') ? "(" + name + ")" : name);
  if (!checkDims(dims))
    return nullptr;
  return emit<tile::CatOp>(left->type, tileType(left->type, dims), left->value, right->value);
}

TensorValue *KernelBuilder::sortLines(TensorValue *value, bool descending, bool merges) {
  return emit<tile::SortOp>(value->type, tileType(value->type, value->dims()), value->value,
                            descending, merges);
}

TensorValue *KernelBuilder::gather(TensorValue *value, TensorValue *indices, int64_t axis) {
  int64_t rank = value->rank();
  if (!indices->type.isInt())
    return fail("the index of tl.gather must be integers, found " + describe(indices));
  if (axis < -rank || axis >= rank || int64_t(indices->rank()) != rank) {
    requireRank({value, indices}, std::max<int64_t>({axis + 1, rank, indices->rank()}));
    return fail("tl.gather needs an axis within rank " + Twine(rank) +
                " and an index of that rank");
  }
  axis = axis < 0 ? axis + rank : axis;
  for (int64_t d = 0; d < rank; ++d)
    if (d != axis && value->shape()[d] != indices->shape()[d]) {
      requireEqual(value->dims()[d], indices->dims()[d]);
      return fail("axis " + Twine(d) + " of the index of tl.gather must have extent " +
                  Twine(value->shape()[d]));
    }
  return emit<tile::GatherOp>(value->type, tileType(value->type, indices->dims()), value->value,
                              indices->value, builder.getI32IntegerAttr(axis));
}

PyValue KernelBuilder::index(TensorValue *value, PyValue key) {
  auto items = sequence(key);
  SmallVector<PyValue> parts =
      items ? SmallVector<PyValue>(items->begin(), items->end()) : SmallVector<PyValue>{key};
  TensorValue *result = value;
  for (auto [axis, part] : enumerate(parts)) {
    if (isNone(part)) {
      result = expandDims(result, axis);
      if (!result)
        return nullptr;
      continue;
    }
    auto *slice = dyn_cast<machine::SliceObject>(part);
    if (slice && isNone(slice->start) && isNone(slice->stop) && isNone(slice->step))
      continue;
    return fail("a tensor can only be indexed by `:` and `None`",
                slice ? "load the part that you need, or use tl.gather"
                      : "an element is tl.sum(tl.where(tl.arange(0, N) == i, x, 0), axis=0), or "
                        "tl.gather; a pointer is moved by `ptr + i`");
  }
  if (result->rank() < parts.size()) {
    requireRank(value, parts.size() - count_if(parts, isNone));
    return fail("too many indices for " + describe(value));
  }
  return result;
}

} // namespace nereid::triton
