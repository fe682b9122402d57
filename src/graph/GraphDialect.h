// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The `graph` dialect: a PyTorch program as primitives on tensors with symbolic sizes. This header
// has the dialect and its tensor type; GraphOps.h has the operators.
#pragma once

#include "index/Expr.h"
#include "sym/SymDialect.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"

#include "graph/GraphDialect.h.inc"
#include "graph/GraphEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "graph/GraphAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "graph/GraphTypes.h.inc"

namespace nereid::graph {

/// The bool tensor with the sizes of a tensor type; null for any other type.
mlir::Type boolTensorLike(mlir::Type type);

/// True for the element types that a graph tensor may have.
bool isElementType(mlir::Type type);

} // namespace nereid::graph
