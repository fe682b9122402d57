// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile dialect, its attributes, enumerations and types, and the names of the attributes that
// make a `func.func` a kernel. Operators are in TileOps.h, questions about types in TileTypes.h.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"

#include "tile/TileDialect.h.inc"

#include "tile/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tile/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tile/TileTypes.h.inc"

namespace nereid::tile {

/// On a function: it is a kernel.
inline constexpr llvm::StringLiteral kernelAttrName = "tile.kernel";
/// On a kernel: the names of its meta-parameters, an array of strings.
inline constexpr llvm::StringLiteral metaAttrName = "tile.meta";
/// On a kernel: an array of `#tile.config`, the default first.
inline constexpr llvm::StringLiteral configsAttrName = "tile.configs";
/// On a kernel's argument: the user's name for it.
inline constexpr llvm::StringLiteral nameAttrName = "tile.name";
/// On a kernel: a number that each block of an axis has to divide, by the block's name.
inline constexpr llvm::StringLiteral multiplesAttrName = "tile.multiples";
/// Unit attribute of an integer argument that changes from launch to launch: no kernel is made for
/// one value of it.
inline constexpr llvm::StringLiteral variesAttrName = "tile.varies";
/// On a kernel whose programs wait for one another: all of a launch have to run at once.
inline constexpr llvm::StringLiteral runsAtOnceAttrName = "tile.runs_at_once";
/// Unit attribute of an `scf.for` that the compiler writes out, whose counter is a number to it.
inline constexpr llvm::StringLiteral staticLoopAttrName = "tile.static";

} // namespace nereid::tile
