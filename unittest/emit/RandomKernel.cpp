// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomKernel.h"

#include "tile/Combiner.h"
#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::emit {

Location RandomKernel::place() {
  static constexpr llvm::StringLiteral names[] = {"x", "y", "offsets", "mask", "total", "x"};
  Location unknown = builder.getUnknownLoc();
  if (pick(3) != 0)
    return unknown;
  return NameLoc::get(builder.getStringAttr(names[pick(std::size(names))]), unknown);
}

Value RandomKernel::number(Type type, double value) {
  Type element = tile::getElementType(type);
  TypedAttr attribute = isa<FloatType>(element)
                            ? TypedAttr(builder.getFloatAttr(element, value))
                            : TypedAttr(builder.getIntegerAttr(element, int64_t(value)));
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    attribute = DenseElementsAttr::get(tensor, Attribute(attribute));
  return arith::ConstantOp::create(builder, builder.getUnknownLoc(), attribute);
}

Value RandomKernel::pointers(Value base, Value offsets) {
  Value many = tile::SplatOp::create(builder, builder.getUnknownLoc(), pointerTile, base);
  return tile::AddPtrOp::create(builder, builder.getUnknownLoc(), many, offsets);
}

void RandomKernel::addFloat(Pool &pool) {
  Value a = any(pool.floats), b = any(pool.floats);
  Location at = place();
  switch (pick(11)) {
  case 0:
    return pool.floats.push_back(arith::AddFOp::create(builder, at, a, b));
  case 1:
    return pool.floats.push_back(arith::SubFOp::create(builder, at, a, b));
  case 2:
    return pool.floats.push_back(arith::MulFOp::create(builder, at, a, number(floatTile, 0.1)));
  case 3:
    return pool.floats.push_back(arith::DivFOp::create(builder, at, a, b));
  case 4:
    return pool.floats.push_back(arith::MaximumFOp::create(builder, at, a, b));
  case 5:
    return pool.floats.push_back(math::ExpOp::create(builder, at, a));
  case 6:
    return pool.floats.push_back(math::TanhOp::create(builder, at, a));
  case 7:
    return pool.floats.push_back(arith::SelectOp::create(builder, at, any(pool.masks), a, b));
  case 8:
    return pool.floats.push_back(arith::SIToFPOp::create(builder, at, floatTile, any(pool.ints)));
  case 9:
    return pool.floats.push_back(
        tile::SplatOp::create(builder, builder.getUnknownLoc(), floatTile, any(pool.scalars)));
  default:
    return pool.floats.push_back(arith::MinNumFOp::create(builder, at, number(floatTile, -2), b));
  }
}

void RandomKernel::addInt(Pool &pool) {
  Value a = any(pool.ints), b = any(pool.ints);
  Location at = place();
  switch (pick(6)) {
  case 0:
    return pool.ints.push_back(arith::AddIOp::create(builder, at, a, b));
  case 1:
    return pool.ints.push_back(arith::MulIOp::create(builder, at, a, number(intTile, 3)));
  case 2:
    return pool.ints.push_back(arith::RemSIOp::create(builder, at, a, number(intTile, 7)));
  case 3:
    return pool.ints.push_back(arith::DivSIOp::create(builder, at, a, number(intTile, 2)));
  case 4:
    return pool.ints.push_back(arith::XOrIOp::create(builder, at, a, b));
  default:
    return pool.ints.push_back(
        tile::SplatOp::create(builder, builder.getUnknownLoc(), intTile, any(pool.counts)));
  }
}

void RandomKernel::addMask(Pool &pool) {
  Location at = place();
  switch (pick(4)) {
  case 0:
    return pool.masks.push_back(arith::CmpIOp::create(builder, at, arith::CmpIPredicate::slt,
                                                      any(pool.ints), any(pool.ints)));
  case 1:
    return pool.masks.push_back(arith::CmpFOp::create(builder, at, arith::CmpFPredicate::OGE,
                                                      any(pool.floats), any(pool.floats)));
  case 2:
    return pool.masks.push_back(
        arith::AndIOp::create(builder, at, any(pool.masks), any(pool.masks)));
  default:
    return pool.masks.push_back(
        arith::OrIOp::create(builder, at, any(pool.masks), any(pool.masks)));
  }
}

void RandomKernel::addScalar(Pool &pool) {
  Location at = place();
  if (pick(2)) {
    auto kind = pick(2) ? tile::Combiner::Sum : tile::Combiner::Max;
    auto reduce = tile::ReduceOp::create(builder, at, TypeRange{builder.getF32Type()},
                                         ValueRange{any(pool.floats)}, 0);
    tile::buildCombiner(reduce.getCombine(), kind, {builder.getF32Type()}, at);
    return pool.scalars.push_back(reduce.getResult(0));
  }
  if (pick(2))
    return pool.scalars.push_back(
        arith::AddFOp::create(builder, at, any(pool.scalars), any(pool.scalars)));
  pool.counts.push_back(
      arith::AddIOp::create(builder, at, any(pool.counts), number(builder.getI32Type(), 1)));
}

void RandomKernel::addMemory(Pool &pool) {
  Value base = kernel.getArgument(pick(2));
  Value at = pointers(base, any(pool.ints)), mask = any(pool.masks);
  if (pick(2))
    tile::StoreOp::create(builder, builder.getUnknownLoc(), at, any(pool.floats), mask);
  else
    pool.floats.push_back(tile::LoadOp::create(builder, place(), floatTile, at, mask,
                                               number(floatTile, 0), "", "", false));
}

void RandomKernel::addLoop(Pool &pool, unsigned depth) {
  Location unknown = builder.getUnknownLoc();
  Type i32 = builder.getI32Type();
  Value low = number(i32, 0), high = any(pool.counts), step = number(i32, 1);
  llvm::SmallVector<Value> inits = {any(pool.floats), any(pool.floats), any(pool.scalars)};
  auto loop = scf::ForOp::create(builder, unknown, low, high, step, inits);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Pool inner = pool;
  inner.counts.push_back(loop.getInductionVar());
  inner.floats.append({loop.getRegionIterArg(0), loop.getRegionIterArg(1)});
  inner.scalars.push_back(loop.getRegionIterArg(2));
  addSteps(inner, 4 + pick(6), depth + 1);
  llvm::SmallVector<Value> next = {inner.floats.back(), any(inner.floats), inner.scalars.back()};
  scf::YieldOp::create(builder, unknown, next);
  pool.floats.append({loop.getResult(0), loop.getResult(1)});
  pool.scalars.push_back(loop.getResult(2));
}

void RandomKernel::addBranch(Pool &pool, unsigned depth) {
  Location unknown = builder.getUnknownLoc();
  Value condition = arith::CmpIOp::create(builder, unknown, arith::CmpIPredicate::sgt,
                                          any(pool.counts), number(builder.getI32Type(), 3));
  auto branch = scf::IfOp::create(builder, place(), TypeRange{floatTile}, condition, true);
  for (Region *arm : {&branch.getThenRegion(), &branch.getElseRegion()}) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&arm->front());
    Pool inner = pool;
    addSteps(inner, pick(4), depth + 1);
    scf::YieldOp::create(builder, unknown, ValueRange{inner.floats.back()});
  }
  pool.floats.push_back(branch.getResult(0));
}

void RandomKernel::addStep(Pool &pool, unsigned depth) {
  unsigned kind = pick(depth < 2 ? 12 : 10);
  if (kind < 4)
    return addFloat(pool);
  if (kind < 6)
    return addInt(pool);
  if (kind < 7)
    return addMask(pool);
  if (kind < 8)
    return addScalar(pool);
  if (kind < 10)
    return addMemory(pool);
  return kind == 10 ? addLoop(pool, depth) : addBranch(pool, depth);
}

void RandomKernel::addSteps(Pool &pool, unsigned count, unsigned depth) {
  for (unsigned i = 0; i < count; ++i)
    addStep(pool, depth);
}

void RandomKernel::addInputs(Pool &pool) {
  Location unknown = builder.getUnknownLoc();
  Value pid = tile::ProgramIdOp::create(builder, place(), builder.getI32Type(), 0);
  Value block = tile::MetaOp::create(builder, unknown, "BLOCK", 64);
  Value base = arith::MulIOp::create(builder, unknown, pid, block);
  Value bases = tile::SplatOp::create(builder, unknown, intTile, base);
  Value range = tile::RangeOp::create(builder, unknown, intTile, 0);
  Value offsets = arith::AddIOp::create(builder, place(), bases, range);
  Value bound = tile::SplatOp::create(builder, unknown, intTile, kernel.getArgument(3));
  Value mask = arith::CmpIOp::create(builder, place(), arith::CmpIPredicate::slt, offsets, bound);
  pool.ints = {offsets, range};
  pool.masks = {mask};
  pool.counts = {kernel.getArgument(3), pid};
  pool.scalars = {kernel.getArgument(4)};
  pool.floats = {tile::LoadOp::create(builder, place(), floatTile,
                                      pointers(kernel.getArgument(0), offsets), mask,
                                      number(floatTile, 0), "", "", false)};
}

OwningOpRef<ModuleOp> RandomKernel::build() {
  Location unknown = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(unknown);
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  Type pointer = tile::PtrType::get(f32);
  floatTile = tile::getTileType(f32, {64}, {"BLOCK"});
  intTile = tile::getTileType(i32, {64}, {"BLOCK"});
  maskTile = tile::getTileType(builder.getI1Type(), {64}, {"BLOCK"});
  pointerTile = tile::getTileType(pointer, {64}, {"BLOCK"});
  builder.setInsertionPointToStart(module->getBody());
  auto type = builder.getFunctionType({pointer, pointer, pointer, i32, f32}, {});
  kernel = func::FuncOp::create(builder, unknown, "random_kernel", type);
  kernel->setAttr(tile::kernelAttrName, builder.getUnitAttr());
  kernel->setAttr(tile::metaAttrName, builder.getStrArrayAttr({"BLOCK"}));
  static constexpr llvm::StringLiteral names[] = {"x_ptr", "y_ptr", "out_ptr", "n", "alpha"};
  for (auto [place, name] : llvm::enumerate(names))
    kernel.setArgAttr(place, tile::nameAttrName, builder.getStringAttr(name));
  builder.setInsertionPointToStart(kernel.addEntryBlock());
  Pool pool;
  addInputs(pool);
  addSteps(pool, 6 + pick(16), 0);
  for (unsigned i = 0; i < 2; ++i)
    tile::StoreOp::create(builder, unknown, pointers(kernel.getArgument(2), pool.ints[0]),
                          pool.floats[pool.floats.size() - 1 - i % pool.floats.size()],
                          pool.masks[0]);
  func::ReturnOp::create(builder, unknown);
  return module;
}

} // namespace nereid::emit
