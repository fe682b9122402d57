// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Python's conversions and built-in functions of what is not known while a program is read: sizes,
// numbers that follow from them, conditions on them, and tensors where their data is not needed.
#include "frontend/torch/LoopValues.h"
#include "frontend/torch/TorchLibrary.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

static bool isText(StringRef target) {
  return target == "str" || target == "repr" || target == "format";
}

/// Messages show what is not known as it is.
static bool isShown(TorchLibrary &t) {
  SourceLocation place = t.machine->location();
  return t.machine->isShown || (place.file && place.file->getName().starts_with("<"));
}

/// Why a conversion of Python's needs the number; empty where it does not.
static StringRef reasonFor(StringRef target) {
  return isText(target)      ? "a text"
         : target == "hash"  ? "a key of a dict or set"
         : target == "index" ? "an index or a count"
                             : "";
}

static Answer convertSize(TorchLibrary &t, SizeValue *size, StringRef target) {
  if (target == "key")
    return t.machine->none();
  if (isText(target) && isShown(t))
    return t.machine->makeStr(size->expr.str());
  if (StringRef reason = reasonFor(target); !reason.empty()) {
    std::optional<int64_t> fixed =
        t.fixSizeOrRefuse(size->expr, TorchLibrary::greatestSize, reason);
    if (!fixed)
      return nullptr;
    bool isPlain = target == "str" || target == "repr";
    return isPlain ? PyValue(t.machine->makeStr(std::to_string(*fixed)))
                   : PyValue(t.machine->makeInt(*fixed));
  }
  if (target == "int")
    return size;
  if (target == "float") {
    t.setPlace();
    return t.wrapNumber(t.writer.cast(t.writer.size(size->expr), DType::F64));
  }
  if (target == "bool" || target == "truth")
    return t.compare(*t.machine, CompareOperator::NotEq, size, t.machine->makeInt(0));
  return std::nullopt;
}

/// Texts and keys of a number that follows from sizes; nullopt for what depends on data.
static Answer convertNumber(TorchLibrary &t, TensorValue *number, StringRef target) {
  StringRef reason = reasonFor(target);
  if (reason.empty() || (isText(target) && isShown(t)) ||
      (target == "index" && isFloat(number->dtype)))
    return std::nullopt;
  PyValue known = t.numberOfSizes(number, reason);
  if (!known)
    return t.machine->pending() ? Answer(nullptr) : std::nullopt;
  if (target != "str" && target != "repr")
    return known;
  std::optional<std::string> text = t.machine->repr(known);
  return text ? PyValue(t.machine->makeStr(*text)) : nullptr;
}

static Answer convertTensor(TorchLibrary &t, TensorValue *tensor, StringRef target) {
  if (target == "key")
    return tensor->isNumber ? Answer(t.machine->none()) : std::nullopt;
  if (tensor->origin)
    return t.liveConvert(*tensor, target);
  if (Answer known = tensor->isNumber ? convertNumber(t, tensor, target) : std::nullopt)
    return known;
  if (isText(target))
    return t.machine->makeStr("<tensor>");
  bool isNumber = target == "float" || target == "int";
  if (PyValue known = target == "hash" ? nullptr : t.constantItem(tensor)) {
    if (target == "index" && !isFloat(tensor->dtype))
      return known;
    if (isNumber || target == "bool" || target == "truth")
      return t.machine->call(t.machine->builtinClass(isNumber ? target : "bool"), {known});
  }
  if (mlir::Value truth = target == "bool" ? t.dataCondition(tensor) : mlir::Value())
    return t.wrapNumber(truth);
  bool isSingle =
      tensor->isNumber ||
      (isNumber && all_of(t.sizesOf(tensor), [](Expr size) { return size.isConstant(1); }));
  if (isSingle && isNumber) {
    t.setPlace();
    PyValue number =
        tensor->isNumber ? tensor : t.machine->call(t.lookup("Tensor", "item"), {tensor});
    if (!number)
      return nullptr;
    tensor = cast<TensorValue>(number);
    if (PyValue whole = target == "int" ? t.wholePart(tensor, target) : nullptr)
      return whole;
    return t.wrapNumber(t.writer.cast(t.read(tensor), target == "float" ? DType::F64 : DType::I64));
  }
  if (target == "hash")
    return std::nullopt;
  return t.machine->refuse("'" + Twine(target == "truth" ? "bool" : target) +
                               "' reads the data of a tensor",
                           "keep the value as a tensor of rank 0");
}

Answer TorchLibrary::convert(Machine &, PyValue object, StringRef target) {
  if (auto *size = dyn_cast<SizeValue>(object))
    return convertSize(*this, size, target);
  if (auto *tensor = dyn_cast<TensorValue>(object))
    return convertTensor(*this, tensor, target);
  if (auto *condition = dyn_cast<ConditionValue>(object)) {
    if (target == "key")
      return machine->none();
    std::optional<bool> taken = decide(condition->pred, userLocation());
    if (!taken)
      return nullptr;
    if (isText(target))
      return machine->makeStr(*taken ? "True" : "False");
    bool isTruth = target == "bool" || target == "truth";
    return isTruth ? Answer(machine->makeBool(*taken)) : machine->makeInt(*taken);
  }
  if (auto *dtype = dyn_cast<DTypeValue>(object); dtype && isText(target))
    return machine->makeStr(("torch." + getTorchName(dtype->dtype)).str());
  if (auto *device = dyn_cast<DeviceValue>(object); device && isText(target))
    return machine->makeStr(device->text);
  return std::nullopt;
}

machine::Truth TorchLibrary::truth(Machine &, PyValue object) {
  if (Pred condition = isa<SizeValue, ConditionValue>(object) ? conditionOf(object) : Pred()) {
    // A case may know by now what was open when the condition was written.
    index::Truth known = solver.truthOrDenial(condition);
    return known == index::Truth::True    ? machine::Truth::True
           : known == index::Truth::False ? machine::Truth::False
                                          : machine::Truth::Unknown;
  }
  if (auto *live = dyn_cast<TensorValue>(object); live && live->origin)
    return settleTruth(*live) ? machine::Truth::True : machine::Truth::False;
  if (auto *tensor = dyn_cast<TensorValue>(object)) {
    PyValue known = constantItem(tensor);
    // A condition on what has no form as a size, such as a logarithm, is no case.
    if (!known && tensor->isNumber && !conditionOf(tensor))
      known = numberOfSizes(tensor, "a condition");
    if (machine->pending())
      return machine::Truth::Failed;
    if (known)
      return machine->truth(known);
  }
  return isa<DTypeValue, DeviceValue>(object) ? machine::Truth::True : machine::Truth::Unknown;
}

// --- Built-in functions --------------------------------------------------------------------------

/// sum(items, start) and math.prod(items, start).
static Answer accumulate(TorchLibrary &t, BinaryOperator op, ArrayRef<PyValue> args) {
  if (args.empty())
    return std::nullopt;
  auto *grown = dyn_cast<GrownList>(machine::standIn(args.front()));
  if (grown && op == BinaryOperator::Add) {
    PyValue rows = t.joinGrown(grown, t.machine->makeInt(0), true);
    PyValue total =
        rows ? t.machine->call(t.lookup("torch", "sum"), {rows, t.machine->makeInt(0)}) : nullptr;
    return total && args.size() > 1 ? t.machine->binary(op, args[1], total) : total;
  }
  std::optional<std::vector<PyValue>> items = t.machine->items(args.front());
  if (!items)
    return nullptr;
  PyValue total = args.size() > 1 ? args[1] : t.machine->makeInt(op == BinaryOperator::Mult);
  for (PyValue item : *items)
    if (!(total = t.machine->binary(op, total, item)))
      return nullptr;
  return total;
}

/// Of items that data decide, by comparing them one after the other: a NaN is neither greater nor
/// less. Null where all are known, or a refusal is in flight.
static PyValue extremumOfData(TorchLibrary &t, StringRef name, ArrayRef<PyValue> items) {
  auto isData = [&](PyValue item) {
    if (!isa<TensorValue>(item) && !isa<TensorValue>(items.front()))
      return false;
    PyValue order = t.machine->compare(CompareOperator::Gt, item, items.front());
    return order && !t.conditionOf(order) && t.dataCondition(order);
  };
  if (items.empty() || none_of(drop_begin(items), isData) || t.machine->pending())
    return nullptr;
  SmallVector<PyValue> given(items);
  auto isReal = [](PyValue item) {
    auto *tensor = dyn_cast<TensorValue>(item);
    return isa<FloatObject>(item) || (tensor && tensor->isNumber && isFloat(tensor->dtype));
  };
  if (any_of(given, isReal))
    for (PyValue &item : given)
      if (isa<IntObject, SizeValue>(item) &&
          !(item = t.machine->call(t.machine->builtinClass("float"), {item})))
        return nullptr;
  return t.machine->call(t.lookup("prims", ("builtin_" + name).str()), given);
}

/// min and max, of several arguments or of the items of one.
static PyValue extremum(TorchLibrary &t, StringRef name, ArrayRef<PyValue> args) {
  auto items = args.size() == 1 ? t.machine->items(args.front())
                                : std::optional(std::vector<PyValue>(args.begin(), args.end()));
  if (!items)
    return nullptr;
  if (PyValue best = extremumOfData(t, name, *items); best || t.machine->pending())
    return best;
  // Numbers that are not known, such as quotients of sizes.
  auto isNumber = [](PyValue item) {
    auto *tensor = dyn_cast<TensorValue>(item);
    return isa<SizeValue, IntObject, FloatObject>(item) || (tensor && tensor->isNumber);
  };
  if (!items->empty() && all_of(*items, isNumber) &&
      any_of(*items, IsaPred<TensorValue, FloatObject>)) {
    PyValue best = items->front();
    for (PyValue item : drop_begin(*items))
      if (!(best = t.pointwise(name == "min" ? "minimum" : "maximum", {best, item}, Rule::Promote)))
        return nullptr;
    return best;
  }
  SmallVector<Expr> exprs;
  for (PyValue item : *items) {
    if (!isa<SizeValue, IntObject>(item))
      return t.machine->refuse("Python's " + name + "() compares the data of tensors",
                               "use torch." + name + "imum");
    exprs.push_back(*t.sizeArg(item, "a size"));
  }
  return t.makeSize(
      t.solver.getFacts().simplify(name == "min" ? index::min(exprs) : index::max(exprs)));
}

/// The functions of `math`, of a size or a number that follows from sizes.
static Answer mathCall(TorchLibrary &t, StringRef name, ArrayRef<PyValue> args) {
  if (name == "log" && args.size() == 2 && isa<NoneObject>(args[1]))
    args = args.drop_back();
  auto *tensor = args.size() == 1 ? dyn_cast<TensorValue>(args[0]) : nullptr;
  if (tensor && !tensor->isNumber)
    return t.machine->refuse("math." + name + " reads the data of a tensor", "use torch." + name);
  if (name == "floor" || name == "ceil" || name == "trunc") {
    if (!args.empty() && isa<SizeValue>(args[0]))
      return args[0];
    if (PyValue whole = tensor ? t.wholePart(tensor, name == "trunc" ? "int" : name) : nullptr)
      return whole;
  }
  static constexpr StringLiteral unaries[] = {"sqrt", "exp", "log",  "log2", "log10", "sin",
                                              "cos",  "tan", "tanh", "erf",  "log1p", "expm1"};
  if (tensor && (name == "isnan" || name == "isinf" || name == "isfinite")) {
    PyValue answer = t.machine->call(t.lookup("torch", name), {t.wrap(t.read(tensor))});
    return answer ? t.wrapNumber(t.read(cast<TensorValue>(answer))) : nullptr;
  }
  if ((args.size() == 1 && is_contained(unaries, name)) || (args.size() == 2 && name == "pow"))
    return t.pointwise(name, args, Rule::Float);
  return std::nullopt;
}

Answer TorchLibrary::builtinCall(Machine &, StringRef name, const CallArgs &args) {
  ArrayRef<PyValue> a = args.positional;
  static constexpr StringLiteral ofLoops[] = {"range", "reversed", "enumerate",
                                              "zip",   "list",     "tuple"};
  if (is_contained(ofLoops, name))
    return loopBuiltin(name, a);
  for (PyValue arg : a)
    if (isPoisoned(arg))
      return poison();
  // The items are chosen by what `key` makes of them.
  PyValue key = name == "min" || name == "max" ? args.keyword("key") : nullptr;
  if (key && !isa<NoneObject>(key))
    return std::nullopt;
  if (Answer live = liveCall(name, args))
    return live;
  if (name == "sum" || name == "math.prod")
    return accumulate(*this, name == "sum" ? BinaryOperator::Add : BinaryOperator::Mult, a);
  setPlace();
  if (name == "min" || name == "max")
    return extremum(*this, name, a);
  if (name == "abs" && a.size() == 1) {
    if (auto *size = dyn_cast<SizeValue>(a[0]))
      return makeSize(index::max(size->expr, -size->expr));
    return machine->call(lookup("torch", "abs"), a);
  }
  if (name == "pow" && a.size() == 2)
    return machine->binary(BinaryOperator::Pow, a[0], a[1]);
  if (name == "round" && a.size() == 2 && isa<NoneObject>(a[1])) {
    if (isa<SizeValue>(a[0]))
      return a[0];
    auto *tensor = dyn_cast<TensorValue>(a[0]);
    if (tensor && numberOfSizes(tensor, "round()"))
      return std::nullopt; // Python's own, of the number
    if (machine->pending() || tensor)
      return machine->pending() ? nullptr : machine->call(lookup("torch", "round"), {a[0]});
  }
  if (name.consume_front("math."))
    return mathCall(*this, name, a);
  return std::nullopt;
}

} // namespace nereid::torch
