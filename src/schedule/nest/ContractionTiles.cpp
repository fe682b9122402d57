// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tiles of contractions: which there are, and what each takes.
#include "schedule/nest/Configurations.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

namespace nereid::schedule {

int64_t sideOf(const Config &config, llvm::StringRef block) {
  for (auto &[name, side] : config.blocks)
    if (name == block)
      return side;
  return 1;
}

double estimateTile(const Device &device, const ContractionSizes &sizes, const Config &config) {
  // Until the first products of a program and behind its last, and for each step of its loop that
  // no other hides, in microseconds.
  constexpr double around = 1.5, ofStep = 0.12;
  constexpr int64_t bytesOfHalf = 2;
  int64_t rows = sideOf(config, "BLOCK_M"), columns = sideOf(config, "BLOCK_N");
  int64_t depth = sideOf(config, "BLOCK_K");
  int64_t steps = sizes.turns * llvm::divideCeil(sizes.terms, depth);
  int64_t programs =
      sizes.batch * llvm::divideCeil(sizes.rows, rows) * llvm::divideCeil(sizes.columns, columns);
  double units = device.multiprocessors;
  bool areHalves = sizes.bytesOfElement == bytesOfHalf || sizes.mayBeHalves;
  int64_t bytes = areHalves ? bytesOfHalf : sizes.bytesOfElement;
  double rate = areHalves               ? device.halfProductsPerUs
                : sizes.areTf32         ? device.tf32ProductsPerUs
                : sizes.areStoredHalves ? device.storedHalvesPerUs
                                        : device.floatProductsPerUs;
  // What a step multiplies and what it reads, from the L2 cache: the left factor for all sums.
  // Of stored halves small tiles wait for what they read from shared memory: on an H200 4096^3 take
  // 776 us in tiles of 64 x 128, 652 in 128 x 128.
  constexpr double fullTile = 128 * 128, ofArea = 0.3;
  if (sizes.areStoredHalves)
    rate *= std::min(1.0, std::pow(double(rows * columns) / fullTile, ofArea));
  double products = 2.0 * double(rows * columns * depth * sizes.sums) / (rate / units);
  // Convolutions compute places for each step: on an H200 one of 64 channels, 5 x 7, takes 1114 us
  // in steps of 128 x 128 x 64, which float32 leaves no room for, 1250 of 64 x 128 x 64, and 1671
  // of 128 x 128 x 32: then 0.3 and 0.4 us a step of as many products, and 11 TB/s from the cache.
  constexpr int64_t fullStep = 64;
  constexpr double ofShortSteps = 1.5, ofCache = 1.65;
  if (sizes.mayBeHalves && depth < fullStep)
    products *= ofShortSteps;
  double read =
      double((rows + columns * sizes.sums) * depth * bytes) / (device.cachedBytesPerUs / units);
  if (sizes.mayBeHalves)
    read /= ofCache;
  int64_t shared = config.stages * (rows + columns * sizes.sums) * depth * bytes;
  // Sums of stored halves leave registers for half as many warps.
  int64_t mostWarps = sizes.areStoredHalves ? 8 : 16;
  int64_t together = std::clamp<int64_t>(device.sharedBytes / std::max<int64_t>(shared, 1), 1,
                                         std::max<int64_t>(mostWarps / config.warps, 1));
  // Several sums fill the registers: of two with 128 columns each, no two programs fit.
  constexpr int64_t lanes = 32, fewSums = 64;
  if (sizes.sums > 1 && sizes.sums * rows * columns / (lanes * config.warps) > fewSums)
    together = 1;
  double alone = std::ceil(double(programs) / units);
  double waves = std::ceil(double(programs) / (units * double(together)));
  return alone * double(steps) * std::max(products, read) +
         waves * (around + double(steps) * ofStep);
}

/// The same of stored halves, of which a step reads two of each factor, and a lane holds the sum of
/// high halves, that of a step, and that of the products with a low one.
static bool fitsStoredHalves(const Device &device, const ContractionSizes &sizes,
                             const Config &config) {
  constexpr int64_t lanes = 32, mostSums = 192, ownSums = 2, pieces = 2, bytes = 4;
  int64_t rows = sideOf(config, "BLOCK_M"), columns = sideOf(config, "BLOCK_N") * sizes.sums;
  int64_t depth = sideOf(config, "BLOCK_K");
  int64_t sums = (ownSums * sizes.sums + 1) * rows * sideOf(config, "BLOCK_N");
  // Where a row has numbers that no halves hold, pieces of TF32 are beside its steps.
  int64_t ofHalves = config.stages * (rows + columns) * depth;
  int64_t ofFloats = (fallbackStages * (rows + columns) + pieces * columns) * depth;
  return sums / (lanes * config.warps) <= mostSums &&
         std::max(ofHalves, ofFloats) * bytes <= device.sharedBytes;
}

/// Whether the sums of a tile fit into registers and what is on its way into shared memory.
static bool fits(const Device &device, const ContractionSizes &sizes, const Config &config) {
  // Beside the sums a lane has its part of the factors, of float32 in pieces. Of TF32 no two
  // programs with 128 sums a lane hide each other's ends: a convolution of 64 channels, 3 x 3,
  // takes 2151 us so on an H200, and 1415 with 64.
  constexpr int64_t lanes = 32, mostSums = 128, mostSumsOfFloats = 64;
  int64_t rows = sideOf(config, "BLOCK_M"), columns = sideOf(config, "BLOCK_N");
  int64_t sums = sizes.sums * rows * columns / (lanes * config.warps);
  if (sizes.areStoredHalves)
    return fitsStoredHalves(device, sizes, config);
  constexpr int64_t stagesOfApart = 3;
  // The right factor's pieces of TF32 lie in shared memory too, also where a launch may do without.
  constexpr int64_t pieces = 2;
  bool areHalves = sizes.bytesOfElement == 2;
  int64_t depth = sideOf(config, "BLOCK_K");
  // Each sum has a right factor of its own, which may be made of several tiles.
  int64_t ofRight = columns * depth * std::max<int64_t>(sizes.sums, sizes.tilesOfColumns);
  // What waits in registers goes through shared memory in another layout.
  int64_t stages = sizes.areApart ? std::max<int64_t>(config.stages, stagesOfApart) : config.stages;
  int64_t elements = stages * (rows * depth * sizes.tilesOfRows + ofRight) +
                     (areHalves ? 0 : pieces * columns * sizes.sums * depth);
  // Fewer rows than four warps take together have their factor's pieces in registers: on an H100 a
  // product of 20 x 2600 x 650 floats takes 71 us in steps of 32 x 128, and 16 where they fit.
  constexpr int64_t rowsOfWarps = 64, mostOfStep = 2048;
  if (!areHalves && !sizes.areTf32 && rows < rowsOfWarps && rows * depth > mostOfStep)
    return false;
  return sums <= (areHalves ? mostSums : mostSumsOfFloats) &&
         elements * sizes.bytesOfElement <= device.sharedBytes;
}

static Config tileOf(int64_t rows, int64_t columns, int64_t depth, int64_t warps, int64_t stages) {
  return {{{"BLOCK_M", rows}, {"BLOCK_N", columns}, {"BLOCK_K", depth}}, warps, stages};
}

Configs contractionConfigs(const Policy &policy, const ContractionSizes &sizes) {
  if (policy.isChosen()) {
    auto side = [&] { return 16 * policy.pickPower(3); };
    int64_t rows = side(), columns = side(), depth = side();
    return {tileOf(rows, columns, depth, 4, 3)};
  }
  if (!policy.has(MoveKind::Tuning))
    return {tileOf(64, 64, 32, 4, 3)};
  constexpr int64_t smallTile = 64 * 128, mostConfigs = 5;
  std::vector<std::pair<double, Config>> known;
  // What is asked for ahead goes to shared memory an element at a time where terms lie apart: on an
  // H200 groups of 32 channels take 56 us with nothing ahead, 73 with one step and 108 with two.
  llvm::SmallVector<int64_t, 2> ahead = {3, 4};
  if (sizes.areApart)
    ahead = {1};
  for (int64_t rows : {16, 32, 64, 128, 256})
    for (int64_t columns : {16, 32, 64, 128, 256})
      for (int64_t depth : {16, 32, 64, 128})
        for (int64_t stages : ahead) {
          // Short steps are for what fills no others: the channels of a group.
          bool leavesHalf = sizes.turns > 1 && sizes.terms % (2 * depth) == depth;
          if (depth == 16 && sizes.terms > depth && !leavesHalf)
            continue;
          // Those groups take 56 us with 128 rows, and 81 with 256.
          constexpr int64_t mostApart = 128;
          if (sizes.areApart && rows > mostApart)
            continue;
          int64_t warps = rows * columns <= smallTile ? 4 : 8;
          Config config = tileOf(rows, columns, depth, warps, stages);
          if (fits(policy.getDevice(), sizes, config))
            known.emplace_back(estimateTile(policy.getDevice(), sizes, config), config);
        }
  llvm::stable_sort(known, [](const auto &a, const auto &b) { return a.first < b.first; });
  // The best of each pair of sides: what else differs says less.
  Configs configs;
  for (auto &[time, config] : known) {
    bool isKnown = llvm::any_of(configs, [&](const Config &other) {
      return sideOf(other, "BLOCK_M") == sideOf(config, "BLOCK_M") &&
             sideOf(other, "BLOCK_N") == sideOf(config, "BLOCK_N");
    });
    if (!isKnown && configs.size() < mostConfigs)
      configs.push_back(config);
  }
  if (configs.empty())
    configs.push_back(tileOf(shortestSide, shortestSide, shortestSide, 4, 1));
  return configs;
}

int64_t heldBlock(int64_t length) {
  return llvm::PowerOf2Ceil(std::max<int64_t>(length, shortestSide));
}

double estimateNestedTile(const Device &device, const NestedSizes &sizes, const Config &config) {
  // Until the first products of a program and behind its last, and for each step that no other
  // hides. What is made of float32 in registers is taken apart there.
  constexpr double around = 2, ofStep = 0.1, ofRegisters = 0.6;
  // Of attention over 4096 bfloat16 positions on an H100: with 64 features 128 x 64 tiles take 440
  // us, 64 rows 478, 128 columns 491, with two stages 584; with 128 features 128 columns are best.
  // Tiles that are read wait in shared memory: in float32 it takes 6290 us with stored scores and
  // 4121 without.
  // Of its gradients on an H200: 128 rows of 64 features take 586 us (keys) and 427 (values) with
  // four warps, over 700 and 525 with eight.
  constexpr double ofTwoStages = 1.15, ofFewRows = 1.08, ofManyColumns = 1.1, ofReadTiles = 1.6,
                   ofOneGroup = 0.85, ofFewColumns = 1.3;
  constexpr int64_t manyRows = 128, manyColumns = 128, fewColumns = 32, fewHeld = 160;
  constexpr int64_t bytesOfHalf = 2;
  int64_t rows = sideOf(config, "BLOCK_M"), depth = sideOf(config, "BLOCK_K");
  int64_t held = sizes.sums * heldBlock(sizes.lanes);
  for (int64_t terms : sizes.terms)
    held += heldBlock(terms);
  bool areHalves = sizes.bytesOfElement == bytesOfHalf;
  double units = device.multiprocessors;
  double rate = areHalves ? device.halfProductsPerUs : ofRegisters * device.floatProductsPerUs;
  int64_t programs = sizes.batch * llvm::divideCeil(sizes.rows, rows);
  int64_t steps = llvm::divideCeil(sizes.columns, depth);
  double products = 2.0 * double(rows * depth * held) / (rate / units);
  double read = double(depth * held * sizes.bytesOfElement + rows * depth * sizes.bytesOfTiles) /
                (device.cachedBytesPerUs / units);
  double alone = std::ceil(double(programs) / units);
  // Two programs hide what each other waits for.
  int64_t together = std::clamp<int64_t>(16 / config.warps / 2, 1, 2);
  double waves = std::ceil(double(programs) / (units * double(together)));
  if (config.stages < 3)
    products *= ofTwoStages;
  if (rows < manyRows)
    products *= ofFewRows;
  if (sizes.bytesOfTiles > 0)
    products *= ofReadTiles;
  if (!sizes.foldsRows && sizes.bytesOfTiles == 0 && config.warps == 4 && rows >= manyRows)
    products *= ofOneGroup;
  if (depth < fewColumns)
    products *= ofFewColumns;
  if (depth >= manyColumns && held < fewHeld)
    products *= ofManyColumns;
  return alone * double(steps) * std::max(products, read) +
         waves * (around + double(steps) * ofStep);
}

/// Whether a program's tiles fit into registers and shared memory.
static bool fitsNested(const Device &device, const NestedSizes &sizes, const Config &config) {
  constexpr int64_t lanes = 32, mostAtOnce = 128, mostOfFloats = 96, pieces = 2;
  constexpr int64_t mostHeld = 64, mostOfSteps = 192, mostBesides = 160;
  constexpr int64_t warpsOfUnit = 4, smallTile = 64 * 128;
  int64_t rows = sideOf(config, "BLOCK_M"), depth = sideOf(config, "BLOCK_K");
  int64_t sums = sizes.sums * heldBlock(sizes.lanes), ofRows = 0, ofColumns = sums;
  for (int64_t terms : sizes.terms) {
    ofRows += heldBlock(terms);
    ofColumns += heldBlock(terms);
  }
  bool areHalves = sizes.bytesOfElement == 2;
  int64_t elements = rows * (sums + depth * int64_t(sizes.terms.size())) / (lanes * config.warps);
  int64_t shared = rows * ofRows + config.stages * depth * ofColumns +
                   (areHalves ? 0 : pieces * depth * ofColumns);
  // Four warps hold 128 rows only beside what is small.
  bool isTight =
      config.warps == warpsOfUnit && sizes.foldsRows && rows * (sums + depth) > 2 * smallTile;
  // What is made in a step may take more of a warp's registers than what is held throughout.
  int64_t most = mostAtOnce;
  if (areHalves && !sizes.foldsRows && config.warps == warpsOfUnit)
    most = rows * sums / (lanes * config.warps) <= mostHeld ? mostOfSteps : mostBesides;
  // Scores may change their layout on the way to the next product; those of gradients in halves do
  // not.
  constexpr int64_t bytesOfScore = 4;
  bool keepsLayout = areHalves && !sizes.foldsRows;
  int64_t ofScores = keepsLayout ? 0 : bytesOfScore + sizes.bytesOfElement;
  int64_t ofTiles = rows * depth * (config.stages * sizes.bytesOfTiles + ofScores);
  return elements <= (areHalves ? most : mostOfFloats) && !isTight &&
         shared * sizes.bytesOfElement + ofTiles <= device.sharedBytes;
}

Configs nestedConfigs(const Policy &policy, const NestedSizes &sizes) {
  auto tile = [](int64_t rows, int64_t depth, int64_t warps, int64_t stages) {
    return Config{{{"BLOCK_M", rows}, {"BLOCK_K", depth}}, warps, stages};
  };
  if (policy.isChosen()) {
    int64_t rows = 16 * policy.pickPower(3), depth = 16 * policy.pickPower(3);
    return {tile(rows, depth, 4, 2)};
  }
  constexpr int64_t mostConfigs = 5, rowsOfWarps = 64;
  std::vector<std::pair<double, Config>> known;
  for (int64_t rows : {16, 32, 64, 128})
    for (int64_t depth : {16, 32, 64, 128})
      for (int64_t stages : {2, 3})
        for (int64_t warps : {4, 8}) {
          Config config = tile(rows, depth, warps, stages);
          bool isFilled = warps == 4 || rows > rowsOfWarps;
          if (isFilled && fitsNested(policy.getDevice(), sizes, config))
            known.emplace_back(estimateNestedTile(policy.getDevice(), sizes, config), config);
        }
  llvm::stable_sort(known, [](const auto &a, const auto &b) { return a.first < b.first; });
  Configs configs;
  for (auto &[time, config] : known) {
    bool isKnown = llvm::any_of(configs, [&](const Config &other) {
      return other.blocks == config.blocks && other.warps == config.warps;
    });
    if (!isKnown && configs.size() < mostConfigs)
      configs.push_back(config);
  }
  if (configs.empty())
    configs.push_back(tile(16, 16, 4, 1));
  return configs;
}

} // namespace nereid::schedule
