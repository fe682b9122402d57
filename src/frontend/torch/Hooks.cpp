// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the machine asks the library of abstract values: items, operators and comparisons; and what
// becomes of names, calls and classes.
#include "frontend/torch/LoopValues.h"
#include "frontend/torch/TorchLibrary.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

// --- Calls and items -------------------------------------------------------------------------

Answer TorchLibrary::call(Machine &, PyValue callee, const CallArgs &) {
  if (isa<PoisonValue>(callee))
    return poison();
  return std::nullopt;
}

/// A list of what are not all numbers is read as the tuple of its items: PyTorch's rule.
static PyValue keyOf(Machine &machine, PyValue key) {
  auto *list = dyn_cast<ListObject>(key);
  constexpr size_t mostItems = 31;
  auto isNoNumber = [](PyValue item) {
    return isa<ListObject, TupleObject, TensorValue, machine::SliceObject, NoneObject>(item) ||
           item->kind == machine::Kind::Ellipsis;
  };
  if (!list || list->items.size() > mostItems || none_of(list->items, isNoNumber))
    return key;
  std::vector<PyValue> items;
  for (PyValue item : list->items) {
    auto *tuple = dyn_cast<TupleObject>(item);
    items.push_back(tuple ? machine.makeList({tuple->items.begin(), tuple->items.end()}) : item);
  }
  return machine.makeTuple(items);
}

Answer TorchLibrary::getItem(Machine &, PyValue object, PyValue key) {
  if (isa<PoisonValue>(object))
    return poison();
  if (auto *grown = dyn_cast<GrownList>(object))
    return grownItem(grown, key);
  if (auto *masked = dyn_cast<MaskedValue>(object))
    return maskedItem(masked, key);
  if (auto *range = dyn_cast<LoopItems>(object); range && range->kind == LoopItems::Range)
    return rangeItem(range, key);
  if (isa<ComplexValue>(object))
    return complexCall("getitem", CallArgs{{object, keyOf(*machine, key)}, {}});
  auto *tensor = dyn_cast<TensorValue>(object);
  return tensor ? Answer(index(tensor, keyOf(*machine, key))) : std::nullopt;
}

Answer TorchLibrary::setItem(Machine &, PyValue object, PyValue key, PyValue value) {
  if (isa<PoisonValue>(object))
    return poison();
  if (auto *grown = dyn_cast<GrownList>(object)) {
    ListObject *list = writeOut(grown, "writing to an item");
    return list && machine->setItem(list, key, value) ? Answer(machine->none()) : Answer(nullptr);
  }
  if (isa<ComplexValue>(object) || (isa<TensorValue>(object) && isComplexCall({{value}, {}}, true)))
    return complexCall("setitem", CallArgs{{object, keyOf(*machine, key), value}, {}});
  auto *tensor = dyn_cast<TensorValue>(object);
  if (!tensor)
    return std::nullopt;
  return storeItem(tensor, keyOf(*machine, key), value) ? Answer(machine->none()) : Answer(nullptr);
}

// --- Operators -------------------------------------------------------------------------------

Answer TorchLibrary::unary(Machine &, UnaryOperator op, PyValue operand) {
  if (isa<PoisonValue>(operand))
    return poison();
  if (Answer live = liveUnary(op, operand))
    return live;
  if (auto *size = dyn_cast<SizeValue>(operand)) {
    if (op == UnaryOperator::USub)
      return makeSize(-size->expr);
    return op == UnaryOperator::UAdd ? Answer(operand) : std::nullopt;
  }
  if (isa<ComplexValue>(operand))
    return op == UnaryOperator::UAdd
               ? Answer(operand)
               : complexCall(op == UnaryOperator::USub ? "neg" : "bitwise_not",
                             CallArgs{{operand}, {}});
  if (isa<MaskedValue>(operand) && op != UnaryOperator::UAdd)
    return machine->call(lookup("torch", op == UnaryOperator::USub ? "neg" : "bitwise_not"),
                         {operand});
  if (!isa<TensorValue>(operand))
    return std::nullopt;
  setPlace();
  switch (op) {
  case UnaryOperator::USub:
    return cast<TensorValue>(operand)->isNumber ? pointwise("neg", {operand}, Rule::Promote)
                                                : machine->call(lookup("torch", "neg"), {operand});
  case UnaryOperator::UAdd:
    return operand;
  case UnaryOperator::Invert:
    return machine->call(lookup("torch", "bitwise_not"), {operand});
  default:
    return std::nullopt;
  }
}

bool TorchLibrary::equalValues(mlir::Value a, mlir::Value b) {
  mlir::Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (a == b || !x || !y)
    return a == b;
  // Sizes that were told equal since have other names in older types.
  bool isAlike = x->getName() == y->getName() &&
                 CallScopes::unmarked(x) == CallScopes::unmarked(y) && x->getNumRegions() == 0 &&
                 writer.dtype(a) == writer.dtype(b) && writer.sizes(a) == writer.sizes(b);
  return isAlike && x->getNumOperands() == y->getNumOperands() &&
         all_of(zip(x->getOperands(), y->getOperands()),
                [&](auto pair) { return equalValues(std::get<0>(pair), std::get<1>(pair)); });
}

Answer TorchLibrary::binary(Machine &, BinaryOperator op, PyValue left, PyValue right,
                            bool inPlace) {
  if (isa<PoisonValue>(left) || isa<PoisonValue>(right))
    return poison();
  if (Answer complex = complexBinary(op, left, right, inPlace))
    return complex;
  if (isa<MaskedValue>(left) || isa<MaskedValue>(right))
    return maskedArithmetic(op, left, right, inPlace);
  if (Answer live = liveBinary(op, left, right))
    return live;
  if (op == BinaryOperator::Add && (isa<GrownList>(left) || isa<GrownList>(right))) {
    // `ys += [y]` appends.
    auto *grown = dyn_cast<GrownList>(left);
    auto *items = dyn_cast<ListObject>(right);
    if (!inPlace || !grown || !items || isa<GrownList>(standIn(right)))
      return grownSum(left, right);
    std::vector<ListPart> parts = grown->parts;
    for (PyValue item : items->items)
      parts.push_back({item});
    return grownOf(grown->list, std::move(parts), grown);
  }
  // A condition counts as 0 or 1.
  for (PyValue *side : {&left, &right})
    if (auto *condition = dyn_cast<ConditionValue>(*side)) {
      std::optional<bool> taken = decide(condition->pred, userLocation());
      if (!taken)
        return nullptr;
      *side = machine->makeBool(*taken);
      return machine->binary(op, left, right, inPlace);
    }
  auto isSizeLike = [](PyValue v) { return isa<SizeValue>(v) || isa<IntObject>(v); };
  auto isNumeric = [&](PyValue v) { return isSizeLike(v) || isa<FloatObject, TensorValue>(v); };
  if (isSizeLike(left) && isSizeLike(right))
    return sizeArithmetic(op, left, right);
  if (!isNumeric(left) || !isNumeric(right)) {
    PyValue sequence = isNumeric(left) ? right : left;
    auto *count = dyn_cast<SizeValue>(isNumeric(left) ? left : right);
    // Lists and tuples repeat a known number of times only; others are Python's own errors.
    if (!count || op != BinaryOperator::Mult || !isa<ListObject, TupleObject>(sequence))
      return std::nullopt;
    std::optional<int64_t> fixed =
        fixSizeOrRefuse(count->expr, longestList, "the length of a list",
                        "make a tensor of that many elements by torch.full");
    return fixed ? machine->binary(op, sequence, machine->makeInt(*fixed)) : nullptr;
  }
  PyValue result = arithmetic(op, left, right);
  auto *target = dyn_cast<TensorValue>(left);
  if (result && inPlace && target && !target->isNumber)
    return storeInPlace(target, result);
  return result;
}

static Pred comparison(CompareOperator op, Expr a, Expr b) {
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
  default:
    return index::ge(a, b);
  }
}

static StringRef nameOf(CompareOperator op) {
  switch (op) {
  case CompareOperator::Eq:
    return "eq";
  case CompareOperator::NotEq:
    return "ne";
  case CompareOperator::Lt:
    return "lt";
  case CompareOperator::LtE:
    return "le";
  case CompareOperator::Gt:
    return "gt";
  default:
    return "ge";
  }
}

/// Compares devices, and the number of a tensor's. Which GPU the tensors of a call are on is not
/// known: that it is one of them is.
Answer TorchLibrary::compareDevices(CompareOperator op, PyValue left, PyValue right) {
  auto *device = dyn_cast<DeviceValue>(left), *other = dyn_cast<DeviceValue>(right);
  bool isEquality = op == CompareOperator::Eq || op == CompareOperator::NotEq;
  auto answer = [&](bool areEqual) {
    return machine->makeBool(areEqual == (op == CompareOperator::Eq));
  };
  if (device && other && device->isOfTensor == other->isOfTensor)
    return isEquality ? Answer(answer(device->text == other->text)) : std::nullopt;
  auto *placed = device && device->isOfTensor ? device : other;
  PyValue given = placed == device ? right : left;
  if (!placed || !placed->isOfTensor)
    return isEquality ? Answer(answer(false)) : std::nullopt;
  auto *named = dyn_cast<DeviceValue>(given);
  auto *number = dyn_cast<IntObject>(given);
  // `x.get_device() >= 0` says that it is no CPU.
  if (number && number->isSmall() && placed == device) {
    if (op == CompareOperator::GtE && number->small <= 0)
      return machine->makeBool(true);
    if (op == CompareOperator::Lt && number->small <= 0)
      return machine->makeBool(false);
  }
  // `x.device == torch.device("cuda")` never holds: x is on "cuda:0".
  bool mayBe = named ? placed->type() == named->type() && named->text.contains(':')
                     : number && !(number->isSmall() && number->small < 0);
  if (!mayBe)
    return isEquality ? Answer(answer(false)) : std::nullopt;
  return machine->refuse("which GPU the tensors are on is not known while converting",
                         "leave the comparison out, or compare device.type");
}

Answer TorchLibrary::identity(Machine &, PyValue left, PyValue right, bool isNegated) {
  if (left == right)
    return std::nullopt;
  // A number that every call may give anew may be none there.
  for (auto [number, other] : {std::pair(left, right), std::pair(right, left)})
    if (isLive(number) && isa<NoneObject>(other) && !isReadByOurs())
      rely(cast<TensorValue>(number)->origin->text + " is None", machine->makeBool(false));
  if (isa<BoolObject>(left))
    std::swap(left, right);
  auto *flag = dyn_cast<BoolObject>(right);
  // True and False are one object each, and a truth value that is not the one is the other.
  bool isTaken = flag && flag->value() != isNegated;
  if (auto *condition = dyn_cast<ConditionValue>(left); condition && flag)
    return isTaken ? left
                   : machine->make<ConditionValue>(*this, machine->builtinClass("bool"),
                                                   index::notOf(condition->pred));
  auto *tensor = dyn_cast<TensorValue>(left), *other = dyn_cast<TensorValue>(right);
  if (flag && tensor && tensor->isNumber && tensor->dtype == DType::Bool) {
    mlir::Value value = read(tensor);
    return isTaken ? left : wrapNumber(writer.pointwise("not", {value}));
  }
  auto isOpen = [](TensorValue *side) { return side && (side->isChosen || side->isNumber); };
  bool areTensors = tensor && other && tensor->isNumber == other->isNumber;
  bool areNumbers = (tensor && tensor->isNumber && isa<IntObject, FloatObject>(right)) ||
                    (other && other->isNumber && isa<IntObject, FloatObject>(left));
  if ((areTensors && (isOpen(tensor) || isOpen(other))) || areNumbers)
    return machine->refuse("'is' asks for what depends on the data of a tensor", "compare with ==");
  return std::nullopt;
}

Answer TorchLibrary::compare(Machine &, CompareOperator op, PyValue left, PyValue right) {
  bool equality = op == CompareOperator::Eq || op == CompareOperator::NotEq;
  if (isa<PoisonValue>(left) || isa<PoisonValue>(right))
    return poison();
  if (Answer live = liveCompare(op, left, right))
    return live;
  if (isa<DTypeValue>(left) || isa<DTypeValue>(right)) {
    if (equality)
      return machine->makeBool((left == right) == (op == CompareOperator::Eq));
    return std::nullopt;
  }
  if (isa<DeviceValue>(left) || isa<DeviceValue>(right))
    return compareDevices(op, left, right);
  auto isSizeLike = [](PyValue v) { return isa<SizeValue>(v) || isa<IntObject>(v); };
  if (isSizeLike(left) && isSizeLike(right)) {
    Pred pred = comparison(op, *sizeArg(left, "a size"), *sizeArg(right, "a size"));
    index::Truth known = solver.truthOrDenial(pred);
    if (known != index::Truth::Unknown)
      return machine->makeBool(known == index::Truth::True);
    return machine->make<ConditionValue>(*this, machine->builtinClass("bool"),
                                         solver.resolve(pred));
  }
  if (isa<ComplexValue>(left) || isa<ComplexValue>(right))
    return complexCall(nameOf(op), CallArgs{{left, right}, {}});
  if (isa<MaskedValue>(left) || isa<MaskedValue>(right))
    return machine->call(lookup("torch", nameOf(op)), {left, right});
  auto isNumeric = [&](PyValue v) { return isSizeLike(v) || isa<FloatObject, TensorValue>(v); };
  if (!isNumeric(left) || !isNumeric(right))
    return equality ? Answer(machine->makeBool(op == CompareOperator::NotEq)) : std::nullopt;
  setPlace();
  return pointwise(nameOf(op), {left, right}, Rule::Test);
}

Answer TorchLibrary::contains(Machine &, PyValue container, PyValue) {
  if (isa<TensorValue, ComplexValue>(container))
    return machine->refuse("'in' reads a tensor's data", "use (x == value).any()");
  return std::nullopt;
}

Answer TorchLibrary::length(Machine &, PyValue object) {
  if (auto *grown = dyn_cast<GrownList>(object))
    return grownLength(grown);
  if (auto *masked = dyn_cast<MaskedValue>(object)) {
    if (masked->isBehindOne)
      return reportMasked();
    return selectedSize(masked, 0);
  }
  if (auto *items = dyn_cast<LoopItems>(object))
    return makeSize(items->count);
  if (isa<ComplexValue>(object))
    return complexCall("len", CallArgs{{object}, {}});
  auto *tensor = dyn_cast<TensorValue>(object);
  if (!tensor)
    return std::nullopt;
  if (tensor->isNumber || rankOf(tensor) == 0)
    return machine->raise("TypeError", "len() of a 0-d tensor");
  return makeSize(sizesOf(tensor)[0]);
}

Answer TorchLibrary::iterate(Machine &, PyValue object) {
  if (auto *items = dyn_cast<LoopItems>(object))
    return unrolledItems(items);
  if (auto *grown = dyn_cast<GrownList>(object)) {
    std::optional<std::vector<PyValue>> all = writtenOut(grown, "a loop over it");
    return all ? machine->makeTuple(*all) : nullptr;
  }
  if (isa<ComplexValue>(object))
    return complexCall("unbind", CallArgs{{object}, {}});
  auto *tensor = dyn_cast<TensorValue>(object);
  if (!tensor)
    return std::nullopt;
  if (tensor->isNumber || rankOf(tensor) == 0)
    return machine->raise("TypeError", "iteration over a 0-d tensor");
  std::optional<int64_t> count =
      fixSizeOrRefuse(sizesOf(tensor)[0], mostTurns, "a loop over an axis that is written out",
                      "write the loop as an operator along the axis");
  if (!count)
    return nullptr;
  setPlace();
  SmallVector<PyValue> rows;
  for (int64_t row = 0; row < *count; ++row)
    if (!rows.emplace_back(select(tensor, 0, machine->makeInt(row))))
      return nullptr;
  return machine->makeTuple(rows);
}

// --- Names ---------------------------------------------------------------------------------------

static bool addsOnlySingleAxes(graph::BroadcastOp op) {
  auto sizes = cast<graph::TensorType>(op.getType()).getSizes();
  auto own = cast<graph::TensorType>(op.getInput().getType()).getSizes();
  for (auto [axis, size] : enumerate(sizes)) {
    auto kept = find(op.getDims(), int64_t(axis));
    bool isSame = kept != op.getDims().end() && own[kept - op.getDims().begin()] == size;
    if (!isSame && !size.isConstant(1))
      return false;
  }
  return true;
}

/// Whether variables of a file of definitions are called as the field calls what they hold: such a
/// value is called so, unless the program has a name for it.
static bool namesValues(StringRef file) {
  constexpr StringLiteral files[] = {"activations", "attention",     "fourier",
                                     "losses",      "normalisation", "reductions"};
  file.consume_front("<torch/");
  file.consume_back(".py>");
  return is_contained(files, file);
}

Answer TorchLibrary::bind(Machine &, Frame &frame, machine::Name name, PyValue value,
                          const python::Expr *) {
  if (auto *number = dyn_cast_if_present<TensorValue>(value); number && number->origin) {
    if (number->origin->binding != Binding::Atom && number->origin->name.empty())
      number->origin->name = name->text.str();
    return std::nullopt;
  }
  StringRef file = frame.getFile().getSource().getName();
  bool isOurs = file.starts_with("<torch");
  if (isOurs && (!namesValues(file) || name->text == "result"))
    return std::nullopt;
  // `_` says that nobody reads it, and kernels bind it anew where folds have results to leave.
  if (StringRef(name->text).trim('_').empty() || !name->isAscii())
    return std::nullopt;
  std::string text = (isOurs ? defaultNameMark.str() : "") + name->text.str();
  auto *complex = dyn_cast_if_present<ComplexValue>(value);
  auto *tensor = complex ? complex->parts : dyn_cast_if_present<TensorValue>(value);
  mlir::Operation *op = tensor ? read(tensor).getDefiningOp() : nullptr;
  auto isFree = [&](mlir::Location place) {
    auto named = dyn_cast<mlir::NameLoc>(place);
    return !named || (!isOurs && named.getName().strref().starts_with(defaultNameMark));
  };
  while (op && isFree(op->getLoc())) {
    mlir::Location place = op->getLoc();
    if (auto named = dyn_cast<mlir::NameLoc>(place))
      place = named.getChildLoc();
    op->setLoc(mlir::NameLoc::get(mlir::StringAttr::get(context, text), place));
    // With `keepdim`, what was computed lies below axes of one element.
    auto broadcast = dyn_cast<graph::BroadcastOp>(op);
    op =
        broadcast && addsOnlySingleAxes(broadcast) ? broadcast.getInput().getDefiningOp() : nullptr;
  }
  return std::nullopt;
}

Answer TorchLibrary::policyCall(Machine &, Frame &, const python::Call &, PyValue callee,
                                const CallArgs &args) {
  SmallVector<PyValue> positional(args.positional);
  if (auto *method = dyn_cast<BoundMethodObject>(callee)) {
    positional.insert(positional.begin(), method->self);
    callee = method->function;
  }
  auto *function = dyn_cast<FunctionObject>(callee);
  if (!function || composites.contains(function) || modes.contains(function) ||
      renaming.contains(function) || function->code->isGenerator ||
      (exported.contains(function) && isComplexCall({positional, args.keywords})))
    return std::nullopt;
  return machine->callWithPolicy(*function, CallArgs{positional, args.keywords}, *this);
}

Answer TorchLibrary::create(Machine &, ClassObject &cls, const CallArgs &args) {
  if (cls.isSubclassOf(parameterClass)) {
    PyValue data = !args.positional.empty() ? args.positional[0] : args.keyword("data");
    auto *complex = dyn_cast_if_present<ComplexValue>(data);
    auto *tensor = complex ? complex->parts : data ? tensorArg(data, "Parameter") : nullptr;
    PyValue asked = args.positional.size() > 1 ? args.positional[1] : args.keyword("requires_grad");
    TensorValue *parameter = tensor ? parameterOf(tensor) : nullptr;
    if (parameter && isa_and_present<BoolObject>(asked))
      parameter->requiresGrad = cast<BoolObject>(asked)->value();
    if (complex)
      return machine->make<ComplexValue>(*this, parameterClass, parameter);
    return parameter;
  }
  if (&cls == deviceClass) {
    auto *text = args.positional.empty() ? nullptr : dyn_cast<StrObject>(args.positional[0]);
    StringRef name = text ? text->text : "cuda";
    return machine->make<DeviceValue>(*this, deviceClass, machine->save(name));
  }
  if (&cls == tensorClass)
    return machine->call(lookup("torch", "Tensor"), args);
  return machine->refuse("'" + cls.name + "' cannot be called here", "use torch.tensor");
}

} // namespace nereid::torch
