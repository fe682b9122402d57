// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index maps of random graphs.
#include "RandomGraph.h"

#include "graph/GraphOps.h"

#include <numeric>

using namespace mlir;
using nereid::index::Expr;

namespace nereid::schedule::test {

void GraphGenerator::addView() {
  switch (choices.below(12)) {
  case 0:
    return addBroadcast();
  case 1:
  case 2:
    return addTranspose();
  case 3:
  case 4:
    return addSlice();
  case 5:
  case 6:
    return addReshape();
  case 7:
    return addFlip();
  case 8:
    return addPad();
  case 9:
    return addConcat();
  case 10:
    return addGather();
  default:
    return addIota();
  }
}

/// The entry repeated to a shape; nothing when its axes cannot be found there in order.
std::optional<Entry> GraphGenerator::toShape(const Entry &entry, llvm::ArrayRef<Expr> shape) {
  if (llvm::equal(entry.sizes(), shape))
    return entry;
  llvm::SmallVector<int64_t> dims;
  int64_t next = shape.size();
  for (Expr extent : llvm::reverse(entry.sizes())) {
    do
      --next;
    while (next >= 0 && shape[next] != extent && !(extent.isConstant(1) && choices.oneIn(2)));
    if (next < 0)
      return std::nullopt;
    dims.insert(dims.begin(), next);
  }
  mlir::Value value =
      graph::BroadcastOp::create(builder, loc(), typeOf(shape, entry.element()), entry.value, dims);
  return Entry{value, entry.known};
}

void GraphGenerator::addBroadcast() {
  Entry entry = pick();
  Shape shape(entry.sizes());
  for (unsigned more = choices.between(1, 2); more > 0; --more) {
    Expr extent =
        choices.oneIn(3) ? index.constant(choices.between(1, 3)) : choices.pickFrom(symbols);
    shape.insert(shape.begin() + choices.below(shape.size() + 1), extent);
  }
  if (!fits(shape))
    return;
  if (auto wide = toShape(entry, shape))
    add(wide->value, wide->known);
}

void GraphGenerator::addTranspose() {
  Entry entry = pick();
  llvm::SmallVector<int64_t> order(entry.sizes().size());
  if (order.size() < 2)
    return;
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), choices.getEngine());
  Shape shape;
  for (int64_t axis : order)
    shape.push_back(entry.sizes()[axis]);
  add(graph::TransposeOp::create(builder, loc(), typeOf(shape, entry.element()), entry.value,
                                 order),
      entry.known);
}

void GraphGenerator::addSlice() {
  Entry entry = pick();
  if (entry.sizes().empty())
    return;
  unsigned dim = choices.below(entry.sizes().size());
  Expr extent = entry.sizes()[dim];
  int64_t start = choices.between(0, 3), step = choices.pick<int64_t>({1, 1, 1, 2, 3});
  Expr from = index.constant(start), left = extent - from;
  if (choices.oneIn(4)) {
    // The second half, or up to another symbol.
    from = choices.oneIn(2) ? index::floordiv(extent, 2) : index.constant(0);
    left = from.isConstant() ? choices.pickFrom(symbols) : extent - from;
  } else if (choices.oneIn(3)) {
    left = left - choices.between(0, 2);
  }
  index::Pred inside = index::ge(left, 0) & index::le(from + left, extent);
  if (!holds(inside))
    return;
  check(inside);
  Shape shape(entry.sizes());
  shape[dim] = step == 1 ? left : index::ceildiv(left, step);
  add(graph::SliceOp::create(builder, loc(), typeOf(shape, entry.element()), entry.value, dim,
                             sym::ExprAttr::get(&context, from), step),
      entry.known);
}

void GraphGenerator::addReshape() {
  Entry entry = pick();
  Shape shape(entry.sizes());
  for (unsigned steps = choices.between(1, 2); steps > 0; --steps) {
    unsigned axis = shape.empty() ? 0 : choices.below(shape.size());
    switch (choices.below(5)) {
    case 0: // A new axis of one element.
      shape.insert(shape.begin() + axis, index.constant(1));
      break;
    case 1: // Without those of one element.
      llvm::erase_if(shape, [](Expr extent) { return extent.isConstant(1); });
      break;
    case 2: // Two axes made one.
      if (axis + 1 < shape.size()) {
        shape[axis] = shape[axis] * shape[axis + 1];
        shape.erase(shape.begin() + axis + 1);
      }
      break;
    case 3: // An axis divided.
      if (!shape.empty()) {
        Expr factor = index.constant(choices.between(2, 4)), extent = shape[axis];
        if (choices.oneIn(3))
          factor = choices.pickFrom(symbols);
        if (!holds(index::ge(factor, 1)) || !holds(index::divisible(extent, factor)))
          break;
        check(index::ge(factor, 1));
        check(index::divisible(extent, factor));
        shape[axis] = index::floordiv(extent, factor);
        shape.insert(shape.begin() + axis + choices.below(2), factor);
      }
      break;
    default: // Flat.
      shape = {index::product(index, shape)};
    }
  }
  if (!fits(shape))
    return;
  add(graph::ReshapeOp::create(builder, loc(), typeOf(shape, entry.element()), entry.value),
      entry.known);
}

void GraphGenerator::addFlip() {
  Entry entry = pick();
  llvm::SmallVector<int64_t> dims = pickDims(entry);
  if (!dims.empty())
    add(graph::FlipOp::create(builder, loc(), entry.value.getType(), entry.value, dims),
        entry.known);
}

void GraphGenerator::addPad() {
  Entry entry = pick();
  if (entry.sizes().empty())
    return;
  unsigned dim = choices.below(entry.sizes().size());
  int64_t low = choices.between(-1, 3), high = choices.between(-1, 2);
  Shape shape(entry.sizes());
  shape[dim] = shape[dim] + low + high;
  if (!holds(index::ge(shape[dim], 0)) || !fits(shape))
    return;
  check(index::ge(shape[dim], 0));
  double fill = choices.pick<double>({0, 0, 1});
  Known known = Known::unite(entry.known, {true, 1, 0, true});
  if (entry.isFloat() && choices.oneIn(4)) {
    fill = -INFINITY;
    known.finite = false;
  }
  add(graph::PadOp::create(builder, loc(), typeOf(shape, entry.element()), entry.value,
                           constant(fill, entry.element()), dim,
                           sym::ExprAttr::get(&context, index.constant(low))),
      known);
}

void GraphGenerator::addConcat() {
  Entry first = pick();
  if (first.sizes().empty())
    return;
  unsigned dim = choices.below(first.sizes().size());
  llvm::SmallVector<mlir::Value> parts = {first.value};
  Shape shape(first.sizes());
  Known known = first.known;
  for (unsigned more = choices.between(1, 2); more > 0; --more) {
    Entry next = choices.oneIn(3) ? first : pick();
    for (int attempt = 0; attempt < 8; ++attempt) {
      bool agrees = next.element() == first.element() && next.sizes().size() == shape.size();
      for (unsigned axis = 0; agrees && axis < shape.size(); ++axis)
        agrees = axis == dim || next.sizes()[axis] == shape[axis];
      if (agrees)
        break;
      next = attempt < 7 ? choices.pickFrom(pool) : first;
    }
    bool agrees = next.element() == first.element() && next.sizes().size() == shape.size();
    for (unsigned axis = 0; agrees && axis < shape.size(); ++axis)
      agrees = axis == dim || next.sizes()[axis] == first.sizes()[axis];
    if (!agrees)
      continue;
    parts.push_back(next.value);
    shape[dim] = shape[dim] + next.sizes()[dim];
    known = Known::unite(known, next.known);
  }
  if (!fits(shape))
    return;
  add(graph::ConcatOp::create(builder, loc(), typeOf(shape, first.element()), parts, dim), known);
}

void GraphGenerator::addGather() {
  Entry input = pick();
  if (input.sizes().empty())
    return;
  auto indices = pickInteger();
  if (!indices)
    return;
  // Indices have the rank of the input and agree with it but for one axis.
  unsigned dim = choices.below(input.sizes().size());
  Shape shape(input.sizes());
  if (indices->sizes().size() == 1)
    shape[dim] = indices->sizes().front();
  else if (indices->sizes().size() == shape.size())
    shape[dim] = indices->sizes()[dim];
  auto wide = toShape(*indices, shape);
  if (!wide || !fits(shape))
    return;
  Known known = Known::unite(input.known, {true, 1, 0, true});
  add(graph::GatherOp::create(builder, loc(), typeOf(shape, input.element()), input.value,
                              wide->value, dim),
      known);
}

void GraphGenerator::addIota() {
  Entry entry = pick();
  if (entry.sizes().empty())
    return;
  unsigned dim = choices.below(entry.sizes().size());
  Type element =
      choices.pick<Type>({builder.getI64Type(), builder.getI64Type(), builder.getI32Type()});
  auto type = typeOf(entry.sizes(), element);
  add(graph::IotaOp::create(builder, loc(), type, dim),
      {true, double(std::max<int64_t>(most(entry.sizes()[dim]), 1)), 0, true});
}

} // namespace nereid::schedule::test
