// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index/SamplePoints.h"
#include "index/Storage.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid::index {

static constexpr size_t wantedPoints = 6;
static constexpr unsigned maxTries = 8;
/// Evaluations in all, and moves of one point.
static constexpr unsigned maxEvaluations = 2000, maxMoves = 32;

SamplePoints::SamplePoints(const llvm::DenseMap<Expr, Range> &ranges,
                           const llvm::DenseMap<Expr, int64_t> &divisors,
                           llvm::ArrayRef<Pred> assumptions, const SamplePoints *before)
    : budget(maxEvaluations) {
  for (Pred pred : assumptions)
    addConstraint(pred);
  // In an order that does not depend on addresses.
  llvm::SmallVector<std::pair<Expr, Range>> known(ranges.begin(), ranges.end());
  llvm::sort(known, [](const auto &a, const auto &b) { return a.first < b.first; });
  for (auto [atom, range] : known)
    addConstraint(atom, range);
  llvm::SmallVector<std::pair<Expr, int64_t>> multiples(divisors.begin(), divisors.end());
  llvm::sort(multiples, [](const auto &a, const auto &b) { return a.first < b.first; });
  for (auto [atom, divisor] : multiples)
    if (divisor > 1)
      addConstraint(divisible(atom, divisor));
  llvm::SmallVector<Expr> symbols;
  for (const Constraint &constraint : constraints)
    for (Expr symbol : constraint.symbols)
      if (domains.try_emplace(symbol, ranges.lookup(symbol)).second)
        symbols.push_back(symbol);
  auto keep = [&](Point &point) {
    if (mend(point) && !llvm::is_contained(points, point))
      points.push_back(std::move(point));
  };
  if (before)
    for (Point point : before->points) {
      for (Expr symbol : symbols)
        if (!point.contains(symbol))
          point[symbol] = draw(symbol, 3);
      keep(point);
    }
  for (unsigned turn = 0; turn < maxTries && points.size() < wantedPoints && budget > 0; ++turn) {
    Point point;
    for (Expr symbol : symbols)
      point[symbol] = draw(symbol, turn + 1);
    keep(point);
  }
  constraints.clear();
}

void SamplePoints::addConstraint(Expr expr, Range range) {
  if (range.lo || range.hi)
    constraints.push_back({expr, range, {}, collectSymbols(expr)});
}

void SamplePoints::addConstraint(Pred pred) {
  if (pred.getKind() == PredKind::NonNegative)
    return addConstraint(pred.getExpr(), Range::atLeast(0));
  if (pred.getKind() == PredKind::Zero)
    return addConstraint(pred.getExpr(), Range::point(0));
  Constraint &constraint = constraints.emplace_back();
  constraint.pred = pred;
  constraint.symbols = pred.getNode()->symbols;
}

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
uint64_t SamplePoints::random() {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// A value of up to so many bits above the symbol's lower end.
int64_t SamplePoints::draw(Expr symbol, unsigned magnitude) {
  Range domain = domains.lookup(symbol);
  auto distance = int64_t(random() % (uint64_t(1) << magnitude));
  if (!domain.lo)
    return domain.hi ? *domain.hi - distance : distance - (int64_t(1) << (magnitude - 1));
  std::optional<int64_t> value = checkedAdd(*domain.lo, distance);
  if (!value || (domain.hi && *value > *domain.hi))
    return *domain.lo;
  return *value;
}

bool SamplePoints::holds(const Constraint &constraint, const Point &point) {
  budget -= budget > 0;
  if (constraint.pred)
    return evaluate(constraint.pred, point) == true;
  std::optional<int64_t> value = evaluate(constraint.expr, point);
  return value && constraint.range.contains(*value);
}

/// Moves one symbol of what does not hold: to where it just holds if it is linear there, else
/// anywhere.
void SamplePoints::mend(const Constraint &constraint, Point &point) {
  if (constraint.symbols.empty())
    return;
  Expr symbol = constraint.symbols[random() % constraint.symbols.size()];
  int64_t &place = point[symbol];
  int64_t old = place;
  auto redraw = [&] { place = draw(symbol, 1 + random() % 7); };
  if (constraint.pred)
    return redraw();
  std::optional<int64_t> value = evaluate(constraint.expr, point);
  std::optional<int64_t> next = checkedAdd(old, 1);
  if (!value || !next)
    return redraw();
  place = *next;
  std::optional<int64_t> moved = evaluate(constraint.expr, point);
  place = old;
  std::optional<int64_t> slope =
      moved && *value != INT64_MIN ? checkedAdd(*moved, -*value) : std::nullopt;
  bool isBelow = constraint.range.lo && *value < *constraint.range.lo;
  int64_t end = isBelow ? *constraint.range.lo : constraint.range.hi.value_or(0);
  std::optional<int64_t> missing = *value != INT64_MIN ? checkedAdd(end, -*value) : std::nullopt;
  if (!slope || *slope == 0 || *slope == INT64_MIN || !missing || *missing == INT64_MIN)
    return redraw();
  // The least number of steps that makes up for what is missing.
  bool isForward = (*slope > 0) == (*missing > 0);
  int64_t steps = -*floorDivide(-std::abs(*missing), std::abs(*slope));
  std::optional<int64_t> target = checkedAdd(old, isForward ? steps : -steps);
  if (!target || !domains.lookup(symbol).contains(*target))
    return redraw();
  place = *target;
}

/// Moves symbols until everything holds.
bool SamplePoints::mend(Point &point) {
  size_t holding = 0, position = 0;
  for (unsigned moves = 0; holding < constraints.size();) {
    const Constraint &constraint = constraints[position];
    if (holds(constraint, point)) {
      ++holding;
      position = (position + 1) % constraints.size();
      continue;
    }
    if (moves++ == maxMoves || budget == 0)
      return false;
    mend(constraint, point);
    holding = 0;
  }
  return true;
}

} // namespace nereid::index
