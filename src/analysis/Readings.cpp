// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways to read an address as indices of its tensor.
#include "analysis/Access.h"
#include "analysis/Inference.h"

#include "index/Storage.h"

namespace nereid::analysis {

using Axes = llvm::SmallVector<Axis, 4>;

/// A size with d * (x // d) as x where d divides x: a reshape into rows of d has as many elements.
static index::Expr withExactQuotients(index::Expr size, const index::Facts &facts) {
  llvm::SmallVector<index::Term, 4> terms = size.getTerms();
  if (terms.size() != 1 || size.getConstantTerm() != 0)
    return size;
  for (index::Factor factor : index::factorsOf(terms[0].monomial)) {
    if (factor.atom.getKind() != index::ExprKind::FloorDiv)
      continue;
    index::Expr x = factor.atom.getOperands()[0], d = factor.atom.getOperands()[1];
    index::Expr rest = index::floordiv(size, factor.atom * d);
    bool isExact = d.isConstant() && *d.getConstant() > 1 && rest * factor.atom * d == size &&
                   facts.knownMultiple(x) % *d.getConstant() == 0;
    if (isExact)
      return rest * x;
  }
  return size;
}

/// Adjacent axes merge as the bits of `pattern` say; nullopt where they do not fit.
static std::optional<Axes> merge(const Access &access, unsigned pattern) {
  Axes axes;
  for (auto [position, size] : llvm::enumerate(access.tensor->sizes)) {
    index::Expr stride = access.tensor->strides[position];
    // The address may step along an axis of one element, by 0 elements.
    bool isOne = size.isConstant(1) && !(stride.isSymbol() && contains(access.offset, stride));
    if (isOne || stride.isConstant(0))
      continue;
    bool joins = position > 0 && (pattern >> (position - 1)) & 1;
    if (!joins || axes.empty()) {
      axes.push_back({size, stride});
      continue;
    }
    Axis &outer = axes.back();
    if (outer.stride != size * stride)
      return std::nullopt;
    outer = {withExactQuotients(outer.size * size, access.facts), stride};
  }
  return axes;
}

/// The terms that are the same for all lanes and programs.
static index::Expr fixedPart(index::Expr expr) {
  index::Expr fixed = expr.getContext().constant(expr.getConstantTerm());
  for (index::Term term : expr.getTerms())
    if (isOfSizes(term.monomial))
      fixed = fixed + term.monomial * term.coefficient;
  return fixed;
}

/// Splits `rest` into index * stride + remainder, term by term.
static index::Expr takeIndex(index::Expr &rest, index::Expr stride, Taking taking) {
  index::Context &context = rest.getContext();
  if (stride.isConstant(1)) {
    index::Expr index = rest;
    rest = context.constant(0);
    return index;
  }
  if (stride.getKind() == index::ExprKind::Sum &&
      (stride.getTerms().size() > 1 || stride.getConstantTerm() != 0)) {
    index::Expr fixed = taking == Taking::Varying ? fixedPart(rest) : context.constant(0);
    rest = rest - fixed;
    index::Expr whole = index::takeMultiples(rest, stride, taking == Taking::Eager);
    rest = rest + fixed;
    return whole;
  }
  // A term of a multiple of the stride divides without a quotient left over.
  index::Expr whole = context.constant(0), left = context.constant(0);
  for (index::Term term : rest.getTerms()) {
    index::Expr part = term.monomial * term.coefficient;
    index::Expr ratio = index::floordiv(part, stride);
    bool isTaken = taking != Taking::Varying || !isOfSizes(ratio);
    if (isTaken && ratio * stride == part)
      whole = whole + ratio;
    else
      left = left + part;
  }
  int64_t constant = rest.getConstantTerm();
  std::optional<int64_t> number = stride.getConstant();
  if (number && *number > 0 && taking != Taking::Varying) {
    whole = whole + *index::floorDivide(constant, *number);
    constant = *index::floorModulo(constant, *number);
  }
  rest = left + constant;
  return whole;
}

/// The wider stride is the product of more sizes, or the greater number.
static bool isWider(index::Expr a, index::Expr b) {
  unsigned left = index::degree(a), right = index::degree(b);
  if (left != right)
    return left > right;
  return a.isConstant() && *a.getConstant() > *b.getConstant();
}

static std::optional<Reading> read(const Access &access, llvm::ArrayRef<Axis> axes, Taking taking) {
  Reading reading;
  for (const Axis &axis : axes) {
    auto *place = llvm::find_if(
        reading.axes, [&](const Axis &other) { return isWider(axis.stride, other.stride); });
    reading.axes.insert(place, axis);
  }
  index::Expr rest = access.offset;
  for (const Axis &axis : reading.axes) {
    Taking here = taking;
    if (taking == Taking::Inner)
      here = &axis == &reading.axes.front() ? Taking::Varying : Taking::All;
    if (&axis == &reading.axes.back() && here == Taking::Varying)
      here = Taking::All;
    reading.indices.push_back(takeIndex(rest, axis.stride, here));
  }
  if (!rest.isConstant(0))
    return std::nullopt;
  return reading;
}

/// The factors of a monomial that are sizes.
static index::Expr sizesIn(index::Expr monomial) {
  index::Expr sizes = monomial.getContext().constant(1);
  for (index::Factor factor : index::factorsOf(monomial))
    if (isOfSizes(factor.atom))
      for (unsigned i = 0; i < factor.power; ++i)
        sizes = sizes * factor.atom;
  return sizes;
}

/// What the address steps by: of each term its sizes, without its number and with it.
static llvm::SmallVector<index::Expr> stepsOf(const Access &access) {
  llvm::SmallVector<index::Expr> steps;
  for (index::Term term : access.offset.getTerms()) {
    index::Expr step = sizesIn(term.monomial);
    for (index::Expr candidate : {step, step * std::abs(term.coefficient)})
      if (!candidate.isConstant() && !llvm::is_contained(steps, candidate))
        steps.push_back(candidate);
  }
  return steps;
}

/// Axes that the address does not step along merged with the next inner one: of many axes one
/// pattern of all.
static std::optional<Axes> mergeBySteps(const Access &access) {
  llvm::SmallVector<index::Expr> steps = stepsOf(access);
  unsigned pattern = 0;
  for (auto [position, stride] : llvm::enumerate(access.tensor->strides))
    if (position < 31 && !llvm::is_contained(steps, stride))
      pattern |= 1u << position;
  return merge(access, pattern);
}

/// The axes divided where the address steps by a part of one: m * N + n in an axis of M * N
/// elements is (m, n) in M rows of N. Empty where nothing divides.
static Axes divide(const Access &access, llvm::ArrayRef<Axis> axes) {
  auto divides = [](index::Expr part, index::Expr whole) {
    return index::floordiv(whole, part) * part == whole;
  };
  llvm::SmallVector<index::Expr> steps = stepsOf(access);
  llvm::stable_sort(steps, [](index::Expr a, index::Expr b) {
    unsigned left = index::degree(a), right = index::degree(b);
    return left != right ? left > right : a.getTerms()[0].coefficient > b.getTerms()[0].coefficient;
  });
  Axes divided;
  for (Axis axis : axes) {
    for (index::Expr step : steps) {
      index::Expr whole = axis.size * axis.stride;
      if (step == axis.stride || step == whole || !divides(axis.stride, step) ||
          !divides(step, whole))
        continue;
      divided.push_back({index::floordiv(whole, step), step});
      axis.size = index::floordiv(step, axis.stride);
    }
    divided.push_back(axis);
  }
  return divided.size() == axes.size() ? Axes() : divided;
}

/// The same addresses with indices outside of their axis counted from the next outer one: a loop
/// that goes backwards reads (b + 1, -1 - k), which is (b, T - 1 - k), and where i is the last row,
/// (b - 1, i + 1) is (b, i + 1 - M).
static std::optional<Reading> carry(const Access &access, Reading reading) {
  bool isChanged = false;
  for (size_t i = reading.axes.size(); i-- > 1;) {
    const Axis &axis = reading.axes[i];
    bool isDense = reading.axes[i - 1].stride == axis.size * axis.stride;
    if (!isDense)
      continue;
    bool isBelow = access.knows(index::lt(reading.indices[i], 0), Effort::Short);
    if (!isBelow && !access.knows(index::ge(reading.indices[i], axis.size), Effort::Short))
      continue;
    reading.indices[i] = reading.indices[i] + axis.size * (isBelow ? 1 : -1);
    reading.indices[i - 1] = reading.indices[i - 1] - (isBelow ? 1 : -1);
    isChanged = true;
  }
  return isChanged ? std::optional(std::move(reading)) : std::nullopt;
}

static bool isAmong(llvm::ArrayRef<Reading> readings, const Reading &reading) {
  return llvm::any_of(readings,
                      [&](const Reading &other) { return other.indices == reading.indices; });
}

using Readings = llvm::SmallVector<Reading>;

static void addReadings(const Access &access, llvm::ArrayRef<Axis> axes,
                        std::initializer_list<Taking> takings, Readings &readings) {
  for (Taking taking : takings) {
    std::optional<Reading> reading = read(access, axes, taking);
    if (reading && !isAmong(readings, *reading))
      readings.push_back(std::move(*reading));
  }
}

/// More axes than these are read merged in full or not at all.
static constexpr unsigned maxFreeAxes = 4;

static Readings readPlainly(const Access &access) {
  Readings readings;
  unsigned rank = access.tensor->sizes.size();
  unsigned patterns = rank == 0 ? 1 : 1u << (std::min(rank, maxFreeAxes) - 1);
  for (unsigned pattern = patterns; pattern-- > 0;) {
    // All ones means all axes, those beyond the free ones too.
    unsigned merged = pattern == patterns - 1 ? ~0u : pattern;
    std::optional<Axes> axes = merge(access, merged);
    for (Taking taking : {Taking::All, Taking::Eager, Taking::Varying}) {
      size_t before = readings.size();
      if (axes)
        addReadings(access, *axes, {taking}, readings);
      if (readings.size() != before)
        readings.back().way = {merged, taking};
    }
  }
  return readings;
}

std::optional<Reading> readBy(const Access &access, ReadingWay way) {
  std::optional<Axes> axes = merge(access, way.merged);
  return axes ? read(access, *axes, way.taking) : std::nullopt;
}

/// The rarer ways: many axes merged as the address steps, the inner ones of them merged or not,
/// axes divided, and what is the same for all lanes left to the inner axes.
static Readings readFurther(const Access &access) {
  constexpr unsigned maxAxes = 6;
  Readings readings;
  unsigned rank = access.tensor->sizes.size();
  if (std::optional<Axes> axes = mergeBySteps(access); axes && rank > maxFreeAxes)
    addReadings(access, *axes, {Taking::All, Taking::Varying}, readings);
  if (rank > maxFreeAxes)
    for (unsigned pattern = 1u << (std::min(rank, maxAxes) - 1); pattern-- > 0;)
      if (std::optional<Axes> axes = merge(access, pattern))
        addReadings(access, *axes, {Taking::All, Taking::Varying}, readings);
  std::optional<Axes> whole = merge(access, ~0u), apart = merge(access, 0);
  for (const std::optional<Axes> &axes : {whole, apart}) {
    if (!axes)
      continue;
    addReadings(access, *axes, {Taking::Inner}, readings);
    if (Axes divided = divide(access, *axes); !divided.empty())
      addReadings(access, divided, {Taking::All, Taking::Eager, Taking::Varying}, readings);
  }
  return readings;
}

bool anyReading(const Access &access, llvm::function_ref<bool(const Reading &)> accept) {
  if (!access.plainReadings)
    access.plainReadings = readPlainly(access);
  if (llvm::any_of(*access.plainReadings, accept))
    return true;
  if (!access.carriedReadings) {
    Readings &readings = access.carriedReadings.emplace(), further = readFurther(access);
    auto add = [&](std::optional<Reading> reading) {
      if (reading && !isAmong(*access.plainReadings, *reading) && !isAmong(readings, *reading))
        readings.push_back(std::move(*reading));
    };
    for (const Reading &plain : *access.plainReadings)
      add(carry(access, plain));
    for (Reading &reading : further)
      add(std::move(reading));
  }
  return llvm::any_of(*access.carriedReadings, accept);
}

bool isInside(const Reading &reading, const Access &access, Effort effort, std::string &missing) {
  for (auto [axis, index] : llvm::zip(reading.axes, reading.indices)) {
    for (index::Pred bound : {index::ge(index, 0), index::lt(index, axis.size)}) {
      if (access.knows(bound, effort))
        continue;
      missing = "'" + show(bound) + "' is not known";
      return false;
    }
  }
  return true;
}

} // namespace nereid::analysis
