// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions: folds that are sums of products whose factors have axes of their own, such as
// `sum_k a[b, m, k] * c[b, k, n]`. Matrix products, convolutions and attention's scores are these,
// whatever operator or hand-written line they come from: they are found by algebra alone, and a
// kernel of them computes tiles of m and n by the matrix units, in a loop over k.
#pragma once

#include "schedule/nest/Configurations.h"
#include "schedule/nest/CostTerms.h"
#include "schedule/nest/Kernel.h"

namespace nereid::schedule {

/// A factor of float32 as halves: `(high + low / lowHalfScale) * scale`. The scale is a number of
/// the rows of the factor, and so is the spread, 0 to 3, that says how far their elements lie
/// apart.
struct FactorHalves {
  Access high, low, scale, spread;
};
inline constexpr double lowHalfScale = 4096;
/// The spreads of a row and a column whose product must not be made of halves add up to this.
inline constexpr double tooFarApart = 3;

/// The factors of a fold's terms, over the indices `$i` of its value and those that it runs over,
/// `$ri`. Both have one element type, which matrix units take.
struct Contraction {
  Access left, right;
  /// Both factors are such that products of TF32 may be taken (`graph.tf32`).
  bool mayBeTf32 = false;
  /// Both are stored as halves where the launch takes TF32 (ScaledFactors.h).
  bool mayBeHalves = false;
  /// Of both, where they are stored.
  std::optional<std::array<FactorHalves, 2>> halves = {};
};

/// The fold as a sum of products of float16, bfloat16 or float32; nothing where it is none. A
/// product that is stored is no part of it.
std::optional<Contraction> asContraction(const Program &program, const Value &fold,
                                         const StoredSet &stored);

/// Whether a value has the digits of TF32 alone where the launch says so.
bool mayBeTf32(const Value &value);

/// Gives a contraction a product of its own, with an index for each of its value and of what it
/// runs over from now on, and such factors over these.
void setFactors(Program &program, Value &fold, llvm::ArrayRef<Expr> foldExtents, Access left,
                Access right);

/// Takes `graph.tf32` from what no contraction multiplies that fills tiles, and from everything at
/// stages that store no copies in which it could be rounded.
void settlePrecision(Program &program);

/// The axes of a kernel that a factor has whose fold stands at such coordinates, and runs over such
/// columns; those of what is looked up for it included.
llvm::SmallSetVector<Expr, 8> symbolsOfFactor(const Program &program, const Access &factor,
                                              llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> columns,
                                              const index::Facts &facts);

/// How large it is at the typical sizes, as far as the indices of its factors tell.
ContractionSizes sizesOf(const Program &program, const Value &fold, const Contraction &contraction);
bool fillsTiles(const ContractionSizes &sizes);

/// Keeps the terms of contractions out of memory, of which there are as many as of both factors'
/// elements together and more.
void keepTermsInline(Program &program);

/// The axes of a kernel whose folds all are contractions over the same columns, along whose rows
/// their factors vary in the same way; nothing where there are others, where an output has columns,
/// or where the axes are too short to fill tiles. Columns of windows are added to the kernel.
std::optional<ContractionAxes> findContractionAxes(const Program &program, Kernel &kernel,
                                                   const StoredSet &stored);

/// The factors of a fold of such a kernel, at the kernel's coordinates `at` and `columns`: the left
/// one is that which varies along `rows`.
Contraction contractionAlong(const Program &program, const StoredSet &stored, const Value &fold,
                             llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> columns,
                             const index::Facts &facts, const Space &rows);

/// The sizes of a kernel's contraction; the rows are those of the right factor where `isSwapped`.
ContractionSizes sizesOf(const Program &program, const Kernel &kernel, bool isSwapped);

/// The same of one with nested contractions, but for what it reads as tiles of rows and columns;
/// and whether something at a place, or an offset, is such a tile.
NestedSizes nestedSizesOf(const Program &program, const Kernel &kernel);
bool isNestedTile(const Kernel &kernel, llvm::ArrayRef<Expr> at);

/// How much longer tiles take whose elements are asked for one by one. On an H100 a convolution of
/// 64 channels takes 1224 us with the channels apart, and 149 us with them as neighbours; on an
/// H200 a product of 8205 x 2949 x 5921 floats 24.3 ms with rows of 2949.
inline constexpr double byElements = 6;
/// What rows have to be a multiple of for lanes to load several elements at once: 16 bytes, or as
/// many elements where the launch says how long they are, of which Triton asks no less.
inline constexpr int64_t elementsOfLoad = 16, bytesOfLoad = 16;

/// The last axes of what is read, as far as they are gone over as one: `k` of `(k // 2, k % 2)`.
struct LastAxes {
  Expr coordinate;
  size_t first; // of these axes
};
LastAxes lineOf(llvm::ArrayRef<Expr> at, llvm::ArrayRef<Expr> shape);

/// Along which indices tiles of a factor may go in memory: any that is one of the terms and fills a
/// step, and the longest of those of a side, where the others are few enough to have tiles of their
/// own. Extents of 1 do not count.
inline constexpr int64_t shortestPiece = 8;
bool isTermPiece(int64_t extent, int64_t terms);
bool isSidePiece(int64_t extent, int64_t side);
/// Whether a coordinate goes along one of some pieces element by element, where nothing else in it
/// `moves` within a tile.
bool goesAlong(Expr coordinate, llvm::ArrayRef<Expr> pieces, llvm::function_ref<bool(Expr)> moves);

/// What a kernel reads or computes at coordinates, and how many operations that takes.
struct RequestedPlace {
  const Value *value;
  llvm::SmallVector<Expr, 4> at;
  unsigned operations = 0;
};

/// What a kernel of contractions takes, without its launch, which moves so many bytes at least.
CostTerms estimateContraction(const Program &program, const Kernel &kernel, double bytes,
                              llvm::ArrayRef<RequestedPlace> accesses,
                              llvm::ArrayRef<RequestedPlace> computations, const Device &device);

} // namespace nereid::schedule
