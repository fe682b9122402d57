// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/OnlineFolds.h"

#include "graph/GraphOps.h"
#include "schedule/IndexMap.h"
#include "schedule/NanFlow.h"
#include "schedule/Pointwise.h"
#include "tile/Combiner.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace nereid::schedule {

KernelBuilder::OnlineFolds::OnlineFolds(KernelBuilder &kernel, llvm::ArrayRef<FoldRequest> group,
                                        unsigned columns, llvm::ArrayRef<unsigned> along)
    : kernel(kernel), group(group), columns(columns), along(along.begin(), along.end()),
      loc(plainLoc(group.front().value->loc)) {
  for (const FoldRequest &request : group)
    if (request.cascade)
      for (const Feature &feature : request.cascade->features)
        statesOf[&request].push_back(addState(feature, request));
}

unsigned KernelBuilder::OnlineFolds::addState(const Feature &feature, const FoldRequest &request) {
  Type type = request.value->elementType;
  for (auto [number, state] : llvm::enumerate(states))
    if (state.feature == feature && state.type == type)
      return number;
  State state{feature, type, request.value, std::nullopt, 0};
  if (feature.base) {
    Kind kind = feature.rate > 0 ? Kind::Greatest : feature.rate < 0 ? Kind::Least : Kind::First;
    state.reference = findReference(*feature.base, kind, request);
  }
  states.push_back(state);
  return states.size() - 1;
}

unsigned KernelBuilder::OnlineFolds::findReference(unsigned base, Kind kind,
                                                   const FoldRequest &request) {
  Type type = request.value->elementType;
  for (auto [number, reference] : llvm::enumerate(references))
    if (reference.base == base && reference.kind == kind && reference.type == type)
      return number;
  Reference reference;
  reference.base = base;
  reference.kind = kind;
  reference.type = type;
  for (const FoldRequest &other : group)
    if (!reference.fold && kind != Kind::First &&
        kernel.isExtremeOf(other, kind == Kind::Greatest, base))
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

TileValue KernelBuilder::OnlineFolds::requestAtom(unsigned atom, Type type) {
  const CascadeAtom &own = kernel.atoms[atom];
  TileValue value = kernel.request(*own.value, own.at, index::truth(kernel.context, true));
  value.value = castElements(kernel.builder, value.value, own.value->elementType, type, loc);
  return value;
}

/// Binds the columns to the first turn's positions: each lane's first element.
void KernelBuilder::OnlineFolds::bindFirst() {
  auto scope = std::make_unique<Scope>();
  scope->parent = kernel.current;
  scope->block = kernel.current->block;
  kernel.current = scope.get();
  kernel.openScopes.push_back(std::move(scope));
  TileValue start;
  const Space &space = kernel.form.columns[columns];
  if (space.window != 0)
    start = kernel.number(space.windowIndex * space.window, false, loc);
  kernel.bindColumns(columns, start);
  firstMask = kernel.axisMasks.at(along.back());
}

/// What a state is called: after the fold that it is the sum of, else after what it adds up.
Location KernelBuilder::OnlineFolds::stateLoc(const State &state) const {
  const Feature &feature = state.feature;
  bool isLowest = feature.power == 0 || (feature.rate == 0 && feature.power == 2);
  if (state.owner->isNamed && feature.base && isLowest)
    return named(state.owner->name + "_acc");
  if (!feature.base && feature.weights.empty())
    return named("count");
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
  bindFirst();
  for (Reference &reference : references) {
    if (reference.kind != Kind::First)
      continue;
    TileValue first = requestAtom(reference.base, reference.type);
    first.value = math.lift(first, along, loc);
    first.axes = along;
    // Any number will do, but no infinity: what it takes from an infinite element is lost.
    mlir::Value size = ::mlir::math::AbsFOp::create(kernel.builder, loc, first.value);
    mlir::Value isFinite = arith::CmpFOp::create(kernel.builder, loc, arith::CmpFPredicate::OLT,
                                                 size, splat(INFINITY, reference.type));
    Location name = named(baseName(reference) + "_first");
    reference.first = {arith::SelectOp::create(kernel.builder, name, isFinite, first.value,
                                               splat(0, reference.type)),
                       along,
                       {}};
  }
  kernel.current = kernel.current->parent;
  kernel.openScopes.pop_back();
  for (Reference &reference : references) {
    if (reference.fold || reference.kind == Kind::First)
      continue;
    reference.state = initial.size();
    Location at = named(reference.kind == Kind::Greatest ? "largest_acc" : "least_acc");
    initial.push_back(
        kernel.math.lift(kernel.math.constant(reference.type, neutral(reference), at), along, at));
  }
  for (State &state : states) {
    state.state = initial.size();
    Location at = stateLoc(state);
    initial.push_back(math.lift(math.constant(state.type, 0, at), along, at));
  }
  // A fold's state lies where its request does.
  unsigned at = 0;
  for (const FoldRequest &request : group) {
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
  const Value *value = kernel.atoms[reference.base].value;
  while (value->isCast() && !value->isNamed)
    value = value->inputs[0].from;
  return value->name;
}

void KernelBuilder::OnlineFolds::follow(const FoldRequest &request, const LoopFold &fold) {
  for (Reference &reference : references)
    if (reference.fold == &request) {
      reference.turn = fold;
      if (request.value->isNamed)
        fold.after.getDefiningOp()->setLoc(named(request.value->name + "_new"));
    }
}

/// The reference before and after the turn, and the elements less it.
void KernelBuilder::OnlineFolds::turnReference(Reference &reference, ValueRange state,
                                               llvm::SmallVectorImpl<mlir::Value> &next) {
  OpBuilder &builder = kernel.builder;
  TileMath &math = kernel.math;
  TileValue mask = kernel.axisMasks.at(along.back());
  if (reference.kind == Kind::First) {
    TileValue element = requestAtom(reference.base, reference.type);
    TileValue difference = combine<arith::SubFOp>(element, reference.first);
    reference.difference =
        math.select(mask, difference, number(0, reference.type), named("shifted"));
    return;
  }
  LoopFold &turn = reference.turn;
  bool isOwnType =
      turn.input.value && tile::getElementType(turn.input.value.getType()) == reference.type;
  TileValue element = turn.input;
  if (!isOwnType) {
    const CascadeAtom &atom = kernel.atoms[reference.base];
    element = kernel.request(*atom.value, atom.at, index::truth(kernel.context, true),
                             neutral(reference));
    auto pad = element.pad;
    element.value =
        castElements(builder, element.value, atom.value->elementType, reference.type, loc);
    if (pad != neutral(reference))
      element = math.select(mask, element, number(neutral(reference), reference.type), loc);
    element.value = math.lift(element, along, loc);
    element.axes = along;
  }
  if (!reference.fold) {
    turn.before = state[reference.state];
    // A NaN reaches the features through the difference.
    turn.after =
        reference.kind == Kind::Greatest
            ? mlir::Value(arith::MaxNumFOp::create(builder, loc, turn.before, element.value))
            : mlir::Value(arith::MinNumFOp::create(builder, loc, turn.before, element.value));
    next.push_back(turn.after);
  } else if (tile::getElementType(turn.before.getType()) != reference.type) {
    Type own = tile::getElementType(turn.before.getType());
    turn.before = castElements(builder, turn.before, own, reference.type, loc);
    turn.after = castElements(builder, turn.after, own, reference.type, loc);
  }
  mlir::Value difference = arith::SubFOp::create(builder, loc, element.value, turn.after);
  reference.difference = {difference, along, {}};
  // Infinities less themselves are no distance.
  mlir::Value isSame =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, element.value, turn.after);
  reference.guarded = {
      arith::SelectOp::create(builder, loc, isSame, splat(0, reference.type), difference),
      along,
      {}};
}

mlir::Value KernelBuilder::OnlineFolds::exponential(mlir::Value of, const Feature &feature,
                                                    std::optional<Location> name) {
  OpBuilder &builder = kernel.builder;
  Type type = tile::getElementType(of.getType());
  if (feature.rate != 1) {
    mlir::Value rate = kernel.math.constant(type, feature.rate, loc).value;
    if (isa<RankedTensorType>(of.getType()))
      rate = splat(feature.rate, type);
    of = arith::MulFOp::create(builder, loc, of, rate);
  }
  if (feature.isBinary)
    return ::mlir::math::Exp2Op::create(builder, name.value_or(loc), of);
  return ::mlir::math::ExpOp::create(builder, name.value_or(loc), of);
}

/// The state with the same feature of another power.
mlir::Value KernelBuilder::OnlineFolds::lower(const State &state, unsigned power,
                                              ValueRange values) {
  Feature feature = state.feature.withPower(power);
  for (const State &other : states)
    if (other.feature == feature && other.type == state.type)
      return values[other.state];
  llvm_unreachable("the lower powers of a feature are features");
}

/// The polynomial part of moving a state by `shift`: sum over l of C(k, l) shift^(k-l) S_l.
mlir::Value KernelBuilder::OnlineFolds::moved(const State &state, mlir::Value shift,
                                              ValueRange values) {
  OpBuilder &builder = kernel.builder;
  unsigned power = state.feature.power;
  mlir::Value result = lower(state, 0, values);
  for (unsigned l = 1; l <= power; ++l) {
    mlir::Value part = lower(state, l, values);
    double factor = binomial(power, l);
    if (factor != 1)
      part = arith::MulFOp::create(builder, loc, splat(factor, state.type), part);
    result = arith::AddFOp::create(builder, loc, part,
                                   arith::MulFOp::create(builder, loc, shift, result));
  }
  return result;
}

/// A state about the reference that the turn ends with.
mlir::Value KernelBuilder::OnlineFolds::rebased(const State &state, ValueRange values) {
  OpBuilder &builder = kernel.builder;
  mlir::Value before = values[state.state];
  if (!state.reference || references[*state.reference].kind == Kind::First)
    return before;
  Reference &reference = references[*state.reference];
  auto compare = [&](mlir::Value a, mlir::Value b) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, a, b);
  };
  mlir::Value &scale = scales[{*state.reference, state.feature.rate}];
  mlir::Value old = reference.turn.before, after = reference.turn.after;
  if (!scale) {
    mlir::Value difference = arith::SubFOp::create(builder, loc, old, after);
    mlir::Value step = arith::SelectOp::create(builder, loc, compare(old, after),
                                               splat(0, reference.type), difference);
    scale = exponential(step, state.feature, named("scale"));
  }
  if (state.feature.power > 0) {
    // Before the first element there is nothing to move.
    mlir::Value &shift = shifts[*state.reference];
    if (!shift)
      shift = arith::SelectOp::create(
          builder, named("shift"), compare(old, splat(neutral(reference), reference.type)),
          splat(0, reference.type), arith::SubFOp::create(builder, loc, old, after).getResult());
    before = moved(state, shift, values);
  }
  return arith::MulFOp::create(builder, loc, before, scale);
}

/// What the turn's elements add to a state.
mlir::Value KernelBuilder::OnlineFolds::element(const State &state) {
  TileMath &math = kernel.math;
  const Feature &feature = state.feature;
  TileValue product;
  // Lanes beyond the row hold zero without a mask of their own.
  bool isPadded = false;
  auto multiply = [&](TileValue factor) {
    product = product.value ? combine<arith::MulFOp>(product, factor) : factor;
  };
  if (feature.base) {
    Reference &reference = references[*state.reference];
    for (unsigned i = 0; i < feature.power; ++i)
      multiply(reference.difference);
    isPadded = reference.kind == Kind::First || feature.power == 0;
    if (feature.rate != 0) {
      mlir::Value &made = exponentials[{*state.reference, feature.rate}];
      if (!made)
        made = exponential(reference.guarded.value, feature);
      multiply({made, along, {}});
    }
  }
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
    product = math.select(kernel.axisMasks.at(along.back()), product, number(0, state.type), loc);
  return math.lift(product, along, loc);
}

void KernelBuilder::OnlineFolds::turn(ValueRange state, llvm::SmallVectorImpl<mlir::Value> &next) {
  for (Reference &reference : references)
    turnReference(reference, state, next);
  // The higher powers first: they need the lower ones as they were.
  llvm::SmallVector<mlir::Value> after(states.size());
  for (size_t number = states.size(); number-- > 0;) {
    const State &own = states[number];
    mlir::Value before = rebased(own, state);
    after[number] = arith::AddFOp::create(kernel.builder, stateLoc(own), before, element(own));
  }
  next.append(after);
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

/// The lanes' references after the loop.
mlir::Value KernelBuilder::OnlineFolds::finalReference(const Reference &reference,
                                                       ValueRange values) {
  if (reference.kind == Kind::First)
    return reference.first.value;
  mlir::Value last = values[reference.state];
  return castElements(kernel.builder, last, tile::getElementType(last.getType()), reference.type,
                      loc);
}

/// Whether an atom is a value, or that in a wider type.
bool KernelBuilder::OnlineFolds::isSame(unsigned atom, const Value &wanted) const {
  const Value *value = kernel.atoms[atom].value;
  while (value != &wanted && value->isCast()) {
    if (const Access *elided = elidedCast(*value, kernel.stored, kernel.computed))
      value = elided->from;
    else if (isa<FloatType>(value->inputs[0].from->elementType) &&
             value->getElementBytes() >= value->inputs[0].from->getElementBytes())
      value = value->inputs[0].from;
    else
      return false;
  }
  return value == &wanted;
}

/// A feature of the whole row about a result.
TileValue KernelBuilder::OnlineFolds::merged(unsigned number_, const LinearForm &centre,
                                             ValueRange values) {
  auto found = mergedStates.find({number_, centre});
  if (found != mergedStates.end())
    return found->second;
  const State &state = states[number_];
  OpBuilder &builder = kernel.builder;
  TileMath &math = kernel.math;
  mlir::Value lanes = values[state.state];
  if (state.reference) {
    Reference &reference = references[*state.reference];
    TileValue last{finalReference(reference, values), along, {}};
    TileValue shift = combine<arith::SubFOp>(last, linear(centre, state.type));
    if (state.feature.power > 0)
      lanes = moved(state, shift.value, values);
    if (state.feature.rate != 0) {
      lanes = arith::MulFOp::create(builder, loc, lanes, exponential(shift.value, state.feature));
      // Lanes without elements count nothing, wherever the centre lies. Where that is the greatest
      // element, they are infinitely far below.
      bool isOwn = reference.fold && centre.number == 0 && centre.factors.size() == 1 &&
                   centre.factors.begin()->second == 1 &&
                   isSame(centre.factors.begin()->first, *reference.fold->value);
      if (!isOwn || state.feature.power > 0)
        lanes = math.select(*firstMask, {lanes, along, {}}, number(0, state.type), loc).value;
    }
  }
  llvm::SmallVector<unsigned, 2> rest(along.begin(), along.end() - 1);
  Type type = rest.empty() ? state.type : math.tileType(state.type, rest);
  auto reduce =
      tile::ReduceOp::create(builder, loc, TypeRange{type}, ValueRange{lanes}, along.size() - 1);
  tile::buildCombiner(reduce.getCombine(), tile::Combiner::Sum, {state.type}, loc);
  return mergedStates[{number_, centre}] = {reduce.getResult(0), rest, {}};
}

/// A fold's result from its features.
TileValue KernelBuilder::OnlineFolds::combined(const FoldRequest &request, ValueRange values) {
  const Cascade &cascade = *request.cascade;
  Type type = request.value->elementType;
  TileValue sum;
  for (const CascadeTerm &term : cascade.terms) {
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
      exponent.value = exponential(exponent.value, plain);
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
  return sum;
}

void KernelBuilder::OnlineFolds::close(ValueRange state) {
  for (const FoldRequest &request : group)
    if (request.cascade) {
      TileValue result = combined(request, state);
      if (request.value->isNamed && result.value.getDefiningOp())
        result.value.getDefiningOp()->setLoc(resultLoc(*request.value));
      kernel.remember(request, result);
    }
}

} // namespace nereid::schedule
