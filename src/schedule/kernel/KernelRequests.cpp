// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Answers requests for values at coordinates.
#include "schedule/kernel/KernelScope.h"

#include "graph/GraphOps.h"
#include "schedule/folds/RowMaximum.h"
#include "schedule/kernel/Pointwise.h"
#include "schedule/program/AxisCuts.h"
#include "schedule/program/IndexMap.h"
#include "schedule/program/IndexValues.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SaveAndRestore.h"

#include <cmath>

using namespace mlir;

namespace nereid::schedule {

/// Coordinates with the divisions gone that the kernel's axes decide, so that what depends on rows
/// only is seen to.
llvm::SmallVector<Expr, 4> KernelBuilder::decide(llvm::ArrayRef<Expr> at) const {
  return decidedBy(facts, at);
}

/// Where a fold is made that is needed where a condition holds: what reads it knew the coordinates
/// to be simpler there.
llvm::SmallVector<Expr, 4> KernelBuilder::plannedUnder(const Value &fold, llvm::ArrayRef<Expr> at,
                                                       Pred guard) const {
  auto isOf = [&](const FoldPlan &plan) { return plan.value == &fold; };
  for (const FoldPlan &plan : llvm::make_filter_range(folds.getAll(), isOf))
    if (llvm::equal(plan.at, at))
      return plan.at;
  for (const FoldPlan &plan : llvm::make_filter_range(folds.getAll(), isOf))
    if (llvm::equal(decideUnder(plan.at, guard), at))
      return plan.at;
  return llvm::to_vector<4>(at);
}

TileValue KernelBuilder::request(const Value &value, llvm::ArrayRef<Expr> at, Pred guard,
                                 std::optional<double> padWanted) {
  llvm::SmallVector<Expr, 4> decided = decide(at);
  at = decided;
  // A fold is made once for the row, whatever part of the columns needs it.
  bool isFold =
      (value.kind == ValueKind::Fold && kernel.unrolled.empty()) || value.kind == ValueKind::Scan;
  bool isGuarded = guard && !guard.isTrue();
  if (isFold && !isLoaded(value) && isGuarded) {
    decided = plannedUnder(value, at, guard);
    at = decided;
  }
  if ((isFold && !isLoaded(value)) || value.kind == ValueKind::State ||
      (isGuarded && (isOneNumber(value, at) || isOfAllTurns(value, at, guard))))
    guard = index::truth(context, true);
  if (kernel.loop < 0 && guard && !guard.isTrue() && llvm::any_of(at, hasDivision)) {
    decided = decideUnder(at, guard);
    at = decided;
  }
  Scope &scope = scopeOf(at, guard);
  Scope::Key key{&value, {at.begin(), at.end()}, guard.getAsOpaquePointer()};
  auto found = scope.values.find(key);
  if (found != scope.values.end())
    return found->second;
  // What is known everywhere is known where a condition holds.
  if (guard && !guard.isTrue()) {
    Pred always = index::truth(context, true);
    Scope &wide = scopeOf(at, always);
    auto known = wide.values.find({&value, {at.begin(), at.end()}, always.getAsOpaquePointer()});
    if (known != wide.values.end())
      return known->second;
  }
  InScope in(*this, scope);
  TileValue result = answer(value, at, guard, padWanted);
  scope.values[key] = result;
  return result;
}

TileValue KernelBuilder::answer(const Value &value, llvm::ArrayRef<Expr> at, Pred guard,
                                std::optional<double> padWanted) {
  if (value.kind == ValueKind::Scalar) {
    Type type = value.elementType;
    mlir::Value argument =
        root.block->addArgument(type, nameLoc(uniqueName(value.name), value.loc));
    parameters.push_back({&value, Expr()});
    TileValue result{argument, {}, {}};
    root.values[{&value, {}, index::truth(context, true).getAsOpaquePointer()}] = result;
    return result;
  }
  if (isLoaded(value))
    return load(value, at, guard, padWanted);
  switch (value.kind) {
  case ValueKind::Constant: {
    double number = 0;
    int64_t integer = 0;
    if (auto constant = dyn_cast_or_null<graph::ConstantOp>(value.op)) {
      if (auto attr = dyn_cast<FloatAttr>(constant.getValue()))
        number = attr.getValueAsDouble();
      else
        integer = cast<IntegerAttr>(constant.getValue()).getInt();
    }
    Type type = tile::getSignless(value.elementType);
    if (isa<FloatType>(type))
      return math.constant(type, number, value.loc);
    auto attr = builder.getIntegerAttr(
        type, llvm::APInt(64, integer, true).sextOrTrunc(type.getIntOrFloatBitWidth()));
    return {arith::ConstantOp::create(builder, value.loc, attr), {}, double(integer)};
  }
  case ValueKind::Size:
  case ValueKind::Iota: {
    if (value.kind == ValueKind::Size && value.size.isConstant())
      return math.constant(tile::getSignless(value.elementType), *value.size.getConstant(),
                           value.loc);
    Expr expr = value.kind == ValueKind::Size ? value.size
                                              : form.merges.apply(facts.simplify(at[value.dim]));
    llvm::SaveAndRestore<Pred> under(assumed, guard);
    TileValue result = number(expr, false, value.loc);
    Type width = builder.getIntegerType(
        tile::getElementType(result.value.getType()).getIntOrFloatBitWidth());
    result.value = castElements(builder, result.value, width, value.elementType, value.loc);
    return result;
  }
  case ValueKind::Random:
    return random(value, at, guard);
  case ValueKind::Final:
    return read(value.inputs[0], at, {}, guard);
  case ValueKind::Map:
    return map(value, at, guard, padWanted);
  case ValueKind::Select:
    return select(value, at, guard);
  case ValueKind::Scan:
    return scan(value, at, guard);
  case ValueKind::Search:
    return search(value, at, guard);
  case ValueKind::Fold: {
    if (!kernel.unrolled.empty())
      return foldInPlace(value, at, guard);
    if (kernel.termsOf(value))
      return nestedTile(value, at);
    // Answered with its siblings; afterwards it is remembered in its scope.
    answerFolds(folds.getGroup(value, at));
    return scopeOf(at, Pred())
        .values.at(
            {&value, {at.begin(), at.end()}, index::truth(context, true).getAsOpaquePointer()});
  }
  default:
    llvm_unreachable("inputs are loaded");
  }
}

TileValue KernelBuilder::read(const Access &access, llvm::ArrayRef<Expr> at,
                              llvm::ArrayRef<Expr> fold, Pred guard,
                              std::optional<double> padWanted) {
  Access resolved = resolve(access, at, fold, guard);
  return request(*resolved.from, resolved.at, guard, padWanted);
}

TileValue KernelBuilder::load(const Value &value, llvm::ArrayRef<Expr> at, Pred guard,
                              std::optional<double> padWanted) {
  Location loc = plainLoc(value.loc);
  llvm::SmallVector<Expr, 4> shifted;
  if (kernel.strip) {
    guard = guard & insideOf(value, at, guard);
    shifted = withShiftedTurns(at);
    at = shifted;
  }
  llvm::SaveAndRestore<Pred> under(assumed, guard);
  TileValue pointer = address(value, at, loc);
  assumed = Pred();
  bool guarded = guard && !guard.isTrue();
  std::optional<TileValue> mask = maskUnder(guard, pointer.axes, loc);
  Type element =
      tile::getPointeeValueType(cast<tile::PtrType>(tile::getElementType(pointer.value.getType())));
  TileValue result;
  result.axes = pointer.axes;
  mlir::Value maskValue, other;
  if (mask) {
    TileValue operands[] = {pointer, *mask};
    result.axes = math.unify(operands, loc);
    pointer = operands[0];
    maskValue = operands[1].value;
    if (kernel.hasRows || guarded) {
      result.pad = padWanted && canHold(value.elementType, *padWanted) ? *padWanted : 0.0;
      other = math.lift(math.constant(element, *result.pad, loc), result.axes, loc);
    }
  }
  // A loaded value is called as the user calls the tensor.
  auto op =
      tile::LoadOp::create(builder, nameLoc(value.name, loc), math.tileType(element, result.axes),
                           pointer.value, maskValue, other, "", "", false);
  bool isOfRow =
      kernel.rows.symbols.empty() || llvm::any_of(kernel.rows.symbols, [&](Expr row) {
        return llvm::any_of(at, [&](Expr coordinate) { return index::contains(coordinate, row); });
      });
  if (isOfRow && current != &root && kernel.span == 0 && kernel.hasRows)
    rowLoads.emplace_back(&value, op);
  result.value = op;
  return result;
}

/// Whether a loop goes over a few elements, a border say: what it reads is no row.
static bool isOfFew(Operation *op) {
  constexpr uint64_t most = 64;
  auto loop = dyn_cast<scf::ForOp>(op);
  llvm::APInt bound;
  return loop && matchPattern(loop.getUpperBound(), m_ConstantInt(&bound)) && bound.ule(most);
}

/// A row that a later loop reads again is kept in the cache till then, and no longer.
void KernelBuilder::hintReuse(BuiltKernel &built) {
  // Loops of nested contractions go over parts of the columns each.
  if (isNested())
    return;
  llvm::DenseMap<const Value *, Operation *> lastLoop;
  llvm::SetVector<const Value *> isReadAgain;
  llvm::erase_if(rowLoads, [](auto &entry) { return isOfFew(entry.second->getParentOp()); });
  for (auto &[value, load] : rowLoads) {
    Operation *&last = lastLoop[value];
    if (last && last != load->getParentOp())
      isReadAgain.insert(value);
    last = load->getParentOp();
  }
  llvm::append_range(built.readAgain, isReadAgain);
  if (!program.policy.has(MoveKind::LoadHints) || kernel.rows.symbols.empty())
    return;
  for (auto &[value, load] : rowLoads)
    if (isReadAgain.contains(value))
      load.setEvictionPolicy(load->getParentOp() == lastLoop[value] ? "evict_first" : "evict_last");
  // What is written meanwhile must not push it out.
  if (!isReadAgain.empty())
    func.walk([&](tile::StoreOp store) {
      if (store->getParentOp() != func)
        store.setEvictionPolicy("evict_first");
    });
}

/// Gradients of slices are padded with zeros, and add up: where a program has one piece only, the
/// others are nothing.
std::optional<TileValue> KernelBuilder::withoutPads(const Value &value,
                                                    llvm::ArrayRef<TileValue> operands) const {
  if (!value.op || !isa<graph::AddOp>(value.op) || !program.func->hasAttr("graph.gradient_of"))
    return std::nullopt;
  for (auto [number, operand] : llvm::enumerate(operands)) {
    const Value &from = *value.inputs[number].from;
    bool isPadded = from.kind == ValueKind::Select || (from.op && isa<graph::AddOp>(from.op));
    if (isPadded && operand.axes.empty() &&
        (matchPattern(operand.value, m_AnyZeroFloat()) || matchPattern(operand.value, m_Zero())))
      return operands[1 - number];
  }
  return std::nullopt;
}

/// `embedding: an index lies outside of its axis (model.py:7)`.
static std::string describeCheck(graph::CheckIndexOp op) {
  std::string text = op.getWhat().str() + ": an index lies outside of its axis";
  if (auto place = op.getLoc()->findInstanceOf<FileLineColLoc>())
    text += " (" + llvm::sys::path::filename(place.getFilename()).str() + ":" +
            std::to_string(place.getLine()) + ")";
  return text;
}

/// An index, asserted to lie within its axis on the lanes that a load of it would read.
TileValue KernelBuilder::checkedIndex(const Value &value, llvm::ArrayRef<Expr> at, Pred guard) {
  Location loc = plainLoc(value.loc);
  TileValue index = read(value.inputs[0], at, {}, guard);
  TileValue size = read(value.inputs[1], at, {}, guard);
  TileValue zero = math.integer(0, 64, loc);
  TileValue isInside =
      math.logicalAnd(math.compare(arith::CmpIPredicate::sge, index, zero, loc),
                      math.compare(arith::CmpIPredicate::slt, index, size, loc), loc);
  llvm::SmallVector<TileValue, 2> operands{isInside};
  std::optional<TileValue> mask = maskUnder(guard, isInside.axes, loc);
  if (mask)
    operands.push_back(*mask);
  math.unify(operands, loc);
  tile::AssertOp::create(builder, loc, operands[0].value,
                         describeCheck(cast<graph::CheckIndexOp>(value.op)),
                         mask ? operands[1].value : mlir::Value());
  return index;
}

TileValue KernelBuilder::map(const Value &value, llvm::ArrayRef<Expr> at, Pred guard,
                             std::optional<double> padWanted) {
  if (isa_and_nonnull<graph::CheckIndexOp>(value.op))
    return checkedIndex(value, at, guard);
  Location loc = resultLoc(value);
  if (const Access *elided = elidedCast(value, stored)) {
    Access down = resolve(value.inputs[0], at, {}, guard);
    return read(*elided, down.at, {}, guard, padWanted);
  }
  // What is made of places is known as that, in 32 bits where these do: a choice between two whose
  // condition always holds is none.
  if (std::optional<TileValue> known = ofPlaces(value, at, guard))
    return *known;
  if (kernel.loop < 0 && isa_and_nonnull<graph::WhereOp>(value.op)) {
    std::vector<LoadedIndex> loaded;
    std::optional<Pred> condition = asCondition(value.inputs[0], program, loaded);
    if (condition && loaded.empty()) {
      Pred here = substituteIndices(*condition, at, {}, program);
      if (Pred when = decide(factsAbout(here).simplify(here), guard);
          when.isTrue() || when.isFalse())
        return read(value.inputs[when.isTrue() ? 1 : 2], at, {}, guard, padWanted);
    }
  }
  // Scores that a mask leaves out are made beside the others.
  if (kernel.contraction && !isNested() && isa_and_nonnull<graph::WhereOp>(value.op))
    if (std::optional<TileValue> chosen = chooseByIndex(value, at, guard, padWanted))
      return *chosen;
  llvm::SmallVector<TileValue, 3> operands;
  llvm::SmallVector<Type, 3> types;
  std::optional<double> wanted = value.op ? padWantedOfOperand(value.op, padWanted) : padWanted;
  for (auto [number, access] : llvm::enumerate(value.inputs)) {
    Pred under = guard;
    if (!isNested() && isa_and_nonnull<graph::WhereOp>(value.op) && number > 0)
      under = guard & neededWhere(value, number, at, guard);
    operands.push_back(read(access, at, {}, under, wanted));
    types.push_back(access.from->elementType);
  }
  if (auto sole = withoutPads(value, operands))
    return *sole;
  llvm::SmallVector<std::optional<double>, 3> pads;
  bool known = true;
  for (auto [number, operand] : llvm::enumerate(operands)) {
    pads.push_back(operand.pad);
    known &= number == 0 || operand.pad || operand.axes.empty() ||
             (form.tiledRows && llvm::equal(operand.axes, llvm::ArrayRef<unsigned>{0}));
  }
  // Zero times what goes on beyond the end of the other factor need not be zero. Rows beyond the
  // last one are no matter: nothing reads what is made of them.
  auto columnsOf = [&](const TileValue &operand) {
    llvm::ArrayRef<unsigned> axes = operand.axes;
    bool hasRows = form.tiledRows && axes.size() > 1 && axes.front() == 0;
    return hasRows ? axes.drop_front() : axes;
  };
  bool isWhole = llvm::all_of(operands, [&](const TileValue &operand) {
    return columnsOf(operand) == columnsOf(operands[0]);
  });
  bool byReciprocal = operands.size() == 2 && takesReciprocal(value, operands[0], operands[1]);
  if (byReciprocal)
    operands[1] = reciprocal(operands[1], resolve(value.inputs[1], at, {}, guard).at, guard, loc);
  TileValue result;
  result.axes = math.unify(operands, loc);
  llvm::SmallVector<mlir::Value, 3> values;
  for (TileValue &operand : operands)
    values.push_back(operand.value);
  if (!value.op)
    result.value = values[0];
  else if (byReciprocal)
    result.value = arith::MulFOp::create(builder, loc, values[0], values[1]);
  else
    result.value = applyPointwise(builder, value.op, values, types, value.elementType, loc);
  if (auto erf = result.value ? result.value.getDefiningOp<math::ErfOp>() : nullptr;
      erf && value.isShownAsHalf && program.policy.has(MoveKind::ShortFunctions))
    erf.setFastmath(arith::FastMathFlags::afn);
  if (!result.value) {
    failedAlready = true;
    result.value =
        math.lift(math.constant(tile::getSignless(value.elementType), 0, loc), result.axes, loc);
  }
  if (value.op && known && isa<graph::SubOp>(value.op)) {
    const Value *maximum =
        pads[0] == -INFINITY && !pads[1] ? subtractedMaximum(program, value) : nullptr;
    // A loop makes no turn then.
    if (maximum && !(form.resident && showsEmptyFold(*maximum)))
      result.pad = pads[0];
  } else if (value.op && known && (isWhole || !isa<graph::MulOp>(value.op)))
    result.pad = padOfPointwise(value.op, pads);
  else if (!value.op)
    result.pad = operands[0].pad;
  return result;
}

/// Both elements of a pair, side by side.
TileValue KernelBuilder::joinPair(const KernelOutput &output,
                                  llvm::function_ref<TileValue(llvm::ArrayRef<Expr>)> make) {
  TileValue halves[2];
  for (int64_t side : {0, 1}) {
    llvm::SmallVector<Expr, 4> at;
    for (Expr coordinate : output.at)
      at.push_back(index::substitute(coordinate, {{kernel.paired, context.constant(side)}}));
    halves[side] = make(at);
  }
  Location loc = plainLoc(output.value->loc);
  llvm::SmallVector<unsigned, 2> along = llvm::to_vector<2>(llvm::seq<unsigned>(0, pairAxis()));
  mlir::Value lhs = math.lift(halves[0], along, loc), rhs = math.lift(halves[1], along, loc);
  along.push_back(pairAxis());
  Type type = math.tileType(tile::getElementType(lhs.getType()), along);
  return {tile::JoinOp::create(builder, loc, type, lhs, rhs), along, {}};
}

void KernelBuilder::store(const KernelOutput &output) {
  const Value &value = *output.value;
  if (value.kind == ValueKind::Scatter)
    return storeScatter(output);
  auto make = [&](llvm::ArrayRef<Expr> at) {
    return request(value, at, index::truth(context, true));
  };
  store(output, kernel.isPaired(output) ? joinPair(output, make) : make(output.at));
}

void KernelBuilder::store(const KernelOutput &output, TileValue result) {
  const Value &value = *output.value;
  Location loc = plainLoc(value.loc);
  TileValue pointer = address(value, output.at, loc);
  TileValue operands[] = {pointer, result};
  auto along = math.unify(operands, loc);
  Pred exists = index::truth(context, true);
  if (kernel.strip)
    exists = decide(
        index::lt(kernel.strip->symbol * kernel.strip->count + output.piece, kernel.strip->extent),
        exists);
  auto mask = maskUnder(exists, along, loc);
  mlir::Value maskValue = mask ? math.lift(*mask, along, loc) : mlir::Value();
  tile::StoreOp::create(builder, loc, operands[0].value, operands[1].value, maskValue, "", "");
}

} // namespace nereid::schedule
