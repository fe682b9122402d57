// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/AppliedSizes.h"

#include "sym/SymDialect.h"

using namespace mlir;
using nereid::index::Expr;

namespace nereid::graph {

/// The size that a number is; null where it is none.
static Expr getSize(Value number, index::Context &context) {
  if (auto size = number.getDefiningOp<SizeOp>())
    return size.getExpr().getExpr();
  auto argument = dyn_cast<BlockArgument>(number);
  auto program =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  auto name = program
                  ? program.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "graph.symbol")
                  : StringAttr();
  return name ? context.symbol(name.getValue()) : Expr();
}

AppliedSizes::AppliedSizes(func::FuncOp function, ValueRange operands) {
  index::Context &context = sym::SymDialect::getIndexContext(function.getContext());
  for (auto [place, operand] : llvm::enumerate(operands)) {
    if (place >= function.getNumArguments())
      return;
    if (auto name = function.getArgAttrOfType<StringAttr>(place, "graph.symbol"))
      if (Expr size = getSize(operand, context))
        values.try_emplace(context.symbol(name.getValue()), size);
    auto inner = cast<TensorType>(function.getArgumentTypes()[place]);
    auto outer = cast<TensorType>(operand.getType());
    for (auto [size, value] : llvm::zip(inner.getSizes(), outer.getSizes()))
      if (size.isSymbol())
        values.try_emplace(size, value);
  }
}

Type AppliedSizes::operator()(Type type) const {
  auto tensor = cast<TensorType>(type);
  return tensor.withSizes(llvm::map_to_vector(tensor.getSizes(), *this));
}

SmallVector<Type> AppliedSizes::operator()(TypeRange types) const {
  return llvm::map_to_vector(types, [&](Type type) { return (*this)(type); });
}

} // namespace nereid::graph
