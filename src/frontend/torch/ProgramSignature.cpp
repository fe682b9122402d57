// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a caller sees of a program: the parameters as the original declares them
// (`graph.signature`), and the values that conversion took for those that are no tensors and no
// runtime numbers (`graph.known`), which the emitted function checks.
#include "frontend/torch/ProgramImport.h"

#include <cmath>

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

mlir::ArrayAttr pairsAttr(mlir::Builder builder,
                          ArrayRef<std::pair<std::string, std::string>> pairs) {
  SmallVector<mlir::Attribute> rows;
  for (const auto &[access, value] : pairs)
    rows.push_back(
        builder.getArrayAttr({builder.getStringAttr(access), builder.getStringAttr(value)}));
  return builder.getArrayAttr(rows);
}

/// A known value as Python text that means the same in any file; nullopt where there is none.
std::optional<std::string> ProgramImport::literalText(PyValue value) {
  if (auto *number = dyn_cast<FloatObject>(value); number && !std::isfinite(number->value))
    return std::isnan(number->value) ? "float('nan')"
           : number->value > 0       ? "float('inf')"
                                     : "float('-inf')";
  bool isPlain = isa<NoneObject, IntObject, FloatObject, StrObject>(value);
  if (isPlain && value->cls->builtin)
    return machine->repr(value);
  if (auto *dtype = dyn_cast<DTypeValue>(value))
    return ("torch." + getTorchName(dtype->dtype)).str();
  auto *tuple = dyn_cast<TupleObject>(value);
  auto *list = dyn_cast<ListObject>(value);
  if (!list && !(tuple && tuple->cls->builtin))
    return std::nullopt;
  ArrayRef<PyValue> items = tuple ? tuple->items : ArrayRef<PyValue>(list->items);
  std::string text;
  for (PyValue item : items) {
    std::optional<std::string> inner = literalText(item);
    if (!inner)
      return std::nullopt;
    text += (text.empty() ? "" : ", ") + *inner;
  }
  if (tuple)
    return "(" + text + (items.size() == 1 ? ",)" : ")");
  return "[" + text + "]";
}

/// A default as Python text: a literal, or a dict of them.
std::optional<std::string> ProgramImport::defaultText(PyValue value) {
  auto *dict = dyn_cast<DictObject>(value);
  if (!dict || !dict->cls->builtin)
    return literalText(value);
  std::string text;
  for (const HashTable::Entry &entry : dict->table.entries) {
    if (!entry.key)
      continue;
    std::optional<std::string> key = literalText(entry.key), item = defaultText(entry.value);
    if (!key || !item)
      return std::nullopt;
    text += (text.empty() ? "" : ", ") + *key + ": " + *item;
  }
  return "{" + text + "}";
}

void ProgramImport::relyOn(const std::string &access, PyValue value) {
  if (std::optional<std::string> text = literalText(value))
    known.push_back({access, *text});
}

namespace {
/// The parameters as texts. One whose default cannot be written is left out, and what follows it is
/// given by keyword.
struct Parameters {
  SmallVector<std::string> texts;
  bool byKeyword = false, hasDefault = false;

  void star() {
    if (!byKeyword)
      texts.push_back("*");
    byKeyword = true;
  }
  void add(StringRef name, const std::optional<std::string> &fallback) {
    if (!fallback && hasDefault)
      star();
    hasDefault |= fallback.has_value();
    texts.push_back(name.str() + (fallback ? "=" + *fallback : ""));
  }
};
} // namespace

void ProgramImport::writeSignature(FunctionObject &callee, const std::vector<InputSpec> &inputs,
                                   bool isMethod) {
  Parameters parameters;
  auto isGiven = [&](StringRef name) {
    return any_of(inputs, [&](const InputSpec &input) { return input.key == name; });
  };
  // Other floats are live numbers.
  auto isByPositionOnly = [&](StringRef name) {
    return any_of(callee.code->args->posonlyargs,
                  [&](const python::Arg *arg) { return arg->arg == name; });
  };
  auto add = [&](StringRef name, PyValue fallback) {
    std::optional<std::string> text = fallback ? defaultText(fallback) : std::nullopt;
    if (!isGiven(name)) {
      if (!text)
        return parameters.star();
      if (!isa<FloatObject>(fallback) || isByPositionOnly(name))
        known.push_back({name.str(), *text});
    }
    parameters.add(name, text);
  };
  if (const python::Arguments *args = callee.code->args) {
    SmallVector<python::Arg *> positional(args->posonlyargs);
    append_range(positional, args->args);
    size_t plain = positional.size() - callee.defaults.size();
    for (auto [place, arg] : enumerate(positional)) {
      if (!isMethod || place > 0)
        add(arg->arg, place < plain ? nullptr : callee.defaults[place - plain]);
      if (place + 1 == args->posonlyargs.size() && place >= size_t(isMethod) &&
          !parameters.byKeyword)
        parameters.texts.push_back("/");
    }
    if (args->vararg && isGiven(args->vararg->arg) && !parameters.byKeyword) {
      parameters.texts.push_back(("*" + args->vararg->arg).str());
      parameters.byKeyword = true;
    }
    parameters.hasDefault = false;
    for (const python::Arg *arg : args->kwonlyargs) {
      parameters.star();
      PyValue fallback = nullptr;
      for (const auto &[name, value] : callee.keywordDefaults)
        if (name->text == arg->arg)
          fallback = value;
      add(arg->arg, fallback);
    }
    // What **options took stands by its own name.
    std::vector<machine::Name> names = machine->parameterNames(callee);
    for (const InputSpec &input : inputs)
      if (args->kwarg && none_of(names, [&](auto name) { return name->text == input.key; })) {
        parameters.star();
        add(input.key, nullptr);
      }
  }
  if (!parameters.texts.empty() && parameters.texts.back() == "*")
    parameters.texts.pop_back();
  mlir::OpBuilder &builder = library.writer.builder;
  SmallVector<StringRef> texts(parameters.texts.begin(), parameters.texts.end());
  function->setAttr("graph.signature", builder.getStrArrayAttr(texts));
  function->setAttr("graph.known", pairsAttr(builder, known));
}

} // namespace nereid::torch
