// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of the host program: what no kernel makes all turns of, because the body mixes the elements
// of what it carries, is a loop of launches. The body becomes a program of its own, of the number
// of the turn: it reads the state of the turn before, writes the next one to other memory and what
// is stacked to its place.
#pragma once

#include "schedule/program/Value.h"

#include "graph/GraphOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace nereid::schedule {

/// The loops of a program that kernels cannot make, the outermost ones. Says nothing.
llvm::SmallVector<graph::LoopOp> findHostLoops(mlir::func::FuncOp func);

/// The program of a loop's body, which stands nowhere yet.
mlir::OwningOpRef<mlir::func::FuncOp> outlineBody(graph::LoopOp loop, llvm::StringRef name,
                                                  HostLoop &info);

} // namespace nereid::schedule
