// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/kernel/OnlineFolds.h"

#include "graph/GraphOps.h"
#include "schedule/kernel/NanFlow.h"
#include "schedule/kernel/Pointwise.h"
#include "schedule/nest/Contraction.h"
#include "schedule/program/IndexMap.h"
#include "tile/Combiner.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace nereid::schedule {

KernelBuilder::OnlineFolds::OnlineFolds(KernelBuilder &kernel, llvm::ArrayRef<FoldPlan> group,
                                        unsigned columns, llvm::ArrayRef<unsigned> along)
    : kernel(kernel), group(group), columns(columns), along(along.begin(), along.end()),
      rest(along.begin(), along.end() - 1), tile(rest), loc(plainLoc(group.front().value->loc)) {
  tile.push_back(along.back() + 1);
  for (const FoldPlan &request : group)
    if (request.cascade)
      for (const Feature &feature : request.cascade->features)
        statesOf[&request].push_back(addState(feature, request));
}

unsigned KernelBuilder::OnlineFolds::addState(const Feature &feature, const FoldPlan &request) {
  Type type = request.value->elementType;
  for (auto [number, state] : llvm::enumerate(states))
    if (state.feature == feature && state.type == type)
      return number;
  State state{feature, type, request.value, std::nullopt, 0, {}};
  if (kernel.hasLanes(request)) {
    auto contraction = asContraction(kernel.program, *request.value, kernel.stored);
    state.factor = contraction->left.from->elementType;
  }
  if (feature.base) {
    Kind kind = feature.rate > 0 ? Kind::Greatest : feature.rate < 0 ? Kind::Least : Kind::First;
    state.reference = findReference(*feature.base, kind, request);
  }
  states.push_back(state);
  return states.size() - 1;
}

unsigned KernelBuilder::OnlineFolds::findReference(unsigned base, Kind kind,
                                                   const FoldPlan &request) {
  Type type = request.value->elementType;
  for (auto [number, reference] : llvm::enumerate(references))
    if (reference.base == base && reference.kind == kind && reference.type == type)
      return number;
  Reference reference;
  reference.base = base;
  reference.kind = kind;
  reference.type = type;
  for (const FoldPlan &other : group)
    if (!reference.fold && kind != Kind::First &&
        kernel.folds.isExtremeOf(other, kind == Kind::Greatest, base))
      reference.fold = &other;
  references.push_back(reference);
  return references.size() - 1;
}

double KernelBuilder::OnlineFolds::neutral(const Reference &reference) const {
  return reference.kind == Kind::Greatest ? -INFINITY : INFINITY;
}

TileValue KernelBuilder::OnlineFolds::number(double value, Type type) {
  return kernel.math.constant(type, value, loc);
}

mlir::Value KernelBuilder::OnlineFolds::splat(double value, Type type) {
  return kernel.math.lift(number(value, type), along, loc);
}

template <typename OpTy> TileValue KernelBuilder::OnlineFolds::combine(TileValue a, TileValue b) {
  TileValue operands[] = {a, b};
  auto axes = kernel.math.unify(operands, loc);
  mlir::Value value = OpTy::create(kernel.builder, loc, operands[0].value, operands[1].value);
  return {value, axes, {}};
}

TileValue KernelBuilder::OnlineFolds::requestAtom(unsigned atom, Type type, bool isFirstTurn) {
  const CascadeAtom &own = kernel.folds.getAtom(atom);
  llvm::SmallVector<Expr, 4> at(own.at);
  for (Expr outer : kernel.form.outerColumns.symbols)
    for (Expr &coordinate : at)
      if (isFirstTurn)
        coordinate = index::substitute(coordinate, {{outer, kernel.context.constant(0)}});
  TileValue value = kernel.request(*own.value, at, index::truth(kernel.context, true));
  value.value = castElements(kernel.builder, value.value, own.value->elementType, type, loc);
  return value;
}

/// Binds the columns to the first turn's positions, and returns where they start.
TileValue KernelBuilder::OnlineFolds::bindFirst() {
  auto scope = std::make_unique<Scope>();
  scope->parent = kernel.current;
  scope->block = kernel.current->block;
  kernel.current = scope.get();
  kernel.openScopes.push_back(std::move(scope));
  TileValue start;
  const Space &space = kernel.form.columns[columns];
  if (space.window != 0)
    start = kernel.loopBound(space.windowIndex * space.window, loc);
  if (space.segment)
    start = kernel.segmentBound(columns, false, loc);
  kernel.bindColumns(columns, start);
  return start;
}

/// How many elements the loop goes over, or only its first turn.
TileValue KernelBuilder::OnlineFolds::countElements(TileValue start, bool isFirstTurn, Type type) {
  TileMath &math = kernel.math;
  TileValue count = isFirstTurn ? kernel.columnBound(columns, loc) : kernel.rowBound(columns, loc);
  if (start.value)
    count = math.combineIntegers<arith::SubIOp>(count, start, loc);
  if (isFirstTurn) {
    const TileAxis &axis = math.axes[along.back()];
    TileValue block{tile::MetaOp::create(kernel.builder, loc, axis.block, axis.extent), {}, {}};
    count = math.combineIntegers<arith::MinSIOp>(block, count, loc);
  }
  count.value = castElements(kernel.builder, count.value, count.value.getType(), type, loc);
  return count;
}

/// The mean of the first turn's elements. Whatever the elements are, the row's mean is nearer to it
/// than the row's deviation times the root of the number of turns: a sum of squares about it has
/// digits enough.
TileValue KernelBuilder::OnlineFolds::pilot(const Reference &reference, TileValue start) {
  TileMath &math = kernel.math;
  TileValue first = requestAtom(reference.base, reference.type, /*isFirstTurn=*/true);
  first.value = math.lift(first, along, loc);
  first.axes = along;
  // Any number will do, but no infinity: what it takes from an infinite element is lost.
  first = kernel.inBounds(along.back(), finite(first, loc), number(0, reference.type),
                          named(baseName(reference) + "_first"));
  TileValue sum = math.reduce(tile::Combiner::Sum, first, along.back(), loc);
  TileValue mean = combine<arith::DivFOp>(sum, countElements(start, true, reference.type));
  return finite(mean, named("pilot"));
}

/// What a state is called: after the fold that it is the sum of, else after what it adds up.
Location KernelBuilder::OnlineFolds::stateLoc(const State &state) const {
  const Feature &feature = state.feature;
  bool isLowest = feature.power == 0 || (feature.rate == 0 && feature.power == 2);
  if (state.owner->isNamed && feature.base && isLowest)
    return named(state.owner->name + "_acc");
  if (!feature.weights.empty())
    return loc;
  std::string name = feature.power == 0   ? ""
                     : feature.power == 1 ? "shift"
                     : feature.power == 2 ? "square"
                                          : "power" + std::to_string(feature.power);
  if (feature.rate != 0)
    name += name.empty() ? "exp" : "_exp";
  return named(name + "_acc");
}

void KernelBuilder::OnlineFolds::open(llvm::SmallVectorImpl<mlir::Value> &initial) {
  if (states.empty())
    return;
  TileMath &math = kernel.math;
  TileValue start = bindFirst();
  for (Reference &reference : references)
    if (reference.kind == Kind::First)
      reference.first = pilot(reference, start);
  kernel.current = kernel.current->parent;
  kernel.openScopes.pop_back();
  for (Reference &reference : references) {
    if (reference.fold || reference.kind == Kind::First)
      continue;
    reference.state = initial.size();
    Location at = named(reference.kind == Kind::Greatest ? "largest_acc" : "least_acc");
    initial.push_back(math.lift(math.constant(reference.type, neutral(reference), at), rest, at));
  }
  for (auto [place, state] : llvm::enumerate(states)) {
    if (state.isCount()) {
      sums[place] = countElements(start, false, state.type);
      continue;
    }
    state.state = initial.size();
    Location at = stateLoc(state);
    initial.push_back(math.lift(math.constant(state.type, 0, at), axesOf(state), at));
  }
  // A fold's state lies where its request does.
  unsigned at = 0;
  for (const FoldPlan &request : group) {
    if (request.cascade)
      continue;
    for (Reference &reference : references)
      if (reference.fold == &request)
        reference.state = at;
    auto kind = cast<graph::FoldOp>(request.value->op).getKind();
    at += kind == graph::FoldKind::Argmax || kind == graph::FoldKind::Argmin ? 2 : 1;
  }
}

std::string KernelBuilder::OnlineFolds::baseName(const Reference &reference) const {
  const Value *value = kernel.folds.getAtom(reference.base).value;
  while (value->isCast() && !value->isNamed)
    value = value->inputs[0].from;
  return value->name;
}

void KernelBuilder::OnlineFolds::follow(const FoldPlan &request, const LoopFold &fold) {
  for (Reference &reference : references)
    if (reference.fold == &request) {
      reference.turn = fold;
      if (request.value->isNamed)
        fold.after.value.getDefiningOp()->setLoc(named(request.value->name + "_new"));
    }
}

bool KernelBuilder::OnlineFolds::isReference(const FoldPlan &request) const {
  return llvm::any_of(references,
                      [&](const Reference &reference) { return reference.fold == &request; });
}

/// Zero in place of infinities and NaN.
TileValue KernelBuilder::OnlineFolds::finite(TileValue value, Location name) {
  OpBuilder &builder = kernel.builder;
  Type type = tile::getElementType(value.value.getType());
  auto lifted = [&](double bound) {
    return kernel.math.lift(number(bound, type), value.axes, loc);
  };
  mlir::Value size = ::mlir::math::AbsFOp::create(builder, loc, value.value);
  mlir::Value isFinite =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, size, lifted(INFINITY));
  return {arith::SelectOp::create(builder, name, isFinite, value.value, lifted(0)), value.axes, {}};
}

/// The reference before and after the turn, and the elements less it.
void KernelBuilder::OnlineFolds::turnReference(Reference &reference, ValueRange state,
                                               llvm::SmallVectorImpl<mlir::Value> &next) {
  OpBuilder &builder = kernel.builder;
  TileMath &math = kernel.math;
  if (reference.kind == Kind::First) {
    TileValue element = requestAtom(reference.base, reference.type);
    TileValue difference = combine<arith::SubFOp>(element, reference.first);
    reference.difference =
        kernel.inBounds(along.back(), difference, number(0, reference.type), named("shifted"));
    return;
  }
  LoopFold &turn = reference.turn;
  bool isOwnType =
      turn.input.value && tile::getElementType(turn.input.value.getType()) == reference.type;
  TileValue element = turn.input;
  if (!isOwnType) {
    const CascadeAtom &atom = kernel.folds.getAtom(reference.base);
    element = kernel.request(*atom.value, atom.at, index::truth(kernel.context, true),
                             neutral(reference));
    auto pad = element.pad;
    element.value =
        castElements(builder, element.value, atom.value->elementType, reference.type, loc);
    if (pad != neutral(reference))
      element =
          kernel.inBounds(along.back(), element, number(neutral(reference), reference.type), loc);
    element.value = math.lift(element, along, loc);
    element.axes = along;
  }
  bool isGreatest = reference.kind == Kind::Greatest;
  if (!reference.fold) {
    turn.before = {state[reference.state], rest, {}};
    // A NaN reaches the features through the difference.
    TileValue block = math.reduce(isGreatest ? tile::Combiner::MaxNum : tile::Combiner::MinNum,
                                  element, along.back(), loc);
    turn.after = isGreatest ? combine<arith::MaxNumFOp>(turn.before, block)
                            : combine<arith::MinNumFOp>(turn.before, block);
    next.push_back(turn.after.value);
  } else if (Type own = tile::getElementType(turn.before.value.getType()); own != reference.type) {
    turn.before.value = castElements(builder, turn.before.value, own, reference.type, loc);
    turn.after.value = castElements(builder, turn.after.value, own, reference.type, loc);
  }
  // Any finite number serves while nothing finite was met, or since something infinite was: sums
  // that no finite element counts in are 0, and those that an infinite one counts in are infinite
  // or NaN. The reference then moves by no more than nothing: 0 times infinity would be NaN.
  TileValue before = finite(turn.before, loc), after = finite(turn.after, named("reference"));
  TileValue step = combine<arith::SubFOp>(before, after), none = number(0, reference.type);
  reference.shift =
      isGreatest ? combine<arith::MinNumFOp>(step, none) : combine<arith::MaxNumFOp>(step, none);
  reference.shift.value.getDefiningOp()->setLoc(named("shift"));
  reference.difference = combine<arith::SubFOp>(element, after);
}

/// Whether the sums of a reference's exponentials are all that they are made for. A row's own
/// extreme adds 1 to such a sum, beside which a result below 2**-126 is nothing.
bool KernelBuilder::OnlineFolds::isSumOfShares(unsigned reference) const {
  return references[reference].kind != Kind::First && llvm::all_of(states, [&](const State &state) {
           bool isOfHalves = state.factor && !state.factor.isF32();
           return state.reference != reference ||
                  (state.feature.power == 0 && (state.feature.weights.empty() || isOfHalves));
         });
}

/// Whether the exponentials of a reference become factors of halves.
bool KernelBuilder::OnlineFolds::areFactorsOfHalves(unsigned reference) const {
  return llvm::any_of(states, [&](const State &state) {
    return state.reference == reference && state.factor && !state.factor.isF32();
  });
}

TileValue KernelBuilder::OnlineFolds::exponential(TileValue of, const Feature &feature,
                                                  std::optional<Location> name, bool isShare) {
  OpBuilder &builder = kernel.builder;
  Type type = tile::getElementType(of.value.getType());
  if (feature.rate != 1)
    of = combine<arith::MulFOp>(of, number(feature.rate, type));
  if (feature.isBinary)
    of.value = ::mlir::math::Exp2Op::create(builder, name.value_or(loc), of.value);
  else
    of.value = ::mlir::math::ExpOp::create(builder, name.value_or(loc), of.value,
                                           isShare ? arith::FastMathFlags::afn
                                                   : arith::FastMathFlags::none);
  return of;
}

/// The state with the same feature of another power.
unsigned KernelBuilder::OnlineFolds::lower(const State &state, unsigned power) const {
  Feature feature = state.feature.withPower(power);
  for (const State &other : states)
    if (other.feature == feature && other.type == state.type)
      return &other - states.data();
  llvm_unreachable("the lower powers of a feature are features");
}

/// The polynomial part of moving a state by `shift`: sum over l of C(k, l) shift^(k-l) S_l.
TileValue KernelBuilder::OnlineFolds::moved(const State &state, TileValue shift,
                                            llvm::function_ref<TileValue(unsigned)> valueOf) {
  unsigned power = state.feature.power;
  TileValue result = valueOf(lower(state, 0));
  for (unsigned l = 1; l <= power; ++l) {
    TileValue part = valueOf(lower(state, l));
    double factor = binomial(power, l);
    if (factor != 1)
      part = combine<arith::MulFOp>(number(factor, state.type), part);
    result = combine<arith::AddFOp>(part, combine<arith::MulFOp>(shift, result));
  }
  return result;
}

/// A state about the reference that the turn ends with.
mlir::Value KernelBuilder::OnlineFolds::rebased(const State &state, ValueRange values) {
  auto valueOf = [&](unsigned number) {
    return TileValue{values[states[number].state], llvm::to_vector<2>(axesOf(states[number])), {}};
  };
  TileValue before = valueOf(&state - states.data());
  if (!state.reference || references[*state.reference].kind == Kind::First)
    return before.value;
  Reference &reference = references[*state.reference];
  TileValue &scale = scales[{*state.reference, state.feature.rate}];
  if (!scale.value)
    scale = exponential(reference.shift, state.feature, named("scale"),
                        isSumOfShares(*state.reference));
  if (state.feature.power > 0)
    before = moved(state, reference.shift, valueOf);
  return combine<arith::MulFOp>(before, scale).value;
}

/// What a turn's elements add to a state but for their weights: powers and exponentials, or
/// nothing.
TileValue KernelBuilder::OnlineFolds::baseProduct(const State &state) {
  const Feature &feature = state.feature;
  TileValue product;
  if (!feature.base)
    return product;
  auto multiply = [&](TileValue factor) {
    product = product.value ? combine<arith::MulFOp>(product, factor) : factor;
  };
  Reference &reference = references[*state.reference];
  for (unsigned i = 0; i < feature.power; ++i)
    multiply(reference.difference);
  if (feature.rate != 0) {
    TileValue &made = exponentials[{*state.reference, feature.rate}];
    if (!made.value)
      made = exponential(reference.difference, feature, {}, isSumOfShares(*state.reference));
    // Their scaled reference may be rounded: all of a row's terms have the same.
    if (auto op = made.value.getDefiningOp<::mlir::math::ExpOp>();
        op && areFactorsOfHalves(*state.reference))
      op.setFastmath(op.getFastmath() | arith::FastMathFlags::contract);
    multiply(made);
  }
  return product;
}

/// A weight of the terms of a contraction, as the matrix unit takes it.
TileValue KernelBuilder::OnlineFolds::requestFactor(unsigned atom, Type type) {
  const CascadeAtom &own = kernel.folds.getAtom(atom);
  Access access{own.value, own.at, {}};
  // What was widened for the product of floats alone.
  if (own.value->isCast() && own.value->elementType != type &&
      own.value->inputs[0].from->elementType == type)
    access = compose(own.value->inputs[0], own.at, kernel.program);
  Pred always = index::truth(kernel.context, true);
  access = kernel.resolve(access, {}, {}, always);
  TileValue value = kernel.request(*access.from, access.at, always, 0.0);
  value.value = castElements(kernel.builder, value.value, access.from->elementType, type, loc);
  return value;
}

/// A state of tiles of rows and lanes with the products of a turn. What varies along rows and
/// columns is one factor, what varies along columns and lanes the other.
mlir::Value KernelBuilder::OnlineFolds::products(const State &state, mlir::Value before) {
  TileMath &math = kernel.math;
  unsigned columns = along.back(), lanes = tile.back();
  TileValue left = baseProduct(state), right;
  bool isZeroBeyond = state.feature.base && state.feature.power == 0;
  for (auto &[atom, power] : state.feature.weights) {
    TileValue weight = requestFactor(atom, state.factor);
    bool isRight = llvm::is_contained(weight.axes, lanes);
    TileValue &side = isRight ? right : left;
    if (!isRight) {
      weight = requestAtom(atom, state.type);
      isZeroBeyond = false;
    }
    for (int i = 0; i < std::abs(power); ++i)
      if (power > 0)
        side = side.value ? combine<arith::MulFOp>(side, weight) : weight;
      else
        side = combine<arith::DivFOp>(side.value ? side : number(1, state.type), weight);
  }
  auto zeroBeyond = [&](TileValue factor) {
    Type type = tile::getElementType(factor.value.getType());
    return kernel.inBounds(columns, factor, number(0, type), loc);
  };
  left = left.value ? left : number(1, state.type);
  if (!isZeroBeyond)
    left = zeroBeyond(left);
  left.value = castElements(kernel.builder, left.value, state.type, state.factor, loc);
  left.value = math.lift(left, along, loc);
  llvm::SmallVector<unsigned, 2> ofRight = {columns, lanes};
  bool isPadded = right.pad == 0.0 && llvm::is_contained(right.axes, columns);
  right = {math.lift(right, ofRight, loc), ofRight, {}};
  if (!isPadded)
    right = zeroBeyond(right);
  return kernel.multiply({left.value, along, {}}, right, before, false, loc);
}

/// What the turn's elements add to a state.
mlir::Value KernelBuilder::OnlineFolds::element(const State &state) {
  TileMath &math = kernel.math;
  const Feature &feature = state.feature;
  TileValue product = baseProduct(state);
  // Lanes beyond the row hold zero without a mask of their own.
  bool isPadded =
      feature.base && (references[*state.reference].kind == Kind::First || feature.power == 0);
  auto multiply = [&](TileValue factor) {
    product = product.value ? combine<arith::MulFOp>(product, factor) : factor;
  };
  for (auto &[atom, power] : feature.weights) {
    TileValue weight = requestAtom(atom, state.type);
    isPadded = !product.value && weight.pad == 0.0 && power == 1;
    for (int i = 0; i < std::abs(power); ++i)
      if (power > 0)
        multiply(weight);
      else
        product = combine<arith::DivFOp>(product.value ? product : number(1, state.type), weight);
  }
  if (!product.value)
    product = number(1, state.type);
  if (!isPadded)
    product = kernel.inBounds(along.back(), product, number(0, state.type), loc);
  product = {math.lift(product, along, loc), along, {}};
  return isReduced() ? math.reduce(tile::Combiner::Sum, product, along.back(), loc).value
                     : product.value;
}

void KernelBuilder::OnlineFolds::turn(ValueRange state, llvm::SmallVectorImpl<mlir::Value> &next) {
  exponentials.clear();
  scales.clear();
  for (Reference &reference : references)
    turnReference(reference, state, next);
  // The higher powers first: they need the lower ones as they were.
  llvm::SmallVector<mlir::Value> after(states.size());
  for (size_t number = states.size(); number-- > 0;) {
    const State &own = states[number];
    if (own.isCount())
      continue;
    mlir::Value before = rebased(own, state);
    after[number] = own.factor
                        ? products(own, before)
                        : arith::AddFOp::create(kernel.builder, stateLoc(own), before, element(own))
                              .getResult();
  }
  llvm::append_range(next,
                     llvm::make_filter_range(after, [](mlir::Value value) { return bool(value); }));
}

TileValue KernelBuilder::OnlineFolds::linear(const LinearForm &form, Type type) {
  TileValue result;
  for (auto &[atom, factor] : form.factors) {
    TileValue part = requestAtom(atom, type);
    bool isTaken = factor < 0 && result.value;
    double size = isTaken ? -factor : factor;
    if (size != 1)
      part = combine<arith::MulFOp>(number(size, type), part);
    if (!result.value)
      result = part;
    else
      result =
          isTaken ? combine<arith::SubFOp>(result, part) : combine<arith::AddFOp>(result, part);
  }
  if (!result.value)
    return number(form.number, type);
  if (form.number != 0)
    result = combine<arith::AddFOp>(result, number(form.number, type));
  return result;
}

/// The references after the loop.
TileValue KernelBuilder::OnlineFolds::finalReference(const Reference &reference,
                                                     ValueRange values) {
  if (reference.kind == Kind::First)
    return reference.first;
  mlir::Value last = values[reference.state];
  Type own = tile::getElementType(last.getType());
  last = castElements(kernel.builder, last, own, reference.type, loc);
  return finite({last, rest, {}}, loc);
}

/// A feature of the whole row about a result.
TileValue KernelBuilder::OnlineFolds::merged(unsigned place, const LinearForm &centre,
                                             ValueRange values) {
  auto found = mergedStates.find({place, centre});
  if (found != mergedStates.end())
    return found->second;
  const State &state = states[place];
  auto lanesOf = [&](unsigned number) {
    return TileValue{values[states[number].state], llvm::to_vector<2>(axesOf(states[number])), {}};
  };
  auto sumOf = [&](unsigned number) {
    if (states[number].factor || isReduced())
      return lanesOf(number);
    TileValue &sum = sums[number];
    if (!sum.value)
      sum = kernel.math.reduce(tile::Combiner::Sum, lanesOf(number), along.back(), loc);
    return sum;
  };
  TileValue result;
  if (!state.reference || (state.feature.power == 0 && state.feature.rate == 0)) {
    result = sumOf(place);
  } else {
    // The lanes share their reference: they are brought together first, then moved.
    const Reference &reference = references[*state.reference];
    TileValue shift =
        combine<arith::SubFOp>(finalReference(reference, values), linear(centre, state.type));
    result = state.feature.power > 0 ? moved(state, shift, sumOf) : sumOf(place);
    if (reference.kind != Kind::First) {
      result = combine<arith::MulFOp>(result, exponential(shift, state.feature));
      result = zeroWhereEmpty(result, *state.owner);
    }
  }
  return mergedStates[{place, centre}] = result;
}

/// Segments, and rows, may have no elements, wherever the centre lies.
TileValue KernelBuilder::OnlineFolds::zeroWhereEmpty(TileValue value, const Value &fold) {
  TileMath &math = kernel.math;
  TileValue start;
  if (kernel.form.columns[columns].segment)
    start = kernel.segmentBound(columns, false, loc);
  else if (kernel.showsEmptyFold(fold))
    start = math.integer(0, 32, loc);
  else
    return value;
  TileValue hasElements =
      math.compare(arith::CmpIPredicate::slt, start, kernel.rowBound(columns, loc), loc);
  Type type = tile::getElementType(value.value.getType());
  return math.select(hasElements, value, number(0, type), loc);
}

/// A fold's result from its features.
TileValue KernelBuilder::OnlineFolds::combined(const FoldPlan &request, ValueRange values) {
  const Cascade &cascade = *request.cascade;
  Type type = request.value->elementType;
  TileValue sum;
  bool hasFactors = false;
  for (const CascadeTerm &term : cascade.terms) {
    hasFactors |= !term.results.empty();
    const Feature &feature = cascade.features[term.feature];
    LinearForm centre;
    if (feature.base)
      centre = cascade.centres.at(*feature.base);
    TileValue product = merged(statesOf.at(&request)[term.feature], centre, values);
    for (auto &[atom, power] : term.results)
      for (int i = 0; i < std::abs(power); ++i)
        product = power > 0 ? combine<arith::MulFOp>(product, requestAtom(atom, type))
                            : combine<arith::DivFOp>(product, requestAtom(atom, type));
    if (!term.exponent.isZero()) {
      TileValue exponent = linear(term.exponent, type);
      Feature plain;
      plain.rate = 1;
      plain.isBinary = feature.isBinary;
      exponent = exponential(exponent, plain);
      product = combine<arith::MulFOp>(product, exponent);
    }
    if (std::abs(term.number) != 1 || (term.number < 0 && !sum.value))
      product = combine<arith::MulFOp>(
          number(sum.value ? std::abs(term.number) : term.number, type), product);
    if (!sum.value)
      sum = product;
    else
      sum = term.number < 0 ? combine<arith::SubFOp>(sum, product)
                            : combine<arith::AddFOp>(sum, product);
  }
  // A factor may be infinite or NaN where there is nothing to multiply.
  return hasFactors ? zeroWhereEmpty(sum, *request.value) : sum;
}

void KernelBuilder::OnlineFolds::close(ValueRange state) {
  for (const FoldPlan &request : group)
    if (request.cascade) {
      TileValue result = combined(request, state);
      if (request.value->isNamed && result.value.getDefiningOp())
        result.value.getDefiningOp()->setLoc(resultLoc(*request.value));
      kernel.remember(request, result);
    }
}

} // namespace nereid::schedule
