// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading the arguments of builtins that must be known when the kernel is compiled.
#include "frontend/triton/TritonLibrary.h"

using namespace llvm;

namespace nereid::triton {

PyValue plain(PyValue value) {
  auto *constant = dyn_cast<ConstValue>(value);
  return constant ? constant->value : value;
}

bool isKnownNumber(PyValue value) {
  return isa<machine::IntObject, machine::FloatObject>(plain(value));
}

bool isNone(PyValue value) { return isa<machine::NoneObject>(plain(value)); }

std::optional<ArrayRef<PyValue>> sequence(PyValue value) {
  value = plain(value);
  if (auto *tuple = dyn_cast<machine::TupleObject>(value))
    return tuple->items;
  if (auto *list = dyn_cast<machine::ListObject>(value))
    return ArrayRef<PyValue>(list->items);
  return std::nullopt;
}

PyValue makeLike(machine::Machine &machine, PyValue like, ArrayRef<PyValue> items) {
  auto *tuple = dyn_cast<machine::TupleObject>(plain(like));
  auto *result = cast<machine::TupleObject>(machine.makeTuple(items));
  if (tuple && !items.empty() && !tuple->cls->builtin)
    result->cls = tuple->cls;
  return result;
}

ArrayRef<PyValue> itemsOf(PyValue value) { return sequence(value).value_or(ArrayRef<PyValue>()); }

static std::string found(machine::Machine &machine, PyValue value) {
  if (isa<TensorValue>(value))
    return ", found a value that is only known when the kernel runs";
  return (", found " + machine.typeName(plain(value))).str();
}

static std::string constexprHint(PyValue value) {
  return isa<TensorValue>(value)
             ? "declare the parameter as NAME: tl.constexpr, and assignments as NAME: "
               "tl.constexpr = ..."
             : "";
}

std::optional<int64_t> knownInt(machine::Machine &machine, PyValue value, StringRef what) {
  auto *integer = dyn_cast<machine::IntObject>(plain(value));
  if (integer && integer->isSmall())
    return integer->small;
  machine.refuse(what + " must be a constexpr integer" + found(machine, value),
                 constexprHint(value));
  return std::nullopt;
}

std::optional<bool> knownBool(machine::Machine &machine, PyValue value, StringRef what) {
  if (auto *integer = dyn_cast<machine::IntObject>(plain(value)))
    return !integer->wide().isZero();
  if (isNone(value))
    return false;
  machine.refuse(what + " must be True or False" + found(machine, value), constexprHint(value));
  return std::nullopt;
}

std::optional<std::string> knownString(machine::Machine &machine, PyValue value, StringRef what) {
  if (auto *text = dyn_cast<machine::StrObject>(plain(value)))
    return text->text.str();
  if (isNone(value))
    return std::string();
  machine.refuse(what + " must be a string" + found(machine, value));
  return std::nullopt;
}

std::optional<DType> knownDType(machine::Machine &machine, PyValue value, StringRef what) {
  auto *type = dyn_cast<DTypeValue>(plain(value));
  if (type && type->type.hasValues())
    return type->type;
  if (type) {
    machine.refuse("tl.float" + StringRef(type->type.name()).drop_front(2) +
                       " is not supported by this version",
                   "write tl.float8e4nv or tl.float8e5");
    return std::nullopt;
  }
  std::string help = "write one of tl.float32, tl.float16, tl.int32, ...";
  if (auto *name = dyn_cast<machine::StrObject>(plain(value)))
    if (findDType(name->text))
      help = ("write tl." + name->text).str();
  machine.refuse(what + " must be a dtype" + found(machine, value), help);
  return std::nullopt;
}

} // namespace nereid::triton
