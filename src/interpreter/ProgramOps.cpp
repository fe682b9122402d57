// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which program this is, what it was configured with, promises and debugging.
#include "interpreter/Access.h"

#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <cstring>

namespace nereid::interpreter {

namespace {

void runProgramId(Machine &, Program &program, const Instruction &at) {
  program.slots[at.results[0]] =
      makeUniform(Element::I32, static_cast<int32_t>(program.id[at.variant]));
}

void selectProgramId(mlir::Operation *op, Instruction &at) {
  at.variant = mlir::cast<tile::ProgramIdOp>(op).getAxis();
  at.handler = runProgramId;
}

void runNumPrograms(Machine &machine, Program &program, const Instruction &at) {
  program.slots[at.results[0]] =
      makeUniform(Element::I32, static_cast<int32_t>(machine.getGrid()[at.variant]));
}

void selectNumPrograms(mlir::Operation *op, Instruction &at) {
  at.variant = mlir::cast<tile::NumProgramsOp>(op).getAxis();
  at.handler = runNumPrograms;
}

void runMeta(Machine &, Program &program, const Instruction &at) {
  program.slots[at.results[0]] = at.constant;
}

void selectMeta(mlir::Operation *op, Instruction &at) {
  mlir::Attribute value = mlir::cast<tile::MetaOp>(op).getValue();
  at.constant.reset(at.element, 1, true);
  uint64_t bits;
  if (auto number = mlir::dyn_cast<mlir::FloatAttr>(value))
    bits = number.getValue().bitcastToAPInt().getZExtValue();
  else
    bits = mlir::cast<mlir::IntegerAttr>(value).getValue().getZExtValue();
  std::memcpy(at.constant.data->data(), &bits, getBytes(at.element));
  at.handler = runMeta;
}

/// tile.assume in checked mode, tile.assert always.
void runRequire(Machine &machine, Program &program, const Instruction &at) {
  const Buffer &condition = operand(program, at, 0);
  const Buffer *mask = at.operands.size() > 1 ? &operand(program, at, 1) : nullptr;
  int64_t lanes = mask ? std::max(condition.stored(), mask->stored()) : condition.stored();
  for (int64_t lane = 0; lane < lanes; ++lane) {
    if (isTrue(condition, lane) || (mask && !isTrue(*mask, lane)))
      continue;
    auto assertion = mlir::dyn_cast<tile::AssertOp>(at.op);
    std::string message = assertion ? "assertion failed: " + assertion.getMessage().str()
                                    : std::string("a promise (assume) does not hold");
    std::string where = getLaneText(at.op->getOperand(0).getType(), lane);
    machine.report(
        FindingKind::Assertion, program, at,
        [&] { return message + (where.empty() ? "" : ", lane " + where); }, lane);
    return;
  }
}

void runNothing(Machine &, Program &, const Instruction &) {}

void runAssume(Machine &machine, Program &program, const Instruction &at) {
  if (machine.isChecked())
    runRequire(machine, program, at);
}

template <Handler handler> void selectHandler(mlir::Operation *, Instruction &at) {
  at.handler = handler;
}

void printLane(llvm::raw_ostream &os, const Buffer &buffer, int64_t lane) {
  if (isFloat(buffer.element)) {
    int64_t at = buffer.uniform ? 0 : lane;
    os << readNumber(buffer.element, buffer.data->data() + at * getBytes(buffer.element));
  } else {
    os << readInteger(buffer, lane);
  }
}

void runPrint(Machine &machine, Program &program, const Instruction &at) {
  llvm::raw_ostream *os = machine.getOptions().out;
  if (!os)
    return;
  *os << "pid " << toString(program.id) << " " << mlir::cast<tile::PrintOp>(at.op).getPrefix();
  for (unsigned slot : at.operands) {
    const Buffer &buffer = program.slots[slot];
    *os << (buffer.count == 1 ? " " : " [");
    for (int64_t lane = 0; lane < buffer.count; ++lane) {
      *os << (lane == 0 ? "" : ", ");
      printLane(*os, buffer, lane);
    }
    *os << (buffer.count == 1 ? "" : "]");
  }
  *os << "\n";
}

} // namespace

void addProgramHandlers(HandlerTable &table) {
  table["tile.program_id"] = selectProgramId;
  table["tile.num_programs"] = selectNumPrograms;
  table["tile.meta"] = selectMeta;
  table["tile.assume"] = selectHandler<runAssume>;
  table["tile.assert"] = selectHandler<runRequire>;
  table["tile.barrier"] = selectHandler<runNothing>;
  table["tile.print"] = selectHandler<runPrint>;
}

} // namespace nereid::interpreter
