// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/LinearProof.h"

#include "analysis/FeasiblePoint.h"
#include "index/Storage.h"

#include "mlir/Analysis/Presburger/Simplex.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace nereid::analysis {

using index::Expr;
using index::ExprKind;
using index::Term;

namespace {
/// expr >= 0, or expr == 0.
struct Row {
  Expr expr;
  bool isEquality;
};

class LinearProof {
public:
  explicit LinearProof(const index::Facts &facts) : facts(facts) {}

  bool refute(Expr opposite) {
    isAboutLimits = opposite.getConstantTerm() >= large || opposite.getConstantTerm() <= -large;
    addRow(opposite, false);
    addAssumptions(opposite);
    // Facts of atoms name further atoms, so the list grows while it is read.
    for (size_t i = 0; i < rows.size() && rows.size() < maxRows; ++i)
      addAtomsOf(rows[i].expr);
    addQuotientBounds();
    for (unsigned round = 0; round < 2; ++round)
      addProducts();
    return isContradiction();
  }

  /// All facts together, their products aside.
  bool refuteAll() {
    isAboutLimits = true;
    for (index::Pred pred : facts.getAssumptions())
      if (rows.size() < maxRows && (pred.getKind() == index::PredKind::NonNegative ||
                                    pred.getKind() == index::PredKind::Zero))
        addRow(pred.getExpr(), pred.getKind() == index::PredKind::Zero);
    return isContradiction();
  }

private:
  static constexpr size_t maxRows = 90, maxProducts = 150, maxColumns = 100;

  /// The limits of machine integers matter only to bounds that are such limits.
  static constexpr int64_t large = 1 << 24;

  void addRow(Expr expr, bool isEquality) {
    int64_t constant = expr.getConstantTerm();
    bool isLimit = constant >= large || constant <= -large;
    if (expr.isConstant() || (isLimit && !isAboutLimits))
      return;
    expr = withNames(expr);
    if (seenRows.insert(expr).second)
      rows.push_back({expr, isEquality});
  }

  /// A remainder goes by a name of its own: beside its quotient the two would be one again.
  Expr withNames(Expr expr) {
    if (!index::hasKind(expr, ExprKind::Mod))
      return expr;
    return index::substitute(expr, [&](Expr atom) -> Expr {
      if (atom.getKind() != ExprKind::Mod)
        return {};
      auto [found, isNew] = names.try_emplace(atom);
      if (isNew) {
        found->second = atom.getContext().symbol("$mod" + std::to_string(names.size()));
        remainders[found->second] = atom;
      }
      return found->second;
    });
  }
  Expr withoutNames(Expr expr) const {
    return remainders.empty() ? expr : index::substitute(expr, remainders);
  }

  index::Range rangeOf(Expr expr) const { return facts.range(withoutNames(expr)); }
  bool isAtLeast(Expr expr, int64_t least) const {
    index::Range range = rangeOf(expr);
    return range.lo && *range.lo >= least;
  }
  bool isPositive(Expr divisor) {
    auto [found, isNew] = positive.try_emplace(divisor, false);
    if (isNew)
      found->second = isAtLeast(divisor, 1) || facts.isTrue(index::ge(withoutNames(divisor), 1));
    return found->second;
  }

  /// The assumptions that speak of the bound's symbols, and of those that these speak of.
  void addAssumptions(Expr opposite) {
    llvm::DenseSet<Expr> symbols;
    llvm::ArrayRef<Expr> start = index::collectSymbols(opposite);
    symbols.insert(start.begin(), start.end());
    llvm::SmallVector<std::pair<Row, llvm::ArrayRef<Expr>>> open;
    for (index::Pred pred : facts.getAssumptions())
      if (pred.getKind() == index::PredKind::NonNegative || pred.getKind() == index::PredKind::Zero)
        open.push_back({{pred.getExpr(), pred.getKind() == index::PredKind::Zero},
                        index::collectSymbols(pred.getExpr())});
    // Two rounds: from the lane to the sizes that bound it, and from those to their checks.
    for (unsigned round = 0; round < 2; ++round) {
      llvm::SmallVector<Expr> next;
      for (auto &[row, mentioned] : open)
        if (llvm::any_of(mentioned, [&](Expr symbol) {
              return symbols.contains(symbol) && (round > 0 || symbol.getName().starts_with("$"));
            }))
          llvm::append_range(next, mentioned);
      symbols.insert(next.begin(), next.end());
    }
    for (auto &[row, mentioned] : open)
      if (llvm::all_of(mentioned, [&](Expr symbol) { return symbols.contains(symbol); }))
        addRow(row.expr, row.isEquality);
  }

  void addAtomsOf(Expr expr) {
    for (Term term : expr.getTerms())
      for (index::Factor factor : index::factorsOf(term.monomial))
        if (seenAtoms.insert(factor.atom).second)
          addFactsOf(factor.atom);
  }

  /// (y // c) // d is y // (c * d): quotients by products are then one atom.
  Expr quotientOf(Expr x, Expr d) {
    if (x.getKind() == ExprKind::FloorDiv && isPositive(x.getOperands()[1]) && isPositive(d))
      return index::floordiv(x.getOperands()[0], x.getOperands()[1] * d);
    return index::floordiv(x, d);
  }

  void addFactsOf(Expr atom) {
    constexpr int64_t limit = int64_t(1) << 40;
    index::Range range = rangeOf(atom);
    if (range.lo && *range.lo > -limit)
      addRow(atom - *range.lo, false);
    if (range.hi && *range.hi < limit)
      addRow(*range.hi - atom, false);
    if (Expr remainder = remainders.lookup(atom)) {
      Expr x = withNames(remainder.getOperands()[0]), d = withNames(remainder.getOperands()[1]);
      if (isPositive(d))
        addRemainder(atom, x, d);
      return;
    }
    llvm::ArrayRef<Expr> operands = atom.getOperands();
    switch (atom.getKind()) {
    case ExprKind::FloorDiv:
      if (isPositive(operands[1]))
        addQuotient(atom, operands[0], operands[1]);
      return;
    case ExprKind::Min:
      for (Expr operand : operands)
        addRow(operand - atom, false);
      return;
    case ExprKind::Max:
      for (Expr operand : operands)
        addRow(atom - operand, false);
      return;
    default:
      return;
    }
  }

  void addQuotient(Expr quotient, Expr x, Expr d) {
    quotients.push_back(quotient);
    addRow(x - d * quotient, false);
    addRow(d * quotient + d - 1 - x, false);
  }

  void addRemainder(Expr remainder, Expr x, Expr d) {
    addRow(remainder, false);
    addRow(d - 1 - remainder, false);
    addRow(x - d * withNames(quotientOf(x, d)) - remainder, true);
  }

  /// x <= d * k - 1 says x // d <= k - 1: what rounding adds to the rationals.
  void addQuotientBounds() {
    size_t count = rows.size();
    for (Expr quotient : quotients) {
      Expr x = quotient.getOperands()[0], d = quotient.getOperands()[1];
      llvm::ArrayRef<Expr> symbols = index::collectSymbols(x);
      for (size_t i = 0; i < count; ++i) {
        if (rows[i].isEquality || rows[i].expr.isConstant())
          continue;
        Expr above = rows[i].expr + x + 1;
        if (index::degree(above) > index::degree(rows[i].expr))
          continue;
        // The row is `above - 1 - x >= 0`, and `above` must be free of what x varies with.
        bool isFree = llvm::none_of(index::collectSymbols(above), [&](Expr symbol) {
          return symbol.getName().starts_with("$") && llvm::is_contained(symbols, symbol);
        });
        Expr k = isFree ? index::floordiv(above, d) : Expr();
        if (k && k * d == above)
          addRow(k - 1 - quotient, false);
      }
    }
  }

  /// Products of rows with factors >= 0 whose monomials occur already.
  void addProducts() {
    llvm::DenseSet<Expr> known;
    for (const Row &row : rows)
      for (Term term : row.expr.getTerms())
        known.insert(term.monomial);
    llvm::SmallVector<Expr> targets(known.begin(), known.end());
    llvm::erase_if(targets, [](Expr monomial) { return monomial.getKind() != ExprKind::Product; });
    llvm::sort(targets);
    size_t count = rows.size();
    for (size_t i = 0; i < count && rows.size() < maxProducts; ++i) {
      llvm::SmallVector<Term, 4> terms = rows[i].expr.getTerms();
      // One term suffices to find the factor, as all products must be known.
      llvm::DenseSet<Expr> tried;
      for (Term term : terms)
        for (Expr target : targets) {
          std::optional<Expr> factor = index::divideMonomial(target, term.monomial);
          if (!factor || !*factor || !tried.insert(*factor).second)
            continue;
          addProduct(rows[i], terms, *factor, known);
        }
    }
  }

  void addProduct(Row row, llvm::ArrayRef<Term> terms, Expr factor,
                  const llvm::DenseSet<Expr> &known) {
    unsigned unknown = row.expr.getConstantTerm() != 0 && !known.contains(factor);
    for (Term other : terms)
      unknown += !known.contains(index::multiplyMonomials(other.monomial, factor));
    unsigned allowed = terms.size() > 1 ? 1 : 0;
    if (unknown <= allowed && rows.size() < maxProducts && (row.isEquality || isAtLeast(factor, 0)))
      addRow(row.expr * factor, row.isEquality);
  }

  bool isContradiction() const {
    llvm::DenseMap<Expr, unsigned> columns;
    for (const Row &row : rows)
      for (Term term : row.expr.getTerms())
        columns.try_emplace(term.monomial, columns.size());
    if (columns.size() > maxColumns)
      return false;
    llvm::SmallVector<LinearRow> given;
    for (const Row &row : rows) {
      LinearRow &linear = given.emplace_back();
      linear.constant = row.expr.getConstantTerm();
      linear.isEquality = row.isEquality;
      for (Term term : row.expr.getTerms())
        linear.terms.push_back({columns.lookup(term.monomial), term.coefficient});
    }
    // Small systems are decided as fast.
    constexpr size_t few = 40;
    return !(given.size() > few && hasFeasiblePoint(columns.size(), given)) &&
           isEmpty(columns.size(), given);
  }

  static bool isEmpty(unsigned columns, llvm::ArrayRef<LinearRow> rows) {
    mlir::presburger::Simplex simplex(columns);
    for (const LinearRow &row : rows) {
      llvm::SmallVector<llvm::DynamicAPInt> coefficients(columns + 1, llvm::DynamicAPInt(0));
      for (auto [column, coefficient] : row.terms)
        coefficients[column] += llvm::DynamicAPInt(coefficient);
      coefficients.back() = llvm::DynamicAPInt(row.constant);
      if (row.isEquality)
        simplex.addEquality(coefficients);
      else
        simplex.addInequality(coefficients);
      if (simplex.isEmpty())
        return true;
    }
    return false;
  }

  const index::Facts &facts;
  bool isAboutLimits = false;
  llvm::SmallVector<Row> rows;
  llvm::SmallVector<Expr> quotients;
  llvm::DenseSet<Expr> seenRows, seenAtoms;
  llvm::DenseMap<Expr, bool> positive;
  llvm::DenseMap<Expr, Expr> names, remainders;
};
} // namespace

bool isTrueLinearly(const index::Facts &facts, index::Pred bound) {
  if (bound.getKind() != index::PredKind::NonNegative)
    return bound.isTrue();
  return LinearProof(facts).refute(-bound.getExpr() - 1);
}

/// Whether a symbol of the predicate has no value left.
static bool isOfNothing(const index::Facts &facts, index::Pred pred) {
  bool isEmpty = pred.isFalse();
  index::forEachSymbol(pred, [&](index::Expr symbol) { isEmpty |= facts.range(symbol).isEmpty(); });
  return isEmpty;
}

bool areContradictory(const index::Facts &facts) {
  index::Context &context = facts.getContext();
  if (facts.isNegativeSomewhere(context.constant(-1), /*looks=*/true))
    return false;
  return llvm::any_of(facts.getAssumptions(),
                      [&](index::Pred pred) { return isOfNothing(facts, pred); }) ||
         LinearProof(facts).refuteAll();
}

} // namespace nereid::analysis
