// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments, loops, paths and symbols; arithmetic and shapes are in files of their own.
#include "analysis/LaneValues.h"

#include "index/Printer.h"
#include "index/Storage.h"
#include "tile/TileOps.h"
#include "tile/TileTypes.h"

using namespace mlir;

namespace nereid::analysis {

index::Range signedRange(Type type) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (width >= 64)
    return index::Range::of(INT64_MIN, INT64_MAX);
  int64_t half = int64_t(1) << (width - 1);
  return index::Range::of(-half, half - 1);
}

LaneValues::LaneValues(func::FuncOp kernel, const LaunchContract &contract,
                       DataArithmetic dataArithmetic)
    : contract(contract), dataArithmetic(dataArithmetic), context(contract.getContext()),
      facts(contract.facts) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    index::Expr id = context.symbol("$pid" + std::to_string(axis));
    index::Expr extent = axis < contract.grid.size() ? contract.grid[axis] : context.constant(1);
    // A launch beyond 2^31 - 1 programs along an axis is refused by the runtime.
    facts.setRange(id, index::Range::of(0, INT32_MAX - 1));
    facts.assume(index::lt(id, extent));
    facts.assume(index::ge(extent, 1));
    programIds.push_back(id);
  }
  // A 32-bit argument is passed only where its value fits; else another instance is launched.
  for (auto [argument, known] : llvm::zip(kernel.getArguments(), contract.arguments))
    if (auto type = dyn_cast<IntegerType>(argument.getType()))
      if (known.value && type.getWidth() < 64 && type.getWidth() > 1) {
        index::Range range = signedRange(type);
        facts.assume(index::ge(known.value, *range.lo));
        facts.assume(index::le(known.value, *range.hi));
      }
}

const LaneValue &LaneValues::get(Value value) {
  auto found = values.find(value);
  if (found != values.end())
    return found->second;
  LaneValue result = compute(value);
  return values[value] = std::move(result);
}

llvm::SmallVector<index::Pred> LaneValues::factsAbout(llvm::ArrayRef<index::Expr> exprs) const {
  llvm::DenseSet<index::Expr> held;
  auto hold = [&](index::Expr symbol) {
    if (isOpaque(symbol))
      held.insert(symbol);
  };
  for (index::Expr expr : exprs)
    index::forEachSymbol(expr, hold);
  // A fact speaks of one such value by others that were there before it.
  llvm::SmallVector<index::Pred> result;
  for (index::Pred pred : llvm::reverse(heldFacts)) {
    llvm::ArrayRef<index::Expr> symbols = index::collectSymbols(pred.getExpr());
    if (llvm::none_of(symbols, [&](index::Expr symbol) { return held.contains(symbol); }))
      continue;
    llvm::for_each(symbols, hold);
    result.push_back(pred);
  }
  return llvm::SmallVector<index::Pred>(llvm::reverse(result));
}

index::Expr LaneValues::lane(unsigned axis) {
  return context.symbol("$lane" + std::to_string(axis));
}

index::Expr LaneValues::metaNamed(llvm::StringRef name, int64_t number) {
  if (name.empty())
    return context.constant(number);
  index::ParseError error;
  index::Expr expr = index::parseExpr(name, context, error);
  if (!expr)
    return context.constant(number);
  bool known = llvm::all_of(index::collectSymbols(expr),
                            [&](index::Expr symbol) { return contract.meta.contains(symbol); });
  return known ? index::substitute(expr, contract.meta) : context.constant(number);
}

llvm::SmallVector<index::Expr> LaneValues::extentsOf(Type type) {
  llvm::SmallVector<index::Expr> extents;
  for (auto [axis, number] : llvm::enumerate(tile::getShape(type)))
    extents.push_back(metaNamed(tile::getDimName(type, axis), number));
  return extents;
}

LaneValue LaneValues::unknownOf(Value value, llvm::StringRef why,
                                std::optional<index::Range> range) {
  LaneValue result;
  result.reason = why.str();
  Type element = tile::getElementType(value.getType());
  if (element.isInteger(1)) {
    result.kind = LaneValue::Kind::Condition;
    result.conjuncts.push_back({index::truth(context, true), false, {}});
    return result;
  }
  if (!element.isIntOrIndex())
    return result;
  index::Expr symbol = context.symbol("$v" + std::to_string(fresh++));
  facts.setRange(symbol, range.value_or(signedRange(element)));
  opaque[symbol] = why.str();
  if (!isa<ShapedType>(value.getType()))
    uniform.insert(symbol);
  Operation *op = value.getDefiningOp();
  definedIn[symbol] = op ? op : cast<BlockArgument>(value).getOwner()->getParentOp();
  result.kind = LaneValue::Kind::Integer;
  result.expr = symbol;
  return result;
}

LaneValue LaneValues::argumentValue(BlockArgument argument) {
  unsigned position = argument.getArgNumber();
  Type type = argument.getType();
  LaneValue result;
  if (isa<tile::PtrType>(type)) {
    result.kind = LaneValue::Kind::Pointer;
    result.argument = position;
    result.expr = context.constant(0);
    return result;
  }
  bool known = position < contract.arguments.size() && contract.arguments[position].value;
  if (!known || !type.isIntOrIndex() || type.isInteger(1))
    return unknownOf(argument, "an argument of unknown value");
  result.kind = LaneValue::Kind::Integer;
  result.expr = contract.arguments[position].value;
  return result;
}

index::Expr LaneValues::loopCounter(scf::ForOp loop) {
  index::Expr &counter = counters[loop];
  if (!counter) {
    counter = context.symbol("$t" + std::to_string(fresh++));
    facts.setRange(counter, index::Range::atLeast(0));
    loopOf[counter] = loop;
    definedIn[counter] = loop;
  }
  return counter;
}

LaneValue LaneValues::loopVariable(scf::ForOp loop) {
  LaneValue low = get(loop.getLowerBound()), step = get(loop.getStep());
  if (low.kind != LaneValue::Kind::Integer || step.kind != LaneValue::Kind::Integer)
    return unknownOf(loop.getInductionVar(), "a loop over unknown bounds");
  // A start that is held within bounds counts as one number: taken apart, no case of it would be
  // known to lie before the loop's end.
  if (index::hasKind(low.expr, index::ExprKind::Max) ||
      index::hasKind(low.expr, index::ExprKind::Min)) {
    LaneValue start = unknownOf(loop.getLowerBound(), "the start of a loop", facts.range(low.expr));
    heldFacts.push_back(index::ge(start.expr, low.expr));
    heldFacts.push_back(index::le(start.expr, low.expr));
    low.expr = start.expr;
  }
  LaneValue result;
  result.kind = LaneValue::Kind::Integer;
  result.expr = low.expr + step.expr * loopCounter(loop);
  result.checks = low.checks;
  llvm::append_range(result.checks, step.checks);
  result.checks.push_back({step.expr, index::Range::atLeast(1)});
  return result;
}

bool LaneValues::dependsOn(index::Expr expr, scf::ForOp loop) {
  return llvm::any_of(index::collectSymbols(expr), [&](index::Expr symbol) {
    Operation *where = definedIn.lookup(symbol);
    return where && (where == loop || loop->isAncestor(where));
  });
}

/// A value that moves by the same amount each turn: start + turns * amount.
LaneValue LaneValues::loopCarried(scf::ForOp loop, BlockArgument argument) {
  LaneValue start = get(loop.getTiedLoopInit(argument)->get());
  bool isPointer = start.kind == LaneValue::Kind::Pointer;
  if (!isPointer && start.kind != LaneValue::Kind::Integer)
    return unknownOf(argument, "a value carried by a loop");
  // One turn is followed from a placeholder; what is learnt under it is forgotten after.
  auto before = values;
  index::Expr placeholder = context.symbol("$c" + std::to_string(fresh++));
  definedIn[placeholder] = loop;
  LaneValue assumed = start;
  assumed.expr = placeholder;
  values[argument] = assumed;
  LaneValue next = get(loop.getTiedLoopYieldedValue(argument)->get());
  values = std::move(before);
  bool sameKind = next.kind == start.kind && next.argument == start.argument;
  index::Expr amount = sameKind ? next.expr - placeholder : index::Expr();
  bool usable = amount && !dependsOn(amount, loop) &&
                llvm::none_of(next.checks, [&](const RangeCheck &check) {
                  return dependsOn(check.expr, loop) && check.expr != next.expr;
                });
  if (!usable)
    return isPointer
               ? LaneValue{LaneValue::Kind::Unknown, {}, 0, {}, {}, "a pointer carried by a loop"}
               : unknownOf(argument, "a value carried by a loop");
  LaneValue result = start;
  result.expr = start.expr + loopCounter(loop) * amount;
  for (const RangeCheck &check : next.checks)
    if (!dependsOn(check.expr, loop))
      result.checks.push_back(check);
  // Linear in the turns and in range at the first: in range now means in range at all before.
  if (!isPointer)
    result.checks.push_back({result.expr, signedRange(tile::getElementType(argument.getType()))});
  return result;
}

/// Everything a conjunction needs besides its own checks.
static Conjunct conjunct(index::Pred pred, std::initializer_list<LaneValue> operands,
                         RangeChecks checks = {}) {
  Conjunct result{pred, true, std::move(checks)};
  for (const LaneValue &operand : operands)
    llvm::append_range(result.checks, operand.checks);
  return result;
}

llvm::SmallVector<Conjunct> LaneValues::pathTo(Operation *op) {
  llvm::SmallVector<Conjunct> result;
  // Control may come here or not: no lane is known to be executed.
  const Conjunct somewhere{index::truth(context, true), false, {}};
  llvm::SmallVector<Operation *> outer;
  for (Operation *parent = op; parent && !isa<func::FuncOp>(parent); parent = parent->getParentOp())
    outer.push_back(parent);
  // Outermost first: what an outer level says may be needed for an inner one.
  for (size_t i = outer.size(); i-- > 1;) {
    Region *region = outer[i - 1]->getParentRegion();
    if (auto loop = dyn_cast<scf::ForOp>(outer[i])) {
      LaneValue iv = get(loop.getInductionVar()), high = get(loop.getUpperBound());
      if (iv.kind == LaneValue::Kind::Integer && high.kind == LaneValue::Kind::Integer)
        result.push_back(conjunct(index::lt(iv.expr, high.expr), {iv, high}));
      else
        result.push_back(somewhere);
    } else if (!isa<scf::IfOp>(outer[i])) {
      result.push_back(somewhere);
    }
    if (auto choice = dyn_cast<scf::IfOp>(outer[i])) {
      const LaneValue &condition = get(choice.getCondition());
      if (condition.kind != LaneValue::Kind::Condition) {
        result.push_back(somewhere);
        continue;
      }
      if (region == &choice.getThenRegion()) {
        llvm::append_range(result, condition.conjuncts);
        continue;
      }
      Conjunct all{index::truth(context, true), true, {}};
      for (const Conjunct &part : condition.conjuncts) {
        all.pred = all.pred & part.pred;
        all.exact &= part.exact;
        llvm::append_range(all.checks, part.checks);
      }
      result.push_back(all.exact ? Conjunct{index::notOf(all.pred), true, all.checks} : somewhere);
    }
  }
  return result;
}

LaneValue LaneValues::compute(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<func::FuncOp>(parent))
      return argumentValue(argument);
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      if (value == loop.getInductionVar())
        return loopVariable(loop);
      return loopCarried(loop, argument);
    }
    return unknownOf(value, "a value carried by a loop");
  }
  Operation *op = value.getDefiningOp();
  llvm::StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "tile" && op->getNumResults() == 1)
    return isa<tile::ProgramIdOp, tile::NumProgramsOp, tile::MetaOp>(op) ? program(op) : shape(op);
  if (dialect != "arith")
    return unknownOf(value, ("the result of '" + op->getName().getStringRef() + "'").str());
  if (isa<arith::CmpIOp>(op))
    return compareIntegers(op);
  if (isa<arith::SelectOp>(op))
    return choose(op);
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp>(op))
    return cast(op);
  if (tile::getElementType(value.getType()).isInteger(1))
    return logic(op);
  return arithmetic(op);
}

} // namespace nereid::analysis
