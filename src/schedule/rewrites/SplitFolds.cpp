// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/rewrites/SplitFolds.h"

#include "graph/GraphOps.h"
#include "schedule/folds/SplitCascades.h"
#include "schedule/nest/Contraction.h"
#include "schedule/program/FoldKinds.h"
#include "schedule/program/IndexMap.h"
#include "schedule/program/ValueMaker.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

namespace nereid::schedule {

namespace {

/// Below this many elements a second launch costs more than it saves.
constexpr int64_t leastElements = int64_t(1) << 18;
/// Programs for each multiprocessor that keep it busy through its loads.
constexpr int64_t programsWanted = 8;
/// Rows side by side that a program takes when the fold's axis is not the contiguous one.
constexpr int64_t rowsTogether = 64;

/// Whether another fold runs along the contiguous axis of as many elements: programs that go over
/// its rows may carry this one, when its results are over windows of them.
bool isCrossed(const Program &program, const Value &fold) {
  int64_t elements =
      program.estimateElements(fold.shape) * program.estimateElements(fold.foldExtents);
  return fold.shape.size() > 1 && llvm::any_of(program.values, [&](const Value &other) {
           return other.kind == ValueKind::Fold && other.loop < 0 && !other.isSegment &&
                  !other.foldExtents.empty() && other.window == 0 &&
                  other.foldExtents.back() == fold.shape.back() && isContiguous(other) &&
                  program.estimateElements(other.shape) *
                          program.estimateElements(other.foldExtents) ==
                      elements;
         });
}

/// How much longer products of float32 take in small tiles than their rate says: what is read is
/// taken apart into pieces of TF32 for each tile. On an H200 512 x 512 sums of 65536 products take
/// 942 us in tiles of 64 x 32, as many products in tiles of 128 x 64 430.
double ofSmallTile(const ContractionSizes &sizes, const Config &tile) {
  constexpr double fullTile = 128 * 64;
  double area = double(sideOf(tile, "BLOCK_M") * sideOf(tile, "BLOCK_N"));
  bool isOfFloats = sizes.bytesOfElement > 2 && !sizes.areTf32;
  return isOfFloats && area < fullTile ? std::sqrt(fullTile / area) : 1;
}

/// What a contraction takes whose terms are summed in parts of so many, which are then added up.
class TimeOfParts {
public:
  TimeOfParts(const ContractionSizes &sizes, const Policy &policy)
      : sizes(sizes), policy(policy), whole(estimate(sizes.terms)) {}

  /// Of so many terms at most, the length whose parts take the least time; 0 where all of it in one
  /// takes less, or little more: what stands around the products is a kernel of its own then.
  int64_t chooseLength(llvm::ArrayRef<int64_t> lengths) const {
    constexpr double leastShare = 0.75;
    int64_t best = 0;
    double least = leastShare * whole;
    for (int64_t length : lengths)
      if (double time = estimate(length); time < least) {
        best = length;
        least = time;
      }
    return best;
  }

private:
  double estimate(int64_t length) const {
    constexpr int64_t bytesOfPartial = 2 * 4;
    const Device &device = policy.getDevice();
    ContractionSizes part = sizes;
    int64_t parts = llvm::divideCeil(sizes.terms, length);
    part.batch *= parts;
    part.terms = length;
    double partials = double(sizes.batch * sizes.rows * sizes.columns * parts * bytesOfPartial);
    Config tile = contractionConfigs(policy, part).front();
    return estimateTile(device, part, tile) * ofSmallTile(sizes, tile) +
           (parts > 1 ? device.launchUs + partials / device.bytesPerUs : 0);
  }

  const ContractionSizes &sizes;
  const Policy &policy;
  double whole;
};

/// The length of windows of a contraction's terms, where these take less time than all of it.
int64_t chooseWindowOfTerms(const ContractionSizes &sizes, const Policy &policy) {
  constexpr int64_t shortestWindow = 512;
  llvm::SmallVector<int64_t> lengths;
  for (int64_t length = shortestWindow; 2 * length <= sizes.terms; length *= 2)
    lengths.push_back(length);
  return TimeOfParts(sizes, policy).chooseLength(lengths);
}

/// The length of the windows of a fold; 0 when one program a result is enough.
int64_t chooseWindow(const Program &program, const Value &fold, const Device &device) {
  auto op = llvm::dyn_cast_or_null<graph::FoldOp>(fold.op);
  if (!op || fold.isSegment || op.getKind() == graph::FoldKind::Argmax ||
      op.getKind() == graph::FoldKind::Argmin)
    return 0;
  if (program.policy.isChosen())
    return program.policy.pick(3) == 0 ? program.policy.pickPower(7) : 0;
  if (auto contraction = asContraction(program, fold, StoredSet())) {
    ContractionSizes sizes = sizesOf(program, fold, *contraction);
    // A turn of a loop is better one launch than two.
    bool isOfTurn = program.func->hasAttr("graph.turn");
    if (fillsTiles(sizes))
      return isOfTurn ? 0 : chooseWindowOfTerms(sizes, program.policy);
  }
  int64_t rows = program.estimateElements(fold.shape);
  int64_t extent = program.estimateElements(fold.foldExtents);
  bool contiguous = isContiguous(fold);
  // Neighbours of the last axis share a program: of colours, three.
  int64_t last = fold.shape.empty() ? 1 : std::max<int64_t>(program.estimate(fold.shape.back()), 1);
  int64_t programs =
      contiguous ? rows : llvm::divideCeil(rows, last) * llvm::divideCeil(last, rowsTogether);
  if (!contiguous && isCrossed(program, fold))
    programs = rows / std::max<int64_t>(program.estimate(fold.shape.back()), 1);
  if (rows * extent < leastElements || programs >= 2 * device.multiprocessors)
    return 0;
  int64_t windows =
      llvm::divideCeil(programsWanted * device.multiprocessors, std::max<int64_t>(programs, 1));
  int64_t length = llvm::PowerOf2Ceil(std::max<int64_t>(1, extent / windows));
  length = std::clamp<int64_t>(length, contiguous ? 8192 : 64, 65536);
  return 2 * length <= extent ? length : 0;
}

/// Makes two axes of one that a fold runs over: of blocks of so many indices, which comes first,
/// and of what is within a block, which stands where the axis did.
void cutAxis(Program &program, Value &fold, unsigned axis, int64_t length) {
  auto within = [&](unsigned i) { return program.getFoldIndex(i + 1); };
  llvm::DenseMap<Expr, Expr> indices;
  for (unsigned i = 0; i < fold.foldExtents.size(); ++i)
    indices[program.getFoldIndex(i)] = within(i);
  indices[program.getFoldIndex(axis)] = program.getFoldIndex(0) * length + within(axis);
  forEachAccess(fold, [&](Access &access) {
    for (Expr &coordinate : access.at)
      coordinate = index::substitute(coordinate, indices);
  });
  Expr blocks = index::floordiv(fold.foldExtents[axis], program.context->constant(length));
  fold.foldExtents[axis] = program.context->constant(length);
  fold.foldExtents.insert(fold.foldExtents.begin(), blocks);
}

/// Of a contraction over several axes, the channels and taps of a convolution, blocks of the
/// longest one are parts, where these take less time than the few tiles of all of it: then what
/// taps read is known within a part as it was. Returns whether the first axis is that of the parts
/// now.
bool cutTerms(Program &program, Value &fold) {
  auto contraction = asContraction(program, fold, StoredSet());
  if (!contraction || fold.foldExtents.size() < 2 || program.policy.isChosen() ||
      program.func->hasAttr("graph.turn"))
    return false;
  ContractionSizes sizes = sizesOf(program, fold, *contraction);
  auto *longest = llvm::max_element(
      fold.foldExtents, [&](Expr a, Expr b) { return program.estimate(a) < program.estimate(b); });
  std::optional<int64_t> extent = longest->getConstant();
  if (!extent || !fillsTiles(sizes))
    return false;
  constexpr int64_t shortestBlock = 32, mostParts = 32;
  int64_t others = sizes.terms / *extent;
  llvm::SmallVector<int64_t> lengths;
  for (int64_t parts = 2; parts <= mostParts && *extent / parts >= shortestBlock; ++parts)
    if (*extent % (parts * shortestBlock) == 0)
      lengths.push_back(*extent / parts * others);
  int64_t terms = TimeOfParts(sizes, program.policy).chooseLength(lengths);
  if (terms != 0)
    cutAxis(program, fold, longest - fold.foldExtents.begin(), terms / others);
  return terms != 0;
}

/// How many of the first axes of a fold have others between them and the rest in memory, as far as
/// the coordinates of what is read tell: a window of positions divides each of them there.
unsigned countLeading(const Program &program, const Value &fold) {
  llvm::ArrayRef<Expr> at = fold.inputs[0].at;
  size_t count = fold.foldExtents.size();
  while (count > 1) {
    auto *own = llvm::find(at, program.getFoldIndex(count - 1));
    auto *before = llvm::find(at, program.getFoldIndex(count - 2));
    if (own == at.end() || before == at.end() || before + 1 != own)
      break;
    --count;
  }
  return count - 1;
}

bool isOfTiles(const Program &program, const Value &fold) {
  auto contraction = asContraction(program, fold, StoredSet());
  return contraction && fillsTiles(sizesOf(program, fold, *contraction));
}

/// Whether a result is made, element by element, of what a fold runs over, and of something that
/// the fold reads.
bool standsBesideResult(const Program &program, const Value &fold) {
  int64_t elements =
      program.estimateElements(fold.shape) * program.estimateElements(fold.foldExtents);
  llvm::DenseSet<const Value *> own = findLeaves(*fold.inputs[0].from);
  return llvm::any_of(program.results, [&](const Result &result) {
    const Value &value = *result.value;
    return value.kind == ValueKind::Map && program.estimateElements(value.shape) == elements &&
           llvm::any_of(findLeaves(value), [&](const Value *leaf) {
             return own.contains(leaf) && program.estimateElements(leaf->shape) == elements;
           });
  });
}

/// How many of the first axes of a fold say which row, so that one kernel makes a result and folds
/// its rows: what both read is read once. The gradients of a tensor and of what scales its channels
/// are such. 0 where there are no rows, or too few or too short.
unsigned countBesideResult(const Program &program, const Value &fold, const Device &device) {
  constexpr int64_t leastRow = 512;
  auto op = llvm::dyn_cast_or_null<graph::FoldOp>(fold.op);
  if (!op || fold.isSegment || op.getKind() == graph::FoldKind::Argmax ||
      op.getKind() == graph::FoldKind::Argmin || fold.foldExtents.size() < 2 ||
      program.policy.isChosen() || !isContiguous(fold) || isOfTiles(program, fold) ||
      !standsBesideResult(program, fold))
    return 0;
  unsigned leading = countLeading(program, fold);
  auto rowFrom = [&](unsigned first) {
    return program.estimateElements(llvm::ArrayRef(fold.foldExtents).drop_front(first));
  };
  if (fold.shape.empty())
    for (leading = fold.foldExtents.size() - 1; leading > 0 && rowFrom(leading) < leastRow;)
      --leading;
  int64_t rows = program.estimateElements(fold.shape) *
                 program.estimateElements(llvm::ArrayRef(fold.foldExtents).take_front(leading));
  bool areMany = rows >= 2 * device.multiprocessors && rowFrom(leading) >= leastRow &&
                 rows * rowFrom(leading) >= leastElements;
  return areMany ? leading : 0;
}

/// Windows of positions, or rows where these are long and many: the positions of planes of images
/// are divided for each element. On an H200 the moments of 48 x 256 planes of 56 x 56 floats take
/// 72 us by windows.
FoldCut chooseCut(const Program &program, const Value &fold, const Device &device) {
  FoldCut windows{chooseWindow(program, fold, device), 0};
  FoldCut byRows{0, countLeading(program, fold)};
  if (FoldCut beside{0, countBesideResult(program, fold, device)}; beside.isAny())
    return beside;
  if (!windows.isAny() || byRows.leading == 0)
    return windows;
  constexpr int64_t leastRow = 1024;
  int64_t rows = program.estimateElements(fold.shape) *
                 program.estimateElements(byRows.partsOf(fold, *program.context));
  bool pays = isContiguous(fold) && !isOfTiles(program, fold) &&
              rows >= 2 * device.multiprocessors &&
              program.estimateElements(byRows.extentsWithin(fold)) >= leastRow;
  return program.policy.decide(pays) ? byRows : windows;
}

/// A new value, put before `fold`, that folds a part of what it does, with its operator.
Value &makePart(Program &program, const Value &fold, llvm::StringRef suffix) {
  Value &part = program.values.emplace_back(ValueKind::Fold, (fold.name + suffix).str(), fold.loc,
                                            accumulatorType(fold.inputs[0].from->elementType));
  part.op = fold.op;
  part.unit = fold.unit;
  part.order = orderBefore(program, fold);
  return part;
}

/// Makes `fold` combine what a new value, put before it, folds of each part; returns that.
Value &split(Program &program, Value &fold, const FoldCut &cut) {
  Value &partial = makePart(program, fold, "_partial");
  llvm::ArrayRef<Expr> within = cut.extentsWithin(fold);
  partial.foldExtents.assign(within.begin(), within.end());
  partial.window = cut.window;
  partial.isPart = cut.leading != 0;
  llvm::SmallVector<Expr, 2> parts = cut.partsOf(fold, *program.context);
  partial.shape.assign(parts.begin(), parts.end());
  partial.shape.append(fold.shape.begin(), fold.shape.end());
  llvm::SmallVector<Expr, 4> outer = cut.outerIndices(program, fold);
  llvm::SmallVector<Expr, 4> inner =
      cut.foldIndices(program, fold, [&](unsigned i) { return program.getFoldIndex(i); });
  partial.inputs.push_back(fold.inputs[0]);
  forEachAccess(partial, [&](Access &access) {
    for (Expr &coordinate : access.at)
      coordinate = substituteIndices(coordinate, outer, inner, program);
  });

  Access combined{&partial, {}, {}};
  for (size_t i = 0; i < parts.size(); ++i)
    combined.at.push_back(program.getFoldIndex(i));
  for (size_t i = 0; i < fold.shape.size(); ++i)
    combined.at.push_back(program.getIndex(i));
  fold.inputs[0] = std::move(combined);
  fold.foldExtents.assign(parts.begin(), parts.end());
  return partial;
}

/// Whether what is folded is made of folds over rows of it: a loss of softmaxes, say.
bool isMadeOfRows(const Program &program, const Value &fold) {
  llvm::ArrayRef<Expr> extents = fold.foldExtents;
  auto isOfRow = [&](const Value &other) {
    return other.kind == ValueKind::Fold && !other.shape.empty() && !other.isSegment &&
           other.foldExtents.size() == 1 && other.foldExtents.back() == extents.back() &&
           llvm::is_contained(other.shape, extents[extents.size() - 2]);
  };
  constexpr unsigned mostValues = 64;
  llvm::SetVector<const Value *> reached;
  reached.insert(fold.inputs[0].from);
  for (size_t next = 0; next < reached.size() && next < mostValues; ++next) {
    if (isOfRow(*reached[next]))
      return true;
    if (reached[next]->kind == ValueKind::Map || reached[next]->kind == ValueKind::Select)
      forEachAccess(*reached[next], [&](const Access &access) { reached.insert(access.from); });
  }
  return false;
}

/// Makes `fold` combine what a new value folds along rows, beside what it is made of: the rows are
/// read once. Only where there are programs enough, one a row.
bool splitByRows(Program &program, Value &fold, const Device &device) {
  size_t inner = fold.foldExtents.size() - 1;
  auto op = llvm::dyn_cast_or_null<graph::FoldOp>(fold.op);
  if (!op || fold.isSegment || fold.window != 0 || fold.foldExtents.size() < 2 ||
      op.getKind() == graph::FoldKind::Argmax || op.getKind() == graph::FoldKind::Argmin ||
      program.policy.isChosen() || asContraction(program, fold, StoredSet()))
    return false;
  auto outer = llvm::ArrayRef(fold.foldExtents).drop_back();
  int64_t rows = program.estimateElements(fold.shape) * program.estimateElements(outer);
  if (rows < 2 * device.multiprocessors || !isMadeOfRows(program, fold))
    return false;
  Value &ofRow = makePart(program, fold, "_of_row");
  ofRow.shape = fold.shape;
  ofRow.shape.append(outer.begin(), outer.end());
  ofRow.foldExtents = {fold.foldExtents.back()};
  llvm::DenseMap<Expr, Expr> indices = {{program.getFoldIndex(inner), program.getFoldIndex(0)}};
  Access combined{&ofRow, {}, {}};
  for (size_t i = 0; i < fold.shape.size(); ++i)
    combined.at.push_back(program.getIndex(i));
  for (size_t i = 0; i < inner; ++i) {
    indices[program.getFoldIndex(i)] = program.getIndex(fold.shape.size() + i);
    combined.at.push_back(program.getFoldIndex(i));
  }
  ofRow.inputs.push_back(fold.inputs[0]);
  forEachAccess(ofRow, [&](Access &access) {
    for (Expr &coordinate : access.at)
      coordinate = index::substitute(coordinate, indices);
  });
  fold.inputs[0] = std::move(combined);
  fold.foldExtents.pop_back();
  return true;
}

} // namespace

void setWindows(Program &program, llvm::ArrayRef<Value *> partials, int64_t length,
                bool areCarried) {
  for (Value *partial : partials) {
    partial->isCarried = areCarried;
    if (partial->window == 0)
      continue;
    partial->window = length;
    partial->shape[0] =
        index::ceildiv(index::product(*program.context, partial->foldExtents), length);
    for (Value &fold : program.values)
      if (fold.kind == ValueKind::Fold && fold.inputs[0].from == partial)
        fold.foldExtents.assign({partial->shape[0]});
  }
}

void splitFolds(Program &program, const Device &device) {
  // Room for the values that come before a fold.
  spaceOut(program, placesBefore);
  llvm::SmallVector<Value *> folds;
  for (Value &value : program.values)
    if (value.kind == ValueKind::Fold && value.loop < 0)
      folds.push_back(&value);
  SplitFoldSet splits;
  for (Value *fold : folds) {
    (void)splitByRows(program, *fold, device);
    FoldCut cut = cutTerms(program, *fold) ? FoldCut{0, 1} : chooseCut(program, *fold, device);
    if (!cut.isAny())
      continue;
    if (!splitCascade(program, *fold, cut, splits)) {
      splits.partials[fold] = &split(program, *fold, cut);
      splits.cuts[fold] = cut;
    }
    splits.all.insert(fold);
  }
}

} // namespace nereid::schedule
