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

/// The part of a tensor that each turn reads, along a new first axis; null where its places do not
/// move by a constant.
mlir::Value LoopReader::stackedRows(graph::SliceOp slice) {
  GraphWriter &writer = t.writer;
  int64_t dim = slice.getDim();
  Expr length = t.solver.resolve(writer.sizes(slice.getResult())[dim]);
  auto linear = index::asLinearIn(t.solver.resolve(slice.getStart().getExpr()), index);
  if (!linear || slice.getStep() != 1)
    return {};
  std::optional<int64_t> stride = linear->coefficient.getConstant();
  bool isBackwards = stride && *stride < 0;
  Expr distance = isBackwards ? -linear->coefficient : linear->coefficient;
  bool isRow = length.isConstant(1), isPiece = length == distance;
  if ((!stride && !isPiece) || (stride && *stride == 0))
    return {};
  Expr low = isBackwards ? linear->rest + (count - 1) * *stride : linear->rest;
  low = t.solver.resolve(low);
  mlir::Value rows;
  if (isRow || isPiece) {
    rows = isRow ? writer.slice(slice.getInput(), dim, low, std::abs(stride.value_or(1)), count)
                 : writer.slice(slice.getInput(), dim, low, 1, t.solver.resolve(count * length));
    Sizes sizes = writer.sizes(rows);
    sizes[dim] = count;
    sizes.insert(sizes.begin() + dim + 1, length);
    rows = writer.reshape(rows, sizes);
  } else {
    // Windows over what the first turn to the last one read.
    if (!t.solver.require(index::ge(count, 1), "the number of turns of a loop must be at least 1"))
      return {};
    Expr all = t.solver.resolve((count - 1) * std::abs(*stride) + length);
    rows = writer.window(writer.slice(slice.getInput(), dim, low, 1, all), dim, std::abs(*stride),
                         count, length);
  }
  return turnsFirst(isBackwards ? writer.flip(rows, {dim}) : rows, dim);
}

/// What turns read, `turns` of it along an axis, with that axis first.
mlir::Value LoopReader::turnsFirst(mlir::Value rows, int64_t turns) {
  SmallVector<int64_t> order{turns};
  for (int64_t axis = 0, rank = t.writer.rank(rows); axis < rank; ++axis)
    if (axis != turns)
      order.push_back(axis);
  return t.writer.transpose(rows, order);
}

/// The places from a number on, along a last axis.
static mlir::Value placesFrom(GraphWriter &writer, mlir::Value number, Expr length, int64_t step) {
  Sizes sizes = writer.sizes(number);
  int64_t rank = sizes.size();
  sizes.push_back(length);
  SmallVector<int64_t> dims;
  for (int64_t axis = 0; axis < rank; ++axis)
    dims.push_back(axis);
  mlir::Value places = writer.broadcast(number, dims, sizes);
  if (length.isConstant(1))
    return places;
  mlir::Value offset = writer.iota(rank, sizes, DType::I64);
  if (step != 1)
    offset = writer.pointwise(
        "mul", {offset, writer.broadcastTo(writer.integer(DType::I64, step), sizes)});
  return writer.pointwise("add", {places, offset});
}

/// input.index_select(dim, places) for places of any rank, whose axes replace `dim`.
static mlir::Value gathered(GraphWriter &writer, mlir::Value input, mlir::Value places,
                            int64_t dim) {
  Sizes flat = writer.sizes(input), index = writer.sizes(places), to = flat;
  flat[dim] = writer.solver.resolve(index::product(writer.solver.getContext(), index));
  to.erase(to.begin() + dim);
  to.insert(to.begin() + dim, index.begin(), index.end());
  places = writer.broadcast(writer.reshape(places, {flat[dim]}), {dim}, flat);
  return writer.reshape(writer.gather(input, places, dim), to);
}

/// The same where places move otherwise (`t % 3`): by their numbers; null where these cannot be
/// computed.
mlir::Value LoopReader::gatheredRows(graph::SliceOp slice) {
  std::optional<mlir::Value> starts = stackedNumber(slice.getStart().getExpr());
  if (!starts)
    return {};
  int64_t dim = slice.getDim();
  Expr length = t.writer.sizes(slice.getResult())[dim];
  mlir::Value places = placesFrom(t.writer, *starts, length, slice.getStep());
  return turnsFirst(gathered(t.writer, slice.getInput(), places, dim), dim);
}

/// The part of what is carried at a place that moves from turn to turn, by its number.
mlir::Value LoopReader::gatheredPart(graph::SliceOp slice) {
  mlir::Value start = numberInBody(slice.getStart().getExpr());
  if (!start)
    return {};
  mlir::OpBuilder::InsertionGuard guard(t.writer.builder);
  t.writer.builder.setInsertionPoint(slice);
  t.writer.place = slice.getLoc();
  int64_t dim = slice.getDim();
  Expr length = t.writer.sizes(slice.getResult())[dim];
  return gathered(t.writer, slice.getInput(), placesFrom(t.writer, start, length, slice.getStep()),
                  dim);
}

/// An index expression as a value of the body: an input of the loop.
mlir::Value LoopReader::numberInBody(Expr expr) {
  expr = t.solver.resolve(expr);
  if (mlir::Value known = numbers.lookup(expr))
    return known;
  std::optional<mlir::Value> stacked = stackedNumber(expr);
  return stacked ? numbers[expr] = addInput(*stacked) : mlir::Value();
}

/// The operator of tensors for one of index expressions; empty for sums and products.
static StringRef nameOf(index::ExprKind kind) {
  switch (kind) {
  case index::ExprKind::Mod:
    return "remainder";
  case index::ExprKind::FloorDiv:
    return "floordiv";
  case index::ExprKind::Min:
    return "minimum";
  case index::ExprKind::Max:
    return "maximum";
  default:
    return "";
  }
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
  StringRef name = nameOf(expr.getKind());
  if (!name.empty()) {
    mlir::Value folded;
    for (Expr operand : expr.getOperands()) {
      auto value = stackedNumber(operand);
      if (!value)
        return std::nullopt;
      folded = folded ? writer.pointwise(name, {folded, *value}) : *value;
    }
    return folded;
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
  for (auto whole : body->getOps<mlir::UnrealizedConversionCastOp>())
    if (whole->getAttrOfType<mlir::StringAttr>("why").getValue() == wholeRows)
      return blame("it reads a whole tensor that it writes row by row"), false;
  numbers.clear();
  sizes.emplace(t.writer, index, count, [this](Expr expr) {
    mlir::OpBuilder::InsertionGuard guard(t.writer.builder);
    t.writer.builder.restoreInsertionPoint(outside);
    return numberInBody(expr);
  });
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
  for (Cell &cell : cells)
    cell.place.write(machine, final(cell.initial, cell.placeholder));
  return finishTemporaries();
}

/// The tensors of which each turn has written a row, with all of these rows.
void LoopReader::finishRows(ArrayRef<mlir::Value> stacks) {
  GraphWriter &writer = t.writer;
  for (auto [each, stack] : zip(rows, stacks)) {
    int64_t dim = each.dim;
    SmallVector<int64_t> order;
    for (int64_t axis = 0, rank = writer.rank(stack); axis < rank; ++axis)
      order.push_back(axis == dim ? 0 : axis < dim ? axis + 1 : axis);
    mlir::Value value = writer.transpose(stack, order);
    bool isBackwards = each.stride < 0, isRow = each.length.isConstant(1);
    if (isBackwards)
      value = writer.flip(value, {dim});
    DenseMap<Expr, Expr> lowest{{index, isBackwards ? count - 1 : writer.constantSize(0)}};
    ViewStep step(ViewStep::Slice);
    step.dim = dim;
    step.start = t.solver.resolve(index::substitute(each.written, lowest));
    step.size = t.solver.resolve(count * each.length);
    step.step = isRow ? std::abs(each.stride) : 1;
    Sizes sizes = writer.sizes(value);
    sizes[dim] = step.size;
    sizes.erase(sizes.begin() + 1 + dim);
    putBack(each, t.scatterStep(each.original, step, writer.reshape(value, sizes)));
  }
}

/// Gives the tensor of `rows` what all turns have written to it.
void LoopReader::putBack(Rows &each, mlir::Value value) {
  Storage &storage = *each.storage;
  if (Rows *outer = rowsOf(storage)) {
    auto *tensor = machine.make<TensorValue>(t, t.tensorClass, &storage, each.dtype);
    tensor->steps = each.prefix;
    outer->reader->writeRows(*outer, tensor, value);
    return;
  }
  SmallVector<mlir::Value> bases{storage.value};
  for (const ViewStep &step : each.prefix)
    bases.push_back(t.applyStep(bases.back(), step));
  for (size_t number = each.prefix.size(); number-- > 0;)
    value = t.scatterStep(bases[number], each.prefix[number], value);
  storage.value = value;
  ++storage.version;
}

void LoopReader::finishLists(ArrayRef<mlir::Value> stacks) {
  for (auto [each, stack] : zip(grown, stacks)) {
    std::vector<ListPart> parts;
    for (PyValue item : each.before)
      parts.push_back({item});
    mlir::Value ordered = each.atFront ? t.writer.flip(stack, {0}) : stack;
    parts.insert(each.atFront ? parts.begin() : parts.end(),
                 ListPart{nullptr, t.rowsOf(t.wrap(ordered), 0)});
    t.grownOf(each.list, std::move(parts));
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

static bool mentions(const python::Node &node, StringRef name) {
  if (auto *found = dyn_cast<python::Name>(&node); found && found->id == name)
    return true;
  bool isMentioned = false;
  python::forEachChild(
      node, [&](const python::Node &child) { isMentioned = isMentioned || mentions(child, name); });
  return isMentioned;
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

/// Whether a statement binds a name, whatever else it does, without reading it.
static bool isBinding(const python::Node &statement, StringRef name) {
  auto *assign = dyn_cast<python::Assign>(&statement);
  if (!assign || mentions(*assign->value, name))
    return false;
  return any_of(assign->targets, [&](const python::Expr *target) {
    auto *one = dyn_cast<python::Name>(target);
    auto *several = dyn_cast<python::Tuple>(target);
    return (one && one->id == name) || (several && any_of(several->elts, [&](python::Expr *each) {
                                          auto *item = dyn_cast<python::Name>(each);
                                          return item && item->id == name;
                                        }));
  });
}

/// Whether each turn binds a name of the function before it reads it: it is nothing that a loop
/// carries, also where something of that name was there before.
bool LoopReader::isBoundFirst(const Change &change) const {
  auto *statement = dyn_cast<python::For>(&loop.node);
  if (!statement || change.kind != Change::Local || change.holder != loop.frame.locals)
    return false;
  for (const python::Stmt *each : statement->body)
    if (mentions(*each, change.name->text))
      return isBinding(*each, change.name->text);
  return false;
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
