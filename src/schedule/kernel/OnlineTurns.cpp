// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One turn of the loop of online folds: how references move, and what its elements add to states.
#include "graph/GraphOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "schedule/kernel/NanFlow.h"
#include "schedule/kernel/OnlineFolds.h"
#include "schedule/kernel/Pointwise.h"
#include "schedule/nest/Contraction.h"
#include "schedule/program/IndexMap.h"
#include "tile/Combiner.h"
#include <cmath>

using namespace mlir;

namespace nereid::schedule {

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

} // namespace nereid::schedule
