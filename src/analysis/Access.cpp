// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Access.h"

#include "index/Printer.h"
#include "tile/TileOps.h"

using namespace mlir;

namespace nereid::analysis {

template <typename T> static std::string showAny(T value) {
  index::PrintOptions options;
  options.symbolName = [](index::Expr symbol) {
    llvm::StringRef name = symbol.getName();
    return (name.starts_with("$") ? name.drop_front() : name).str();
  };
  return index::toString(value, options);
}
std::string show(index::Expr expr) { return showAny(expr); }
std::string show(index::Pred pred) { return showAny(pred); }

MemoryOperands memoryOperandsOf(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return {load.getPtr(), load.getMask()};
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return {store.getPtr(), store.getMask()};
  if (auto rmw = dyn_cast<tile::AtomicRmwOp>(op))
    return {rmw.getPtr(), rmw.getMask()};
  if (auto cas = dyn_cast<tile::AtomicCasOp>(op))
    return {cas.getPtr(), {}};
  return {};
}

index::Expr Access::lastOffset() const {
  index::Expr last = facts.getContext().constant(0);
  for (auto [size, stride] : llvm::zip(tensor->sizes, tensor->strides))
    last = last + (size - 1) * stride;
  return last;
}

static bool holds(const RangeCheck &check, const index::Facts &facts) {
  index::Range range = facts.range(check.expr);
  auto within = [](std::optional<int64_t> wanted, std::optional<int64_t> known, bool low) {
    return !wanted || (known && (low ? *known >= *wanted : *known <= *wanted));
  };
  if (!within(check.range.lo, range.lo, true) &&
      !facts.isTrue(index::ge(check.expr, *check.range.lo)))
    return false;
  return within(check.range.hi, range.hi, false) ||
         facts.isTrue(index::le(check.expr, *check.range.hi));
}

/// The bound of a check that is missing, as a predicate.
static index::Pred missingBound(const RangeCheck &check, const index::Facts &facts) {
  if (check.range.lo && !facts.isTrue(index::ge(check.expr, *check.range.lo)))
    return index::ge(check.expr, *check.range.lo);
  return index::le(check.expr, *check.range.hi);
}

/// Takes up what is true on executed lanes, as far as its checks can be proved; returns the rest.
static llvm::SmallVector<Conjunct> takeUp(llvm::ArrayRef<Conjunct> conjuncts, Access &access) {
  llvm::SmallVector<Conjunct> open;
  for (const Conjunct &part : conjuncts) {
    bool checked = llvm::all_of(
        part.checks, [&](const RangeCheck &check) { return holds(check, access.facts); });
    if (!checked) {
      open.push_back(part);
      continue;
    }
    access.facts.assume(part.pred);
    if (!part.exact)
      access.executed = std::nullopt;
    else if (access.executed)
      access.executed->push_back(part.pred);
  }
  return open;
}

/// A product that is >= 1 of factors that are >= 0 has none that is 0.
static void inferPositiveFactors(index::Facts &facts) {
  llvm::SmallVector<index::Expr> factors;
  for (index::Pred pred : facts.getAssumptions()) {
    if (pred.getKind() != index::PredKind::NonNegative || pred.getExpr().getConstantTerm() >= 0)
      continue;
    llvm::SmallVector<index::Term, 4> terms = pred.getExpr().getTerms();
    bool isProduct = terms.size() == 1 && terms[0].coefficient > 0 &&
                     terms[0].monomial.getKind() == index::ExprKind::Product;
    if (isProduct)
      for (index::Factor factor : terms[0].monomial.getFactors())
        factors.push_back(factor.atom);
  }
  for (index::Expr factor : factors) {
    index::Range range = facts.range(factor);
    if (range.lo && *range.lo == 0)
      facts.assume(index::ge(factor, 1));
  }
}

/// k - s * rest >= 0 with a size s >= 1 and rest >= 0 says k - rest >= 0 too: one axis of a tensor
/// is no longer than the tensor.
static void inferPartBounds(index::Facts &facts) {
  auto isAtLeast = [&](index::Expr expr, int64_t least) {
    index::Range range = facts.range(expr);
    return range.lo && *range.lo >= least;
  };
  llvm::SmallVector<index::Pred> work(facts.getAssumptions());
  // Each round takes off one factor of a product; sizes have few.
  constexpr size_t maxBounds = 64;
  for (size_t i = 0; i < work.size() && work.size() < maxBounds; ++i) {
    if (work[i].getKind() != index::PredKind::NonNegative)
      continue;
    index::Expr expr = work[i].getExpr(), rest = expr.getConstantTerm() - expr;
    llvm::SmallVector<index::Term, 4> terms = rest.getTerms();
    if (expr.getConstantTerm() < 0 || terms.empty() ||
        terms[0].monomial.getKind() != index::ExprKind::Product)
      continue;
    for (index::Factor factor : terms[0].monomial.getFactors()) {
      std::optional<index::LinearIn> linear = index::asLinearIn(rest, factor.atom);
      if (!linear || !linear->rest.isConstant(0) || !isAtLeast(factor.atom, 1) ||
          !isAtLeast(linear->coefficient, 0))
        continue;
      index::Pred bound = index::le(linear->coefficient, expr.getConstantTerm());
      if (!llvm::is_contained(work, bound))
        work.push_back(bound);
    }
  }
  for (index::Pred pred : work)
    facts.assume(pred);
}

/// A tensor with an element has no size 0.
static void inferPositiveSizes(index::Facts &facts, const LaunchContract &contract) {
  index::Context &context = facts.getContext();
  for (const ArgumentContract &argument : contract.arguments) {
    if (argument.sizes.empty())
      continue;
    index::Expr count = index::product(context, argument.sizes);
    if (count.isConstant() || !facts.isTrue(index::ge(count, 1)))
      continue;
    for (index::Expr size : argument.sizes)
      facts.assume(index::ge(size, 1));
  }
  inferPositiveFactors(facts);
  inferPartBounds(facts);
}

Access makeAccess(Operation *op, LaneValues &lanes, const LaunchContract &contract) {
  MemoryOperands operands = memoryOperandsOf(op);
  LaneValue pointer = lanes.get(operands.pointer);
  llvm::SmallVector<Conjunct> conditions = lanes.pathTo(op);
  bool knownMask = true;
  if (operands.mask) {
    LaneValue mask = lanes.get(operands.mask);
    knownMask = mask.kind == LaneValue::Kind::Condition;
    llvm::append_range(conditions, mask.conjuncts);
  }
  // Facts are complete only after all values were read.
  Access access(lanes.getFacts());
  access.op = op;
  access.extents = lanes.extentsOf(operands.pointer.getType());
  if (knownMask)
    access.executed.emplace();
  for (auto [axis, extent] : llvm::enumerate(access.extents)) {
    access.facts.assume(index::ge(lanes.lane(axis), 0));
    access.facts.assume(index::lt(lanes.lane(axis), extent));
  }
  inferPositiveFactors(access.facts);
  llvm::SmallVector<Conjunct> open = takeUp(conditions, access);
  inferPositiveSizes(access.facts, contract);
  // A lane below the number of elements says that no size is 0, so dividing by one is sound.
  if (!open.empty() && !takeUp(open, access).empty())
    access.executed = std::nullopt;
  if (pointer.kind != LaneValue::Kind::Pointer) {
    access.problem =
        "the address is " + (pointer.reason.empty() ? "of unknown origin" : pointer.reason);
    return access;
  }
  access.argument = pointer.argument;
  access.offset = pointer.expr;
  access.checks = pointer.checks;
  if (pointer.argument < contract.arguments.size() && contract.arguments[pointer.argument].isTensor)
    access.tensor = &contract.arguments[pointer.argument];
  else
    access.problem = "nothing is known of the memory behind the pointer";
  for (const RangeCheck &check : access.checks)
    if (access.problem.empty() && !holds(check, access.facts))
      access.problem = "machine arithmetic may wrap or divide oddly: '" +
                       show(missingBound(check, access.facts)) + "' is not known";
  return access;
}

/// Adjacent axes merge as the bits of `pattern` say; nullopt where they do not fit.
static std::optional<llvm::SmallVector<Axis, 4>> merge(const Access &access, unsigned pattern) {
  llvm::SmallVector<Axis, 4> axes;
  for (auto [position, size] : llvm::enumerate(access.tensor->sizes)) {
    index::Expr stride = access.tensor->strides[position];
    if (size.isConstant(1) || stride.isConstant(0))
      continue;
    bool joins = position > 0 && (pattern >> (position - 1)) & 1;
    if (!joins || axes.empty()) {
      axes.push_back({size, stride});
      continue;
    }
    Axis &outer = axes.back();
    if (outer.stride != size * stride)
      return std::nullopt;
    outer = {outer.size * size, stride};
  }
  return axes;
}

/// Splits `rest` into index * stride + remainder, term by term.
static std::optional<index::Expr> takeIndex(index::Expr &rest, index::Expr stride) {
  index::Context &context = rest.getContext();
  if (stride.isConstant(1)) {
    index::Expr index = rest;
    rest = context.constant(0);
    return index;
  }
  // A term of a multiple of the stride divides without a quotient left over.
  index::Expr whole = context.constant(0), left = context.constant(0);
  for (index::Term term : rest.getTerms()) {
    index::Expr part = term.monomial * term.coefficient;
    index::Expr ratio = index::floordiv(part, stride);
    if (ratio * stride == part)
      whole = whole + ratio;
    else
      left = left + part;
  }
  int64_t constant = rest.getConstantTerm();
  if (std::optional<int64_t> number = stride.getConstant(); number && *number > 0) {
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

static std::optional<Reading> read(const Access &access, unsigned pattern) {
  std::optional<llvm::SmallVector<Axis, 4>> axes = merge(access, pattern);
  if (!axes)
    return std::nullopt;
  Reading reading;
  for (const Axis &axis : *axes) {
    auto *place = llvm::find_if(
        reading.axes, [&](const Axis &other) { return isWider(axis.stride, other.stride); });
    reading.axes.insert(place, axis);
  }
  index::Expr rest = access.offset;
  for (const Axis &axis : reading.axes) {
    std::optional<index::Expr> index = takeIndex(rest, axis.stride);
    if (!index)
      return std::nullopt;
    reading.indices.push_back(*index);
  }
  if (!rest.isConstant(0))
    return std::nullopt;
  return reading;
}

llvm::SmallVector<Reading> readingsOf(const Access &access) {
  // More axes than this are read merged in full or not at all.
  constexpr unsigned maxFreeAxes = 4;
  llvm::SmallVector<Reading> readings;
  unsigned rank = access.tensor->sizes.size();
  unsigned patterns = rank == 0 ? 1 : 1u << (std::min(rank, maxFreeAxes) - 1);
  auto isNew = [&](const Reading &reading) {
    return llvm::none_of(readings,
                         [&](const Reading &other) { return other.indices == reading.indices; });
  };
  for (unsigned pattern = patterns; pattern-- > 0;) {
    // All ones means all axes, those beyond the free ones too.
    unsigned bits = pattern == patterns - 1 ? ~0u : pattern;
    std::optional<Reading> reading = read(access, bits);
    if (reading && isNew(*reading))
      readings.push_back(*reading);
  }
  return readings;
}

bool isInside(const Reading &reading, const Access &access, std::string &missing) {
  for (auto [axis, index] : llvm::zip(reading.axes, reading.indices)) {
    for (index::Pred bound : {index::ge(index, 0), index::lt(index, axis.size)}) {
      if (access.facts.isTrue(bound))
        continue;
      missing = "'" + show(bound) + "' is not known";
      return false;
    }
  }
  return true;
}

} // namespace nereid::analysis
