// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/GraphDialect.h"

#include "graph/GraphOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nereid::graph;

#include "graph/GraphDialect.cpp.inc"
#include "graph/GraphEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "graph/GraphAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "graph/GraphTypes.cpp.inc"

void GraphDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "graph/GraphTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "graph/GraphAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "graph/GraphPointwiseOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "graph/GraphViewOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "graph/GraphFoldOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "graph/GraphScatterOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "graph/GraphProgramOps.cpp.inc"
      >();
}

LogicalResult GraphDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() != "graph.program")
    return success();
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    return op->emitOpError("c1: 'graph.program' belongs on a func.func");
  FunctionType type = function.getFunctionType();
  for (Type part : llvm::concat<const Type>(type.getInputs(), type.getResults()))
    if (!isa<TensorType>(part))
      return op->emitOpError("c2: arguments and results are graph tensors, found ") << part;
  for (unsigned index = 0; index < type.getNumInputs(); ++index)
    if (!function.getArgAttrOfType<StringAttr>(index, "graph.name"))
      return op->emitOpError("c3: argument ") << index << " has no 'graph.name'";
  if (!op->getAttrOfType<StringAttr>("graph.result"))
    return op->emitOpError("c4: 'graph.result' is missing or not a string");
  return success();
}

Type nereid::graph::boolTensorLike(Type type) {
  auto tensor = dyn_cast_if_present<nereid::graph::TensorType>(type);
  return tensor ? tensor.withElementType(IntegerType::get(type.getContext(), 1)) : Type();
}

bool nereid::graph::isElementType(Type type) {
  if (isa<Float64Type, Float32Type, Float16Type, BFloat16Type, Float8E4M3FNType, Float8E5M2Type>(
          type))
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSigned())
    return false;
  unsigned width = integer.getWidth();
  return (width == 1 && integer.isSignless()) || width == 8 || width == 16 || width == 32 ||
         width == 64;
}

nereid::graph::TensorType nereid::graph::TensorType::withElementType(Type type) const {
  return get(getContext(), getSizes(), type);
}

nereid::graph::TensorType
nereid::graph::TensorType::withSizes(ArrayRef<nereid::index::Expr> sizes) const {
  return get(getContext(), sizes, getElementType());
}

LogicalResult nereid::graph::TensorType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                                                ArrayRef<nereid::index::Expr> sizes,
                                                Type elementType) {
  for (nereid::index::Expr size : sizes)
    if (auto value = size.getConstant(); value && *value < 0)
      return emitError() << "a size of a tensor is negative: " << *value;
  if (!isElementType(elementType))
    return emitError() << elementType << " is no element type of a tensor";
  return success();
}

Type nereid::graph::TensorType::parse(AsmParser &parser) {
  SmallVector<nereid::index::Expr> sizes;
  Type elementType;
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess() || sym::parseExprList(parser, sizes) || parser.parseKeyword("x") ||
      parser.parseType(elementType) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(where); }, parser.getContext(), sizes,
                    elementType);
}

void nereid::graph::TensorType::print(AsmPrinter &printer) const {
  printer << "<";
  sym::printExprList(printer, getSizes());
  printer << " x " << getElementType() << ">";
}
