// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/Literals.h"
#include "python/Printer.h"
#include "python/PrinterImpl.h"

#include <cmath>

using namespace nereid;
using namespace nereid::python;

static Precedence getPrecedence(BinaryOperator op) {
  switch (op) {
  case BinaryOperator::BitOr:
    return Precedence::BitOr;
  case BinaryOperator::BitXor:
    return Precedence::BitXor;
  case BinaryOperator::BitAnd:
    return Precedence::BitAnd;
  case BinaryOperator::LShift:
  case BinaryOperator::RShift:
    return Precedence::Shift;
  case BinaryOperator::Add:
  case BinaryOperator::Sub:
    return Precedence::Sum;
  case BinaryOperator::Pow:
    return Precedence::Power;
  case BinaryOperator::Mult:
  case BinaryOperator::MatMult:
  case BinaryOperator::Div:
  case BinaryOperator::Mod:
  case BinaryOperator::FloorDiv:
    return Precedence::Product;
  }
  return Precedence::Atom;
}

static Precedence getPrecedence(const Expr &expr) {
  switch (expr.kind) {
  case Kind::Lambda:
  case Kind::IfExp:
    return Precedence::Test;
  case Kind::BoolOp:
    return llvm::cast<BoolOp>(expr).op == BoolOperator::Or ? Precedence::Or : Precedence::And;
  case Kind::UnaryOp:
    return llvm::cast<UnaryOp>(expr).op == UnaryOperator::Not ? Precedence::Not : Precedence::Unary;
  case Kind::Compare:
    return Precedence::Compare;
  case Kind::BinOp:
    return getPrecedence(llvm::cast<BinOp>(expr).op);
  case Kind::Await:
    return Precedence::Await;
  default:
    return Precedence::Atom; // or with parentheses of its own
  }
}

static Precedence above(Precedence precedence) {
  return static_cast<Precedence>(static_cast<int>(precedence) + 1);
}

std::string nereid::python::printExpr(const Expr &expr) {
  std::string text;
  llvm::raw_string_ostream os(text);
  ExprPrinter(os).print(expr);
  return text;
}

void ExprPrinter::print(const Expr &expr, Precedence least) {
  bool parens = getPrecedence(expr) < least;
  os << (parens ? "(" : "");
  printBare(expr);
  os << (parens ? ")" : "");
}

void ExprPrinter::printList(llvm::ArrayRef<Expr *> list) {
  llvm::interleaveComma(list, os, [&](const Expr *element) { print(*element); });
}

void ExprPrinter::printBare(const Expr &expr) {
  switch (expr.kind) {
  case Kind::Name:
    os << llvm::cast<Name>(expr).id;
    return;
  case Kind::Constant:
    return printConstant(llvm::cast<Constant>(expr));
  case Kind::Attribute: {
    auto &attribute = llvm::cast<Attribute>(expr);
    auto *number = llvm::dyn_cast<Constant>(attribute.value);
    bool parens =
        number && (number->type == ConstantType::Int || number->type == ConstantType::Float ||
                   number->type == ConstantType::Complex);
    os << (parens ? "(" : "");
    print(*attribute.value, Precedence::Atom);
    os << (parens ? ")." : ".") << attribute.attr;
    return;
  }
  case Kind::Subscript:
    return printSubscript(llvm::cast<Subscript>(expr));
  case Kind::Call:
    return printCall(llvm::cast<Call>(expr));
  case Kind::Starred:
    os << '*';
    return print(*llvm::cast<Starred>(expr).value, Precedence::BitOr);
  case Kind::Tuple:
    return printTuple(llvm::cast<Tuple>(expr));
  case Kind::List:
    os << '[';
    printList(llvm::cast<List>(expr).elts);
    os << ']';
    return;
  case Kind::Set:
    os << '{';
    printList(llvm::cast<Set>(expr).elts);
    os << '}';
    return;
  case Kind::Dict:
    return printDict(llvm::cast<Dict>(expr));
  case Kind::ListComp:
  case Kind::SetComp:
  case Kind::DictComp:
  case Kind::GeneratorExp:
    return printComprehension(expr);
  case Kind::JoinedStr:
    return printFString(llvm::cast<JoinedStr>(expr));
  case Kind::Slice:
    return printSlice(llvm::cast<Slice>(expr));
  default:
    return printOperator(expr);
  }
}

void ExprPrinter::printOperator(const Expr &expr) {
  switch (expr.kind) {
  case Kind::BoolOp: {
    auto &op = llvm::cast<BoolOp>(expr);
    std::string between = " " + spell(op.op).str() + " ";
    return llvm::interleave(
        op.values, os, [&](const Expr *value) { print(*value, above(getPrecedence(op))); },
        between);
  }
  case Kind::BinOp:
    return printBinary(llvm::cast<BinOp>(expr));
  case Kind::UnaryOp:
    os << spell(llvm::cast<UnaryOp>(expr).op);
    return print(*llvm::cast<UnaryOp>(expr).operand, getPrecedence(expr));
  case Kind::Compare:
    return printCompare(llvm::cast<Compare>(expr));
  case Kind::IfExp: {
    auto &choice = llvm::cast<IfExp>(expr);
    print(*choice.body, Precedence::Or);
    os << " if ";
    print(*choice.test, Precedence::Or);
    os << " else ";
    return print(*choice.orelse);
  }
  case Kind::Lambda: {
    std::string arguments;
    llvm::raw_string_ostream out(arguments);
    ExprPrinter(out).printArguments(*llvm::cast<Lambda>(expr).args);
    os << "lambda" << (arguments.empty() ? "" : " ") << arguments << ": ";
    return print(*llvm::cast<Lambda>(expr).body);
  }
  case Kind::NamedExpr:
    os << '(';
    print(*llvm::cast<NamedExpr>(expr).target);
    os << " := ";
    print(*llvm::cast<NamedExpr>(expr).value);
    os << ')';
    return;
  case Kind::Await:
    os << "await ";
    return print(*llvm::cast<Await>(expr).value, Precedence::Atom);
  case Kind::Yield:
    os << "(yield";
    if (const Expr *value = llvm::cast<Yield>(expr).value) {
      os << ' ';
      print(*value);
    }
    os << ')';
    return;
  case Kind::YieldFrom:
    os << "(yield from ";
    print(*llvm::cast<YieldFrom>(expr).value);
    os << ')';
    return;
  default:
    return; // a FormattedValue is printed with its f-string
  }
}

/// Names, attributes of names and numbers, perhaps with a sign: `x**2` is written without blanks.
static bool isSimpleOperand(const Expr &expr) {
  switch (expr.kind) {
  case Kind::Name:
    return true;
  case Kind::Constant:
    return llvm::cast<Constant>(expr).type != ConstantType::Str;
  case Kind::Attribute:
    return llvm::isa<Name, Attribute>(llvm::cast<Attribute>(expr).value) &&
           isSimpleOperand(*llvm::cast<Attribute>(expr).value);
  case Kind::UnaryOp:
    return llvm::cast<UnaryOp>(expr).op != UnaryOperator::Not &&
           isSimpleOperand(*llvm::cast<UnaryOp>(expr).operand);
  default:
    return false;
  }
}

void ExprPrinter::printBinary(const BinOp &op) {
  Precedence own = getPrecedence(op);
  bool isPower = op.op == BinaryOperator::Pow;
  const char *blank = isPower && isSimpleOperand(*op.left) && isSimpleOperand(*op.right) ? "" : " ";
  print(*op.left, isPower ? Precedence::Await : own);
  os << blank << spell(op.op) << blank;
  print(*op.right, isPower ? Precedence::Unary : above(own));
}

void ExprPrinter::printCompare(const Compare &compare) {
  print(*compare.left, Precedence::BitOr);
  for (auto [op, right] : llvm::zip(compare.ops, compare.comparators)) {
    os << ' ' << spell(op) << ' ';
    print(*right, Precedence::BitOr);
  }
}

void ExprPrinter::printConstant(const Constant &constant) {
  switch (constant.type) {
  case ConstantType::None:
    os << "None";
    return;
  case ConstantType::True:
    os << "True";
    return;
  case ConstantType::False:
    os << "False";
    return;
  case ConstantType::Ellipsis:
    os << "...";
    return;
  case ConstantType::Int:
    os << (constant.radix == 16  ? "0x"
           : constant.radix == 8 ? "0o"
           : constant.radix == 2 ? "0b"
                                 : "")
       << constant.text.upper();
    return;
  case ConstantType::Float:
    os << (std::isinf(constant.number) ? "1e309" : formatFloat(constant.number));
    return;
  case ConstantType::Complex:
    os << (std::isinf(constant.number) ? "1e309j" : formatImaginary(constant.number));
    return;
  case ConstantType::Str:
    os << (constant.unicodePrefix ? "u" : "") << formatString(constant.text, '"');
    return;
  case ConstantType::Bytes:
    os << formatBytes(constant.text, '"');
    return;
  }
}

void ExprPrinter::printTuple(const Tuple &tuple) {
  os << '(';
  printList(tuple.elts);
  os << (tuple.elts.size() == 1 ? ",)" : ")");
}

void ExprPrinter::printDict(const Dict &dict) {
  os << '{';
  llvm::interleaveComma(llvm::zip(dict.keys, dict.values), os, [&](const auto &item) {
    auto [key, value] = item;
    if (!key) {
      os << "**";
      return print(*value, Precedence::BitOr);
    }
    print(*key);
    os << ": ";
    print(*value);
  });
  os << '}';
}

void ExprPrinter::printSubscript(const Subscript &subscript) {
  auto *number = llvm::dyn_cast<Constant>(subscript.value);
  bool parens = number && number->isInt();
  os << (parens ? "(" : "");
  print(*subscript.value, Precedence::Atom);
  os << (parens ? ")[" : "[");
  auto *tuple = llvm::dyn_cast<Tuple>(subscript.slice);
  if (tuple && !tuple->elts.empty()) {
    // Slices cannot stand in parentheses.
    printList(tuple->elts);
    os << (tuple->elts.size() == 1 ? "," : "");
  } else {
    print(*subscript.slice);
  }
  os << ']';
}

/// The colon has blanks around it when a bound is more than a name or a number.
void ExprPrinter::printSlice(const Slice &slice) {
  bool isWide = false;
  for (const Expr *bound : {slice.lower, slice.upper, slice.step})
    isWide |= bound && (llvm::isa<Attribute>(bound) || !isSimpleOperand(*bound));
  auto put = [&](const char *before, const Expr *bound, const char *after) {
    if (!bound)
      return;
    os << (isWide ? before : "");
    print(*bound);
    os << (isWide ? after : "");
  };
  put("", slice.lower, " ");
  os << ':';
  put(" ", slice.upper, slice.step ? " " : "");
  if (slice.step)
    os << ':';
  put(" ", slice.step, "");
}

void ExprPrinter::printCallArguments(llvm::ArrayRef<Expr *> args,
                                     llvm::ArrayRef<Keyword *> keywords) {
  printList(args);
  os << (args.empty() || keywords.empty() ? "" : ", ");
  llvm::interleaveComma(keywords, os, [&](const Keyword *keyword) {
    if (keyword->arg.empty())
      os << "**";
    else
      os << keyword->arg << '=';
    print(*keyword->value);
  });
}

void ExprPrinter::printCall(const Call &call) {
  print(*call.func, Precedence::Atom);
  if (call.keywords.empty() && call.args.size() == 1 && llvm::isa<GeneratorExp>(call.args[0]))
    return print(*call.args[0]);
  os << '(';
  printCallArguments(call.args, call.keywords);
  os << ')';
}

void ExprPrinter::printGenerators(llvm::ArrayRef<Comprehension *> generators) {
  for (const Comprehension *generator : generators) {
    os << (generator->isAsync ? " async for " : " for ");
    print(*generator->target);
    os << " in ";
    print(*generator->iter, Precedence::Or);
    for (const Expr *condition : generator->ifs) {
      os << " if ";
      print(*condition, Precedence::Or);
    }
  }
}

void ExprPrinter::printComprehension(const Expr &expr) {
  auto put = [&](char open, const auto &comprehension, char close) {
    os << open;
    print(*comprehension.elt);
    printGenerators(comprehension.generators);
    os << close;
  };
  if (auto *list = llvm::dyn_cast<ListComp>(&expr))
    return put('[', *list, ']');
  if (auto *set = llvm::dyn_cast<SetComp>(&expr))
    return put('{', *set, '}');
  if (auto *generator = llvm::dyn_cast<GeneratorExp>(&expr))
    return put('(', *generator, ')');
  auto &dict = llvm::cast<DictComp>(expr);
  os << '{';
  print(*dict.key);
  os << ": ";
  print(*dict.value);
  printGenerators(dict.generators);
  os << '}';
}

void ExprPrinter::printArg(const Arg &arg, const Expr *value) {
  os << arg.arg;
  if (arg.annotation) {
    os << ": ";
    print(*arg.annotation);
  }
  if (value) {
    os << (arg.annotation ? " = " : "=");
    print(*value);
  }
}

void ExprPrinter::printArguments(const Arguments &arguments) {
  const char *separator = "";
  auto next = [&]() -> llvm::raw_ostream & {
    os << separator;
    separator = ", ";
    return os;
  };
  size_t positional = arguments.posonlyargs.size() + arguments.args.size();
  size_t required = positional - arguments.defaults.size(), index = 0;
  auto getDefault = [&] {
    size_t i = index++;
    return i < required ? nullptr : arguments.defaults[i - required];
  };
  for (const Arg *arg : arguments.posonlyargs)
    next(), printArg(*arg, getDefault());
  if (!arguments.posonlyargs.empty())
    next() << '/';
  for (const Arg *arg : arguments.args)
    next(), printArg(*arg, getDefault());
  if (arguments.vararg)
    next() << '*', printArg(*arguments.vararg, nullptr);
  else if (!arguments.kwonlyargs.empty())
    next() << '*';
  for (auto [arg, value] : llvm::zip(arguments.kwonlyargs, arguments.kwDefaults))
    next(), printArg(*arg, value);
  if (arguments.kwarg)
    next() << "**", printArg(*arguments.kwarg, nullptr);
}
