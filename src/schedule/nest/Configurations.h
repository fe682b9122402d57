// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The configurations among which the autotuner of a kernel chooses, by the kind of its form; small
// launches run the first of them. With them the numbers that no launch chooses: how many elements a
// program holds, and how far ahead a loop reads.
#pragma once

#include "schedule/program/Value.h"

namespace nereid::schedule {

/// One entry of an autotune list.
struct Config {
  llvm::SmallVector<std::pair<std::string, int64_t>, 2> blocks;
  int64_t warps = 4;
  int64_t stages = 3;
};
using Configs = std::vector<Config>;

/// A flat kernel, in whose programs each element makes the turns of a loop where `hasTurns`.
Configs flatConfigs(const Program &program, bool hasTurns);
/// Tiles of a map whose columns have whole pieces of memory; where they are `transposed`, rows have
/// pieces too.
Configs mapConfigs(const Program &program, bool transposed);
/// Tiles of a map that looks up rows of a table.
Configs lookupConfigs();
/// A flat kernel most of whose reads are no neighbours from lane to lane: an element a lane where
/// they are strided, two where they are parts of windows. On an H200 pools of pools of a softmax
/// take 116 us for 416 with four a lane, a pool of a video 62 for 222, averages of eight neighbours
/// in lines of 32768 800 for 1161.
Configs scatteredConfigs(bool areStrided);
/// A flat kernel whose elements are places found in sorted rows.
Configs searchConfigs(const Policy &policy);
/// What a kernel does that goes over columns in a loop: how many elements of rows there are at the
/// typical sizes, and the bytes of an element of what it mostly reads.
struct LoopedRows {
  int64_t elements = 1, bytesOfElement = 4;
  /// How long a row typically is.
  int64_t columns = 1;
};
/// Blocks of rows and columns no longer than these, at the typical sizes: what one of them leaves
/// the other takes, and there are fewer warps for fewer elements.
void fitTiles(Configs &configs, int64_t rows, int64_t columns);
/// Columns traversed in a loop, by one row or by blocks of them.
Configs loopConfigs(const Program &program, bool tiledRows, const LoopedRows &rows);
/// Windows of so many elements, which are folded one or a few at a time.
Configs windowConfigs(const Policy &policy, int64_t columns);
/// Tiles of so many strips by so many columns.
Configs stripConfigs(const Policy &policy, int64_t strips, int64_t columns);
/// Columns whose bounds are data, of rows that have `width` neighbours.
Configs segmentConfigs(const Policy &policy, bool tiledRows, int64_t width);

/// Tiles of contractions, best first by `estimateTile`, of so many rows, columns and terms at the
/// typical sizes, which a program goes over in so many turns of an outer loop.
struct ContractionSizes {
  int64_t batch = 1, rows = 1, columns = 1, terms = 1, turns = 1;
  /// Rows or columns below which lanes add up their own sums.
  int64_t leastSide = 16;
  /// How many sums a program holds, and the bytes of an element of their factors.
  unsigned sums = 1;
  int64_t bytesOfElement = 4;
  /// Of float32: one product of TF32, if the launch says so, in place of three.
  bool areTf32 = false;
  /// Of TF32: factors are halves where the launch takes it, and else float32.
  bool mayBeHalves = false;
  /// How many tiles an element of each factor is made of: the places of a pool, the parts of a
  /// concatenation.
  int64_t tilesOfRows = 1, tilesOfColumns = 1;
  /// Factors whose neighbours in memory are rows and not terms.
  bool areApart = false;
  /// Of float32: three products of halves that are stored, for each of which programs hold a tile.
  bool areStoredHalves = false;
};
/// How much longer products of float32 take whose right factor lies along the lanes and not along
/// what is summed over: matrix units take pieces of TF32 in that order alone. On an H200 a product
/// of 4096 x 4096 x 4096 takes 1708 us with the factor transposed, 2555 without, whatever the left
/// one's order is.
inline constexpr double acrossTerms = 1.45;
/// A matrix unit takes tiles of 16 or more; shorter axes leave most of it idle.
inline constexpr int64_t shortestSide = 16;
Configs contractionConfigs(const Policy &policy, const ContractionSizes &sizes);
/// How many turns ahead a loop reads factors of float32 that have no halves, beside one that reads
/// halves.
inline constexpr int64_t fallbackStages = 2;

/// The same of a kernel with nested contractions, each of whose programs goes over all columns for
/// a block of rows: what it holds whole of the right axes, and of what is nested.
struct NestedSizes {
  int64_t batch = 1, rows = 1, columns = 1, lanes = 0;
  llvm::SmallVector<int64_t, 2> terms;
  unsigned sums = 0;
  int64_t bytesOfElement = 4;
  /// Whether rows are folded beside the products: a softmax and its weighted sum.
  bool foldsRows = false;
  /// Bytes of what a program reads for an element of a row and a column: stored scores, masks.
  int64_t bytesOfTiles = 0;
};
/// The block that holds an axis of such a length whole.
int64_t heldBlock(int64_t length);
Configs nestedConfigs(const Policy &policy, const NestedSizes &sizes);
double estimateNestedTile(const Device &device, const NestedSizes &sizes, const Config &config);

/// Microseconds that the products themselves take in tiles of a configuration, without what memory
/// takes to give the factors once.
double estimateTile(const Device &device, const ContractionSizes &sizes, const Config &config);
/// The side of a configuration's tile: `BLOCK_M`, `BLOCK_N` or `BLOCK_K`.
int64_t sideOf(const Config &config, llvm::StringRef block);

/// What a program holds of its columns while it goes over a span of rows; one that is alone in its
/// multiprocessor may have nothing but its warps to hide what it waits for.
Configs spanConfigs(int64_t columns, bool hidesByWarps);
/// The elements of a span's rows that a program holds at a time.
int64_t spanElements(int64_t columns);
/// The columns of a row that are one tile: of one row, each of whose elements keeps so many bits
/// while a fold waits for all lanes, of several short ones, and of rows that are neighbours in
/// memory, of which a program holds so many tiles.
Configs basicResidentConfigs();
Configs residentConfigs(int64_t columns, int64_t bitsHeld);
Configs shortRowConfigs();
Configs neighbourConfigs(size_t tiles);

/// Long rows of programs so few that each has a multiprocessor for itself.
constexpr int64_t fewPrograms = 64;
Configs aloneConfigs(bool resident);

/// Elements of all rows together that a program holds, and those of wide numbers in short rows:
/// eight a lane leave registers for what is made of them. On an H200 softmaxes of 49 numbers take
/// 68 us for 142 with 4096, attention over windows of 49 156 for 245, a distillation over 1000
/// classes 221 for 321; but a norm of rows of 384 halves 66 for 59, whose loads are twice as many
/// numbers, and averages of 11 x 11, of whose rows nothing is kept, 1500 for 1000.
constexpr int64_t residentElements = 4096, wideElements = 1024;
/// The longest rows of which several share a program that holds so many elements.
constexpr int64_t longestShared(int64_t elements) {
  return elements == wideElements ? wideElements / 2 : elements / 4;
}
/// The same where rows are neighbours in memory, and the longest of them that are held: 16 of those
/// fill the sectors that they touch.
constexpr int64_t neighbouringElements = 16384;
/// One of these, or what the chooser says.
int64_t chooseElements(const Program &program, int64_t usual);

/// How many turns ahead the turns of a loop read, which make so many reads each.
int64_t chooseTurnsAhead(size_t reads);
/// How many turns ahead a span of rows reads: itself, and those on the way.
inline constexpr int64_t spanTurns = 3;
/// The largest tile of which it does, where an element of it reads so many bytes and so many
/// programs share a multiprocessor.
int64_t elementsAhead(int64_t bytes, int64_t programs);
/// How many blocks ahead a scan of tiled rows reads, whose blocks the first configuration has.
int64_t chooseBlocksAhead(llvm::ArrayRef<Config> configs, size_t reads);

} // namespace nereid::schedule
