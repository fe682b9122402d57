// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arguments of a program: from --inputs or from the file's get_inputs() to graph arguments.
#include "frontend/torch/ProgramImport.h"

#include "index/Printer.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

SourceLocation ProgramImport::placeOf(const InputSpec &spec) {
  if (specFile)
    return {specFile.get(), spec.range};
  return {source->file, {0, 0}};
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
      *callee, [&] { return library.callProgram(*callee, CallArgs{positional, keywords}); });
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

// --- What the user says
// ----------------------------------------------------------------------------

std::optional<std::vector<InputSpec>> ProgramImport::readSpec(FunctionObject &callee,
                                                              bool isMethod) {
  if (!request.inputs.empty()) {
    specFile = std::make_unique<SourceFile>("--inputs", request.inputs);
    return parseInputSpec(*specFile, diagnostics);
  }
  if (source->attrs->get(machine->intern("get_inputs")))
    return specOfGetInputs(callee, isMethod);
  return std::vector<InputSpec>();
}

std::optional<std::vector<InputSpec>> ProgramImport::specOfGetInputs(FunctionObject &callee,
                                                                     bool isMethod) {
  PyValue made = machine->call(source->attrs->get(machine->intern("get_inputs")));
  if (!made)
    return std::nullopt;
  std::vector<InputSpec> inputs;
  if (auto *dict = dyn_cast<DictObject>(made)) {
    for (const HashTable::Entry &entry : dict->table.entries) {
      auto *key = entry.key ? dyn_cast<StrObject>(entry.key) : nullptr;
      std::optional<InputSpec> spec = key ? specOf(entry.value, key->text) : std::nullopt;
      if (!spec)
        return std::nullopt;
      inputs.push_back(*spec);
    }
    return inputs;
  }
  auto items = isa<TupleObject, ListObject>(made) ? machine->items(made)
                                                  : std::optional(std::vector<PyValue>{made});
  if (!items)
    return std::nullopt;
  std::vector<machine::Name> names = machine->parameterNames(callee);
  if (isMethod)
    names.erase(names.begin());
  // What is more than the parameters goes to *args, where there is one.
  if (const python::Arguments *args = callee.code->args; args && args->vararg) {
    size_t plain = args->posonlyargs.size() + args->args.size() - isMethod;
    std::vector<PyValue> rest;
    if (items->size() >= plain)
      rest.assign(items->begin() + plain, items->end());
    items->resize(std::min(items->size(), plain));
    names.resize(plain);
    if (!rest.empty()) {
      names.push_back(machine->intern(args->vararg->arg));
      items->push_back(machine->makeTuple(rest));
    }
  }
  if (items->size() > names.size()) {
    diagnostics.error(machine->definitionOf(source->attrs->get(machine->intern("get_inputs"))),
                      "get_inputs() gives " + std::to_string(items->size()) + " inputs, but '" +
                          callee.name->text.str() + "' takes " + std::to_string(names.size()));
    return std::nullopt;
  }
  for (auto [place, item] : enumerate(*items)) {
    std::optional<InputSpec> spec = specOf(item, names[place]->text);
    if (!spec)
      return std::nullopt;
    inputs.push_back(*spec);
  }
  return inputs;
}

std::optional<InputSpec> ProgramImport::specOf(PyValue value, StringRef name) {
  InputSpec spec;
  spec.key = name.str();
  if (auto *tensor = dyn_cast<TensorValue>(value)) {
    spec.kind = InputSpec::Tensor;
    spec.dtype = tensor->dtype;
    // What a moved module is called with is moved too.
    if (!request.to.empty() && isFloat(tensor->dtype))
      spec.dtype = *parseSpecName(request.to);
    for (Expr size : library.sizesOf(tensor))
      spec.sizes.push_back(size.str());
    if (mlir::Operation *op = library.read(tensor).getDefiningOp())
      if (auto below = op->getAttrOfType<mlir::IntegerAttr>("below"))
        spec.below = below.getInt();
    return spec;
  }
  if (auto *number = dyn_cast<IntObject>(value)) {
    spec.kind = isa<BoolObject>(value) ? InputSpec::Bool : InputSpec::Integer;
    spec.integer = number->small;
    return spec;
  }
  if (auto *number = dyn_cast<FloatObject>(value)) {
    spec.kind = InputSpec::Float;
    spec.number = number->value;
    return spec;
  }
  if (auto *text = dyn_cast<StrObject>(value)) {
    spec.kind = InputSpec::String;
    spec.text = text->text.str();
    return spec;
  }
  if (isa<NoneObject>(value))
    return spec;
  auto add = [&](PyValue item, StringRef key) {
    std::optional<InputSpec> inner = specOf(item, key);
    if (inner)
      spec.items.push_back(*inner);
    return inner.has_value();
  };
  bool isTuple = isa<TupleObject>(value);
  if (PyValue fields = isTuple || isa<InstanceObject>(value) ? recordFields(value) : nullptr) {
    spec.kind = InputSpec::Record;
    spec.text = value->cls->name.str();
    std::optional<std::vector<PyValue>> names = machine->items(fields);
    for (PyValue field : *names) {
      PyValue item = machine->getAttribute(value, cast<StrObject>(field)->text);
      if (!item || !add(item, cast<StrObject>(field)->text))
        return std::nullopt;
    }
    return spec;
  }
  if (auto *dict = dyn_cast<DictObject>(value)) {
    spec.kind = InputSpec::Dict;
    for (const HashTable::Entry &entry : dict->table.entries) {
      if (!entry.key)
        continue;
      auto *key = dyn_cast<StrObject>(entry.key);
      if (!key) {
        diagnostics.error(machine->definitionOf(source->attrs->get(machine->intern("get_inputs"))),
                          "get_inputs() gives a dict for '" + name.str() + "' with a key of type " +
                              machine->typeName(entry.key).str(),
                          "keys of inputs are strings");
        return std::nullopt;
      }
      if (!add(entry.value, key->text))
        return std::nullopt;
    }
    return spec;
  }
  if (isa<TupleObject, ListObject>(value)) {
    spec.kind = InputSpec::Tuple;
    spec.isList = isa<ListObject>(value);
    std::optional<std::vector<PyValue>> items = machine->items(value);
    for (PyValue item : *items)
      if (!add(item, ""))
        return std::nullopt;
    return spec;
  }
  diagnostics.error(machine->definitionOf(source->attrs->get(machine->intern("get_inputs"))),
                    "get_inputs() gives a " + machine->typeName(value).str() + " for '" +
                        name.str() + "'",
                    "give tensors, numbers, strings, None, tuples, dicts or dataclasses of them");
  return std::nullopt;
}

/// Whether Python takes a text as the name of a parameter.
static bool isParameterName(StringRef text) {
  static constexpr StringLiteral keywords[] = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  return !text.empty() && !isDigit(text.front()) && !is_contained(keywords, text) &&
         all_of(text, [](char c) { return isAlnum(c) || c == '_' || (c & 0x80); });
}

bool ProgramImport::checkArguments(FunctionObject &callee, const std::vector<InputSpec> &inputs,
                                   bool isMethod) {
  std::vector<machine::Name> names = machine->parameterNames(callee);
  const python::Arguments *args = callee.code->args;
  SourceLocation place = machine->definitionOf(&callee);
  size_t before = diagnostics.all().size();
  bool takesAll = args && args->kwarg;
  auto known = [&](StringRef name) {
    return any_of(names, [&](machine::Name n) { return n->text == name; });
  };
  for (const InputSpec &input : inputs)
    if (!known(input.key) && !takesAll)
      diagnostics.error(placeOf(input),
                        "'" + callee.name->text.str() + "' has no argument '" + input.key + "'");
    else if (!known(input.key) && !isParameterName(input.key))
      diagnostics.error(placeOf(input),
                        "'" + input.key + "' of **" + args->kwarg->arg.str() +
                            " is no name that a parameter can have",
                        "pass a dict with such keys as an argument of its own");
  // Which parameters have no default: the first positional ones, and keyword-only ones.
  SmallVector<StringRef> missing;
  size_t positional = args ? args->posonlyargs.size() + args->args.size() : 0;
  for (auto [place, name] : enumerate(names)) {
    bool star = args && ((args->vararg && args->vararg->arg == name->text) ||
                         (args->kwarg && args->kwarg->arg == name->text));
    bool given = any_of(inputs, [&](const InputSpec &i) { return i.key == name->text; });
    if (star || given || (isMethod && place == 0))
      continue;
    bool optional = place < positional && place >= positional - callee.defaults.size();
    for (const auto &entry : callee.keywordDefaults)
      optional |= entry.first == name;
    if (!optional)
      missing.push_back(name->text);
  }
  if (!missing.empty())
    diagnostics.error(place,
                      "no input is given for " + join(missing, ", ") + " of '" +
                          callee.name->text.str() + "'",
                      "write --inputs '" + missing.front().str() +
                          "=f32[1024,1024],...' or define get_inputs() in the file");
  return diagnostics.all().size() == before;
}

// --- Graph arguments ---------------------------------------------------------------------------

TensorValue *ProgramImport::addArgument(ArrayRef<Expr> sizes, DType dtype, const Place &place,
                                        mlir::NamedAttrList attributes) {
  // A key of a dict may be any text.
  std::string name = place.name;
  std::replace_if(name.begin(), name.end(), [](char c) { return !isAlnum(c); }, '_');
  if (!request.floatType.empty() && isFloat(dtype) && !attributes.get("graph.scalar"))
    dtype = parseSpecName(request.floatType).value_or(dtype);
  attributes.set("graph.name", mlir::StringAttr::get(context, name));
  if (place.access != name)
    attributes.set("graph.access", mlir::StringAttr::get(context, place.access));
  // The seed stays last.
  mlir::Value value = function.front().insertArgument(
      arguments.size(), library.writer.type(sizes, dtype),
      mlir::NameLoc::get(mlir::StringAttr::get(context, name), function.getLoc()));
  TensorValue *tensor = library.wrap(value);
  tensor->storage->isOuter = false;
  tensor->storage->isArgument = true;
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
  return addArgument(*sizes, spec.dtype, place, std::move(attributes));
}

/// The names of the fields of a dataclass or named tuple; null for other values.
PyValue ProgramImport::recordFields(PyValue value) {
  bool isTuple = isa<TupleObject>(value);
  return value->cls->lookup(machine->intern(isTuple ? "_fields" : "__dataclass_fields__"));
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
  case InputSpec::Scalar: {
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
  case InputSpec::Bool:
    return constant(machine->makeBool(spec.integer));
  case InputSpec::Integer:
    return constant(machine->makeInt(spec.integer));
  case InputSpec::Float:
    return library.liveNumber(place.access, machine->makeFloat(spec.number));
  case InputSpec::String:
    return constant(machine->makeStr(spec.text));
  case InputSpec::None:
    return constant(machine->none());
  case InputSpec::Tuple: {
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
  case InputSpec::Dict: {
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
  case InputSpec::Record:
    return makeRecord(spec, place);
  }
  llvm_unreachable("covered switch");
}

} // namespace nereid::torch
