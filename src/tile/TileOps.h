// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operators of the tile dialect, all families.
#pragma once

#include "tile/TileDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "tile/TileProgramOps.h.inc"

#define GET_OP_CLASSES
#include "tile/TileShapeOps.h.inc"

#define GET_OP_CLASSES
#include "tile/TileMemoryOps.h.inc"

#define GET_OP_CLASSES
#include "tile/TileComputeOps.h.inc"
