// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameters of a kernel that is imported: their types, from the request or annotations, and
// the values of meta-parameters, heuristics among them.
#include "frontend/triton/KernelImport.h"
#include "frontend/triton/Spellings.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace mlir;

namespace nereid::triton {

PyValue KernelImport::findValue(StringRef name, PyValue fallback) {
  auto given = request.constexprs.find(name.str());
  if (given != request.constexprs.end())
    return evaluate(given->second, ("--constexpr " + name).str());
  if (!function.configs.empty()) {
    unsigned index = std::min<unsigned>(request.config, function.configs.size() - 1);
    if (PyValue value = machine.dictGet(*function.configs[index]->values, name))
      return value;
  }
  auto computed = heuristics.find(name.str());
  if (computed != heuristics.end())
    return computed->second;
  return fallback;
}

/// `None`, `=64` (a constant) or a type.
bool KernelImport::parseItem(Parameter &item, StringRef text) {
  if (text == "None")
    item.known = machine.none();
  else if (text.consume_front("="))
    item.known = evaluate(text, ("--signature " + item.name->text).str());
  else
    return parseType(item, text);
  return item.known != nullptr;
}

/// The items of a tuple; of a named one `row: i32`, and before the parentheses its class, where it
/// has to be one of the file's.
bool KernelImport::parseTuple(Parameter &parameter, StringRef name, StringRef text) {
  parameter.isTuple = true;
  SmallVector<StringRef> fields;
  for (StringRef item : splitSignature(text)) {
    auto [field, type] = item.split(':');
    bool isNamed =
        !type.empty() && all_of(field.trim(), [](char c) { return isAlnum(c) || c == '_'; });
    Parameter &part = parameter.items.emplace_back();
    std::string suffix = isNamed ? field.trim().str() : std::to_string(parameter.items.size() - 1);
    part.name = machine.intern((parameter.name->text + "_" + suffix).str());
    if (isNamed)
      fields.push_back(field.trim());
    if (!parseItem(part, (isNamed ? type : item).trim()))
      return false;
  }
  if (!fields.empty() && fields.size() != parameter.items.size())
    return false;
  if (!name.empty()) {
    PyValue cls = evaluate(name, ("--signature " + parameter.name->text).str());
    parameter.tupleClass = dyn_cast_if_present<machine::ClassObject>(cls);
    return parameter.tupleClass && parameter.tupleClass->layout == machine::Kind::Tuple;
  }
  if (!fields.empty())
    parameter.tupleClass = library.makeFieldClass(parameter.name->text, fields);
  return fields.empty() || parameter.tupleClass;
}

bool KernelImport::parseType(Parameter &parameter, StringRef text) {
  text = text.trim();
  size_t open = text.find('(');
  if (open != StringRef::npos && text.ends_with(")"))
    return parseTuple(parameter, text.take_front(open).trim(),
                      text.slice(open + 1, text.size() - 1));
  if (text.consume_front("tensordesc<") && text.consume_back(">")) {
    if (StringRef plain = text.rtrim(); plain.consume_back("nan")) {
      parameter.padsWithNan = true;
      text = plain.rtrim().rtrim(',');
    }
    parameter.block = text.drop_while([](char c) { return c != '['; }).str();
    text = text.take_until([](char c) { return c == '['; });
  }
  std::optional<DType> type = parseSignatureType(text);
  if (!type || type->isVoid() || (parameter.block && type->isPtr()))
    return false;
  parameter.type = *type;
  return true;
}

bool KernelImport::readType(Parameter &parameter, const python::Arg &arg) {
  StringRef name = parameter.name->text;
  auto given = request.signature.find(name.str());
  if (given == request.signature.end()) {
    StringRef text = arg.annotation ? function.function->code->file->getText(*arg.annotation) : "";
    bool isType = text.contains("tl.") || text.contains("language.");
    PyValue annotation = isType ? machine.annotation(*function.function, name) : nullptr;
    if (auto *type = annotation ? dyn_cast<DTypeValue>(annotation) : nullptr) {
      parameter.type = type->type;
      return true;
    }
    if (machine.pending())
      return false;
    machine.refuseAt(function.function->code->file->getLocation(arg),
                     "no type is given for the argument `" + name + "`",
                     "give one: --signature " + name +
                         "=*fp32 (or i32, fp32, ...), or --constexpr " + name + "=VALUE");
    return false;
  }
  if (!parseType(parameter, given->second)) {
    if (machine.pending())
      return false;
    machine.refuseAt(function.function->code->file->getLocation(arg),
                     "`" + given->second + "` is no type for the argument `" + name + "`",
                     "write *fp32, *fp16, *bf16, *i32, i32, i64, fp32, ..., (*fp32, i32) for a "
                     "tuple, or tensordesc<fp16[BLOCK_M, BLOCK_K]>");
    return false;
  }
  if (auto tile = request.tiles.find(name.str()); tile != request.tiles.end() && request.isDevice)
    setShape(parameter, tile->second);
  return true;
}

/// The items of a tuple are tiles of that shape, those that are no pointers.
void KernelImport::setShape(Parameter &parameter, ArrayRef<int64_t> shape) {
  if (!parameter.isTuple)
    parameter.shape.assign(shape.begin(), shape.end());
  for (Parameter &item : parameter.items)
    if (!item.type.isPtr())
      setShape(item, shape);
}

bool KernelImport::readParameter(const python::Arg &arg, PyValue fallback) {
  Parameter parameter;
  parameter.name = machine.intern(arg.arg);
  parameter.isMeta = arg.annotation &&
                     function.function->code->file->getText(*arg.annotation).contains("constexpr");
  // A named tuple of constants too is given by its items.
  auto type = request.signature.find(arg.arg.str());
  bool isTuple = type != request.signature.end() && StringRef(type->second).contains('(');
  bool typed = type != request.signature.end() && (!parameter.isMeta || isTuple);
  PyValue value =
      typed && !request.constexprs.count(arg.arg.str()) ? nullptr : findValue(arg.arg, fallback);
  if (machine.pending())
    return false;
  if (!value && parameter.isMeta && !typed) {
    machine.refuseAt(function.function->code->file->getLocation(arg),
                     "no value is given for the meta-parameter `" + arg.arg + "`",
                     "give one: --constexpr " + arg.arg + "=VALUE");
    return false;
  }
  if (value)
    parameter.known = plain(value);
  else if (!readType(parameter, arg))
    return false;
  parameters.push_back(parameter);
  return true;
}

bool KernelImport::readParameters() {
  const python::Arguments &args = *function.function->code->args;
  if (args.vararg || args.kwarg) {
    machine.refuseAt(place(), "a kernel cannot take *args or **kwargs", "name every argument");
    return false;
  }
  SmallVector<const python::Arg *> positional(args.posonlyargs.begin(), args.posonlyargs.end());
  positional.append(args.args.begin(), args.args.end());
  ArrayRef<PyValue> defaults = function.function->defaults;
  size_t first = positional.size() - defaults.size();
  for (auto [index, arg] : enumerate(positional))
    if (!readParameter(*arg, index >= first ? defaults[index - first] : nullptr))
      return false;
  for (const python::Arg *arg : args.kwonlyargs) {
    PyValue fallback = nullptr;
    for (auto [name, value] : function.function->keywordDefaults)
      if (name->text == arg->arg)
        fallback = value;
    if (!readParameter(*arg, fallback))
      return false;
  }
  auto isParameter = [&](StringRef name) {
    return any_of(parameters, [&](const Parameter &p) { return p.name->text == name; });
  };
  SmallVector<StringRef> names;
  for (const Parameter &parameter : parameters)
    names.push_back(parameter.name->text);
  for (const auto *given : {&request.signature, &request.constexprs})
    for (const auto &[name, value] : *given)
      if (!isParameter(name)) {
        machine.refuseAt(place(), "the kernel has no argument `" + name + "`",
                         suggestName(name, names, ""));
        return false;
      }
  return true;
}

/// Reports arguments of which nothing is known, before heuristics ask for them.
bool KernelImport::checkTypes() {
  const python::Arguments &args = *function.function->code->args;
  size_t required = args.posonlyargs.size() + args.args.size() - function.function->defaults.size();
  SmallVector<const python::Arg *> positional(args.posonlyargs.begin(), args.posonlyargs.end());
  positional.append(args.args.begin(), args.args.end());
  for (const python::Arg *arg : ArrayRef(positional).take_front(required)) {
    StringRef annotation =
        arg->annotation ? function.function->code->file->getText(*arg->annotation) : "";
    Parameter parameter;
    parameter.name = machine.intern(arg->arg);
    if (!annotation.contains("constexpr") && !request.constexprs.count(arg->arg.str()) &&
        !readType(parameter, *arg))
      return false;
  }
  return true;
}

std::map<StringRef, PyValue> KernelImport::getDefaults() {
  const python::Arguments &args = *function.function->code->args;
  SmallVector<const python::Arg *> positional(args.posonlyargs.begin(), args.posonlyargs.end());
  positional.append(args.args.begin(), args.args.end());
  ArrayRef<PyValue> given = function.function->defaults;
  std::map<StringRef, PyValue> defaults;
  for (auto [arg, value] : zip(ArrayRef(positional).take_back(given.size()), given))
    defaults[arg->arg] = value;
  for (auto [name, value] : function.function->keywordDefaults)
    defaults[name->text] = value;
  return defaults;
}

/// Heuristics see what is known: numbers given as constexprs or with the launch, and for other
/// arguments something that is not None.
bool KernelImport::applyHeuristics() {
  if (function.heuristics.empty())
    return true;
  machine::DictObject *args = machine.makeDict();
  for (const auto &[name, text] : request.signature)
    if (auto type = parseSignatureType(text))
      machine.dictSet(*args, machine.makeStr(name), library.dtype(*type));
  for (const auto &[name, text] : request.values) {
    PyValue value = evaluate(text, name);
    if (!value)
      return false;
    machine.dictSet(*args, machine.makeStr(name), value);
  }
  std::map<StringRef, PyValue> defaults = getDefaults();
  for (machine::Name name : machine.parameterNames(*function.function)) {
    PyValue value = findValue(name->text, nullptr);
    // What a launch leaves out it may pass as well.
    if (!value && !request.signature.count(name->text.str()))
      value = defaults[name->text];
    if (machine.pending())
      return false;
    if (value)
      machine.dictSet(*args, name, value);
  }
  for (machine::DictObject *values : function.heuristics)
    for (const auto &entry : values->table.entries) {
      auto *name = entry.key ? dyn_cast<machine::StrObject>(entry.key) : nullptr;
      if (!name || request.constexprs.count(name->text.str()))
        continue;
      PyValue value = machine.call(entry.value, ArrayRef<PyValue>(args));
      if (!value) {
        Diagnostic error = machine.takeError();
        machine.refuseAt(error.location,
                         "the heuristic for `" + name->text +
                             "` needs more than the types of the arguments: " + error.message,
                         "give its result: --constexpr " + name->text + "=VALUE");
        return false;
      }
      heuristics[name->text.str()] = value;
      machine.dictSet(*args, entry.key, value);
    }
  return true;
}

} // namespace nereid::triton
