// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the interpreter has to say about a program: a misuse of memory or of undefined values, with
// the operation's place, the program of the grid and the lane.
#pragma once

#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <string>

namespace nereid::interpreter {

enum class FindingKind : uint8_t {
  /// An access outside its allocation, or to no allocation at all.
  OutOfBounds,
  /// A lane that nobody defined was stored, folded with others, or decided an address or a branch.
  Undefined,
  /// Two programs used one element, not ordered by atomics, and one of them wrote it; or two lanes
  /// of one store wrote different values to it.
  Race,
  /// An int32 overflow reached an address.
  Overflow,
  /// A `tile.assume` or `tile.assert` was false.
  Assertion,
  /// The budget of steps is spent, or no program makes progress.
  Stuck,
  /// A loop or a grid that cannot be run.
  Invalid
};

struct Finding {
  FindingKind kind;
  mlir::Location location;
  std::string message;
  /// The allocation concerned, and the element in it; empty and 0 when there is none.
  std::string allocation;
  int64_t element = 0;
  std::array<int64_t, 3> program = {0, 0, 0};
  /// The position in the tile, row-major; -1 for none.
  int64_t lane = -1;
};

llvm::StringRef getName(FindingKind kind);
/// `FILE:LINE:COLUMN: KIND: MESSAGE`; without a place where the location has none.
void print(const Finding &finding, llvm::raw_ostream &os);

} // namespace nereid::interpreter
