// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program is called with, as --inputs or the get_inputs() of its file say, and whether it
// takes that.
#include "frontend/torch/ProgramImport.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

SourceLocation ProgramImport::placeOf(const InputSpec &spec) {
  if (specFile)
    return {specFile.get(), spec.range};
  return {source->file, {0, 0}};
}

SourceLocation ProgramImport::placeOfGetInputs() {
  return machine->definitionOf(source->attrs->get(machine->intern("get_inputs")));
}

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
    diagnostics.error(placeOfGetInputs(), "get_inputs() gives " + std::to_string(items->size()) +
                                              " inputs, but '" + callee.name->text.str() +
                                              "' takes " + std::to_string(names.size()));
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

void ProgramImport::describeTensor(TensorValue *tensor, InputSpec &spec) {
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
}

/// False for a value that is no constant.
static bool describeConstant(PyValue value, InputSpec &spec) {
  if (auto *number = dyn_cast<IntObject>(value)) {
    spec.kind = isa<BoolObject>(value) ? InputSpec::Bool : InputSpec::Integer;
    spec.integer = number->small;
  } else if (auto *number = dyn_cast<FloatObject>(value)) {
    spec.kind = InputSpec::Float;
    spec.number = number->value;
  } else if (auto *text = dyn_cast<StrObject>(value)) {
    spec.kind = InputSpec::String;
    spec.text = text->text.str();
  } else if (auto *dtype = dyn_cast<DTypeValue>(value)) {
    spec.kind = InputSpec::Type;
    spec.dtype = dtype->dtype;
  } else {
    return isa<NoneObject>(value);
  }
  return true;
}

bool ProgramImport::describeItem(PyValue item, StringRef key, InputSpec &spec) {
  std::optional<InputSpec> inner = specOf(item, key);
  if (inner)
    spec.items.push_back(*inner);
  return inner.has_value();
}

bool ProgramImport::describeRecord(PyValue value, PyValue fields, InputSpec &spec) {
  spec.kind = InputSpec::Record;
  spec.text = value->cls->name.str();
  std::optional<std::vector<PyValue>> names = machine->items(fields);
  for (PyValue field : *names) {
    PyValue item = machine->getAttribute(value, cast<StrObject>(field)->text);
    if (!item || !describeItem(item, cast<StrObject>(field)->text, spec))
      return false;
  }
  return true;
}

bool ProgramImport::describeDict(DictObject &dict, InputSpec &spec) {
  spec.kind = InputSpec::Dict;
  for (const HashTable::Entry &entry : dict.table.entries) {
    if (!entry.key)
      continue;
    auto *key = dyn_cast<StrObject>(entry.key);
    if (!key) {
      diagnostics.error(placeOfGetInputs(),
                        "get_inputs() gives a dict for '" + spec.key + "' with a key of type " +
                            machine->typeName(entry.key).str(),
                        "keys of inputs are strings");
      return false;
    }
    if (!describeItem(entry.value, key->text, spec))
      return false;
  }
  return true;
}

std::optional<InputSpec> ProgramImport::specOf(PyValue value, StringRef name) {
  InputSpec spec;
  spec.key = name.str();
  auto after = [&](bool isDescribed) { return isDescribed ? std::optional(spec) : std::nullopt; };
  if (auto *tensor = dyn_cast<TensorValue>(value)) {
    describeTensor(tensor, spec);
    return spec;
  }
  if (auto *complex = dyn_cast<ComplexValue>(value)) {
    describeTensor(complex->parts, spec);
    spec.dtype = complex->parts->dtype;
    spec.isComplex = true;
    spec.sizes.pop_back();
    return spec;
  }
  if (describeConstant(value, spec))
    return spec;
  bool isTuple = isa<TupleObject>(value);
  if (PyValue fields = isTuple || isa<InstanceObject>(value) ? recordFields(value) : nullptr)
    return after(describeRecord(value, fields, spec));
  if (auto *dict = dyn_cast<DictObject>(value))
    return after(describeDict(*dict, spec));
  if (isa<TupleObject, ListObject>(value)) {
    spec.kind = InputSpec::Tuple;
    spec.isList = isa<ListObject>(value);
    std::optional<std::vector<PyValue>> items = machine->items(value);
    return after(all_of(*items, [&](PyValue item) { return describeItem(item, "", spec); }));
  }
  diagnostics.error(
      placeOfGetInputs(),
      "get_inputs() gives a " + machine->typeName(value).str() + " for '" + name.str() + "'",
      "give tensors, numbers, strings, dtypes, None, tuples, dicts or dataclasses of them");
  return std::nullopt;
}

/// The names of the fields of a dataclass or named tuple; null for other values.
PyValue ProgramImport::recordFields(PyValue value) {
  bool isTuple = isa<TupleObject>(value);
  return value->cls->lookup(machine->intern(isTuple ? "_fields" : "__dataclass_fields__"));
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
  for (machine::Name name : names)
    if (!name->isAscii())
      diagnostics.error(place,
                        "the name of the argument '" + name->text.str() +
                            "' is none of ASCII, as kernels' are",
                        "rename it");
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

} // namespace nereid::torch
