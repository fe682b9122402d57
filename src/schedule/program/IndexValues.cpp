// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/program/IndexValues.h"

#include "graph/GraphOps.h"
#include "schedule/program/IndexMap.h"

namespace nereid::schedule {

namespace {

using Operands = llvm::ArrayRef<Expr>;

/// Whether an expression of indices and sizes is never negative, as far as its form tells.
bool isNatural(Expr expr) {
  if (expr.getConstantTerm() < 0)
    return false;
  auto isOfNaturals = [](Expr atom) {
    llvm::ArrayRef<Expr> operands = atom.getOperands();
    switch (atom.getKind()) {
    case index::ExprKind::Symbol:
      return !atom.getName().starts_with(lookupPrefix);
    case index::ExprKind::Max:
      return llvm::any_of(operands, isNatural);
    case index::ExprKind::Product:
      return llvm::all_of(atom.getFactors(),
                          [](index::Factor factor) { return isNatural(factor.atom); });
    default:
      return llvm::all_of(operands, isNatural);
    }
  };
  return llvm::all_of(expr.getTerms(), [&](index::Term term) {
    return term.coefficient > 0 && isOfNaturals(term.monomial);
  });
}

/// The result of an operator on index expressions.
std::optional<Expr> applyOperator(mlir::Operation *op, Operands operands) {
  bool byPositive = operands.size() == 2 && operands[1].getConstant().value_or(0) > 0;
  if (llvm::isa<graph::CastOp>(op))
    return operands[0];
  if (llvm::isa<graph::NegOp>(op))
    return -operands[0];
  if (llvm::isa<graph::AbsOp>(op))
    return index::max(operands[0], -operands[0]);
  if (llvm::isa<graph::AddOp>(op))
    return operands[0] + operands[1];
  if (llvm::isa<graph::SubOp>(op))
    return operands[0] - operands[1];
  // Products of sizes may leave 64 bits; a multiple of a position does not.
  if (llvm::isa<graph::MulOp>(op) && (operands[0].isConstant() || operands[1].isConstant()))
    return operands[0] * operands[1];
  if (llvm::isa<graph::MaximumOp>(op))
    return index::max(operands[0], operands[1]);
  if (llvm::isa<graph::MinimumOp>(op))
    return index::min(operands[0], operands[1]);
  if (llvm::isa<graph::FloordivOp>(op) && byPositive)
    return index::floordiv(operands[0], operands[1]);
  if (llvm::isa<graph::TruncdivOp>(op) && byPositive && isNatural(operands[0]))
    return index::floordiv(operands[0], operands[1]);
  if (llvm::isa<graph::RemainderOp>(op) && byPositive)
    return index::mod(operands[0], operands[1]);
  return std::nullopt;
}

class Reader {
public:
  explicit Reader(const Program &program) : program(program) {}

  std::optional<Expr> read(const Access &access) {
    const Value &value = *access.from;
    if (!access.loaded.empty() || !value.elementType.isSignlessInteger(64) || budget == 0)
      return std::nullopt;
    --budget;
    switch (value.kind) {
    case ValueKind::Iota:
      return access.at[value.dim];
    case ValueKind::Size:
      return value.size;
    case ValueKind::Constant:
      return readConstant(value);
    case ValueKind::Map:
      return readMap(value, access.at);
    default:
      return std::nullopt;
    }
  }

private:
  std::optional<Expr> readConstant(const Value &value) const {
    auto constant = llvm::dyn_cast_or_null<graph::ConstantOp>(value.op);
    auto number = constant ? llvm::dyn_cast<mlir::IntegerAttr>(constant.getValue()) : nullptr;
    if (!number || std::abs(number.getInt()) >= int64_t(1) << 31)
      return std::nullopt;
    return program.context->constant(number.getInt());
  }

  std::optional<Expr> readMap(const Value &value, llvm::ArrayRef<Expr> at);
  /// A choice that is known.
  std::optional<Expr> readWhere(const Value &value, llvm::ArrayRef<Expr> at);

  const Program &program;
  /// Longer expressions are better computed as values.
  unsigned budget = 40;
};

/// Reads conditions: comparisons of index expressions, and what logic makes of them.
class ConditionReader {
public:
  ConditionReader(const Program &program, std::vector<LoadedIndex> &loaded)
      : program(program), loaded(loaded) {}

  std::optional<Pred> read(const Access &access) {
    const Value &value = *access.from;
    if (!access.loaded.empty() || value.kind != ValueKind::Map || budget == 0)
      return std::nullopt;
    --budget;
    if (!value.op)
      return read(compose(value.inputs[0], access.at, program));
    auto operand = [&](unsigned number) {
      return compose(value.inputs[number], access.at, program);
    };
    if (value.inputs[0].from->elementType.isInteger(1))
      return readLogic(value, operand);
    std::optional<Expr> a, b;
    if (value.inputs.size() == 2 && (a = readNumber(operand(0))) && (b = readNumber(operand(1))))
      return compare(value.op, *a, *b);
    return std::nullopt;
  }

private:
  std::optional<Pred> readLogic(const Value &value, llvm::function_ref<Access(unsigned)> operand) {
    bool isAnd = llvm::isa<graph::AndOp>(value.op), isOr = llvm::isa<graph::OrOp>(value.op);
    if (!isAnd && !isOr && !llvm::isa<graph::NotOp>(value.op))
      return std::nullopt;
    auto first = read(operand(0));
    if (!first || llvm::isa<graph::NotOp>(value.op))
      return first ? std::optional(index::notOf(*first)) : std::nullopt;
    auto second = read(operand(1));
    if (!second)
      return std::nullopt;
    return isAnd ? *first & *second : *first | *second;
  }

  static std::optional<Pred> compare(mlir::Operation *op, Expr a, Expr b) {
    if (llvm::isa<graph::LtOp>(op))
      return index::lt(a, b);
    if (llvm::isa<graph::LeOp>(op))
      return index::le(a, b);
    if (llvm::isa<graph::GtOp>(op))
      return index::lt(b, a);
    if (llvm::isa<graph::GeOp>(op))
      return index::le(b, a);
    if (llvm::isa<graph::EqOp>(op))
      return index::eq(a, b);
    if (llvm::isa<graph::NeOp>(op))
      return index::ne(a, b);
    return std::nullopt;
  }

  /// An index expression, or an integer of an input.
  std::optional<Expr> readNumber(Access access) {
    if (auto expr = asIndexExpr(access, program))
      return expr;
    while (access.from->kind == ValueKind::Map && !access.from->op && access.loaded.empty())
      access = compose(access.from->inputs[0], access.at, program);
    const Value &value = *access.from;
    if (value.kind != ValueKind::Input || !value.elementType.isSignlessInteger(64) ||
        !access.loaded.empty())
      return std::nullopt;
    Expr symbol = program.context->symbol("$w" + std::to_string(loaded.size()));
    loaded.push_back({symbol, access});
    return symbol;
  }

  const Program &program;
  std::vector<LoadedIndex> &loaded;
  unsigned budget = 16;
};

std::optional<Expr> Reader::readMap(const Value &value, llvm::ArrayRef<Expr> at) {
  if (!value.op)
    return read(compose(value.inputs[0], at, program));
  if (llvm::isa<graph::WhereOp>(value.op))
    return readWhere(value, at);
  llvm::SmallVector<Expr, 2> operands;
  for (const Access &input : value.inputs) {
    auto operand = read(compose(input, at, program));
    if (!operand)
      return std::nullopt;
    operands.push_back(*operand);
  }
  return applyOperator(value.op, operands);
}

std::optional<Expr> Reader::readWhere(const Value &value, llvm::ArrayRef<Expr> at) {
  std::vector<LoadedIndex> loaded;
  auto condition = ConditionReader(program, loaded).read(compose(value.inputs[0], at, program));
  if (!condition || !(condition->isTrue() || condition->isFalse()))
    return std::nullopt;
  return read(compose(value.inputs[condition->isTrue() ? 1 : 2], at, program));
}

} // namespace

std::optional<Pred> asCondition(const Access &access, const Program &program,
                                std::vector<LoadedIndex> &loaded) {
  return ConditionReader(program, loaded).read(access);
}

std::optional<Expr> asIndexExpr(const Access &access, const Program &program) {
  return Reader(program).read(access);
}

} // namespace nereid::schedule
