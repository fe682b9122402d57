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
