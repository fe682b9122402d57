// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of a graph program: its arguments, sizes and results, and who visits which operator.
#include "schedule/program/Locations.h"
#include "schedule/program/ProgramBuilder.h"

#include "graph/PlannedSizes.h"
#include "index/Facts.h"
#include "schedule/program/AxisCuts.h"
#include "schedule/program/EqualValues.h"
#include "schedule/program/IndexMap.h"
#include "schedule/program/IndexValues.h"
#include "schedule/program/RepeatedFolds.h"
#include "schedule/program/ResultLayout.h"
#include "schedule/program/ReversedScans.h"
#include "sym/SymDialect.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::schedule {

std::string ProgramBuilder::nameOf(Location loc, llvm::StringRef fallback) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().str();
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (auto name = dyn_cast<NameLoc>(part))
        return name.getName().str();
  return fallback.str();
}

llvm::SmallVector<Expr, 4> ProgramBuilder::identity(unsigned rank) {
  llvm::SmallVector<Expr, 4> at;
  for (unsigned i = 0; i < rank; ++i)
    at.push_back(program.getIndex(i));
  return at;
}

llvm::SmallVector<Expr, 4> ProgramBuilder::sizesOf(mlir::Value tensor) {
  llvm::SmallVector<Expr, 4> sizes;
  if (lead)
    sizes.push_back(turns);
  for (Expr size : typeOf(tensor).getSizes())
    sizes.push_back(program.sizeForms.inward(size));
  return sizes;
}

/// Takes the program's conditions on its sizes, before any size is read.
void ProgramBuilder::learnSizes(func::FuncOp func) {
  func.walk([&](graph::CheckOp check) {
    program.checks.emplace_back(check.getPred().getPred(), check.getMessage().str());
  });
  llvm::SmallVector<std::pair<Pred, std::string>> besides;
  for (StringRef name : {"graph.when", "graph.assumed"}) {
    auto when = func->getAttrOfType<sym::PredAttr>(name);
    if (Pred more = when ? program.sizeForms.learn(when.getPred()) : Pred())
      besides.emplace_back(more, "a size is no multiple of what divides it");
  }
  for (auto &[pred, message] : program.checks)
    if (Pred more = program.sizeForms.learn(pred))
      besides.emplace_back(more, message);
  for (auto &check : besides)
    if (!llvm::is_contained(program.checks, check))
      program.checks.push_back(std::move(check));
  llvm::SmallVector<Expr> sizes;
  auto addSizes = [&](Type type) {
    if (auto tensor = dyn_cast<graph::TensorType>(type))
      llvm::append_range(sizes, tensor.getSizes());
  };
  llvm::for_each(func.getArgumentTypes(), addSizes);
  func.walk([&](Operation *op) { llvm::for_each(op->getResultTypes(), addSizes); });
  program.sizeForms.solve(sizes);
  for (Expr size : sizes)
    program.sizeForms.nameSum(size);
  program.sizeFacts.emplace(context);
  for (auto &[pred, message] : program.checks) {
    if (pred.getKind() != index::PredKind::NonNegative)
      continue;
    Pred own = program.sizeForms.inward(pred);
    // A statement that always holds has no sizes.
    if (own.getKind() != index::PredKind::NonNegative)
      continue;
    llvm::ArrayRef<Expr> symbols = index::collectSymbols(own.getExpr());
    if (symbols.size() == 1) {
      program.sizeFacts->assume(own);
      program.boundedSizes.insert(symbols.front());
    }
  }
}

Value *ProgramBuilder::create(ValueKind kind, Operation *op, mlir::Value result) {
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

Value *ProgramBuilder::createArgument(BlockArgument argument) {
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

/// Whether a type has every number of another, so that the way there and back changes nothing.
static bool holdsAllOf(Type wide, Type narrow) {
  auto from = dyn_cast<FloatType>(narrow), to = dyn_cast<FloatType>(wide);
  if (from && to)
    return llvm::APFloat::isRepresentableBy(from.getFloatSemantics(), to.getFloatSemantics());
  return wide.isInteger() && narrow.isInteger() &&
         wide.isUnsignedInteger() == narrow.isUnsignedInteger() && !narrow.isInteger(1) &&
         wide.getIntOrFloatBitWidth() >= narrow.getIntOrFloatBitWidth();
}

/// A cast back to the type that a cast came from is the value itself: what is only moved around is
/// no arithmetic, and a gradient that is a view of an argument is seen to be one.
bool ProgramBuilder::undoesCast(Operation &op) {
  if (!isa<graph::CastOp>(op))
    return false;
  Access view = viewOf(op.getOperand(0));
  if (!view.from->isCast() || view.isCopied || !view.loaded.empty())
    return false;
  const Access &inner = view.from->inputs[0];
  Type original = inner.from->elementType;
  if (original != typeOf(op.getResult(0)).getElementType() ||
      !holdsAllOf(view.from->elementType, original))
    return false;
  setView(op.getResult(0), compose(inner, view.at, program));
  nameAfter(views[op.getResult(0)], op.getLoc());
  return true;
}

/// An index that is made of positions and sizes is no data: where it lies within its axis, nothing
/// is left to check.
bool ProgramBuilder::isInsideAnyway(Operation &op) {
  auto check = dyn_cast<graph::CheckIndexOp>(op);
  std::optional<Expr> place, size;
  if (!check || !(place = asIndexExpr(viewOf(check.getIndex()), program)) ||
      !(size = asIndexExpr(viewOf(check.getSize()), program)))
    return false;
  index::Facts facts(context);
  for (auto [dim, extent] : llvm::enumerate(sizesOf(check.getResult())))
    boundIndex(facts, program.getIndex(dim), extent);
  for (auto &[held, message] : program.checks)
    facts.assume(program.sizeForms.inward(held));
  if (!facts.simplify(index::ge(*place, 0) & index::lt(*place, *size)).isTrue())
    return false;
  setView(check.getResult(), viewOf(check.getIndex()));
  return true;
}

/// An integer that 0 is added to, or that is multiplied or divided by 1: strides and paddings
/// mostly are such numbers.
bool ProgramBuilder::changesNothing(Operation &op) {
  if (!isa<graph::AddOp, graph::SubOp, graph::MulOp, graph::FloordivOp, graph::TruncdivOp>(op) ||
      !isa<IntegerType>(typeOf(op.getResult(0)).getElementType()))
    return false;
  bool isSum = isa<graph::AddOp, graph::SubOp>(op);
  auto isNeutral = [&](mlir::Value operand) {
    const Value &from = *viewOf(operand).from;
    auto constant = dyn_cast_or_null<graph::ConstantOp>(from.op);
    auto number = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : nullptr;
    return number && number.getValue() == (isSum ? 0 : 1);
  };
  bool isSecond = isNeutral(op.getOperand(1));
  if (!isSecond && !(isa<graph::AddOp, graph::MulOp>(op) && isNeutral(op.getOperand(0))))
    return false;
  Access view = viewOf(op.getOperand(isSecond ? 0 : 1));
  if (view.from->elementType != typeOf(op.getResult(0)).getElementType())
    return false;
  view.isCopied = true;
  setView(op.getResult(0), view);
  nameAfter(view, op.getLoc());
  return true;
}

void ProgramBuilder::visitMap(Operation &op) {
  if (undoesCast(op) || isInsideAnyway(op) || changesNothing(op))
    return;
  Value *value = create(ValueKind::Map, &op, op.getResult(0));
  for (mlir::Value operand : op.getOperands())
    value->inputs.push_back(viewOf(operand));
  define(op.getResult(0), value);
}

LogicalResult ProgramBuilder::visitComposite(graph::CompositeOp op) {
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
    Access view = viewOf(value);
    setView(result, view);
    // The user's word for the composite's result is better than the body's; one word says nothing
    // of several gradients, each of which has its own.
    if (op.getNumResults() > 1 && program.func->hasAttr("graph.gradient_of"))
      continue;
    view.from->isNamed &= view.from->isFree();
    nameAfter(view, op.getLoc());
  }
  return success();
}

LogicalResult ProgramBuilder::visit(Operation &op) {
  if (auto composite = dyn_cast<graph::CompositeOp>(op))
    return visitComposite(composite);
  if (auto loop = dyn_cast<graph::LoopOp>(op))
    return visitLoop(loop);
  if (isa<graph::CheckOp>(op))
    return success();
  if (auto assign = dyn_cast<graph::AssignOp>(op))
    return visitAssign(assign);
  // A cast up from storage belongs to whoever reads it; every other operator is a unit of its own,
  // with the elidable cast of its result.
  auto cast = dyn_cast<graph::CastOp>(op);
  if (!inComposite && !(cast && cast.getElidable()))
    ++unit;
  if (lead && isa<graph::SegmentOp, graph::RunsOp, graph::ScatterOp>(op))
    return op.emitOpError("stands in a loop, where it cannot be scheduled yet");
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<graph::BroadcastOp, graph::TransposeOp, graph::ReshapeOp, graph::SliceOp, graph::FlipOp,
            graph::WindowOp>([&](auto) { return visitView(op); })
      .Case([&](graph::SortOp sort) { return visitSort(sort); })
      .Case([&](graph::CallOp call) { return visitCall(call); })
      .Case([&](graph::ApplyOp apply) { return visitApply(apply); })
      .Case<graph::ContiguousOp, graph::FoldOp, graph::ScanOp, graph::PadOp, graph::ConcatOp,
            graph::GatherOp, graph::SegmentOp, graph::RunsOp, graph::ScatterOp, graph::SearchOp,
            graph::SizeOp, graph::IotaOp, graph::RandomOp, graph::ConstantOp>([&](auto known) {
        visit(known);
        return success();
      })
      .Default([&](Operation *) {
        bool isMap = op.getNumResults() == 1 && op.getNumRegions() == 0 &&
                     op.getDialect()->getNamespace() == "graph" && !isa<graph::DetachOp>(op);
        if (!isMap)
          return LogicalResult(op.emitOpError("cannot be scheduled yet"));
        visitMap(op);
        return success();
      });
}

LogicalResult ProgramBuilder::visitAssign(graph::AssignOp op) {
  auto target = dyn_cast<BlockArgument>(op.getTarget());
  if (!target)
    return op.emitOpError("assigns to something that is no argument of the program");
  const Value &argument = *program.arguments[target.getArgNumber()];
  WrittenPart part = findWritten(op.getValue(), argument);
  bool isWhole = part.value == op.getValue();
  Value *value = materialize(part.value, op.getLoc());
  // What is written to two places is two tensors.
  bool isWritten =
      llvm::any_of(program.results, [&](const Result &result) { return result.value == value; });
  if (isWritten && program.func->hasAttr("graph.function"))
    value = copyOf(part.value, op.getLoc(), value->name);
  program.results.push_back(
      {value, int(target.getArgNumber()), isWhole ? llvm::SmallVector<Expr, 4>() : part.starts});
  return success();
}

/// A write to slices joins what is written with the argument's own elements around it.
ProgramBuilder::WrittenPart ProgramBuilder::findWritten(mlir::Value assigned,
                                                        const Value &argument) {
  WrittenPart part{assigned, {}};
  part.starts.assign(argument.shape.size(), context.constant(0));
  auto isOwn = [&](mlir::Value tensor, llvm::ArrayRef<Expr> starts) {
    Access view = viewOf(tensor);
    if (view.from != &argument || !view.loaded.empty())
      return false;
    for (auto [dim, start] : llvm::enumerate(starts))
      if (view.at[dim] != program.getIndex(dim) + start)
        return false;
    return true;
  };
  while (true) {
    auto reshape = part.value.getDefiningOp<graph::ReshapeOp>();
    if (reshape && llvm::equal(sizesOf(reshape.getInput()), sizesOf(part.value))) {
      part.value = reshape.getInput();
      continue;
    }
    auto concat = part.value.getDefiningOp<graph::ConcatOp>();
    if (!concat)
      return part;
    WrittenPart next{nullptr, part.starts};
    llvm::SmallVector<Expr, 4> starts = part.starts;
    unsigned written = 0;
    for (mlir::Value input : concat.getInputs()) {
      if (!isOwn(input, starts)) {
        next = {input, starts};
        ++written;
      }
      Expr &start = starts[concat.getDim()];
      start = start + sizesOf(input)[concat.getDim()];
    }
    if (written != 1)
      return part;
    part = next;
  }
}

void ProgramBuilder::visit(graph::ConstantOp op) {
  define(op.getResult(), create(ValueKind::Constant, op, op.getResult()));
}

void ProgramBuilder::visit(graph::SizeOp op) {
  Value *value = create(ValueKind::Size, op, op.getResult());
  value->size = program.sizeForms.inward(op.getExpr().getExpr());
  define(op.getResult(), value);
}

void ProgramBuilder::visit(graph::IotaOp op) {
  Value *value = create(ValueKind::Iota, op, op.getResult());
  value->dim = op.getDim() + lead;
  define(op.getResult(), value);
}

void ProgramBuilder::visit(graph::RandomOp op) {
  Value *value = create(ValueKind::Random, op, op.getResult());
  value->inputs.push_back(viewOf(op.getSeed()));
  define(op.getResult(), value);
}

LogicalResult ProgramBuilder::visitBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (failed(visit(op)))
      return failure();
    // What every tile of a product would make again.
    if (op.hasAttr("graph.stored"))
      viewOf(op.getResult(0)).from->isNeverInlined = true;
  }
  return success();
}

Value *ProgramBuilder::resultOf(mlir::Value tensor, unsigned place, Location loc) {
  Value *value = materialize(tensor, loc);
  bool isReturned = llvm::any_of(program.results, [&](const Result &result) {
    return result.value == value && result.assignedArgument < 0;
  });
  bool isApart = program.func.getResultAttr(place, "graph.saved") ||
                 program.func.getResultAttr(place, "graph.copied");
  return isReturned && isApart ? copyOf(tensor, loc, nameOf(loc, "copy")) : value;
}

/// `grad_x` for the gradient of an argument `x`; empty for what is none.
std::string ProgramBuilder::gradientName(unsigned place) const {
  func::FuncOp func = program.func;
  auto forward = func->getAttrOfType<FlatSymbolRefAttr>("graph.gradient_of");
  auto argument = func.getResultAttrOfType<IntegerAttr>(place, "graph.gradient");
  if (!forward || !argument)
    return "";
  auto owner = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(func, forward);
  auto name =
      owner ? owner.getArgAttrOfType<StringAttr>(argument.getInt(), "graph.name") : StringAttr();
  return name ? "grad_" + name.getValue().str() : "";
}

/// What the backward program calls a result that exists to be saved; empty for another.
std::string ProgramBuilder::savedName(unsigned place) const {
  func::FuncOp func = program.func;
  auto name = func->getAttrOfType<FlatSymbolRefAttr>("graph.backward");
  auto list = func->getAttrOfType<ArrayAttr>("graph.saved");
  if (!name || !list || !func.getResultAttr(place, "graph.saved"))
    return "";
  auto backward = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(func, name);
  for (unsigned number = 0; backward && number < backward.getNumArguments(); ++number) {
    auto saved = backward.getArgAttrOfType<IntegerAttr>(number, "graph.saved");
    auto entry = saved ? cast<DictionaryAttr>(list[saved.getInt()]) : DictionaryAttr();
    auto result = entry ? entry.getAs<IntegerAttr>("result") : IntegerAttr();
    if (result && result.getInt() == place)
      return backward.getArgAttrOfType<StringAttr>(number, "graph.name").str();
  }
  return "";
}

/// What is returned is computed. But a gradient that is a view of an argument stays one, as in
/// PyTorch: the engine takes gradients as they are, and nothing is copied. What is saved besides
/// has memory of its own: PyTorch marks it as without a gradient.
void ProgramBuilder::visitResults(Operation *terminator) {
  bool keepsViews =
      program.func->hasAttr("graph.gradient_of") && !program.func->hasAttr("graph.function");
  for (auto [place, result] : llvm::enumerate(terminator->getOperands())) {
    Access view = viewOf(result);
    llvm::SmallVector<Expr, 4> sizes = sizesOf(result), strides;
    for (unsigned dim = 0; dim < view.from->shape.size(); ++dim)
      strides.push_back(context.symbol("$s" + std::to_string(dim)));
    if (keepsViews && asViewOfArgument(view, sizes.size(), strides, program)) {
      program.views.push_back({unsigned(place), view, sizes, terminator->getLoc()});
      continue;
    }
    Value *value = resultOf(result, place, terminator->getLoc());
    if (std::string name = gradientName(place); !name.empty() && !value->isNamed) {
      value->name = name;
      value->isNamed = true;
    }
    if (std::string name = savedName(place); !name.empty()) {
      value->name = name;
      value->isNamed = true;
    }
    program.results.push_back({value, -1});
  }
}

/// Simplifies the coordinates of a value's accesses by what its indices are: at least 0 and within
/// their extents.
void ProgramBuilder::simplify(Value &value) {
  // What PyTorch is given is seen over indices of its own.
  if (value.kind == ValueKind::Call)
    return;
  index::Facts facts(context);
  // A scatter is read at the places of its updates, not of its result.
  bool scatters = value.kind == ValueKind::Scatter;
  for (auto [dim, extent] : llvm::enumerate(scatters ? value.updateShape : value.shape))
    boundIndex(facts, program.getIndex(dim), extent);
  for (auto [dim, extent] : llvm::enumerate(value.foldExtents))
    boundIndex(facts, program.getFoldIndex(dim), extent);
  forEachAccess(value, [&](Access &access) {
    for (Expr &coordinate : access.at)
      coordinate = facts.simplify(coordinate);
  });
}

LogicalResult ProgramBuilder::run(func::FuncOp func) {
  program.func = func;
  // A function that was a loop or a block of lines has the name of what it made.
  func->setLoc(plainLoc(func.getLoc()));
  if (!func.getBody().hasOneBlock())
    return func.emitOpError("has more than one block");
  learnSizes(func);
  if (auto turn = func->getAttrOfType<StringAttr>("graph.turn"))
    program.turn = context.symbol(turn.getValue());
  for (BlockArgument argument : func.getArguments()) {
    Value *value = createArgument(argument);
    program.arguments.push_back(value);
    define(argument, value);
  }
  if (DictionaryAttr planned = graph::getPlannedSizes(func))
    for (NamedAttribute size : planned)
      if (auto number = dyn_cast<IntegerAttr>(size.getValue()))
        program.planned[context.symbol(size.getName().getValue())] = number.getInt();
  program.sizeForms.forEach([&](Expr size, Expr quotient, int64_t divisor) {
    program.planned[quotient] = program.estimate(size) / divisor;
  });
  for (auto [sum, name] : program.sizeForms.getSums())
    program.planned[name] = program.estimate(sum);
  Block &body = func.getBody().front();
  if (failed(visitBlock(body)))
    return failure();
  visitResults(body.getTerminator());
  if (program.policy.allows(MoveKind::ScansInRows))
    reverseScans(program);
  for (Value &value : program.values)
    simplify(value);
  // An operator of its own has kernels of its own where nothing is fused.
  if (program.policy.has(MoveKind::Fusion)) {
    dropRepeatedAxes(program);
    joinEqualValues(program);
  }
  unsigned own = program.results.size();
  for (unsigned place = 0; place < func.getNumResults(); ++place)
    own -= bool(func.getResultAttr(place, "graph.saved"));
  for (auto [number, result] : llvm::enumerate(program.results))
    if (!result.value->isNamed)
      result.value->name = own == 1 ? "out" : "out" + std::to_string(number);
  return success();
}

LogicalResult buildProgram(func::FuncOp func, Program &program) {
  program.context = &func.getContext()->getOrLoadDialect<sym::SymDialect>()->getIndexContext();
  return ProgramBuilder(program).run(func);
}

} // namespace nereid::schedule
