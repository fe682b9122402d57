// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/ProgramRecovery.h"

#include "index/Storage.h"

#include "llvm/ADT/bit.h"

#include <numeric>

namespace nereid::analysis {

/// Whether distinct indices of this reading are distinct addresses.
static bool isInjective(const Reading &reading, const Access &access) {
  if (access.tensor->isInjective)
    return true;
  for (size_t i = 0; i < reading.axes.size(); ++i) {
    index::Expr inner = i + 1 < reading.axes.size()
                            ? reading.axes[i + 1].size * reading.axes[i + 1].stride
                            : access.facts.getContext().constant(1);
    if (!access.facts.isTrue(index::ge(reading.axes[i].stride, inner)))
      return false;
  }
  return true;
}

namespace {
/// Finds the program id back from the indices that it stores to.
class Recovery {
public:
  Recovery(const Reading &reading, const Access &access, const LaneValues &lanes,
           const LaunchContract &contract, Effort effort)
      : access(access), effort(effort) {
    for (index::Expr index : reading.indices)
      sources.push_back(effort >= Effort::Simplified ? access.facts.simplify(index) : index);
    addRowMajorNumbers(reading);
    for (unsigned axis = 0; axis < contract.grid.size(); ++axis) {
      index::Range range = access.facts.range(lanes.programId(axis));
      bool single = access.facts.isTrue(index::le(contract.grid[axis], 1)) ||
                    (range.lo && range.lo == range.hi);
      (single ? known : wanted).push_back(lanes.programId(axis));
      // A store that one program alone executes says which.
      if (range.lo && range.lo == range.hi)
        key.push_back("pid" + std::to_string(axis) + " is " + std::to_string(*range.lo));
    }
  }

  bool run() {
    if (effort == Effort::Digits)
      addNumbersOfDigits();
    bool progress = true;
    while (progress && !wanted.empty()) {
      progress = false;
      for (size_t i = 0; i < wanted.size(); ++i)
        if (recover(wanted[i])) {
          known.push_back(wanted[i]);
          wanted.erase(wanted.begin() + i);
          progress = true;
          break;
        }
    }
    return wanted.empty();
  }
  /// What the recovery is made of: stores with one key cannot meet across programs.
  llvm::ArrayRef<std::string> getKey() const { return key; }
  index::Expr getMissing() const { return wanted.front(); }

private:
  /// A number that was taken apart is known where all of its digits are, each found back from the
  /// indices in its turn.
  void addNumbersOfDigits() {
    const index::MixedRadix &digits = access.digits();
    if (!digits.hasDigits())
      return;
    Access inDigits(digits.getFacts());
    inDigits.corners = &digits;
    llvm::SmallVector<index::Expr> over, open, found;
    for (index::Expr source : sources)
      over.push_back(digits.rewrite(source));
    llvm::SmallVector<index::Expr> numbers(digits.getDividends());
    for (index::Expr number : numbers)
      for (index::Expr symbol : index::collectSymbols(digits.rewrite(number)))
        if (digits.isDigit(symbol) && !llvm::is_contained(open, symbol))
          open.push_back(symbol);
    auto isKnown = [&](index::Expr symbol) { return llvm::is_contained(found, symbol); };
    auto findOne = [&] {
      for (index::Expr digit : open)
        for (auto [position, source] : llvm::enumerate(over)) {
          if (isKnown(digit) || !tellsDigit(source, digit, inDigits, isKnown, position))
            continue;
          found.push_back(digit);
          return true;
        }
      return false;
    };
    while (findOne())
      continue;
    // What an index holds beside digits that are known says the rest: `n * digit + row` says the
    // row.
    for (auto [position, source] : llvm::enumerate(over)) {
      index::Expr given = partGiven(source, isKnown);
      if (!isGiven(given, [](index::Expr) { return false; })) {
        key.push_back("less " + std::to_string(position) + " " + given.str());
        sources.push_back(digits.restore(source - given));
      }
    }
    // What remains of a number beside its digits stays with it: `lane0` is digits less `1024 *
    // pid0`.
    for (index::Expr number : numbers) {
      index::Expr given = digits.rewrite(number), beside = given - given;
      for (index::Term term : given.getTerms())
        if (!isGiven(term.monomial, isKnown))
          beside = beside + term.monomial * term.coefficient;
      llvm::ArrayRef<index::Expr> symbols = index::collectSymbols(beside);
      if (llvm::any_of(symbols, [&](index::Expr symbol) { return digits.isDigit(symbol); }))
        continue;
      key.push_back("number " + given.str());
      sources.push_back(number - beside);
    }
  }

  static bool isGiven(index::Expr expr, llvm::function_ref<bool(index::Expr)> isKnown) {
    return llvm::all_of(index::collectSymbols(expr), [&](index::Expr symbol) {
      return isKnown(symbol) || !symbol.getName().starts_with("$");
    });
  }

  /// The terms of an expression that are known, and its constant.
  static index::Expr partGiven(index::Expr expr, llvm::function_ref<bool(index::Expr)> isKnown) {
    index::Expr given = expr - expr;
    for (index::Term term : expr.getTerms())
      if (isGiven(term.monomial, isKnown))
        given = given + term.monomial * term.coefficient;
    return given + expr.getConstantTerm();
  }

  /// Whether source = coefficient * digit + known + rest with 0 <= rest < coefficient.
  bool tellsDigit(index::Expr source, index::Expr digit, const Access &inDigits,
                  llvm::function_ref<bool(index::Expr)> isKnown, size_t position) {
    std::optional<index::LinearIn> linear = index::asLinearIn(source, digit);
    if (!linear || linear->coefficient.isConstant(0))
      return false;
    index::Expr given = partGiven(linear->rest, isKnown);
    if (!isGiven(linear->coefficient, isKnown))
      return false;
    std::optional<index::Expr> above = multiplesAbove(
        digit, {linear->coefficient, linear->rest - given}, inDigits, Effort::Simplified);
    if (!above)
      return false;
    key.push_back(digit.str() + " " + std::to_string(position) + " " + linear->coefficient.str() +
                  " " + given.str() + (*above ? " below " + above->str() : ""));
    return true;
  }

  /// What a number must be taken modulo to tell the symbol of coefficient * symbol + rest: null for
  /// nothing, where 0 <= rest < coefficient; a size s, where all else in the rest is a multiple of
  /// it and coefficient * symbol + rest is below s without it. Nullopt where the symbol is not
  /// told.
  static std::optional<index::Expr> multiplesAbove(index::Expr symbol, index::LinearIn linear,
                                                   const Access &access, Effort effort) {
    auto isBelow = [&](index::Expr expr, index::Expr bound) {
      return access.knows(index::lt(expr, bound), effort);
    };
    index::Expr coefficient = linear.coefficient, rest = linear.rest;
    if (!access.knows(index::ge(coefficient, 1), effort))
      return std::nullopt;
    if (access.knows(index::ge(rest, 0), effort) && isBelow(rest, coefficient))
      return index::Expr();
    llvm::SmallVector<index::Expr> sizes;
    for (index::Term term : rest.getTerms())
      if (index::Expr size = sizeIn(term); !size.isConstant(1) && !llvm::is_contained(sizes, size))
        sizes.push_back(size);
    for (index::Expr size : sizes) {
      index::Expr below = rest;
      for (index::Term term : rest.getTerms()) {
        index::Expr part = term.monomial * term.coefficient;
        if (index::floordiv(part, size) * size == part)
          below = below - part;
      }
      if (access.knows(index::ge(below, 0), effort) && isBelow(below, coefficient) &&
          access.knows(index::ge(symbol, 0), effort) && isBelow(coefficient * symbol + below, size))
        return size;
    }
    return std::nullopt;
  }

  /// The factors of a term that are sizes, with its coefficient; 1 for a term below 0.
  static index::Expr sizeIn(index::Term term) {
    index::Expr size = term.monomial.getContext().constant(term.coefficient);
    for (index::Factor factor : index::factorsOf(term.monomial))
      if (isGiven(factor.atom, [](index::Expr) { return false; }))
        for (unsigned i = 0; i < factor.power; ++i)
          size = size * factor.atom;
    return term.coefficient > 0 ? size : term.monomial.getContext().constant(1);
  }

  /// Indices together as one row-major number: (i // N, i % N) says i. All of them first, then each
  /// two or more, as a program's row may lie along axes that are not neighbours in memory.
  void addRowMajorNumbers(const Reading &reading) {
    // There are as many choices as subsets; more axes are tried all together or one by one.
    constexpr size_t maxChosenAxes = 6;
    size_t rank = reading.axes.size();
    uint64_t all = (uint64_t(1) << rank) - 1;
    for (uint64_t chosen = all + 1; chosen-- > 0;) {
      bool isTried = chosen == all || (rank <= maxChosenAxes && llvm::popcount(chosen) > 1);
      if (!isTried)
        continue;
      index::Expr number = access.facts.getContext().constant(0);
      for (auto [position, axis] : llvm::enumerate(reading.axes))
        if (chosen >> position & 1)
          number = number * axis.size + reading.indices[position];
      sources.push_back(withNestedQuotients(number));
    }
  }

  /// Writes x // (c * b) as (x // c) // b beside (x // c) % b, so that the two combine to x // c.
  index::Expr withNestedQuotients(index::Expr expr) const {
    // One round for each axis that an index was taken apart into.
    for (unsigned round = 0; round < 6; ++round) {
      llvm::SmallVector<index::Expr> quotients, remainders;
      for (index::Term term : expr.getTerms())
        collectDivisions(term.monomial, quotients, remainders);
      llvm::DenseMap<index::Expr, index::Expr> nested;
      for (index::Expr quotient : quotients)
        for (index::Expr remainder : remainders)
          if (index::Expr outer = quotientOver(quotient, remainder))
            nested[quotient] = outer;
      index::Expr next = nested.empty() ? expr : index::substitute(expr, nested);
      if (next == expr)
        break;
      expr = next;
    }
    return expr;
  }

  static void collectDivisions(index::Expr monomial, llvm::SmallVectorImpl<index::Expr> &quotients,
                               llvm::SmallVectorImpl<index::Expr> &remainders) {
    if (monomial.getKind() == index::ExprKind::Product)
      for (index::Factor factor : monomial.getFactors())
        collectDivisions(factor.atom, quotients, remainders);
    if (monomial.getKind() == index::ExprKind::FloorDiv)
      quotients.push_back(monomial);
    if (monomial.getKind() == index::ExprKind::Mod)
      remainders.push_back(monomial);
  }

  /// The quotient x // (c * b) as y // b for the remainder y % b of y = x // c; else null.
  index::Expr quotientOver(index::Expr quotient, index::Expr remainder) const {
    index::Expr x = quotient.getOperands()[0], d = quotient.getOperands()[1];
    index::Expr y = remainder.getOperands()[0], b = remainder.getOperands()[1];
    if (!access.facts.isTrue(index::ge(b, 1)))
      return {};
    index::Expr c = index::floordiv(d, b);
    bool isNested = c * b == d && !c.isConstant(1) && index::floordiv(x, c) == y &&
                    access.facts.isTrue(index::ge(c, 1));
    return isNested ? index::floordiv(y, b) : index::Expr();
  }

  /// An id is told by an index, or by those that tell its quotient and its remainder: a quotient
  /// may be told by two in its turn, as that of a tile's number within an element of the batch is.
  bool recover(index::Expr id, unsigned depth = 3) {
    if (tells(id))
      return true;
    if (depth == 0)
      return false;
    llvm::SmallVector<index::Expr> quotients, remainders;
    for (index::Expr source : sources)
      for (index::Term term : source.getTerms())
        collectDivisions(term.monomial, quotients, remainders);
    llvm::SmallSetVector<index::Expr, 4> divisors;
    for (llvm::ArrayRef<index::Expr> divisions : {quotients, remainders})
      for (index::Expr division : divisions)
        if (division.getOperands()[0] == id)
          divisors.insert(division.getOperands()[1]);
    size_t before = key.size();
    for (index::Expr divisor : divisors) {
      bool isSize = isGiven(divisor, [](index::Expr) { return false; });
      if (isSize && access.facts.isTrue(index::ge(divisor, 1)) && tells(index::mod(id, divisor)) &&
          recover(index::floordiv(id, divisor), depth - 1)) {
        key.push_back("by " + divisor.str());
        return true;
      }
      key.resize(before);
    }
    return false;
  }

  /// Whether an index tells an id, or what else it holds as if it were a symbol; a quotient of a
  /// quotient may stand in it as one.
  bool tells(index::Expr id) {
    if (tellsAsIs(id))
      return true;
    if (id.getKind() != index::ExprKind::FloorDiv)
      return false;
    index::Expr inner = id.getOperands()[0], outer = id.getOperands()[1];
    if (inner.getKind() != index::ExprKind::FloorDiv || !access.facts.isTrue(index::ge(outer, 1)) ||
        !access.facts.isTrue(index::ge(inner.getOperands()[1], 1)))
      return false;
    return tellsAsIs(index::floordiv(inner.getOperands()[0], inner.getOperands()[1] * outer));
  }

  bool tellsAsIs(index::Expr id) {
    for (auto [position, source] : llvm::enumerate(sources)) {
      std::optional<index::LinearIn> linear = index::asLinearIn(source, id);
      if (!linear || linear->coefficient.isConstant(0))
        continue;
      size_t before = key.size();
      // Terms of ids that are known already are taken off.
      index::Expr rest = linear->rest;
      for (index::Expr other : known)
        if (auto part = index::asLinearIn(rest, other))
          if (part->coefficient.isConstant())
            rest = part->rest;
      index::Expr coefficient = linear->coefficient;
      auto isKnown = [](index::Expr) { return false; };
      bool free = isGiven(coefficient, isKnown);
      // An index may fall as the id grows: `last - id` says it as well.
      if (free && access.knows(index::le(coefficient, -1), effort)) {
        index::Expr given = partGiven(rest, isKnown);
        coefficient = coefficient * -1;
        rest = rest - given;
        key.push_back("down from " + given.str());
      }
      std::optional<index::Expr> above =
          free ? multiplesAbove(id, {coefficient, rest}, access, effort) : std::nullopt;
      if (!above) {
        key.resize(before);
        continue;
      }
      key.push_back(std::to_string(position) + " " + coefficient.str() + " " +
                    (linear->rest - rest).str() + (*above ? " below " + above->str() : ""));
      return true;
    }
    return false;
  }

  const Access &access;
  Effort effort;
  llvm::SmallVector<index::Expr> sources, known, wanted;
  llvm::SmallVector<std::string> key;
};
} // namespace

static std::string keyOf(const Reading &reading, llvm::ArrayRef<std::string> parts) {
  std::string key;
  for (const Axis &axis : reading.axes)
    key += axis.size.str() + ":" + axis.stride.str() + ";";
  for (const std::string &part : parts)
    key += part + ";";
  return key;
}

/// The part of an index that is the same for all lanes and programs.
static index::Expr startOf(index::Expr index) {
  index::Expr start = index.getContext().constant(index.getConstantTerm());
  for (index::Term term : index.getTerms()) {
    bool isFixed = llvm::none_of(index::collectSymbols(term.monomial), [](index::Expr symbol) {
      return symbol.getName().starts_with("$");
    });
    if (isFixed)
      start = start + term.monomial * term.coefficient;
  }
  return start;
}

static bool isBefore(const Access &a, index::Expr first, const Access &b, index::Expr second) {
  index::Expr border = startOf(second);
  return a.knows(index::lt(first, border), Effort::Simplified) &&
         b.knows(index::ge(second, border), Effort::Simplified);
}

/// Whether two indices take turns along an axis: they leave other remainders by some number.
static bool takeTurns(const Access &a, index::Expr first, const Access &b, index::Expr second) {
  int64_t apart = second.getConstantTerm() - first.getConstantTerm();
  int64_t step = std::gcd(a.facts.knownMultiple(first - first.getConstantTerm()),
                          b.facts.knownMultiple(second - second.getConstantTerm()));
  return step == 0 ? apart != 0 : apart % step != 0;
}

static bool haveSameAxes(const Reading &a, const Reading &b) {
  return a.axes.size() == b.axes.size() &&
         llvm::all_of(llvm::zip_equal(a.axes, b.axes), [](auto pair) {
           auto &[x, y] = pair;
           return x.size == y.size && x.stride == y.stride;
         });
}

bool lieApart(const Access &a, const Access &b) {
  std::string missing;
  return anyReading(a, [&](const Reading &first) {
    if (!isInside(first, a, Effort::Simplified, missing) || !isInjective(first, a))
      return false;
    return anyReading(b, [&](const Reading &second) {
      if (!haveSameAxes(first, second) || !isInside(second, b, Effort::Simplified, missing))
        return false;
      return llvm::any_of(llvm::zip_equal(first.indices, second.indices), [&](auto pair) {
        auto [i, j] = pair;
        return takeTurns(a, i, b, j) || isBefore(a, i, b, j) || isBefore(b, j, a, i);
      });
    });
  });
}

/// How the address tells the program under one reading; else `reason` says why not.
static std::optional<std::string> keyUnder(const Reading &reading, const Access &access,
                                           const LaneValues &lanes, const LaunchContract &contract,
                                           Effort effort, std::string &reason) {
  std::string missing;
  // Along one axis an index outside is no other index's address either.
  bool isOneAxis =
      reading.axes.size() == 1 && access.facts.isTrue(index::ge(reading.axes[0].stride, 1));
  if (!isOneAxis && !isInside(reading, access, effort, missing))
    return std::nullopt;
  if (!isInjective(reading, access)) {
    reason = "the tensor's own elements are not known to lie apart";
    return std::nullopt;
  }
  Recovery recovery(reading, access, lanes, contract, effort);
  if (!recovery.run()) {
    reason = "the address is not known to tell " + show(recovery.getMissing());
    return std::nullopt;
  }
  return keyOf(reading, recovery.getKey());
}

bool tellsProgram(const Access &access, const LaneValues &lanes, const LaunchContract &contract,
                  Effort effort, std::string &key, std::string &reason) {
  return anyReading(access, [&](const Reading &reading) {
    auto found = keyUnder(reading, access, lanes, contract, effort, reason);
    if (found)
      key = *found;
    return found.has_value();
  });
}

llvm::StringSet<> allKeys(const Access &access, const LaneValues &lanes,
                          const LaunchContract &contract) {
  llvm::StringSet<> keys;
  std::string reason;
  (void)anyReading(access, [&](const Reading &reading) {
    if (auto key = keyUnder(reading, access, lanes, contract, Effort::Simplified, reason))
      keys.insert(*key);
    return false;
  });
  return keys;
}

} // namespace nereid::analysis
