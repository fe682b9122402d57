// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a graph program into values: pointwise operators become maps, reductions folds, pads and
// concatenations selects, and views disappear into accesses.
#include "schedule/AxisCuts.h"
#include "schedule/IndexMap.h"
#include "schedule/IndexValues.h"
#include "schedule/ResultLayout.h"
#include "schedule/SortLowering.h"
#include "schedule/Value.h"

#include "graph/GraphOps.h"
#include "index/Facts.h"
#include "sym/SymDialect.h"

using namespace mlir;

namespace nereid::schedule {

namespace {

/// What a tensor of the graph is: an access of a value, its coordinates over the tensor's indices.
using View = Access;

class Builder {
public:
  Builder(Program &program) : program(program), context(*program.context) {}

  LogicalResult run(func::FuncOp func);

private:
  LogicalResult visit(Operation &op);
  LogicalResult visitBlock(Block &block);
  LogicalResult visitView(Operation &op);
  LogicalResult visitComposite(graph::CompositeOp op);
  LogicalResult visitLoop(graph::LoopOp op);
  LogicalResult visitFold(graph::FoldOp op);
  LogicalResult visitGather(graph::GatherOp op);
  void visitResults(Operation *terminator);
  void visitSegment(graph::SegmentOp op);
  void visitSearch(graph::SearchOp op);
  void visitScatter(graph::ScatterOp op);
  LogicalResult visitConcat(graph::ConcatOp op);
  LogicalResult visitSort(graph::SortOp op);
  void visitPad(graph::PadOp op);
  void visitMap(Operation &op);
  void simplify(Value &value);

  Value *create(ValueKind kind, Operation *op, mlir::Value result);
  Value *createArgument(BlockArgument argument);
  llvm::SmallVector<Expr, 4> identity(unsigned rank);
  View viewOf(mlir::Value tensor);
  void setView(mlir::Value tensor, View view) {
    if (lead)
      inLoop.insert(tensor);
    views[tensor] = std::move(view);
  }
  llvm::SmallVector<Expr, 4> sizesOf(mlir::Value tensor);
  void learnSizes(func::FuncOp func);
  void define(mlir::Value tensor, Value *value) {
    setView(tensor, View{value, identity(value->shape.size()), {}});
  }
  /// A copy of a view, row-major where it is stored.
  Value *copyOf(mlir::Value tensor, Location loc, llvm::StringRef name);
  /// The whole of a view as a value of its own, copied unless it is one already.
  Value *materialize(mlir::Value tensor, Location loc);
  std::string nameOf(Location loc, llvm::StringRef fallback);
  void nameAfter(const View &view, Location loc);

  Program &program;
  index::Context &context;
  llvm::DenseMap<mlir::Value, View> views;
  /// Within a loop all values have one axis more, the first: the turn. `lead` is 1 there.
  unsigned lead = 0;
  Expr turns;
  llvm::DenseSet<mlir::Value> inLoop;
  unsigned unit = 0;
  bool inComposite = false;
  unsigned loadedCount = 0;
};

graph::TensorType typeOf(mlir::Value value) { return cast<graph::TensorType>(value.getType()); }

} // namespace

std::string Builder::nameOf(Location loc, llvm::StringRef fallback) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().str();
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (auto name = dyn_cast<NameLoc>(part))
        return name.getName().str();
  return fallback.str();
}

llvm::SmallVector<Expr, 4> Builder::identity(unsigned rank) {
  llvm::SmallVector<Expr, 4> at;
  for (unsigned i = 0; i < rank; ++i)
    at.push_back(program.getIndex(i));
  return at;
}

llvm::SmallVector<Expr, 4> Builder::sizesOf(mlir::Value tensor) {
  llvm::SmallVector<Expr, 4> sizes;
  if (lead)
    sizes.push_back(turns);
  for (Expr size : typeOf(tensor).getSizes())
    sizes.push_back(program.divided.inward(size));
  return sizes;
}

/// What a tensor is, over the indices of the place where it is read: in a loop, one from outside is
/// the same in each turn.
View Builder::viewOf(mlir::Value tensor) {
  View view = views.lookup(tensor);
  if (!lead || inLoop.contains(tensor))
    return view;
  llvm::SmallVector<Expr, 4> at = identity(typeOf(tensor).getRank() + 1);
  return compose(view, llvm::ArrayRef(at).drop_front(), program);
}

/// Takes the program's conditions on its sizes, before any size is read.
void Builder::learnSizes(func::FuncOp func) {
  func.walk([&](graph::CheckOp check) {
    program.checks.emplace_back(check.getPred().getPred(), check.getMessage().str());
  });
  llvm::SmallVector<std::pair<Pred, std::string>> besides;
  if (auto when = func->getAttrOfType<sym::PredAttr>("graph.when"))
    if (Pred more = program.divided.learn(when.getPred()))
      besides.emplace_back(more, "a size is no multiple of what divides it");
  for (auto &[pred, message] : program.checks)
    if (Pred more = program.divided.learn(pred))
      besides.emplace_back(more, message);
  for (auto &check : besides)
    if (!llvm::is_contained(program.checks, check))
      program.checks.push_back(std::move(check));
}

Value *Builder::create(ValueKind kind, Operation *op, mlir::Value result) {
  graph::TensorType type = typeOf(result);
  llvm::StringRef mnemonic = op->getName().getStringRef();
  mnemonic.consume_front("graph.");
  if (auto fold = dyn_cast<graph::FoldOp>(op))
    mnemonic = graph::stringifyFoldKind(fold.getKind());
  Value &value = program.values.emplace_back(kind, nameOf(op->getLoc(), mnemonic), op->getLoc(),
                                             type.getElementType());
  value.shape = sizesOf(result);
  value.op = op;
  value.isNamed = !nameOf(op->getLoc(), "").empty();
  value.unit = unit;
  value.order = program.values.size();
  return &value;
}

Value *Builder::createArgument(BlockArgument argument) {
  graph::TensorType type = typeOf(argument);
  auto name = program.func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "graph.name");
  bool scalar = !!program.func.getArgAttr(argument.getArgNumber(), "graph.scalar");
  Value &value = program.values.emplace_back(scalar ? ValueKind::Scalar : ValueKind::Input,
                                             name ? name.str()
                                                  : "arg" + std::to_string(argument.getArgNumber()),
                                             argument.getLoc(), type.getElementType());
  value.shape = sizesOf(argument);
  value.argument = argument.getArgNumber();
  value.order = program.values.size();
  return &value;
}

void Builder::visitMap(Operation &op) {
  Value *value = create(ValueKind::Map, &op, op.getResult(0));
  for (mlir::Value operand : op.getOperands())
    value->inputs.push_back(viewOf(operand));
  define(op.getResult(0), value);
}

LogicalResult Builder::visitFold(graph::FoldOp op) {
  Value *value = create(ValueKind::Fold, op, op.getResult());
  llvm::SmallVector<Expr, 4> sizes = sizesOf(op.getInput()), at(sizes.size());
  unsigned kept = 0;
  for (int64_t dim = 0; dim < int64_t(sizes.size()); ++dim) {
    if (llvm::is_contained(op.getDims(), dim - int64_t(lead))) {
      at[dim] = program.getFoldIndex(value->foldExtents.size());
      value->foldExtents.push_back(sizes[dim]);
    } else {
      at[dim] = program.getIndex(kept++);
    }
  }
  value->inputs.push_back(compose(viewOf(op.getInput()), at, program));
  define(op.getResult(), value);
  return success();
}

LogicalResult Builder::visitGather(graph::GatherOp op) {
  // result[i] = 0 <= index < n ? input[i with index] : 0
  llvm::SmallVector<Expr, 4> shape = sizesOf(op.getResult()), at = identity(shape.size());
  Expr extent = sizesOf(op.getInput())[op.getDim() + lead];
  View indices = viewOf(op.getIndices());
  std::optional<Expr> known = asIndexExpr(indices, program);
  Expr place = known ? *known : context.symbol("$g" + std::to_string(loadedCount++));
  at[op.getDim() + lead] = place;
  Access access = compose(viewOf(op.getInput()), at, program);
  Pred isInside = index::ge(place, 0) & index::lt(place, extent);
  if (known) {
    index::Facts facts(context);
    for (auto [dim, size] : llvm::enumerate(shape))
      boundIndex(facts, program.getIndex(dim), size);
    for (auto &[check, message] : program.checks)
      facts.assume(program.divided.inward(check));
    isInside = facts.simplify(isInside);
  } else {
    access.loaded.push_back({place, indices});
  }
  if (isInside.isTrue()) {
    access.isCopied = true;
    setView(op.getResult(), access);
    nameAfter(access, op.getLoc());
    return success();
  }
  Value *value = create(ValueKind::Select, op, op.getResult());
  value->cases.push_back({isInside, std::move(access)});

  Value &zero =
      program.values.emplace_back(ValueKind::Constant, "zero", op.getLoc(), value->elementType);
  zero.order = program.values.size();
  value->cases.push_back({index::truth(context, true), Access{&zero, {}, {}}});
  define(op.getResult(), value);
  return success();
}

void Builder::visitSegment(graph::SegmentOp op) {
  Value *value = create(ValueKind::Fold, op, op.getResult());
  // It is folded as all of the rows would be.
  OpBuilder builder(op);
  graph::TensorType type = typeOf(op.getResult());
  value->op =
      graph::FoldOp::create(builder, op.getLoc(), type.withSizes(type.getSizes().drop_front()),
                            op.getKind(), op.getInput(), int64_t(0));
  value->isSegment = true;
  llvm::SmallVector<Expr, 4> at = identity(value->shape.size()), row = {at[0]};
  at[0] = program.getFoldIndex(0);
  value->foldExtents.push_back(sizesOf(op.getInput())[0]);
  value->inputs.push_back(compose(viewOf(op.getInput()), at, program));
  value->inputs.push_back(compose(viewOf(op.getBounds()), row, program));
  row[0] = row[0] + 1;
  value->inputs.push_back(compose(viewOf(op.getBounds()), row, program));
  define(op.getResult(), value);
}

void Builder::visitSearch(graph::SearchOp op) {
  Value *value = create(ValueKind::Search, op, op.getResult());
  llvm::SmallVector<Expr, 4> at = identity(value->shape.size());
  at.back() = program.getFoldIndex(0);
  value->foldExtents.push_back(sizesOf(op.getKeys()).back());
  value->inputs.push_back(compose(viewOf(op.getKeys()), at, program));
  value->inputs.push_back(viewOf(op.getValues()));
  define(op.getResult(), value);
}

void Builder::visitScatter(graph::ScatterOp op) {
  Value *value = create(ValueKind::Scatter, op, op.getResult());
  value->dim = op.getDim();
  value->updateShape = sizesOf(op.getUpdates());
  value->inputs.push_back(viewOf(op.getUpdates()));
  value->inputs.push_back(viewOf(op.getIndices()));
  define(op.getResult(), value);
}

void Builder::visitPad(graph::PadOp op) {
  Value *value = create(ValueKind::Select, op, op.getResult());
  llvm::SmallVector<Expr, 4> at = identity(value->shape.size());
  int64_t dim = op.getDim() + lead;
  Expr from = at[dim] - program.divided.inward(op.getLow().getExpr());
  at[dim] = from;
  Expr extent = sizesOf(op.getInput())[dim];
  value->cases.push_back(
      {index::ge(from, 0) & index::lt(from, extent), compose(viewOf(op.getInput()), at, program)});
  value->cases.push_back(
      {index::truth(context, true), compose(viewOf(op.getValue()), identity(lead), program)});
  define(op.getResult(), value);
}

LogicalResult Builder::visitConcat(graph::ConcatOp op) {
  Value *value = create(ValueKind::Select, op, op.getResult());
  llvm::SmallVector<Expr, 4> at = identity(value->shape.size());
  int64_t dim = op.getDim() + lead;
  Expr index = at[dim], start = context.constant(0);
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    Expr end = start + sizesOf(input)[dim];
    at[dim] = index - start;
    bool last = number + 1 == op.getInputs().size();
    value->cases.push_back({last ? index::truth(context, true) : index::lt(index, end),
                            compose(viewOf(input), at, program)});
    start = end;
  }
  define(op.getResult(), value);
  return success();
}

LogicalResult Builder::visitSort(graph::SortOp op) {
  if (!isPlainSort(op) || lead)
    return op.emitOpError("cannot be scheduled in a loop yet");
  // What is sorted is laid out in lines, whatever it is read for besides.
  Value *lines = copyOf(op.getInput(), op.getLoc(), "keys");
  Value *value = create(ValueKind::Sort, op, op.getValues());
  llvm::SmallVector<Expr, 4> at = identity(lines->shape.size());
  at.back() = program.getFoldIndex(0);
  value->dim = at.size() - 1;
  value->foldExtents.push_back(lines->shape.back());
  value->inputs.push_back({lines, at, {}});
  define(op.getValues(), value);
  return success();
}

LogicalResult Builder::visitView(Operation &op) {
  mlir::Value input = op.getOperand(0), result = op.getResult(0);
  llvm::SmallVector<Expr, 4> from = sizesOf(input), to = sizesOf(result);
  llvm::SmallVector<Expr, 4> index = identity(to.size()), at(from.size());
  if (lead && !at.empty())
    at.front() = index.front();
  if (auto broadcast = dyn_cast<graph::BroadcastOp>(op)) {
    for (auto [dim, target] : llvm::enumerate(broadcast.getDims())) {
      bool repeated = from[dim + lead] != to[target + lead];
      at[dim + lead] = repeated ? context.constant(0) : index[target + lead];
    }
  } else if (auto transpose = dyn_cast<graph::TransposeOp>(op)) {
    for (auto [dim, source] : llvm::enumerate(transpose.getOrder()))
      at[source + lead] = index[dim + lead];
  } else if (auto slice = dyn_cast<graph::SliceOp>(op)) {
    at.assign(index.begin(), index.end());
    int64_t dim = slice.getDim() + lead;
    at[dim] = index[dim] * slice.getStep() + program.divided.inward(slice.getStart().getExpr());
  } else if (auto window = dyn_cast<graph::WindowOp>(op)) {
    int64_t dim = window.getDim() + lead;
    at.assign(index.begin(), index.end());
    at.erase(at.begin() + dim + 1);
    at[dim] = index[dim] * window.getStep() + index[dim + 1];
  } else if (auto flip = dyn_cast<graph::FlipOp>(op)) {
    at.assign(index.begin(), index.end());
    for (int64_t dim : flip.getDims())
      at[dim + lead] = from[dim + lead] - 1 - index[dim + lead];
  } else {
    at = reshapeMap(from, to, index, context);
  }
  setView(result, compose(viewOf(input), at, program));
  nameAfter(views[result], op.getLoc());
  return success();
}

LogicalResult Builder::visitComposite(graph::CompositeOp op) {
  Block &body = op.getBody().front();
  for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), op.getOperands()))
    setView(argument, viewOf(operand));
  bool outer = inComposite;
  if (!outer)
    ++unit;
  inComposite = true;
  if (failed(visitBlock(body)))
    return failure();
  inComposite = outer;
  for (auto [result, value] :
       llvm::zip_equal(op.getResults(), body.getTerminator()->getOperands())) {
    View view = viewOf(value);
    setView(result, view);
    // The user's word for the composite's result is better than the body's.
    view.from->isNamed &= view.from->isFree();
    nameAfter(view, op.getLoc());
  }
  return success();
}

/// The values of a loop's body have one axis more, the turn. Those that do not depend on what the
/// loop carries are values like all others.
LogicalResult Builder::visitLoop(graph::LoopOp op) {
  if (lead)
    return op.emitOpError("is a loop within a loop, which cannot be scheduled yet");
  Block &body = op.getBody().front();
  int number = program.turns.size();
  turns = program.divided.inward(op.getCount().getExpr());
  program.turns.push_back(turns);
  Expr turn = program.getTurn(number);
  ++unit;
  llvm::SmallVector<View> initial, elements, constants;
  for (mlir::Value init : op.getInits())
    initial.push_back(viewOf(init));
  for (mlir::Value input : op.getInputs())
    elements.push_back(viewOf(input));
  lead = 1;
  for (mlir::Value constant : op.getConstants())
    constants.push_back(viewOf(constant));
  size_t first = program.values.size();
  llvm::SmallVector<Value *> states;
  for (auto [init, view] : llvm::zip_equal(op.getInits(), initial)) {
    mlir::Value argument = body.getArgument(states.size());
    Value *state = create(ValueKind::State, op, argument);
    state->isNamed = false;
    state->name = "state";
    llvm::SmallVector<Expr, 4> at = identity(state->shape.size());
    state->inputs.push_back(compose(view, llvm::ArrayRef(at).drop_front(), program));
    state->loop = number;
    define(argument, state);
    states.push_back(state);
  }
  for (auto [place, view] : llvm::enumerate(elements))
    setView(body.getArgument(states.size() + place), view);
  for (auto [argument, view] :
       llvm::zip_equal(body.getArguments().take_back(constants.size()), constants))
    setView(argument, view);
  if (failed(visitBlock(body)))
    return failure();
  llvm::SmallVector<View> stacked;
  for (auto [state, next] : llvm::zip_equal(states, op.getNext()))
    state->inputs.push_back(viewOf(next));
  for (mlir::Value value : op.getStacked())
    stacked.push_back(viewOf(value));
  lead = 0;
  for (size_t at = first; at < program.values.size(); ++at)
    forEachAccess(program.values[at], [&](const Access &access) {
      if (access.from->loop == number)
        program.values[at].loop = number;
    });
  for (auto [place, state] : llvm::enumerate(states)) {
    mlir::Value result = op.getResult(place);
    Value *last = create(ValueKind::Final, op, result);
    Access access{state, {turn}, {}};
    for (unsigned i = 0; i < last->shape.size(); ++i)
      access.at.push_back(program.getIndex(i));
    last->inputs.push_back(std::move(access));
    define(result, last);
    state->name = last->name = last->isNamed ? last->name : "state";
  }
  for (auto [place, view] : llvm::enumerate(stacked)) {
    mlir::Value result = op.getResult(states.size() + place);
    if (view.from->loop < 0) {
      setView(result, view);
      continue;
    }
    // A fresh tensor, laid out by rows: what an operator is that moves elements.
    Value *all = create(ValueKind::Select, op, result);
    all->name = view.from->name;
    all->isNamed = view.from->isNamed;
    all->cases.push_back({index::truth(context, true), view});
    define(result, all);
  }
  return success();
}

LogicalResult Builder::visit(Operation &op) {
  if (auto composite = dyn_cast<graph::CompositeOp>(op))
    return visitComposite(composite);
  if (auto loop = dyn_cast<graph::LoopOp>(op))
    return visitLoop(loop);
  if (isa<graph::CheckOp>(op))
    return success();
  if (auto assign = dyn_cast<graph::AssignOp>(op)) {
    auto target = dyn_cast<BlockArgument>(assign.getTarget());
    if (!target)
      return op.emitOpError("assigns to something that is no argument of the program");
    program.results.push_back(
        {materialize(assign.getValue(), op.getLoc()), int(target.getArgNumber())});
    return success();
  }
  // A cast up from storage belongs to whoever reads it; every other operator is a unit of its own,
  // with the elidable cast of its result.
  auto cast = dyn_cast<graph::CastOp>(op);
  if (!inComposite && !(cast && cast.getElidable()))
    ++unit;
  if (isa<graph::BroadcastOp, graph::TransposeOp, graph::ReshapeOp, graph::SliceOp, graph::FlipOp,
          graph::WindowOp>(op))
    return visitView(op);
  if (auto copy = dyn_cast<graph::ContiguousOp>(op)) {
    View view = viewOf(copy.getInput());
    view.isCopied = true;
    nameAfter(view, op.getLoc());
    setView(copy.getResult(), std::move(view));
    return success();
  }
  if (isa<graph::ConstantOp>(op)) {
    define(op.getResult(0), create(ValueKind::Constant, &op, op.getResult(0)));
    return success();
  }
  if (auto size = dyn_cast<graph::SizeOp>(op)) {
    Value *value = create(ValueKind::Size, &op, size.getResult());
    value->size = program.divided.inward(size.getExpr().getExpr());
    define(size.getResult(), value);
    return success();
  }
  if (auto iota = dyn_cast<graph::IotaOp>(op)) {
    Value *value = create(ValueKind::Iota, &op, iota.getResult());
    value->dim = iota.getDim() + lead;
    define(iota.getResult(), value);
    return success();
  }
  if (auto random = dyn_cast<graph::RandomOp>(op)) {
    Value *value = create(ValueKind::Random, &op, random.getResult());
    value->inputs.push_back(viewOf(random.getSeed()));
    define(random.getResult(), value);
    return success();
  }
  if (auto fold = dyn_cast<graph::FoldOp>(op))
    return visitFold(fold);
  if (auto scan = dyn_cast<graph::ScanOp>(op)) {
    Value *value = create(ValueKind::Scan, &op, scan.getResult());
    value->dim = scan.getDim() + lead;
    value->inputs.push_back(viewOf(scan.getInput()));
    define(scan.getResult(), value);
    return success();
  }
  if (auto pad = dyn_cast<graph::PadOp>(op)) {
    visitPad(pad);
    return success();
  }
  if (auto concat = dyn_cast<graph::ConcatOp>(op))
    return visitConcat(concat);
  if (auto gather = dyn_cast<graph::GatherOp>(op))
    return visitGather(gather);
  if (auto sort = dyn_cast<graph::SortOp>(op))
    return visitSort(sort);
  if (lead && isa<graph::SegmentOp, graph::ScatterOp>(op))
    return op.emitOpError("stands in a loop, where it cannot be scheduled yet");
  if (auto segment = dyn_cast<graph::SegmentOp>(op)) {
    visitSegment(segment);
    return success();
  }
  if (auto scatter = dyn_cast<graph::ScatterOp>(op)) {
    visitScatter(scatter);
    return success();
  }
  if (auto search = dyn_cast<graph::SearchOp>(op)) {
    visitSearch(search);
    return success();
  }
  if (op.getNumResults() == 1 && op.getNumRegions() == 0 &&
      op.getDialect()->getNamespace() == "graph" && !isa<graph::DetachOp>(op)) {
    visitMap(op);
    return success();
  }
  return op.emitOpError("cannot be scheduled yet");
}

LogicalResult Builder::visitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(visit(op)))
      return failure();
  return success();
}

/// A view that the user named gives its name to what it views, unless that has one.
void Builder::nameAfter(const View &view, Location loc) {
  std::string name = nameOf(loc, "");
  if (name.empty() || view.from->isFree() || view.from->isNamed)
    return;
  view.from->name = name;
  view.from->isNamed = true;
}

Value *Builder::materialize(mlir::Value tensor, Location loc) {
  View view = viewOf(tensor);
  bool whole = view.loaded.empty() && view.from->shape.size() == view.at.size() &&
               llvm::equal(view.at, identity(view.at.size())) &&
               llvm::equal(view.from->shape, sizesOf(tensor));
  // A sort lies in the memory of its kernels.
  if (whole && !view.from->isFree() && view.from->kind != ValueKind::Sort)
    return view.from;
  ++unit;
  return copyOf(tensor, loc, nameOf(loc, "copy"));
}

Value *Builder::copyOf(mlir::Value tensor, Location loc, llvm::StringRef name) {
  View view = viewOf(tensor);
  Value &copy =
      program.values.emplace_back(ValueKind::Map, name.str(), loc, view.from->elementType);
  copy.shape = sizesOf(tensor);
  copy.inputs.push_back(view);
  copy.unit = unit;
  copy.order = program.values.size();
  return &copy;
}

/// What is returned is computed. But a gradient that is a view of an argument stays one, as in
/// PyTorch: the engine takes gradients as they are, and nothing is copied.
void Builder::visitResults(Operation *terminator) {
  bool keepsViews = program.func->hasAttr("graph.gradient_of");
  for (auto [place, result] : llvm::enumerate(terminator->getOperands())) {
    View view = viewOf(result);
    llvm::SmallVector<Expr, 4> sizes = sizesOf(result), strides;
    for (unsigned dim = 0; dim < view.from->shape.size(); ++dim)
      strides.push_back(context.symbol("$s" + std::to_string(dim)));
    if (keepsViews && asViewOfArgument(view, sizes.size(), strides, program))
      program.views.push_back({unsigned(place), view, sizes, terminator->getLoc()});
    else
      program.results.push_back({materialize(result, terminator->getLoc()), -1});
  }
}

/// Simplifies the coordinates of a value's accesses by what its indices are: at least 0 and within
/// their extents.
void Builder::simplify(Value &value) {
  index::Facts facts(context);
  for (auto [dim, extent] : llvm::enumerate(value.shape))
    boundIndex(facts, program.getIndex(dim), extent);
  for (auto [dim, extent] : llvm::enumerate(value.foldExtents))
    boundIndex(facts, program.getFoldIndex(dim), extent);
  std::function<void(Access &)> visit = [&](Access &access) {
    for (Expr &coordinate : access.at)
      coordinate = facts.simplify(coordinate);
    for (LoadedIndex &loaded : access.loaded)
      visit(loaded.access);
  };
  for (Access &access : value.inputs)
    visit(access);
  for (Case &alternative : value.cases)
    visit(alternative.access);
}

LogicalResult Builder::run(func::FuncOp func) {
  program.func = func;
  if (!func.getBody().hasOneBlock())
    return func.emitOpError("has more than one block");
  learnSizes(func);
  for (BlockArgument argument : func.getArguments()) {
    Value *value = createArgument(argument);
    program.arguments.push_back(value);
    define(argument, value);
  }
  if (auto hints = func->getAttrOfType<DictionaryAttr>("graph.hints"))
    for (NamedAttribute hint : hints)
      if (auto number = dyn_cast<IntegerAttr>(hint.getValue()))
        program.hints[context.symbol(hint.getName().getValue())] = number.getInt();
  program.divided.forEach([&](Expr size, Expr quotient, int64_t divisor) {
    program.hints[quotient] = program.estimate(size) / divisor;
  });
  Block &body = func.getBody().front();
  if (failed(visitBlock(body)))
    return failure();
  visitResults(body.getTerminator());
  for (Value &value : program.values)
    simplify(value);
  for (auto [number, result] : llvm::enumerate(program.results))
    if (!result.value->isNamed)
      result.value->name = program.results.size() == 1 ? "out" : "out" + std::to_string(number);
  return success();
}

LogicalResult buildProgram(func::FuncOp func, Program &program) {
  program.context = &func.getContext()->getOrLoadDialect<sym::SymDialect>()->getIndexContext();
  return Builder(program).run(func);
}

} // namespace nereid::schedule
