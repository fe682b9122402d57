// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators on the tensors of a wrapper that compute.
#include "eager/WrapperMachine.h"

#include "frontend/torch/DType.h"
#include "python/machine/Machine.h"
#include "validate/Inputs.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using nereid::machine::Answer;
using nereid::machine::Machine;

namespace nereid::eager {

std::optional<std::string> WrapperMachine::spell(PyValue value, std::vector<Tensor> &operands) {
  if (auto *held = dyn_cast<TensorValue>(value)) {
    operands.push_back(held->tensor);
    return "a" + std::to_string(operands.size() - 1);
  }
  if (auto *opaque = dyn_cast<machine::OpaqueObject>(value);
      opaque && opaque->path.starts_with("torch.") && !opaque->path.contains('('))
    return opaque->path.str();
  if (auto *number = dyn_cast<machine::FloatObject>(value); number && !std::isfinite(number->value))
    return std::isnan(number->value) ? "float('nan')"
                                     : std::string(number->value < 0 ? "-" : "") + "float('inf')";
  if (std::optional<ArrayRef<PyValue>> items = triton::sequence(value)) {
    std::string text = "(";
    for (PyValue item : *items) {
      std::optional<std::string> part = spell(item, operands);
      if (!part)
        return std::nullopt;
      text += *part + ",";
    }
    return text + ")";
  }
  bool isPlain =
      isa<machine::IntObject, machine::FloatObject, machine::StrObject, machine::NoneObject>(value);
  if (isPlain)
    return machine.repr(value);
  machine.refuse("an operator of PyTorch is given " + machine.typeName(value) +
                 ", which is not supported where a wrapper is run");
  return std::nullopt;
}

PyValue WrapperMachine::evaluate(const std::string &expression, ArrayRef<Tensor> operands) {
  std::string why;
  std::optional<Operators::Values> values = operators.evaluate(expression, operands, why);
  if (!values)
    return machine.refuse("'" + expression + "' cannot be evaluated: " + why);
  SmallVector<PyValue> items;
  for (Tensor &made : values->tensors)
    items.push_back(tensor(std::move(made)));
  return values->isTuple ? PyValue(machine.makeTuple(items)) : items.front();
}

/// `path(args)`, or a method of `self`.
PyValue WrapperMachine::callOperator(StringRef path, TensorValue *self,
                                     const machine::CallArgs &args) {
  std::vector<Tensor> operands;
  std::string text = path.str() + "(";
  if (self) {
    operands.push_back(self->tensor);
    text = "a0." + text;
  }
  ListSeparator comma;
  for (PyValue value : args.positional) {
    std::optional<std::string> part = spell(value, operands);
    if (!part)
      return nullptr;
    text += (StringRef(comma) + *part).str();
  }
  for (auto [name, value] : args.keywords) {
    // Where something is computed changes no number.
    if (name->text == "device" || name->text == "out")
      if (name->text == "device" || triton::isNone(value))
        continue;
    std::optional<std::string> part = spell(value, operands);
    if (!part)
      return nullptr;
    text += (StringRef(comma) + name->text + "=" + *part).str();
  }
  return evaluate(text + ")", operands);
}

PyValue WrapperMachine::convertTo(const Tensor &from, mlir::Type type, bool copies) {
  if (from.elementType == type && !copies)
    return tensor(from);
  Tensor made = emptyLike(from, type, from.storage->name);
  if (from.elementType == type) {
    interpreter::copyElements(from, made);
    return tensor(std::move(made));
  }
  Tensor values = from;
  PyValue cast =
      evaluate("a0.to(torch." + torch::getTorchName(torch::fromMlir(type)).str() + ")", {values});
  if (!cast)
    return nullptr;
  interpreter::copyElements(cast_if_present<TensorValue>(cast)->tensor, made);
  return tensor(std::move(made));
}

/// `target[...] = value`, or `target.copy_(value)`.
PyValue WrapperMachine::assign(const Tensor &target, PyValue value) {
  auto *held = dyn_cast<TensorValue>(value);
  if (!held) {
    auto *real = dyn_cast<machine::FloatObject>(value);
    auto *integer = dyn_cast<machine::IntObject>(value);
    if (!real && !(integer && integer->isSmall()))
      return machine.refuse("a tensor is given " + machine.typeName(value) +
                            ", which is not supported where a wrapper is run");
    fill(target, real ? real->value : double(integer->small));
    return machine.none();
  }
  std::string why;
  std::optional<Tensor> spread = expand(held->tensor, target.sizes, why);
  if (!spread)
    return machine.raise("RuntimeError", why);
  PyValue fitting = convertTo(*spread, target.elementType, /*copies=*/false);
  if (!fitting)
    return nullptr;
  Tensor place = target;
  if (place.getNumElements() > 0)
    interpreter::copyElements(cast<TensorValue>(fitting)->tensor, place);
  return machine.none();
}

/// `x.add_(y)`: what `x.add(y)` gives, stored in `x`.
PyValue WrapperMachine::changeInPlace(TensorValue &self, StringRef name,
                                      const machine::CallArgs &args) {
  PyValue value = name == "zero_"                                  ? machine.makeInt(int64_t(0))
                  : name == "fill_" && args.positional.size() == 1 ? args.positional.front()
                  : name == "copy_" && !args.positional.empty()
                      ? args.positional.front()
                      : callOperator(name.drop_back(), &self, args);
  if (!value || !assign(self.tensor, value))
    return nullptr;
  return &self;
}

PyValue WrapperMachine::itemOf(const Tensor &tensor) {
  if (tensor.getNumElements() != 1)
    return machine.raise("RuntimeError", "a tensor with " + Twine(tensor.getNumElements()) +
                                             " elements cannot be converted to a number");
  if (interpreter::isFloat(tensor.getElement()))
    return machine.makeFloat(tensor.get(0));
  graph::Array array(tensor.sizes, tensor.elementType);
  int64_t number = int64_t(tensor.get(0));
  return tensor.elementType.isInteger(1) ? PyValue(machine.makeBool(number != 0))
                                         : machine.makeInt(number);
}

Answer WrapperMachine::binary(Machine &, machine::BinaryOperator op, PyValue left, PyValue right,
                              bool inPlace) {
  std::vector<Tensor> operands;
  std::optional<std::string> a = spell(left, operands), b = a ? spell(right, operands) : a;
  if (!b)
    return nullptr;
  PyValue result = evaluate("(" + *a + " " + python::spell(op).str() + " " + *b + ")", operands);
  auto *held = dyn_cast<TensorValue>(left);
  if (!result || !held)
    return result;
  auto *made = cast<TensorValue>(result);
  if (inPlace)
    return assign(held->tensor, result) ? left : nullptr;
  // Operators that go element by element keep the order of axes in memory.
  if (ArrayRef(made->tensor.sizes) == ArrayRef(held->tensor.sizes) &&
      op != machine::BinaryOperator::MatMult) {
    Tensor laidOut = emptyLike(held->tensor, made->tensor.elementType, "result");
    interpreter::copyElements(made->tensor, laidOut);
    return tensor(std::move(laidOut));
  }
  return result;
}

Answer WrapperMachine::unary(Machine &, machine::UnaryOperator op, PyValue value) {
  if (op == machine::UnaryOperator::Not)
    return std::nullopt;
  std::vector<Tensor> operands;
  std::optional<std::string> text = spell(value, operands);
  return text ? evaluate("(" + python::spell(op).str() + *text + ")", operands) : PyValue();
}

Answer WrapperMachine::compare(Machine &, machine::CompareOperator op, PyValue left,
                               PyValue right) {
  if (isa<DeviceValue>(left) && isa<DeviceValue>(right))
    return machine.makeBool(op == machine::CompareOperator::Eq);
  if (triton::isNone(left) || triton::isNone(right))
    return machine.makeBool(op == machine::CompareOperator::NotEq);
  std::vector<Tensor> operands;
  std::optional<std::string> a = spell(left, operands), b = a ? spell(right, operands) : a;
  return b ? evaluate("(" + *a + " " + python::spell(op).str() + " " + *b + ")", operands)
           : PyValue();
}

} // namespace nereid::eager
