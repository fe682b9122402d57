// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules, values, and the meaning of Python's operators on them.
#include "frontend/triton/TritonLibrary.h"
#include "frontend/triton/Spellings.h"

using namespace llvm;
using nereid::machine::Answer;
using nereid::machine::Machine;

namespace nereid::triton {

using python::BinaryOperator;
using python::CompareOperator;
using python::UnaryOperator;

static constexpr unsigned atomBinding = ~0u;

// --- Values
// ----------------------------------------------------------------------------------------

PyValue TritonLibrary::dtype(DType type) {
  PyValue &value = dtypes[{unsigned(type.scalar), unsigned(type.pointers), type.isConst}];
  if (!value)
    value = machine.make<DTypeValue>(*this, dtypeCls, type);
  return value;
}

PyValue TritonLibrary::blockType(DType type, ArrayRef<Dim> dims) {
  if (dims.empty())
    return dtype(type);
  auto *value = machine.make<DTypeValue>(*this, dtypeCls, type);
  value->isBlock = true;
  value->dims.assign(dims.begin(), dims.end());
  return value;
}

PyValue TritonLibrary::constant(PyValue value, StringRef text, unsigned binding) {
  return machine.make<ConstValue>(*this, constCls, plain(value), machine.save(text), binding);
}

PyValue TritonLibrary::dim(const Dim &dim) {
  PyValue size = machine.makeInt(dim.size);
  bool compound = dim.name.find(' ') != std::string::npos;
  return dim.name.empty() ? size : constant(size, dim.name, compound ? 0 : atomBinding);
}

PyValue TritonLibrary::shapeTuple(ArrayRef<Dim> dims) {
  SmallVector<PyValue> items;
  for (const Dim &one : dims)
    items.push_back(dim(one));
  return machine.makeTuple(items);
}

RangeValue *TritonLibrary::makeRange(bool isStatic) {
  auto *range = machine.make<RangeValue>(*this, rangeCls);
  range->isStatic = isStatic;
  return range;
}

BlockPointerValue *TritonLibrary::makeBlockPointer() {
  return machine.make<BlockPointerValue>(*this, blockPtrCls);
}

void TritonLibrary::makeDescriptor(BlockPointerValue &pointer) {
  pointer.isDescriptor = true;
  pointer.cls = descriptorCls;
}

KernelFrame *TritonLibrary::frameState(machine::Frame &frame) {
  return frame.policy == this ? static_cast<KernelFrame *>(frame.policyData) : nullptr;
}

void TritonLibrary::look(PyValue value) {
  if (auto *constant = dyn_cast<ConstValue>(value))
    if (!constant->text.empty())
      lookedAt.insert(constant->text.str());
}

PyValue TritonLibrary::callJit(FunctionValue &function, const machine::CallArgs &args) {
  if (function.isConstexpr) {
    SmallVector<PyValue> positional;
    SmallVector<std::pair<machine::Name, PyValue>> keywords;
    for (PyValue arg : args.positional) {
      look(arg);
      positional.push_back(plain(arg));
    }
    for (auto [name, arg] : args.keywords) {
      look(arg);
      keywords.push_back({name, plain(arg)});
    }
    return machine.call(function.function, {positional, keywords});
  }
  StringRef name = function.function->name->text;
  called.insert(function.function);
  if (!kernel)
    return machine.raise("RuntimeError",
                         "the jit function " + name + " cannot be called outside of a kernel",
                         "launch it on a GPU as " + name + "[grid](...), or compile it");
  if (isPrelude(function.function->module->file)) {
    std::vector<machine::Name> known = machine.parameterNames(*function.function);
    for (auto [keyword, value] : args.keywords)
      if (!is_contained(known, keyword))
        return machine.refuse(
            "tl." + name + " has no argument `" + keyword->text + "`",
            findSpelling(SpellingDomain::Keyword, (name + "." + keyword->text).str()));
  }
  KernelFrame state;
  return machine.callWithPolicy(*function.function, args, *this, &state);
}

// --- Operators
// ---------------------------------------------------------------------------------------

static unsigned getBinding(BinaryOperator op) {
  switch (op) {
  case BinaryOperator::Pow:
    return 14;
  case BinaryOperator::Add:
  case BinaryOperator::Sub:
    return 11;
  case BinaryOperator::LShift:
  case BinaryOperator::RShift:
    return 10;
  case BinaryOperator::BitAnd:
    return 9;
  case BinaryOperator::BitXor:
    return 8;
  case BinaryOperator::BitOr:
    return 7;
  default:
    return 12;
  }
}

/// An operand of a named expression as text, in parentheses where it binds too loosely.
static std::string spellOperand(Machine &machine, PyValue value, unsigned needed) {
  auto *constant = dyn_cast<ConstValue>(value);
  if (!constant || constant->text.empty())
    return machine.repr(plain(value)).value_or("?");
  if (constant->binding >= needed)
    return constant->text.str();
  return ("(" + constant->text + ")").str();
}

static bool isNamed(PyValue value) {
  auto *constant = dyn_cast<ConstValue>(value);
  return constant && !constant->text.empty();
}

/// A comparison binds looser than every operator.
static constexpr unsigned comparisonBinding = 6;

std::optional<PyValue> TritonLibrary::operate(BinaryOperator op, PyValue left, PyValue right) {
  if (kernel && (isa<TensorValue>(left) || isa<TensorValue>(right)))
    return kernel->binary(op, left, right);
  if (isa<ConstValue>(left) || isa<ConstValue>(right)) {
    auto *divisor = dyn_cast<machine::IntObject>(plain(right));
    bool isZero = divisor && divisor->isSmall() && divisor->small == 0 && isNamed(right);
    if (isZero && kernel && (op == BinaryOperator::FloorDiv || op == BinaryOperator::Mod))
      kernel->requireCondition(spellOperand(machine, right, comparisonBinding) + " != 0");
    PyValue result = machine.binary(op, plain(left), plain(right));
    if (!result || (!isNamed(left) && !isNamed(right)) || !isKnownNumber(result) ||
        !isKnownNumber(left) || !isKnownNumber(right))
      return result;
    unsigned binding = getBinding(op);
    std::string text = spellOperand(machine, left, binding);
    text += (" " + python::spell(op) + " ").str();
    text += spellOperand(machine, right, binding + 1);
    return constant(result, text, binding);
  }
  auto first = sequence(left), second = sequence(right);
  if (op == BinaryOperator::Add && first && second && left->getKind() != right->getKind()) {
    SmallVector<PyValue> items(first->begin(), first->end());
    items.append(second->begin(), second->end());
    return machine.makeTuple(items);
  }
  if (kernel && isa<BlockPointerValue, DTypeValue>(left))
    return machine.refuse(
        "`" + python::spell(op) + "` does not work on " + kernel->describe(left),
        isa<BlockPointerValue>(left) ? "move a block pointer with tl.advance(ptr, offsets)" : "");
  return std::nullopt;
}

std::optional<PyValue> TritonLibrary::compareValues(CompareOperator op, PyValue left,
                                                    PyValue right) {
  bool tensors = isa<TensorValue>(left) || isa<TensorValue>(right);
  if (kernel && tensors && op <= CompareOperator::GtE) {
    if (isNone(left) || isNone(right))
      return machine.refuse("a tensor cannot be compared with None by `" + python::spell(op) + "`",
                            "write `is None` or `is not None`");
    return kernel->compare(op, left, right);
  }
  if (isa<ConstValue>(left) || isa<ConstValue>(right)) {
    look(left);
    look(right);
    PyValue result = machine.compare(op, plain(left), plain(right));
    auto *answer = dyn_cast_if_present<machine::BoolObject>(result);
    if (answer && !answer->value())
      failedComparison = spellOperand(machine, left, comparisonBinding) + " " +
                         python::spell(op).str() + " " +
                         spellOperand(machine, right, comparisonBinding);
    return result;
  }
  auto *one = dyn_cast<DTypeValue>(left), *two = dyn_cast<DTypeValue>(right);
  if ((one || two) && (op == CompareOperator::Eq || op == CompareOperator::NotEq)) {
    bool equal = one && two && one->type == two->type && one->isBlock == two->isBlock &&
                 one->dims == two->dims;
    return machine.makeBool(equal == (op == CompareOperator::Eq));
  }
  return std::nullopt;
}

static Answer toAnswer(std::optional<PyValue> value) { return value; }

Answer TritonLibrary::binary(Machine &, BinaryOperator op, PyValue left, PyValue right, bool) {
  return toAnswer(operate(op, left, right));
}

Answer TritonLibrary::compare(Machine &, CompareOperator op, PyValue left, PyValue right) {
  return toAnswer(compareValues(op, left, right));
}

Answer TritonLibrary::unary(Machine &, UnaryOperator op, PyValue operand) {
  if (auto *constant = dyn_cast<ConstValue>(operand)) {
    PyValue result = machine.unary(op, constant->value);
    if (!result || op == UnaryOperator::Not || constant->text.empty() || !isKnownNumber(result)) {
      look(operand);
      return result;
    }
    return this->constant(result, (python::spell(op) + spellOperand(machine, operand, 13)).str(),
                          13);
  }
  auto *tensor = dyn_cast<TensorValue>(operand);
  if (!tensor || !kernel)
    return std::nullopt;
  switch (op) {
  case UnaryOperator::USub:
    return kernel->negate(tensor);
  case UnaryOperator::UAdd:
    return machine.refuse("unary `+` does not work on tensors", "leave it away");
  case UnaryOperator::Invert:
    return kernel->invert(tensor);
  case UnaryOperator::Not:
    return kernel->logicalNot(tensor);
  }
  llvm_unreachable("all operators are listed");
}

Answer TritonLibrary::length(Machine &, PyValue value) {
  if (auto *constant = dyn_cast<ConstValue>(value)) {
    auto length = machine.length(constant->value);
    return length ? Answer(machine.makeInt(*length)) : Answer(nullptr);
  }
  if (isa<TensorValue>(value))
    return machine.refuse("len() does not work on a tensor", "write x.shape[0], or len(x.shape)");
  return std::nullopt;
}

Answer TritonLibrary::iterate(Machine &, PyValue value) {
  if (auto *constant = dyn_cast<ConstValue>(value))
    return constant->value;
  if (auto *range = dyn_cast<RangeValue>(value); range && !kernel)
    return machine.raise("TypeError", "a range of the Triton language is only for kernels");
  if (isa<TensorValue>(value))
    return machine.refuse("a tensor cannot be iterated over",
                          "tl.split takes apart a last axis of extent 2; loop over an index and "
                          "load each part");
  return std::nullopt;
}

Answer TritonLibrary::convert(Machine &, PyValue value, StringRef target) {
  if (auto *constant = dyn_cast<ConstValue>(value)) {
    look(value);
    if (target == "index")
      return constant->value;
    if (target == "format") {
      auto text = machine.format(constant->value, "");
      return text ? Answer(machine.makeStr(*text)) : Answer(nullptr);
    }
    if (target == "hash") {
      auto hash = machine.hash(constant->value);
      return hash ? Answer(machine.makeInt(int64_t(*hash >> 1))) : Answer(nullptr);
    }
    return machine.call(machine.builtin(target == "truth" ? "bool" : target),
                        ArrayRef<PyValue>(constant->value));
  }
  if (auto *type = dyn_cast<DTypeValue>(value)) {
    if (target == "str" || target == "repr" || target == "format")
      return machine.makeStr(type->type.name());
    return std::nullopt;
  }
  if (!isa<TensorValue>(value))
    return std::nullopt;
  StringRef help = target == "float"                       ? "write x.to(tl.float32)"
                   : target == "int"                       ? "write x.to(tl.int32)"
                   : target == "bool" || target == "truth" ? "write x != 0"
                                                           : "this needs a constexpr";
  if (target == "index")
    return machine.refuse("a value that is only known when the kernel runs is used where a "
                          "constexpr integer is needed",
                          "declare the parameter as NAME: tl.constexpr");
  return machine.refuse(target + "() does not work on a tensor", help);
}

/// The value under a named constexpr; of a tuple or list those of its items.
static PyValue unwrap(Machine &machine, PyValue value) {
  value = plain(value);
  std::optional<ArrayRef<PyValue>> items = sequence(value);
  if (!items || none_of(*items, [](PyValue item) { return isa<ConstValue>(item); }))
    return value;
  SmallVector<PyValue> known;
  for (PyValue item : *items)
    known.push_back(plain(item));
  return isa<machine::ListObject>(value) ? machine.makeList(known)
                                         : makeLike(machine, value, known);
}

Answer TritonLibrary::builtinCall(Machine &, StringRef name, const machine::CallArgs &args) {
  bool tensors = any_of(args.positional, [](PyValue arg) { return isa<TensorValue>(arg); });
  if (tensors)
    return machine.refuse(name + "() does not work on tensors",
                          findSpelling(SpellingDomain::Builtin, name));
  SmallVector<PyValue> known;
  for (PyValue arg : args.positional) {
    look(arg);
    known.push_back(unwrap(machine, arg));
  }
  // Where there is nothing to unwrap, Python itself knows what to do.
  if (ArrayRef(known) == args.positional)
    return std::nullopt;
  auto [path, leaf] = name.rsplit('.');
  PyValue function = leaf.empty() ? machine.builtin(name) : nullptr;
  if (!function)
    if (machine::ModuleObject *owner = machine.findModule(path))
      function = machine.getAttribute(owner, leaf);
  if (!function)
    return std::nullopt;
  return machine.call(function, {known, args.keywords});
}

machine::Truth TritonLibrary::truth(Machine &, PyValue value) {
  if (auto *constant = dyn_cast<ConstValue>(value)) {
    look(value);
    return machine.truth(constant->value);
  }
  return isa<TensorValue>(value) ? machine::Truth::Unknown : machine::Truth::True;
}

std::optional<bool> TritonLibrary::isInstance(Machine &, PyValue object, PyValue cls) {
  auto *constant = dyn_cast<ConstValue>(object);
  if (!constant)
    return std::nullopt;
  look(object);
  return machine.isInstance(constant->value, cls);
}

Answer TritonLibrary::getItem(Machine &, PyValue object, PyValue key) {
  if (auto *constant = dyn_cast<ConstValue>(object))
    return machine.getItem(constant->value, plain(key));
  if (auto *tensor = dyn_cast<TensorValue>(object))
    return kernel ? Answer(kernel->index(tensor, key)) : std::nullopt;
  auto *function = dyn_cast<FunctionValue>(object);
  if (function && launcher && !kernel)
    return launcher->getItem(machine, object, key);
  if (function)
    return machine.raise("RuntimeError",
                         "the kernel " + function->function->name->text +
                             " cannot be launched while its file is read",
                         "put launches under `if __name__ == \"__main__\":`");
  return std::nullopt;
}

Answer TritonLibrary::call(Machine &, PyValue callee, const machine::CallArgs &args) {
  if (auto *function = dyn_cast<FunctionValue>(callee))
    return callJit(*function, args);
  if (auto *type = dyn_cast<DTypeValue>(callee))
    return machine.refuse("a dtype cannot be called", "write x.to(" + type->type.spelling() + ")");
  if (auto *constant = dyn_cast<ConstValue>(callee))
    return machine.call(constant->value, args);
  return std::nullopt;
}

} // namespace nereid::triton
