// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host dialect, its tensor type and symbol bindings, and the names of the attributes that make
// a `func.func` a host program. Operators are in HostOps.h.
#pragma once

#include "index/Expr.h"
#include "sym/SymDialect.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"

#include "host/HostDialect.h.inc"

#include "host/HostEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "host/HostAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "host/HostTypes.h.inc"

namespace nereid::host {

/// On a function: it is a host program.
inline constexpr llvm::StringLiteral programAttrName = "host.program";
/// Unit attribute of a host program that others apply: its arguments are row-major, and checked.
inline constexpr llvm::StringLiteral functionAttrName = "host.function";
/// On a host program: an array of `#host.symbol`.
inline constexpr llvm::StringLiteral symbolsAttrName = "host.symbols";
/// On an argument of a host program: the user's name for it.
inline constexpr llvm::StringLiteral nameAttrName = "host.name";

/// On arguments of a host program: its kernels write to the tensor, whose elements lie apart; they
/// read it once others are written to. In a call in which the second shares memory with the first
/// it is copied before.
inline constexpr llvm::StringLiteral inPlaceAttrName = "host.in_place";
inline constexpr llvm::StringLiteral readBesideAttrName = "host.read_beside";

/// On a `host.check`: a bound of the kernels that inputs as at conversion keep to, so that other
/// kernels would serve greater ones.
inline constexpr llvm::StringLiteral limitAttrName = "limit";

/// On a `host.empty` of float32: its elements are halves where convolutions take TF32 and these
/// lengths of rows, an array of `#sym.expr`, are multiples of `halvesOfLoad`.
inline constexpr llvm::StringLiteral byPrecisionAttrName = "by_precision";
inline constexpr int64_t halvesOfLoad = 8;

/// On a launch whose last two arguments are a range of turns: where its programs do not run at once
/// it may be made for each turn alone.
inline constexpr llvm::StringLiteral inTurnsAttrName = "in_turns";
/// On a `host.view` that is a part of its tensor, with the tensor's strides: where it begins along
/// each axis, an array of `#sym.expr`.
inline constexpr llvm::StringLiteral startsAttrName = "starts";

/// The strides of a dense row-major tensor: the products of the sizes to the right.
llvm::SmallVector<index::Expr> getRowMajorStrides(llvm::ArrayRef<index::Expr> sizes,
                                                  index::Context &context);
/// Whether the type says that its strides are row-major.
bool hasRowMajorStrides(TensorType type);

} // namespace nereid::host
