// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions of factors that are stored as halves (StoredHalves.h). Tensor cores cut off what
// they add up, so that each step's sum of high halves leaves them and is added in float32; what low
// halves add is a 4096th of it, and may stay. A program with rows whose elements lie too far apart
// multiplies the factors themselves.
#include "schedule/kernel/KernelScope.h"

#include "schedule/kernel/FoldMath.h"
#include "schedule/kernel/Pointwise.h"
#include "schedule/nest/Contraction.h"

using namespace mlir;

namespace nereid::schedule {

/// A sum of products that a program holds, with the factors' halves.
struct KernelBuilder::HalfSums {
  const FoldPlan *request;
  Contraction factors;
};

/// What a factor has for each of its rows, and beyond the last of them.
TileValue KernelBuilder::numbersOf(const Access &numbers, const FoldPlan &request, double beyond) {
  Pred always = index::truth(context, true);
  Access own = resolve(numbers, request.at, foldIndices(*request.value), always);
  InScope in(*this, scopeOf(own.at, always));
  return this->request(*own.from, own.at, always, beyond);
}

/// Whether the halves of all rows and lanes of a program may meet.
mlir::Value KernelBuilder::mayTakeHalves(llvm::ArrayRef<HalfSums> sums, Location loc) {
  Type type = builder.getF32Type();
  auto greatest = [&](TileValue spread) {
    for (unsigned axis : llvm::reverse(llvm::SmallVector<unsigned, 2>(spread.axes)))
      spread = math.reduce(combinerOf(graph::FoldKind::Max, type, true), spread, axis, loc);
    return spread.value;
  };
  mlir::Value all;
  for (const HalfSums &sum : sums) {
    const auto &[left, right] = *sum.factors.halves;
    mlir::Value ofRows = greatest(numbersOf(left.spread, *sum.request, -INFINITY));
    mlir::Value ofLanes = greatest(numbersOf(right.spread, *sum.request, -INFINITY));
    mlir::Value both = arith::AddFOp::create(builder, loc, ofRows, ofLanes);
    mlir::Value bound = math.constant(type, tooFarApart, loc).value;
    mlir::Value is = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, both, bound);
    all = all ? arith::AndIOp::create(builder, loc, all, is).getResult() : is;
  }
  return all;
}

llvm::SmallVector<mlir::Value> KernelBuilder::sumHalves(llvm::ArrayRef<HalfSums> sums,
                                                        Location loc) {
  Type element = builder.getF32Type();
  llvm::SmallVector<unsigned, 2> tile = {0, laneAxis()};
  unsigned columns = columnAxis(0);
  auto zeros = [&](llvm::StringRef name) {
    return math.lift(math.constant(element, 0, nameLoc(name, loc)), tile, nameLoc(name, loc));
  };
  llvm::SmallVector<mlir::Value> initial;
  for (size_t number = 0; number < sums.size(); ++number)
    llvm::append_range(initial, llvm::ArrayRef({zeros("acc"), zeros("cross")}));
  auto scaleOf = [&](const Access &scale, const FoldPlan &request) {
    return math.lift(numbersOf(scale, request, 0), tile, loc);
  };
  scf::ForOp loop = openLoop(0, initial, loc);
  llvm::SmallVector<mlir::Value> next;
  Pred always = index::truth(context, true);
  for (const HalfSums &sum : sums) {
    const FoldPlan &request = *sum.request;
    llvm::SmallVector<Expr, 4> over = foldIndices(*request.value);
    auto tileOf = [&](const Access &half, unsigned side) {
      llvm::SmallVector<unsigned, 2> along = {0, columns};
      if (side == 1)
        along = {columns, laneAxis()};
      return factor(half, request.at, over, along, columns, always, loc);
    };
    const auto &[left, right] = *sum.factors.halves;
    TileValue leftHigh = tileOf(left.high, 0), rightHigh = tileOf(right.high, 1);
    TileValue leftLow = tileOf(left.low, 0), rightLow = tileOf(right.low, 1);
    mlir::Value before = loop.getRegionIterArg(next.size());
    mlir::Value cross = loop.getRegionIterArg(next.size() + 1);
    mlir::Value none = math.lift(math.constant(element, 0, loc), tile, loc);
    mlir::Value step = multiply(leftHigh, rightHigh, none, false, loc);
    mlir::Value scaled = arith::MulFOp::create(builder, loc, step, scaleOf(left.scale, request));
    next.push_back(arith::AddFOp::create(builder, loc, before, scaled));
    cross = multiply(leftHigh, rightLow, cross, false, loc);
    next.push_back(multiply(leftLow, rightHigh, cross, false, loc));
  }
  ValueRange results = closeColumns(loop, next, loc);
  llvm::SmallVector<mlir::Value> totals;
  for (auto [number, sum] : llvm::enumerate(sums)) {
    const auto &[left, right] = *sum.factors.halves;
    mlir::Value ofLow = math.lift(math.constant(element, 1 / lowHalfScale, loc), tile, loc);
    ofLow = arith::MulFOp::create(builder, loc, results[2 * number + 1], ofLow);
    ofLow = arith::MulFOp::create(builder, loc, ofLow, scaleOf(left.scale, *sum.request));
    mlir::Value all = arith::AddFOp::create(builder, loc, results[2 * number], ofLow);
    totals.push_back(arith::MulFOp::create(builder, loc, all, scaleOf(right.scale, *sum.request)));
  }
  return totals;
}

/// The same of the factors themselves, by three products of TF32.
llvm::SmallVector<mlir::Value> KernelBuilder::sumFloats(llvm::ArrayRef<FoldPlan> group,
                                                        Location loc) {
  llvm::SmallVector<unsigned, 2> tile = {0, laneAxis()};
  llvm::SmallVector<mlir::Value> initial, next;
  for (const FoldPlan &request : group)
    initialState(request, tile, initial);
  scf::ForOp loop = openLoop(0, initial, loc);
  loop->setAttr("tile.num_stages", builder.getI64IntegerAttr(fallbackStages));
  for (const FoldPlan &request : group)
    next.push_back(contractionTurn(request, loop.getRegionIterArg(next.size())));
  return llvm::to_vector_of<mlir::Value>(closeColumns(loop, next, loc));
}

void KernelBuilder::answerFromHalves(llvm::ArrayRef<FoldPlan> group) {
  Location loc = plainLoc(group.front().value->loc);
  const ContractionAxes &axes = *kernel.contraction;
  llvm::SmallVector<unsigned, 2> tile = {0, laneAxis()};
  llvm::SmallVector<HalfSums, 1> sums;
  for (const FoldPlan &request : group) {
    Contraction factors =
        contractionAlong(program, stored, *request.value, request.at, foldIndices(*request.value),
                         facts, form.isSwapped ? axes.right : axes.left);
    sums.push_back({&request, std::move(factors)});
  }
  llvm::SmallVector<Type> types(group.size(), math.tileType(builder.getF32Type(), tile));
  const Value &first = *group.front().value;
  Location named = nameLoc(first.isNamed ? first.name : "total", loc);
  auto choice = scf::IfOp::create(builder, named, types, mayTakeHalves(sums, loc),
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  enterScope(choice, choice.thenBlock());
  closeScope(sumHalves(sums, loc), loc);
  enterScope(choice, choice.elseBlock());
  closeScope(sumFloats(group, loc), loc);
  for (auto [request, total] : llvm::zip_equal(group, choice.getResults())) {
    mlir::Value cast = castElements(builder, total, builder.getF32Type(),
                                    request.value->elementType, resultLoc(*request.value));
    remember(request, {cast, tile, {}});
  }
}

} // namespace nereid::schedule
