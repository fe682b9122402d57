// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The call of a program: its inputs as graph arguments, and what ends it.
#include "frontend/torch/ProgramImport.h"

#include "index/Printer.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

/// What the class does when an attribute is set: the emitted class has no properties.
void ProgramImport::tellOfSetters(const machine::Object &instance) {
  for (ClassObject *cls : instance.cls->mro) {
    if (!cls->module || !cls->module->file || cls->module->file->getName().starts_with("<"))
      continue;
    for (const Namespace::Slot &slot : cls->attrs->slots) {
      auto *property = dyn_cast_if_present<PropertyObject>(slot.value);
      if (property && property->setter)
        diagnostics.warning(machine->definitionOf(cls),
                            "what is emitted has no property '" + slot.name->text.str() +
                                "': to set it changes nothing",
                            "set what its setter sets");
      else if (slot.value && slot.name->text == "__setattr__")
        diagnostics.warning(machine->definitionOf(cls),
                            "what is emitted has no '__setattr__' of its own");
    }
  }
}

bool ProgramImport::callProgram(PyValue program, PyValue instance) {
  FunctionObject *callee = dyn_cast<FunctionObject>(program);
  if (instance) {
    callee = dyn_cast_if_present<FunctionObject>(instance->cls->lookup(machine->intern("forward")));
    if (!callee || callee == moduleClass->lookup(machine->intern("forward"))) {
      diagnostics.error(machine->definitionOf(instance->cls),
                        "the class '" + instance->cls->name.str() + "' has no method forward",
                        "define forward(self, ...)");
      return false;
    }
    tellOfSetters(*instance);
    // A call of its own goes around it.
    PyValue call = instance->cls->lookup(machine->intern("__call__"));
    if (call != moduleClass->lookup(machine->intern("__call__")) && isa<FunctionObject>(call))
      callee = cast<FunctionObject>(call);
  }
  // What decorators pass on takes the arguments of what they decorate.
  FunctionObject *wrapper = callee;
  auto takesAny = [&](FunctionObject &function) {
    const python::Arguments *own = function.code->args;
    return own && own->vararg && own->posonlyargs.empty() && own->args.empty();
  };
  while (takesAny(*callee)) {
    auto *inner = callee->attrs ? callee->attrs->get(machine->intern("__wrapped__")) : nullptr;
    auto *wrapped = dyn_cast_if_present<FunctionObject>(inner);
    if (!wrapped)
      break;
    callee = wrapped;
  }
  if (instance && takesAny(*callee)) {
    diagnostics.error(machine->definitionOf(callee),
                      "'" + callee->name->text.str() + "' takes its module by '*" +
                          callee->code->args->vararg->arg.str() + "': no argument has a name",
                      "name them, or decorate with functools.wraps");
    return false;
  }
  std::optional<std::vector<InputSpec>> inputs = readSpec(*callee, instance);
  if (!inputs || !checkArguments(*callee, *inputs, instance))
    return false;
  // The user's names come first, so that sizes without a name get others.
  for (const InputSpec &input : *inputs)
    nameSizes(input);
  for (const InputSpec &input : *inputs)
    if (!deriveSizes(input))
      return false;
  SmallVector<PyValue> positional;
  SmallVector<std::pair<machine::Name, PyValue>> keywords;
  if (instance)
    positional.push_back(instance);
  const python::Arguments *parameters = callee->code->args;
  for (const InputSpec &input : *inputs) {
    bool isRest = parameters && parameters->vararg && parameters->vararg->arg == input.key;
    PyValue value = makeArgument(input, {input.key, input.key});
    if (!value)
      return false;
    bool byPosition =
        parameters && any_of(parameters->posonlyargs, [&](const python::Arg *parameter) {
          return parameter->arg == input.key;
        });
    if (byPosition) {
      positional.push_back(value);
      continue;
    }
    if (!isRest || !isa<TupleObject, ListObject>(value)) {
      keywords.push_back({machine->intern(input.key), value});
      continue;
    }
    // What stands before *args is then given by position.
    for (auto &[name, earlier] : std::exchange(keywords, {}))
      positional.push_back(earlier);
    append_range(positional, *machine->items(value));
  }
  addDefaults(*callee, *inputs, instance, keywords);
  writeSignature(*callee, *inputs, instance);
  library.entry = &function.front();
  library.reachFrom(instance, "self", "");
  machine->observer = &library;
  PyValue result = callStateless(
      *callee, [&] { return library.callProgram(*wrapper, CallArgs{positional, keywords}); });
  machine->observer = nullptr;
  library.entry = nullptr;
  if (!result)
    return takeFailure();
  return !diagnostics.hasErrors() && finish(result, instance);
}

/// What ended the call: a case that raises does so when it is met, all else is an error. Returns
/// false.
bool ProgramImport::takeFailure() {
  static constexpr StringLiteral whenMet[] = {"ValueError", "RuntimeError", "AssertionError",
                                              "IndexError", "NotImplementedError"};
  const ProgramCase &one = library.programCase;
  bool isRefusal = machine->pendingRefusal();
  PyValue exception = isRefusal ? nullptr : machine->pendingException();
  bool raises = exception && is_contained(whenMet, machine->typeName(exception));
  Diagnostic error = library.takeError();
  if (!library.reported && !one.decisions.empty() && raises) {
    raised = error.message;
    return false;
  }
  // After a reported operator only errors that cannot follow from it are told.
  if (!library.reported || StringRef(error.message).starts_with("AttributeError: "))
    diagnostics.error(error.location, error.message, error.help).notes = error.notes;
  return false;
}

/// How a program reads a parameter or buffer at a path: `self.blocks[0].weight`.
static std::string accessOfPart(StringRef path) {
  std::string access = "self";
  for (StringRef part : split(path, '.'))
    access += all_of(part, isDigit) ? "[" + part.str() + "]" : "." + part.str();
  return access;
}

TensorValue *ProgramImport::addArgument(ArrayRef<Expr> sizes, DType dtype, const Place &place,
                                        mlir::NamedAttrList attributes) {
  // A key of a dict may be any text.
  std::string name = place.name;
  std::replace_if(name.begin(), name.end(), [](char c) { return !isAlnum(c); }, '_');
  // An argument of forward() may be called as a parameter of the module is.
  auto isTaken = [&](StringRef wanted) {
    return any_of(arguments, [&](const Argument &each) { return each.name == wanted; });
  };
  std::string own = name;
  for (unsigned number = 2; isTaken(name); ++number)
    name = own + "_" + std::to_string(number);
  bool isFixed = attributes.get("graph.scalar") || attributes.get("graph.complex");
  if (!request.floatType.empty() && isFloat(dtype) && !isFixed)
    dtype = parseSpecName(request.floatType).value_or(dtype);
  attributes.set("graph.name", mlir::StringAttr::get(context, name));
  if (place.access != name && !attributes.get("graph.parameter"))
    attributes.set("graph.access", mlir::StringAttr::get(context, place.access));
  // The seed stays last.
  mlir::Value value = function.front().insertArgument(
      arguments.size(), library.writer.type(sizes, dtype),
      mlir::NameLoc::get(mlir::StringAttr::get(context, name), function.getLoc()));
  TensorValue *tensor = library.wrap(value);
  tensor->storage->isOuter = false;
  tensor->storage->isArgument = true;
  auto parameter = dyn_cast_or_null<mlir::StringAttr>(attributes.get("graph.parameter"));
  library.accesses[value] = parameter ? accessOfPart(parameter.getValue()) : place.access;
  arguments.push_back({tensor, value, name, std::move(attributes), value.getType()});
  return tensor;
}

void ProgramImport::nameSizes(const InputSpec &spec) {
  for (const InputSpec &item : spec.items)
    nameSizes(item);
  for (const std::string &text : spec.sizes) {
    index::ParseError error;
    Expr expr = index::parseExpr(text, library.solver.getContext(), error);
    if (!expr || !expr.isSymbol())
      continue;
    namedSizes.push_back(library.solver.symbol(expr.getName()));
    for (const auto &[name, value] : request.sizes)
      if (expr.getName() == name)
        library.solver.setHint(expr, value);
  }
}

/// A name that stands alone on no axis follows from the first one that has it: `N` is half of an
/// axis of size `2*N`, which must be even.
bool ProgramImport::deriveSizes(const InputSpec &spec) {
  SizeSolver &solver = library.solver;
  for (const InputSpec &item : spec.items)
    if (!deriveSizes(item))
      return false;
  for (auto [axis, text] : enumerate(spec.sizes)) {
    index::ParseError error;
    Expr expr = index::parseExpr(text, solver.getContext(), error);
    if (!expr)
      continue; // told with the other sizes
    expr = index::substitute(expr, derived);
    SmallVector<Expr> open;
    index::forEachSymbol(expr, [&](Expr symbol) {
      if (!solver.isKnown(symbol))
        open.push_back(symbol);
    });
    if (open.empty())
      continue;
    std::optional<index::LinearIn> linear = index::asLinearIn(expr, open.front());
    int64_t factor = linear ? linear->coefficient.getConstant().value_or(0) : 0;
    if (open.size() > 1 || factor <= 0) {
      diagnostics.error(placeOf(spec),
                        "'" + text + "' does not tell what " + open.front().getName().str() + " is",
                        "name an axis by " + open.front().getName().str() + " alone");
      return false;
    }
    Expr whole = solver.freshSymbol(axis, spec.sizes.size());
    for (const auto &[name, value] : request.sizes)
      if (open.front().getName() == name)
        if (std::optional<int64_t> rest = solver.hint(linear->rest))
          solver.setHint(whole, factor * value + *rest);
    std::string message = "axis " + std::to_string(axis) + " of the input '" + spec.key +
                          "' must have a size of the form " + text;
    solver.require(index::ge(whole - linear->rest, 0), message);
    solver.require(index::divisible(whole - linear->rest, factor), message);
    derived[open.front()] = index::floordiv(whole - linear->rest, factor);
  }
  return true;
}

std::optional<Sizes> ProgramImport::sizesOf(const InputSpec &spec) {
  Sizes sizes;
  index::Context &exprs = library.solver.getContext();
  for (auto [axis, text] : enumerate(spec.sizes)) {
    int64_t number = 0;
    if (!StringRef(text).getAsInteger(10, number)) {
      if (number < 0) {
        diagnostics.error(placeOf(spec), "a size is negative: " + text);
        return std::nullopt;
      }
      if (number == 1) {
        sizes.push_back(exprs.constant(1));
        continue;
      }
      Expr symbol = library.solver.freshSymbol(axis, spec.sizes.size());
      library.solver.setHint(symbol, number);
      sizes.push_back(symbol);
      continue;
    }
    index::ParseError error;
    Expr expr = index::parseExpr(text, exprs, error);
    if (!expr) {
      diagnostics.error(placeOf(spec), "'" + text + "' is no size: " + error.message);
      return std::nullopt;
    }
    sizes.push_back(library.solver.resolve(index::substitute(expr, derived)));
  }
  return sizes;
}

PyValue ProgramImport::makeTensor(const InputSpec &spec, const Place &place) {
  std::optional<Sizes> sizes = sizesOf(spec);
  if (!sizes)
    return nullptr;
  mlir::NamedAttrList attributes;
  mlir::OpBuilder &builder = library.writer.builder;
  if (spec.below)
    attributes.set("graph.below", builder.getI64IntegerAttr(*spec.below));
  if (!spec.strides.empty()) {
    SmallVector<mlir::Attribute> strides;
    for (const std::string &stride : spec.strides)
      strides.push_back(builder.getStringAttr(stride));
    attributes.set("graph.strides", builder.getArrayAttr(strides));
  }
  if (!spec.isComplex)
    return addArgument(*sizes, spec.dtype, place, std::move(attributes));
  sizes->push_back(library.solver.getContext().constant(2));
  attributes.set("graph.complex", mlir::UnitAttr::get(context));
  return library.complexOf(addArgument(*sizes, spec.dtype, place, std::move(attributes)));
}

PyValue ProgramImport::makeScalar(const InputSpec &spec, const Place &place) {
  mlir::NamedAttrList attributes;
  attributes.set("graph.scalar", mlir::UnitAttr::get(context));
  TensorValue *argument = addArgument({}, spec.dtype, place, std::move(attributes));
  TensorValue *number = library.wrapNumber(argument->storage->value);
  if (spec.dtype == DType::Bool) {
    number->flag = library.solver.flag(place.name);
    arguments.back().attributes.set("graph.symbol", mlir::StringAttr::get(context, place.name));
  }
  if (spec.dtype == DType::I64) {
    Expr number = library.solver.reserve(place.name);
    library.givenNumbers[argument->storage->value] = number;
    for (const auto &[name, value] : request.sizes)
      if (number.getName() == name)
        library.solver.setHint(number, value);
  }
  number->storage->isOuter = false;
  arguments.back().tensor = number;
  return number;
}

PyValue ProgramImport::makeSequence(const InputSpec &spec, const Place &place) {
  known.push_back({"len(" + place.access + ")", std::to_string(spec.items.size())});
  SmallVector<PyValue> items;
  for (auto [number, item] : enumerate(spec.items)) {
    std::string text = std::to_string(number);
    Place inner{place.name + "_" + text, place.access + "[" + text + "]"};
    if (!items.emplace_back(makeArgument(item, inner)))
      return nullptr;
  }
  if (!spec.isList)
    return machine->makeTuple(items);
  PyValue list = machine->makeList(items);
  containers[list] = place.access;
  return list;
}

PyValue ProgramImport::makeDict(const InputSpec &spec, const Place &place) {
  DictObject *dict = machine->makeDict();
  containers[dict] = place.access;
  SmallVector<PyValue> keys;
  for (const InputSpec &item : spec.items)
    keys.push_back(machine->makeStr(item.key));
  relyOn("list(" + place.access + ")", machine->makeList(keys));
  for (auto [item, key] : zip_equal(spec.items, keys)) {
    Place inner{place.name + "_" + item.key, place.access + "[" + *literalText(key) + "]"};
    PyValue value = makeArgument(item, inner);
    if (!value || !machine->dictSet(*dict, key, value))
      return nullptr;
  }
  return dict;
}

PyValue ProgramImport::makeRecord(const InputSpec &spec, const Place &place) {
  PyValue found = machine->findAttribute(source, machine->intern(spec.text));
  auto *cls = dyn_cast_if_present<ClassObject>(found);
  if (!cls) {
    if (!machine->pending())
      machine->refuseAt(placeOf(spec), "the file has no class '" + spec.text + "'");
    return nullptr;
  }
  records.push_back({place.access, spec.text});
  addDefinition(*cls);
  SmallVector<std::pair<machine::Name, PyValue>> fields;
  for (const InputSpec &item : spec.items) {
    PyValue value =
        makeArgument(item, {place.name + "_" + item.key, place.access + "." + item.key});
    if (!value)
      return nullptr;
    fields.push_back({machine->intern(item.key), value});
  }
  return machine->call(cls, CallArgs{{}, fields});
}

PyValue ProgramImport::makeArgument(const InputSpec &spec, const Place &place) {
  auto constant = [&](PyValue value) {
    relyOn(place.access, value);
    return value;
  };
  switch (spec.kind) {
  case InputSpec::Tensor:
    return makeTensor(spec, place);
  case InputSpec::Scalar:
    return makeScalar(spec, place);
  case InputSpec::Bool:
    return constant(machine->makeBool(spec.integer));
  case InputSpec::Integer:
    return constant(machine->makeInt(spec.integer));
  case InputSpec::Float:
    return library.liveNumber(place.access, machine->makeFloat(spec.number));
  case InputSpec::String:
    return constant(machine->makeStr(spec.text));
  case InputSpec::Type:
    return constant(library.makeDType(spec.dtype));
  case InputSpec::None:
    return constant(machine->none());
  case InputSpec::Tuple:
    return makeSequence(spec, place);
  case InputSpec::Dict:
    return makeDict(spec, place);
  case InputSpec::Record:
    return makeRecord(spec, place);
  }
  llvm_unreachable("covered switch");
}

} // namespace nereid::torch
