// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an expression looks like, by what it is made of.
#include "audit/UseFlow.h"

using namespace llvm;

namespace nereid::audit {

/// An index that is written out: 1 of `x[1]`.
static std::optional<unsigned> getNumber(const python::Expr &index) {
  auto *constant = dyn_cast<python::Constant>(&index);
  std::optional<int64_t> number =
      constant && constant->isInt() ? constant->getInt64() : std::nullopt;
  constexpr int64_t most = 64;
  return number && *number < most ? std::optional<unsigned>(*number) : std::nullopt;
}

ParameterUse &UseFlow::itemOf(ParameterUse &tuple, unsigned number) {
  set(tuple.isTuple);
  if (number >= tuple.items.size()) {
    tuple.items.resize(number + 1);
    changed = true;
  }
  return tuple.items[number];
}

ParameterUse &UseFlow::fieldOf(ParameterUse &tuple, StringRef name) {
  auto found = find(tuple.names, name);
  unsigned number = found - tuple.names.begin();
  if (found == tuple.names.end())
    tuple.names.push_back(name.str());
  return itemOf(tuple, number);
}

bool isOfDtype(StringRef name) {
  return is_contained({"primitive_bitwidth", "int_bitwidth", "fp_mantissa_width", "exponent_bias",
                       "itemsize", "int_signedness", "is_floating", "is_standard_floating",
                       "is_int", "is_int_signed", "is_int_unsigned", "is_bool"},
                      name) ||
         name.starts_with("is_fp") || name.starts_with("is_bf") || name.starts_with("is_int");
}

/// What tensors, pointers, dtypes, descriptors and constexprs have themselves.
static bool isAttribute(StringRef name) {
  return is_contained({"dtype", "type", "shape", "T", "value", "numel", "handle", "element_ty",
                       "scalar", "strides", "block_shape", "block_type", "layout", "name"},
                      name) ||
         isOfDtype(name) || name.starts_with("__");
}

ParameterUse &UseFlow::eachOf(ParameterUse &tuple) {
  set(tuple.isTuple);
  tuple.each.resize(1);
  return tuple.each.front();
}

/// What is indexed: a parameter, an item of one, or a name for such an item.
ParameterUse *UseFlow::findTuple(const python::Expr &expr, unsigned depth) {
  constexpr unsigned deepest = 4;
  auto *name = dyn_cast<python::Name>(&expr);
  if (!name || uses.find(name->id))
    return findUse(expr, depth);
  auto found = uses.definitions.find(name->id);
  if (depth > deepest || found == uses.definitions.end() || found->second.size() != 1)
    return nullptr;
  const Definition &definition = found->second.front();
  return definition.item < 0 && isa<python::Subscript, python::Attribute>(definition.value)
             ? findUse(*definition.value, depth + 1)
             : nullptr;
}

ParameterUse *UseFlow::findUse(const python::Expr &expr, unsigned depth) {
  if (auto *name = dyn_cast<python::Name>(&expr))
    return uses.find(name->id);
  if (auto *attribute = dyn_cast<python::Attribute>(&expr)) {
    if (isAttribute(attribute->attr))
      return nullptr;
    ParameterUse *tuple = findTuple(*attribute->value, depth);
    if (!tuple || tuple->isDtype)
      return nullptr;
    if (!tuple->place)
      tuple->place = &expr;
    return &fieldOf(*tuple, attribute->attr);
  }
  auto *subscript = dyn_cast<python::Subscript>(&expr);
  if (!subscript)
    return nullptr;
  std::optional<unsigned> number = getNumber(*subscript->slice);
  if (!number && !isa<python::Name, python::BinOp>(subscript->slice))
    return nullptr;
  ParameterUse *tuple = findTuple(*subscript->value, depth);
  if (!tuple)
    return nullptr;
  return number ? &itemOf(*tuple, *number) : &eachOf(*tuple);
}

/// `a, b = x`: what is known of the item of x.
ParameterUse *UseFlow::findUse(const Definition &definition) {
  auto *name = dyn_cast<python::Name>(definition.value);
  ParameterUse *tuple = name && definition.item >= 0 ? uses.find(name->id) : nullptr;
  return tuple ? &itemOf(*tuple, definition.item) : nullptr;
}

static Likely isPointer(const ParameterUse &use) {
  if (use.isPointer)
    return Likely::Yes;
  return use.isConstexpr || use.isInteger || use.isFloat || use.isSize ? Likely::No : Likely::Maybe;
}

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
  if (ParameterUse *use = findUse(expr))
    return isPointer(*use);
  if (auto *name = dyn_cast<python::Name>(&expr)) {
    Likely result = Likely::No;
    for (const Definition &definition : uses.definitions.lookup(name->id))
      if (ParameterUse *item = findUse(definition))
        result = std::max(result, isPointer(*item));
      else if (!definition.isLoopIndex)
        result = std::max(result, isAddress(*definition.value, depth + 1));
    return result;
  }
  if (auto *binary = dyn_cast<python::BinOp>(&expr)) {
    bool moves =
        binary->op == python::BinaryOperator::Add || binary->op == python::BinaryOperator::Sub;
    return moves ? best({binary->left, binary->right}) : Likely::No;
  }
  if (auto *field = dyn_cast<python::Attribute>(&expr)) {
    auto *name = dyn_cast<python::Name>(field->value);
    auto found = name ? uses.definitions.find(name->id) : uses.definitions.end();
    if (found == uses.definitions.end() || found->second.size() != 1)
      return Likely::No;
    auto *call = dyn_cast<python::Call>(found->second.front().value);
    ArrayRef<std::string> fields =
        call ? all.getFields(uses, *call->func) : ArrayRef<std::string>();
    unsigned place = find(fields, field->attr) - fields.begin();
    const python::Expr *argument =
        place < fields.size() ? getArgument(*call, place, field->attr) : nullptr;
    return argument ? isAddress(*argument, depth + 1) : Likely::No;
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
  if (ParameterUse *use = findUse(expr))
    return !use->isFloat && (use->isInteger || use->isSize);
  if (auto *name = dyn_cast<python::Name>(&expr)) {
    auto found = uses.definitions.find(name->id);
    return found != uses.definitions.end() && all_of(found->second, [&](const Definition &d) {
             ParameterUse *item = findUse(d);
             if (item)
               return !item->isFloat && (item->isInteger || item->isSize);
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
  if (ParameterUse *use = findUse(expr))
    return use->isFloat && !use->isInteger;
  if (auto *name = dyn_cast<python::Name>(&expr)) {
    for (const Definition &definition : uses.definitions.lookup(name->id))
      if (ParameterUse *item = findUse(definition)) {
        if (item->isFloat && !item->isInteger)
          return true;
      } else if (!definition.isLoopIndex && isFloat(*definition.value, depth + 1))
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
