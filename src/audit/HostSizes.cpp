// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers over sizes, and what nothing is known of.
#include "audit/HostMachine.h"

#include "python/machine/HostFacts.h"
#include "python/machine/Machine.h"

using namespace llvm;
using nereid::machine::Answer;
using nereid::machine::Machine;
using nereid::python::BinaryOperator;
using nereid::python::UnaryOperator;

namespace nereid::audit {

/// How many parts an expression has, up to a limit: shared ones count each time.
static unsigned weigh(index::Expr expr, unsigned limit) {
  unsigned weight = 1;
  auto add = [&](index::Expr part) {
    if (weight < limit)
      weight += weigh(part, limit - weight);
  };
  if (expr.getKind() == index::ExprKind::Product) {
    for (index::Factor factor : expr.getFactors())
      add(factor.atom);
  } else if (expr.getKind() == index::ExprKind::Sum) {
    for (const index::Term &term : expr.getTerms())
      add(term.monomial);
  } else if (!expr.isConstant() && !expr.isSymbol()) {
    for (index::Expr operand : expr.getOperands())
      add(operand);
  }
  return weight;
}

PyValue HostMachine::size(index::Expr expr) {
  constexpr unsigned longest = 120;
  if (std::optional<int64_t> number = expr.getConstant())
    return machine.makeInt(*number);
  if (weigh(expr, longest) >= longest)
    return unknown("a long expression");
  return machine.make<SizeValue>(*this, sizeClass, expr);
}

PyValue HostMachine::unknown(const Twine &origin) {
  constexpr size_t longest = 120;
  std::string text = origin.str();
  return machine.make<UnknownValue>(*this, unknownClass,
                                    machine.save(StringRef(text).take_front(longest)));
}

PyValue HostMachine::condition(index::Pred pred, const Twine &key, std::function<void(bool)> said) {
  if (pred && (pred.isTrue() || pred.isFalse()))
    return machine.makeBool(pred.isTrue());
  auto *value = machine.make<ConditionValue>(*this, conditionClass);
  value->pred = pred;
  value->key = key.str();
  value->decided = std::move(said);
  return value;
}

bool HostMachine::isAbstract(PyValue value) const {
  auto *foreign = dyn_cast<machine::Foreign>(value);
  return (foreign && &foreign->library == this) || isa<machine::OpaqueObject>(value);
}

std::string HostMachine::describe(PyValue value) {
  if (auto *number = dyn_cast<SizeValue>(value))
    return number->expr.str();
  if (auto *what = dyn_cast<UnknownValue>(value))
    return what->origin.str();
  if (auto *what = dyn_cast<machine::OpaqueObject>(value))
    return what->path.str();
  if (auto *self = dyn_cast<HostTensor>(value))
    return self->info->name;
  if (auto *asked = dyn_cast<ConditionValue>(value))
    return asked->pred ? asked->pred.str() : asked->key;
  if (isa<machine::IntObject, machine::FloatObject, machine::StrObject, machine::NoneObject>(value))
    return machine.repr(value).value_or("?");
  return machine.typeName(value).str();
}

index::Expr HostMachine::asNumber(PyValue value) {
  value = triton::plain(value);
  if (auto *integer = dyn_cast<machine::IntObject>(value))
    return integer->isSmall() ? context.constant(integer->small) : index::Expr();
  if (auto *number = dyn_cast<SizeValue>(value))
    return number->expr;
  auto freeSymbol = [&](const std::string &name) {
    freeNumbers.insert(name);
    return context.symbol(name);
  };
  if (auto *what = dyn_cast<UnknownValue>(value)) {
    if (!what->symbol && what->turns) {
      what->symbol = context.symbol("turn " + std::to_string(++fresh));
      facts.push_back(index::lt(what->symbol, what->turns));
    }
    if (!what->symbol) {
      what->symbol = freeSymbol((what->origin + "#" + Twine(++fresh)).str());
      // A device has some.
      if (what->origin.ends_with(".multi_processor_count")) {
        facts.push_back(index::ge(what->symbol, 1));
        facts.push_back(index::le(what->symbol, UINT16_MAX));
      }
    }
    return what->symbol;
  }
  auto *self = dyn_cast<HostTensor>(value);
  if (!self || self->state == HostTensor::Tensor)
    return {};
  if (self->state == HostTensor::Open) {
    self->state = HostTensor::Number;
    self->number = freeSymbol(self->info->name);
  }
  return self->number;
}

PyValue HostMachine::arithmetic(BinaryOperator op, PyValue left, PyValue right) {
  auto nothing = [&] { return unknown(describe(left) + " ... " + describe(right)); };
  // A tensor with a number: another one of its shape.
  for (auto [side, other] : {std::pair(left, right), std::pair(right, left)}) {
    auto *self = dyn_cast<HostTensor>(side);
    auto *number = dyn_cast<HostTensor>(other);
    bool isScalar = number ? number->state == HostTensor::Number
                           : isa<machine::FloatObject, machine::IntObject, SizeValue>(other);
    if (self && self->state == HostTensor::Tensor && isScalar)
      return makeLike(*self->info, machine::CallArgs(), "product");
  }
  bool isFloat = isa<machine::FloatObject>(left) || isa<machine::FloatObject>(right);
  if (op == BinaryOperator::Div && !isFloat && !isa<UnknownValue>(left) &&
      !isa<UnknownValue>(right)) {
    auto *quotient = cast<UnknownValue>(nothing());
    index::Expr a = asNumber(left), b = a ? asNumber(right) : index::Expr();
    if (b && b.isConstant(0))
      return machine.raise("ZeroDivisionError", "division by zero");
    if (b) {
      quotient->dividend = a;
      quotient->divisor = b;
    }
    return quotient;
  }
  if (isFloat || op == BinaryOperator::Div)
    return nothing();
  // Numbers of which nothing is known may be floats: what is made of two of them is another one.
  bool isOpen = isa<UnknownValue>(left) && isa<UnknownValue>(right);
  index::Expr a = isOpen ? index::Expr() : asNumber(left);
  index::Expr b = a ? asNumber(right) : index::Expr();
  if (!b)
    return nothing();
  switch (op) {
  case BinaryOperator::Add:
    return size(a + b);
  case BinaryOperator::Sub:
    return size(a - b);
  case BinaryOperator::Mult:
    return size(a * b);
  case BinaryOperator::BitAnd: {
    for (auto [n, other] : {std::pair(a, b), std::pair(b, a)}) {
      if (std::optional<int64_t> mask = other.getConstant(); mask && isMask_64(*mask))
        return size(index::mod(n, *mask + 1));
      if (n - other != context.constant(1))
        continue;
      PyValue bits = nothing();
      cast<UnknownValue>(bits)->zeroAlike = index::nextPow2(n) - n;
      return bits;
    }
    return nothing();
  }
  case BinaryOperator::LShift:
  case BinaryOperator::RShift: {
    constexpr int64_t mostBits = 62;
    std::optional<int64_t> bits = b.getConstant();
    if (!bits || *bits < 0 || *bits > mostBits)
      return nothing();
    index::Expr power = context.constant(int64_t(1) << *bits);
    return size(op == BinaryOperator::LShift ? a * power : index::floordiv(a, power));
  }
  case BinaryOperator::FloorDiv:
  case BinaryOperator::Mod:
    if (b.isConstant(0))
      return machine.raise("ZeroDivisionError", "integer division or modulo by zero");
    return size(op == BinaryOperator::Mod ? index::mod(a, b) : index::floordiv(a, b));
  default:
    return nothing();
  }
}

Answer HostMachine::binary(Machine &, BinaryOperator op, PyValue left, PyValue right,
                           bool inPlace) {
  if (inPlace)
    touch(left);
  for (PyValue side : {left, right})
    noteRead(side);
  if (isa<machine::StrObject>(left) || isa<machine::TupleObject, machine::ListObject>(left))
    return unknown(describe(left));
  return arithmetic(op, left, right);
}

Answer HostMachine::policyBinary(Machine &, machine::Frame &, const python::Expr &,
                                 BinaryOperator op, PyValue left, PyValue right) {
  if (!isa<machine::OpaqueObject>(left) && !isa<machine::OpaqueObject>(right))
    return std::nullopt;
  return unknown(describe(left) + " ... " + describe(right));
}

Answer HostMachine::unary(Machine &, UnaryOperator op, PyValue value) {
  if (op == UnaryOperator::Not)
    return std::nullopt;
  index::Expr number = op == UnaryOperator::USub ? asNumber(value) : index::Expr();
  return number ? size(-number) : unknown(describe(value));
}

index::Expr HostMachine::truncate(PyValue value) const {
  auto *quotient = dyn_cast<UnknownValue>(value);
  if (!quotient || !quotient->divisor)
    return {};
  index::Expr a = quotient->dividend, b = quotient->divisor;
  index::Pred isAbove = index::ge(a, 0) & index::ge(b, 1);
  SmallVector<index::Expr> symbols;
  index::forEachSymbol(isAbove, [&](index::Expr symbol) { symbols.push_back(symbol); });
  index::Expr down = index::floordiv(a, b), zero = context.constant(0);
  if (factsAbout(symbols).prove(isAbove) == index::Truth::True)
    return down;
  return index::max(down, zero) + index::min(index::ceildiv(a, b), zero);
}

Answer HostMachine::convert(Machine &, PyValue value, StringRef target) {
  if (auto *opaque = dyn_cast<machine::OpaqueObject>(value);
      opaque && machine::isKnownToHold(opaque->path))
    return std::nullopt;
  bool isText = target == "str" || target == "repr" || target == "format";
  if (isa<ConditionValue>(value) && !isText) {
    machine::Truth holds = truth(machine, value);
    return holds == machine::Truth::Failed
               ? Answer(nullptr)
               : Answer(machine.makeBool(holds == machine::Truth::True));
  }
  if (isText || target == "key" || target == "hash")
    return machine.makeStr(describe(value));
  if (target == "bool" || target == "truth") {
    machine::Truth holds = truth(machine, value);
    return holds == machine::Truth::Failed
               ? Answer(nullptr)
               : Answer(machine.makeBool(holds == machine::Truth::True));
  }
  if (target == "int")
    if (index::Expr quotient = truncate(value))
      return size(quotient);
  if (target == "int" && asNumber(value))
    return size(asNumber(value));
  if (std::optional<int64_t> number = target == "index" ? oneOf(asNumber(value)) : std::nullopt)
    return machine.makeInt(*number);
  if (target == "int" || target == "float" || target == "complex")
    return unknown(describe(value));
  return machine.refuse("'" + describe(value) + "' is used where a number has to be known");
}

Answer HostMachine::builtinCall(Machine &, StringRef name, const machine::CallArgs &args) {
  SmallVector<PyValue> items(args.positional);
  // What only moves items about asks nothing of them.
  bool isAboutItems = is_contained({"zip", "enumerate", "list", "tuple", "reversed", "set"}, name);
  if (isAboutItems && all_of(items, [](PyValue v) { return triton::sequence(v).has_value(); }))
    return std::nullopt;
  if (!items.empty())
    if (std::optional<ArrayRef<PyValue>> list = triton::sequence(items.front())) {
      // What a sum or a product starts with is one of the items.
      SmallVector<PyValue> start(items.begin() + 1, items.end());
      items.assign(list->begin(), list->end());
      items.append(start);
    }
  SmallVector<index::Expr> numbers;
  for (PyValue item : items)
    if (index::Expr number = isa<machine::FloatObject>(item) ? index::Expr() : asNumber(item))
      numbers.push_back(number);
  bool isAll = numbers.size() == items.size() && !numbers.empty();
  if (isAll && (name == "min" || name == "max"))
    return size(name == "min" ? index::min(numbers) : index::max(numbers));
  if (isAll && name == "sum")
    return size(index::sum(context, numbers));
  if (isAll && name == "math.prod")
    return size(index::product(context, numbers));
  if (isAll && numbers.size() == 2 && name == "divmod" && numbers[1].isConstant(0))
    return machine.raise("ZeroDivisionError", "integer division or modulo by zero");
  if (isAll && numbers.size() == 2 && name == "divmod")
    return machine.makeTuple(
        {size(index::floordiv(numbers[0], numbers[1])), size(index::mod(numbers[0], numbers[1]))});
  // Quotients of numbers below 2**53 are rounded as they are.
  auto *quotient = items.size() == 1 ? dyn_cast<UnknownValue>(items.front()) : nullptr;
  if (quotient && quotient->divisor && (name == "math.ceil" || name == "math.floor"))
    return size(name == "math.ceil" ? index::ceildiv(quotient->dividend, quotient->divisor)
                                    : index::floordiv(quotient->dividend, quotient->divisor));
  bool isFromZero = items.size() == 1 ||
                    (items.size() == 2 && numbers.size() == 2 && numbers.front().isConstant(0));
  if (isAll && name == "range" && isFromZero) {
    PyValue range = unknown("range(" + describe(items.back()) + ")");
    cast<UnknownValue>(range)->turns = numbers.back();
    return range;
  }
  bool isKept = name == "round" || name == "math.ceil" || name == "math.floor";
  if (isKept && isa<SizeValue>(items.front()))
    return items.front();
  return unknown(name + "(" + describe(items.empty() ? machine.none() : items.front()) + ")");
}

Answer HostMachine::call(Machine &, PyValue callee, const machine::CallArgs &args) {
  if (auto *target = dyn_cast<LaunchValue>(callee)) {
    launchCall = nullptr;
    return launch(*target, args);
  }
  if (auto *method = dyn_cast<MethodValue>(callee))
    return tensorMethod(*cast<HostTensor>(method->self), method->name, args);
  if (auto *what = dyn_cast<UnknownValue>(callee); what && what->origin == "ctx.save_for_backward")
    saved["saved_tensors"] = machine.makeTuple(args.positional);
  touchByCall(describe(callee), args);
  return unknown(describe(callee) + "(...)");
}

} // namespace nereid::audit
