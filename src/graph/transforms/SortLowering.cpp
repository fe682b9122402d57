// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/transforms/SortLowering.h"

#include "graph/GraphOps.h"
#include "sym/SymDialect.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using nereid::index::Expr;
using Tensor = nereid::graph::TensorType;

namespace nereid::graph {

bool isPlainSort(graph::SortOp sort) {
  Tensor input = sort.getInput().getType();
  Type element = input.getElementType();
  return (element.isSignlessInteger(32) || element.isSignlessInteger(64)) &&
         sort.getIndices().use_empty() && !sort.getDescending() &&
         static_cast<int64_t>(sort.getDim()) == input.getRank() - 1;
}

bool areAbovePositions(Value keys) {
  auto both = keys.getDefiningOp<graph::OrOp>();
  if (!both || !both.getLhs().getDefiningOp<graph::ShlOp>())
    return false;
  auto lower = both.getRhs().getDefiningOp<graph::IotaOp>();
  return lower &&
         static_cast<int64_t>(lower.getDim()) == cast<Tensor>(keys.getType()).getRank() - 1;
}

bool needsSortLowering(func::FuncOp func) {
  bool needs = false;
  func.walk([&](graph::SortOp sort) { needs |= !isPlainSort(sort); });
  return needs;
}

namespace {

using Axes = llvm::SmallVector<int64_t, 6>;
/// Writes one sort as a plain one and the maps around it.
class Lowering {
public:
  explicit Lowering(graph::SortOp op)
      : op(op), builder(op), loc(op.getLoc()), last(typeOf(op.getInput()).getRank() - 1),
        word(builder.getI64Type()) {}

  void run();

private:
  static Tensor typeOf(Value value) { return cast<Tensor>(value.getType()); }
  static Type elementOf(Value value) { return typeOf(value).getElementType(); }

  Value number(Value like, int64_t number);
  Value binary(llvm::StringRef name, Value a, Value b);
  Value binary(llvm::StringRef name, Value a, int64_t b) { return binary(name, a, number(a, b)); }
  Value cast(Value value, Type to);
  Value transpose(Value value, llvm::ArrayRef<int64_t> order);
  Value gather(Value value, Value indices);
  Value keysOf(Value lines);
  Value plainSort(Value keys, Expr count);
  Value sortedPacked(Value keys, Expr count);
  Value sortedPositions(Value keys, Expr count);
  Value positions(Value keys, Expr count);
  Value integersOf(Value sorted, Type element);

  graph::SortOp op;
  OpBuilder builder;
  Location loc;
  int64_t last;
  Type word;
};

/// The operand that an argument of a composite's body stands for, and what its result is.
Value outside(Value value) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto composite = dyn_cast<graph::CompositeOp>(argument.getOwner()->getParentOp());
      if (!composite)
        return value;
      value = composite.getOperands()[argument.getArgNumber()];
    } else if (auto composite = value.getDefiningOp<graph::CompositeOp>()) {
      unsigned number = cast<OpResult>(value).getResultNumber();
      value = composite.getBody().front().getTerminator()->getOperand(number);
    } else {
      return value;
    }
  }
}

/// Elements that PyTorch rounds may be equal only because of it: where they are sorted, they are
/// rounded.
void keepRoundings(Value sorted) {
  llvm::SmallVector<Value> open{sorted};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value value = outside(open.pop_back_val());
    Operation *from = value.getDefiningOp();
    if (!from || !isa<FloatType>(cast<Tensor>(value.getType()).getElementType()) ||
        !seen.insert(value).second)
      continue;
    if (auto cast = dyn_cast<graph::CastOp>(from); cast && cast.getElidable()) {
      cast.setElidable(false);
      continue;
    }
    bool moves = isa<graph::CastOp, graph::BroadcastOp, graph::TransposeOp, graph::ReshapeOp,
                     graph::ContiguousOp, graph::SliceOp, graph::PadOp, graph::FlipOp,
                     graph::ConcatOp, graph::GatherOp, graph::DetachOp, graph::WhereOp>(from);
    if (moves)
      open.append(from->operand_begin(), from->operand_end());
  }
}

} // namespace

Value Lowering::number(Value like, int64_t number) {
  Tensor type = typeOf(like);
  Value scalar = graph::ConstantOp::create(builder, loc,
                                           Tensor::get(builder.getContext(), {}, elementOf(like)),
                                           builder.getI64IntegerAttr(number));
  if (type.getRank() == 0)
    return scalar;
  return graph::BroadcastOp::create(builder, loc, type, scalar, llvm::ArrayRef<int64_t>());
}

Value Lowering::binary(llvm::StringRef name, Value a, Value b) {
  OperationState state(loc, ("graph." + name).str());
  state.addOperands({a, b});
  state.addTypes(a.getType());
  return builder.create(state)->getResult(0);
}

Value Lowering::cast(Value value, Type to) {
  if (elementOf(value) == to)
    return value;
  return graph::CastOp::create(builder, loc, typeOf(value).withElementType(to), value, false);
}

Value Lowering::transpose(Value value, llvm::ArrayRef<int64_t> order) {
  if (llvm::is_sorted(order))
    return value;
  SmallVector<Expr, 6> to;
  for (int64_t axis : order)
    to.push_back(typeOf(value).getSizes()[axis]);
  return graph::TransposeOp::create(builder, loc, typeOf(value).withSizes(to), value, order);
}

/// Along the last axis.
Value Lowering::gather(Value value, Value indices) {
  return graph::GatherOp::create(builder, loc, typeOf(value).withSizes(typeOf(indices).getSizes()),
                                 value, indices, last);
}

/// What increases where the sort goes on.
Value Lowering::keysOf(Value lines) {
  bool isWide = elementOf(lines).getIntOrFloatBitWidth() == 64;
  Type type = isWide ? word : Type(builder.getI32Type());
  Value keys = graph::OrderOp::create(builder, loc, typeOf(lines).withElementType(type), lines);
  return op.getDescending() ? binary("xor", keys, -1) : keys;
}

Value Lowering::plainSort(Value keys, Expr count) {
  SmallVector<Expr, 6> sizes(typeOf(keys).getSizes());
  sizes.back() = count;
  Tensor type = typeOf(keys).withSizes(sizes);
  return graph::SortOp::create(builder, loc, type, type.withElementType(word), keys, last, false)
      .getValues();
}

/// Keys of at most 32 bits, held in 64, in their order, each above its position.
Value Lowering::sortedPacked(Value keys, Expr count) {
  Value own = graph::IotaOp::create(builder, loc, typeOf(keys), last);
  return plainSort(binary("or", binary("shl", keys, 32), own), count);
}

Value Lowering::sortedPositions(Value keys, Expr count) {
  return binary("and", sortedPacked(keys, count), 0xffffffff);
}

Value Lowering::positions(Value keys, Expr count) {
  if (!elementOf(keys).isInteger(64))
    return sortedPositions(cast(keys, word), count);
  // Of the lower halves, which have no sign, the order is that of their distance from the middle.
  Value lower = binary("sub", binary("and", keys, 0xffffffff), int64_t(1) << 31);
  Value byLower = sortedPositions(lower, typeOf(keys).getSizes().back());
  Value upper = gather(binary("shr", keys, 32), byLower);
  return gather(byLower, sortedPositions(upper, count));
}

/// The integers of an element type that sorted keys stand for.
Value Lowering::integersOf(Value sorted, Type element) {
  if (op.getDescending())
    sorted = binary("xor", sorted, -1);
  unsigned width = element.getIntOrFloatBitWidth();
  if (element.isUnsignedInteger() && width >= 32)
    sorted = binary("xor", sorted, llvm::minIntN(width));
  return cast(sorted, element);
}

void Lowering::run() {
  Axes order, inverse(last + 1);
  for (int64_t axis = 0; axis <= last; ++axis)
    if (axis != static_cast<int64_t>(op.getDim()))
      order.push_back(axis);
  order.push_back(op.getDim());
  for (auto [to, from] : llvm::enumerate(order))
    inverse[from] = to;
  Value lines = transpose(op.getInput(), order);
  Expr count = typeOf(op.getValues()).getSizes()[op.getDim()];
  Value values, indices;
  auto integer = dyn_cast<IntegerType>(elementOf(lines));
  if (integer && op.getIndices().use_empty()) {
    values = integersOf(plainSort(keysOf(lines), count), integer);
  } else if (integer && integer.getWidth() <= 32) {
    // The keys say the values, so that those are not looked up.
    Value packed = sortedPacked(cast(keysOf(lines), word), count);
    Value keys = cast(binary("shr", packed, 32), builder.getI32Type());
    values = integersOf(keys, integer);
    op.getIndices().replaceAllUsesWith(transpose(binary("and", packed, 0xffffffff), inverse));
  } else {
    keepRoundings(op.getInput());
    indices = positions(keysOf(lines), count);
    values = gather(lines, indices);
    op.getIndices().replaceAllUsesWith(transpose(indices, inverse));
  }
  op.getValues().replaceAllUsesWith(transpose(values, inverse));
  op.erase();
}

void lowerSorts(func::FuncOp func) {
  llvm::SmallVector<graph::SortOp> sorts;
  func.walk([&](graph::SortOp sort) {
    if (!isPlainSort(sort))
      sorts.push_back(sort);
  });
  for (graph::SortOp sort : sorts)
    Lowering(sort).run();
}

} // namespace nereid::graph
