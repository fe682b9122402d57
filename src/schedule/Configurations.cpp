// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/Configurations.h"

namespace nereid::schedule {

/// A block of 1 to 256 elements, as the chooser says.
static int64_t anyBlock(const Program &program) { return int64_t(1) << program.choose(9); }

/// Blocks of rows and columns, as the chooser says.
static Configs anyTile(const Program &program) {
  return {{{{"BLOCK_M", anyBlock(program)}, {"BLOCK_N", anyBlock(program)}}, 4, 3}};
}

static Configs withWarps(llvm::ArrayRef<int64_t> warps) {
  Configs configs;
  for (int64_t number : warps)
    configs.push_back({{}, number, 3});
  return configs;
}

Configs flatConfigs(const Program &program, int stage, bool hasTurns) {
  if (program.choose)
    return {{{{"BLOCK", anyBlock(program)}}, 4, 3}};
  // Where each program makes all turns of a loop, few elements a program leave work for many.
  if (hasTurns && stage < 2)
    return {{{{"BLOCK", 128}}, 4, 3}};
  if (hasTurns)
    return {{{{"BLOCK", 64}}, 2, 3}, {{{"BLOCK", 128}}, 4, 3}, {{{"BLOCK", 32}}, 1, 3}};
  if (stage < 2)
    return {{{{"BLOCK", 1024}}, 4, 3}};
  Configs configs = {{{{"BLOCK", 1024}}, 4, 3},
                     {{{"BLOCK", 2048}}, 8, 3},
                     {{{"BLOCK", 4096}}, 8, 3},
                     {{{"BLOCK", 512}}, 4, 3}};
  // Many loads of each lane on the way at once: 135 us for 142 of a rotary embedding on an H200.
  if (stage >= 3)
    configs.push_back({{{"BLOCK", 1024}}, 1, 3});
  return configs;
}

Configs mapConfigs(const Program &program, bool transposed) {
  if (program.choose)
    return anyTile(program);
  if (transposed)
    return {{{{"BLOCK_M", 64}, {"BLOCK_N", 64}}, 8, 3},
            {{{"BLOCK_M", 32}, {"BLOCK_N", 64}}, 4, 3},
            {{{"BLOCK_M", 64}, {"BLOCK_N", 32}}, 4, 3},
            {{{"BLOCK_M", 128}, {"BLOCK_N", 32}}, 8, 3}};
  return {{{{"BLOCK_M", 16}, {"BLOCK_N", 128}}, 4, 3},
          {{{"BLOCK_M", 32}, {"BLOCK_N", 64}}, 4, 3},
          {{{"BLOCK_M", 4}, {"BLOCK_N", 512}}, 4, 3},
          {{{"BLOCK_M", 8}, {"BLOCK_N", 256}}, 8, 3}};
}

Configs loopConfigs(const Program &program, int stage, bool tiledRows) {
  if (program.choose && tiledRows)
    return anyTile(program);
  if (program.choose)
    return {{{{"BLOCK_N", anyBlock(program)}}, 4, 3}};
  if (tiledRows) {
    if (stage < 2)
      return {{{{"BLOCK_M", 64}, {"BLOCK_N", 16}}, 4, 3}};
    return {{{{"BLOCK_M", 64}, {"BLOCK_N", 32}}, 4, 3},
            {{{"BLOCK_M", 128}, {"BLOCK_N", 16}}, 4, 3},
            {{{"BLOCK_M", 128}, {"BLOCK_N", 64}}, 8, 3},
            {{{"BLOCK_M", 32}, {"BLOCK_N", 32}}, 4, 3}};
  }
  if (stage < 2)
    return {{{{"BLOCK_N", 1024}}, 4, 3}};
  if (stage < 3)
    return {{{{"BLOCK_N", 4096}}, 8, 3}, {{{"BLOCK_N", 2048}}, 4, 3}, {{{"BLOCK_N", 8192}}, 16, 3}};
  // With few programs at a time, what a second loop reads is still in the cache; with many, some
  // compute while others wait: on an H200 the groups of a group norm of 131072 elements take 259 us
  // with the smallest block, and 324 us with the others.
  return {{{{"BLOCK_N", 4096}}, 8, 3},
          {{{"BLOCK_N", 2048}}, 4, 3},
          {{{"BLOCK_N", 8192}}, 16, 3},
          {{{"BLOCK_N", 1024}}, 4, 3},
          {{{"BLOCK_N", 32768}}, 32, 3}};
}

/// Most segments are short: few elements at a time, and of their columns as many as there are, so
/// that few programs find the same bounds.
Configs segmentConfigs(int stage, bool tiledRows, int64_t width) {
  int64_t side = *index::nextPowerOfTwo(std::clamp<int64_t>(width, 32, 2048));
  int64_t rows = std::clamp<int64_t>(4096 / side, 2, 8);
  int warps = side > 256 ? 8 : side > 64 ? 4 : 2;
  Configs configs = {{{{"BLOCK_M", side}, {"BLOCK_N", rows}}, warps, 3},
                     {{{"BLOCK_M", side}, {"BLOCK_N", rows / 2}}, warps, 3},
                     {{{"BLOCK_M", std::min<int64_t>(side, 256)}, {"BLOCK_N", 8}}, 4, 3},
                     {{{"BLOCK_M", 64}, {"BLOCK_N", 32}}, 4, 3}};
  if (!tiledRows)
    configs = {{{{"BLOCK_N", 64}}, 1, 3}, {{{"BLOCK_N", 512}}, 4, 3}, {{{"BLOCK_N", 2048}}, 8, 3}};
  if (stage < 2)
    configs.resize(1);
  return configs;
}

Configs spanConfigs() { return withWarps({8, 4, 16, 32}); }

Configs residentConfigs(int stage) {
  return stage >= 3 ? withWarps({8, 4, 16, 32}) : withWarps({4, 8, 16, 1});
}

Configs aloneConfigs(bool resident) {
  // Nothing is on the way but what the program itself has asked for: on an H200 one adds up 65536
  // numbers in 7 us with 32 warps, and in 30 us with 8.
  if (resident)
    return withWarps({32, 16, 8, 4});
  return {{{{"BLOCK_N", 8192}}, 32, 3},
          {{{"BLOCK_N", 4096}}, 16, 3},
          {{{"BLOCK_N", 16384}}, 32, 3},
          {{{"BLOCK_N", 2048}}, 8, 3}};
}

Configs shortRowConfigs() { return withWarps({4, 8, 2}); }

Configs neighbourConfigs() { return withWarps({8, 4, 16}); }

int64_t chooseElements(const Program &program, int64_t usual) {
  return program.choose ? int64_t(1) << program.choose(8) : usual;
}

/// A turn waits for what it reads unless that was asked for turns before: on an H200 sixteen turns
/// ahead are up to six times as fast as none. What is on its way lies in shared memory.
int64_t chooseTurnsAhead(size_t reads) {
  constexpr int64_t mostBytes = 64 << 10, bytesOfTurn = 512, mostTurns = 16;
  return std::clamp<int64_t>(mostBytes / (bytesOfTurn * std::max<int64_t>(reads, 1)), 2, mostTurns);
}

/// The same for a scan along an axis whose neighbours lie far apart, which few programs share: on
/// an H200 three blocks ahead take 154 us where none take 226.
int64_t chooseBlocksAhead(llvm::ArrayRef<Config> configs, size_t reads) {
  constexpr int64_t mostBytes = 64 << 10, bytesOfElement = 4, mostBlocks = 4;
  int64_t bytes = bytesOfElement * std::max<int64_t>(reads, 1);
  for (auto &[block, number] : configs.front().blocks)
    bytes *= number;
  return std::clamp<int64_t>(mostBytes / bytes, 2, mostBlocks);
}

} // namespace nereid::schedule
