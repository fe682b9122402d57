// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/IntegerProof.h"

#include "index/Storage.h"

#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace nereid::analysis {

using index::Expr;
using index::ExprKind;
using mlir::presburger::IntegerRelation;
using mlir::presburger::PresburgerSpace;

namespace {
/// Sum of coefficient * column + constant. Columns are monomials, kept apart as they are: a
/// remainder beside its quotient would be one expression again.
struct Row {
  llvm::MapVector<Expr, int64_t> terms;
  int64_t constant = 0;
  bool isEquality = false;
  bool leavesInt64 = false;

  void add(Expr expr, int64_t scale) {
    addTo(constant, expr.getConstantTerm(), scale);
    for (index::Term term : expr.getTerms())
      addTo(terms[term.monomial], term.coefficient, scale);
  }
  void addTo(int64_t &sum, int64_t number, int64_t scale) {
    leavesInt64 |= __builtin_mul_overflow(number, scale, &number);
    leavesInt64 |= __builtin_add_overflow(sum, number, &sum);
  }
};

class IntegerProof {
public:
  explicit IntegerProof(const index::Facts &facts) : facts(facts) {}

  IntegerAnswer decide(Expr opposite);

private:
  /// Rational emptiness is quick at this size, integer emptiness is not.
  static constexpr size_t maxColumns = 24, maxRows = 80;
  static constexpr size_t maxIntegerColumns = 12, maxIntegerRows = 40;
  static constexpr int64_t maxCoefficient = int64_t(1) << 32;

  void addRow(Expr expr, bool isEquality);
  void addRow(Row row);
  void addAssumptions();
  void addColumn(Expr monomial);
  void addQuotient(Expr atom);
  void addRemainder(Expr atom);
  bool isKnown(Expr expr) const;
  bool isTooLarge() const { return isHuge || columns.size() > maxColumns || rows.size() > maxRows; }
  IntegerRelation relation() const;

  const index::Facts &facts;
  std::vector<Row> rows;
  /// Each monomial with its position; filled as rows come in.
  llvm::MapVector<Expr, unsigned> columns;
  bool isHuge = false;
  Expr notAffine;
};
} // namespace

void IntegerProof::addRow(Expr expr, bool isEquality) {
  Row row;
  row.isEquality = isEquality;
  row.add(expr, 1);
  addRow(std::move(row));
}

void IntegerProof::addRow(Row row) {
  auto isLarge = [](int64_t number) { return number > maxCoefficient || number < -maxCoefficient; };
  isHuge |= row.leavesInt64 || isLarge(row.constant);
  for (auto &[monomial, coefficient] : row.terms) {
    isHuge |= isLarge(coefficient);
    columns.try_emplace(monomial, columns.size());
  }
  rows.push_back(std::move(row));
}

/// x // d for a number d >= 1, as 0 <= x - d * q <= d - 1.
void IntegerProof::addQuotient(Expr atom) {
  int64_t d = *atom.getOperands()[1].getConstant();
  for (bool isUpper : {false, true}) {
    Row row;
    row.add(atom.getOperands()[0], isUpper ? -1 : 1);
    row.add(atom, isUpper ? d : -d);
    row.addTo(row.constant, isUpper ? d - 1 : 0, 1);
    addRow(std::move(row));
  }
}

/// x % d for a number d >= 1, as x - d * (x // d) == m and 0 <= m <= d - 1.
void IntegerProof::addRemainder(Expr atom) {
  Expr x = atom.getOperands()[0];
  int64_t d = *atom.getOperands()[1].getConstant();
  Row row;
  row.isEquality = true;
  row.add(x, 1);
  row.add(atom, -1);
  row.add(x.getContext().symbol("$quotient" + std::to_string(columns.size())), -d);
  addRow(std::move(row));
  addRow(atom, false);
  addRow(d - 1 - atom, false);
}

void IntegerProof::addColumn(Expr monomial) {
  index::Range range = facts.range(monomial);
  if (range.lo && *range.lo >= -maxCoefficient)
    addRow(monomial - *range.lo, false);
  if (range.hi && *range.hi <= maxCoefficient)
    addRow(*range.hi - monomial, false);
  llvm::ArrayRef<Expr> operands = monomial.getOperands();
  auto byNumber = [&] {
    std::optional<int64_t> divisor = operands[1].getConstant();
    return divisor && *divisor >= 1;
  };
  switch (monomial.getKind()) {
  case ExprKind::Symbol:
    if (int64_t multiple = facts.knownMultiple(monomial); multiple > 1) {
      Row row;
      row.isEquality = true;
      row.add(monomial, 1);
      row.add(monomial.getContext().symbol("$multiple" + std::to_string(columns.size())),
              -multiple);
      addRow(std::move(row));
    }
    return;
  case ExprKind::FloorDiv:
    if (byNumber())
      return addQuotient(monomial);
    break;
  case ExprKind::Mod:
    if (byNumber())
      return addRemainder(monomial);
    break;
  case ExprKind::Min:
    for (Expr operand : operands)
      addRow(operand - monomial, false);
    return;
  case ExprKind::Max:
    for (Expr operand : operands)
      addRow(monomial - operand, false);
    return;
  default:
    break;
  }
  notAffine = notAffine ? notAffine : monomial;
}

/// Whether all that an assumption speaks of is here already.
bool IntegerProof::isKnown(Expr expr) const {
  return llvm::all_of(expr.getTerms(),
                      [&](index::Term term) { return columns.contains(term.monomial); });
}

/// Lanes, programs and turns lead to the assumptions that bound them, and these to sizes; what
/// speaks of sizes alone is taken when all of it is known.
void IntegerProof::addAssumptions() {
  llvm::SmallVector<index::Pred> open(facts.getAssumptions());
  llvm::erase_if(open, [](index::Pred pred) {
    return pred.getKind() != index::PredKind::NonNegative &&
           pred.getKind() != index::PredKind::Zero;
  });
  for (bool changed = true; changed && !isTooLarge();) {
    changed = false;
    for (index::Pred &pred : open) {
      if (!pred)
        continue;
      bool leads = llvm::any_of(pred.getExpr().getTerms(), [&](index::Term term) {
        return term.monomial.isSymbol() && term.monomial.getName().starts_with("$") &&
               columns.contains(term.monomial);
      });
      if (!leads && !isKnown(pred.getExpr()))
        continue;
      addRow(pred.getExpr(), pred.getKind() == index::PredKind::Zero);
      pred = {};
      changed = true;
    }
  }
}

IntegerRelation IntegerProof::relation() const {
  IntegerRelation relation(PresburgerSpace::getSetSpace(columns.size()));
  for (const Row &row : rows) {
    llvm::SmallVector<int64_t> numbers(columns.size() + 1, 0);
    for (auto &[monomial, coefficient] : row.terms)
      numbers[columns.lookup(monomial)] = coefficient;
    numbers.back() = row.constant;
    if (row.isEquality)
      relation.addEquality(numbers);
    else
      relation.addInequality(numbers);
  }
  return relation;
}

IntegerAnswer IntegerProof::decide(Expr opposite) {
  IntegerAnswer answer;
  addRow(opposite, false);
  // Facts of columns name further columns, and these further assumptions.
  size_t described = 0;
  do {
    for (; described < columns.size() && !isTooLarge(); ++described)
      addColumn(columns.begin()[described].first);
    addAssumptions();
  } while (described < columns.size() && !isTooLarge());
  answer.notAffine = notAffine;
  if (isTooLarge())
    return answer;
  IntegerRelation points = relation();
  if (points.isEmpty() || points.isEmptyByGCDTest()) {
    answer.kind = IntegerAnswer::Kind::Holds;
    return answer;
  }
  if (columns.size() > maxIntegerColumns || rows.size() > maxIntegerRows)
    return answer;
  auto sample = points.findIntegerSample();
  if (!sample) {
    answer.kind = IntegerAnswer::Kind::Holds;
    return answer;
  }
  answer.kind = IntegerAnswer::Kind::Fails;
  for (auto &[monomial, position] : columns)
    if (monomial.isSymbol() && position < sample->size())
      answer.point[monomial] = int64_t((*sample)[position]);
  return answer;
}

IntegerAnswer decideOverIntegers(const index::Facts &facts, index::Pred bound) {
  if (bound.getKind() != index::PredKind::NonNegative) {
    IntegerAnswer answer;
    answer.kind = bound.isTrue() ? IntegerAnswer::Kind::Holds : IntegerAnswer::Kind::TooLarge;
    return answer;
  }
  return IntegerProof(facts).decide(-bound.getExpr() - 1);
}

} // namespace nereid::analysis
