// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How what is wanted of an expression flows back to parameters. UseRules.cpp says what wants it.
#include "audit/UseFlow.h"

#include "python/AstVisit.h"

using namespace llvm;

namespace nereid::audit {

bool passesThrough(StringRef name) {
  return is_contained({"abs",
                       "broadcast_to",
                       "cast",
                       "cat",
                       "cdiv",
                       "cumsum",
                       "expand_dims",
                       "gather",
                       "int",
                       "join",
                       "max",
                       "max_constancy",
                       "max_contiguous",
                       "maximum",
                       "min",
                       "minimum",
                       "multiple_of",
                       "permute",
                       "ravel",
                       "reshape",
                       "sum",
                       "to",
                       "trans",
                       "view",
                       "where",
                       "broadcast",
                       "split",
                       "flip",
                       "item"},
                      name);
}

StringRef getLastName(const python::Expr &callee) {
  if (auto *attribute = dyn_cast<python::Attribute>(&callee))
    return attribute->attr;
  auto *name = dyn_cast<python::Name>(&callee);
  return name ? name->id : "";
}

const python::Expr *UseFlow::getArgument(const python::Call &call, unsigned index, StringRef name) {
  for (const python::Keyword *keyword : call.keywords)
    if (keyword->arg == name)
      return keyword->value;
  return index < call.args.size() ? call.args[index] : nullptr;
}

bool UseFlow::isLanguage(const python::Expr &callee) const {
  auto *attribute = dyn_cast<python::Attribute>(&callee);
  auto *owner = attribute ? dyn_cast<python::Name>(attribute->value) : nullptr;
  if (!attribute)
    return isa<python::Name>(callee);
  if (!owner) // tl.math.exp; but x[None, :].to(...) is a method
    return isa<python::Attribute>(attribute->value) && isLanguage(*attribute->value);
  return !uses.find(owner->id) && !uses.definitions.count(owner->id);
}

void UseFlow::note(ParameterUse &use, Want what, const python::Node &place) {
  if (!use.place)
    use.place = &place;
  auto point = [&](Pointee pointee) {
    set(use.isPointer);
    if (use.pointee < pointee) {
      use.pointee = pointee;
      changed = true;
    }
  };
  switch (what) {
  case Want::Address:
    return set(use.isPointer);
  case Want::Integer:
  case Want::Byte:
    return set(use.isInteger);
  case Want::Float:
    return set(use.isFloat);
  case Want::Size:
    return set(use.isSize);
  case Want::Axis:
    return set(use.isAxis);
  case Want::Count:
    return set(use.isCount);
  case Want::Condition:
    return set(use.isCondition);
  case Want::Bit:
    return set(use.isBit);
  case Want::Dtype:
    return set(use.isDtype);
  case Want::NarrowDtype:
    return set(use.isNarrow);
  case Want::IntegerDtype:
    return set(use.isIntegers);
  case Want::Descriptor:
    return set(use.isDescriptor);
  case Want::Text:
    return set(use.isText);
  case Want::PointerToIntegers:
    return point(Pointee::Integer);
  case Want::PointerToBits:
    return point(Pointee::Bit);
  case Want::PointerToBytes:
    return point(Pointee::Byte);
  case Want::PointerToAddresses:
    return point(Pointee::Address);
  }
}

void UseFlow::want(const python::Expr &expr, Want what) {
  if (!seen.insert({&expr, what}).second)
    return;
  if (auto *name = dyn_cast<python::Name>(&expr))
    return wantName(*name, what);
  if (auto *binary = dyn_cast<python::BinOp>(&expr))
    return wantBinary(*binary, what);
  if (auto *call = dyn_cast<python::Call>(&expr))
    return wantCall(*call, what);
  if (auto *subscript = dyn_cast<python::Subscript>(&expr)) {
    if (ParameterUse *use = findUse(expr))
      return note(*use, what, expr);
    return want(*subscript->value, what);
  }
  if (auto *attribute = dyn_cast<python::Attribute>(&expr)) {
    if (attribute->attr == "T" || attribute->attr == "value")
      want(*attribute->value, what);
    else if (ParameterUse *use = findUse(expr))
      note(*use, what, expr);
    else
      wantField(*attribute, what);
  } else if (auto *choice = dyn_cast<python::IfExp>(&expr)) {
    want(*choice->body, what);
    want(*choice->orelse, what);
  } else if (auto *unary = dyn_cast<python::UnaryOp>(&expr)) {
    want(*unary->operand, what);
  } else if (auto *named = dyn_cast<python::NamedExpr>(&expr)) {
    want(*named->value, what);
  } else if (auto *boolean = dyn_cast<python::BoolOp>(&expr)) {
    for (const python::Expr *value : boolean->values)
      want(*value, what);
  } else if (isa<python::Tuple, python::List, python::Starred>(expr)) {
    python::forEachChild(expr, [&](const python::Node &child) {
      if (auto *item = dyn_cast<python::Expr>(&child))
        want(*item, what);
    });
  }
}

void UseFlow::wantAll(const python::Expr &expr, Want what) {
  want(expr, what);
  python::forEachChild(expr, [&](const python::Node &child) {
    if (auto *inner = dyn_cast<python::Expr>(&child))
      wantAll(*inner, what);
  });
}

void UseFlow::wantName(const python::Name &name, Want what) {
  if (ParameterUse *use = uses.find(name.id))
    note(*use, what, name);
  auto found = uses.definitions.find(name.id);
  if (found == uses.definitions.end())
    return;
  for (const Definition &definition : found->second)
    wantDefinition(definition, what);
}

void UseFlow::wantDefinition(const Definition &definition, Want what) {
  if (ParameterUse *item = findUse(definition))
    return note(*item, what, *definition.value);
  auto *call = dyn_cast<python::Call>(definition.value);
  if (definition.isLoopIndex) {
    if (call && (what == Want::Size || what == Want::Axis || what == Want::Condition))
      return;
    if (call)
      for (const python::Expr *bound : call->args)
        want(*bound, what);
    return;
  }
  triton::JitFunction *callee = call ? all.getCallee(uses, *call->func) : nullptr;
  FunctionUses *called = callee ? all.find(callee) : nullptr;
  if (called) {
    UseFlow inner(all, *called);
    inner.wantResult(definition.item, what);
    changed |= inner.changed;
    return;
  }
  want(*definition.value, what);
}

void UseFlow::wantResult(int item, Want what) {
  for (const python::Expr *result : uses.returns) {
    auto *tuple = dyn_cast<python::Tuple>(result);
    if (item < 0 || !tuple)
      want(*result, what);
    else if (size_t(item) < tuple->elts.size())
      want(*tuple->elts[item], what);
  }
}

void UseFlow::wantBinary(const python::BinOp &node, Want what) {
  bool isAddress = is_contained({Want::Address, Want::PointerToIntegers, Want::PointerToBits,
                                 Want::PointerToBytes, Want::PointerToAddresses},
                                what);
  if (!isAddress) {
    // A size of 1 << n or 2 ** n: n is a small number.
    bool isPower =
        node.op == python::BinaryOperator::LShift || node.op == python::BinaryOperator::Pow;
    // `flags & 1` is no mask of its parts.
    if (what == Want::Bit &&
        (!is_contained({python::BinaryOperator::BitAnd, python::BinaryOperator::BitOr,
                        python::BinaryOperator::BitXor},
                       node.op) ||
         isa<python::Constant>(node.left) || isa<python::Constant>(node.right)))
      return;
    want(*node.left, what);
    want(*node.right, isPower && what == Want::Size ? Want::Count : what);
    return;
  }
  if (node.op != python::BinaryOperator::Add && node.op != python::BinaryOperator::Sub)
    return;
  Likely left = this->isAddress(*node.left), right = this->isAddress(*node.right);
  bool isRight = right > left;
  if (std::max(left, right) == Likely::No)
    return;
  want(isRight ? *node.right : *node.left, what);
  want(isRight ? *node.left : *node.right, Want::Integer);
}

void UseFlow::wantCall(const python::Call &call, Want what) {
  if (triton::JitFunction *callee = all.getCallee(uses, *call.func)) {
    if (FunctionUses *called = all.find(callee)) {
      UseFlow inner(all, *called);
      inner.wantResult(-1, what);
      changed |= inner.changed;
    }
    return;
  }
  StringRef name = getLastName(*call.func);
  bool isMethod = isa<python::Attribute>(call.func) && !isLanguage(*call.func);
  const python::Expr *self =
      isMethod ? cast<python::Attribute>(call.func)->value : getArgument(call, 0, "pointer");
  if ((name == "load" || name.starts_with("atomic_")) && self && !isMethod) {
    if (what == Want::Integer || what == Want::Condition)
      want(*self, Want::PointerToIntegers);
    else if (what == Want::Byte)
      want(*self, Want::PointerToBytes);
    else if (what == Want::Bit)
      want(*self, Want::PointerToBits);
    else if (what == Want::Address)
      want(*self, Want::PointerToAddresses);
    return;
  }
  if (is_contained({"advance", "make_block_ptr", "make_tensor_descriptor"}, name)) {
    if (!self || isMethod)
      self = getArgument(call, 0, "base");
    if (self && what != Want::Descriptor)
      want(*self, what);
    return;
  }
  if (!passesThrough(name))
    return;
  // What bits are taken for tells nothing of what they were.
  bool isBits = (name == "to" || name == "cast") && getArgument(call, ~0u, "bitcast");
  if (isBits && (what == Want::Integer || what == Want::Float))
    return;
  if ((what == Want::Byte || what == Want::Integer) && (name == "to" || name == "cast"))
    if (const python::Expr *type = getArgument(call, isMethod ? 0 : 1, "dtype"))
      want(*type, what == Want::Byte ? Want::NarrowDtype : Want::IntegerDtype);
  if (isMethod)
    want(*self, what);
  unsigned first = name == "where" ? 1 : 0;
  for (auto [index, argument] : enumerate(call.args))
    if (!isMethod && index >= first && (name == "where" || name == "maximum" || index < 2))
      want(*argument, what);
}

} // namespace nereid::audit
