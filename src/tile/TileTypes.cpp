// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/TileTypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;

namespace nereid::tile {

Type getElementType(Type type) {
  auto tile = llvm::dyn_cast<RankedTensorType>(type);
  return tile ? tile.getElementType() : type;
}

llvm::ArrayRef<int64_t> getShape(Type type) {
  auto tile = llvm::dyn_cast<RankedTensorType>(type);
  return tile ? tile.getShape() : llvm::ArrayRef<int64_t>();
}

DimsAttr getDims(Type type) {
  auto tile = llvm::dyn_cast<RankedTensorType>(type);
  return tile ? llvm::dyn_cast_or_null<DimsAttr>(tile.getEncoding()) : DimsAttr();
}

llvm::StringRef getDimName(Type type, unsigned axis) {
  DimsAttr dims = getDims(type);
  return dims ? dims.getNames()[axis].getValue() : llvm::StringRef();
}

Type withElementType(Type type, Type element) {
  auto tile = llvm::dyn_cast<RankedTensorType>(type);
  if (!tile)
    return element;
  return RankedTensorType::get(tile.getShape(), element, tile.getEncoding());
}

Type getTileType(Type element, llvm::ArrayRef<int64_t> shape,
                 llvm::ArrayRef<llvm::StringRef> names) {
  assert((names.empty() || names.size() == shape.size()) && "one name an axis, or none");
  if (shape.empty())
    return element;
  Attribute encoding;
  if (llvm::any_of(names, [](llvm::StringRef name) { return !name.empty(); })) {
    llvm::SmallVector<StringAttr> attrs;
    for (llvm::StringRef name : names)
      attrs.push_back(StringAttr::get(element.getContext(), name));
    encoding = DimsAttr::get(element.getContext(), attrs);
  }
  return RankedTensorType::get(shape, element, encoding);
}

Type getSignless(Type type) {
  auto integer = llvm::dyn_cast<IntegerType>(type);
  if (!integer || integer.isSignless())
    return type;
  return IntegerType::get(type.getContext(), integer.getWidth());
}

Type getPointeeValueType(PtrType pointer) { return getSignless(pointer.getPointee()); }

unsigned getPointeeBytes(PtrType pointer) {
  Type pointee = pointer.getPointee();
  if (llvm::isa<PtrType>(pointee))
    return 8;
  return (pointee.getIntOrFloatBitWidth() + 7) / 8;
}

PtrType getPtrType(Type type) { return llvm::dyn_cast<PtrType>(getElementType(type)); }

} // namespace nereid::tile
