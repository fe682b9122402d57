// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of a loop as that of a graph.loop: what does not depend on the turn is computed before
// the loop, and what mentions the turn is made an input of it or padded.
#include "frontend/torch/LoopReader.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

bool LoopReader::mentionsTurn(mlir::Operation &op) const {
  auto mentions = [&](Expr expr) { return index::contains(t.solver.resolve(expr), index); };
  bool found = false;
  op.walk([&](mlir::Operation *inner) {
    for (mlir::Value result : inner->getResults())
      if (auto type = dyn_cast<graph::TensorType>(result.getType()))
        found |= any_of(type.getSizes(), mentions);
    for (mlir::NamedAttribute attribute : inner->getAttrs())
      if (auto expr = dyn_cast<sym::ExprAttr>(attribute.getValue()))
        found |= mentions(expr.getExpr());
  });
  return found;
}

/// Whether an operator gives the same in each turn: nothing that it reads is made in the body.
bool LoopReader::isInvariant(mlir::Operation &op) const {
  bool isInside = false;
  op.walk([&](mlir::Operation *inner) {
    for (mlir::Value operand : inner->getOperands()) {
      mlir::Block *block = operand.getParentBlock();
      isInside |= block == body;
    }
  });
  return !isInside;
}

bool LoopReader::hoist(mlir::Operation &op) {
  mlir::OpBuilder &builder = t.writer.builder;
  bool mentions = mentionsTurn(op), isFixed = isInvariant(op);
  t.writer.place = op.getLoc();
  auto replace = [&](mlir::Value stacked) {
    op.getResult(0).replaceAllUsesWith(addInput(stacked));
    op.erase();
    return true;
  };
  if (auto random = dyn_cast<graph::RandomOp>(op); random && !mentions) {
    Sizes sizes = t.writer.sizes(random.getResult());
    sizes.insert(sizes.begin(), count);
    auto type = cast<graph::TensorType>(random.getType()).withSizes(sizes);
    return replace(graph::RandomOp::create(builder, op.getLoc(), type, random.getKind(),
                                           random.getSeed(), random.getStream()));
  }
  bool draws = false;
  op.walk([&](graph::RandomOp) { draws = true; });
  if (draws)
    return blame("an operator of it draws random numbers: draw them before, for all turns"), false;
  if (!mentions) {
    // A mark of what a product reads stands with the product.
    if (isFixed && !isa<graph::Tf32Op>(op)) {
      op.remove();
      builder.insert(&op);
    }
    return true;
  }
  if (auto size = dyn_cast<graph::SizeOp>(op))
    if (std::optional<mlir::Value> numbers = stackedNumber(size.getExpr().getExpr()))
      return replace(*numbers);
  auto slice = dyn_cast<graph::SliceOp>(op);
  bool isMoving = slice && !moves(t.writer.sizes(slice.getResult())[slice.getDim()]);
  if (isMoving && isFixed) {
    mlir::Value rows = stackedRows(slice);
    if (!rows && !machine.pending())
      rows = gatheredRows(slice);
    if (rows)
      return replace(rows);
  } else if (isMoving) {
    if (mlir::Value part = gatheredPart(slice)) {
      op.getResult(0).replaceAllUsesWith(part);
      op.erase();
      return true;
    }
  }
  if (machine.pending())
    return false;
  blame(slice                    ? "it reads a part of a tensor whose place or size is " +
                                       slice.getStart().getExpr().str() + " in turn " + index.str()
        : isa<graph::LoopOp>(op) ? "a loop in it makes a number of turns that differs"
                                 : "a size differs from turn to turn");
  return false;
}

/// Puts the operators of a composite in its place.
static void openComposite(graph::CompositeOp composite) {
  mlir::Block &inner = composite.getBody().front();
  for (auto [argument, operand] : zip_equal(inner.getArguments(), composite.getOperands()))
    argument.replaceAllUsesWith(operand);
  SmallVector<mlir::Value> results(inner.getTerminator()->getOperands());
  for (mlir::Operation &op : make_early_inc_range(inner.without_terminator()))
    op.moveBefore(composite);
  for (auto [result, value] : zip_equal(composite.getResults(), results))
    result.replaceAllUsesWith(value);
  composite.erase();
}

/// Opens the composites that depend on the turn by more than their operands and have no gradient of
/// their own, pads the tensors whose sizes depend on it, and gives loops within this one what they
/// read of its turn.
bool LoopReader::settlePlaces(mlir::Block &block) {
  for (mlir::Operation *op = block.empty() ? nullptr : &block.front(); op;) {
    auto composite = dyn_cast<graph::CompositeOp>(op);
    mlir::Operation *next = op->getNextNode();
    if (composite && composite.getGradient().empty() && mentionsTurn(*op)) {
      mlir::Operation *before = op->getPrevNode();
      openComposite(composite);
      next = before ? before->getNextNode() : &block.front();
    }
    op = next;
  }
  if (!sizes->pad(block))
    return blame(sizes->getProblem()), false;
  for (mlir::Operation &op : make_early_inc_range(block.without_terminator())) {
    if (!mentionsTurn(op))
      continue;
    if (auto inner = dyn_cast<graph::LoopOp>(op)) {
      if (!settleInner(inner))
        return false;
    } else if (&block != body && !settleInside(op)) {
      return false;
    }
  }
  return true;
}

/// An operator of a loop within this one, that mentions the turn of this one.
bool LoopReader::settleInside(mlir::Operation &op) {
  mlir::Value value;
  if (auto size = dyn_cast<graph::SizeOp>(op))
    value = numberInBody(size.getExpr().getExpr());
  else if (auto slice = dyn_cast<graph::SliceOp>(op);
           slice && !moves(t.writer.sizes(slice.getResult())[slice.getDim()]))
    value = gatheredPart(slice);
  if (!value)
    return blame("a size within a loop in it differs from turn to turn"), false;
  op.getResult(0).replaceAllUsesWith(value);
  op.erase();
  return true;
}

/// What a block uses of outside, which becomes its last arguments.
static SmallVector<mlir::Value> captured(mlir::Block &block) {
  llvm::SetVector<mlir::Value> found;
  auto isInside = [&](mlir::Value value) {
    mlir::Block *owner = value.getParentBlock();
    return owner == &block ||
           (owner->getParentOp() && block.findAncestorOpInBlock(*owner->getParentOp()));
  };
  block.walk([&](mlir::Operation *inner) {
    for (mlir::Value operand : inner->getOperands())
      if (!isInside(operand))
        found.insert(operand);
  });
  for (mlir::Value value : found) {
    mlir::Value argument = block.addArgument(value.getType(), value.getLoc());
    value.replaceUsesWithIf(argument, [&](mlir::OpOperand &use) {
      return block.findAncestorOpInBlock(*use.getOwner()) != nullptr;
    });
  }
  return found.takeVector();
}

bool LoopReader::settleInner(graph::LoopOp inner) {
  mlir::Block &block = inner.getBody().front();
  if (!settlePlaces(block))
    return false;
  SmallVector<mlir::Value> constants(inner.getConstants());
  llvm::append_range(constants, captured(block));
  mlir::OpBuilder builder(inner);
  auto wider =
      graph::LoopOp::create(builder, inner.getLoc(), inner.getResultTypes(), inner.getCount(),
                            inner.getInits(), inner.getInputs(), constants);
  wider.getBody().takeBody(inner.getBody());
  inner.replaceAllUsesWith(wider);
  inner.erase();
  return true;
}

/// Erases what nothing needs: mostly the rest of tensors of which only a row is written.
static void eraseDead(mlir::Block &block) {
  for (mlir::Operation &op : make_early_inc_range(reverse(block)))
    if (mlir::isOpTriviallyDead(&op))
      op.erase();
}

bool LoopReader::makeOp() {
  mlir::OpBuilder &builder = t.writer.builder;
  mlir::Location place = t.toMlir(loop.frame.getFile().getLocation(loop.node));
  SmallVector<mlir::Value> yielded, inits;
  SmallVector<mlir::Type> types;
  for (Leaf &leaf : leaves) {
    inits.push_back(leaf.initial);
    yielded.push_back(leaf.next);
    types.push_back(leaf.initial.getType());
  }
  for (Rows &each : rows)
    yielded.push_back(each.current);
  for (Grown &each : grown)
    yielded.push_back(each.item);
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(body);
    graph::YieldOp::create(builder, place, yielded);
  }
  eraseDead(*body);
  bool readsWhole = false;
  body->walk([&](mlir::UnrealizedConversionCastOp whole) {
    readsWhole |= whole->getAttrOfType<mlir::StringAttr>("why").getValue() == wholeRows;
  });
  if (readsWhole)
    return blame("it reads a whole tensor that it writes row by row"), false;
  numbers.clear();
  sizes.emplace(t.writer, index, count,
                [this](Expr expr) { return buildOutside([&] { return numberInBody(expr); }); });
  if (!settlePlaces(*body))
    return false;
  for (mlir::Operation &op : make_early_inc_range(body->without_terminator()))
    if (!hoist(op))
      return false;
  mlir::Operation *yield = body->getTerminator();
  for (mlir::Value value : yield->getOperands().drop_front(leaves.size())) {
    if (sizes->isPadded(value))
      return blame("the size of a result differs from turn to turn"), false;
    Sizes stacked = t.writer.sizes(value);
    stacked.insert(stacked.begin(), count);
    types.push_back(cast<graph::TensorType>(value.getType()).withSizes(stacked));
  }
  SmallVector<mlir::Value> constants = captured(*body);
  op = graph::LoopOp::create(builder, place, types, sym::ExprAttr::get(builder.getContext(), count),
                             inits, inputs, constants);
  erase(blocks, body);
  op.getBody().push_back(body);
  SmallVector<mlir::Value> stacks(op.getResults().drop_front(leaves.size()));
  for (Written &each : written)
    setWhole(*each.storage, op.getResult(each.leaf));
  finishRows(ArrayRef(stacks).take_front(rows.size()));
  finishLists(ArrayRef(stacks).drop_front(rows.size()));
  for (Cell &cell : cells) {
    auto mark = [](TensorValue *tensor) { tensor->storage->isLeftTwice = true; };
    PyValue left = final(cell.initial, cell.placeholder);
    if (cell.isLeftTwice)
      forEachTensor(left, mark);
    if (cell.isAppended)
      forEachTensor(cell.initial, mark);
    cell.place.write(machine, left);
  }
  return finishTemporaries();
}

PyValue LoopReader::final(PyValue before, PyValue held) {
  if (Leaf *leaf = leafOf(held)) {
    mlir::Value result = op.getResult(leaf - leaves.data());
    return leaf->isNumber ? t.wrapNumber(result) : t.wrap(result);
  }
  if (auto *size = dyn_cast<SizeValue>(held)) {
    DenseMap<Expr, Expr> end{{index, count}};
    return t.makeSize(t.solver.resolve(index::substitute(size->expr, end)));
  }
  if (auto *complex = dyn_cast<ComplexValue>(held); complex && before != held)
    return rebuild(held, final(cast<ComplexValue>(before)->parts, complex->parts));
  auto *tuple = dyn_cast<TupleObject>(held);
  auto *list = dyn_cast<ListObject>(held);
  if (before == held || (!tuple && !list))
    return held;
  ArrayRef<PyValue> helds = tuple ? tuple->items : ArrayRef<PyValue>(list->items);
  ArrayRef<PyValue> befores =
      tuple ? cast<TupleObject>(before)->items : ArrayRef<PyValue>(cast<ListObject>(before)->items);
  SmallVector<PyValue> items;
  for (auto [one, two] : zip(befores, helds))
    items.push_back(final(one, two));
  return rebuild(held, items);
}

} // namespace nereid::torch
