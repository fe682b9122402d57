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
  using Kind = tile::RandomKind;
  auto kind = static_cast<Kind>(at.variant);
  for (int64_t i = 0, n = result.stored(); i < n; ++i) {
    uint64_t offset = readInteger(offsets, offsets.uniform ? 0 : i);
    // The low word of the counter is what narrow offsets are.
    if (offsets.element == Element::I32)
      offset = static_cast<uint32_t>(offset);
    bool isShared = kind == Kind::SharedBits || kind == Kind::SharedUniform;
    uint64_t seed = readInteger(seeds, 0);
    std::array<uint32_t, 4> words = philox(seed, isShared ? offset / 4 : offset);
    uint32_t word = words[isShared ? offset % 4 : 0];
    if (kind == Kind::Bits || kind == Kind::SharedBits)
      result.asMutable<uint32_t>()[i] = word;
    else
      result.asMutable<float>()[i] =
          kind == Kind::Normal ? normalOfWords<float>(words) : uniformOfBits(word);
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
