// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/Combiner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::tile {

/// The combiner of one commutative operation.
static std::optional<Combiner> getCombinerOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Combiner>>(op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return Combiner::Sum; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return Combiner::Prod; })
      .Case([](arith::MaximumFOp) { return Combiner::Max; })
      .Case([](arith::MinimumFOp) { return Combiner::Min; })
      .Case([](arith::MaxNumFOp) { return Combiner::MaxNum; })
      .Case([](arith::MinNumFOp) { return Combiner::MinNum; })
      .Case([](arith::MaxSIOp) { return Combiner::SMax; })
      .Case([](arith::MinSIOp) { return Combiner::SMin; })
      .Case([](arith::MaxUIOp) { return Combiner::UMax; })
      .Case([](arith::MinUIOp) { return Combiner::UMin; })
      .Case([](arith::AndIOp) { return Combiner::And; })
      .Case([](arith::OrIOp) { return Combiner::Or; })
      .Case([](arith::XOrIOp) { return Combiner::Xor; })
      .Default([](Operation *) { return std::nullopt; });
}

/// +1 for `a > b`, -1 for `a < b`, 0 for `a == b` (ordered for floats).
static std::optional<int> getComparison(Value value, Value a, Value b) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() != 2 || op->getOperand(0) != a || op->getOperand(1) != b)
    return std::nullopt;
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    switch (compare.getPredicate()) {
    case arith::CmpFPredicate::OGT:
      return 1;
    case arith::CmpFPredicate::OLT:
      return -1;
    case arith::CmpFPredicate::OEQ:
      return 0;
    default:
      return std::nullopt;
    }
  }
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare)
    return std::nullopt;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::sgt:
    return 1;
  case arith::CmpIPredicate::slt:
    return -1;
  case arith::CmpIPredicate::eq:
    return 0;
  default:
    return std::nullopt;
  }
}

/// `select(c, v0, v1), select(c, i0, i1)` with `c = v0 > v1 or (v0 == v1 and i0 < i1)`.
static std::optional<Combiner> getArgCombiner(Block &block) {
  if (block.getNumArguments() != 4)
    return std::nullopt;
  Value v0 = block.getArgument(0), i0 = block.getArgument(1);
  Value v1 = block.getArgument(2), i1 = block.getArgument(3);
  Operation *yield = block.getTerminator();
  auto number = yield->getOperand(0).getDefiningOp<arith::SelectOp>();
  auto index = yield->getOperand(1).getDefiningOp<arith::SelectOp>();
  if (!number || !index || number.getCondition() != index.getCondition() ||
      number.getTrueValue() != v0 || number.getFalseValue() != v1 || index.getTrueValue() != i0 ||
      index.getFalseValue() != i1)
    return std::nullopt;
  auto either = number.getCondition().getDefiningOp<arith::OrIOp>();
  auto tie = either ? either.getRhs().getDefiningOp<arith::AndIOp>() : arith::AndIOp();
  if (!tie || getComparison(tie.getLhs(), v0, v1) != 0 || getComparison(tie.getRhs(), i0, i1) != -1)
    return std::nullopt;
  std::optional<int> order = getComparison(either.getLhs(), v0, v1);
  if (!order || *order == 0)
    return std::nullopt;
  return *order > 0 ? Combiner::ArgMax : Combiner::ArgMin;
}

std::optional<Combiner> getCombiner(Region &combine) {
  Block &block = combine.front();
  if (block.getNumArguments() != 2)
    return getArgCombiner(block);
  Operation &op = block.front();
  if (op.getNumOperands() != 2 || op.getNumResults() != 1 ||
      op.getNextNode() != block.getTerminator() ||
      block.getTerminator()->getOperand(0) != op.getResult(0))
    return std::nullopt;
  Value a = block.getArgument(0), b = block.getArgument(1);
  bool straight = op.getOperand(0) == a && op.getOperand(1) == b;
  bool swapped = op.getOperand(0) == b && op.getOperand(1) == a;
  return straight || swapped ? getCombinerOf(&op) : std::nullopt;
}

static Value buildArith(OpBuilder &builder, Location loc, Combiner kind, Value a, Value b) {
  bool isFloat = isa<FloatType>(a.getType());
  auto isKind = [&](Combiner first, Combiner second) { return kind == first || kind == second; };
  if (isKind(Combiner::Sum, Combiner::Prod)) {
    bool isSum = kind == Combiner::Sum;
    if (isFloat)
      return isSum ? arith::AddFOp::create(builder, loc, a, b).getResult()
                   : arith::MulFOp::create(builder, loc, a, b).getResult();
    return isSum ? arith::AddIOp::create(builder, loc, a, b).getResult()
                 : arith::MulIOp::create(builder, loc, a, b).getResult();
  }
  assert(isFloat == (kind >= Combiner::Max && kind <= Combiner::MinNum) &&
         "the combiner does not fit the element type");
  switch (kind) {
  case Combiner::Max:
    return arith::MaximumFOp::create(builder, loc, a, b);
  case Combiner::Min:
    return arith::MinimumFOp::create(builder, loc, a, b);
  case Combiner::MaxNum:
    return arith::MaxNumFOp::create(builder, loc, a, b);
  case Combiner::MinNum:
    return arith::MinNumFOp::create(builder, loc, a, b);
  case Combiner::SMax:
    return arith::MaxSIOp::create(builder, loc, a, b);
  case Combiner::SMin:
    return arith::MinSIOp::create(builder, loc, a, b);
  case Combiner::UMax:
    return arith::MaxUIOp::create(builder, loc, a, b);
  case Combiner::UMin:
    return arith::MinUIOp::create(builder, loc, a, b);
  case Combiner::And:
    return arith::AndIOp::create(builder, loc, a, b);
  case Combiner::Or:
    return arith::OrIOp::create(builder, loc, a, b);
  case Combiner::Xor:
    return arith::XOrIOp::create(builder, loc, a, b);
  default:
    llvm_unreachable("not the combiner of one operation");
  }
}

static void buildArgCombiner(OpBuilder &builder, Location loc, Combiner kind, Block &block) {
  Value v0 = block.getArgument(0), i0 = block.getArgument(1);
  Value v1 = block.getArgument(2), i1 = block.getArgument(3);
  Value better, equal;
  bool isMax = kind == Combiner::ArgMax;
  if (isa<FloatType>(v0.getType())) {
    auto order = isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
    better = arith::CmpFOp::create(builder, loc, order, v0, v1);
    equal = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, v0, v1);
  } else {
    auto order = isMax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt;
    better = arith::CmpIOp::create(builder, loc, order, v0, v1);
    equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, v0, v1);
  }
  Value first = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, i0, i1);
  Value tie = arith::AndIOp::create(builder, loc, equal, first);
  Value pick = arith::OrIOp::create(builder, loc, better, tie);
  Value number = arith::SelectOp::create(builder, loc, pick, v0, v1);
  Value index = arith::SelectOp::create(builder, loc, pick, i0, i1);
  YieldOp::create(builder, loc, ValueRange{number, index});
}

void buildCombiner(Region &combine, Combiner kind, TypeRange elements, Location loc) {
  OpBuilder builder(loc.getContext());
  SmallVector<Type> arguments(elements);
  arguments.append(elements.begin(), elements.end());
  Block *block =
      builder.createBlock(&combine, {}, arguments, SmallVector<Location>(arguments.size(), loc));
  if (kind == Combiner::ArgMax || kind == Combiner::ArgMin) {
    assert(elements.size() == 2 && "a number and its index");
    return buildArgCombiner(builder, loc, kind, *block);
  }
  assert(elements.size() == 1 && "the combiner of one number");
  Value result = buildArith(builder, loc, kind, block->getArgument(0), block->getArgument(1));
  YieldOp::create(builder, loc, result);
}

} // namespace nereid::tile
