// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Equal parts of programs become functions of the graph (`graph.apply`): what follows works on each
// of them once, and the emitted file shows it once.
//
// Which operators belong together says the front end: `graph.scope` on an operator is the number of
// the call of a module that it was made in, `graph.scopes` on the program lists these calls,
// `{name = "Block", outer = 3}`. Calls are equal if their operators are, up to what they take and
// to sizes: those that differ are numbers of the function, or axes of what it takes (PartSizes.h).
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace nereid::graph {

/// Outlines the calls that are made more than once and multiply tensors more than once: what is
/// smaller is worth more where it stands, with its neighbours. First come those that leave the
/// fewest operators. Takes the marks of all calls away.
void outlineEqualParts(mlir::ModuleOp module);

} // namespace nereid::graph
