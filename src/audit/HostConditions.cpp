// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons of sizes, types and what nothing is known of.
#include "audit/HostMachine.h"

#include "python/machine/Machine.h"

using namespace llvm;
using nereid::machine::Answer;
using nereid::machine::Machine;
using nereid::python::CompareOperator;

namespace nereid::audit {

/// `x.dtype == torch.float32`: where it is taken to hold, the type of the elements is known.
std::function<void(bool)> HostMachine::typeLearner(PyValue left, PyValue right) {
  auto *asked = dyn_cast<UnknownValue>(left);
  std::string element = elementOf(right);
  StringRef name = asked ? asked->origin : "";
  if (!name.consume_back(".dtype") || element.empty())
    return {};
  TensorInfo *tensor = nullptr;
  for (size_t number = earlierInfos; number < infos.size(); ++number)
    if (infos[number].name == name)
      tensor = &infos[number];
  if (!tensor)
    return {};
  return [this, tensor, element](bool holds) {
    for (size_t number = earlierInfos; number < infos.size(); ++number) {
      TensorInfo &info = infos[number];
      if (holds && info.memory == tensor->memory && info.element.empty())
        info.element = element;
    }
  };
}

/// Null for `is` and `in`.
static index::Pred compareNumbers(CompareOperator op, index::Expr a, index::Expr b) {
  switch (op) {
  case CompareOperator::Eq:
    return index::eq(a, b);
  case CompareOperator::NotEq:
    return index::ne(a, b);
  case CompareOperator::Lt:
    return index::lt(a, b);
  case CompareOperator::LtE:
    return index::le(a, b);
  case CompareOperator::Gt:
    return index::gt(a, b);
  case CompareOperator::GtE:
    return index::ge(a, b);
  default:
    return {};
  }
}

PyValue HostMachine::comparison(CompareOperator op, PyValue left, PyValue right) {
  bool isNegated = op == CompareOperator::NotEq;
  for (PyValue side : {left, right})
    noteRead(side);
  // Element by element.
  for (PyValue side : {left, right})
    if (auto *self = dyn_cast<HostTensor>(side); self && self->state == HostTensor::Tensor &&
                                                 !triton::isNone(left) && !triton::isNone(right)) {
      PyValue made = makeLike(*self->info, machine::CallArgs(), "comparison");
      cast<HostTensor>(made)->info->element = "i1";
      return made;
    }
  auto nothing = [&]() -> PyValue {
    std::string key = describe(left) + (isNegated ? " == " : " " + python::spell(op).str() + " ") +
                      describe(right);
    PyValue asked = condition({}, key, typeLearner(left, right));
    if (op != CompareOperator::NotEq)
      return asked;
    return machine.makeBool(machine.truth(asked) == machine::Truth::False);
  };
  bool isText = isa<machine::StrObject, machine::NoneObject, machine::FloatObject>(left) ||
                isa<machine::StrObject, machine::NoneObject, machine::FloatObject>(right);
  bool isOpen = isa<UnknownValue>(left) && isa<UnknownValue>(right);
  auto *bits = dyn_cast<UnknownValue>(left);
  auto *zero = dyn_cast<machine::IntObject>(right);
  if (bits && bits->zeroAlike && zero && zero->isSmall() && zero->small == 0 &&
      (op == CompareOperator::Eq || isNegated))
    return condition(compareNumbers(op, bits->zeroAlike, context.constant(0)));
  auto isOpenTensor = [](PyValue value) {
    auto *self = dyn_cast<HostTensor>(value);
    return self && self->state == HostTensor::Open;
  };
  if (!isText && (isOpenTensor(left) || isOpenTensor(right))) {
    // `target != 5` may be meant element by element.
    PyValue asked = condition({}, describe(left) + " " + python::spell(op) + " " + describe(right));
    cast<ConditionValue>(asked)->compare = [this, op, left, right]() -> index::Pred {
      index::Expr a = asNumber(left), b = a ? asNumber(right) : index::Expr();
      return b ? compareNumbers(op, a, b) : index::Pred();
    };
    return asked;
  }
  index::Expr a = isText || isOpen ? index::Expr() : asNumber(left);
  index::Expr b = a ? asNumber(right) : index::Expr();
  if (!b)
    return nothing();
  index::Pred pred = compareNumbers(op, a, b);
  return pred ? condition(pred) : nothing();
}

Answer HostMachine::compare(Machine &, CompareOperator op, PyValue left, PyValue right) {
  return comparison(op, left, right);
}

Answer HostMachine::policyCompare(Machine &, machine::Frame &, const python::Expr &,
                                  CompareOperator op, PyValue left, PyValue right) {
  // `flag is True`, `flag == False`.
  auto *asked = dyn_cast<ConditionValue>(left);
  if (asked && isa<machine::BoolObject>(right) &&
      (op == CompareOperator::Is || op == CompareOperator::IsNot || op == CompareOperator::Eq ||
       op == CompareOperator::NotEq)) {
    machine::Truth holds = machine.truth(left);
    if (holds == machine::Truth::Failed)
      return nullptr;
    bool isSame = (holds == machine::Truth::True) == cast<machine::BoolObject>(right)->value();
    return machine.makeBool(isSame == (op == CompareOperator::Is || op == CompareOperator::Eq));
  }
  if (asked && (op == CompareOperator::Is || op == CompareOperator::IsNot))
    return machine.makeBool(op == CompareOperator::IsNot);
  auto *leftPath = dyn_cast<machine::OpaqueObject>(left);
  auto *rightPath = dyn_cast<machine::OpaqueObject>(right);
  bool isEquality = op == CompareOperator::Eq || op == CompareOperator::NotEq ||
                    op == CompareOperator::Is || op == CompareOperator::IsNot;
  bool isNegated = op == CompareOperator::NotEq || op == CompareOperator::IsNot;
  auto isPlain = [](machine::OpaqueObject *o) {
    return o && o->path.find_first_of("( [") == StringRef::npos;
  };
  // Two names of PyTorch, torch.float16 say.
  if (isPlain(leftPath) && isPlain(rightPath) && isEquality)
    return machine.makeBool((leftPath->path == rightPath->path) != isNegated);
  bool isIdentity = op == CompareOperator::Is || op == CompareOperator::IsNot;
  if (isIdentity && isKnownAsNone(left) && triton::isNone(right))
    return machine.makeBool(!isNegated);
  if (isIdentity && (isa<UnknownValue>(left) || leftPath) && left != right) {
    bool holds = choose(2, describe(left) + " is " + describe(right)) == 1;
    return machine.makeBool(holds != isNegated);
  }
  bool isMembership = op == CompareOperator::In || op == CompareOperator::NotIn;
  std::optional<ArrayRef<PyValue>> items = triton::sequence(right);
  SmallVector<PyValue> members;
  if (auto *set = dyn_cast<machine::SetObject>(right)) {
    for (const auto &entry : set->table.entries)
      if (entry.key)
        members.push_back(entry.key);
    items = members;
  }
  if (isMembership && isa<SizeValue>(left) && items) {
    // One comparison after the other, as Python makes them.
    bool holds = false;
    for (PyValue item : *items) {
      machine::Truth isSame = triton::isNone(item)
                                  ? machine::Truth::False
                                  : machine.truth(comparison(CompareOperator::Eq, left, item));
      if (isSame == machine::Truth::Failed)
        return nullptr;
      if ((holds = isSame == machine::Truth::True))
        break;
    }
    return machine.makeBool(holds == (op == CompareOperator::In));
  }
  if (isMembership && (isAbstract(left) || rightPath)) {
    bool holds = choose(2, describe(left) + " in " + describe(right)) == 0;
    return machine.makeBool(holds == (op == CompareOperator::In));
  }
  if ((leftPath || rightPath) && !isIdentity)
    return comparison(op, left, right);
  return std::nullopt;
}

} // namespace nereid::audit
