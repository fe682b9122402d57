// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upgrade/Reaching.h"

using namespace llvm;

namespace nereid::upgrade {

namespace {

class Reacher {
public:
  Reacher(const FunctionText &text, const triton::JitFunction &kernel, audit::Attempt attempt)
      : text(text), kernel(kernel), attempt(std::move(attempt)) {}

  void satisfy(const python::Expr &test, bool holds);

  bool changed = false;
  audit::Attempt take() { return std::move(attempt); }

private:
  void compare(const python::Compare &test, bool holds);
  /// The number that an expression over constants of the signature is.
  std::optional<int64_t> evaluate(const python::Expr &expr) const;
  void set(StringRef name, const std::string &value);

  const FunctionText &text;
  const triton::JitFunction &kernel;
  audit::Attempt attempt;
};

} // namespace

void Reacher::set(StringRef name, const std::string &value) {
  auto isIt = [&](const python::Arg *arg) { return arg->arg == name; };
  if (none_of(audit::getParameters(*kernel.def->args), isIt))
    return;
  auto &constants = attempt.request.constexprs;
  auto &types = attempt.request.signature;
  auto known = constants.find(name.str());
  if (known != constants.end() && known->second == value)
    return;
  // What is there has a type that nothing told so far.
  if (value == "there") {
    if (types.contains(name.str()) || (known != constants.end() && known->second != "None"))
      return;
    constants.erase(name.str());
    types[name.str()] = "*fp32";
  } else {
    types.erase(name.str());
    constants[name.str()] = value;
  }
  changed = true;
  attempt.difference += (attempt.difference.empty() ? "" : ", ") + name.str() + " " +
                        (value == "there" ? "" : "= ") + value;
}

std::optional<int64_t> Reacher::evaluate(const python::Expr &expr) const {
  if (auto *constant = dyn_cast<python::Constant>(&expr))
    return constant->isInt() ? constant->getInt64() : std::nullopt;
  if (auto *name = dyn_cast<python::Name>(&expr)) {
    auto known = attempt.request.constexprs.find(name->id.str());
    int64_t value;
    bool isNumber = known != attempt.request.constexprs.end() &&
                    !StringRef(known->second).getAsInteger(10, value);
    return isNumber ? std::optional(value) : std::nullopt;
  }
  auto *op = dyn_cast<python::BinOp>(&expr);
  std::optional<int64_t> left = op ? evaluate(*op->left) : std::nullopt;
  std::optional<int64_t> right = left ? evaluate(*op->right) : std::nullopt;
  constexpr int64_t most = 1 << 20;
  if (!right || std::abs(*left) > most || std::abs(*right) > most)
    return std::nullopt;
  if (op->op == python::BinaryOperator::Mult)
    return *left * *right;
  if (op->op == python::BinaryOperator::Add)
    return *left + *right;
  return std::nullopt;
}

void Reacher::compare(const python::Compare &test, bool holds) {
  using Op = python::CompareOperator;
  auto *name = dyn_cast<python::Name>(test.left);
  auto *constant = dyn_cast<python::Constant>(test.comparators[0]);
  if (!name || test.ops.size() != 1)
    return;
  Op op = test.ops[0];
  bool isEqual = op == Op::Eq || op == Op::Is;
  if (constant && constant->type == python::ConstantType::None)
    return set(name->id, isEqual == holds ? "None" : "there");
  if (constant && (isEqual || op == Op::NotEq) && isEqual == holds)
    return set(name->id, text.getText(*constant).str());
  std::optional<int64_t> number = evaluate(*test.comparators[0]);
  if (!number)
    return constant && constant->isStr() ? set(name->id, "''") : void();
  bool isAbove = op == Op::Gt || op == Op::GtE;
  int64_t larger = *number > 0 ? *number * 2 : 1, smaller = *number / 2;
  if (op == Op::Eq || op == Op::NotEq)
    return set(name->id, std::to_string(isEqual == holds ? *number : larger));
  bool mayEqual = (op == Op::GtE || op == Op::LtE) == holds;
  set(name->id, std::to_string(mayEqual ? *number : isAbove == holds ? larger : smaller));
}

void Reacher::satisfy(const python::Expr &test, bool holds) {
  if (auto *name = dyn_cast<python::Name>(&test))
    return set(name->id, holds ? "True" : "False");
  if (auto *unary = dyn_cast<python::UnaryOp>(&test))
    return unary->op == python::UnaryOperator::Not ? satisfy(*unary->operand, !holds) : void();
  if (auto *one = dyn_cast<python::Compare>(&test))
    return compare(*one, holds);
  auto *several = dyn_cast<python::BoolOp>(&test);
  if (!several)
    return;
  // All of them; of an `and` that must not hold, and of an `or` that must, the first.
  bool isAll = (several->op == python::BoolOperator::And) == holds;
  for (const python::Expr *part : isAll ? several->values : several->values.take_front(1))
    satisfy(*part, holds);
}

std::optional<audit::Attempt> reach(const FunctionText &text, const python::Node &place,
                                    const triton::JitFunction &kernel, const audit::Attempt &base) {
  Reacher reacher(text, kernel, base);
  auto isWithin = [&](python::Body body) {
    return !body.empty() && body.front()->range.begin <= place.range.begin &&
           place.range.end <= body.back()->range.end;
  };
  for (const python::Node *at = text.getParent(place); at; at = text.getParent(*at)) {
    if (auto *branch = dyn_cast<python::If>(at)) {
      if (isWithin(branch->body))
        reacher.satisfy(*branch->test, true);
      else if (isWithin(branch->orelse))
        reacher.satisfy(*branch->test, false);
    } else if (auto *choice = dyn_cast<python::IfExp>(at)) {
      bool inBody = choice->body->range.begin <= place.range.begin &&
                    place.range.end <= choice->body->range.end;
      reacher.satisfy(*choice->test, inBody);
    }
  }
  if (!reacher.changed)
    return std::nullopt;
  return reacher.take();
}

} // namespace nereid::upgrade
