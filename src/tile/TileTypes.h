// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Questions about the types of the tile dialect that hold for scalars and tiles alike: a scalar
// has an empty shape and is its own element.
#pragma once

#include "tile/TileDialect.h"

namespace nereid::tile {

/// The element type of a tile, or the scalar itself.
mlir::Type getElementType(mlir::Type type);
/// The extents of a tile; empty for a scalar.
llvm::ArrayRef<int64_t> getShape(mlir::Type type);
/// The names of a tile's axes; null for a scalar and for a tile without names.
DimsAttr getDims(mlir::Type type);
/// The name of an axis as Python text; empty for a plain number.
llvm::StringRef getDimName(mlir::Type type, unsigned axis);

/// The same shape and axis names around another element.
mlir::Type withElementType(mlir::Type type, mlir::Type element);
/// A tile of this shape; the scalar `element` for an empty one. `names` may be empty (no axis has
/// a name) or hold one text an axis.
mlir::Type getTileType(mlir::Type element, llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<llvm::StringRef> names = {});

/// The type that a load from this pointer gives: the pointee without its sign.
mlir::Type getPointeeValueType(PtrType pointer);
/// How many bytes one pointee takes in memory: an i1 takes one, a pointer eight.
unsigned getPointeeBytes(PtrType pointer);
/// The pointer type of a pointer or of a tile of pointers; null for others.
PtrType getPtrType(mlir::Type type);

/// The type without its sign: `ui8` gives `i8`.
mlir::Type getSignless(mlir::Type type);

} // namespace nereid::tile
