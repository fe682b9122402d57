// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions: the truth of values, `and`, `or` and chains of comparisons, and what a library
// decides.
#include "python/machine/Evaluator.h"
#include "python/machine/HostFacts.h"

using namespace nereid;
using namespace nereid::machine;

Truth Machine::truth(Value value) {
  Internals &in = *internals;
  value = standIn(value);
  switch (value->kind) {
  case Kind::None:
    return Truth::False;
  case Kind::Int:
  case Kind::Bool: {
    auto *integer = llvm::cast<IntObject>(value);
    if (value->cls->builtin)
      return integer->big || integer->small ? Truth::True : Truth::False;
    break;
  }
  case Kind::Float:
    return llvm::cast<FloatObject>(value)->value != 0 ? Truth::True : Truth::False;
  case Kind::Complex: {
    auto *number = llvm::cast<ComplexObject>(value);
    return number->real != 0 || number->imag != 0 ? Truth::True : Truth::False;
  }
  case Kind::Opaque:
    // Who evaluates host code for its own ends may follow both ways.
    if (spreadsOpaque && frame && frame->policy)
      if (auto answer = frame->policy->convert(*this, value, "truth"))
        return *answer ? truth(*answer) : Truth::Failed;
    if (spreadsOpaque) {
      bool holds = isKnownToHold(llvm::cast<OpaqueObject>(value)->path);
      in.guesses += !holds;
      return holds ? Truth::True : Truth::False;
    }
    in.refuseOpaque(*llvm::cast<OpaqueObject>(value), "used as a condition");
    return Truth::Failed;
  case Kind::Foreign:
    return llvm::cast<Foreign>(value)->library.truth(*this, value);
  default:
    break;
  }
  if (!value->cls->builtin) {
    if (Value method = in.userMethod(value, in.n.boolean)) {
      Value result = call(method);
      if (!result)
        return Truth::Failed;
      if (result->kind != Kind::Bool) {
        in.typeError("__bool__ should return bool, returned " + typeName(result));
        return Truth::Failed;
      }
      return truth(result);
    }
    if (!pending() && in.userMethod(value, in.n.len)) {
      auto size = length(value);
      return !size ? Truth::Failed : *size ? Truth::True : Truth::False;
    }
    if (pending())
      return Truth::Failed;
  }
  if (auto *integer = llvm::dyn_cast<IntObject>(value))
    return integer->big || integer->small ? Truth::True : Truth::False;
  bool known;
  auto size = in.nativeLength(value, known);
  return known && !size ? Truth::Failed : known && *size == 0 ? Truth::False : Truth::True;
}

Value Internals::decisive(Value object) {
  Value other = standIn(object);
  auto *foreign = llvm::dyn_cast<Foreign>(other);
  if (!foreign || other == object)
    return object;
  Answer length = foreign->library.length(m, other);
  return length ? *length : object;
}

Truth Machine::knownTruth(Value value) {
  Truth known = truth(value);
  if (known != Truth::Unknown)
    return known;
  // Built-in functions need an answer: n in (6, 8). The library may decide it.
  if (auto *foreign = llvm::dyn_cast<Foreign>(standIn(value)))
    if (auto answer = foreign->library.convert(*this, foreign, "truth"))
      return *answer ? truth(*answer) : Truth::Failed;
  refuse("the truth of a '" + typeName(value) + "' is not known here");
  return Truth::Failed;
}

std::optional<bool> Internals::truthOf(Value answer) {
  Truth known = answer ? m.knownTruth(answer) : Truth::Failed;
  return known == Truth::Failed ? std::nullopt : std::optional(known == Truth::True);
}

Truth Evaluator::condition(const ast::Node &node, Value value, Value &answer) {
  return condition(Branch{m, f, node, value}, answer);
}

Truth Evaluator::condition(Branch branch, Value &answer) {
  Value value = branch.condition = in.decisive(branch.condition);
  Truth known = value ? m.truth(value) : Truth::Failed;
  if (known != Truth::Unknown)
    return known;
  Library *library = in.libraryOf(value);
  if (auto given = library ? library->branchValue(branch) : std::nullopt) {
    answer = *given;
    return answer ? Truth::Unknown : Truth::Failed;
  }
  return m.knownTruth(value);
}

Value Evaluator::evalBoolOp(const ast::BoolOp &node) { return evalBoolOpFrom(node, 0); }

Value Evaluator::evalBoolOpFrom(const ast::BoolOp &node, size_t from) {
  bool isAnd = node.op == ast::BoolOperator::And;
  for (size_t i = from; i != node.values.size(); ++i) {
    Value value = eval(*node.values[i]);
    if (!value || i + 1 == node.values.size())
      return value;
    Library *library = in.libraryOf(value);
    Truth known = library ? m.truth(value) : m.knownTruth(value);
    if (known == Truth::Failed)
      return nullptr;
    if (known == Truth::Unknown) {
      // The library sees how far the evaluation is through the current node: the operand.
      CurrentNode current(f, *node.values[i]);
      Branch branch{m, f, node, value};
      auto answer = library->branchValue(branch);
      if (answer)
        return *answer;
      m.knownTruth(value);
      return nullptr;
    }
    if ((known == Truth::True) != isAnd)
      return value;
  }
  return nullptr;
}

Value Branch::evaluate(bool taken) {
  Internals &in = Internals::of(machine);
  Evaluator evaluator(in, frame);
  if (auto *ternary = llvm::dyn_cast<ast::IfExp>(&node))
    return evaluator.eval(taken ? *ternary->body : *ternary->orelse);
  if (auto *operation = llvm::dyn_cast<ast::BoolOp>(&node)) {
    if (taken != (operation->op == ast::BoolOperator::And))
      return condition;
    const ast::Node *at = frame.current;
    for (size_t i = 0; i + 1 < operation->values.size(); ++i)
      if (operation->values[i] == at)
        return evaluator.evalBoolOpFrom(*operation, i + 1);
  }
  return machine.makeBool(taken);
}

Value Branch::evaluateRest() {
  Evaluator evaluator(Internals::of(machine), frame);
  return evaluator.evalCompareFrom(llvm::cast<ast::Compare>(node), compared, operand);
}

Value Evaluator::evalCompare(const ast::Compare &node) {
  Value left = eval(*node.left);
  return left ? evalCompareFrom(node, 0, left) : nullptr;
}

Value Evaluator::evalCompareFrom(const ast::Compare &node, size_t from, Value left) {
  for (size_t i = from; i != node.ops.size(); ++i) {
    Value right = eval(*node.comparators[i]);
    if (!right)
      return nullptr;
    Value result = nullptr;
    std::optional<Value> answer;
    if (f.policy)
      answer = f.policy->policyCompare(m, f, node, node.ops[i], left, right);
    result = answer ? *answer : m.compare(node.ops[i], left, right);
    if (!result || i + 1 == node.ops.size())
      return result;
    Value taken = nullptr;
    Truth known = condition(Branch{m, f, node, result, i + 1, right}, taken);
    // A library may decide this comparison; any other answer is that of the whole chain.
    if (auto *decided = llvm::dyn_cast_if_present<BoolObject>(taken);
        decided && known == Truth::Unknown)
      known = decided->value() ? Truth::True : Truth::False;
    if (known == Truth::Failed || known == Truth::Unknown)
      return taken;
    if (known == Truth::False)
      return taken ? taken : result;
    left = right;
  }
  return nullptr;
}
