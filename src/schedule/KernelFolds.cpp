// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds and scans of a kernel, over resident tiles or in loops with accumulators.
#include "schedule/KernelScope.h"

#include "graph/GraphOps.h"
#include "schedule/IndexMap.h"
#include "schedule/NanFlow.h"
#include "schedule/OnlineFolds.h"
#include "schedule/Pointwise.h"
#include "tile/Combiner.h"

#include <cmath>

using namespace mlir;

namespace nereid::schedule {

namespace {

graph::FoldKind kindOf(const Value &value) {
  if (auto fold = dyn_cast<graph::FoldOp>(value.op))
    return fold.getKind();
  return cast<graph::ScanOp>(value.op).getKind();
}

bool isArg(graph::FoldKind kind) {
  return kind == graph::FoldKind::Argmax || kind == graph::FoldKind::Argmin;
}

/// In the range of the elements, which a load's padding must have; also where they accumulate in a
/// wider type.
double neutralOf(graph::FoldKind kind, Type element) {
  if (element.isInteger(1) && (kind == graph::FoldKind::Max || kind == graph::FoldKind::Min))
    return kind == graph::FoldKind::Max ? 0 : 1;
  bool isFloat = isa<FloatType>(element);
  unsigned width = element.getIntOrFloatBitWidth();
  double least = isFloat                       ? -INFINITY
                 : element.isUnsignedInteger() ? 0
                                               : -std::ldexp(1.0, width - 1);
  double greatest = isFloat                       ? INFINITY
                    : element.isUnsignedInteger() ? std::ldexp(1.0, width) - 1
                                                  : std::ldexp(1.0, width - 1) - 1;
  switch (kind) {
  case graph::FoldKind::Sum:
  case graph::FoldKind::Any:
    return 0;
  case graph::FoldKind::Prod:
  case graph::FoldKind::All:
    return 1;
  case graph::FoldKind::Max:
  case graph::FoldKind::Argmax:
    return least;
  case graph::FoldKind::Min:
  case graph::FoldKind::Argmin:
    return greatest;
  }
  llvm_unreachable("every kind is handled");
}

/// The combiner of a fold (not arg*) on accumulators of a type. Bools count as 0 and 1.
tile::Combiner combinerOf(graph::FoldKind kind, Type element, bool dropNan = false) {
  bool isFloat = isa<FloatType>(element), isUnsigned = element.isUnsignedInteger();
  switch (kind) {
  case graph::FoldKind::Sum:
    return tile::Combiner::Sum;
  case graph::FoldKind::Prod:
    return tile::Combiner::Prod;
  case graph::FoldKind::Max:
  case graph::FoldKind::Any:
    return isFloat && dropNan ? tile::Combiner::MaxNum
           : isFloat          ? tile::Combiner::Max
           : isUnsigned       ? tile::Combiner::UMax
                              : tile::Combiner::SMax;
  case graph::FoldKind::Min:
  case graph::FoldKind::All:
    return isFloat && dropNan ? tile::Combiner::MinNum
           : isFloat          ? tile::Combiner::Min
           : isUnsigned       ? tile::Combiner::UMin
                              : tile::Combiner::SMin;
  default:
    llvm_unreachable("arg folds have a combiner of their own");
  }
}

mlir::Value combine(OpBuilder &builder, graph::FoldKind kind, Type element, mlir::Value a,
                    mlir::Value b, Location loc, bool dropNan = false) {
  switch (combinerOf(kind, element, dropNan)) {
  case tile::Combiner::Sum:
    if (isa<FloatType>(element))
      return arith::AddFOp::create(builder, loc, a, b);
    return arith::AddIOp::create(builder, loc, a, b);
  case tile::Combiner::Prod:
    if (isa<FloatType>(element))
      return arith::MulFOp::create(builder, loc, a, b);
    return arith::MulIOp::create(builder, loc, a, b);
  case tile::Combiner::Max:
    return arith::MaximumFOp::create(builder, loc, a, b);
  case tile::Combiner::MaxNum:
    return arith::MaxNumFOp::create(builder, loc, a, b);
  case tile::Combiner::MinNum:
    return arith::MinNumFOp::create(builder, loc, a, b);
  case tile::Combiner::Min:
    return arith::MinimumFOp::create(builder, loc, a, b);
  case tile::Combiner::SMax:
    return arith::MaxSIOp::create(builder, loc, a, b);
  case tile::Combiner::SMin:
    return arith::MinSIOp::create(builder, loc, a, b);
  case tile::Combiner::UMax:
    return arith::MaxUIOp::create(builder, loc, a, b);
  case tile::Combiner::UMin:
    return arith::MinUIOp::create(builder, loc, a, b);
  default:
    llvm_unreachable("combinerOf gives no others");
  }
}

/// Whether (a, i) wins over (b, j): greater (less), a NaN counting as greatest (least), the smaller
/// index on a tie.
mlir::Value argWins(OpBuilder &builder, graph::FoldKind kind, Type element, mlir::Value a,
                    mlir::Value i, mlir::Value b, mlir::Value j, Location loc) {
  bool max = kind == graph::FoldKind::Argmax;
  auto smaller = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, i, j);
  mlir::Value better, equal;
  if (isa<FloatType>(element)) {
    auto compare = [&](arith::CmpFPredicate predicate, mlir::Value x,
                       mlir::Value y) -> mlir::Value {
      return arith::CmpFOp::create(builder, loc, predicate, x, y);
    };
    mlir::Value aNan = compare(arith::CmpFPredicate::UNE, a, a),
                bNan = compare(arith::CmpFPredicate::UNE, b, b);
    mlir::Value ahead = compare(max ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, a, b);
    mlir::Value bothNan = arith::AndIOp::create(builder, loc, aNan, bNan);
    // A NaN wins over a number; `aNan > bNan` as bits.
    mlir::Value nanAhead =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, aNan, bNan);
    better = arith::OrIOp::create(builder, loc, ahead, nanAhead);
    equal = arith::OrIOp::create(builder, loc, compare(arith::CmpFPredicate::OEQ, a, b), bothNan);
  } else {
    bool isUnsigned = element.isUnsignedInteger();
    auto predicate = max ? (isUnsigned ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt)
                         : (isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt);
    better = arith::CmpIOp::create(builder, loc, predicate, a, b);
    equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
  }
  mlir::Value tie = arith::AndIOp::create(builder, loc, equal, smaller);
  return arith::OrIOp::create(builder, loc, better, tie);
}

} // namespace

/// Finds the folds that a value needs in a kernel.
class KernelBuilder::FoldFinder : public RequestVisitor {
public:
  FoldFinder(KernelBuilder &kernel) : kernel(kernel) {}
  std::optional<llvm::SmallVector<Expr, 4>> fold(const Value &value,
                                                 llvm::ArrayRef<Expr> at) override {
    if (value.kind == ValueKind::Fold)
      found.push_back({&value, {at.begin(), at.end()}, 0, 0, {}});
    return kernel.kernel.columns[kernel.columnsOf(value)].symbols;
  }
  std::vector<FoldRequest> found;

private:
  KernelBuilder &kernel;
};

/// The folds without whose results another cannot be made.
llvm::SmallVector<const Value *> KernelBuilder::foldsNeeded(const Value &value) {
  FoldFinder finder(*this);
  llvm::SmallVector<Expr, 4> at;
  for (unsigned i = 0; i < value.shape.size(); ++i)
    at.push_back(program.getIndex(i));
  (void)walkRequests(program, stored, computed, value, at, finder);
  llvm::SmallVector<const Value *> needed;
  for (const FoldRequest &request : finder.found)
    if (request.value != &value && !llvm::is_contained(needed, request.value))
      needed.push_back(request.value);
  return needed;
}

void KernelBuilder::findFolds() {
  FoldFinder finder(*this);
  for (const KernelOutput &output : kernel.outputs)
    (void)walkRequests(program, stored, computed, *output.value, output.at, finder);

  llvm::DenseMap<const Value *, unsigned> depths;
  std::function<unsigned(const Value &)> depthOf = [&](const Value &value) -> unsigned {
    if (auto known = depths.find(&value); known != depths.end())
      return known->second;
    unsigned depth = 0;
    for (const Value *need : foldsNeeded(value))
      depth = std::max(depth, depthOf(*need) + 1);
    return depths[&value] = depth;
  };
  for (FoldRequest &request : finder.found) {
    request.level = request.depth = depthOf(*request.value);
    bool known = llvm::any_of(folds, [&](const FoldRequest &other) {
      return other.value == request.value && other.at == request.at;
    });
    if (!known)
      folds.push_back(request);
  }
  llvm::stable_sort(folds,
                    [](const FoldRequest &a, const FoldRequest &b) { return a.level < b.level; });
  // A resident row is read once however many folds there are.
  if (!form.resident && (program.choose ? program.choose(2) == 1 : program.joinsLoops))
    joinLoops();
}

unsigned KernelBuilder::columnsOf(const Value &fold) {
  for (auto [number, space] : llvm::enumerate(kernel.columns))
    if (space.isOf(fold))
      return number;
  llvm_unreachable("chooseForm adds the columns of every fold");
}

void KernelBuilder::remember(const FoldRequest &request, TileValue value) {
  Scope::Key key{request.value,
                 {request.at.begin(), request.at.end()},
                 index::truth(context, true).getAsOpaquePointer()};
  root.values[key] = value;
}

/// The elements that a fold combines, in its accumulator's type, neutral beyond the bounds of the
/// columns.
TileValue KernelBuilder::foldInput(const FoldRequest &request, unsigned columns, double neutral) {
  const Value &value = *request.value;
  Location loc = plainLoc(value.loc);
  llvm::ArrayRef<Expr> symbols = kernel.columns[columns].symbols;
  TileValue input;
  if (value.kind == ValueKind::Scan) {
    llvm::SmallVector<Expr, 4> at(request.at.begin(), request.at.end());
    at[value.dim] = symbols[0];
    input = read(value.inputs[0], at, {}, index::truth(context, true), neutral);
  } else {
    input = read(value.inputs[0], request.at, symbols, index::truth(context, true), neutral);
  }
  Type element = value.inputs[0].from->elementType, accumulator = accumulatorType(element);
  unsigned axis = columnAxis(columns);
  input.value = castElements(builder, input.value, element, accumulator, loc);
  bool varies = llvm::is_contained(input.axes, axis);
  if (!varies) {
    llvm::SmallVector<unsigned, 2> along(input.axes);
    along.push_back(axis);
    llvm::sort(along);
    input.value = math.lift(input, along, loc);
    input.axes = along;
    input.pad = std::nullopt;
  }
  if (input.pad != neutral) {
    TileValue fill = math.constant(tile::getSignless(accumulator), neutral, loc);
    input = math.select(axisMasks.at(axis), input, fill, loc);
  }
  return input;
}

void KernelBuilder::answerFolds(llvm::ArrayRef<FoldRequest> group) {
  unsigned columns = columnsOf(*group.front().value);
  InScope in(*this, root);
  if (form.resident)
    answerFoldsResident(group, columns);
  else
    answerFoldsInLoop(group, columns);
}

/// Reduces accumulators along an axis and converts the result to the fold's type.
static TileValue reduceTile(OpBuilder &builder, const Value &value,
                            llvm::ArrayRef<mlir::Value> tiles, llvm::ArrayRef<unsigned> axes,
                            unsigned axis, bool dropNan, Location loc) {
  graph::FoldKind kind = kindOf(value);
  Type accumulator = accumulatorType(value.inputs[0].from->elementType);
  TileValue result;
  unsigned dim = llvm::find(axes, axis) - axes.begin();
  for (unsigned other : axes)
    if (other != axis)
      result.axes.push_back(other);
  llvm::SmallVector<Type> types;
  llvm::SmallVector<Type> elements;
  for (mlir::Value operand : tiles) {
    auto type = cast<RankedTensorType>(operand.getType());
    llvm::SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + dim);
    llvm::SmallVector<llvm::StringRef> names;
    for (unsigned i = 0; i < type.getRank(); ++i)
      if (i != dim)
        names.push_back(tile::getDimName(type, i));
    types.push_back(tile::getTileType(type.getElementType(), shape, names));
    elements.push_back(type.getElementType());
  }
  auto reduce = tile::ReduceOp::create(builder, loc, types, tiles, dim);
  if (!isArg(kind)) {
    tile::buildCombiner(reduce.getCombine(), combinerOf(kind, accumulator, dropNan), elements, loc);
    result.value = castElements(builder, reduce.getResult(0), accumulator, value.elementType, loc);
    return result;
  }
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&reduce.getCombine());
  for (int side = 0; side < 2; ++side)
    for (Type element : elements)
      block->addArgument(element, loc);
  mlir::Value a = block->getArgument(0), i = block->getArgument(1), b = block->getArgument(2),
              j = block->getArgument(3);
  mlir::Value wins = argWins(builder, kind, accumulator, a, i, b, j, loc);
  mlir::Value number = arith::SelectOp::create(builder, loc, wins, a, b);
  mlir::Value index = arith::SelectOp::create(builder, loc, wins, i, j);
  tile::YieldOp::create(builder, loc, ValueRange{number, index});
  builder.setInsertionPointAfter(reduce);
  result.value =
      castElements(builder, reduce.getResult(1), builder.getI32Type(), value.elementType, loc);
  return result;
}

/// The row-major position of an element among those that a fold combines.
static Expr positionOf(const Space &space, index::Context &context) {
  return linearize(space.symbols, space.extents, context);
}

void KernelBuilder::answerFoldsResident(llvm::ArrayRef<FoldRequest> group, unsigned columns) {
  unsigned axis = columnAxis(columns);
  for (const FoldRequest &request : group) {
    const Value &value = *request.value;
    Location loc = resultLoc(value);
    graph::FoldKind kind = kindOf(value);
    TileValue input =
        foldInput(request, columns, neutralOf(kind, value.inputs[0].from->elementType));
    llvm::SmallVector<mlir::Value> tiles = {input.value};
    if (isArg(kind)) {
      TileValue position = number(
          index::substitute(positionOf(kernel.columns[columns], context), form.merged), false, loc);
      tiles.push_back(math.lift(position, input.axes, loc));
    }
    remember(request, reduceTile(builder, value, tiles, input.axes, axis,
                                 mayDropNan(program, value, kernel, stored), loc));
  }
}

/// The position after the last one of the columns.
TileValue KernelBuilder::columnBound(unsigned columns, Location loc) {
  const Space &space = form.columns[columns];
  Expr bound = index::product(context, space.extents);
  if (space.window == 0)
    return number(bound, false, loc);
  Expr end = (space.windowIndex + 1) * space.window;
  return number(index::min(end, bound), false, nameLoc("stop", loc));
}

scf::ForOp KernelBuilder::openLoop(unsigned columns, ValueRange initial, Location loc) {
  unsigned axis = columnAxis(columns);
  const Space &space = form.columns[columns];
  TileValue start = math.integer(0, 32, loc);
  if (space.window != 0)
    start = number(space.windowIndex * space.window, false, loc);
  TileValue bound = columnBound(columns, loc);
  mlir::Value step =
      tile::MetaOp::create(builder, loc, math.axes[axis].block, math.axes[axis].extent);
  auto loop = scf::ForOp::create(builder, loc, start.value, bound.value, step, initial);
  if (!loop.getBody()->empty())
    loop.getBody()->back().erase();
  auto scope = std::make_unique<Scope>();
  scope->parent = current;
  scope->block = loop.getBody();
  current->inner = loop;
  current = scope.get();
  openScopes.push_back(std::move(scope));
  builder.setInsertionPointToEnd(current->block);
  bindColumns(columns, TileValue{loop.getInductionVar(), {}, {}});
  return loop;
}

void KernelBuilder::closeLoop(ValueRange results, Location loc) {
  scf::YieldOp::create(builder, loc, results);
  current = current->parent;
  current->inner = nullptr;
  openScopes.pop_back();
  if (current->inner)
    builder.setInsertionPoint(current->inner);
  else
    builder.setInsertionPointToEnd(current->block);
}

/// The accumulators of a fold before its loop. They are tiles: elements are combined lane by lane,
/// the lanes once at the end, so that no turn waits for a reduction.
void KernelBuilder::initialState(const FoldRequest &request, llvm::ArrayRef<unsigned> along,
                                 llvm::SmallVectorImpl<mlir::Value> &initial) {
  graph::FoldKind kind = kindOf(*request.value);
  Type element = request.value->inputs[0].from->elementType;
  Type accumulator = tile::getSignless(accumulatorType(element));
  Location named = plainLoc(request.value->loc);
  if (request.value->isNamed)
    named = nameLoc(request.value->name + "_acc", named);
  TileValue neutral = math.constant(accumulator, neutralOf(kind, element), named);
  initial.push_back(math.lift(neutral, along, named));
  if (isArg(kind))
    initial.push_back(math.lift(math.integer(0x7fffffff, 32, named), along, named));
}

/// Combines the current turn's elements with what came before.
KernelBuilder::LoopFold KernelBuilder::foldTurn(const FoldRequest &request, unsigned columns,
                                                llvm::ArrayRef<unsigned> along, ValueRange before,
                                                llvm::SmallVectorImpl<mlir::Value> &next) {
  const Value &value = *request.value;
  Location named = plainLoc(value.loc);
  graph::FoldKind kind = kindOf(value);
  Type accumulator = accumulatorType(value.inputs[0].from->elementType);
  TileValue input = foldInput(request, columns, neutralOf(kind, value.inputs[0].from->elementType));
  mlir::Value element = math.lift(input, along, named);
  if (!isArg(kind)) {
    next.push_back(combine(builder, kind, accumulator, before[next.size()], element, named,
                           mayDropNan(program, value, kernel, stored)));
    return {{element, {along.begin(), along.end()}, {}}, before[next.size() - 1], next.back()};
  }
  mlir::Value greatest = before[next.size()], greatestIndex = before[next.size() + 1];
  TileValue position =
      number(index::substitute(positionOf(kernel.columns[columns], context), form.merged), false,
             plainLoc(value.loc));
  mlir::Value index = math.lift(position, along, named);
  mlir::Value wins =
      argWins(builder, kind, accumulator, element, index, greatest, greatestIndex, named);
  next.push_back(arith::SelectOp::create(builder, named, wins, element, greatest));
  next.push_back(arith::SelectOp::create(builder, named, wins, index, greatestIndex));
  return {};
}

void KernelBuilder::answerFoldsInLoop(llvm::ArrayRef<FoldRequest> group, unsigned columns) {
  unsigned axis = columnAxis(columns);
  Location loc = plainLoc(group.front().value->loc);
  llvm::SmallVector<unsigned, 2> along;
  if (form.tiledRows)
    along.push_back(0);
  along.push_back(axis);
  llvm::SmallVector<mlir::Value> initial, next;
  OnlineFolds online(*this, group, columns, along);
  for (const FoldRequest &request : group)
    if (!request.cascade)
      initialState(request, along, initial);
  online.open(initial);
  scf::ForOp loop = openLoop(columns, initial, loc);
  for (const FoldRequest &request : group)
    if (!request.cascade)
      online.follow(request, foldTurn(request, columns, along, loop.getRegionIterArgs(), next));
  online.turn(loop.getRegionIterArgs(), next);
  closeLoop(next, loc);
  unsigned result = 0;
  for (const FoldRequest &request : group) {
    if (request.cascade)
      continue;
    Location named = resultLoc(*request.value);
    llvm::SmallVector<mlir::Value> tiles = {loop.getResult(result++)};
    if (isArg(kindOf(*request.value)))
      tiles.push_back(loop.getResult(result++));
    remember(request, reduceTile(builder, *request.value, tiles, along, axis,
                                 mayDropNan(program, *request.value, kernel, stored), named));
  }
  online.close(loop.getResults());
}

TileValue KernelBuilder::scan(const Value &value, llvm::ArrayRef<Expr> at, Pred guard) {
  Location loc = resultLoc(value);
  unsigned columns = columnsOf(value);
  unsigned axis = columnAxis(columns);
  graph::FoldKind kind = kindOf(value);
  Type accumulator = accumulatorType(value.elementType);
  TileValue input =
      foldInput({&value, {at.begin(), at.end()}, 0}, columns, neutralOf(kind, value.elementType));
  unsigned dim = llvm::find(input.axes, axis) - input.axes.begin();
  auto scan = tile::ScanOp::create(builder, loc, TypeRange{input.value.getType()},
                                   ValueRange{input.value}, dim, false);
  tile::buildCombiner(scan.getCombine(), combinerOf(kind, accumulator),
                      {tile::getElementType(input.value.getType())}, loc);
  return {castElements(builder, scan.getResult(0), accumulator, value.elementType, loc), input.axes,
          std::nullopt};
}

/// A scan in a loop: each block's prefixes are combined with the fold of all blocks before it.
void KernelBuilder::storeScanInLoop(const KernelOutput &output) {
  const Value &value = *output.value;
  Location loc = resultLoc(value);
  unsigned columns = columnsOf(value);
  unsigned axis = columnAxis(columns);
  graph::FoldKind kind = kindOf(value);
  Type accumulator = accumulatorType(value.elementType);
  TileValue initial = math.constant(tile::getSignless(accumulator),
                                    neutralOf(kind, value.elementType), nameLoc("carry", loc));
  scf::ForOp loop = openLoop(columns, {initial.value}, loc);
  mlir::Value carry = loop.getRegionIterArgs()[0];
  TileValue input = foldInput({&value, output.at, 0}, columns, neutralOf(kind, value.elementType));
  unsigned dim = llvm::find(input.axes, axis) - input.axes.begin();
  Type element = tile::getElementType(input.value.getType());
  auto scan = tile::ScanOp::create(builder, loc, TypeRange{input.value.getType()},
                                   ValueRange{input.value}, dim, false);
  tile::buildCombiner(scan.getCombine(), combinerOf(kind, accumulator), {element}, loc);
  mlir::Value before = math.lift({carry, {}, {}}, input.axes, loc);
  TileValue prefixes{combine(builder, kind, accumulator, before, scan.getResult(0), loc),
                     input.axes, std::nullopt};
  prefixes.value = castElements(builder, prefixes.value, accumulator, value.elementType, loc);
  Scope::Key key{&value,
                 {output.at.begin(), output.at.end()},
                 index::truth(context, true).getAsOpaquePointer()};
  current->values[key] = prefixes;
  store(output);
  auto total =
      tile::ReduceOp::create(builder, loc, TypeRange{element}, ValueRange{input.value}, dim);
  tile::buildCombiner(total.getCombine(), combinerOf(kind, accumulator), {element}, loc);
  mlir::Value next =
      combine(builder, kind, accumulator, carry, total.getResult(0), nameLoc("carry", loc));
  closeLoop({next}, loc);
}

} // namespace nereid::schedule
