// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index arithmetic of a kernel: expressions as scalars and tiles of integers, conditions,
// addresses.
#include "schedule/KernelScope.h"

#include "schedule/Pointwise.h"

#include "index/MixedRadix.h"

using namespace mlir;

namespace nereid::schedule {

/// The innermost open scope on whose symbols an expression depends.
KernelBuilder::Scope &KernelBuilder::scopeOf(llvm::ArrayRef<Expr> exprs, Pred guard) {
  llvm::DenseSet<Expr> symbols;
  std::function<void(Expr)> add = [&](Expr symbol) {
    if (!symbols.insert(symbol).second)
      return;
    auto loaded = loadedSymbols.find(symbol);
    if (loaded == loadedSymbols.end())
      return;
    llvm::SmallVector<Expr, 4> at = loaded->second.at;
    Pred loadedGuard = loaded->second.guard;
    for (Expr coordinate : at)
      index::forEachSymbol(coordinate, add);
    index::forEachSymbol(loadedGuard, add);
  };
  for (Expr expr : exprs)
    index::forEachSymbol(expr, add);
  if (guard)
    index::forEachSymbol(guard, add);
  for (Scope *scope = current; scope->parent; scope = scope->parent)
    for (auto &[symbol, value] : scope->symbols)
      if (symbols.contains(symbol))
        return *scope;
  return root;
}

/// `N`, `B_T` for a product, `n_elements` for anything else.
static std::string parameterName(Expr size) {
  if (size.isSymbol())
    return size.getName().str();
  std::string name;
  // ceildiv and the like: how many there are.
  if (size.getKind() == index::ExprKind::FloorDiv) {
    name = "n";
    index::forEachSymbol(size, [&](Expr symbol) { name += "_" + symbol.getName().str(); });
    return name;
  }
  if (size.getKind() == index::ExprKind::Sum) {
    name = "size";
    index::forEachSymbol(size, [&](Expr symbol) { name += "_" + symbol.getName().str(); });
    return name;
  }
  if (size.getKind() != index::ExprKind::Product)
    return "n_elements";
  for (const index::Factor &factor : size.getFactors()) {
    if (!factor.atom.isSymbol())
      return "n_elements";
    for (unsigned i = 0; i < factor.power; ++i)
      name += (name.empty() ? "" : "_") + factor.atom.getName().str();
  }
  return name;
}

/// An expression over sizes and strides only: the same for every program of the launch.
bool KernelBuilder::isUniform(Expr expr) {
  bool uniform = true;
  index::forEachSymbol(expr, [&](Expr symbol) {
    llvm::StringRef name = symbol.getName();
    uniform &= !name.starts_with("@") && !name.starts_with("$");
  });
  return uniform;
}

/// A number that the launch passes. Like every integer argument of Triton it is 32 bits wide unless
/// its value is wider.
TileValue KernelBuilder::parameter(Expr size, Location loc) {
  std::tuple<Expr, Width, const void *> key{size, Width::Own, nullptr};
  auto found = root.numbers.find(key);
  if (found != root.numbers.end())
    return found->second;
  std::string name = parameterName(program.divided.outward(size));
  Type type = builder.getI32Type();
  mlir::Value argument = root.block->addArgument(type, nameLoc(uniqueName(name), loc));
  parameters.push_back({nullptr, size});
  return root.numbers[key] = {argument, {}, {}};
}

bool KernelBuilder::isNeverNegative(Expr expr, Pred under) {
  if (!under || under.isTrue())
    return facts.isTrue(index::ge(expr, 0));
  index::Facts more = facts;
  more.assume(under);
  return more.isTrue(index::ge(expr, 0));
}

/// Whether a division in an expression is plain only where a condition holds.
bool KernelBuilder::needsGuard(Expr expr) {
  auto [known, isNew] = guardNeeds.try_emplace(expr, false);
  if (!isNew)
    return known->second;
  bool needs = false;
  // `substitute` visits the outermost atoms; their operands are asked in turn.
  (void)index::substitute(expr, [&](Expr atom) {
    bool isDivision =
        atom.getKind() == index::ExprKind::FloorDiv || atom.getKind() == index::ExprKind::Mod;
    if (isDivision && !isUniform(atom))
      needs |= !isNeverNegative(atom.getOperands()[0], Pred());
    if (!atom.isSymbol() && !atom.isConstant())
      for (Expr operand : atom.getOperands())
        needs |= needsGuard(operand);
    return atom;
  });
  return guardNeeds[expr] = needs;
}

/// Whether no dividend in the terms of a sum may be below 0.
static bool hasPlainDivisions(Expr expr, llvm::function_ref<bool(Expr)> isNeverNegative) {
  auto isPlain = [&](Expr atom) {
    bool isDivision =
        atom.getKind() == index::ExprKind::FloorDiv || atom.getKind() == index::ExprKind::Mod;
    return !isDivision || isNeverNegative(atom.getOperands()[0]);
  };
  return llvm::all_of(expr.getTerms(), [&](const index::Term &term) {
    if (term.monomial.getKind() != index::ExprKind::Product)
      return isPlain(term.monomial);
    return llvm::all_of(term.monomial.getFactors(),
                        [&](const index::Factor &factor) { return isPlain(factor.atom); });
  });
}

/// Divisions of what may be below 0 by those of what is not: `(-1 - i) // n` is `-1 - i // n`.
Expr KernelBuilder::turnDivisions(Expr expr) {
  return index::substitute(expr, [&](Expr atom) -> Expr {
    bool isMod = atom.getKind() == index::ExprKind::Mod;
    if (!isMod && atom.getKind() != index::ExprKind::FloorDiv)
      return Expr();
    Expr dividend = turnDivisions(atom.getOperands()[0]);
    Expr divisor = turnDivisions(atom.getOperands()[1]);
    bool isPositive = facts.isTrue(index::ge(divisor, 1)) || !divisor.isConstant();
    if (isPositive && !isUniform(dividend) && !isNeverNegative(dividend, Pred()))
      for (int64_t turns : {0, 1}) {
        // dividend = turns * divisor - 1 - rest
        Expr rest = divisor * turns - 1 - dividend;
        if (!isNeverNegative(rest, Pred()))
          continue;
        // The canonical form takes multiples of the divisor off again: `(N - i) % N` is `-i % N`,
        // whose turn leads back to here.
        Expr quotient = isMod ? index::mod(rest, divisor) : index::floordiv(rest, divisor);
        if (hasPlainDivisions(quotient,
                              [&](Expr dividend) { return isNeverNegative(dividend, Pred()); }))
          return isMod ? divisor - 1 - quotient : turns - 1 - quotient;
      }
    return isMod ? index::mod(dividend, divisor) : index::floordiv(dividend, divisor);
  });
}

/// A floor division or modulo. The machine's division truncates: the same for dividends of at least
/// 0.
TileValue KernelBuilder::divide(Expr expr, Location loc) {
  bool isMod = expr.getKind() == index::ExprKind::Mod;
  TileValue a = number(expr.getOperands()[0], false, loc);
  TileValue b = number(expr.getOperands()[1], false, loc);
  if (isNeverNegative(expr.getOperands()[0], assumed))
    return isMod ? math.combineIntegers<arith::RemSIOp>(a, b, loc)
                 : math.combineIntegers<arith::DivSIOp>(a, b, loc);
  TileValue rest = math.combineIntegers<arith::RemSIOp>(a, b, loc);
  TileValue isBelow = math.compare(arith::CmpIPredicate::slt, rest, math.integer(0, 32, loc), loc);
  TileValue moved = math.combineIntegers<arith::AddIOp>(rest, b, loc);
  math.widenToCommon(moved, rest, loc);
  rest = math.select(isBelow, moved, rest, loc);
  if (isMod)
    return rest;
  return math.combineIntegers<arith::DivSIOp>(math.combineIntegers<arith::SubIOp>(a, rest, loc), b,
                                              loc);
}

TileValue KernelBuilder::number(Expr expr, bool wide, Location loc) {
  expr = turnDivisions(expr);
  Scope &scope = scopeOf({expr}, Pred());
  Width width = wide ? Width::Wide : widens ? Width::Own : Width::Narrow;
  std::tuple<Expr, Width, const void *> key{
      expr, width, assumed && needsGuard(expr) ? assumed.getAsOpaquePointer() : nullptr};
  auto found = scope.numbers.find(key);
  if (found != scope.numbers.end())
    return found->second;
  InScope in(*this, scope);
  TileValue result = computeNumber(expr, wide, loc);
  if (wide)
    result = math.widen(result, 64, loc);
  scope.numbers[key] = result;
  return result;
}

/// As wide as it has to be.
TileValue KernelBuilder::literal(int64_t value, Location loc) {
  return math.integer(value, value == int32_t(value) ? 32 : 64, loc);
}

/// What is known of the numbers that a program computes with: its positions, after merging.
const index::Facts &KernelBuilder::knownBounds() {
  // Positions are bound, and checks made, while the kernel grows.
  size_t known = positions.size() + checks.size();
  if (bounds && boundsKnown == known)
    return *bounds;
  boundsKnown = known;
  bounds.emplace(context);
  narrowness.clear();
  // The greatest number of elements that positions of 32 bits count, whatever the block.
  constexpr int64_t longest = (int64_t(1) << 31) - 65536;
  auto mostOf = [&](Expr count) {
    bool isShort =
        llvm::any_of(checks, [&](auto &check) { return check.first == index::le(count, longest); });
    return isShort ? std::optional(longest) : std::nullopt;
  };
  auto add = [&](const Space &space, Expr position, std::optional<int64_t> most) {
    // A program runs only where no axis is empty, so a bound on all elements bounds each axis.
    Expr count = index::product(context, space.extents);
    most = most ? most : mostOf(count);
    for (auto [symbol, extent] : llvm::zip_equal(space.symbols, space.extents)) {
      std::optional<int64_t> own = most ? most : mostOf(extent);
      bounds->setRange(symbol, own ? index::Range::of(0, *own - 1) : index::Range::atLeast(0));
      bounds->assume(index::lt(symbol, extent));
      bounds->assume(index::ge(extent, 1));
      if (own)
        bounds->assume(index::le(extent, *own));
      if (extent.getKind() == index::ExprKind::Product)
        for (const index::Factor &factor : extent.getFactors())
          if (factor.atom.isSymbol())
            bounds->setRange(factor.atom, index::Range::atLeast(1));
    }
    if (position) {
      bounds->setRange(position, most ? index::Range::of(0, *most - 1) : index::Range::atLeast(0));
      bounds->assume(index::lt(position, count));
    }
  };
  add(form.rows, Expr(), std::nullopt);
  // Triton's tiles hold no more elements.
  std::optional<int64_t> mostColumns;
  if (form.resident)
    mostColumns = int64_t(1) << 20;
  for (const Space &space : form.columns)
    add(space, Expr(), mostColumns);
  auto isColumns = [&](const Space &space) {
    return llvm::any_of(form.columns,
                        [&](const Space &own) { return own.symbols == space.symbols; });
  };
  for (auto &[position, space] : positions)
    add(space, position, isColumns(space) ? mostColumns : std::nullopt);
  for (auto &[check, message] : checks)
    bounds->assume(check);
  for (auto &[check, message] : program.checks)
    bounds->assume(check);
  return *bounds;
}

/// Whether a number fits into 32 bits wherever it is used.
bool KernelBuilder::isNarrow(Expr expr) {
  const index::Facts &known = knownBounds();
  auto [found, isNew] = narrowness.try_emplace(expr, false);
  if (isNew)
    found->second = provesNarrow(expr, known);
  return found->second;
}

bool KernelBuilder::provesNarrow(Expr expr, index::Facts known) {
  index::Range narrow = index::Range::of(INT32_MIN, INT32_MAX);
  // What the launch passes is as wide as it has to be: here only narrow numbers are of interest.
  for (const index::Term &term : expr.getTerms())
    if (isUniform(term.monomial))
      known.setRange(term.monomial, narrow);
    else if (term.monomial.getKind() == index::ExprKind::Product)
      for (const index::Factor &factor : term.monomial.getFactors())
        if (isUniform(factor.atom))
          known.setRange(factor.atom, narrow);
  Pred fits[] = {index::ge(expr, *narrow.lo), index::le(expr, *narrow.hi)};
  if (llvm::all_of(fits, [&](Pred pred) { return known.isTrue(pred); }))
    return true;
  index::MixedRadix digits(known, expr, [](Expr symbol) {
    return symbol.getName().starts_with("@") || symbol.getName().starts_with("$");
  });
  return digits.hasDigits() &&
         llvm::all_of(fits, [&](Pred pred) { return digits.isTrue(digits.rewrite(pred)); });
}

/// a and b combined, in 64 bits where the result may not fit into 32.
template <typename OpTy>
TileValue KernelBuilder::combineTerms(TileValue a, TileValue b, Expr result, Location loc) {
  auto isWide = [](TileValue value) {
    return tile::getElementType(value.value.getType()).getIntOrFloatBitWidth() > 32;
  };
  if (widens && !isWide(a) && !isWide(b) && !isNarrow(result))
    a = math.widen(a, 64, loc);
  return math.combineIntegers<OpTy>(a, b, loc);
}

/// A monomial as a product of what varies within the launch and of what does not.
std::pair<Expr, Expr> KernelBuilder::splitSizes(Expr monomial) {
  index::Context &context = monomial.getContext();
  Expr own = context.constant(1), sizes = context.constant(1);
  if (monomial.getKind() != index::ExprKind::Product)
    return isUniform(monomial) ? std::pair(own, monomial) : std::pair(monomial, sizes);
  for (const index::Factor &factor : monomial.getFactors())
    for (unsigned i = 0; i < factor.power; ++i)
      (isUniform(factor.atom) ? sizes : own) = (isUniform(factor.atom) ? sizes : own) * factor.atom;
  return {own, sizes};
}

/// Terms that have what varies in common are one product of it: `i * (H * W + 6 * W)`, whose second
/// factor the launch passes. Positive terms come first, so that nothing is negated.
TileValue KernelBuilder::sum(Expr expr, bool wide, Location loc) {
  auto terms = expr.getTerms();
  std::stable_sort(terms.begin(), terms.end(), [](const index::Term &a, const index::Term &b) {
    return (a.coefficient > 0) > (b.coefficient > 0);
  });
  llvm::MapVector<Expr, llvm::SmallVector<index::Term, 2>> groups;
  for (const index::Term &term : terms)
    groups[splitSizes(term.monomial).first].push_back(term);
  TileValue result;
  Expr partial = context.constant(0);
  auto add = [&](TileValue part, Expr value, bool isNegative) {
    partial = partial + value;
    if (!result.value && isNegative)
      result = math.integer(0, 32, loc);
    if (!result.value)
      result = part;
    else if (isNegative)
      result = combineTerms<arith::SubIOp>(result, part, partial, loc);
    else
      result = combineTerms<arith::AddIOp>(result, part, partial, loc);
  };
  for (auto &[own, members] : groups) {
    bool isNegative = members.front().coefficient < 0;
    if (members.size() > 1 && !isUniform(own)) {
      TileValue lanes = number(own, wide, loc);
      Expr sizes = context.constant(0);
      for (const index::Term &term : members)
        sizes = sizes + splitSizes(term.monomial).second * term.coefficient;
      if (!lanes.axes.empty()) {
        TileValue factor = parameter(isNegative ? 0 - sizes : sizes, loc);
        Expr value = own * sizes;
        add(combineTerms<arith::MulIOp>(lanes, factor, value, loc), value, isNegative);
        continue;
      }
    }
    for (const index::Term &term : members) {
      TileValue part = number(term.monomial, wide, loc);
      if (int64_t magnitude = std::abs(term.coefficient); magnitude != 1)
        part = combineTerms<arith::MulIOp>(part, literal(magnitude, loc), term.monomial * magnitude,
                                           loc);
      add(part, term.monomial * term.coefficient, term.coefficient < 0);
    }
  }
  if (int64_t constant = expr.getConstantTerm())
    add(literal(std::abs(constant), loc), context.constant(constant), constant < 0);
  return result;
}

TileValue KernelBuilder::computeNumber(Expr expr, bool wide, Location loc) {
  switch (expr.getKind()) {
  case index::ExprKind::Constant: {
    int64_t value = *expr.getConstant();
    return math.integer(value, wide || value != int32_t(value) ? 64 : 32, loc);
  }
  case index::ExprKind::Symbol: {
    for (Scope *scope = current; scope; scope = scope->parent) {
      auto bound = scope->symbols.find(expr);
      if (bound != scope->symbols.end())
        return bound->second;
    }
    auto loaded = loadedSymbols.find(expr);
    if (loaded != loadedSymbols.end()) {
      auto [value, at, guard] = loaded->second;
      TileValue index = request(*value, at, guard);
      index.value =
          castElements(builder, index.value, value->elementType, builder.getI64Type(), loc);
      return index;
    }
    return parameter(expr, loc);
  }
  case index::ExprKind::FloorDiv:
  case index::ExprKind::Mod:
    if (isUniform(expr))
      return parameter(expr, loc);
    return divide(expr, loc);
  case index::ExprKind::Min:
  case index::ExprKind::Max: {
    // Sums of coordinates are made in as many bits as these have.
    wide &= !llvm::all_of(expr.getOperands(), [](Expr operand) {
      return llvm::all_of(operand.getTerms(), [](const index::Term &term) {
        return term.monomial.getKind() != index::ExprKind::Product;
      });
    });
    TileValue result = number(expr.getOperands()[0], wide, loc);
    for (Expr operand : expr.getOperands().drop_front()) {
      TileValue next = number(operand, wide, loc);
      result = expr.getKind() == index::ExprKind::Min
                   ? math.combineIntegers<arith::MinSIOp>(result, next, loc)
                   : math.combineIntegers<arith::MaxSIOp>(result, next, loc);
    }
    return result;
  }
  case index::ExprKind::NextPow2:
    return parameter(expr, loc);
  case index::ExprKind::Product: {
    // The wrapper multiplies sizes, in Python's integers.
    if (isUniform(expr))
      return parameter(expr, loc);
    if (auto [own, sizes] = splitSizes(expr); index::degree(sizes) > 1) {
      TileValue lanes = number(own, wide, loc);
      if (!lanes.axes.empty())
        return combineTerms<arith::MulIOp>(lanes, parameter(sizes, loc), expr, loc);
    }
    TileValue result;
    Expr partial = context.constant(1);
    for (const index::Factor &factor : expr.getFactors())
      for (unsigned i = 0; i < factor.power; ++i) {
        TileValue next = number(factor.atom, wide, loc);
        partial = partial * factor.atom;
        result = result.value ? combineTerms<arith::MulIOp>(result, next, partial, loc) : next;
      }
    return result;
  }
  case index::ExprKind::Sum: {
    if (isUniform(expr))
      return parameter(expr, loc);
    return sum(expr, wide, loc);
  }
  }
  llvm_unreachable("every kind is handled");
}

TileValue KernelBuilder::predicate(Pred pred, Location loc) {
  return mergedPredicate(form.merges.apply(pred), loc);
}

/// A condition over the merged axes: merging twice would read a position as an index.
TileValue KernelBuilder::mergedPredicate(Pred pred, Location loc) {
  Scope &scope = scopeOf({}, pred);
  auto found = scope.predicates.find(pred);
  if (found != scope.predicates.end())
    return found->second;
  InScope in(*this, scope);
  TileValue result = computePredicate(pred, loc);
  scope.predicates[pred] = result;
  return result;
}

/// Sizes beside a lane's position go to the other side where all is sizes, and the launch passes
/// them as one number: the sum of a position and a size may leave 32 bits, a difference of sizes
/// does not.
void KernelBuilder::gatherSizes(Expr &left, Expr &right) {
  for (auto [from, to] : {std::pair(&left, &right), std::pair(&right, &left)}) {
    if (isUniform(*from) || !isUniform(*to))
      continue;
    Expr sizes = left.getContext().constant(0);
    for (const index::Term &term : from->getTerms())
      if (isUniform(term.monomial))
        sizes = sizes + term.monomial * term.coefficient;
    *from = *from - sizes;
    *to = *to - sizes;
    return;
  }
}

TileValue KernelBuilder::computePredicate(Pred pred, Location loc) {
  using Kind = index::PredKind;
  switch (pred.getKind()) {
  case Kind::True:
  case Kind::False: {
    mlir::Value value = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(pred.isTrue()));
    return {value, {}, {}};
  }
  case Kind::And:
  case Kind::Or: {
    TileValue result = mergedPredicate(pred.getOperands()[0], loc);
    for (Pred part : pred.getOperands().drop_front())
      result = pred.getKind() == Kind::And
                   ? math.logicalAnd(result, mergedPredicate(part, loc), loc)
                   : math.logicalOr(result, mergedPredicate(part, loc), loc);
    return result;
  }
  case Kind::Divisible:
  case Kind::NotDivisible: {
    TileValue rest = number(index::mod(pred.getExpr(), pred.getDivisor()), false, loc);
    auto test =
        pred.getKind() == Kind::Divisible ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ne;
    return math.compare(test, rest, math.integer(0, 32, loc), loc);
  }
  case Kind::Zero:
  case Kind::NonZero:
  case Kind::NonNegative:
    break;
  }
  // Terms go to the side on which they are positive: `N - 1 - i >= 0` is `i < N`.
  Expr left = context.constant(0), right = context.constant(0);
  for (const index::Term &term : pred.getExpr().getTerms()) {
    if (term.coefficient > 0)
      right = right + term.monomial * term.coefficient;
    else
      left = left + term.monomial * -term.coefficient;
  }
  gatherSizes(left, right);
  int64_t constant = pred.getExpr().getConstantTerm();
  arith::CmpIPredicate test = pred.getKind() == Kind::Zero      ? arith::CmpIPredicate::eq
                              : pred.getKind() == Kind::NonZero ? arith::CmpIPredicate::ne
                                                                : arith::CmpIPredicate::sle;
  if (test == arith::CmpIPredicate::sle && constant == -1) {
    test = arith::CmpIPredicate::slt;
    constant = 0;
  }
  if (constant > 0)
    right = right + constant;
  else
    left = left - constant;
  // `a >= c` reads better than `c <= a`.
  if (left.isConstant() && test == arith::CmpIPredicate::sle)
    return math.compare(arith::CmpIPredicate::sge, number(right, false, loc),
                        number(left, false, loc), loc);
  return math.compare(test, number(left, false, loc), number(right, false, loc), loc);
}

/// Replaces the axes of a space by its linear position where they occur as that: a dense tensor is
/// addressed by the position itself, whatever the axes are that others need.
Expr KernelBuilder::usePositions(Expr offset) {
  for (auto &[position, space] : positions)
    offset = usePosition(offset, space, position);
  return offset;
}

KernelBuilder::Offset KernelBuilder::splitOffset(Expr offset, Location loc) {
  offset = turnDivisions(usePositions(form.merges.apply(offset)));
  Expr scalar = context.constant(offset.getConstantTerm()), lanes = context.constant(0);
  bool multiplied = false;
  for (const index::Term &term : offset.getTerms()) {
    Expr part = term.monomial * term.coefficient;
    TileValue value = number(term.monomial, true, loc);
    if (value.axes.empty()) {
      scalar = scalar + part;
      continue;
    }
    lanes = lanes + part;
    multiplied |= term.coefficient != 1 || term.monomial.getKind() == index::ExprKind::Product;
  }
  Offset result;
  if (!scalar.isConstant(0))
    result.scalar = number(scalar, true, loc);
  if (!lanes.isConstant(0))
    result.lanes = number(lanes, multiplied, loc);
  return result;
}

/// The pointer moved by an offset: what is one number for the program first, then the tile.
TileValue KernelBuilder::address(mlir::Value pointer, Expr offset, Location loc) {
  TileValue result{pointer, {}, {}};
  auto move = [&](TileValue by) {
    auto along = by.axes;
    mlir::Value base = math.lift(result, along, loc);
    result = {tile::AddPtrOp::create(builder, loc, base.getType(), base, by.value), along, {}};
  };
  Offset parts = splitOffset(offset, loc);
  if (parts.scalar.value)
    move(parts.scalar);
  if (parts.lanes.value)
    move(parts.lanes);
  return result;
}

std::optional<TileValue> KernelBuilder::boundsMask(llvm::ArrayRef<unsigned> axes, Location loc) {
  std::optional<TileValue> mask;
  for (unsigned axis : axes) {
    auto found = axisMasks.find(axis);
    if (found == axisMasks.end())
      continue;
    mask = mask ? math.logicalAnd(*mask, found->second, nameLoc("mask", loc)) : found->second;
  }
  return mask;
}

Expr KernelBuilder::offsetOf(const Value &value, llvm::ArrayRef<Expr> at) {
  return facts.simplify(nereid::schedule::offsetOf(value, at, strides, context));
}

} // namespace nereid::schedule
