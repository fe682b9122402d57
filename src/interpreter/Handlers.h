// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table from operations to what carries them out, filled by one function a family. A selector
// looks at an operation once, when its function is compiled, and picks the handler for its types.
#pragma once

#include "interpreter/Code.h"

#include "llvm/ADT/StringMap.h"

namespace nereid::interpreter {

/// Completes an instruction whose operands, results, elements and count are filled in; leaves the
/// handler null when the types are not supported.
using Selector = void (*)(mlir::Operation *, Instruction &);
using HandlerTable = llvm::StringMap<Selector>;

void addIntegerHandlers(HandlerTable &table);
void addFloatHandlers(HandlerTable &table);
void addCompareHandlers(HandlerTable &table);
void addCastHandlers(HandlerTable &table);
void addMathHandlers(HandlerTable &table);
void addShapeHandlers(HandlerTable &table);
void addMemoryHandlers(HandlerTable &table);
void addAtomicHandlers(HandlerTable &table);
void addFoldHandlers(HandlerTable &table);
void addDotHandlers(HandlerTable &table);
void addProgramHandlers(HandlerTable &table);
void addRandomHandlers(HandlerTable &table);

/// The table of all families.
HandlerTable makeHandlerTable();

} // namespace nereid::interpreter
