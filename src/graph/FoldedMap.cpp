// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/FoldedMap.h"

#include <algorithm>
#include <numeric>

using namespace llvm;
using nereid::index::Expr;

namespace nereid::graph {

/// The operand of a reshape that only merges axes of what is deferred has the same elements in the
/// same order: the fold goes over them. True where `value` and `dims` are changed.
static bool lookThroughMerge(mlir::Value &value, SmallVectorImpl<int64_t> &dims) {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  if (!reshape)
    return false;
  auto groups =
      findSplits(reshape.getResult().getType().getSizes(), reshape.getInput().getType().getSizes());
  if (!groups)
    return false;
  SmallVector<int64_t> parts;
  for (int64_t dim : dims)
    for (unsigned axis = (*groups)[dim].first; axis < (*groups)[dim].second; ++axis)
      parts.push_back(axis);
  dims.assign(parts.begin(), parts.end());
  value = reshape.getInput();
  return true;
}

FoldedMap::FoldedMap(Evaluator &evaluator, mlir::Value operand, ArrayRef<int64_t> foldedDims)
    : evaluator(evaluator) {
  SmallVector<int64_t> dims(foldedDims);
  while (!evaluator.values.contains(operand) && lookThroughMerge(operand, dims)) {
  }
  Shape shape = evaluator.shapeOf(operand);
  SmallVector<int64_t> order;
  for (bool isFolded : {false, true})
    for (int64_t axis = 0; axis < static_cast<int64_t>(shape.size()); ++axis)
      if (is_contained(dims, axis) == isFolded) {
        order.push_back(axis);
        keptAxes += !isFolded;
        folded *= isFolded ? shape[axis] : 1;
      }
  for (int64_t axis : order)
    extents.push_back(shape[axis]);
  Places at(shape.size(), constantPlace(0));
  for (auto [number, axis] : enumerate(order))
    at[axis].steps[number] = 1;
  own.place = positionOf(at, shape);
  std::optional<unsigned> built = build(operand, at);
  if (!built)
    return;
  root = *built;
  for (Node &node : nodes)
    if (node.array)
      pack(node);
  mergeAxes();
  for (Walk *walk : allWalks())
    prepare(*walk);
  valid = true;
}

FoldedMap::Place FoldedMap::positionOf(ArrayRef<Place> at, ArrayRef<int64_t> shape) const {
  Place position = constantPlace(0);
  for (auto [place, extent] : zip_equal(at, shape)) {
    position.offset = position.offset * extent + place.offset;
    for (auto [step, own] : zip_equal(position.steps, place.steps))
      step = step * extent + own;
  }
  return position;
}

unsigned FoldedMap::addArray(std::shared_ptr<const Array> array, Place place) {
  Node &node = nodes.emplace_back();
  node.array = std::move(array);
  node.walk.place = std::move(place);
  return nodes.size() - 1;
}

std::optional<unsigned> FoldedMap::build(mlir::Value value, const Places &at) {
  auto &same = known[value];
  auto found = find_if(same, [&](const auto &node) { return node.first == at; });
  if (found != same.end())
    return found->second;
  std::optional<unsigned> built;
  mlir::Operation *op = value.getDefiningOp();
  if (std::shared_ptr<const Array> array = evaluator.values.lookup(value))
    built = addArray(array, positionOf(at, array->shape));
  else if (mlir::Value outside = acrossBounds(value))
    built = build(outside, at);
  else if (auto reshape = dyn_cast<ReshapeOp>(op))
    built = buildReshape(reshape, at);
  else if (auto iota = dyn_cast<IotaOp>(op))
    built = addArray(evaluator.makeIota(iota), at[iota.getDim()]);
  else if (isLinearView(op))
    built = build(op->getOperand(0), placesBelow(*op, at));
  else
    built = buildStep(*op, at);
  if (built)
    known[value].push_back({at, *built});
  return built;
}

/// Where the indices of a view's operand are, given those of its result.
FoldedMap::Places FoldedMap::placesBelow(mlir::Operation &op, const Places &at) {
  Shape shape = evaluator.shapeOf(op.getOperand(0));
  Places below = at;
  auto scale = [](Place &place, int64_t factor) {
    place.offset *= factor;
    for (int64_t &step : place.steps)
      step *= factor;
  };
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    below.clear();
    for (auto [dim, extent] : zip_equal(broadcast.getDims(), shape))
      below.push_back(extent == 1 ? constantPlace(0) : at[dim]);
  } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
    for (auto [place, axis] : zip_equal(at, transpose.getOrder()))
      below[axis] = place;
  } else if (auto slice = dyn_cast<SliceOp>(op)) {
    scale(below[slice.getDim()], slice.getStep());
    below[slice.getDim()].offset += evaluator.size(slice.getStart().getExpr());
  } else if (auto flip = dyn_cast<FlipOp>(op)) {
    for (int64_t dim : flip.getDims()) {
      scale(below[dim], -1);
      below[dim].offset += shape[dim] - 1;
    }
  } else if (auto window = dyn_cast<WindowOp>(op)) {
    int64_t dim = window.getDim();
    scale(below[dim], window.getStep());
    below[dim].offset += at[dim + 1].offset;
    for (auto [step, own] : zip_equal(below[dim].steps, at[dim + 1].steps))
      step += own;
    below.erase(below.begin() + dim + 1);
  }
  return below;
}

std::optional<unsigned> FoldedMap::buildReshape(ReshapeOp op, const Places &at) {
  Shape shape = evaluator.shapeOf(op.getResult());
  auto groups = findSplits(op.getInput().getType().getSizes(), op.getResult().getType().getSizes());
  if (!groups || evaluator.values.contains(op.getInput())) {
    if (!evaluator.store(op.getInput()))
      return std::nullopt;
    return addArray(evaluator.values.lookup(op.getInput()), positionOf(at, shape));
  }
  Places below;
  for (auto [first, end] : *groups)
    below.push_back(positionOf(ArrayRef(at).slice(first, end - first),
                               ArrayRef(shape).slice(first, end - first)));
  return build(op.getInput(), below);
}

std::optional<unsigned> FoldedMap::buildStep(mlir::Operation &op, const Places &at) {
  Node node;
  node.step = evaluator.findStep(op);
  if (!node.step) {
    evaluator.fail("the evaluator does not know " + op.getName().getStringRef());
    return std::nullopt;
  }
  for (mlir::Value operand : op.getOperands()) {
    std::optional<unsigned> number = build(operand, at);
    if (!number)
      return std::nullopt;
    node.operands.push_back(*number);
  }
  mlir::Value result = op.getResult(0);
  if (node.step->isArithmetic() && node.step->makesReals())
    node.rounding = evaluator.rounding(evaluator.elementOf(result));
  node.walk.place = positionOf(at, evaluator.shapeOf(result));
  nodes.push_back(std::move(node));
  return nodes.size() - 1;
}

/// Puts an array that is read often in the order in which it is read: a column of a matrix that
/// many rows meet lies in a row then.
void FoldedMap::pack(Node &node) {
  Place &place = node.walk.place;
  Place packed = constantPlace(0);
  int64_t size = 1, total = 1;
  for (size_t axis = extents.size(); axis-- > 0;) {
    total *= extents[axis];
    if (place.steps[axis] == 0 || extents[axis] == 1)
      continue;
    packed.steps[axis] = size;
    size *= extents[axis];
  }
  // Windows that overlap are more than the array.
  bool isRepeated = size <= total / 4, isSmall = size <= node.array->size();
  if (!isRepeated || !isSmall || size == 0 || place == packed)
    return;
  Shape shape, steps;
  for (auto [extent, step, now] : zip_equal(extents, place.steps, packed.steps))
    if (now != 0) {
      shape.push_back(extent);
      steps.push_back(step);
    }
  node.array = std::make_shared<const Array>(strided(*node.array, shape, steps, place.offset));
  place = std::move(packed);
}

std::vector<FoldedMap::Walk *> FoldedMap::allWalks() {
  std::vector<Walk *> walks = {&own};
  for (Node &node : nodes)
    walks.push_back(&node.walk);
  return walks;
}

/// Makes one of neighbouring axes that all walks go through as one.
void FoldedMap::mergeAxes() {
  std::vector<Walk *> walks = allWalks();
  auto erase = [&](unsigned axis) {
    for (Walk *walk : walks)
      walk->place.steps.erase(walk->place.steps.begin() + axis);
    extents.erase(extents.begin() + axis);
    keptAxes -= axis < keptAxes;
  };
  for (unsigned axis = extents.size(); axis-- > 0;) {
    if (extents[axis] == 1) {
      erase(axis);
      continue;
    }
    bool isOne =
        axis + 1 < extents.size() && axis + 1 != keptAxes && all_of(walks, [&](const Walk *walk) {
          const Shape &steps = walk->place.steps;
          return steps[axis] == steps[axis + 1] * extents[axis + 1];
        });
    if (!isOne)
      continue;
    extents[axis + 1] *= extents[axis];
    erase(axis);
  }
}

/// Finds where folded elements lie behind the first of their row.
void FoldedMap::prepare(Walk &walk) {
  ArrayRef<int64_t> shape = ArrayRef(extents).drop_front(keptAxes);
  ArrayRef<int64_t> steps = ArrayRef(walk.place.steps).drop_front(keptAxes);
  if (shape.empty())
    return;
  walk.step = steps.back();
  bool isEven = true;
  for (size_t axis = 0; axis + 1 < shape.size(); ++axis)
    isEven &= steps[axis] == steps[axis + 1] * shape[axis + 1];
  if (isEven)
    return;
  walk.table.resize(folded);
  forEachOffset(shape, steps, 0, [&](int64_t at, int64_t offset) { walk.table[at] = offset; });
}

void FoldedMap::findRows(Walk &walk, int64_t row, int64_t rows) {
  ArrayRef<int64_t> shape = ArrayRef(extents).take_front(keptAxes);
  ArrayRef<int64_t> steps = ArrayRef(walk.place.steps).take_front(keptAxes);
  int64_t offset = walk.place.offset;
  Shape at(shape.size(), 0);
  for (size_t axis = shape.size(); axis-- > 0; row /= shape[axis]) {
    at[axis] = row % shape[axis];
    offset += at[axis] * steps[axis];
  }
  walk.rows.resize(rows);
  for (int64_t &first : walk.rows) {
    first = offset;
    for (size_t axis = shape.size(); axis-- > 0;) {
      offset += steps[axis];
      if (++at[axis] < shape[axis])
        break;
      offset -= steps[axis] * shape[axis];
      at[axis] = 0;
    }
  }
}

/// The elements of a tile: where they lie in a row they are not copied.
template <typename Element>
const Element *FoldedMap::pick(const Walk &walk, const std::vector<Element> &from,
                               std::vector<Element> &to, int64_t first, int64_t length) {
  int64_t rows = walk.rows.size();
  bool isRow = walk.table.empty() && (walk.step == 1 || length == 1);
  for (int64_t row = 1; isRow && row < rows; ++row)
    isRow = walk.rows[row] == walk.rows[0] + row * length;
  if (isRow)
    return from.data() + walk.rows[0] + first * walk.step;
  to.resize(rows * length);
  Element *target = to.data();
  for (int64_t start : walk.rows) {
    const Element *source = from.data() + start;
    if (!walk.table.empty())
      for (int64_t at = 0; at < length; ++at)
        *target++ = source[walk.table[first + at]];
    else if (walk.step == 0)
      target = std::fill_n(target, length, *source);
    else if (walk.step == 1)
      target = std::copy_n(source + first, length, target);
    else
      for (int64_t at = first * walk.step, end = length; end > 0; --end, at += walk.step)
        *target++ = source[at];
  }
  return to.data();
}

const int64_t *FoldedMap::writeOut(Walk &walk, int64_t first, int64_t length) {
  walk.all.resize(walk.rows.size() * length);
  int64_t *target = walk.all.data();
  for (int64_t start : walk.rows)
    for (int64_t at = first; at < first + length; ++at)
      *target++ = start + (walk.table.empty() ? at * walk.step : walk.table[at]);
  return walk.all.data();
}

FoldedMap::Tile FoldedMap::load(int64_t row, int64_t rows, int64_t first, int64_t length,
                                bool wantsPlaces) {
  if (row != firstRow || rows != rowCount) {
    for (Walk *walk : allWalks())
      findRows(*walk, row, rows);
    firstRow = row, rowCount = rows;
  }
  SmallVector<Elements, 3> operands;
  for (Node &node : nodes) {
    if (node.array) {
      node.tile.reals = node.array->isFloat()
                            ? pick(node.walk, node.array->reals, node.reals, first, length)
                            : nullptr;
      node.tile.integers = node.array->isFloat() ? nullptr
                                                 : pick(node.walk, node.array->integers,
                                                        node.integers, first, length);
      continue;
    }
    int64_t count = rows * length;
    operands.clear();
    for (unsigned operand : node.operands)
      operands.push_back(nodes[operand].tile);
    bool makesReals = node.step->makesReals();
    makesReals ? node.reals.resize(count) : node.integers.resize(count);
    node.step->apply(operands, node.reals.data(), node.integers.data(), count);
    if (node.rounding)
      node.rounding->apply(node.reals.data(), count,
                           node.rounding->isDisturbed() ? writeOut(node.walk, first, length)
                                                        : nullptr);
    node.tile.reals = node.reals.data();
    node.tile.integers = node.integers.data();
  }
  return {nodes[root].tile, wantsPlaces ? writeOut(own, first, length) : nullptr};
}

} // namespace nereid::graph
