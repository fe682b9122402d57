// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index/SamplePoints.h"
#include "index/Storage.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid::index {

static constexpr size_t wantedPoints = 8;
static constexpr unsigned maxTries = 10;
/// Evaluations in all, and moves of one point.
static constexpr unsigned maxEvaluations = 6000, maxMoves = 96;

/// Whether a condition on one term is no more than the range of what it is of.
static bool followsFrom(const llvm::DenseMap<Expr, Range> &ranges, Pred pred) {
  if (pred.getKind() != PredKind::NonNegative || pred.getExpr().getTerms().size() != 1)
    return false;
  Term term = pred.getExpr().getTerms().front();
  Range range = ranges.lookup(term.monomial);
  std::optional<int64_t> end = term.coefficient > 0 ? range.lo : range.hi;
  std::optional<int64_t> least = end ? checkedMultiply(*end, term.coefficient) : end;
  least = least ? checkedAdd(*least, pred.getExpr().getConstantTerm()) : least;
  return least && *least >= 0;
}

SamplePoints::SamplePoints(const llvm::DenseMap<Expr, Range> &ranges,
                           const llvm::DenseMap<Expr, int64_t> &divisors,
                           llvm::ArrayRef<Pred> assumptions, const SamplePoints *before)
    : budget(maxEvaluations) {
  for (Pred pred : assumptions)
    if (!followsFrom(ranges, pred))
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
  findSteps();
  auto keep = [&](Point &point) {
    if (mend(point) && !llvm::is_contained(points, point))
      points.push_back(std::move(point));
  };
  if (before)
    for (Point point : before->points) {
      for (Expr symbol : symbols)
        if (!point.contains(symbol))
          point[symbol] = draw(symbol, 3, /*isEven=*/false);
      keep(point);
    }
  for (unsigned turn = 0; turn < maxTries && points.size() < wantedPoints && budget > 0; ++turn) {
    Point point;
    for (Expr symbol : symbols)
      point[symbol] = draw(symbol, turn, turn % 2 == 1);
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

/// What is said of quotients and remainders of a symbol by numbers is often that they are even: the
/// least common multiple of these numbers.
void SamplePoints::findSteps() {
  constexpr int64_t greatest = 1 << 16;
  auto divides = [&](Expr expr, Expr divisor) {
    std::optional<int64_t> number = divisor.getConstant();
    if (!number || *number < 2)
      return;
    for (Expr symbol : collectSymbols(expr)) {
      int64_t &step = steps.try_emplace(symbol, 1).first->second;
      int64_t more = *number / greatestCommonDivisor(step, *number);
      if (step * more <= greatest && more <= greatest)
        step *= more;
    }
  };
  llvm::DenseSet<Expr> seen;
  auto visit = [&](auto &visit, Expr expr) -> void {
    bool isDivision = hasKind(expr, ExprKind::FloorDiv) || hasKind(expr, ExprKind::Mod);
    if (!isDivision || !seen.insert(expr).second)
      return;
    if (expr.getKind() == ExprKind::FloorDiv || expr.getKind() == ExprKind::Mod)
      divides(expr.getOperands()[0], expr.getOperands()[1]);
    forEachPart(expr, [&](Expr part) { visit(visit, part); });
  };
  for (const Constraint &constraint : constraints)
    if (!constraint.pred)
      visit(visit, constraint.expr);
    else if (constraint.pred.getKind() == PredKind::Divisible)
      divides(constraint.pred.getExpr(), constraint.pred.getDivisor());
}

/// A value of up to so many bits above the symbol's lower end; where it is to be even, one that the
/// symbol's step divides, if it has one there.
int64_t SamplePoints::draw(Expr symbol, unsigned magnitude, bool isEven) {
  Range domain = domains.lookup(symbol);
  auto distance = int64_t(random() % (uint64_t(1) << magnitude));
  if (int64_t step = steps.lookup(symbol); isEven && step > 1 && domain.lo) {
    std::optional<int64_t> least = checkedAdd(*domain.lo, step - 1);
    std::optional<int64_t> even =
        least ? checkedMultiply(floorDivide(*least, step).value_or(0) + distance, step) : least;
    if (even && domain.contains(*even))
      return *even;
  }
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
  auto redraw = [&] {
    unsigned magnitude = 1 + random() % 7;
    place = draw(symbol, magnitude, random() % 2 == 0);
  };
  if (constraint.pred)
    return redraw();
  std::optional<int64_t> value = evaluate(constraint.expr, point);
  if (!value || *value == INT64_MIN)
    return redraw();
  auto slopeOver = [&](int64_t distance) -> std::optional<int64_t> {
    std::optional<int64_t> next = checkedAdd(old, distance);
    if (!next)
      return next;
    place = *next;
    std::optional<int64_t> moved = evaluate(constraint.expr, point);
    place = old;
    return moved ? checkedAdd(*moved, -*value) : moved;
  };
  int64_t distance = 1;
  std::optional<int64_t> slope = slopeOver(distance);
  // Quotients go on in steps.
  if (int64_t step = steps.lookup(symbol); slope == 0 && step > 1)
    slope = slopeOver(distance = step);
  bool isBelow = constraint.range.lo && *value < *constraint.range.lo;
  int64_t end = isBelow ? *constraint.range.lo : constraint.range.hi.value_or(0);
  std::optional<int64_t> missing = checkedAdd(end, -*value);
  if (!slope || *slope == 0 || *slope == INT64_MIN || !missing || *missing == INT64_MIN)
    return redraw();
  // The least number of steps that makes up for what is missing.
  bool isForward = (*slope > 0) == (*missing > 0);
  int64_t count = -*floorDivide(-std::abs(*missing), std::abs(*slope));
  std::optional<int64_t> way = checkedMultiply(count, isForward ? distance : -distance);
  std::optional<int64_t> target = way ? checkedAdd(old, *way) : way;
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
