// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pieces of one tensor that lie at equal distances, put side by side by hand: the neighbours
// `[x[:, :, i : i + h, j : j + w] for i in range(3) for j in range(3)]` that `torch.cat` or
// `torch.stack` joins are the windows of x. As windows they are one view, not a choice between
// nine.
#include "frontend/torch/GraphWriter.h"

using namespace mlir;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace nereid::torch {

namespace {

/// A piece: what slices of steps of 1 leave of `source`, seen under other sizes.
struct Piece {
  Value source;
  SmallVector<Expr, 4> starts;
  ArrayRef<Expr> sizes;
};

/// Along an axis the pieces begin at `base + step * number`, for as many numbers.
struct Shift {
  int64_t axis;
  Expr base;
  int64_t step, count;
};

} // namespace

/// What a view has the elements of in the same order: axes of one element are added.
static Value withoutUnits(Value value) {
  if (auto reshape = value.getDefiningOp<graph::ReshapeOp>())
    return reshape.getInput();
  auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
  if (!broadcast || !llvm::is_sorted(broadcast.getDims()))
    return value;
  ArrayRef<Expr> to = broadcast.getType().getSizes(),
                 from = broadcast.getInput().getType().getSizes();
  size_t own = 0;
  for (auto [axis, size] : llvm::enumerate(to)) {
    bool isKept = llvm::is_contained(broadcast.getDims(), int64_t(axis));
    if (isKept ? size != from[own++] : !size.isConstant(1))
      return value;
  }
  return broadcast.getInput();
}

static Piece pieceOf(Value value) {
  value = withoutUnits(value);
  Piece piece;
  piece.sizes = cast<graph::TensorType>(value.getType()).getSizes();
  piece.source = value;
  while (auto slice = piece.source.getDefiningOp<graph::SliceOp>()) {
    if (slice.getStep() != 1)
      break;
    Expr start = slice.getStart().getExpr();
    if (piece.starts.empty())
      piece.starts.assign(piece.sizes.size(), start.getContext().constant(0));
    Expr &known = piece.starts[slice.getDim()];
    known = known + start;
    piece.source = slice.getInput();
  }
  return piece;
}

/// The axes along which pieces lie apart, the slowest first; nothing where they do not lie at all
/// places of a grid, in order.
static std::optional<SmallVector<Shift, 2>> shiftsOf(ArrayRef<Piece> pieces) {
  const SmallVector<Expr, 4> &first = pieces.front().starts;
  SmallVector<Shift, 2> shifts;
  for (size_t axis = 0; axis < first.size(); ++axis) {
    // The first piece that lies elsewhere says the step, and how fast the axis is gone along.
    const auto *other = llvm::find_if(
        pieces, [&](const Piece &piece) { return piece.starts[axis] != first[axis]; });
    if (other == pieces.end())
      continue;
    std::optional<int64_t> step = (other->starts[axis] - first[axis]).getConstant();
    if (!step || *step < 1)
      return std::nullopt;
    int64_t most = 0;
    for (const Piece &piece : pieces) {
      std::optional<int64_t> distance = (piece.starts[axis] - first[axis]).getConstant();
      if (!distance || *distance < 0 || *distance % *step != 0)
        return std::nullopt;
      most = std::max(most, *distance / *step);
    }
    shifts.push_back({int64_t(axis), first[axis], *step, most + 1});
  }
  auto turnOf = [&](const Shift &shift) {
    return llvm::find_if(
        pieces, [&](const Piece &piece) { return piece.starts[shift.axis] != first[shift.axis]; });
  };
  llvm::sort(shifts, [&](const Shift &a, const Shift &b) { return turnOf(a) > turnOf(b); });
  for (auto [number, piece] : llvm::enumerate(pieces)) {
    int64_t rest = number;
    for (const Shift &shift : llvm::reverse(shifts)) {
      if (piece.starts[shift.axis] != shift.base + shift.step * (rest % shift.count))
        return std::nullopt;
      rest /= shift.count;
    }
    if (rest != 0)
      return std::nullopt;
  }
  return shifts;
}

Value GraphWriter::shiftedPieces(ArrayRef<Value> values, int64_t dim) {
  constexpr size_t fewest = 4;
  if (values.size() < fewest || !sizes(values.front())[dim].isConstant(1))
    return Value();
  SmallVector<Piece> pieces;
  for (Value value : values) {
    pieces.push_back(pieceOf(value));
    const Piece &piece = pieces.back(), &first = pieces.front();
    if (piece.starts.empty() || piece.source != first.source || piece.sizes != first.sizes ||
        sizes(value) != sizes(values.front()))
      return Value();
  }
  auto shifts = shiftsOf(pieces);
  if (!shifts || shifts->empty())
    return Value();
  // What all pieces leave out is left out first.
  const Piece &first = pieces.front();
  Value result = first.source;
  for (auto [axis, start] : llvm::enumerate(first.starts)) {
    Expr size = first.sizes[axis];
    for (const Shift &shift : *shifts)
      if (shift.axis == int64_t(axis))
        size = size + shift.step * (shift.count - 1);
    result = slice(result, axis, start, 1, size);
  }
  // The numbers of the pieces become axes, which go to the front.
  SmallVector<Shift, 2> byAxis(*shifts);
  llvm::sort(byAxis, [](const Shift &a, const Shift &b) { return a.axis > b.axis; });
  for (const Shift &shift : byAxis) {
    Expr length = constantSize(shift.step * (shift.count - 1) + 1);
    result = window(result, shift.axis, 1, first.sizes[shift.axis], length);
    result = slice(result, shift.axis + 1, constantSize(0), shift.step, constantSize(shift.count));
  }
  auto placeOf = [&](int64_t axis) {
    return axis + llvm::count_if(*shifts, [&](const Shift &shift) { return shift.axis < axis; });
  };
  SmallVector<int64_t, 6> order;
  for (const Shift &shift : *shifts)
    order.push_back(placeOf(shift.axis) + 1);
  for (size_t axis = 0; axis < first.sizes.size(); ++axis)
    order.push_back(placeOf(axis));
  result = transpose(result, order);
  // Then the sizes that the pieces had, and the place that they are joined at.
  Sizes to = sizes(values.front());
  to.insert(to.begin(), constantSize(values.size()));
  result = reshape(result, to);
  order.clear();
  for (int64_t axis = 1; axis <= dim; ++axis)
    order.push_back(axis);
  order.push_back(0);
  for (int64_t axis = dim + 1; axis < int64_t(to.size()); ++axis)
    order.push_back(axis);
  result = transpose(result, order);
  Sizes joined = sizes(values.front());
  joined[dim] = constantSize(values.size());
  return reshape(result, joined);
}

} // namespace nereid::torch
