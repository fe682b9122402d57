// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program returns, as the text of the emitted file: tensors in the lists, dicts and records
// that hold them.
#include "frontend/torch/LoopValues.h"
#include "frontend/torch/ProgramImport.h"
#include "index/Printer.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

/// Literal text in a template whose placeholders are `{0}`.
static std::string escaped(StringRef text) {
  std::string result;
  for (char c : text)
    result += c == '{' || c == '}' ? std::string(2, c) : std::string(1, c);
  return result;
}

/// Has the emitted file define a class of the user's; the name that it has there, null when it is
/// at the top level of no file.
machine::Name ProgramImport::addDefinition(ClassObject &cls) {
  auto [home, name] = machine->findBinding(&cls);
  if (!home)
    return nullptr;
  std::string definition = classDefinition(*machine, *home, name->text);
  if (!StringRef(definitions).contains(definition))
    definitions += definition;
  return name;
}

/// Whether a dataclass has no more than what its call gives.
bool ProgramImport::isMadeByFields(ClassObject &cls) {
  if (cls.lookup(machine->intern("__post_init__")))
    return false;
  PyValue fields = cls.lookup(machine->intern("__dataclass_fields__"));
  std::optional<std::vector<PyValue>> names = machine->items(fields);
  return names && all_of(*names, [&](PyValue each) {
           PyValue declared = machine->getItem(fields, each);
           PyValue isTaken = declared ? machine->getAttribute(declared, "init") : nullptr;
           return isTaken != machine->makeBool(false);
         });
}

/// `Kind.MEAN`, a member of an enumeration of the user's; an empty text for other values.
std::string ProgramImport::memberText(PyValue value) {
  if (value->cls->builtin || !value->attrs || isa<TupleObject>(value))
    return "";
  auto *member = dyn_cast_if_present<StrObject>(value->attrs->get(machine->intern("_name_")));
  machine::Name name = member ? addDefinition(*value->cls) : nullptr;
  return name ? name->text.str() + "." + member->text.str() : "";
}

/// A dataclass or named tuple of the user's as a call of its class; nullopt after a refusal, an
/// empty text for other values.
std::optional<std::string> ProgramImport::recordText(PyValue value, Results &results) {
  bool isTuple = isa<TupleObject>(value);
  if (!isTuple && !isa<InstanceObject>(value))
    return "";
  ClassObject &cls = *value->cls;
  PyValue fields = cls.lookup(machine->intern(isTuple ? "_fields" : "__dataclass_fields__"));
  if (!fields)
    return "";
  // The named tuples of torch's own operators are plain ones in the emitted file.
  if (isTuple && cls.module && cls.module->name.starts_with("torch_prelude_"))
    return "";
  machine::Name name = addDefinition(cls);
  if (!name) {
    machine->refuseAt({source->file, {0, 0}},
                      "the program returns a '" + cls.name.str() +
                          "', which the emitted file cannot make",
                      "define it at the top level of a file");
    return std::nullopt;
  }
  if (!isTuple && !isMadeByFields(cls))
    return "";
  std::optional<std::vector<PyValue>> names = machine->items(fields);
  std::string text;
  for (PyValue each : *names) {
    StringRef field = cast<StrObject>(each)->text;
    PyValue item = machine->getAttribute(value, field);
    std::optional<std::string> inner = item ? resultText(item, results) : std::nullopt;
    if (!inner)
      return std::nullopt;
    text += (text.empty() ? "" : ", ") + field.str() + "=" + *inner;
  }
  return name->text.str() + "(" + text + ")";
}

void ProgramImport::addImport(StringRef module) {
  std::string line = ("import " + module + "\n").str();
  if (!StringRef(definitions).contains(line))
    definitions = line + definitions;
}

/// The items of a list or tuple, in one line.
std::optional<std::string> ProgramImport::itemsText(ArrayRef<PyValue> items, Results &results) {
  std::string text;
  for (PyValue item : items) {
    std::optional<std::string> inner = resultText(item, results);
    if (!inner)
      return std::nullopt;
    text += (text.empty() ? "" : ", ") + *inner;
  }
  return text;
}

/// The entries of a dict as a literal.
std::optional<std::string> ProgramImport::entriesText(DictObject *dict, Results &results) {
  std::string text;
  for (const HashTable::Entry &entry : dict->table.entries) {
    if (!entry.key)
      continue;
    std::optional<std::string> key = memberText(entry.key);
    if (key->empty())
      key = literalText(entry.key);
    if (!key)
      machine->refuseAt({source->file, {0, 0}},
                        "the program returns a dict with a key that is no literal",
                        "use strings, numbers or members of enumerations as keys");
    std::optional<std::string> item = key ? resultText(entry.value, results) : std::nullopt;
    if (!item)
      return std::nullopt;
    text += (text.empty() ? "" : ", ") + escaped(*key) + ": " + *item;
  }
  return "{{" + text + "}}";
}

/// What a defaultdict makes of a key that it does not have; nullopt after a refusal.
std::optional<std::string> ProgramImport::factoryText(PyValue factory) {
  auto *cls = dyn_cast<ClassObject>(factory);
  if (isa<NoneObject>(factory) || (cls && cls->builtin))
    return cls ? cls->name.str() : "None";
  auto [home, name] = machine->findBinding(factory);
  if (home) {
    definitions += classDefinition(*machine, *home, name->text);
    return name->text.str();
  }
  machine->refuseAt(place, "the program returns a defaultdict whose factory has no name",
                    "return dict(...) of it");
  return std::nullopt;
}

/// A dict of Python's; an empty text for those of other classes.
std::optional<std::string> ProgramImport::dictText(DictObject *dict, Results &results) {
  ClassObject &cls = *dict->cls;
  bool isOfCollections = cls.module && cls.module->name == "collections";
  bool isOrdered = isOfCollections && cls.name == "OrderedDict";
  bool isDefault = isOfCollections && cls.name == "defaultdict";
  if (!cls.builtin && !isOrdered && !isDefault)
    return "";
  std::optional<std::string> text = entriesText(dict, results);
  if (!text || cls.builtin)
    return text;
  addImport("collections");
  if (isOrdered)
    return "collections.OrderedDict(" + *text + ")";
  PyValue factory = machine->getAttribute(dict, "default_factory");
  std::optional<std::string> maker = factory ? factoryText(factory) : std::nullopt;
  return maker ? std::optional("collections.defaultdict(" + *maker + ", " + *text + ")") : maker;
}

/// An object of a class of the user's that the call made: a dict of its own kind, a dataclass that
/// completes itself. Its class does not make it again; it is given what it holds. An empty text for
/// other values.
std::optional<std::string> ProgramImport::objectText(PyValue value, Results &results) {
  auto *dict = dyn_cast<DictObject>(value);
  bool isKnownBefore = library.reached.count(value) != 0;
  if ((!dict && !isa<InstanceObject>(value)) || isKnownBefore)
    return "";
  ClassObject &cls = *value->cls;
  bool isOfDefaults =
      any_of(cls.mro, [](ClassObject *base) { return base->name == "defaultdict"; });
  machine::Name name = isOfDefaults ? nullptr : addDefinition(cls);
  if (!name)
    return "";
  std::optional<std::string> entries = dict ? entriesText(dict, results) : "{{}}";
  if (!entries)
    return std::nullopt;
  std::string attributes;
  static const std::vector<Namespace::Slot> none;
  for (const Namespace::Slot &slot : value->attrs ? value->attrs->slots : none) {
    std::optional<std::string> inner = slot.value ? resultText(slot.value, results) : "";
    if (!inner)
      return std::nullopt;
    if (slot.value)
      attributes += (attributes.empty() ? "\"" : ", \"") + slot.name->text.str() + "\": " + *inner;
  }
  return "_restored(" + name->text.str() + ", " + *entries + ", {{" + attributes + "}})";
}

/// A `types.SimpleNamespace`.
std::optional<std::string> ProgramImport::namespaceText(PyValue value, Results &results) {
  static const std::vector<Namespace::Slot> none;
  std::string text;
  for (const Namespace::Slot &slot : value->attrs ? value->attrs->slots : none) {
    if (!slot.value)
      continue;
    std::optional<std::string> inner = resultText(slot.value, results);
    if (!inner)
      return std::nullopt;
    text += (text.empty() ? "" : ", ") + slot.name->text.str() + "=" + *inner;
  }
  addImport("types");
  return "types.SimpleNamespace(" + text + ")";
}

/// The place of a tensor: `{0}` is the first that the graph returns, `{@0}` is the first argument,
/// when the very tensor is returned. With gradients an argument that was written to is not: what is
/// returned has the history of the write. The cases of a program all return as many.
std::string ProgramImport::tensorText(TensorValue *tensor, Results &results) {
  mlir::Value value = library.read(tensor);
  if (tensor->isNumber) {
    // A number of the caller's, and what the wrapper computes of such, is returned as it is there.
    auto number = value.getDefiningOp<graph::NumberOp>();
    if (number && !number.getAccess().contains('}'))
      return ("{=" + number.getAccess() + "}").str();
    results.values.push_back(value);
    results.tensors.push_back(tensor);
    return "{" + std::to_string(results.values.size() - 1) + "}.item()";
  }
  bool isOnly = sharesResults && library.programCase.decisions.empty();
  for (auto [place, argument] : enumerate(arguments))
    if (isOnly && argument.tensor->storage == tensor->storage && tensor->steps.empty() &&
        !overwritten.contains(tensor->storage) && !argument.attributes.get("graph.scalar") &&
        (!request.gradients || value == argument.value))
      return "{@" + std::to_string(place) + "}";
  for (auto [place, other] : enumerate(results.tensors))
    if (isOnly && other == tensor)
      return "{" + std::to_string(place) + "}";
  results.values.push_back(value);
  results.tensors.push_back(tensor);
  return "{" + std::to_string(results.values.size() - 1) + "}";
}

/// What a caller reads a size from, `x.shape[0]`; empty where no argument has it.
std::string ProgramImport::symbolText(Expr symbol) {
  for (const Argument &argument : arguments) {
    auto access = argument.attributes.get("graph.access");
    std::string name = access ? cast<mlir::StringAttr>(access).getValue().str() : argument.name;
    auto own = dyn_cast_if_present<mlir::StringAttr>(argument.attributes.get("graph.symbol"));
    if (own && own.getValue() == symbol.getName())
      return name;
    if (argument.attributes.get("graph.parameter"))
      continue;
    for (auto [dim, each] : enumerate(library.writer.sizes(argument.value)))
      if (library.solver.resolve(each) == symbol)
        return name + ".shape[" + std::to_string(dim) + "]";
  }
  return "";
}

/// A size, or a comparison of sizes, as what a caller computes from the shapes of its arguments:
/// `{=x.shape[0] * 2}`, `{=bool(x.shape[0] >= 3)}`; empty where no argument has them.
template <typename T> std::string ProgramImport::sizeText(T size, StringRef callee) {
  bool isSpelled = true;
  index::PrintOptions options;
  options.cdiv = "";
  options.symbolName = [&](Expr symbol) {
    std::string text = symbolText(symbol);
    isSpelled &= !text.empty();
    return text;
  };
  std::string text = index::toString(library.solver.resolve(size), options);
  if (!callee.empty())
    text = (callee + "(" + text + ")").str();
  bool hasBraces = StringRef(text).contains('}');
  return isSpelled && !hasBraces ? "{=" + text + "}" : "";
}

std::optional<std::string> ProgramImport::resultText(PyValue value, Results &results) {
  if (auto *masked = dyn_cast<MaskedValue>(value)) {
    size_t told = library.fixedSizes.size();
    PyValue known = library.settled(masked);
    if (!known && machine->pending())
      return std::nullopt;
    value = known ? known : value;
    // No line of the program's is being executed any more.
    for (TorchLibrary::FixedSize &each : drop_begin(library.fixedSizes, told))
      each.place = place;
  }
  if (auto *tensor = dyn_cast<TensorValue>(value))
    return tensorText(tensor, results);
  if (auto *complex = dyn_cast<ComplexValue>(value))
    return "torch.view_as_complex(" + tensorText(complex->parts, results) + ")";
  // The very list or dict that is an argument.
  auto isName = [](StringRef text) {
    return all_of(text, [](char c) { return isAlnum(c) || c == '_'; });
  };
  if (auto access = containers.find(value); access != containers.end() && isName(access->second))
    return access->second;
  if (std::optional<std::string> record = recordText(value, results); !record || !record->empty())
    return record;
  if (auto *grown = dyn_cast<GrownList>(machine::standIn(value))) {
    std::optional<std::vector<PyValue>> items = machine->items(value);
    if (!items)
      return std::nullopt;
    value = grown->isTuple ? PyValue(machine->makeTuple(*items)) : machine->makeList(*items);
  }
  if (auto *tuple = dyn_cast<TupleObject>(value)) {
    std::optional<std::string> text = itemsText(tuple->items, results);
    if (text)
      *text = "(" + *text + (tuple->items.size() == 1 ? ",)" : ")");
    return text;
  }
  if (auto *list = dyn_cast<ListObject>(value); list && list->cls->builtin) {
    std::optional<std::string> text = itemsText(list->items, results);
    return text ? std::optional("[" + *text + "]") : std::nullopt;
  }
  if (std::string member = memberText(value); !member.empty())
    return member;
  if (auto *dict = dyn_cast<DictObject>(value))
    if (std::optional<std::string> text = dictText(dict, results); !text || !text->empty())
      return text;
  if (isa<InstanceObject>(value) && value->cls->name == "SimpleNamespace" && !value->cls->module)
    return namespaceText(value, results);
  if (std::optional<std::string> text = literalText(value))
    return escaped(*text);
  if (std::optional<std::string> text = objectText(value, results); !text || !text->empty())
    return text;
  auto *size = dyn_cast<SizeValue>(value);
  auto *condition = dyn_cast<ConditionValue>(value);
  if (std::string text = size        ? sizeText(size->expr)
                         : condition ? sizeText(condition->pred, "bool")
                                     : "";
      !text.empty())
    return text;
  if (size)
    machine->refuseAt(place, "the program returns a size that is not fixed",
                      "return the tensor; its shape tells the size");
  else if (isa<MaskedValue>(value))
    machine->refuseAt(
        place, "the program returns elements that a mask selects, whose number depends on the data",
        "return torch.where(mask, x, 0), and the mask");
  else
    machine->refuseAt(
        place, "the program returns a " + machine->typeName(value) + ", which is not supported",
        "return tensors, or tuples, lists and dicts of them");
  return std::nullopt;
}

} // namespace nereid::torch
