// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index/Printer.h"
#include "index/Storage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace nereid::index {

namespace {
/// Powers up to this one print as repeated products.
constexpr unsigned maxRepeatedPower = 3;

class Printer {
public:
  Printer(llvm::raw_ostream &os, const PrintOptions &options) : os(os), options(options) {}

  void print(Expr expr, Binding place);
  void print(Pred pred, Binding place);

private:
  void number(int64_t value, Binding place);
  void printSum(int64_t constant, llvm::ArrayRef<Term> terms, Binding place);
  void printLeadingMinus(Term term, Binding place);
  void printTerm(Expr monomial, uint64_t magnitude, Binding place);
  void printFactor(Factor factor, Binding place);
  void printAtom(Expr atom, Binding place);
  void printDivision(Expr atom, Binding place);
  void printExtreme(llvm::ArrayRef<Expr> operands, const std::string &name);
  void printCall(const std::string &name, llvm::ArrayRef<Expr> operands);
  void printComparison(Pred pred);
  bool isNonNegative(Expr expr) const;

  /// Runs `body` within parentheses when what it prints binds less tightly than the place needs.
  void grouped(Binding binding, Binding place, llvm::function_ref<void()> body) {
    bool parentheses = binding < place;
    os << (parentheses ? "(" : "");
    body();
    os << (parentheses ? ")" : "");
  }

  llvm::raw_ostream &os;
  const PrintOptions &options;
};
} // namespace

/// If `quotient` is floordiv(e + d - 1, d) for a simpler e, returns e.
static Expr asCeilDividend(Expr quotient) {
  Expr dividend = quotient.getOperands()[0], divisor = quotient.getOperands()[1];
  std::optional<int64_t> number = divisor.getConstant();
  if (number && (*number < 2 || dividend.getConstantTerm() != *number - 1))
    return {};
  Expr e = dividend - divisor + 1;
  size_t before = dividend.getTerms().size() + (dividend.getConstantTerm() != 0);
  size_t after = e.getTerms().size() + (e.getConstantTerm() != 0);
  return after < before && ceildiv(e, divisor) == quotient ? e : Expr();
}

void Printer::number(int64_t value, Binding place) {
  grouped(value < 0 ? Binding::Unary : Binding::Atom, place, [&] { os << value; });
}

bool Printer::isNonNegative(Expr expr) const {
  if (!options.facts)
    return expr.getConstant().value_or(-1) >= 0;
  Range range = options.facts->range(expr);
  return range.lo && *range.lo >= 0;
}

void Printer::print(Expr expr, Binding place) {
  switch (expr.getKind()) {
  case ExprKind::Constant:
    return number(*expr.getConstant(), place);
  case ExprKind::Sum:
    return printSum(expr.getConstantTerm(), expr.getTerms(), place);
  case ExprKind::Product:
    return printTerm(expr, 1, place);
  default:
    return printAtom(expr, place);
  }
}

/// Prints minus one term; the sign binds to the first factor only, which must not be a division.
void Printer::printLeadingMinus(Term term, Binding place) {
  llvm::SmallVector<Factor, 4> factors = factorsOf(term.monomial);
  bool isAtom = factors.size() == 1 && factors[0].power == 1;
  if (term.coefficient == INT64_MIN || term.coefficient != -1) {
    uint64_t magnitude = 0 - uint64_t(term.coefficient);
    return grouped(Binding::Multiply, place, [&] {
      os << "-";
      printTerm(term.monomial, magnitude, Binding::Multiply);
    });
  }
  ExprKind first = factors[0].atom.getKind();
  bool isDivision = first == ExprKind::FloorDiv || first == ExprKind::Mod;
  Binding inner = isAtom || isDivision || factors[0].power > 1 ? Binding::Unary : Binding::Multiply;
  grouped(inner, place, [&] {
    os << "-";
    printTerm(term.monomial, 1, inner);
  });
}

void Printer::printSum(int64_t constant, llvm::ArrayRef<Term> terms, Binding place) {
  // A difference reads better than a sum that starts with a minus: `n - i`, `4 - x`.
  auto isPositive = [](Term term) { return term.coefficient > 0; };
  llvm::SmallVector<Term, 4> sorted;
  llvm::copy_if(terms, std::back_inserter(sorted), isPositive);
  llvm::copy_if(terms, std::back_inserter(sorted), [&](Term term) { return !isPositive(term); });
  bool constantFirst = constant > 0 && !isPositive(sorted.front());
  if (sorted.size() == 1 && constant == 0) {
    if (isPositive(sorted.front()))
      return printTerm(sorted.front().monomial, sorted.front().coefficient, place);
    return printLeadingMinus(sorted.front(), place);
  }
  grouped(Binding::Add, place, [&] {
    if (constantFirst)
      os << constant;
    for (auto [position, term] : llvm::enumerate(sorted)) {
      bool first = position == 0 && !constantFirst;
      bool negative = term.coefficient < 0;
      if (first && negative) {
        printLeadingMinus(term, Binding::Add);
        continue;
      }
      // 2^63 is no int64: its minus stays with it.
      if (term.coefficient == INT64_MIN) {
        os << " + ";
        printLeadingMinus(term, Binding::Multiply);
        continue;
      }
      os << (first ? "" : negative ? " - " : " + ");
      printTerm(term.monomial, negative ? -term.coefficient : term.coefficient, Binding::Multiply);
    }
    if (constant != 0 && !constantFirst) {
      if (constant < 0 && constant != INT64_MIN)
        os << " - " << -constant;
      else
        os << " + " << constant;
    }
  });
}

void Printer::printTerm(Expr monomial, uint64_t magnitude, Binding place) {
  llvm::SmallVector<Factor, 4> factors = factorsOf(monomial);
  bool single = factors.size() == 1 && factors[0].power == 1;
  if (single && magnitude == 1)
    return print(monomial.getKind() == ExprKind::Product ? factors[0].atom : monomial, place);
  grouped(Binding::Multiply, place, [&] {
    // Multiplication is read from the left: only the first factor may be a division.
    bool first = true;
    if (magnitude != 1) {
      os << magnitude;
      first = false;
    }
    for (Factor factor : factors) {
      bool asPower = options.syntax == Syntax::Python && factor.power > maxRepeatedPower;
      unsigned repeated = asPower ? 1 : factor.power;
      for (unsigned i = 0; i < repeated; ++i) {
        os << (first ? "" : " * ");
        printFactor({factor.atom, asPower ? factor.power : 1},
                    first ? Binding::Multiply : Binding::Unary);
        first = false;
      }
    }
  });
}

void Printer::printFactor(Factor factor, Binding place) {
  if (factor.power == 1)
    return print(factor.atom, place);
  print(factor.atom, Binding::Atom);
  // The spacing of ruff: none around ** between a name and a number.
  os << (factor.atom.isSymbol() ? "**" : " ** ") << factor.power;
}

void Printer::printAtom(Expr atom, Binding place) {
  switch (atom.getKind()) {
  case ExprKind::Symbol:
    os << (options.symbolName ? options.symbolName(atom) : atom.getName().str());
    return;
  case ExprKind::FloorDiv:
  case ExprKind::Mod:
    return printDivision(atom, place);
  case ExprKind::Min:
    return printExtreme(atom.getOperands(), options.min);
  case ExprKind::Max:
    return printExtreme(atom.getOperands(), options.max);
  case ExprKind::NextPow2:
    return printCall(options.nextPow2, atom.getOperands());
  default:
    // A constant or a sum that stands as a factor because folding would overflow or explode.
    return print(atom, place);
  }
}

void Printer::printDivision(Expr atom, Binding place) {
  bool isQuotient = atom.getKind() == ExprKind::FloorDiv;
  Expr dividend = atom.getOperands()[0], divisor = atom.getOperands()[1];
  Expr ceilDividend = isQuotient ? asCeilDividend(atom) : Expr();
  if (ceilDividend && options.syntax != Syntax::Mlir && !options.cdiv.empty())
    return printCall(options.cdiv, {ceilDividend, divisor});
  std::string symbol = isQuotient ? " // " : " % ";
  if (options.syntax == Syntax::Mlir) {
    symbol = ceilDividend ? " ceildiv " : isQuotient ? " floordiv " : " mod ";
    dividend = ceilDividend ? ceilDividend : dividend;
  }
  if (options.syntax == Syntax::C) {
    if (!isNonNegative(dividend) || !isNonNegative(divisor))
      return printCall(isQuotient ? options.floorDiv : options.floorMod, {dividend, divisor});
    symbol = isQuotient ? " / " : " % ";
  }
  grouped(Binding::Multiply, place, [&] {
    print(dividend, Binding::Multiply);
    os << symbol;
    print(divisor, Binding::Unary);
  });
}

void Printer::printExtreme(llvm::ArrayRef<Expr> operands, const std::string &name) {
  // Functions of C take two operands.
  if (options.syntax != Syntax::C || operands.size() == 2)
    return printCall(name, operands);
  os << name << "(";
  print(operands.front(), Binding::Or);
  os << ", ";
  printExtreme(operands.drop_front(), name);
  os << ")";
}

void Printer::printCall(const std::string &name, llvm::ArrayRef<Expr> operands) {
  os << name << "(";
  llvm::interleaveComma(operands, os, [&](Expr operand) { print(operand, Binding::Or); });
  os << ")";
}

void Printer::printComparison(Pred pred) {
  // Positive terms stay on one side, negative ones move to the other, so that no minus is printed.
  Context &context = pred.getContext();
  LinearSum positive(context), negative(context);
  int64_t constant = pred.getExpr().getConstantTerm();
  bool hasPositive = false, hasNegative = false;
  for (Term term : pred.getExpr().getTerms()) {
    (term.coefficient > 0 ? hasPositive : hasNegative) = true;
    if (term.coefficient > 0)
      positive.addTerm(term.monomial, term.coefficient);
    else
      negative.addScaled(term.monomial, term.coefficient, -1);
  }
  bool isOrder = pred.getKind() == PredKind::NonNegative;
  std::string relation = isOrder ? " >= " : pred.getKind() == PredKind::Zero ? " == " : " != ";
  if (isOrder && hasPositive && hasNegative) {
    // negative <= positive + constant
    Expr left = negative.take();
    bool strict = constant == -1;
    positive.addConstant(strict ? 0 : constant);
    print(left, Binding::Add);
    os << (strict ? " < " : " <= ");
    return print(positive.take(), Binding::Add);
  }
  if (!hasPositive) {
    negative.addConstant(0);
    print(negative.take(), Binding::Add);
    os << (isOrder ? " <= " : relation) << constant;
    return;
  }
  if (constant == INT64_MIN)
    positive.addConstant(constant);
  else
    negative.addConstant(-constant);
  print(positive.take(), Binding::Add);
  os << relation;
  print(negative.take(), Binding::Add);
}

void Printer::print(Pred pred, Binding place) {
  bool isPython = options.syntax == Syntax::Python;
  switch (pred.getKind()) {
  case PredKind::True:
    os << (isPython ? "True" : "true");
    return;
  case PredKind::False:
    os << (isPython ? "False" : "false");
    return;
  case PredKind::NonNegative:
  case PredKind::Zero:
  case PredKind::NonZero:
    return grouped(Binding::Compare, place, [&] { printComparison(pred); });
  case PredKind::Divisible:
  case PredKind::NotDivisible:
    return grouped(Binding::Compare, place, [&] {
      printDivision(makeAtom(ExprKind::Mod, {pred.getExpr(), pred.getDivisor()}), Binding::Add);
      os << (pred.getKind() == PredKind::Divisible ? " == 0" : " != 0");
    });
  case PredKind::And:
  case PredKind::Or:
    break;
  }
  bool isAnd = pred.getKind() == PredKind::And;
  Binding binding = isAnd ? Binding::And : Binding::Or;
  std::string word = isPython ? (isAnd ? " and " : " or ") : (isAnd ? " && " : " || ");
  grouped(binding, place, [&] {
    llvm::interleave(
        pred.getOperands(), os, [&](Pred part) { print(part, Binding(unsigned(binding) + 1)); },
        word);
  });
}

void print(Expr expr, llvm::raw_ostream &os, const PrintOptions &options, Binding place) {
  if (!expr)
    os << "<null>";
  else
    Printer(os, options).print(expr, place);
}

void print(Pred pred, llvm::raw_ostream &os, const PrintOptions &options, Binding place) {
  if (!pred)
    os << "<null>";
  else
    Printer(os, options).print(pred, place);
}

template <typename T>
static std::string asString(T value, const PrintOptions &options, Binding place) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(value, os, options, place);
  return text;
}

std::string toString(Expr expr, const PrintOptions &options, Binding place) {
  return asString(expr, options, place);
}
std::string toString(Pred pred, const PrintOptions &options, Binding place) {
  return asString(pred, options, place);
}

void Expr::print(llvm::raw_ostream &os) const { index::print(*this, os); }
std::string Expr::str() const { return toString(*this); }
void Pred::print(llvm::raw_ostream &os) const { index::print(*this, os); }
std::string Pred::str() const { return toString(*this); }

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, Expr expr) {
  print(expr, os);
  return os;
}
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, Pred pred) {
  print(pred, os);
  return os;
}

} // namespace nereid::index
