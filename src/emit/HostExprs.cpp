// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions of host programs: index expressions, tensors made, scalar arithmetic.
#include "emit/HostPrinter.h"
#include "emit/Spelling.h"
#include "index/Printer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::emit {

std::string HostPrinter::getSymbolText(index::Expr symbol) {
  llvm::StringRef name = symbol.getName();
  if (auto value = meta.find(name); value != meta.end())
    return value->second;
  usedSymbols.insert(name);
  if (auto text = symbols.find(name); text != symbols.end())
    return text->second;
  program.emitOpError() << "uses the symbol '" << name << "', which `host.symbols` does not bind";
  failed = true;
  return name.str();
}

static Binding toBinding(index::Binding binding) {
  switch (binding) {
  case index::Binding::Or:
    return Binding::Or;
  case index::Binding::And:
    return Binding::And;
  case index::Binding::Not:
    return Binding::Not;
  case index::Binding::Compare:
    return Binding::Compare;
  case index::Binding::Add:
    return Binding::Add;
  case index::Binding::Multiply:
    return Binding::Multiply;
  case index::Binding::Unary:
    return Binding::Unary;
  case index::Binding::Atom:
    return Binding::Atom;
  }
  llvm_unreachable("no other binding");
}

/// How tightly the printed text binds: the tightest place where it needs no parentheses.
template <typename T> static Code spell(T value, const index::PrintOptions &options) {
  std::string plain = index::toString(value, options, index::Binding::Or);
  for (int place = int(index::Binding::Atom); place > int(index::Binding::Or); --place)
    if (index::toString(value, options, index::Binding(place)) == plain)
      return Code::text(plain, toBinding(index::Binding(place)));
  return Code::text(plain, Binding::Or);
}

Code HostPrinter::getExpr(index::Expr expr) {
  index::PrintOptions options;
  options.cdiv = "_cdiv";
  options.nextPow2 = "_next_power_of_2";
  options.symbolName = [&](index::Expr symbol) { return getSymbolText(symbol); };
  Code code = spell(expr, options);
  parts.usesTriton |= llvm::StringRef(code.str()).contains("triton.");
  auto isShorter = [&](const Code &other) {
    return other && other.str().size() < code.str().size();
  };
  if (Code product = getProduct(index::factor(expr)); isShorter(product))
    return product;
  if (Code call = getCallOf(expr); isShorter(call))
    return call;
  // A long call opens at its arguments.
  bool isGreatest = expr.getKind() == index::ExprKind::Max;
  if ((isGreatest || expr.getKind() == index::ExprKind::Min) && code.str().size() > lineWidth / 2) {
    llvm::SmallVector<Code> arguments;
    for (index::Expr operand : expr.getOperands())
      arguments.push_back(getExpr(operand));
    Code call = Code::call(isGreatest ? "max" : "min", arguments);
    if (call.str() == code.str())
      return call;
  }
  // A long sum opens at its terms, a long product at its factors.
  auto terms = expr.getTerms();
  if (terms.size() > 1 && expr.getConstantTerm() == 0 && code.str().size() > lineWidth / 2) {
    Code sum;
    for (const index::Term &term : terms) {
      Code next = getExpr(term.monomial * term.coefficient);
      sum = sum ? Code::binary("+", Binding::Add, sum, next) : next;
    }
    if (sum.str() == code.str())
      return sum;
  }
  if (terms.size() == 1 && terms[0].coefficient == 1 && expr.getConstantTerm() == 0 &&
      terms[0].monomial.getKind() == index::ExprKind::Product &&
      code.str().size() > lineWidth / 2) {
    Code product;
    for (const index::Factor &factor : terms[0].monomial.getFactors()) {
      Code next = getExpr(factor.atom);
      product = product ? Code::binary("*", Binding::Multiply, product, next) : next;
    }
    if (product.str() == code.str())
      return product;
  }
  return code;
}

/// Calls whose arguments may be products: of the next power of two, the greater one, and the
/// quotient that is rounded up; null for another expression.
Code HostPrinter::getCallOf(index::Expr expr) {
  llvm::SmallVector<Code> arguments;
  if (expr.getKind() == index::ExprKind::FloorDiv) {
    index::Expr divisor = expr.getOperands()[1], count = expr.getOperands()[0] - divisor + 1;
    if (index::contains(count, divisor) || index::ceildiv(count, divisor) != expr)
      return {};
    return Code::call("_cdiv", {getExpr(count), getExpr(divisor)});
  }
  bool isPower = expr.getKind() == index::ExprKind::NextPow2;
  if (!isPower && expr.getKind() != index::ExprKind::Max && expr.getKind() != index::ExprKind::Min)
    return {};
  for (index::Expr operand : expr.getOperands())
    arguments.push_back(getExpr(operand));
  return Code::call(isPower                                  ? "_next_power_of_2"
                    : expr.getKind() == index::ExprKind::Max ? "max"
                                                             : "min",
                    arguments);
}

/// `2 * (M + 1) * (N + 1)` with two sums among the factors at least; null for another.
Code HostPrinter::getProduct(const index::Factored &factored) {
  if (factored.factors.size() < 2)
    return {};
  Code product;
  if (factored.content != 1)
    product = Code::text(std::to_string(factored.content));
  for (index::Expr factor : factored.factors) {
    Code code = getExpr(factor);
    product = product ? Code::binary("*", Binding::Multiply, product, code) : code;
  }
  return product;
}

/// A comparison of a product with a number: `(2 * M - 1) * (2 * N - 1) <= 4096`; null for another.
Code HostPrinter::getComparison(index::Pred pred) {
  using Kind = index::PredKind;
  if (pred.getKind() != Kind::NonNegative && pred.getKind() != Kind::Zero &&
      pred.getKind() != Kind::NonZero)
    return {};
  // `N*M - M - N - 8 >= 0` may be a product after it is doubled.
  constexpr int64_t mostTimes = 8;
  index::Factored factored;
  for (int64_t times = 1; times <= mostTimes && factored.factors.size() < 2; times *= 2)
    factored = index::factorUpToConstant(pred.getExpr() * times);
  bool isNegative = factored.content < 0;
  int64_t bound = isNegative ? factored.rest : -factored.rest;
  factored.content = isNegative ? -factored.content : factored.content;
  Code product = getProduct(factored);
  if (!product || factored.rest == std::numeric_limits<int64_t>::min())
    return {};
  std::string op = pred.getKind() == Kind::Zero      ? "=="
                   : pred.getKind() == Kind::NonZero ? "!="
                   : isNegative                      ? "<="
                                                     : ">=";
  if (op == ">=" && bound == 1)
    op = ">", bound = 0;
  return Code::binary(op, Binding::Compare, product, Code::text(std::to_string(bound)));
}

Code HostPrinter::getPred(index::Pred pred) {
  index::PrintOptions options;
  options.cdiv = "_cdiv";
  options.nextPow2 = "_next_power_of_2";
  options.symbolName = [&](index::Expr symbol) { return getSymbolText(symbol); };
  // Long conjunctions open at their operators.
  if (pred.getKind() == index::PredKind::And || pred.getKind() == index::PredKind::Or) {
    bool isAnd = pred.getKind() == index::PredKind::And;
    Code code;
    for (index::Pred part : pred.getOperands()) {
      Code next = getPred(part);
      code =
          code ? Code::binary(isAnd ? "and" : "or", isAnd ? Binding::And : Binding::Or, code, next)
               : next;
    }
    return code;
  }
  // The greatest position from which a block stays within 32 bits is written as what it is, and so
  // are its shares where several are added up.
  if (pred.getKind() == index::PredKind::NonNegative) {
    index::Expr expr = pred.getExpr();
    for (unsigned bits = 31; bits > 20; --bits) {
      int64_t greatest = (int64_t(1) << bits) - (1 << 16);
      Code bound = Code::text("2**" + std::to_string(bits) + " - 2**16", Binding::Add);
      if (expr.getConstantTerm() == -greatest - 1)
        return Code::binary(">", Binding::Compare, getExpr(expr + (greatest + 1)), bound);
      if (expr.getConstantTerm() == greatest)
        return Code::binary("<=", Binding::Compare, getExpr(-(expr - greatest)), bound);
    }
  }
  Code code = spell(pred, options);
  parts.usesTriton |= llvm::StringRef(code.str()).contains("triton.");
  Code shorter = getComparison(pred);
  return shorter && shorter.str().size() < code.str().size() ? shorter : code;
}

Code HostPrinter::getSizes(llvm::ArrayRef<index::Expr> exprs) {
  llvm::SmallVector<Code> sizes;
  for (index::Expr expr : exprs)
    sizes.push_back(getExpr(expr));
  return Code::tuple(sizes);
}

Code HostPrinter::getDevice() {
  return deviceOwner.empty() ? Code::text("\"cuda\"") : Code::text(deviceOwner + ".device");
}

Code HostPrinter::get(Value value) {
  if (auto found = values.find(value); found != values.end())
    return found->second;
  return render(value.getDefiningOp());
}

static Code dtypeArgument(Type element) {
  return Code::keyword("dtype", Code::text(getTorchDtype(element)));
}

/// A new tensor of row-major strides; asked of a tensor it takes two thirds of the time.
Code HostPrinter::getRowMajor(host::TensorType type, std::optional<Code> dtype) {
  if (!deviceOwner.empty()) {
    llvm::SmallVector<Code> arguments = {getSizes(type.getSizes())};
    if (dtype)
      arguments.push_back(Code::keyword("dtype", *dtype));
    else if (type.getElementType() != ownerType)
      arguments.push_back(dtypeArgument(type.getElementType()));
    return Code::method(Code::text(deviceOwner), "new_empty", arguments);
  }
  Code own = dtype ? Code::keyword("dtype", *dtype) : dtypeArgument(type.getElementType());
  return Code::call("torch.empty",
                    {getSizes(type.getSizes()), own, Code::keyword("device", getDevice())});
}

Code HostPrinter::renderEmpty(host::EmptyOp op) {
  host::TensorType type = op.getResult().getType();
  if (!op.getLike().empty())
    return renderLike(op.getLike(), type);
  if (auto rows = op->getAttrOfType<ArrayAttr>(host::byPrecisionAttrName)) {
    parts.usesFactorType = true;
    llvm::SmallVector<Code> arguments = {Code::text(precision)};
    for (auto row : rows.getAsRange<sym::ExprAttr>())
      arguments.push_back(getExpr(row.getExpr()));
    return getRowMajor(type, Code::call("_factor_dtype", arguments));
  }
  if (host::hasRowMajorStrides(type))
    return getRowMajor(type);
  return Code::call("torch.empty_strided",
                    {getSizes(type.getSizes()), getSizes(type.getStrides()),
                     dtypeArgument(type.getElementType()), Code::keyword("device", getDevice())});
}

/// A new tensor in the strides of PyTorch's pointwise operators.
Code HostPrinter::renderLike(ValueRange operands, host::TensorType type) {
  auto first = cast<host::TensorType>(operands[0].getType());
  if (operands.size() == 1 && first.getSizes() == type.getSizes()) {
    llvm::SmallVector<Code> arguments = {get(operands[0])};
    if (first.getElementType() != type.getElementType())
      arguments.push_back(dtypeArgument(type.getElementType()));
    return Code::call("torch.empty_like", arguments);
  }
  parts.usesEmptyLike = true;
  llvm::SmallVector<Code> arguments = {getSizes(type.getSizes()),
                                       Code::text(getTorchDtype(type.getElementType()))};
  for (Value like : operands)
    arguments.push_back(get(like));
  return Code::call("_empty_like", arguments);
}

/// `function(operands...)` of Python's math module or builtins; empty when there is none.
static llvm::StringRef getFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, llvm::StringRef>(op)
      .Case([](math::SqrtOp) { return "math.sqrt"; })
      .Case([](math::ExpOp) { return "math.exp"; })
      .Case([](math::LogOp) { return "math.log"; })
      .Case([](math::Log2Op) { return "math.log2"; })
      .Case([](math::PowFOp) { return "math.pow"; })
      .Case([](math::SinOp) { return "math.sin"; })
      .Case([](math::CosOp) { return "math.cos"; })
      .Case([](math::TanhOp) { return "math.tanh"; })
      .Case([](math::FloorOp) { return "math.floor"; })
      .Case([](math::CeilOp) { return "math.ceil"; })
      .Case<math::AbsFOp, math::AbsIOp>([](auto) { return "abs"; })
      .Case<arith::MaxNumFOp, arith::MaxSIOp>([](auto) { return "max"; })
      .Case<arith::MinNumFOp, arith::MinSIOp>([](auto) { return "min"; })
      .Case<arith::SIToFPOp, arith::UIToFPOp>([](auto) { return "float"; })
      .Case<arith::FPToSIOp, arith::ExtUIOp>([](auto) { return "int"; })
      .Default([](Operation *) { return ""; });
}

static std::optional<std::pair<llvm::StringRef, Binding>> getOperator(Operation *op) {
  using Result = std::optional<std::pair<llvm::StringRef, Binding>>;
  static constexpr llvm::StringLiteral integerSymbols[] = {"==", "!=", "<", "<=", ">", ">="};
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return Result({"+", Binding::Add}); })
      .Case<arith::SubFOp, arith::SubIOp>([](auto) { return Result({"-", Binding::Add}); })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return Result({"*", Binding::Multiply}); })
      .Case([](arith::DivFOp) { return Result({"/", Binding::Multiply}); })
      .Case([](arith::FloorDivSIOp) { return Result({"//", Binding::Multiply}); })
      .Case([](arith::AndIOp) { return Result({"and", Binding::And}); })
      .Case([](arith::OrIOp) { return Result({"or", Binding::Or}); })
      .Case([](arith::CmpIOp compare) {
        unsigned place = unsigned(compare.getPredicate());
        return place < 6 ? Result({integerSymbols[place], Binding::Compare}) : std::nullopt;
      })
      .Case([](arith::CmpFOp compare) {
        using P = arith::CmpFPredicate;
        switch (compare.getPredicate()) {
        case P::OEQ:
          return Result({"==", Binding::Compare});
        case P::UNE:
          return Result({"!=", Binding::Compare});
        case P::OLT:
          return Result({"<", Binding::Compare});
        case P::OLE:
          return Result({"<=", Binding::Compare});
        case P::OGT:
          return Result({">", Binding::Compare});
        case P::OGE:
          return Result({">=", Binding::Compare});
        default:
          return Result();
        }
      })
      .Default([](Operation *) { return std::nullopt; });
}

Code HostPrinter::renderScalar(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    std::string text = spellNumber(constant.getValue());
    return Code::text(text, text[0] == '-' ? Binding::Unary : Binding::Atom);
  }
  llvm::SmallVector<Code> operands;
  for (Value value : op->getOperands())
    operands.push_back(get(value));
  bool isBitwise = isa<arith::AndIOp, arith::OrIOp>(op) && !op->getResult(0).getType().isInteger(1);
  if (auto symbol = getOperator(op); symbol && !isBitwise)
    return Code::binary(symbol->first, symbol->second, operands[0], operands[1]);
  if (isa<arith::NegFOp>(op))
    return Code::unary("-", Binding::Unary, operands[0]);
  if (isa<arith::XOrIOp>(op) && operands[1].str() == "True")
    return Code::unary("not ", Binding::Not, operands[0]);
  if (isa<math::RsqrtOp>(op)) {
    parts.usesMath = true;
    return Code::binary("/", Binding::Multiply, Code::text("1.0"),
                        Code::call("math.sqrt", operands));
  }
  if (isa<arith::SelectOp>(op))
    return Code::text(operands[1].str(Binding::Or) + " if " + operands[0].str(Binding::Or) +
                          " else " + operands[2].str(Binding::Or),
                      Binding::Lambda);
  llvm::StringRef callee = getFunction(op);
  if (callee.empty()) {
    refuse(op, "has no spelling in Python");
    return Code::text("None");
  }
  parts.usesMath |= callee.starts_with("math.");
  return Code::call(callee, operands);
}

Code HostPrinter::render(Operation *op) {
  return llvm::TypeSwitch<Operation *, Code>(op)
      .Case([&](host::SizeOp size) { return getExpr(size.getExpr().getExpr()); })
      .Case([&](host::CondOp cond) { return getPred(cond.getPred().getPred()); })
      .Case([&](host::IsContiguousOp query) {
        Code code = Code::text("True");
        for (auto [place, tensor] : llvm::enumerate(query.getTensors())) {
          Code next = Code::method(get(tensor), "is_contiguous", {});
          code = place == 0 ? next : Code::binary("and", Binding::And, code, next);
        }
        return code;
      })
      .Case([&](host::AsContiguousOp same) { return get(same.getTensor()); })
      .Case([&](host::ContiguousOp copy) {
        Code tensor = get(copy.getTensor());
        return isRepeatedCopy(copy) ? tensor : Code::method(tensor, "contiguous", {});
      })
      .Case([&](host::EmptyOp empty) { return renderEmpty(empty); })
      .Case([&](host::CopyLikeOp copy) {
        Code like = renderLike(copy.getLike(), copy.getResult().getType());
        return Code::method(like, "copy_", {get(copy.getTensor())});
      })
      .Case([&](host::FullOp full) {
        host::TensorType type = full.getResult().getType();
        return Code::call("torch.full", {getSizes(type.getSizes()), get(full.getValue()),
                                         dtypeArgument(type.getElementType()),
                                         Code::keyword("device", getDevice())});
      })
      .Case([&](host::ViewOp view) {
        host::TensorType type = view.getResult().getType();
        Code base = get(view.getTensor()), offset = getExpr(view.getOffset().getExpr());
        if (type == view.getTensor().getType() && offset.str() == "0")
          return Code::method(base, "detach", {});
        if (Code permuted = renderPermutation(view, base))
          return permuted;
        if (Code expanded = renderExpansion(view, base))
          return expanded;
        if (Code part = renderPart(view, base))
          return part;
        if (Code part = renderSteps(view, base))
          return part;
        Code start = Code::method(base, "storage_offset", {});
        if (offset.str() != "0")
          start = Code::binary("+", Binding::Add, start, offset);
        return Code::method(base, "as_strided",
                            {getSizes(type.getSizes()), getSizes(type.getStrides()), start});
      })
      .Default([&](Operation *) { return renderScalar(op); });
}

} // namespace nereid::emit
