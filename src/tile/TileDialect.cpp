// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/TileDialect.h"

#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include "tile/TileDialect.cpp.inc"

#include "tile/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tile/TileAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "tile/TileTypes.cpp.inc"

using namespace mlir;

namespace nereid::tile {

void TileDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tile/TileProgramOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tile/TileShapeOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tile/TileMemoryOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tile/TileComputeOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tile/TileAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "tile/TileTypes.cpp.inc"
      >();
}

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError, Type pointee) {
  if (isa<PtrType, Float8E4M3FNType, Float8E5M2Type, Float16Type, BFloat16Type, Float32Type,
          Float64Type>(pointee))
    return success();
  if (auto integer = dyn_cast<IntegerType>(pointee)) {
    unsigned width = integer.getWidth();
    bool isNumber = width == 8 || width == 16 || width == 32 || width == 64;
    if ((integer.isSignless() && (isNumber || width == 1)) || (integer.isUnsigned() && isNumber))
      return success();
  }
  return emitError() << "a pointer to " << pointee << " is not supported: expected an integer of "
                     << "1, 8, 16, 32 or 64 bits, a float of 8 to 64 bits or a pointer";
}

LogicalResult DimsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                       function_ref<InFlightDiagnostic()> emitError) const {
  if (getNames().size() != shape.size())
    return emitError() << "#tile.dims names " << getNames().size() << " axes of a tile of rank "
                       << shape.size();
  return success();
}

/// The attribute must be an array whose elements are all `ElementAttr`.
template <typename ElementAttr>
static LogicalResult verifyArrayOf(Operation *op, NamedAttribute attribute, StringRef what) {
  auto array = dyn_cast<ArrayAttr>(attribute.getValue());
  if (!array || !llvm::all_of(array, [](Attribute part) { return isa<ElementAttr>(part); }))
    return op->emitOpError() << "'" << attribute.getName().getValue() << "' must be an array of "
                             << what;
  return success();
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (isa<scf::ForOp>(op)) { // the options of `tl.range`, or `tl.static_range`
    if (name == staticLoopAttrName ? isa<UnitAttr>(attribute.getValue())
                                   : isa<IntegerAttr>(attribute.getValue()))
      return success();
    if (name == staticLoopAttrName)
      return op->emitOpError() << "'" << name << "' has no value";
    return op->emitOpError() << "'" << name << "' must be an integer";
  }
  if (!isa<func::FuncOp>(op))
    return op->emitOpError() << "'" << name << "' belongs on a func.func";
  if (name == kernelAttrName) {
    if (!isa<UnitAttr>(attribute.getValue()))
      return op->emitOpError() << "'" << name << "' must be a unit attribute";
    if (cast<func::FuncOp>(op).getNumResults() != 0)
      return op->emitOpError() << "is a kernel: it must not have results";
    return success();
  }
  if (name == metaAttrName)
    return verifyArrayOf<StringAttr>(op, attribute, "strings");
  if (name == configsAttrName)
    return verifyArrayOf<ConfigAttr>(op, attribute, "#tile.config");
  return success();
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned,
                                                    NamedAttribute attribute) {
  if (attribute.getName() == nameAttrName && !isa<StringAttr>(attribute.getValue()))
    return op->emitOpError() << "'" << nameAttrName << "' must be a string";
  return success();
}

} // namespace nereid::tile
