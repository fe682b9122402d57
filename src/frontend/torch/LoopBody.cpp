// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of a loop as that of a graph.loop: what does not depend on the turn is computed before
// the loop, and what the body reads at places that move with the turn becomes an input of it.
#include "frontend/torch/LoopReader.h"

#include "python/AstVisit.h"

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

/// The rows of a tensor that the turns read, along a new first axis.
mlir::Value LoopReader::stackedRows(mlir::Value tensor, int64_t dim, Expr start) {
  auto linear = index::asLinearIn(t.solver.resolve(start), index);
  std::optional<int64_t> stride =
      linear ? linear->coefficient.getConstant() : std::optional<int64_t>();
  if (!stride || *stride == 0)
    return {};
  GraphWriter &writer = t.writer;
  Expr low = *stride > 0 ? linear->rest : linear->rest + (count - 1) * *stride;
  mlir::Value rows = writer.slice(tensor, dim, t.solver.resolve(low), std::abs(*stride), count);
  if (*stride < 0)
    rows = writer.flip(rows, {dim});
  SmallVector<int64_t> order{dim};
  for (int64_t axis = 0, rank = writer.rank(rows); axis < rank; ++axis)
    if (axis != dim)
      order.push_back(axis);
  rows = writer.transpose(rows, order);
  Sizes sizes = writer.sizes(rows);
  sizes.insert(sizes.begin() + 1 + dim, writer.constantSize(1));
  return writer.reshape(rows, sizes);
}

/// The values of an index expression in all turns; nullopt for what cannot be computed so.
std::optional<mlir::Value> LoopReader::stackedNumber(Expr expr) {
  GraphWriter &writer = t.writer;
  Sizes all{count};
  auto filled = [&](mlir::Value value) { return writer.broadcastTo(value, all); };
  expr = t.solver.resolve(expr);
  if (!index::contains(expr, index))
    return filled(writer.size(expr));
  if (expr == index)
    return writer.iota(0, all, DType::I64);
  bool isMod = expr.getKind() == index::ExprKind::Mod;
  if (isMod || expr.getKind() == index::ExprKind::FloorDiv) {
    auto a = stackedNumber(expr.getOperands()[0]), b = stackedNumber(expr.getOperands()[1]);
    if (!a || !b)
      return std::nullopt;
    return writer.pointwise(isMod ? "remainder" : "floordiv", {*a, *b});
  }
  if (expr.getKind() == index::ExprKind::Product) {
    mlir::Value product;
    for (const index::Factor &factor : expr.getFactors())
      for (unsigned power = 0; power < factor.power; ++power) {
        auto value = stackedNumber(factor.atom);
        if (!value)
          return std::nullopt;
        product = product ? writer.pointwise("mul", {product, *value}) : *value;
      }
    return product;
  }
  if (expr.getKind() != index::ExprKind::Sum)
    return std::nullopt;
  mlir::Value sum = filled(writer.integer(DType::I64, expr.getConstantTerm()));
  for (const index::Term &term : expr.getTerms()) {
    auto value = stackedNumber(term.monomial);
    if (!value)
      return std::nullopt;
    mlir::Value factor = filled(writer.integer(DType::I64, term.coefficient));
    sum = writer.pointwise("add", {sum, writer.pointwise("mul", {*value, factor})});
  }
  return sum;
}

/// The argument of the body for the elements of an input along its first axis.
mlir::Value LoopReader::addInput(mlir::Value stacked) {
  inputs.push_back(stacked);
  Sizes sizes = t.writer.sizes(stacked);
  auto type = cast<graph::TensorType>(stacked.getType());
  return body->addArgument(type.withSizes(ArrayRef<Expr>(sizes).drop_front()), stacked.getLoc());
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
    if (isFixed) {
      op.remove();
      builder.insert(&op);
    }
    return true;
  }
  if (auto size = dyn_cast<graph::SizeOp>(op))
    if (std::optional<mlir::Value> numbers = stackedNumber(size.getExpr().getExpr()))
      return replace(*numbers);
  auto slice = dyn_cast<graph::SliceOp>(op);
  bool isRow = slice && t.writer.sizes(slice.getResult())[slice.getDim()].isConstant(1);
  if (isRow && isFixed)
    if (mlir::Value rows =
            stackedRows(slice.getInput(), slice.getDim(), slice.getStart().getExpr()))
      return replace(rows);
  blame(isRow && !isFixed ? "it reads what it carries at a place that moves from turn to turn"
        : slice           ? "it reads a part of a tensor whose place or size is " +
                                slice.getStart().getExpr().str() + " in turn " + index.str()
                          : "a size differs from turn to turn");
  return false;
}

/// Erases what nothing needs: mostly the rest of tensors of which only a row is written.
static void eraseDead(mlir::Block &block) {
  for (mlir::Operation &op : make_early_inc_range(reverse(block)))
    if (mlir::isOpTriviallyDead(&op))
      op.erase();
}

/// What the body uses from outside, which becomes its last arguments.
SmallVector<mlir::Value> LoopReader::takeConstants() {
  llvm::SetVector<mlir::Value> found;
  auto isOutside = [&](mlir::Value value) {
    mlir::Block *block = value.getParentBlock();
    return block != body &&
           !(block->getParentOp() && body->findAncestorOpInBlock(*block->getParentOp()));
  };
  body->walk([&](mlir::Operation *inner) {
    for (mlir::Value operand : inner->getOperands())
      if (isOutside(operand))
        found.insert(operand);
  });
  for (mlir::Value value : found) {
    mlir::Value argument = body->addArgument(value.getType(), value.getLoc());
    value.replaceUsesWithIf(argument, [&](mlir::OpOperand &use) {
      return body->findAncestorOpInBlock(*use.getOwner()) != nullptr;
    });
  }
  return found.takeVector();
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
  for (auto whole : body->getOps<mlir::UnrealizedConversionCastOp>())
    if (whole->getAttrOfType<mlir::StringAttr>("why").getValue() == wholeRows)
      return blame("it reads a whole tensor that it writes row by row"), false;
  for (mlir::Operation &op : make_early_inc_range(body->without_terminator()))
    if (!hoist(op))
      return false;
  mlir::Operation *yield = body->getTerminator();
  for (mlir::Value value : yield->getOperands().drop_front(leaves.size())) {
    Sizes sizes = t.writer.sizes(value);
    if (any_of(sizes, [&](Expr size) { return index::contains(size, index); }))
      return blame("the size of a result differs from turn to turn"), false;
    sizes.insert(sizes.begin(), count);
    types.push_back(cast<graph::TensorType>(value.getType()).withSizes(sizes));
  }
  SmallVector<mlir::Value> constants = takeConstants();
  op = graph::LoopOp::create(builder, place, types, sym::ExprAttr::get(builder.getContext(), count),
                             inits, inputs, constants);
  erase(blocks, body);
  op.getBody().push_back(body);
  SmallVector<mlir::Value> stacks(op.getResults().drop_front(leaves.size()));
  for (Written &each : written) {
    each.storage->value = op.getResult(each.leaf);
    ++each.storage->version;
  }
  finishRows(ArrayRef(stacks).take_front(rows.size()));
  finishLists(ArrayRef(stacks).drop_front(rows.size()));
  for (Cell &cell : cells)
    cell.place.write(machine, final(cell.initial, cell.placeholder));
  return finishTemporaries();
}

/// The tensors of which each turn has written a row, with all of these rows.
void LoopReader::finishRows(ArrayRef<mlir::Value> stacks) {
  GraphWriter &writer = t.writer;
  for (auto [each, stack] : zip(rows, stacks)) {
    int64_t dim = each.dim;
    Sizes sizes = writer.sizes(stack);
    sizes.erase(sizes.begin() + 1 + dim);
    mlir::Value value = writer.reshape(stack, sizes);
    SmallVector<int64_t> order;
    for (int64_t axis = 0, rank = writer.rank(value); axis < rank; ++axis)
      order.push_back(axis == dim ? 0 : axis < dim ? axis + 1 : axis);
    value = writer.transpose(value, order);
    bool isBackwards = each.stride < 0;
    if (isBackwards)
      value = writer.flip(value, {dim});
    DenseMap<Expr, Expr> lowest{{index, isBackwards ? count - 1 : writer.constantSize(0)}};
    ViewStep step(ViewStep::Slice);
    step.dim = dim;
    step.start = t.solver.resolve(index::substitute(each.written, lowest));
    step.size = count;
    step.step = std::abs(each.stride);
    each.storage->value = t.scatterStep(each.original, step, value);
    each.storage->rows = nullptr;
    ++each.storage->version;
  }
}

void LoopReader::finishLists(ArrayRef<mlir::Value> stacks) {
  for (auto [each, stack] : zip(grown, stacks)) {
    auto *all = machine.make<GrownList>(t, machine.builtinClass("list"), each.list);
    for (PyValue item : each.before)
      all->parts.push_back({item});
    mlir::Value ordered = each.atFront ? t.writer.flip(stack, {0}) : stack;
    all->parts.insert(each.atFront ? all->parts.begin() : all->parts.end(),
                      ListPart{nullptr, t.wrap(ordered)});
    machine.willWrite(each.list);
    each.list->whole = all;
    each.list->items = {all};
  }
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

/// Whether a name is read anywhere in the function but in the loop.
static bool isReadOutside(const python::Node &node, const python::Node &loop, StringRef name) {
  if (&node == &loop)
    return false;
  if (auto *read = dyn_cast<python::Name>(&node))
    return read->id == name && read->ctx == python::ExprContext::Load;
  bool found = false;
  python::forEachChild(
      node, [&](const python::Node &child) { found = found || isReadOutside(child, loop, name); });
  return found;
}

bool LoopReader::isReadLater(const Change &change) const {
  return change.kind == Change::Local && change.holder == loop.frame.locals &&
         loop.frame.code->node &&
         isReadOutside(*loop.frame.code->node, loop.node, change.name->text);
}

/// Names that only the loop binds have the values of the last turn.
bool LoopReader::finishTemporaries() {
  bool isNeeded = isConverted;
  for (auto &[change, leaf] : lastValues) {
    change.write(machine, t.wrap(op.getResult(leaf)));
    isNeeded = true;
  }
  Expr final = t.solver.resolve(count - 1);
  for (const Change &change : temporaries) {
    auto *size = dyn_cast<SizeValue>(change.after);
    bool isKnown = isa<IntObject, FloatObject, StrObject, NoneObject>(change.after);
    if (!isReadLater(change) || (!size && !isKnown))
      continue;
    DenseMap<Expr, Expr> end{{index, final}};
    change.write(machine, size ? t.makeSize(t.solver.resolve(index::substitute(size->expr, end)))
                               : change.after);
    isNeeded = true;
  }
  bool readsTarget = any_of(targets, [&](machine::Name name) {
    return isReadOutside(*loop.frame.code->node, loop.node, name->text);
  });
  if (readsTarget) {
    PyValue item = t.loopItem(items, t.solver.resolve(final + first));
    if (!item || !loop.bindTarget(item))
      return false;
    isNeeded = true;
  }
  if (isNeeded &&
      !t.solver.require(index::ge(count, 1), "the number of turns of a loop must be at least 1"))
    return blame("it may make no turn"), false;
  return true;
}

} // namespace nereid::torch
