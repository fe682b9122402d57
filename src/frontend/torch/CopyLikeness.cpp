// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/CopyLikeness.h"

#include "frontend/torch/ObjectParts.h"
#include "frontend/torch/TorchValues.h"
#include "python/machine/Frame.h"
#include "python/machine/Iterator.h"

#include "mlir/IR/OperationSupport.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

/// How a value is told; nothing for what is not there.
static std::string toldAs(Machine &machine, Value value) {
  if (!value)
    return "nothing";
  if (isa<FunctionObject, ClassObject, ModuleObject, TensorValue>(value))
    return "a " + machine.typeName(value).str();
  std::string text = machine.repr(value).value_or("a " + machine.typeName(value).str());
  constexpr size_t most = 60;
  return text.size() <= most ? text : "a " + machine.typeName(value).str();
}

bool CopyLikeness::differ(Value original, Value copy, const std::string &path) {
  if (difference.path.empty())
    difference = {path, toldAs(machine, original), toldAs(machine, copy)};
  return false;
}

/// What Python keeps about a definition that says nothing of what it does.
static bool isBookkeeping(StringRef name) {
  return name == "__module__" || name == "__doc__" || name == "__qualname__" ||
         name == "__annotations__" || name == "__dict__" || name == "__weakref__" ||
         name == "__abstractmethods__" || name == "__firstlineno__" ||
         name == "__static_attributes__";
}

static bool isMethod(Value value) {
  return isa_and_present<FunctionObject, WrappedMethodObject, PropertyObject>(value);
}

bool CopyLikeness::compareNames(Namespace &original, Namespace &copy, const std::string &path) {
  for (const Namespace::Slot &slot : original.slots)
    if (!compare(slot.value, copy.get(slot.name), path + "." + slot.name->text.str()))
      return false;
  for (const Namespace::Slot &slot : copy.slots)
    if (slot.value && !original.get(slot.name))
      return differ(nullptr, slot.value, path + "." + slot.name->text.str());
  return true;
}

/// The copy of a module's class has what its constructor needs: fewer methods, and a forward of its
/// own.
bool CopyLikeness::compareClasses(ClassObject &original, ClassObject &copy,
                                  const std::string &path) {
  if (original.name != copy.name || isOfProgram(original) != isOfProgram(copy))
    return differ(&original, &copy, path);
  if (!isOfProgram(original))
    return true; // a library makes it anew for each module
  for (const Namespace::Slot &slot : original.attrs->slots) {
    StringRef name = slot.name->text;
    if (!slot.value || isBookkeeping(name) || name == "forward")
      continue;
    Value own = copy.attrs->get(slot.name);
    bool isLeftOut = !own && isMethod(slot.value);
    if (!isLeftOut && !compare(slot.value, own, path + "." + name.str()))
      return false;
  }
  for (const Namespace::Slot &slot : copy.attrs->slots) {
    bool isOwn = isBookkeeping(slot.name->text) || slot.name->text == "forward";
    if (slot.value && !isOwn && !original.attrs->get(slot.name))
      return differ(nullptr, slot.value, path + "." + slot.name->text.str());
  }
  if (original.bases.size() != copy.bases.size())
    return differ(&original, &copy, path + ".__bases__");
  for (auto [first, second] : zip(original.bases, copy.bases))
    if (!compare(first, second, path + ".__bases__"))
      return false;
  return true;
}

bool CopyLikeness::isComputedAlike(mlir::Value original, mlir::Value copy) {
  if (original == copy || !seenValues.insert({original, copy}).second)
    return true;
  if (!original || !copy || original.getType() != copy.getType())
    return false;
  // Within the definitions of two composites that are compared.
  auto argument = dyn_cast<mlir::BlockArgument>(original),
       other = dyn_cast<mlir::BlockArgument>(copy);
  if (argument && other)
    return argument.getArgNumber() == other.getArgNumber();
  mlir::Operation *first = original.getDefiningOp(), *second = copy.getDefiningOp();
  if (!first || !second)
    return false;
  auto isSame = [this](mlir::Value a, mlir::Value b) {
    return mlir::success(isComputedAlike(a, b));
  };
  // Both were written by the same steps, so that operands which may change places have the same.
  auto areSame = [&](mlir::ValueRange a, mlir::ValueRange b) {
    return mlir::success(
        all_of_zip(a, b, [this](mlir::Value a, mlir::Value b) { return isComputedAlike(a, b); }));
  };
  return mlir::OperationEquivalence::isEquivalentTo(
      first, second, isSame, nullptr, mlir::OperationEquivalence::IgnoreLocations, areSame);
}

bool CopyLikeness::compareTensors(Value original, Value copy, const std::string &path) {
  auto *first = cast<TensorValue>(original), *second = cast<TensorValue>(copy);
  bool isSame = first->dtype == second->dtype && first->isNumber == second->isNumber &&
                first->steps.size() == second->steps.size() &&
                isComputedAlike(first->storage->value, second->storage->value);
  return (isSame || differ(original, copy, path)) && compareParts(original, copy, path);
}

static StringRef codeOf(const FunctionObject &function) {
  return function.code->file->getText(*function.code->node);
}

bool CopyLikeness::compareFunctions(Value original, Value copy, const std::string &path) {
  bool isSame = codeOf(*cast<FunctionObject>(original)) == codeOf(*cast<FunctionObject>(copy));
  return (isSame || differ(original, copy, path)) && compareParts(original, copy, path);
}

bool CopyLikeness::compareParts(Value original, Value copy, const std::string &path) {
  std::vector<std::pair<std::string, Value>> first, second;
  forEachPart(machine, original,
              [&](StringRef place, Value part) { first.push_back({place.str(), part}); });
  forEachPart(machine, copy,
              [&](StringRef place, Value part) { second.push_back({place.str(), part}); });
  if (first.size() != second.size())
    return differ(original, copy, path);
  for (auto [one, other] : zip(first, second)) {
    if (one.first != other.first)
      return differ(original, copy, path);
    if (!compare(one.second, other.second, path + one.first))
      return false;
  }
  return true;
}

bool CopyLikeness::compare(Value original, Value copy, const std::string &path) {
  if (original == copy)
    return true;
  if (!original || !copy || original->kind != copy->kind)
    return differ(original, copy, path);
  if (!seen.insert({original, copy}).second)
    return true;
  if (auto *names = dyn_cast<Namespace>(original))
    return compareNames(*names, *cast<Namespace>(copy), path);
  if (auto *cls = dyn_cast<ClassObject>(original))
    return compareClasses(*cls, *cast<ClassObject>(copy), path);
  if (original->cls != copy->cls && !compare(original->cls, copy->cls, path + ".__class__"))
    return false;
  switch (original->kind) {
  case Kind::Str:
    // `__name__`, and what was told it.
    if (cast<StrObject>(copy)->text == copyName)
      return true;
    [[fallthrough]];
  case Kind::Int:
  case Kind::Bool:
  case Kind::Float:
  case Kind::Complex:
  case Kind::Bytes:
  case Kind::Range:
  case Kind::Slice:
    if (machine.repr(original) != machine.repr(copy))
      return differ(original, copy, path);
    return compareParts(original, copy, path);
  case Kind::Function:
    return compareFunctions(original, copy, path);
  case Kind::Foreign:
    if (isa<TensorValue>(original) && isa<TensorValue>(copy))
      return compareTensors(original, copy, path);
    return true; // what libraries make of the same arguments
  case Kind::Iterator:
    if (cast<IteratorObject>(original)->position != cast<IteratorObject>(copy)->position)
      return differ(original, copy, path);
    return compareParts(original, copy, path);
  case Kind::Builtin:
    return cast<BuiltinObject>(original)->name == cast<BuiltinObject>(copy)->name ||
           differ(original, copy, path);
  case Kind::Module:
    return cast<ModuleObject>(original)->name == cast<ModuleObject>(copy)->name ||
           differ(original, copy, path);
  default:
    return compareParts(original, copy, path);
  }
}

} // namespace nereid::torch
