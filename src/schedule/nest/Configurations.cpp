// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/nest/Configurations.h"

namespace nereid::schedule {

/// A block of 1 to 256 elements, as the chooser says.
static int64_t anyBlock(const Program &program) { return program.policy.pickPower(9); }

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

Configs flatConfigs(const Program &program, bool hasTurns) {
  if (program.policy.isChosen())
    return {{{{"BLOCK", anyBlock(program)}}, 4, 3}};
  // Where each program makes all turns of a loop, few elements a program leave work for many.
  bool isTuned = program.policy.has(MoveKind::Tuning);
  if (hasTurns && !isTuned)
    return {{{{"BLOCK", 128}}, 4, 3}};
  if (hasTurns)
    return {{{{"BLOCK", 64}}, 2, 3}, {{{"BLOCK", 128}}, 4, 3}, {{{"BLOCK", 32}}, 1, 3}};
  if (!isTuned)
    return {{{{"BLOCK", 1024}}, 4, 3}};
  Configs configs = {{{{"BLOCK", 1024}}, 4, 3},
                     {{{"BLOCK", 2048}}, 8, 3},
                     {{{"BLOCK", 4096}}, 8, 3},
                     {{{"BLOCK", 512}}, 4, 3}};
  // Many loads of each lane on the way at once: 135 us for 142 of a rotary embedding on an H200.
  if (program.policy.has(MoveKind::WideTuning))
    configs.push_back({{{"BLOCK", 1024}}, 1, 3});
  return configs;
}

Configs scatteredConfigs(bool areStrided) {
  if (areStrided)
    return {{{{"BLOCK", 256}}, 8, 3},
            {{{"BLOCK", 256}}, 4, 3},
            {{{"BLOCK", 1024}}, 4, 3},
            {{{"BLOCK", 512}}, 4, 3}};
  return {{{{"BLOCK", 256}}, 4, 3},
          {{{"BLOCK", 512}}, 8, 3},
          {{{"BLOCK", 1024}}, 4, 3},
          {{{"BLOCK", 512}}, 4, 3}};
}

/// Each step of a search waits for the one before: few elements of a lane.
Configs searchConfigs(const Policy &policy) {
  Configs configs = {{{{"BLOCK", 256}}, 4, 3}, {{{"BLOCK", 128}}, 4, 3}, {{{"BLOCK", 512}}, 4, 3}};
  if (!policy.has(MoveKind::Tuning))
    configs.resize(1);
  return configs;
}

Configs mapConfigs(const Program &program, bool transposed) {
  if (program.policy.isChosen())
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

/// The fewer columns there are of a table at a time, the more of its rows the cache has; a line of
/// it holds 64 halves.
Configs lookupConfigs() {
  return {{{{"BLOCK_M", 32}, {"BLOCK_N", 128}}, 4, 3},
          {{{"BLOCK_M", 16}, {"BLOCK_N", 128}}, 4, 3},
          {{{"BLOCK_M", 64}, {"BLOCK_N", 64}}, 4, 3},
          {{{"BLOCK_M", 16}, {"BLOCK_N", 256}}, 8, 3},
          {{{"BLOCK_M", 4}, {"BLOCK_N", 512}}, 4, 3}};
}

/// On an H200 regions of 8 x 8 of which each image has 3 in a row take 9400 us in tiles of 64 rows.
void fitTiles(Configs &configs, int64_t rows, int64_t columns) {
  constexpr int64_t elementsOfWarp = 512;
  int64_t mostRows = *index::nextPowerOfTwo(rows), mostColumns = *index::nextPowerOfTwo(columns);
  for (Config &config : configs) {
    int64_t &height = config.blocks[0].second, &width = config.blocks[1].second;
    int64_t elements = height * width;
    height = std::min(height, mostRows);
    width = std::min(mostColumns, elements / height);
    height = std::min(mostRows, elements / width);
    if (height * width < elements)
      config.warps = std::clamp<int64_t>(height * width / elementsOfWarp, 1, config.warps);
  }
  Configs apart;
  for (Config &config : configs)
    if (llvm::none_of(apart, [&](const Config &other) { return other.blocks == config.blocks; }))
      apart.push_back(std::move(config));
  configs = std::move(apart);
}

/// The bytes of a row of a tile fill lines of the cache, and there is a program for each of the
/// places that the multiprocessors have: on an H200 a sum over columns takes 130 us in 1024
/// programs, and 160 us in 512.
static Configs tiledLoopConfigs(int64_t elements, int64_t bytesOfElement) {
  constexpr int64_t places = 1024, bytesOfLine = 128;
  Configs configs = {{{{"BLOCK_M", 64}, {"BLOCK_N", 32}}, 4, 3},
                     {{{"BLOCK_M", 128}, {"BLOCK_N", 16}}, 4, 3},
                     {{{"BLOCK_M", 128}, {"BLOCK_N", 64}}, 8, 3},
                     {{{"BLOCK_M", 32}, {"BLOCK_N", 32}}, 4, 3}};
  if (elements < 64 * places && 32 * bytesOfElement >= bytesOfLine)
    std::rotate(configs.begin(), configs.end() - 1, configs.end());
  return configs;
}

/// Puts the first configuration in front whose blocks a row fills about as well as it fills any: on
/// an H200 the gradient of a layer scale over planes of 1600 floats takes 258 us in blocks of 4096,
/// and 132 in blocks of 1024.
static void preferFilled(Configs &configs, int64_t columns) {
  constexpr double mostWaste = 1.15;
  auto traversed = [&](const Config &config) {
    int64_t block = config.blocks.front().second;
    return llvm::divideCeil(columns, block) * block;
  };
  int64_t least = traversed(*llvm::min_element(
      configs, [&](const Config &a, const Config &b) { return traversed(a) < traversed(b); }));
  auto filled = llvm::find_if(configs, [&](const Config &config) {
    return double(traversed(config)) <= mostWaste * double(least);
  });
  std::rotate(configs.begin(), filled, filled + 1);
}

Configs loopConfigs(const Program &program, bool tiledRows, const LoopedRows &rows) {
  const Policy &policy = program.policy;
  if (policy.isChosen() && tiledRows)
    return anyTile(program);
  if (policy.isChosen())
    return {{{{"BLOCK_N", anyBlock(program)}}, 4, 3}};
  if (tiledRows) {
    if (!policy.has(MoveKind::Tuning))
      return {{{{"BLOCK_M", 64}, {"BLOCK_N", 16}}, 4, 3}};
    return tiledLoopConfigs(rows.elements, rows.bytesOfElement);
  }
  if (!policy.has(MoveKind::Tuning))
    return {{{{"BLOCK_N", 1024}}, 4, 3}};
  if (!policy.has(MoveKind::WideTuning))
    return {{{{"BLOCK_N", 4096}}, 8, 3}, {{{"BLOCK_N", 2048}}, 4, 3}, {{{"BLOCK_N", 8192}}, 16, 3}};
  // Eight elements a lane, so that some warps compute while others wait. Over 35 kernels of
  // surveyed programs on an H200 for which it matters the first is within 1.08 of the best of six
  // on average and 1.3 at worst (4096 by eight warps: 1.24, 2.1), the best of the first four is the
  // best of all.
  Configs configs = {{{{"BLOCK_N", 2048}}, 8, 3},
                     {{{"BLOCK_N", 1024}}, 4, 3},
                     {{{"BLOCK_N", 2048}}, 4, 3},
                     {{{"BLOCK_N", 4096}}, 4, 3},
                     {{{"BLOCK_N", 32768}}, 32, 3}};
  preferFilled(configs, rows.columns);
  return configs;
}

/// Sums of more than a few elements are four in turn, as PyTorch's are: one sum of all would be
/// less accurate.
Configs windowConfigs(const Policy &policy, int64_t columns) {
  constexpr int64_t few = 9;
  int64_t sums = columns > few ? 4 : 1;
  Configs configs = {{{{"BLOCK_M", 256}, {"BLOCK_N", sums}}, 4, 3},
                     {{{"BLOCK_M", 128}, {"BLOCK_N", sums}}, 4, 3},
                     {{{"BLOCK_M", 512}, {"BLOCK_N", sums}}, sums > 1 ? 8 : 4, 3},
                     {{{"BLOCK_M", 1024}, {"BLOCK_N", sums}}, 8, 3}};
  if (!policy.has(MoveKind::Tuning))
    configs.resize(1);
  return configs;
}

/// A lane has an element or two of the tile, and the results of its strip for each. On an H200
/// strips of four take 86 us for 64 x 144 images of 56 x 56 with one warp a program, and 100 with
/// four; of eight, for 32 x 128 images of 128 x 128, 465 us with one and 389 with four.
Configs stripConfigs(const Policy &policy, int64_t strips, int64_t columns) {
  constexpr int64_t largeImage = 1024;
  Configs configs = {{{{"BLOCK_M", 8}, {"BLOCK_N", 32}}, 4, 3},
                     {{{"BLOCK_M", 1}, {"BLOCK_N", 64}}, 1, 3},
                     {{{"BLOCK_M", 4}, {"BLOCK_N", 128}}, 4, 3},
                     {{{"BLOCK_M", 4}, {"BLOCK_N", 32}}, 1, 3}};
  if (strips * columns < largeImage)
    std::swap(configs[0], configs[1]);
  fitTiles(configs, strips, columns);
  if (!policy.has(MoveKind::Tuning))
    configs.resize(1);
  return configs;
}

/// Most segments have an element or two: one at a time, and of their columns as many as there are,
/// so that few programs find the same bounds. A lane has 16 columns: on an H200 the gradient of
/// rows that were selected takes 146 us so, and 203 us with two at a time by 8 warps.
Configs segmentConfigs(const Policy &policy, bool tiledRows, int64_t width) {
  int64_t side = *index::nextPowerOfTwo(std::clamp<int64_t>(width, 32, 2048));
  int64_t warps = std::max<int64_t>(side / 512, 1);
  Configs configs = {{{{"BLOCK_M", side}, {"BLOCK_N", 1}}, warps, 3},
                     {{{"BLOCK_M", side}, {"BLOCK_N", 2}}, warps, 3},
                     {{{"BLOCK_M", std::min<int64_t>(side, 256)}, {"BLOCK_N", 8}}, 4, 3},
                     {{{"BLOCK_M", 64}, {"BLOCK_N", 32}}, 4, 3}};
  if (!tiledRows)
    configs = {{{{"BLOCK_N", 64}}, 1, 3}, {{{"BLOCK_N", 512}}, 4, 3}, {{{"BLOCK_N", 2048}}, 8, 3}};
  if (!policy.has(MoveKind::Tuning))
    configs.resize(1);
  return configs;
}

/// Whether several rows of a span are held at a time, and lanes fold each of them together.
static bool isShortSpan(int64_t columns) {
  constexpr int64_t least = 16, most = 1024;
  return columns >= least && columns <= most;
}

/// The gradient of a gelu with a bias, of 8192 halves a row, takes 223 us with 32 warps on an H200,
/// and 363 us with 8; with rows on the way (`elementsAhead`) 8 warps are best. Rows of up to 1024
/// elements are folded by four: the gradient of a norm of 384 halves takes 67 us so and 104 with 8.
Configs spanConfigs(int64_t columns, bool hidesByWarps) {
  if (hidesByWarps)
    return withWarps({32, 16, 8, 4});
  return isShortSpan(columns) ? withWarps({4, 8, 2, 16}) : withWarps({8, 4, 16, 32});
}

int64_t spanElements(int64_t columns) {
  // Sixteen a lane; of the shortest rows, of which there are many, eight. On an H200 the gradient
  // of attention over windows of 49 takes 173 us with 1024, and 518 with 4096; that of embeddings
  // and a norm of 768 numbers 77 us with 2048, and 115.
  constexpr int64_t shortestRow = 256;
  if (!isShortSpan(columns))
    return residentElements;
  return columns > shortestRow ? 2 * wideElements : wideElements;
}

/// Whether two programs of so many warps share a multiprocessor, where a lane has so many elements
/// of the row: by its registers, some of which hold addresses and what is made on the way.
static bool shareRegisters(int64_t warps, int64_t elements, int64_t bitsHeld) {
  constexpr int64_t registers = 65536, lanes = 32, others = 24;
  return 2 * warps * lanes * (others + elements * llvm::divideCeil(bitsHeld, 32)) <= registers;
}

Configs basicResidentConfigs() { return withWarps({4, 8, 16, 1}); }

Configs residentConfigs(int64_t columns, int64_t bitsHeld) {
  // 32 elements of each lane, and what is made of them, fit into its registers, or 16 where two
  // numbers of each are kept; fewer leave little to hide a fold's waiting behind. On an H200 rows
  // of 32768 halves take 329 us with 32 warps and 457 with 8; of 33 million floats a softmax of
  // rows of 12000 71 us with 16 warps and 99 with 4, the divergence of two rows of 6000 106 and
  // 157, of 4096 77 with 8 warps and 97 with 4.
  constexpr int64_t elementsOfWarp = 1024, bitsOfRegister = 32;
  llvm::SmallVector<int64_t, 4> warps = {4, 8, 16, 32};
  int64_t kept = std::max<int64_t>(1, llvm::divideCeil(bitsHeld, bitsOfRegister));
  int64_t first =
      std::clamp<int64_t>(*index::nextPowerOfTwo(columns) * kept / elementsOfWarp, 4, 32);
  // Nobody computes while a program that is alone waits for a fold: it has all the warps. On an
  // H200 the gradient of an entropy over 16384 floats, which keeps two numbers of each, takes 289
  // us with 32 warps, and 388 us with 16.
  if (!shareRegisters(first, columns / (32 * first), bitsHeld))
    first = 32;
  llvm::stable_sort(warps, [&](int64_t a, int64_t b) {
    auto apart = [&](int64_t number) { return std::max(number, first) / std::min(number, first); };
    return apart(a) < apart(b);
  });
  return withWarps(warps);
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

Configs neighbourConfigs(size_t tiles) {
  // Of one tile that is read and one that is written, the registers of four warps hold both.
  return tiles <= 2 ? withWarps({4, 8, 16}) : withWarps({8, 4, 16});
}

int64_t chooseElements(const Program &program, int64_t usual) {
  return program.policy.isChosen() ? program.policy.pickPower(8) : usual;
}

/// A turn waits for what it reads unless that was asked for turns before: on an H200 sixteen turns
/// ahead are up to six times as fast as none. What is on its way lies in shared memory.
int64_t chooseTurnsAhead(size_t reads) {
  constexpr int64_t mostBytes = 64 << 10, bytesOfTurn = 512, mostTurns = 16;
  return std::clamp<int64_t>(mostBytes / (bytesOfTurn * std::max<int64_t>(reads, 1)), 2, mostTurns);
}

/// A row waits for the fold of the one before unless it is asked for earlier: on an H200 the
/// gradient of an RMS norm with a gate takes 188 us with two rows on the way, and 239 us with none.
/// What is on its way lies in shared memory, of which each multiprocessor has 228 KB there and 100
/// KB elsewhere.
int64_t elementsAhead(int64_t bytes, int64_t programs) {
  constexpr int64_t mostBytes = 64 << 10, bytesTogether = 192 << 10;
  int64_t most = std::min(mostBytes, bytesTogether / programs);
  int64_t elements = most / (std::max<int64_t>(bytes, 1) * (spanTurns - 1));
  return int64_t(llvm::bit_floor(uint64_t(elements)));
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
