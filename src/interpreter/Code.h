// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function as a flat list of instructions over numbered slots. Structured control flow becomes
// jumps, so that the whole state of a program is a position and its slots: it can be suspended at
// any instruction and resumed later.
#pragma once

#include "interpreter/Buffer.h"

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <vector>

namespace nereid::interpreter {

class Machine;
struct Program;
struct Instruction;
struct Code;

/// To be cast back to its own type.
using AnyFunction = void (*)();
using Handler = void (*)(Machine &, Program &, const Instruction &);

struct Instruction {
  Handler handler = nullptr;
  llvm::SmallVector<unsigned, 4> operands;
  llvm::SmallVector<unsigned, 2> results;
  mlir::Operation *op = nullptr;
  /// The elements of the first operand and of the first result.
  Element source = Element::I32;
  Element element = Element::I32;
  /// The number of lanes of the first result's type.
  int64_t count = 1;
  /// Where a jump goes.
  unsigned target = 0;
  /// What the handler needs beside: an axis, a comparison, a number.
  int64_t variant = 0;
  /// A function of the mathematical library.
  AnyFunction function = nullptr;
  /// For operations that rearrange lanes: where each lane of the result comes from.
  std::vector<int32_t> lanes;
  /// A constant.
  Buffer constant;
  /// The region of a fold.
  std::shared_ptr<Code> region;
};

struct Code {
  std::vector<Instruction> instructions;
  unsigned slotCount = 0;
  /// The slots of the arguments, and of what a fold's region yields.
  llvm::SmallVector<unsigned> arguments;
  llvm::SmallVector<unsigned> results;
};

/// Compiles a kernel whose numbers are those of one configuration. Operations without meaning here
/// are refused by name.
mlir::FailureOr<std::shared_ptr<Code>> compile(mlir::Operation *function);

/// Compiles one operation without regions: its operands are the code's arguments.
mlir::FailureOr<std::shared_ptr<Code>> compileScalarOp(mlir::Operation *op);

} // namespace nereid::interpreter
