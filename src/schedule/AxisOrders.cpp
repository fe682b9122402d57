// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/AxisOrders.h"

#include "schedule/Contraction.h"

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
  Votes votesOfInputs(Value &value) const;
  void addVotesOfReaders(Value &value, Votes &votes) const;
  unsigned winnerOf(const Value &value, const Votes &votes) const;
  bool mayChange(Value &value) const;
  void moveLast(Value &value, unsigned axis);

  Program &program;
  /// The axis along which the elements of a value are neighbours.
  llvm::DenseMap<const Value *, unsigned> along;
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
    if (found == along.end() || access.at.size() <= found->second)
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

/// A reader wants an axis whose index goes by one where its own last one does, or the innermost of
/// those that it folds.
void AxisOrders::addVotesOfReaders(Value &value, Votes &votes) const {
  for (const Read &read : reads.lookup(&value)) {
    votes.all += bytesOf(program, value);
    for (unsigned axis = 0; axis < value.shape.size(); ++axis) {
      Expr coordinate = read.access->at[axis];
      auto own = along.find(read.reader);
      bool isAlong = own != along.end() && goesBy(coordinate, program.getIndex(own->second));
      if (size_t folded = read.reader->foldExtents.size())
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

bool AxisOrders::mayChange(Value &value) const {
  bool isPlain = value.kind == ValueKind::Map || value.kind == ValueKind::Select ||
                 value.kind == ValueKind::Fold || value.kind == ValueKind::Scan;
  if (!isPlain || value.shape.size() < 2 || value.loop >= 0 || results.contains(&value) ||
      value.isSegment || value.memory || value.isAlwaysStored)
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
  if (value.kind == ValueKind::Scan && value.dim >= axis)
    value.dim = value.dim == axis ? rank - 1 : value.dim - 1;
  std::rotate(value.shape.begin() + axis, value.shape.begin() + axis + 1, value.shape.end());
  for (const Read &read : reads.lookup(&value)) {
    llvm::SmallVector<Expr, 4> &at = read.access->at;
    std::rotate(at.begin() + axis, at.begin() + axis + 1, at.end());
  }
}

void AxisOrders::settle() {
  constexpr int64_t fewTerms = 16;
  for (const Result &result : program.results)
    results.insert(result.value);
  std::vector<Value *> ordered;
  for (Value &value : program.values)
    ordered.push_back(&value);
  llvm::stable_sort(ordered, [](const Value *a, const Value *b) { return a->order < b->order; });
  for (Value *value : ordered) {
    // The weighted sum of a few is no contraction.
    std::optional<int64_t> terms =
        index::product(*program.context, value->foldExtents).getConstant();
    if (value->kind == ValueKind::Fold && terms.value_or(fewTerms + 1) > fewTerms &&
        asContraction(program, *value, {}))
      return;
    forEachAccess(*value, [&](Access &access) { reads[access.from].push_back({value, &access}); });
  }
  // First as what they are made of lies.
  for (Value *value : ordered)
    if (!value->shape.empty())
      along[value] = results.contains(value) ? unsigned(value->shape.size() - 1)
                                             : winnerOf(*value, votesOfInputs(*value));
  for (Value *value : llvm::reverse(ordered)) {
    if (value->shape.empty())
      continue;
    unsigned last = value->shape.size() - 1, axis = last;
    if (mayChange(*value)) {
      Votes votes = votesOfInputs(*value);
      addVotesOfReaders(*value, votes);
      axis = winnerOf(*value, votes);
    }
    along[value] = last;
    if (axis != last)
      moveLast(*value, axis);
  }
}

void settleAxisOrders(Program &program) { AxisOrders(program).settle(); }

} // namespace nereid::schedule
