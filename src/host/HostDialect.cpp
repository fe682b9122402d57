// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/HostDialect.h"

#include "host/HostOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "host/HostDialect.cpp.inc"

#include "host/HostEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "host/HostAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "host/HostTypes.cpp.inc"

using namespace mlir;

namespace nereid::host {

void HostDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "host/HostOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "host/HostAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "host/HostTypes.cpp.inc"
      >();
}

Type TensorType::parse(AsmParser &parser) {
  llvm::SmallVector<index::Expr> sizes, strides;
  Type element;
  if (parser.parseLess() || sym::parseExprList(parser, sizes) || parser.parseKeyword("x") ||
      parser.parseType(element) || parser.parseComma() || sym::parseExprList(parser, strides) ||
      parser.parseGreater())
    return {};
  return TensorType::getChecked([&] { return parser.emitError(parser.getNameLoc()); },
                                parser.getContext(), sizes, element, strides);
}

void TensorType::print(AsmPrinter &printer) const {
  printer << "<";
  sym::printExprList(printer, getSizes());
  printer << " x " << getElementType() << ", ";
  sym::printExprList(printer, getStrides());
  printer << ">";
}

LogicalResult TensorType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<index::Expr> sizes, Type element,
                                 ArrayRef<index::Expr> strides) {
  if (sizes.size() != strides.size())
    return emitError() << "expected one stride a size, found " << sizes.size() << " sizes and "
                       << strides.size() << " strides";
  if (!isa<IntegerType, FloatType>(element))
    return emitError() << "expected an integer or a float as element, found " << element;
  return success();
}

llvm::SmallVector<index::Expr> getRowMajorStrides(llvm::ArrayRef<index::Expr> sizes,
                                                  index::Context &context) {
  llvm::SmallVector<index::Expr> strides(sizes.size());
  index::Expr stride = context.constant(1);
  for (size_t axis = sizes.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride = stride * sizes[axis];
  }
  return strides;
}

bool hasRowMajorStrides(TensorType type) {
  if (type.getRank() == 0)
    return true;
  index::Context &context = type.getSizes().front().getContext();
  return ArrayRef(getRowMajorStrides(type.getSizes(), context)) == type.getStrides();
}

/// Checks that a symbol of a host program names something that its arguments have.
static LogicalResult verifySymbol(func::FuncOp program, SymbolAttr symbol) {
  auto refuse = [&](const llvm::Twine &reason) {
    return program.emitOpError() << "symbol " << symbol.getName() << " " << reason;
  };
  if (symbol.getArgument() < 0 || symbol.getArgument() >= program.getNumArguments())
    return refuse("names argument " + llvm::Twine(symbol.getArgument()) + ", which is not there");
  Type type = program.getArgumentTypes()[symbol.getArgument()];
  if (symbol.getKind() == SymbolKind::Value) {
    if (!type.isInteger(64) && !type.isInteger(1))
      return refuse("is the value of an argument that is neither i64 nor i1");
    return success();
  }
  auto tensor = dyn_cast<TensorType>(type);
  if (!tensor || symbol.getDim() < 0 || symbol.getDim() >= tensor.getRank())
    return refuse("names dimension " + llvm::Twine(symbol.getDim()) + ", which is not there");
  return success();
}

LogicalResult HostDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  auto program = dyn_cast<func::FuncOp>(op);
  if (!program)
    return op->emitOpError() << "'" << name << "' belongs on a func.func";
  if (name == programAttrName && !isa<UnitAttr>(attribute.getValue()))
    return op->emitOpError() << "'" << name << "' must be a unit attribute";
  if (name != symbolsAttrName)
    return success();
  auto symbols = dyn_cast<ArrayAttr>(attribute.getValue());
  if (!symbols)
    return op->emitOpError() << "'" << name << "' must be an array of #host.symbol";
  for (Attribute part : symbols) {
    auto symbol = dyn_cast<SymbolAttr>(part);
    if (!symbol)
      return op->emitOpError() << "'" << name << "' must be an array of #host.symbol";
    if (failed(verifySymbol(program, symbol)))
      return failure();
  }
  return success();
}

LogicalResult HostDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned,
                                                    NamedAttribute attribute) {
  if (attribute.getName() == nameAttrName && !isa<StringAttr>(attribute.getValue()))
    return op->emitOpError() << "'" << nameAttrName << "' must be a string";
  return success();
}

} // namespace nereid::host
