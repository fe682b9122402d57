// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers: counters that hang on where an element stands in the drawn tensor.
#include "schedule/kernel/KernelScope.h"
#include "schedule/program/IndexMap.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace nereid::schedule {

/// Where the counters of a stream begin. Its number is an argument: kernels of equal layers are
/// equal, and none is compiled for each draw.
TileValue KernelBuilder::firstCounter(Expr stream, unsigned shift, Location loc) {
  auto [known, isNew] = streams.try_emplace({stream, shift});
  if (!isNew)
    return known->second;
  InScope in(*this, root);
  mlir::Value number =
      root.block->addArgument(builder.getI32Type(), nameLoc(uniqueName("stream"), loc));
  parameters.push_back({nullptr, stream});
  mlir::Value wide = math.widen({number, {}, {}}, 64, plainLoc(loc)).value;
  mlir::Value distance = math.integer(shift, 64, loc).value;
  known->second.value = arith::ShLIOp::create(builder, plainLoc(loc), wide, distance);
  return known->second;
}

/// The offsets are counters: equal wherever the value is computed, whatever the kernel's axes.
TileValue KernelBuilder::random(const Value &value, llvm::ArrayRef<Expr> at, Pred guard) {
  Location loc = resultLoc(value);
  auto op = cast<graph::RandomOp>(value.op);
  // One number for all lanes, those that need none too.
  TileValue seed = read(value.inputs[0], at, {}, index::truth(context, true));
  llvm::SaveAndRestore<Pred> under(assumed, guard);
  Offset offset = splitOffset(facts.simplify(linearize(at, value.shape, context)), loc);
  // Four neighbours share a counter where their words do, so their offsets are four times as many.
  TileValue position = firstCounter(op.getStream().getExpr(), op.getShift(), loc);
  for (const TileValue &part : {offset.scalar, offset.lanes})
    if (part.value)
      position = math.combineIntegers<arith::AddIOp>(position, part, loc);
  tile::RandomKind kind = op.getKind() == graph::RandomKind::Bits ? tile::RandomKind::SharedBits
                          : op.getKind() == graph::RandomKind::Uniform
                              ? tile::RandomKind::SharedUniform
                              : tile::RandomKind::Normal;
  Type element =
      kind == tile::RandomKind::SharedBits ? Type(builder.getI32Type()) : builder.getF32Type();
  TileValue result;
  result.axes = position.axes;
  result.value = tile::RandomOp::create(builder, loc, math.tileType(element, position.axes), kind,
                                        seed.value, position.value);
  return result;
}

} // namespace nereid::schedule
