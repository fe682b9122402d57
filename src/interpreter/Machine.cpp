// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/Machine.h"

#include "tile/TileTypes.h"

#include <algorithm>
#include <numeric>

namespace nereid::interpreter {

std::string toString(const std::array<int64_t, 3> &program) {
  return "(" + std::to_string(program[0]) + ", " + std::to_string(program[1]) + ", " +
         std::to_string(program[2]) + ")";
}

std::string getLaneText(mlir::Type type, int64_t lane) {
  llvm::ArrayRef<int64_t> shape = tile::getShape(type);
  std::string text;
  for (size_t axis = shape.size(); axis-- > 0;) {
    text = std::to_string(lane % shape[axis]) + (text.empty() ? "" : ", ") + text;
    lane /= shape[axis];
  }
  return shape.empty() ? text : "[" + text + "]";
}

bool Machine::hasReported(FindingKind kind, const Instruction &at) const {
  return findings.size() >= options.maxFindings ||
         reported.count({at.op, static_cast<unsigned>(kind)}) != 0;
}

void Machine::report(FindingKind kind, const Program &program, const Instruction &at,
                     llvm::function_ref<std::string()> message, int64_t lane,
                     llvm::StringRef allocation, int64_t element) {
  if (hasReported(kind, at))
    return;
  reported.insert({at.op, static_cast<unsigned>(kind)});
  findings.push_back({kind, at.op->getLoc(), "program " + toString(program.id) + ": " + message(),
                      allocation.str(), element, program.id, lane});
}

uint64_t Machine::noteAtomic(Program &program) {
  if (isChecked())
    atomicTimes[program.number].push_back(++time);
  return time;
}

bool Machine::isOrdered(const Writer &writer, const Program &program) const {
  auto other = atomicTimes.find(writer.program), own = atomicTimes.find(program.number);
  if (other == atomicTimes.end() || own == atomicTimes.end())
    return false;
  auto release = std::upper_bound(other->second.begin(), other->second.end(), writer.time);
  return release != other->second.end() && own->second.back() > *release;
}

bool Machine::resume(const Code &code, Program &program) {
  program.waits = 0;
  const Instruction *instructions = code.instructions.data();
  auto end = static_cast<unsigned>(code.instructions.size());
  while (program.position < end) {
    const Instruction &instruction = instructions[program.position++];
    instruction.handler(*this, program, instruction);
    if (++steps >= options.maxSteps) {
      report(FindingKind::Stuck, program, instruction, [&] {
        return "the budget of " + std::to_string(options.maxSteps) + " steps is spent";
      });
      stop();
    }
    if (stopped)
      return true;
    if (program.waits > waitsPerTurn)
      return false;
  }
  return true;
}

static void start(Program &program, const Code &code, llvm::ArrayRef<Buffer> arguments) {
  program.slots.resize(code.slotCount);
  program.position = 0;
  for (auto [slot, argument] : llvm::zip(code.arguments, arguments))
    program.slots[slot] = argument;
}

void Machine::run(const Code &code, llvm::ArrayRef<Buffer> arguments,
                  std::array<int64_t, 3> extents) {
  grid = extents;
  auto count = static_cast<uint32_t>(grid[0] * grid[1] * grid[2]);
  std::vector<uint32_t> order;
  if (options.seed) {
    order.resize(count);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), random);
  }
  std::deque<std::unique_ptr<Program>> suspended;
  auto program = std::make_unique<Program>();
  // Gives every waiting program one turn.
  auto resumeSuspended = [&] {
    for (size_t left = suspended.size(); left > 0 && !stopped; --left) {
      std::unique_ptr<Program> waiting = std::move(suspended.front());
      suspended.pop_front();
      if (!resume(code, *waiting))
        suspended.push_back(std::move(waiting));
    }
  };
  for (uint32_t turn = 0; turn < count && !stopped; ++turn) {
    uint32_t linear = options.seed ? order[turn] : turn;
    program->number = linear + 1;
    program->id = {linear % grid[0], linear / grid[0] % grid[1], linear / grid[0] / grid[1]};
    start(*program, code, arguments);
    if (!resume(code, *program)) {
      suspended.push_back(std::move(program));
      program = std::make_unique<Program>();
    }
    if (suspended.size() >= maxSuspended)
      resumeSuspended();
  }
  unsigned idleTurns = 0;
  while (!suspended.empty() && !stopped) {
    uint64_t before = changes;
    size_t waiting = suspended.size();
    resumeSuspended();
    idleTurns = changes == before && suspended.size() == waiting ? idleTurns + 1 : 0;
    if (idleTurns < maxIdleTurns)
      continue;
    const Program &first = *suspended.front();
    report(FindingKind::Stuck, first, code.instructions[first.position - 1],
           [&] { return std::to_string(waiting) + " programs wait for one another"; });
    stop();
  }
}

} // namespace nereid::interpreter
