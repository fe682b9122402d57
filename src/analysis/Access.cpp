// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Access.h"
#include "analysis/Inference.h"
#include "analysis/LinearProof.h"
#include "analysis/PointerRoots.h"
#include "analysis/SizeBounds.h"

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

/// Looks for a proof once.
static bool remembered(llvm::DenseMap<index::Pred, bool> &proofs, index::Pred pred,
                       llvm::function_ref<bool()> look) {
  auto [found, isNew] = proofs.try_emplace(pred, false);
  if (!isNew)
    return found->second;
  bool result = look();
  return proofs[pred] = result;
}

void Access::forgetProofs() {
  size_t count = facts.getAssumptions().size();
  if (count == factsBefore)
    return;
  factsBefore = count;
  for (llvm::DenseMap<index::Pred, bool> *proofs :
       {&shortProofs, &endProofs, &simplifiedProofs, &digitProofs, &linearProofs})
    for (auto proof = proofs->begin(); proof != proofs->end(); ++proof)
      if (!proof->second)
        proofs->erase(proof);
  exactAnswers.clear();
  simplified.clear();
  radix.reset();
}

const index::MixedRadix &Access::digits() const {
  if (!radix)
    radix.emplace(facts, parts,
                  [](index::Expr symbol) { return symbol.getName().starts_with("$"); });
  return *radix;
}

bool Access::knows(index::Pred pred, Effort effort) const {
  auto isTrue = [&] { return corners ? corners->isTrue(pred) : facts.isTrue(pred); };
  if (remembered(shortProofs, pred, isTrue))
    return true;
  if (effort == Effort::Short || pred.getKind() != index::PredKind::NonNegative)
    return false;
  if (effort != Effort::Exact && facts.isNegativeSomewhere(pred.getExpr(), true))
    return false;
  auto byEnds = [&] {
    index::Expr least = boundInSizes(pred.getExpr(), End::Least, facts);
    return least && facts.isTrue(index::ge(least, 0));
  };
  if (!corners && remembered(endProofs, pred, byEnds))
    return true;
  auto byDigits = [&] { return digits().hasDigits() && digits().isTrue(digits().rewrite(pred)); };
  if (!corners && remembered(digitProofs, pred, byDigits))
    return true;
  if (effort == Effort::Digits)
    return false;
  index::Pred &simpler = simplified[pred];
  if (!simpler)
    simpler = index::ge(facts.simplify(pred.getExpr()), 0);
  auto bySimplifying = [&] { return simpler != pred && facts.isTrue(simpler); };
  if (remembered(simplifiedProofs, pred, bySimplifying))
    return true;
  if (effort == Effort::Simplified)
    return false;
  auto byProgramming = [&] { return isTrueLinearly(facts, simpler); };
  if (remembered(linearProofs, pred, byProgramming))
    return true;
  if (effort == Effort::Linear)
    return false;
  auto [answer, isFirst] = exactAnswers.try_emplace(pred);
  if (isFirst)
    answer->second = decideOverIntegers(facts, pred);
  return answer->second.kind == IntegerAnswer::Kind::Holds;
}

bool Access::isNeverExecuted() const {
  return llvm::is_contained(facts.getAssumptions(), index::truth(facts.getContext(), false));
}

index::Expr Access::lastOffset() const {
  index::Expr last = facts.getContext().constant(0);
  for (auto [size, stride] : llvm::zip(tensor->sizes, tensor->strides))
    last = last + (size - 1) * stride;
  return last;
}

/// Whether something that a quotient is taken from is at least 1, by what the dividend is below:
///
///   M - G * (p // (G * N)) >= 1  follows from  p < M * N,
///
/// as it does where it is multiplied by the divisor: (p // d) * d <= p. That is what is left of the
/// rows for a group of programs of a product.
static bool isPositive(index::Expr expr, const Access &access, Effort effort) {
  if (access.knows(index::ge(expr, 1), effort))
    return true;
  if (expr.getKind() == index::ExprKind::Min)
    return llvm::all_of(expr.getOperands(),
                        [&](index::Expr operand) { return isPositive(operand, access, effort); });
  for (index::Term term : expr.getTerms()) {
    if (term.monomial.getKind() != index::ExprKind::FloorDiv || term.coefficient >= 0)
      continue;
    index::Expr dividend = term.monomial.getOperands()[0], divisor = term.monomial.getOperands()[1];
    index::Expr rest = expr - term.monomial * term.coefficient;
    index::Expr least = rest * divisor + dividend * term.coefficient;
    if (access.knows(index::ge(divisor, 1), effort) && access.knows(index::ge(least, 1), effort))
      return true;
  }
  return false;
}

/// What a quotient or a remainder needs is known from then on.
static bool holdsAsDivisor(const RangeCheck &check, Access &access, Effort effort) {
  if (check.range.lo != 1 || !isPositive(check.expr, access, effort))
    return false;
  access.facts.assume(index::ge(check.expr, 1));
  access.forgetProofs();
  return true;
}

static bool holds(const RangeCheck &check, Access &access, Effort effort) {
  index::Range range = access.facts.range(check.expr);
  auto within = [](std::optional<int64_t> wanted, std::optional<int64_t> known, bool low) {
    return !wanted || (known && (low ? *known >= *wanted : *known <= *wanted));
  };
  if (!within(check.range.lo, range.lo, true) &&
      !access.knows(index::ge(check.expr, *check.range.lo), effort) &&
      !holdsAsDivisor(check, access, effort))
    return false;
  return within(check.range.hi, range.hi, false) ||
         access.knows(index::le(check.expr, *check.range.hi), effort);
}

/// The bound of a check that is missing, as a predicate.
static index::Pred missingBound(const RangeCheck &check, const Access &access,
                                Effort effort = Effort::Linear) {
  if (check.range.lo && !access.knows(index::ge(check.expr, *check.range.lo), effort))
    return index::ge(check.expr, *check.range.lo);
  return index::le(check.expr, *check.range.hi);
}

static bool isExtreme(index::Term term) {
  index::ExprKind kind = term.monomial.getKind();
  return kind == index::ExprKind::Min || kind == index::ExprKind::Max;
}

/// Whether a bound is of a maximum of maxima, or minimum of minima, as a reflection of |i| is.
static bool hasNestedExtremes(index::Pred pred) {
  auto holdsOwnKind = [](index::Expr extreme) {
    return llvm::any_of(extreme.getOperands(), [&](index::Expr operand) {
      return llvm::any_of(operand.getTerms(), [&](index::Term term) {
        return term.monomial.getKind() == extreme.getKind();
      });
    });
  };
  return pred.getKind() == index::PredKind::NonNegative &&
         llvm::any_of(pred.getExpr().getTerms(), [&](index::Term term) {
           return isExtreme(term) && holdsOwnKind(term.monomial);
         });
}

/// Takes up what is true on executed lanes, as far as its checks can be proved; returns the rest. A
/// check that failed is not tried again before the next call: conditions share their checks.
static llvm::SmallVector<Conjunct> takeUp(llvm::ArrayRef<Conjunct> conjuncts, Access &access,
                                          Effort effort) {
  llvm::SmallVector<Conjunct> open;
  access.forgetProofs();
  for (const Conjunct &part : conjuncts) {
    bool checked = llvm::all_of(
        part.checks, [&](const RangeCheck &check) { return holds(check, access, effort); });
    if (!checked) {
      open.push_back(part);
      continue;
    }
    access.facts.assume(part.pred);
    // |i| of the condition may be i in the address, where the scheduler knew its sign.
    if (hasNestedExtremes(part.pred))
      access.facts.assume(index::ge(access.facts.simplify(part.pred.getExpr()), 0));
    if (!part.exact)
      access.executed = std::nullopt;
    else if (access.executed)
      access.executed->push_back(part.pred);
  }
  return open;
}

/// Under an open contract the bounds of machine arithmetic are assumptions on the launch.
static void assumeChecks(llvm::ArrayRef<RangeCheck> checks, Access &access) {
  for (const RangeCheck &check : checks)
    // A check has two ends at most.
    for (unsigned end = 0; end < 2 && !holds(check, access, Effort::Linear); ++end) {
      access.assumed.push_back(missingBound(check, access));
      access.facts.assume(access.assumed.back());
      access.forgetProofs();
    }
}

/// Adds what follows for the sizes; accesses of a kernel mostly begin with the same, and are masked
/// alike.
static void inferOnce(index::Facts &facts, const LaunchContract &contract, LaneValues &lanes) {
  std::vector<const void *> start;
  for (index::Pred pred : facts.getAssumptions())
    start.push_back(pred.getAsOpaquePointer());
  auto [known, isNew] = lanes.inferred.try_emplace(start);
  if (isNew) {
    inferPositiveSizes(facts, contract);
    llvm::append_range(known->second,
                       llvm::ArrayRef(facts.getAssumptions()).drop_front(start.size()));
    return;
  }
  for (index::Pred pred : known->second)
    facts.assume(pred);
}

/// All expressions on which a proof may hang.
static llvm::SmallVector<index::Expr> partsOf(const LaneValue &pointer,
                                              llvm::ArrayRef<Conjunct> conditions) {
  llvm::SmallVector<index::Expr> parts;
  if (pointer.kind == LaneValue::Kind::Pointer)
    parts.push_back(pointer.expr);
  auto addChecks = [&](llvm::ArrayRef<RangeCheck> checks) {
    for (const RangeCheck &check : checks)
      parts.push_back(check.expr);
  };
  addChecks(pointer.checks);
  for (const Conjunct &condition : conditions) {
    addChecks(condition.checks);
    (void)index::substitute(condition.pred, [&](index::Expr atom) {
      parts.push_back(atom);
      return atom;
    });
  }
  llvm::sort(parts);
  parts.erase(llvm::unique(parts), parts.end());
  return parts;
}

AccessSource readAccess(Operation *op, LaneValues &lanes) {
  MemoryOperands operands = memoryOperandsOf(op);
  AccessSource source;
  source.op = op;
  source.pointer = lanes.get(operands.pointer);
  if (source.pointer.kind == LaneValue::Kind::Pointer)
    source.roots = {source.pointer.argument};
  else
    source.roots = findPointerRoots(operands.pointer);
  if (!source.roots.empty())
    source.pointer.argument = source.roots.front();
  source.conditions = lanes.pathTo(op);
  if (operands.mask) {
    LaneValue mask = lanes.get(operands.mask);
    source.isMaskKnown = mask.kind == LaneValue::Kind::Condition;
    llvm::append_range(source.conditions, mask.conjuncts);
  }
  source.parts = partsOf(source.pointer, source.conditions);
  source.known = lanes.factsAbout(source.parts);
  source.extents = lanes.extentsOf(operands.pointer.getType());
  return source;
}

Access makeAccess(const AccessSource &source, LaneValues &lanes, const LaunchContract &contract) {
  const LaneValue &pointer = source.pointer;
  // Facts are complete only after all values were read.
  Access access(lanes.getFacts());
  access.op = source.op;
  access.parts = source.parts;
  for (index::Pred pred : source.known)
    access.facts.assume(pred);
  access.extents = source.extents;
  if (source.isMaskKnown)
    access.executed.emplace();
  for (auto [axis, extent] : llvm::enumerate(access.extents)) {
    access.facts.assume(index::ge(lanes.lane(axis), 0));
    access.facts.assume(index::lt(lanes.lane(axis), extent));
  }
  inferOnce(access.facts, contract, lanes);
  llvm::SmallVector<Conjunct> open = takeUp(source.conditions, access, Effort::Short);
  inferOnce(access.facts, contract, lanes);
  // A lane below the number of elements says that no size is 0, so dividing by one is sound. What
  // is taken up then may say that of more sizes.
  Effort most = contract.isBrief ? Effort::Digits : Effort::Linear;
  for (Effort effort : {Effort::Short, Effort::Digits, Effort::Linear})
    for (size_t before = 0; effort <= most && !open.empty() && open.size() != before;) {
      before = open.size();
      open = takeUp(open, access, effort);
      if (open.size() != before)
        inferOnce(access.facts, contract, lanes);
    }
  if (!open.empty() && contract.isOpen) {
    for (const Conjunct &part : open)
      assumeChecks(part.checks, access);
    open = takeUp(open, access, Effort::Linear);
  }
  if (!open.empty())
    access.executed = std::nullopt;
  // Facts are complete now; what was not known before may be known.
  access.forgetProofs();
  access.argument = pointer.argument;
  if (pointer.kind != LaneValue::Kind::Pointer) {
    access.problem =
        "the address is " + (pointer.reason.empty() ? "of unknown origin" : pointer.reason);
    return access;
  }
  access.offset = pointer.expr;
  access.checks = pointer.checks;
  if (pointer.argument < contract.arguments.size() && contract.arguments[pointer.argument].isTensor)
    access.tensor = &contract.arguments[pointer.argument];
  else
    access.problem = "nothing is known of the memory behind the pointer";
  if (contract.isOpen)
    assumeChecks(access.checks, access);
  for (const RangeCheck &check : access.checks)
    if (access.problem.empty() && !holds(check, access, most))
      access.problem = "machine arithmetic may wrap or divide oddly: '" +
                       show(missingBound(check, access, most)) + "' is not known";
  access.isReadLinearly =
      llvm::any_of(access.linearProofs, [](const auto &proof) { return proof.second; });
  return access;
}

} // namespace nereid::analysis
