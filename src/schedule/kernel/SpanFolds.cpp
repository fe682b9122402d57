// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that go over spans of rows: the loop over rows, what is carried through it.
#include "schedule/kernel/KernelScope.h"

#include "schedule/kernel/FoldMath.h"
#include "schedule/kernel/Pointwise.h"
#include "schedule/nest/LoopNest.h"

using namespace mlir;

namespace nereid::schedule {

void KernelBuilder::bindSpan() {
  Location loc = program.func.getLoc();
  bool hasOuter = !kernel.outer.symbols.empty();
  if (hasOuter) {
    TileValue outer{tile::ProgramIdOp::create(builder, loc, 0), {}, {}};
    bindAxes(kernel.outer, math.widen(outer, 64, nameLoc("group", loc)), root);
  }
  if (kernel.span != Kernel::allRows)
    root.symbols[kernel.spanIndex] = {
        tile::ProgramIdOp::create(builder, loc, hasOuter ? 1 : 0), {}, {}};
  if (kernel.span != Kernel::allRows && hasOuter)
    checks.emplace_back(index::le(kernel.countSpans(context), 65535),
                        "an axis is too long for the second axis of a grid");
  checks.emplace_back(
      index::le(index::product(context, form.rows.extents), (int64_t(1) << 31) - 65536),
      "an axis is too long for 32-bit indices");
}

/// Opens the loop over the program's rows, a block of them at a time.
scf::ForOp KernelBuilder::openRows(ValueRange initial) {
  Location loc = program.func.getLoc();
  Expr extent = index::product(context, form.rows.extents);
  TileValue start = math.integer(0, 32, loc), stop = loopBound(extent, loc);
  if (kernel.span != Kernel::allRows) {
    start = loopBound(kernel.spanIndex * kernel.span, loc);
    Expr end = (kernel.spanIndex + 1) * kernel.span;
    stop = loopBound(index::min(end, extent), nameLoc("stop", loc));
  }
  scf::ForOp loop = enterLoop(start, stop, 0, initial, loc);
  if (form.turnsAhead != 0) {
    loop->setAttr("tile.num_stages", builder.getI64IntegerAttr(form.turnsAhead));
    loop->setAttr("tile.most_ahead", builder.getI64IntegerAttr(form.mostAhead));
  }
  TileValue range{
      tile::RangeOp::create(builder, loc, math.tileType(builder.getI32Type(), {0}), 0), {0}, {}};
  TileValue first{loop.getInductionVar(), {}, {}};
  TileValue rows = math.combineIntegers<arith::AddIOp>(first, range, nameLoc("rows", loc));
  axisMasks[0] = math.compare(arith::CmpIPredicate::slt, rows, stop, nameLoc("row_mask", loc));
  bindAxes(form.rows, rows, *current);
  return loop;
}

/// The tile in which a fold is carried: a lane for each row of a block and each column or two.
llvm::SmallVector<unsigned, 2> KernelBuilder::carriedAxes(const KernelOutput &output) const {
  llvm::SmallVector<unsigned, 2> along = {0};
  if (output.columns >= 0)
    along.push_back(columnAxis(output.columns));
  if (kernel.isPaired(output))
    along.push_back(pairAxis());
  return along;
}

/// `dw_acc` of `dw_partial`.
static Location carriedLoc(const Value &value) {
  llvm::StringRef name = value.name;
  name.consume_back("_partial");
  return nameLoc((name + "_acc").str(), value.loc);
}

void KernelBuilder::makeSpan(const Pass &pass) {
  Location loc = program.func.getLoc();
  Pred always = index::truth(context, true);
  llvm::SmallVector<mlir::Value> initial, next;
  for (const KernelOutput *output : pass.carried) {
    const Value &value = *output->value;
    Type element = value.inputs[0].from->elementType;
    Location named = carriedLoc(value);
    TileValue neutral = math.constant(tile::getSignless(accumulatorType(element)),
                                      neutralOf(kindOf(value), element), named);
    initial.push_back(math.lift(neutral, carriedAxes(*output), named));
  }
  scf::ForOp loop = openRows(initial);
  makeFolds(pass);
  for (const KernelOutput *output : pass.outputs)
    store(*output);
  for (auto [number, output] : llvm::enumerate(pass.carried)) {
    const Value &value = *output->value;
    Location named = carriedLoc(value);
    Type element = value.inputs[0].from->elementType;
    auto inputAt = [&](llvm::ArrayRef<Expr> at) {
      return foldInput({&value, llvm::to_vector<4>(at)}, kernel.rows.symbols, 0,
                       neutralOf(kindOf(value), element));
    };
    TileValue input = kernel.isPaired(*output) ? joinPair(*output, inputAt) : inputAt(output->at);
    mlir::Value lanes = math.lift(input, carriedAxes(*output), plainLoc(value.loc));
    next.push_back(combine(builder, kindOf(value), accumulatorType(element),
                           loop.getRegionIterArgs()[number], lanes, named));
  }
  closeScope(next, loc);
  for (auto [number, output] : llvm::enumerate(pass.carried)) {
    TileValue result = reduceTile(builder, *output->value, loop.getResult(number),
                                  carriedAxes(*output), 0, false, resultLoc(*output->value));
    Scope::Key key{
        output->value, {output->at.begin(), output->at.end()}, always.getAsOpaquePointer()};
    root.values[key] = result;
    store(*output, result);
  }
}

} // namespace nereid::schedule
