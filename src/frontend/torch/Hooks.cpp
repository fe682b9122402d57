// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the machine asks the library: attributes, operators, comparisons and conversions of abstract
// values, and what to do when control flow meets one.
#include "frontend/torch/KnownNames.h"
#include "frontend/torch/LoopValues.h"
#include "frontend/torch/TorchLibrary.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

// --- Attributes, calls and items -----------------------------------------------------------------

/// The properties of a tensor; nullopt for others.
static Answer tensorProperty(TorchLibrary &t, TensorValue *x, StringRef name) {
  if (name == "shape")
    return t.makeShape(t.sizesOf(x));
  if (name == "dtype")
    return t.makeDType(x->dtype);
  if (name == "ndim")
    return t.machine->makeInt(t.rankOf(x));
  if (name == "device")
    return t.machine->make<DeviceValue>(t, t.deviceClass, "cuda");
  if (name == "data")
    return t.gradients ? t.view(x, ViewStep(ViewStep::Detach)) : x;
  if (name == "requires_grad")
    return t.machine->makeBool(t.requiresGradient(x));
  if (name == "is_leaf")
    return t.machine->makeBool(isa<mlir::BlockArgument>(x->storage->value) ||
                               !t.requiresGradient(x));
  static constexpr StringLiteral never[] = {"is_sparse", "is_quantized", "is_meta", "is_cpu",
                                            "is_nested", "is_mkldnn",    "is_mps",  "is_xla"};
  if (name == "is_cuda" || is_contained(never, name))
    return t.machine->makeBool(name == "is_cuda");
  if (name == "itemsize")
    return t.machine->getAttribute(t.makeDType(x->dtype), "itemsize");
  if (name == "nbytes")
    return t.machine->binary(BinaryOperator::Mult,
                             t.makeSize(index::product(t.solver.getContext(), t.sizesOf(x))),
                             t.machine->getAttribute(t.makeDType(x->dtype), "itemsize"));
  if (name == "real")
    return x;
  if (name == "grad" || name == "grad_fn")
    return t.machine->none();
  if (name != "T" && name != "mT" && name != "mH" && name != "H")
    return std::nullopt;
  int64_t rank = t.rankOf(x);
  SmallVector<int64_t> order = to_vector(seq<int64_t>(0, rank));
  if (name == "T")
    std::reverse(order.begin(), order.end());
  else if (rank >= 2)
    std::swap(order[rank - 1], order[rank - 2]);
  else
    return t.machine->raise("RuntimeError", "tensor." + name + " needs at least 2 dimensions");
  t.setPlace();
  return t.permute(x, order);
}

PyValue TorchLibrary::changeView(TensorValue *tensor, PyValue view) {
  if (isa_and_present<mlir::BlockArgument>(tensor->storage->first))
    return machine->refuse("an in-place change of the shape of an argument is not supported",
                           "assign the view to a name");
  auto *changed = cast<TensorValue>(view);
  tensor->steps = changed->steps;
  tensor->view = changed->view;
  tensor->viewVersion = changed->viewVersion;
  return tensor;
}

PyValue TorchLibrary::inPlaceForm(StringRef space, StringRef name) {
  if (!name.ends_with("_") || name.ends_with("__"))
    return nullptr;
  PyValue plain = lookup(space, name.drop_back());
  if (!plain)
    return nullptr;
  static constexpr StringLiteral views[] = {"unsqueeze_", "squeeze_",  "transpose_",
                                            "t_",         "swapaxes_", "swapdims_"};
  bool isView = is_contained(views, name);
  return machine->makeBuiltin(
      machine->save(name), [this, plain, isView](Machine &, const CallArgs &args) -> PyValue {
        PyValue first = args.positional.empty() ? args.keyword("input") : args.positional.front();
        auto *self = first ? tensorArg(first, "an in-place operator") : nullptr;
        PyValue result = self || !first ? machine->call(plain, args) : nullptr;
        setPlace();
        if (!result || !self || isPoisoned(result))
          return result;
        return isView ? changeView(self, result) : storeInPlace(self, result);
      });
}

Answer TorchLibrary::getAttribute(Machine &, PyValue object, machine::Name name) {
  StringRef text = name->text;
  if (isa<PoisonValue>(object))
    return poison();
  if (auto *device = dyn_cast<DeviceValue>(object))
    return text == "type" ? Answer(machine->makeStr(device->text)) : machine->none();
  if (auto *dtype = dyn_cast<DTypeValue>(object)) {
    if (text == "is_floating_point")
      return machine->makeBool(isFloat(dtype->dtype));
    if (text == "is_complex")
      return machine->makeBool(false);
    if (text == "itemsize") {
      mlir::Type type = torch::toMlir(dtype->dtype, context);
      return machine->makeInt(std::max(1u, type.getIntOrFloatBitWidth() / 8));
    }
    return std::nullopt;
  }
  if (isa<MaskedValue>(object))
    return refuseMasked();
  if (auto *grown = dyn_cast<GrownList>(object))
    return grownAttribute(grown, text);
  auto *tensor = dyn_cast<TensorValue>(object);
  if (!tensor || tensor->isNumber)
    return std::nullopt;
  if (Answer property = tensorProperty(*this, tensor, text))
    return property;
  PyValue method = lookup("Tensor", text);
  if (!method && !machine->pending() && isInPlaceMethod(text))
    method = inPlaceForm("Tensor", text);
  if (!method && !machine->pending()) {
    if (text.starts_with("__"))
      return std::nullopt;
    method = unknownName("Tensor", "Tensor", text);
  }
  if (!method)
    return nullptr;
  return machine->makeBuiltin(machine->save(text),
                              [method, tensor](Machine &m, const CallArgs &args) -> PyValue {
                                SmallVector<PyValue> all{tensor};
                                all.append(args.positional.begin(), args.positional.end());
                                return m.call(method, CallArgs{all, args.keywords});
                              });
}

Answer TorchLibrary::setAttribute(Machine &, PyValue object, machine::Name name, PyValue value) {
  auto *tensor = dyn_cast<TensorValue>(object);
  if (!tensor || tensor->isNumber)
    return std::nullopt;
  if (name->text == "requires_grad" && isa<BoolObject>(value))
    tensor->requiresGrad = cast<BoolObject>(value)->value();
  if (name->text == "requires_grad" || name->text == "grad")
    return value;
  if (name->text == "data") {
    auto *source = tensorArg(value, "data");
    if (!source)
      return nullptr;
    return storeInPlace(tensor, source) ? Answer(value) : Answer(nullptr);
  }
  return machine->refuse("setting the attribute '" + name->text + "' of a tensor is not supported",
                         "keep the value in a variable");
}

Answer TorchLibrary::call(Machine &, PyValue callee, const CallArgs &) {
  if (isa<PoisonValue>(callee))
    return poison();
  return std::nullopt;
}

Answer TorchLibrary::getItem(Machine &, PyValue object, PyValue key) {
  if (isa<PoisonValue>(object))
    return poison();
  if (auto *grown = dyn_cast<GrownList>(object))
    return grownItem(grown, key);
  auto *tensor = dyn_cast<TensorValue>(object);
  return tensor ? Answer(index(tensor, key)) : std::nullopt;
}

Answer TorchLibrary::setItem(Machine &, PyValue object, PyValue key, PyValue value) {
  if (isa<PoisonValue>(object))
    return poison();
  auto *tensor = dyn_cast<TensorValue>(object);
  if (!tensor)
    return std::nullopt;
  return storeItem(tensor, key, value) ? Answer(machine->none()) : Answer(nullptr);
}

// --- Operators -------------------------------------------------------------------------------

Answer TorchLibrary::unary(Machine &, UnaryOperator op, PyValue operand) {
  if (isa<PoisonValue>(operand))
    return poison();
  if (auto *size = dyn_cast<SizeValue>(operand)) {
    if (op == UnaryOperator::USub)
      return makeSize(-size->expr);
    return op == UnaryOperator::UAdd ? Answer(operand) : std::nullopt;
  }
  if (auto *masked = dyn_cast<MaskedValue>(operand); masked && op == UnaryOperator::USub) {
    PyValue negative = machine->call(lookup("torch", "neg"), {masked->tensor});
    return negative ? machine->make<MaskedValue>(*this, tensorClass, negative, masked->mask)
                    : nullptr;
  }
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

/// True when two values are computed alike: by one operator from equal operands.
static bool equalValues(mlir::Value a, mlir::Value b) {
  mlir::Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (a == b || !x || !y)
    return a == b;
  return x->getName() == y->getName() && x->getAttrDictionary() == y->getAttrDictionary() &&
         x->getNumRegions() == 0 && a.getType() == b.getType() &&
         std::equal(x->operand_begin(), x->operand_end(), y->operand_begin(), y->operand_end(),
                    equalValues);
}

PyValue TorchLibrary::refuseMasked() {
  return machine->refuse("indexing with a mask has a size that depends on the data",
                         "use torch.where(mask, a, b)");
}

PyValue TorchLibrary::unmasked(TensorValue *tensor, TensorValue *mask, PyValue value) {
  auto *masked = dyn_cast<MaskedValue>(value);
  if (!masked)
    return value;
  if (!mask || mask->dtype != DType::Bool || !equalValues(masked->mask, read(mask)))
    return refuseMasked();
  return masked->tensor;
}

PyValue TorchLibrary::maskedArithmetic(BinaryOperator op, PyValue left, PyValue right) {
  auto *a = dyn_cast<MaskedValue>(left), *b = dyn_cast<MaskedValue>(right);
  auto plain = [&](PyValue value) -> PyValue {
    if (auto *masked = dyn_cast<MaskedValue>(value))
      return masked->tensor;
    auto *tensor = dyn_cast<TensorValue>(value);
    bool isScalar = isa<IntObject, FloatObject, SizeValue>(value) ||
                    (tensor && (tensor->isNumber || rankOf(tensor) == 0));
    return isScalar ? value : nullptr;
  };
  PyValue x = plain(left), y = plain(right);
  if (!x || !y || (a && b && !equalValues(a->mask, b->mask)))
    return refuseMasked();
  PyValue result = arithmetic(op, x, y);
  if (!result || isPoisoned(result))
    return result;
  return machine->make<MaskedValue>(*this, tensorClass, result, (a ? a : b)->mask);
}

Answer TorchLibrary::binary(Machine &, BinaryOperator op, PyValue left, PyValue right,
                            bool inPlace) {
  if (isa<PoisonValue>(left) || isa<PoisonValue>(right))
    return poison();
  if (isa<MaskedValue>(left) || isa<MaskedValue>(right))
    return maskedArithmetic(op, left, right);
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
    // Lists and tuples repeat a known number of times only; others are Python's own errors.
    return std::nullopt;
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

Answer TorchLibrary::compare(Machine &, CompareOperator op, PyValue left, PyValue right) {
  bool equality = op == CompareOperator::Eq || op == CompareOperator::NotEq;
  if (isa<PoisonValue>(left) || isa<PoisonValue>(right))
    return poison();
  if (isa<DTypeValue>(left) || isa<DTypeValue>(right)) {
    if (equality)
      return machine->makeBool((left == right) == (op == CompareOperator::Eq));
    return std::nullopt;
  }
  if (auto *device = dyn_cast<DeviceValue>(left); device && equality) {
    auto *other = dyn_cast<DeviceValue>(right);
    return machine->makeBool((other && other->text == device->text) == (op == CompareOperator::Eq));
  }
  auto isSizeLike = [](PyValue v) { return isa<SizeValue>(v) || isa<IntObject>(v); };
  if (isSizeLike(left) && isSizeLike(right)) {
    Pred pred = comparison(op, *sizeArg(left, "a size"), *sizeArg(right, "a size"));
    index::Truth known = solver.truth(pred);
    if (known == index::Truth::Unknown && solver.truth(index::notOf(pred)) == index::Truth::True)
      known = index::Truth::False;
    if (known != index::Truth::Unknown)
      return machine->makeBool(known == index::Truth::True);
    return machine->make<ConditionValue>(*this, machine->builtinClass("bool"),
                                         solver.resolve(pred));
  }
  auto isNumeric = [&](PyValue v) { return isSizeLike(v) || isa<FloatObject, TensorValue>(v); };
  if (!isNumeric(left) || !isNumeric(right))
    return equality ? Answer(machine->makeBool(op == CompareOperator::NotEq)) : std::nullopt;
  setPlace();
  return pointwise(nameOf(op), {left, right}, Rule::Test);
}

Answer TorchLibrary::contains(Machine &, PyValue container, PyValue) {
  if (isa<TensorValue>(container))
    return machine->refuse("'in' reads a tensor's data", "use (x == value).any()");
  return std::nullopt;
}

Answer TorchLibrary::length(Machine &, PyValue object) {
  if (auto *grown = dyn_cast<GrownList>(object))
    return grownLength(grown);
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
  auto *tensor = dyn_cast<TensorValue>(object);
  if (!tensor)
    return std::nullopt;
  if (tensor->isNumber || rankOf(tensor) == 0)
    return machine->raise("TypeError", "iteration over a 0-d tensor");
  std::optional<int64_t> count = fixSize(sizesOf(tensor)[0], 64);
  if (!count)
    return machine->refuse("iterates over an axis whose size " + sizesOf(tensor)[0].str() +
                               " is not fixed",
                           "write the loop as an operator along the axis");
  setPlace();
  SmallVector<PyValue> rows;
  for (int64_t row = 0; row < *count; ++row)
    if (!rows.emplace_back(select(tensor, 0, machine->makeInt(row))))
      return nullptr;
  return machine->makeTuple(rows);
}

// --- Conversions -----------------------------------------------------------------------------

Answer TorchLibrary::convert(Machine &, PyValue object, StringRef target) {
  bool text = target == "str" || target == "repr" || target == "format";
  if (auto *size = dyn_cast<SizeValue>(object)) {
    if (text)
      return machine->makeStr(size->expr.str());
    if (target == "int")
      return object;
    if (target == "float") {
      setPlace();
      return wrapNumber(writer.cast(writer.size(size->expr), DType::F64));
    }
    if (target == "bool")
      return compare(*machine, CompareOperator::NotEq, object, machine->makeInt(0));
    if (target == "index")
      if (std::optional<int64_t> fixed = fixSize(size->expr, 64))
        return machine->makeInt(*fixed);
    if (target == "index")
      return machine->refuse("a loop or list depends on the size " + size->expr.str() +
                                 ", which is not fixed",
                             "write the loop as an operator along the axis");
    return std::nullopt;
  }
  if (auto *dtype = dyn_cast<DTypeValue>(object))
    return text ? Answer(machine->makeStr(("torch." + getTorchName(dtype->dtype)).str()))
                : std::nullopt;
  if (auto *device = dyn_cast<DeviceValue>(object))
    return text ? Answer(machine->makeStr(device->text)) : std::nullopt;
  if (auto *condition = dyn_cast<ConditionValue>(object)) {
    std::optional<bool> taken = decide(condition->pred, userLocation());
    if (!taken)
      return nullptr;
    if (text)
      return machine->makeStr(*taken ? "True" : "False");
    return target == "bool" ? Answer(machine->makeBool(*taken)) : machine->makeInt(*taken);
  }
  auto *tensor = dyn_cast<TensorValue>(object);
  if (!tensor)
    return std::nullopt;
  if (text)
    return machine->makeStr("<tensor>");
  if (PyValue known = target == "hash" ? nullptr : constantItem(tensor)) {
    if (target == "index" && !isFloat(tensor->dtype))
      return known;
    if (target == "float" || target == "int" || target == "bool")
      return machine->call(machine->builtinClass(target), {known});
  }
  bool isSingle =
      tensor->isNumber || (target != "index" && target != "hash" && target != "bool" &&
                           all_of(sizesOf(tensor), [](Expr size) { return size.isConstant(1); }));
  if (isSingle && (target == "float" || target == "int")) {
    setPlace();
    PyValue number = tensor->isNumber ? tensor : machine->call(lookup("Tensor", "item"), {tensor});
    if (!number)
      return nullptr;
    tensor = cast<TensorValue>(number);
    if (PyValue whole = target == "int" ? wholePart(tensor, target) : nullptr)
      return whole;
    return wrapNumber(writer.cast(read(tensor), target == "float" ? DType::F64 : DType::I64));
  }
  if (target == "hash")
    return std::nullopt;
  return machine->refuse("'" + target + "' reads the data of a tensor",
                         "keep the value as a tensor of rank 0");
}

Answer TorchLibrary::builtinCall(Machine &, StringRef name, const CallArgs &args) {
  if (name == "range" || name == "reversed" || name == "enumerate" || name == "zip")
    return loopBuiltin(name, args.positional);
  for (PyValue arg : args.positional)
    if (isPoisoned(arg))
      return poison();
  ArrayRef<PyValue> a = args.positional;
  if (name == "sum" || name == "math.prod") {
    std::optional<std::vector<PyValue>> items =
        a.empty() ? std::nullopt : machine->items(a.front());
    if (!items)
      return a.empty() ? Answer() : Answer(nullptr);
    PyValue total = a.size() > 1 ? a[1] : machine->makeInt(name == "sum" ? 0 : 1);
    for (PyValue item : *items)
      if (!(total = machine->binary(name == "sum" ? BinaryOperator::Add : BinaryOperator::Mult,
                                    total, item)))
        return nullptr;
    return total;
  }
  setPlace();
  if (name == "min" || name == "max") {
    auto items = a.size() == 1 ? machine->items(a.front())
                               : std::optional(std::vector<PyValue>(a.begin(), a.end()));
    if (!items)
      return nullptr;
    // Numbers that are not known, such as quotients of sizes.
    auto isNumber = [](PyValue item) {
      auto *tensor = dyn_cast<TensorValue>(item);
      return isa<SizeValue, IntObject, FloatObject>(item) || (tensor && tensor->isNumber);
    };
    if (!items->empty() && all_of(*items, isNumber) &&
        any_of(*items, IsaPred<TensorValue, FloatObject>)) {
      PyValue best = items->front();
      for (PyValue item : drop_begin(*items))
        if (!(best = pointwise(name == "min" ? "minimum" : "maximum", {best, item}, Rule::Promote)))
          return nullptr;
      return best;
    }
    SmallVector<Expr> exprs;
    for (PyValue item : *items) {
      if (!isa<SizeValue, IntObject>(item))
        return machine->refuse("Python's " + name + "() compares the data of tensors",
                               "use torch." + name + "imum");
      exprs.push_back(*sizeArg(item, "a size"));
    }
    return makeSize(
        solver.getFacts().simplify(name == "min" ? index::min(exprs) : index::max(exprs)));
  }
  if (name == "abs" && a.size() == 1) {
    if (auto *size = dyn_cast<SizeValue>(a[0]))
      return makeSize(index::max(size->expr, -size->expr));
    return machine->call(lookup("torch", "abs"), a);
  }
  if (name == "pow" && a.size() == 2)
    return machine->binary(BinaryOperator::Pow, a[0], a[1]);
  if (name == "round" && isa<TensorValue>(a[0]))
    return machine->call(lookup("torch", "round"), {a[0]});
  if (!name.consume_front("math."))
    return std::nullopt;
  auto *tensor = a.size() == 1 ? dyn_cast<TensorValue>(a[0]) : nullptr;
  if (tensor && !tensor->isNumber)
    return machine->refuse("math." + name + " reads the data of a tensor", "use torch." + name);
  if (name == "floor" || name == "ceil" || name == "trunc")
    if (PyValue whole = !a.empty() && isa<SizeValue>(a[0]) ? a[0]
                        : tensor ? wholePart(tensor, name == "trunc" ? "int" : name)
                                 : nullptr)
      return whole;
  static constexpr StringLiteral unaries[] = {"sqrt", "exp", "log",  "log2", "log10", "sin",
                                              "cos",  "tan", "tanh", "erf",  "log1p", "expm1"};
  if (a.size() == 1 && is_contained(unaries, name))
    return pointwise(name, a, Rule::Float);
  if (name == "pow" && a.size() == 2)
    return pointwise("pow", a, Rule::Float);
  return machine->refuse("math." + name + " of a size that is not fixed is not supported",
                         "use //, or give the size in --inputs");
}

// --- Control flow ----------------------------------------------------------------------------

machine::Truth TorchLibrary::truth(Machine &, PyValue object) {
  if (auto *size = dyn_cast<SizeValue>(object)) {
    index::Truth known = solver.truth(index::ne(size->expr, 0));
    return known == index::Truth::True    ? machine::Truth::True
           : known == index::Truth::False ? machine::Truth::False
                                          : machine::Truth::Unknown;
  }
  if (auto *condition = dyn_cast<ConditionValue>(object)) {
    // A case may know by now what was open when the condition was written.
    index::Truth known = solver.truth(condition->pred);
    if (known == index::Truth::Unknown &&
        solver.truth(index::notOf(condition->pred)) == index::Truth::True)
      known = index::Truth::False;
    return known == index::Truth::True    ? machine::Truth::True
           : known == index::Truth::False ? machine::Truth::False
                                          : machine::Truth::Unknown;
  }
  if (auto *tensor = dyn_cast<TensorValue>(object))
    if (PyValue known = constantItem(tensor))
      return machine->truth(known);
  return isa<DTypeValue, DeviceValue>(object) ? machine::Truth::True : machine::Truth::Unknown;
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

Answer TorchLibrary::bind(Machine &, Frame &frame, machine::Name name, PyValue value,
                          const python::Expr *) {
  if (frame.getFile().getSource().getName().starts_with("<torch"))
    return std::nullopt;
  auto *tensor = dyn_cast_if_present<TensorValue>(value);
  mlir::Operation *op = tensor ? read(tensor).getDefiningOp() : nullptr;
  while (op && !isa<mlir::NameLoc>(op->getLoc())) {
    op->setLoc(mlir::NameLoc::get(mlir::StringAttr::get(context, name->text), op->getLoc()));
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
      function->code->isGenerator)
    return std::nullopt;
  return machine->callWithPolicy(*function, CallArgs{positional, args.keywords}, *this);
}

Answer TorchLibrary::create(Machine &, ClassObject &cls, const CallArgs &args) {
  if (cls.isSubclassOf(parameterClass)) {
    PyValue data = !args.positional.empty() ? args.positional[0] : args.keyword("data");
    auto *tensor = data ? tensorArg(data, "Parameter") : nullptr;
    PyValue asked = args.positional.size() > 1 ? args.positional[1] : args.keyword("requires_grad");
    TensorValue *parameter = tensor ? parameterOf(tensor) : nullptr;
    if (parameter && isa_and_present<BoolObject>(asked))
      parameter->requiresGrad = cast<BoolObject>(asked)->value();
    return parameter;
  }
  if (&cls == deviceClass) {
    auto *text = args.positional.empty() ? nullptr : dyn_cast<StrObject>(args.positional[0]);
    StringRef name = text ? text->text.split(':').first : "cuda";
    return machine->make<DeviceValue>(*this, deviceClass, machine->save(name));
  }
  if (&cls == tensorClass)
    return machine->call(lookup("torch", "Tensor"), args);
  return machine->refuse("'" + cls.name + "' cannot be called here", "use torch.tensor");
}

} // namespace nereid::torch
