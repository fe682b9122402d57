// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/rewrites/AxisOrders.h"

#include "graph/GraphOps.h"
#include "schedule/program/FoldKinds.h"
#include "schedule/rewrites/Relayouts.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace nereid::schedule {

namespace {

class AxisOrders {
public:
  explicit AxisOrders(Program &program) : program(program) {}

  void settle();

private:
  /// Bytes that speak for each axis, and all that there are.
  struct Votes {
    llvm::SmallVector<double, 4> bytes;
    double all = 0;
  };
  struct Read {
    Value *reader;
    Access *access;
  };

  std::optional<unsigned> axisAlong(const Value &value, Expr coordinate) const;
  bool goesBy(Expr coordinate, Expr index) const;
  void addContraction(const Value &fold, const Contraction &contraction);
  Votes votesOfInputs(Value &value) const;
  bool followsTiles(Value &value) const;
  void addVotesOfReaders(Value &value, Votes &votes) const;
  unsigned winnerOf(const Value &value, const Votes &votes) const;
  bool isWished(const Value &value, unsigned axis) const;
  bool isUnread(const Value &value) const;
  bool mayChange(Value &value) const;
  void moveLast(Value &value, unsigned axis);

  Program &program;
  /// The axis along which the elements of a value are neighbours.
  llvm::DenseMap<const Value *, unsigned> along;
  /// Contractions, and what is made of them alone: tiles write along any axis.
  llvm::DenseSet<const Value *> ofTiles;
  /// The axes along which contractions read a factor.
  llvm::DenseMap<const Value *, llvm::SmallVector<unsigned, 2>> wishes;
  llvm::DenseSet<const Value *> moved;
  llvm::DenseMap<const Value *, llvm::SmallVector<Read, 2>> reads;
  llvm::DenseSet<const Value *> results;
};

} // namespace

static double bytesOf(const Program &program, const Value &value) {
  return double(program.estimateElements(value.shape)) * double(value.getElementBytes());
}

/// Whether a coordinate goes on by one where an index does, but for where it begins again.
bool AxisOrders::goesBy(Expr coordinate, Expr index) const {
  if (coordinate.getKind() == index::ExprKind::Mod)
    coordinate = coordinate.getOperands()[0];
  std::optional<index::LinearIn> linear = index::asLinearIn(coordinate, index);
  return linear && (linear->coefficient.isConstant(1) || linear->coefficient.isConstant(-1));
}

/// The axis of a value whose index a coordinate goes along.
std::optional<unsigned> AxisOrders::axisAlong(const Value &value, Expr coordinate) const {
  for (unsigned axis = 0; axis < value.shape.size(); ++axis)
    if (goesBy(coordinate, program.getIndex(axis)))
      return axis;
  return std::nullopt;
}

AxisOrders::Votes AxisOrders::votesOfInputs(Value &value) const {
  constexpr int64_t mostRepeats = 8;
  Votes votes{llvm::SmallVector<double, 4>(value.shape.size(), 0)};
  forEachAccess(value, [&](Access &access) {
    auto found = along.find(access.from);
    if (found == along.end() || access.at.size() <= found->second || access.from->isInlineOnly)
      return;
    // What is repeated is in the cache, along whatever axis it lies.
    if (mostRepeats * program.estimateElements(access.from->shape) <
        program.estimateElements(value.shape))
      return;
    double bytes = bytesOf(program, *access.from);
    votes.all += bytes;
    if (std::optional<unsigned> axis = axisAlong(value, access.at[found->second]))
      votes.bytes[*axis] += bytes;
  });
  return votes;
}

/// A contraction has no order of its own, and reads its factors along what it sums over, or along
/// one of their sides.
void AxisOrders::addContraction(const Value &fold, const Contraction &contraction) {
  ofTiles.insert(&fold);
  auto [left, right] = axesOfFactors(program, fold, contraction);
  if (left)
    wishes[contraction.left.from].push_back(*left);
  if (right)
    wishes[contraction.right.from].push_back(*right);
}

/// Whether a value is made of contractions alone, beside what is small.
bool AxisOrders::followsTiles(Value &value) const {
  bool follows = false;
  forEachAccess(value, [&](Access &access) { follows |= ofTiles.contains(access.from); });
  bool isOfLanes = value.kind == ValueKind::Fold && areFew(value.foldExtents);
  return follows && (isOfLanes || value.kind == ValueKind::Map || value.kind == ValueKind::Select);
}

/// A reader wants an axis whose index goes by one where its own last one does, or the innermost of
/// those that it folds.
void AxisOrders::addVotesOfReaders(Value &value, Votes &votes) const {
  // A copy of a factor that lies otherwise is read and written once more.
  constexpr double ofCopy = 2;
  for (unsigned axis : wishes.lookup(&value)) {
    votes.all += ofCopy * bytesOf(program, value);
    votes.bytes[axis] += ofCopy * bytesOf(program, value);
  }
  for (const Read &read : reads.lookup(&value)) {
    if (read.reader->isInlineOnly || isUnread(*read.reader))
      continue;
    votes.all += bytesOf(program, value);
    auto goesByOwn = [&](Expr coordinate) {
      auto own = along.find(read.reader);
      return own != along.end() && goesBy(coordinate, program.getIndex(own->second));
    };
    // Of a few elements lanes fold all, side by side along their results.
    size_t folded = read.reader->foldExtents.size();
    bool isOfLanes =
        folded > 0 && areFew(read.reader->foldExtents) && llvm::any_of(read.access->at, goesByOwn);
    for (unsigned axis = 0; axis < value.shape.size(); ++axis) {
      Expr coordinate = read.access->at[axis];
      bool isAlong = goesByOwn(coordinate);
      if (folded > 0 && !isOfLanes)
        isAlong |= goesBy(coordinate, program.getFoldIndex(folded - 1));
      if (isAlong)
        votes.bytes[axis] += bytesOf(program, value);
    }
  }
}

/// The axis that should be last: that for which most bytes speak, if they are half of all.
unsigned AxisOrders::winnerOf(const Value &value, const Votes &votes) const {
  unsigned last = value.shape.size() - 1;
  const double *most = llvm::max_element(votes.bytes);
  unsigned axis = most - votes.bytes.begin();
  bool isBehind = llvm::all_of(llvm::drop_begin(value.shape, axis + 1),
                               [](Expr extent) { return extent.isConstant(1); });
  return *most > votes.bytes[last] && 2 * *most > votes.all && !isBehind ? axis : last;
}

/// Whether a contraction reads a value along an axis, or what was moved for one does.
bool AxisOrders::isWished(const Value &value, unsigned axis) const {
  return llvm::is_contained(wishes.lookup(&value), axis) ||
         llvm::any_of(reads.lookup(&value),
                      [&](const Read &read) { return moved.contains(read.reader); });
}

/// Whether nothing is made of a value any more.
bool AxisOrders::isUnread(const Value &value) const {
  return value.kind == ValueKind::Map && !results.contains(&value) && reads.lookup(&value).empty();
}

bool AxisOrders::mayChange(Value &value) const {
  bool isPlain = value.kind == ValueKind::Map || value.kind == ValueKind::Select ||
                 value.kind == ValueKind::Fold || value.kind == ValueKind::Scan;
  if (!isPlain || value.shape.size() < 2 || value.loop >= 0 || results.contains(&value) ||
      value.isSegment || value.memory || value.isAlwaysStored || value.isInlineOnly)
    return false;
  return llvm::all_of(reads.lookup(&value), [](const Read &read) {
    ValueKind kind = read.reader->kind;
    return (kind == ValueKind::Map || kind == ValueKind::Select || kind == ValueKind::Fold ||
            kind == ValueKind::Scan) &&
           !read.access->isCopied && !read.reader->isSegment && read.reader->loop < 0;
  });
}

/// Renames the indices of a value, and turns what reads it.
void AxisOrders::moveLast(Value &value, unsigned axis) {
  llvm::DenseMap<Expr, Expr> indices;
  unsigned rank = value.shape.size();
  for (unsigned old = axis; old < rank; ++old)
    indices[program.getIndex(old)] = program.getIndex(old == axis ? rank - 1 : old - 1);
  forEachAccess(value, [&](Access &access) {
    for (Expr &coordinate : access.at)
      coordinate = index::substitute(coordinate, indices);
  });
  for (Case &alternative : value.cases)
    alternative.when = index::substitute(alternative.when, indices);
  if (llvm::isa_and_nonnull<graph::Tf32Op>(value.op) && !value.isNamed)
    value.name = value.inputs[0].from->name + "_tf32";
  if (value.kind == ValueKind::Scan && value.dim >= axis)
    value.dim = value.dim == axis ? rank - 1 : value.dim - 1;
  std::rotate(value.shape.begin() + axis, value.shape.begin() + axis + 1, value.shape.end());
  for (const Read &read : reads.lookup(&value)) {
    llvm::SmallVector<Expr, 4> &at = read.access->at;
    std::rotate(at.begin() + axis, at.begin() + axis + 1, at.end());
  }
}

void AxisOrders::settle() {
  for (const Result &result : program.results)
    results.insert(result.value);
  std::vector<Value *> ordered;
  for (Value &value : program.values)
    ordered.push_back(&value);
  llvm::stable_sort(ordered, [](const Value *a, const Value *b) { return a->order < b->order; });
  for (Value *value : ordered) {
    // A weighted sum that fills no tiles is a fold as others are.
    if (auto contraction = asContraction(program, *value, {});
        contraction && fillsTiles(sizesOf(program, *value, *contraction)))
      addContraction(*value, *contraction);
    forEachAccess(*value, [&](Access &access) { reads[access.from].push_back({value, &access}); });
  }
  // First as what they are made of lies.
  for (Value *value : ordered) {
    if (value->shape.empty() || ofTiles.contains(value))
      continue;
    Votes votes = votesOfInputs(*value);
    if (results.contains(value))
      along[value] = value->shape.size() - 1;
    else if (votes.all == 0 && followsTiles(*value))
      ofTiles.insert(value);
    else
      along[value] = winnerOf(*value, votes);
  }
  for (Value *value : llvm::reverse(ordered)) {
    if (value->shape.empty())
      continue;
    unsigned last = value->shape.size() - 1, axis = last;
    if (mayChange(*value)) {
      Votes votes = votesOfInputs(*value);
      addVotesOfReaders(*value, votes);
      axis = winnerOf(*value, votes);
      // Beside contractions, whose tiles read along any axis, nothing moves but for their sake.
      if (!wishes.empty() && !isWished(*value, axis))
        axis = last;
    }
    along[value] = last;
    if (axis != last) {
      moved.insert(value);
      moveLast(*value, axis);
    }
  }
}

void settleAxisOrders(Program &program) { AxisOrders(program).settle(); }

} // namespace nereid::schedule
