// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index arithmetic of a kernel: expressions as scalars and tiles of integers, and addresses.
#include "schedule/kernel/KernelScope.h"

#include "schedule/kernel/Pointwise.h"
#include "schedule/program/SizeNames.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace nereid::schedule {

/// The innermost open scope on whose symbols an expression depends.
KernelBuilder::Scope &KernelBuilder::scopeOf(llvm::ArrayRef<Expr> exprs, Pred guard) {
  llvm::DenseSet<Expr> symbols;
  auto add = [&](Expr symbol) { symbols.insert(symbol); };
  for (Expr expr : exprs)
    names.forEachSymbol(expr, add);
  if (guard)
    names.forEachSymbol(guard, add);
  for (Scope *scope = current; scope->parent; scope = scope->parent)
    for (auto &[symbol, value] : scope->symbols)
      if (symbols.contains(symbol))
        return *scope;
  return root;
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
  std::string name = nameOfSize(program.sizeForms.outward(size));
  Type type = builder.getI32Type();
  mlir::Value argument = root.block->addArgument(type, nameLoc(uniqueName(name), loc));
  parameters.push_back({nullptr, size});
  return root.numbers[key] = {argument, {}, {}};
}

/// A floor division or modulo. The machine's division truncates: the same for dividends of at least
/// 0.
TileValue KernelBuilder::divide(Expr expr, Location loc) {
  bool isMod = expr.getKind() == index::ExprKind::Mod;
  Expr dividend = expr.getOperands()[0], divisor = expr.getOperands()[1];
  TileValue a = number(dividend, false, loc);
  TileValue b = number(divisor, false, loc);
  Wrap wrap = isMod ? wrapOf(dividend, divisor) : Wrap::None;
  if (wrap != Wrap::None) {
    bool isBelow = wrap == Wrap::Below;
    TileValue moved = isBelow ? math.combineIntegers<arith::AddIOp>(a, b, loc)
                              : math.combineIntegers<arith::SubIOp>(a, b, loc);
    TileValue leaves =
        isBelow ? math.compare(arith::CmpIPredicate::slt, a, math.integer(0, 32, loc), loc)
                : math.compare(arith::CmpIPredicate::sge, a, b, loc);
    math.widenToCommon(moved, a, loc);
    return math.select(leaves, moved, a, nameLoc("wrapped", loc));
  }
  if (isNeverNegative(dividend, assumed))
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

/// a and b combined, in 64 bits where the result may not fit into 32.
template <typename OpTy>
TileValue KernelBuilder::combineTerms(TileValue a, TileValue b, Expr result, Location loc) {
  auto isWide = [](TileValue value) {
    return tile::getElementType(value.value.getType()).getIntOrFloatBitWidth() > 32;
  };
  if (widens && !isWide(a) && !isWide(b) && !isNarrow(result) && !(demands && demandNarrow(result)))
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

static bool isNegative(Expr sum) {
  return sum.getConstantTerm() <= 0 &&
         llvm::all_of(sum.getTerms(), [](const index::Term &term) { return term.coefficient < 0; });
}

/// The terms of a sum by the axes along which they vary, rows first: those of one axis are added up
/// before they are spread over the others. The constant is a part of its own.
std::vector<Expr> KernelBuilder::partsByAxes(Expr expr, bool wide, Location loc) {
  std::map<llvm::SmallVector<unsigned, 2>, Expr> parts;
  for (const index::Term &term : expr.getTerms()) {
    auto [part, isNew] = parts.try_emplace(number(term.monomial, wide, loc).axes);
    Expr value = term.monomial * term.coefficient;
    part->second = isNew ? value : part->second + value;
  }
  std::vector<Expr> sums;
  for (auto &[axes, part] : parts)
    sums.push_back(part);
  if (int64_t constant = expr.getConstantTerm())
    sums.push_back(context.constant(constant));
  // What is subtracted comes last.
  std::stable_partition(sums.begin(), sums.end(), [](Expr part) { return !isNegative(part); });
  return sums;
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
  if (std::vector<Expr> parts = partsByAxes(expr, wide, loc); parts.size() > 1) {
    for (Expr part : parts)
      add(number(isNegative(part) ? 0 - part : part, wide, loc), part, isNegative(part));
    return result;
  }
  for (auto &[own, members] : groups) {
    bool isNegative = members.front().coefficient < 0;
    if (members.size() > 1 && !isUniform(own)) {
      TileValue lanes = number(own, wide, loc);
      Expr sizes = context.constant(0);
      for (const index::Term &term : members)
        sizes = sizes + splitSizes(term.monomial).second * term.coefficient;
      // Of a number for all lanes two products are as short.
      if (!lanes.axes.empty() || members.size() > 2) {
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
  return result;
}

/// An index of the kernel, a number that is loaded, or a size.
TileValue KernelBuilder::symbolNumber(Expr symbol, Location loc) {
  for (Scope *scope = current; scope; scope = scope->parent) {
    auto bound = scope->symbols.find(symbol);
    if (bound != scope->symbols.end())
      return bound->second;
  }
  const LoadedNames::Loaded *loaded = names.find(symbol);
  if (!loaded)
    return parameter(symbol, loc);
  auto [value, at, guard] = *loaded;
  TileValue index = request(*value, at, guard);
  index.value = castElements(builder, index.value, value->elementType, builder.getI64Type(), loc);
  return index;
}

TileValue KernelBuilder::extremeNumber(Expr expr, bool wide, Location loc) {
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

TileValue KernelBuilder::product(Expr expr, bool wide, Location loc) {
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

/// Whether a sum is made of a few numbers that the launch passes anyway: in 64 bits it is made of
/// these, and takes no argument of its own.
bool KernelBuilder::isMadeOfPassed(Expr sum) const {
  constexpr size_t mostTerms = 2;
  llvm::SmallVector<index::Term, 4> terms = sum.getTerms();
  return terms.size() <= mostTerms && llvm::all_of(terms, [&](const index::Term &term) {
           return root.numbers.contains({term.monomial, Width::Own, nullptr});
         });
}

TileValue KernelBuilder::computeNumber(Expr expr, bool wide, Location loc) {
  switch (expr.getKind()) {
  case index::ExprKind::Constant: {
    int64_t value = *expr.getConstant();
    return math.integer(value, wide || value != int32_t(value) ? 64 : 32, loc);
  }
  case index::ExprKind::Symbol:
    return symbolNumber(expr, loc);
  case index::ExprKind::FloorDiv:
  case index::ExprKind::Mod:
    return isUniform(expr) ? parameter(expr, loc) : divide(expr, loc);
  case index::ExprKind::Min:
  case index::ExprKind::Max:
    return extremeNumber(expr, wide, loc);
  case index::ExprKind::NextPow2:
    return parameter(expr, loc);
  case index::ExprKind::Product:
    // The wrapper multiplies sizes, in Python's integers.
    return isUniform(expr) ? parameter(expr, loc) : product(expr, wide, loc);
  case index::ExprKind::Sum:
    return isUniform(expr) && !(wide && isMadeOfPassed(expr)) ? parameter(expr, loc)
                                                              : sum(expr, wide, loc);
  }
  llvm_unreachable("every kind is handled");
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
    result.scalar = number(scalar, !isTurnOfFew(scalar), loc);
  if (!lanes.isConstant(0))
    result.lanes = number(lanes, multiplied, loc);
  return result;
}

/// Whether a launch asks already, of the elements that the lanes are for, that as many as a tensor
/// has are fewer than 2^31: it is row-major, and its axes are among those.
bool KernelBuilder::isShort(const Value &value) const {
  if (kernel.hasRows || form.columns.empty())
    return false;
  Expr stride = context.constant(1);
  for (auto [size, own] :
       llvm::reverse(llvm::zip_equal(value.shape, strides.find(&value)->second))) {
    if (own != stride)
      return false;
    stride = stride * size;
  }
  Expr lanes = index::product(context, form.columns.front().extents);
  bool isAsked =
      llvm::any_of(checks, [&](auto &check) { return check.first == index::le(lanes, longest32); });
  return isAsked && index::exactRatio(lanes, stride);
}

/// The pointer moved by the offset of an element: what is one number for the program first, then
/// the tile.
TileValue KernelBuilder::address(const Value &value, llvm::ArrayRef<Expr> at, Location loc) {
  mlir::Value pointer = pointers.at(&value);
  Expr offset = offsetOf(value, at);
  TileValue result{pointer, {}, {}};
  if (isShort(value)) {
    llvm::SaveAndRestore<bool> narrow(demands, false);
    TileValue all = number(turnDivisions(usePositions(form.merges.apply(offset))), false, loc);
    mlir::Value base = math.lift(result, all.axes, loc);
    return {tile::AddPtrOp::create(builder, loc, base.getType(), base, all.value), all.axes, {}};
  }
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

Expr KernelBuilder::offsetOf(const Value &value, llvm::ArrayRef<Expr> at) {
  return facts.simplify(nereid::schedule::offsetOf(value, at, strides, context));
}

} // namespace nereid::schedule
