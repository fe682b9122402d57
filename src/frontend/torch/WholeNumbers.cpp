// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole numbers that the call gives (`n=i64`) where sizes are asked for: bounds of slices, sizes of
// new tensors, conditions. What is computed from them in Python is in the graph already; it is read
// from there.
#include "frontend/torch/TorchLibrary.h"

#include "graph/GraphOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;

namespace nereid::torch {

Expr TorchLibrary::sizeOfNumber(mlir::Value number) {
  if (auto argument = dyn_cast<mlir::BlockArgument>(number)) {
    if (mlir::Value operand = operandValues.lookup(argument))
      return sizeOfNumber(operand);
    auto found = givenNumbers.find(number);
    return found == givenNumbers.end() ? Expr() : solver.given(found->second);
  }
  mlir::Operation *op = number.getDefiningOp();
  auto both = [&](auto combine) {
    Expr a = sizeOfNumber(op->getOperand(0)), b = a ? sizeOfNumber(op->getOperand(1)) : Expr();
    return b ? combine(a, b) : Expr();
  };
  return TypeSwitch<mlir::Operation *, Expr>(op)
      .Case([](graph::SizeOp size) { return size.getExpr().getExpr(); })
      .Case([&](graph::ConstantOp constant) {
        auto value = dyn_cast<mlir::IntegerAttr>(constant.getValue());
        return value ? writer.constantSize(value.getInt()) : Expr();
      })
      .Case([&](graph::CastOp cast) {
        return isFloat(writer.dtype(cast.getInput())) ? Expr() : sizeOfNumber(cast.getInput());
      })
      .Case([&](graph::NegOp neg) {
        Expr size = sizeOfNumber(neg.getInput());
        return size ? -size : Expr();
      })
      .Case([&](graph::AddOp) { return both([](Expr a, Expr b) { return a + b; }); })
      .Case([&](graph::SubOp) { return both([](Expr a, Expr b) { return a - b; }); })
      .Case([&](graph::MulOp) { return both([](Expr a, Expr b) { return a * b; }); })
      .Case([&](graph::FloordivOp) {
        return both([](Expr a, Expr b) {
          std::optional<int64_t> divisor = b.getConstant();
          return divisor && *divisor > 0 ? index::floordiv(a, *divisor) : Expr();
        });
      })
      .Default(Expr());
}

Pred TorchLibrary::conditionOfNumber(mlir::Value number) {
  mlir::Operation *op = number.getDefiningOp();
  if (auto opposite = dyn_cast_if_present<graph::NotOp>(op)) {
    Pred pred = conditionOfNumber(opposite.getInput());
    return pred ? index::notOf(pred) : pred;
  }
  if (!isa_and_present<graph::EqOp, graph::NeOp, graph::LtOp, graph::LeOp, graph::GtOp,
                       graph::GeOp>(op) ||
      isFloat(writer.dtype(op->getOperand(0))))
    return Pred();
  Expr a = sizeOfNumber(op->getOperand(0)), b = a ? sizeOfNumber(op->getOperand(1)) : Expr();
  if (!b)
    return Pred();
  return TypeSwitch<mlir::Operation *, Pred>(op)
      .Case([&](graph::EqOp) { return index::eq(a, b); })
      .Case([&](graph::NeOp) { return index::ne(a, b); })
      .Case([&](graph::LtOp) { return index::lt(a, b); })
      .Case([&](graph::LeOp) { return index::le(a, b); })
      .Case([&](graph::GtOp) { return index::lt(b, a); })
      .Default([&](mlir::Operation *) { return index::le(b, a); });
}

} // namespace nereid::torch
