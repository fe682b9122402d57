// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile.random: words of Philox as they are, as uniform numbers, or as normal ones in float.
#include "interpreter/Elementwise.h"

#include "support/Philox.h"
#include "tile/TileOps.h"

namespace nereid::interpreter {

namespace {

void runRandom(Machine &machine, Program &program, const Instruction &at) {
  const Buffer &seeds = operand(program, at, 0), &offsets = operand(program, at, 1);
  Buffer &result = prepareResult(program, at, at.element);
  auto kind = static_cast<tile::RandomKind>(at.variant);
  for (int64_t i = 0, n = result.stored(); i < n; ++i) {
    uint64_t offset = readInteger(offsets, offsets.uniform ? 0 : i);
    // The low word of the counter is what narrow offsets are.
    if (offsets.element == Element::I32)
      offset = static_cast<uint32_t>(offset);
    std::array<uint32_t, 4> words = philox(readInteger(seeds, 0), offset);
    if (kind == tile::RandomKind::Bits)
      result.asMutable<uint32_t>()[i] = words[0];
    else
      result.asMutable<float>()[i] =
          kind == tile::RandomKind::Uniform ? uniformOfBits(words[0]) : normalOfWords<float>(words);
  }
  mergeFlags(machine, program, at);
}

void selectRandom(mlir::Operation *op, Instruction &at) {
  at.variant = static_cast<int64_t>(mlir::cast<tile::RandomOp>(op).getKind());
  at.handler = runRandom;
}

} // namespace

void addRandomHandlers(HandlerTable &table) { table["tile.random"] = selectRandom; }

} // namespace nereid::interpreter
