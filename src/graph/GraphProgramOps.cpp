// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/AppliedSizes.h"
#include "graph/GraphOps.h"
#include "support/Placeholders.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace nereid::graph;

#define GET_OP_CLASSES
#include "graph/GraphProgramOps.cpp.inc"

LogicalResult NumberOp::verify() {
  nereid::graph::TensorType type = getResult().getType();
  bool isReal = type.getElementType().isF64() || type.getElementType().isF32();
  if (type.getRank() != 0 || !isReal)
    return emitOpError("c1: the result is a tensor of rank 0 and f64 or f32, found ") << type;
  return success();
}

/// The element type in which a gradient is held.
static Type gradientLike(Type type) {
  auto tensor = cast<nereid::graph::TensorType>(type);
  bool isNarrow = tensor.getElementType().getIntOrFloatBitWidth() < 32;
  return isNarrow ? tensor.withElementType(Float32Type::get(type.getContext())) : tensor;
}

static SmallVector<Type> gradientsOf(TypeRange types) {
  SmallVector<Type> gradients;
  for (Type type : types)
    if (isa<FloatType>(cast<nereid::graph::TensorType>(type).getElementType()))
      gradients.push_back(gradientLike(type));
  return gradients;
}

static LogicalResult verifyGradient(CompositeOp op) {
  Block &block = op.getGradient().front();
  SmallVector<Type> taken = gradientsOf(op.getResultTypes());
  llvm::append_range(taken, op.getOperands().getTypes());
  llvm::append_range(taken, op.getResultTypes());
  if (block.getArgumentTypes() != TypeRange(taken))
    return op.emitOpError(
        "c3: the gradient takes other types than gradients, operands and results");
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValues().getTypes() != TypeRange(gradientsOf(op.getOperands().getTypes())))
    return op.emitOpError(
               "c3: the gradient yields other types than its floating-point operands have: ")
           << yield.getValues().getTypes() << " for " << op.getOperands().getTypes();
  return success();
}

LogicalResult CompositeOp::verify() {
  Block &block = getBody().front();
  if (block.getArgumentTypes() != TypeRange(getOperands()))
    return emitOpError("c1: the body's arguments have other types than the operands");
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return emitOpError("c2: the body does not end in graph.yield");
  if (TypeRange(yield.getValues()) != getResultTypes())
    return emitOpError("c2: the body yields other types than the results");
  return getGradient().empty() ? success() : verifyGradient(*this);
}

LogicalResult LoopOp::verify() {
  nereid::index::Expr count = getCount().getExpr();
  Block &block = getBody().front();
  SmallVector<Type> expected(getInits().getTypes());
  for (Type type : getInputs().getTypes()) {
    auto sizes = cast<nereid::graph::TensorType>(type).getSizes();
    if (sizes.empty() || sizes.front() != count)
      return emitOpError("c1: an input has no leading axis of ")
             << count.str() << " elements, found " << type;
    expected.push_back(cast<nereid::graph::TensorType>(type).withSizes(sizes.drop_front()));
  }
  llvm::append_range(expected, getConstants().getTypes());
  if (block.getArgumentTypes() != TypeRange(expected))
    return emitOpError("c2: the body's arguments have other types than the inits, the inputs' "
                       "elements and the constants");
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  size_t carried = getInits().size();
  if (!yield || yield.getValues().size() < carried ||
      TypeRange(yield.getValues().take_front(carried)) != TypeRange(getInits()))
    return emitOpError("c3: the body does not yield the inits' types");
  SmallVector<Type> results(getInits().getTypes());
  for (mlir::Value value : yield.getValues().drop_front(carried)) {
    auto type = cast<nereid::graph::TensorType>(value.getType());
    SmallVector<nereid::index::Expr> sizes{count};
    llvm::append_range(sizes, type.getSizes());
    results.push_back(type.withSizes(sizes));
  }
  if (getResultTypes() != TypeRange(results))
    return emitOpError("c4: the results have other types than the inits and what is stacked");
  return success();
}

LogicalResult AssignOp::verify() {
  auto argument = dyn_cast<BlockArgument>(getTarget());
  if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return emitOpError("c1: the target is no argument of the program");
  return success();
}

LogicalResult ApplyOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!callee || !callee->hasAttr("graph.program") || !callee->hasAttr("graph.function"))
    return emitOpError("c1: '") << getCallee() << "' is no function of the graph";
  if (callee.getNumArguments() != getNumOperands())
    return emitOpError("c2: ") << getNumOperands() << " operands for the "
                               << callee.getNumArguments() << " arguments of '" << getCallee()
                               << "'";
  AppliedSizes sizes(callee, getOperands());
  if (sizes(callee.getArgumentTypes()) != getOperands().getTypes())
    return emitOpError("c2: the operands have other types than the arguments of '")
           << getCallee() << "'";
  if (sizes(callee.getResultTypes()) != getResultTypes())
    return emitOpError("c3: the results have other types than those of '") << getCallee() << "'";
  return success();
}

LogicalResult CallOp::verify() {
  llvm::SmallBitVector named(getInputs().size());
  for (Attribute part : getSpelling()) {
    bool isWithin = true;
    auto filled = nereid::fillPlaceholders(cast<StringAttr>(part).getValue(),
                                           [&](nereid::Placeholder at) -> std::string {
                                             isWithin &= at.place < named.size();
                                             if (at.place < named.size())
                                               named.set(at.place);
                                             return "";
                                           });
    if (!filled || !isWithin)
      return emitOpError("c1: ") << part << " has a place that is no input's";
  }
  if (!named.all())
    return emitOpError("c1: an input has no place in the call");
  if (getOf().value_or(ArrayRef<int64_t>()).size() != getCotangents().size())
    return emitOpError("c2: as many results are named as there are cotangents");
  if (!getTo())
    return success();
  if (getTo()->size() != getNumResults())
    return emitOpError("c3: as many inputs are named as there are results");
  for (auto [number, result] : llvm::zip_equal(*getTo(), getResultTypes())) {
    bool isInput = number >= 0 && number < int64_t(getInputs().size());
    if (!isInput || getInputs()[number].getType() != result ||
        !isa<FloatType>(cast<nereid::graph::TensorType>(result).getElementType()))
      return emitOpError("c3: a gradient has another type than input ") << number;
  }
  return success();
}
