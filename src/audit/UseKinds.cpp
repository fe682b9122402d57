// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an expression looks like, by what it is made of.
#include "audit/UseFlow.h"

using namespace llvm;

namespace nereid::audit {

Likely UseFlow::isAddress(const python::Expr &expr, unsigned depth) {
  constexpr unsigned deepest = 12;
  if (depth > deepest)
    return Likely::No;
  auto best = [&](std::initializer_list<const python::Expr *> parts) {
    Likely result = Likely::No;
    for (const python::Expr *part : parts)
      result = std::max(result, isAddress(*part, depth + 1));
    return result;
  };
  if (auto *name = dyn_cast<python::Name>(&expr)) {
    if (ParameterUse *use = uses.find(name->id)) {
      if (use->isPointer)
        return Likely::Yes;
      return use->isConstexpr || use->isInteger || use->isFloat || use->isSize ? Likely::No
                                                                               : Likely::Maybe;
    }
    Likely result = Likely::No;
    for (const Definition &definition : uses.definitions.lookup(name->id))
      if (!definition.isLoopIndex)
        result = std::max(result, isAddress(*definition.value, depth + 1));
    return result;
  }
  if (auto *binary = dyn_cast<python::BinOp>(&expr)) {
    bool moves =
        binary->op == python::BinaryOperator::Add || binary->op == python::BinaryOperator::Sub;
    return moves ? best({binary->left, binary->right}) : Likely::No;
  }
  if (auto *subscript = dyn_cast<python::Subscript>(&expr))
    return isAddress(*subscript->value, depth + 1);
  if (auto *choice = dyn_cast<python::IfExp>(&expr))
    return best({choice->body, choice->orelse});
  auto *call = dyn_cast<python::Call>(&expr);
  if (!call)
    return Likely::No;
  StringRef name = getLastName(*call->func);
  if (uses.function->file->getText(*call).contains("pointer_type"))
    return Likely::Yes;
  if (name == "make_block_ptr" || name == "advance")
    return Likely::Yes;
  if (name == "where" && call->args.size() == 3)
    return best({call->args[1], call->args[2]});
  if ((name.starts_with("m") || name == "broadcast_to") && passesThrough(name) &&
      !call->args.empty() && isLanguage(*call->func))
    return best({call->args[0]});
  return Likely::No;
}

bool UseFlow::isInteger(const python::Expr &expr, unsigned depth) {
  constexpr unsigned deepest = 12;
  if (depth > deepest)
    return false;
  auto again = [&](const python::Expr *part) { return isInteger(*part, depth + 1); };
  if (auto *constant = dyn_cast<python::Constant>(&expr))
    return constant->isInt();
  if (auto *name = dyn_cast<python::Name>(&expr)) {
    if (ParameterUse *use = uses.find(name->id))
      return !use->isFloat && (use->isInteger || use->isSize);
    auto found = uses.definitions.find(name->id);
    return found != uses.definitions.end() && all_of(found->second, [&](const Definition &d) {
             return d.isLoopIndex || isInteger(*d.value, depth + 1);
           });
  }
  if (auto *binary = dyn_cast<python::BinOp>(&expr))
    return binary->op != python::BinaryOperator::Div && again(binary->left) && again(binary->right);
  if (auto *subscript = dyn_cast<python::Subscript>(&expr))
    return again(subscript->value);
  if (auto *unary = dyn_cast<python::UnaryOp>(&expr))
    return unary->op != python::UnaryOperator::Not && again(unary->operand);
  auto *call = dyn_cast<python::Call>(&expr);
  if (!call)
    return false;
  StringRef name = getLastName(*call->func);
  if (is_contained({"arange", "program_id", "num_programs", "cdiv", "argmax", "argmin"}, name))
    return true;
  if (name == "to" && call->args.size() == 1)
    return uses.function->file->getText(*call->args[0]).contains("int");
  if (name == "zeros" || name == "full")
    return uses.function->file->getText(*call).contains(".int");
  if (triton::JitFunction *callee = all.getCallee(uses, *call->func)) {
    FunctionUses *called = all.find(callee);
    return called && !called->returns.empty() && all_of(called->returns, [&](const auto *result) {
             UseFlow inner(all, *called);
             auto *tuple = dyn_cast<python::Tuple>(result);
             return tuple ? all_of(tuple->elts,
                                   [&](auto *e) { return inner.isInteger(*e, depth + 1); })
                          : inner.isInteger(*result, depth + 1);
           });
  }
  return passesThrough(name) && !call->args.empty() && isLanguage(*call->func) &&
         again(call->args.back());
}

bool UseFlow::isFloat(const python::Expr &expr, unsigned depth) {
  constexpr unsigned deepest = 8;
  if (depth > deepest)
    return false;
  auto again = [&](const python::Expr *part) { return isFloat(*part, depth + 1); };
  if (auto *constant = dyn_cast<python::Constant>(&expr))
    return constant->type == python::ConstantType::Float;
  if (auto *name = dyn_cast<python::Name>(&expr)) {
    if (ParameterUse *use = uses.find(name->id))
      return use->isFloat && !use->isInteger;
    for (const Definition &definition : uses.definitions.lookup(name->id))
      if (!definition.isLoopIndex && isFloat(*definition.value, depth + 1))
        return true;
    return false;
  }
  if (auto *binary = dyn_cast<python::BinOp>(&expr))
    return again(binary->left) || again(binary->right);
  if (auto *subscript = dyn_cast<python::Subscript>(&expr))
    return again(subscript->value);
  if (auto *unary = dyn_cast<python::UnaryOp>(&expr))
    return again(unary->operand);
  auto *call = dyn_cast<python::Call>(&expr);
  if (!call)
    return false;
  StringRef name = getLastName(*call->func);
  StringRef text = uses.function->file->getText(*call);
  if (is_contained({"exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sigmoid", "dot", "sin", "cos",
                    "erf", "tanh", "rand", "randn"},
                   name))
    return true;
  if (name == "zeros" || name == "full" || name == "to" || name == "cast")
    return text.contains("float");
  return passesThrough(name) && !call->args.empty() && isLanguage(*call->func) &&
         again(call->args.front());
}

} // namespace nereid::audit
