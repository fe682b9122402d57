// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of the call that are known while converting and that every call may give anew: scalar
// arguments with a value, attributes of modules. What is computed from them in Python stays Python:
// the wrapper evaluates the same expression in float64. Where data meets such a number it becomes a
// runtime scalar; where the program needs its value (an exponent, a count, a branch), the value or
// the outcome of the condition is relied on, and every call checks it.
#include "frontend/torch/TorchLibrary.h"

#include "graph/GraphOps.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {
namespace {

TensorValue *asLive(PyValue value) {
  auto *tensor = dyn_cast_if_present<TensorValue>(value);
  return tensor && tensor->origin ? tensor : nullptr;
}

/// Whether a value is a Python number that is known: live, or a constant.
bool isKnownNumber(PyValue value) {
  return asLive(value) || isa<FloatObject>(value) ||
         (isa<IntObject>(value) && !isa<BoolObject>(value) && cast<IntObject>(value)->isSmall());
}

PyValue plain(PyValue value) {
  TensorValue *live = asLive(value);
  return live ? live->known : value;
}

/// An operand of an expression: its text and how tightly that binds.
std::pair<std::string, Binding> textOf(Machine &machine, PyValue value) {
  if (TensorValue *live = asLive(value))
    return {live->origin->text, live->origin->binding};
  if (auto *number = dyn_cast<FloatObject>(value); number && !std::isfinite(number->value))
    return {"float('" + *machine.repr(value) + "')", Binding::Atom};
  std::string text = *machine.repr(value);
  return {text, text.front() == '-' ? Binding::Sign : Binding::Atom};
}

std::string within(std::pair<std::string, Binding> operand, Binding least) {
  return operand.second < least ? "(" + operand.first + ")" : operand.first;
}

std::vector<const NumberRoot *> rootsOf(ArrayRef<PyValue> values) {
  std::vector<const NumberRoot *> roots;
  for (PyValue value : values)
    if (TensorValue *live = asLive(value))
      for (const NumberRoot *root : live->origin->roots)
        if (!is_contained(roots, root))
          roots.push_back(root);
  return roots;
}

struct OperatorText {
  StringRef sign;
  Binding binding;
};

std::optional<OperatorText> textOf(BinaryOperator op) {
  switch (op) {
  case BinaryOperator::Add:
    return OperatorText{" + ", Binding::Sum};
  case BinaryOperator::Sub:
    return OperatorText{" - ", Binding::Sum};
  case BinaryOperator::Mult:
    return OperatorText{" * ", Binding::Product};
  case BinaryOperator::Div:
    return OperatorText{" / ", Binding::Product};
  case BinaryOperator::FloorDiv:
    return OperatorText{" // ", Binding::Product};
  case BinaryOperator::Mod:
    return OperatorText{" % ", Binding::Product};
  case BinaryOperator::Pow:
    return OperatorText{"**", Binding::Power};
  default:
    return std::nullopt;
  }
}

Binding above(Binding binding) { return static_cast<Binding>(static_cast<unsigned>(binding) + 1); }

StringRef signOf(CompareOperator op) {
  switch (op) {
  case CompareOperator::Eq:
    return " == ";
  case CompareOperator::NotEq:
    return " != ";
  case CompareOperator::Lt:
    return " < ";
  case CompareOperator::LtE:
    return " <= ";
  case CompareOperator::Gt:
    return " > ";
  default:
    return " >= ";
  }
}

/// The functions of `math` that give a float.
using MathFunction = double (*)(double);
MathFunction mathFunction(StringRef name) {
  return StringSwitch<MathFunction>(name)
      .Case("sqrt", std::sqrt)
      .Case("exp", std::exp)
      .Case("expm1", std::expm1)
      .Case("log", std::log)
      .Case("log2", std::log2)
      .Case("log10", std::log10)
      .Case("log1p", std::log1p)
      .Case("sin", std::sin)
      .Case("cos", std::cos)
      .Case("tan", std::tan)
      .Case("tanh", std::tanh)
      .Case("erf", std::erf)
      .Case("fabs", std::fabs)
      .Default(nullptr);
}

double realOf(PyValue number) {
  return isa<FloatObject>(number) ? cast<FloatObject>(number)->value
                                  : static_cast<double>(cast<IntObject>(number)->small);
}

/// A call whose result is a float; nullopt for others.
std::optional<double> floatCall(StringRef name, ArrayRef<double> values) {
  StringRef function = name;
  if (values.size() == 1 && function.consume_front("math."))
    if (MathFunction f = mathFunction(function))
      return f(values[0]);
  if (values.size() == 2 && name == "math.atan2")
    return std::atan2(values[0], values[1]);
  if (values.size() == 2 && name == "math.fmod")
    return std::fmod(values[0], values[1]);
  if (values.size() == 2 && name == "math.copysign")
    return std::copysign(values[0], values[1]);
  if (values.size() == 1 && name == "abs")
    return std::fabs(values[0]);
  if (name == "min")
    return *llvm::min_element(values);
  if (name == "max")
    return *llvm::max_element(values);
  return std::nullopt;
}

/// Python's min and max give one of their arguments, of whichever kind.
bool keepsKind(StringRef name, ArrayRef<PyValue> items) {
  bool picks = name == "min" || name == "max";
  return !picks || all_of(items, [](PyValue item) { return isa<FloatObject>(plain(item)); });
}

/// `momentum` of `self.norm.momentum`, `one_minus_momentum` of 1 less it.
std::string nameOf(const NumberOrigin &origin) {
  if (!origin.name.empty())
    return origin.name;
  StringRef text = origin.roots.front()->access;
  text.consume_front("self.");
  std::string name;
  for (char c : text)
    if (isAlnum(c))
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  while (StringRef(name).ends_with("_"))
    name.pop_back();
  if (isDigit(name.front()))
    name = "number_" + name;
  if (origin.text == origin.roots.front()->access)
    return name;
  StringRef whole(origin.text);
  if (whole == "1.0 - " + origin.roots.front()->access ||
      whole == "1 - " + origin.roots.front()->access)
    return "one_minus_" + name;
  return name + "_term";
}

} // namespace

bool TorchLibrary::isLive(PyValue value) { return asLive(value); }

PyValue TorchLibrary::makeLive(std::string text, Binding binding, PyValue known,
                               std::vector<const NumberRoot *> roots) {
  auto *number = machine->make<TensorValue>(*this, machine->builtinClass("float"),
                                            makeStorage(nullptr), DType::F64);
  origins.push_back(
      std::make_unique<NumberOrigin>(NumberOrigin{std::move(text), binding, std::move(roots), ""}));
  number->isNumber = true;
  number->origin = origins.back().get();
  number->known = known;
  return number;
}

PyValue TorchLibrary::liveNumber(std::string access, PyValue value) {
  PyValue &number = liveNumbers[access];
  if (!number) {
    roots.push_back(std::make_unique<NumberRoot>(NumberRoot{access, value}));
    number = makeLive(access, Binding::Atom, value, {roots.back().get()});
  }
  return number;
}

mlir::Value TorchLibrary::liveValue(const TensorValue &number, DType dtype) {
  mlir::OpBuilder &builder = writer.builder;
  if (dtype != DType::F32 && dtype != DType::F64)
    return writer.cast(liveValue(number, DType::F64), dtype);
  return graph::NumberOp::create(builder, writer.place, writer.type({}, dtype),
                                 builder.getStringAttr(number.origin->text),
                                 builder.getStringAttr(nameOf(*number.origin)),
                                 builder.getF64FloatAttr(cast<FloatObject>(number.known)->value));
}

void TorchLibrary::rely(const std::string &access, PyValue value) {
  if (none_of(relied, [&](const auto &known) { return known.first == access; }))
    relied.push_back({access, value});
}

PyValue TorchLibrary::settled(PyValue value) {
  TensorValue *live = asLive(value);
  if (!live)
    return value;
  for (const NumberRoot *root : live->origin->roots)
    rely(root->access, root->value);
  return live->known;
}

void TorchLibrary::settleNumbers(mlir::Value value) {
  SmallVector<mlir::Value> open{value};
  SetVector<mlir::Operation *> seen;
  while (!open.empty()) {
    mlir::Operation *op = open.pop_back_val().getDefiningOp();
    if (!op)
      return; // of data
    if (seen.insert(op))
      open.append(op->operand_begin(), op->operand_end());
  }
  for (mlir::Operation *op : seen)
    if (auto number = dyn_cast<graph::NumberOp>(op)) {
      double known = number.getValue().convertToDouble();
      rely(number.getAccess().str(), machine->makeFloat(known));
      mlir::OpBuilder::InsertionGuard guard(writer.builder);
      writer.builder.setInsertionPoint(op);
      number.replaceAllUsesWith(writer.number(writer.dtype(number), known));
    }
}

bool TorchLibrary::settleTruth(const TensorValue &live) {
  bool outcome = cast<FloatObject>(live.known)->value != 0;
  rely("bool(" + live.origin->text + ")", machine->makeBool(outcome));
  return outcome;
}

/// Whether it is an integer or not decides the type of what is made of a live number.
void TorchLibrary::relyOnKind(PyValue number) {
  if (TensorValue *live = asLive(number))
    for (const NumberRoot *root : live->origin->roots)
      rely("isinstance(" + root->access + ", float)", machine->makeBool(true));
}

/// What a program asks of the class of a live number, every call answers as the conversion did.
std::optional<bool> TorchLibrary::isInstance(Machine &, PyValue object, PyValue cls) {
  TensorValue *live = asLive(object);
  if (!live || isReadByOurs())
    return std::nullopt;
  auto *tuple = dyn_cast<TupleObject>(cls);
  std::string names;
  bool isFloat = false;
  for (PyValue each : tuple ? tuple->items : ArrayRef<PyValue>(cls)) {
    auto *one = dyn_cast<ClassObject>(each);
    if (!one || !one->builtin)
      return std::nullopt;
    names += (names.empty() ? "" : ", ") + one->name.str();
    isFloat |= machine->builtinClass("float")->isSubclassOf(one);
  }
  std::string asked = tuple ? "(" + names + (tuple->items.size() == 1 ? ",)" : ")") : names;
  rely("isinstance(" + live->origin->text + ", " + asked + ")", machine->makeBool(isFloat));
  return isFloat;
}

Answer TorchLibrary::liveUnary(UnaryOperator op, PyValue operand) {
  TensorValue *live = asLive(operand);
  if (!live || op == UnaryOperator::Not || op == UnaryOperator::Invert)
    return std::nullopt;
  if (op == UnaryOperator::UAdd)
    return operand;
  PyValue known = machine->makeFloat(-cast<FloatObject>(live->known)->value);
  return makeLive("-" + within(textOf(*machine, operand), Binding::Sign), Binding::Sign, known,
                  live->origin->roots);
}

Answer TorchLibrary::liveBinary(BinaryOperator op, PyValue left, PyValue right) {
  std::optional<OperatorText> spelled = textOf(op);
  bool hasLive = asLive(left) || asLive(right);
  if (!hasLive || !spelled || !isKnownNumber(left) || !isKnownNumber(right))
    return std::nullopt;
  PyValue known = machine->binary(op, plain(left), plain(right));
  if (!known)
    return nullptr;
  if (!isa<FloatObject>(known)) {
    // A complex number.
    PyValue a = settled(left), b = settled(right);
    return machine->binary(op, a, b);
  }
  bool isPower = op == BinaryOperator::Pow;
  std::string first = within(textOf(*machine, left), isPower ? Binding::Atom : spelled->binding);
  std::string second =
      within(textOf(*machine, right), isPower ? Binding::Sign : above(spelled->binding));
  StringRef sign = spelled->sign;
  // As formatters leave it.
  bool isSimple =
      !StringRef(first + second).contains('(') && !StringRef(first + second).contains('[');
  if (isPower && !isSimple)
    sign = " ** ";
  return makeLive(first + sign.str() + second, spelled->binding, known, rootsOf({left, right}));
}

Answer TorchLibrary::liveCompare(CompareOperator op, PyValue left, PyValue right) {
  if ((!asLive(left) && !asLive(right)) || !isKnownNumber(left) || !isKnownNumber(right))
    return std::nullopt;
  PyValue outcome = machine->compare(op, plain(left), plain(right));
  if (!outcome)
    return nullptr;
  rely(within(textOf(*machine, left), Binding::Sum) + signOf(op).str() +
           within(textOf(*machine, right), Binding::Sum),
       outcome);
  return outcome;
}

Answer TorchLibrary::liveCall(StringRef name, const CallArgs &args) {
  ArrayRef<PyValue> given = args.positional;
  SmallVector<PyValue> items(given);
  if ((name == "min" || name == "max") && given.size() == 1)
    if (auto listed = isa<TupleObject, ListObject>(given.front()) ? machine->items(given.front())
                                                                  : std::nullopt)
      items.assign(listed->begin(), listed->end());
  // `round(x, None)`, `math.log(x)` with its default.
  if (items.size() == 2 && isa<NoneObject>(items[1]))
    items.pop_back();
  if (!args.keywords.empty() || none_of(items, [](PyValue item) { return bool(asLive(item)); }) ||
      !all_of(items, isKnownNumber))
    return std::nullopt;
  if (name.starts_with("copy."))
    return items.front();
  if (items.size() == 2 && (name == "math.pow" || name == "pow"))
    return liveBinary(BinaryOperator::Pow, items[0], items[1]);
  SmallVector<double> values;
  for (PyValue item : items)
    values.push_back(realOf(plain(item)));
  if (std::optional<double> known = floatCall(name, values);
      known && std::isfinite(*known) && keepsKind(name, items)) {
    std::string text;
    for (PyValue item : items)
      text += (text.empty() ? "" : ", ") + textOf(*machine, item).first;
    return makeLive(name.str() + "(" + text + ")", Binding::Atom, machine->makeFloat(*known),
                    rootsOf(items));
  }
  // Any other function has Python's result for these numbers, which every call then has to have.
  SmallVector<PyValue> known;
  for (PyValue item : items)
    known.push_back(settled(item));
  bool isOfMath = name.consume_front("math.");
  ModuleObject *module = machine->findModule(isOfMath ? "math" : "builtins");
  PyValue function = module ? module->attrs->get(machine->intern(name)) : nullptr;
  if (!function)
    return machine->refuse(name + " of a number that a call may change is not supported",
                           "compute it where the program is made, or write it as a constant");
  return machine->call(function, known);
}

PyValue TorchLibrary::dropoutScale(PyValue p) {
  double known = realOf(plain(p));
  PyValue scale = machine->makeFloat(known < 1 ? 1 / (1 - known) : 0);
  TensorValue *live = asLive(p);
  if (!live)
    return scale;
  PyValue number = makeLive("_dropout_scale(" + live->origin->text + ")", Binding::Atom, scale,
                            live->origin->roots);
  std::string name = nameOf(*live->origin);
  cast<TensorValue>(number)->origin->name =
      (StringRef(name).ends_with("_p") ? name.substr(0, name.size() - 2) : name) + "_scale";
  return number;
}

Answer TorchLibrary::liveConvert(TensorValue &live, StringRef target) {
  if (target == "float")
    return &live;
  if (target == "bool" || target == "truth")
    return machine->makeBool(settleTruth(live));
  bool isText = target == "str" || target == "repr" || target == "format";
  // What messages show decides nothing.
  PyValue known = isText && machine->isShown ? live.known : settled(&live);
  if (target == "str" || target == "repr")
    return machine->makeStr(*machine->repr(known));
  if (target == "int")
    return machine->call(machine->builtinClass("int"), {known});
  if (target == "index")
    return machine->raise("TypeError", "'float' object cannot be interpreted as an integer");
  return known;
}

} // namespace nereid::torch
