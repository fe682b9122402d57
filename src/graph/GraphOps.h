// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operators of the `graph` dialect, family by family (Graph*Ops.td has their meaning).
#pragma once

#include "graph/GraphDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "graph/GraphPointwiseOps.h.inc"
#define GET_OP_CLASSES
#include "graph/GraphViewOps.h.inc"
#define GET_OP_CLASSES
#include "graph/GraphFoldOps.h.inc"
#define GET_OP_CLASSES
#include "graph/GraphScatterOps.h.inc"
#define GET_OP_CLASSES
#include "graph/GraphProgramOps.h.inc"
