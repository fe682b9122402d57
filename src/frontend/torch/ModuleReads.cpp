// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a call reads of its module: floats are live numbers, and all else that is no tensor decides
// what is computed, so that every call compares it. Submodules stand for their classes.
#include "frontend/torch/TorchLibrary.h"

#include "graph/GraphEvaluator.h"
#include "python/AstVisit.h"
#include "python/Printer.h"
#include "python/machine/Frame.h"

#include "llvm/ADT/ScopeExit.h"

#include <cmath>
#include <set>

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {
namespace {

bool isIdentifier(StringRef name) {
  static constexpr StringLiteral keywords[] = {
#define NEREID_PYTHON_KEYWORD(NAME, TEXT) TEXT,
#include "python/TokenKinds.def"
  };
  return !name.empty() && !isDigit(name.front()) && !is_contained(keywords, name) &&
         all_of(name, [](char c) { return isAlnum(c) || c == '_'; });
}

/// Whether the class that has a name is one of the user's.
bool isOfUser(const InstanceObject &object, machine::Name name) {
  for (const ClassObject *cls : object.cls->mro)
    if (cls->attrs->get(name))
      return cls->module && cls->module->file && !cls->module->file->getName().starts_with("<");
  return false;
}

bool isOfUser(const FunctionObject &function) {
  return function.code->file && !function.code->file->getSource().getName().starts_with("<");
}

/// `@torch.no_grad()` puts a function around it, with its name but not with its defaults.
std::string insideDecorators(const FunctionObject &function, const std::string &access) {
  auto *def = function.code->getDef();
  return def && !def->decoratorList.empty() ? "inspect.unwrap(" + access + ")" : access;
}

/// The names that a definition binds: parameters, targets.
void collectBound(const python::Node &node, std::set<std::string> &names) {
  if (auto *name = dyn_cast<python::Name>(&node); name && name->ctx != python::ExprContext::Load)
    names.insert(name->id.str());
  if (auto *parameter = dyn_cast<python::Arg>(&node))
    names.insert(parameter->arg.str());
  python::forEachChild(node, [&](const python::Node &child) { collectBound(child, names); });
}

/// The names that a part of a function reads from outside of it: those that it mentions, but for
/// what a nested function or a comprehension binds for itself.
void collectFree(const python::Node &node, std::set<std::string> &names) {
  if (auto *name = dyn_cast<python::Name>(&node))
    names.insert(name->id.str());
  std::set<std::string> inner, bound;
  bool isScope = isa<python::FunctionDef, python::Lambda, python::ListComp, python::SetComp,
                     python::DictComp, python::GeneratorExp>(&node);
  if (isScope)
    collectBound(node, bound);
  python::forEachChild(node, [&](const python::Node &child) {
    // Defaults, and what a comprehension goes over first, are evaluated outside.
    bool isOutside = isScope && isa<python::Arguments>(&child);
    collectFree(child, isOutside ? names : inner);
    if (auto *each = dyn_cast<python::Comprehension>(&child))
      collectFree(*each->iter, names);
  });
  for (const std::string &name : inner)
    if (!bound.contains(name))
      names.insert(name);
}

} // namespace

bool TorchLibrary::isReadByOurs() const {
  Frame *frame = machine->getFrame();
  // What `__dict__` is reads for its caller.
  while (frame && frame->getFile().getSource().getName() == "<_nereid_classes>")
    frame = frame->caller;
  return frame && frame->getFile().getSource().getName().starts_with("<");
}

bool TorchLibrary::derivesFrom(const InstanceObject &object, StringRef base) {
  ModuleObject *definitions = prelude("nn");
  PyValue cls = definitions ? definitions->attrs->get(machine->intern(base)) : nullptr;
  return isa_and_present<ClassObject>(cls) && object.cls->isSubclassOf(cast<ClassObject>(cls));
}

/// How the attribute of an object is reached: containers of modules have items.
std::string TorchLibrary::accessOf(const Reached &owner, const InstanceObject &object,
                                   StringRef name) {
  if (!name.empty() && all_of(name, isDigit) && derivesFrom(object, "_Numbered"))
    return owner.access + "[" + name.str() + "]";
  if (isEntry(object, name) && derivesFrom(object, "_Named"))
    return owner.access + "[" + *machine->repr(machine->makeStr(name)) + "]";
  if (isIdentifier(name))
    return owner.access + "." + name.str();
  return "getattr(" + owner.access + ", " + *machine->repr(machine->makeStr(name)) + ")";
}

void TorchLibrary::reachFrom(PyValue value, std::string access,
                             std::optional<std::string> modulePath) {
  constexpr size_t mostObjects = 20000;
  if (!value || reached.size() >= mostObjects)
    return;
  if (auto *list = dyn_cast<ListObject>(value)) {
    lengths[list] = list->items.size();
    for (auto [place, item] : enumerate(list->items))
      reachFrom(item, access + "[" + std::to_string(place) + "]", std::nullopt);
  } else if (auto *tuple = dyn_cast<TupleObject>(value)) {
    for (auto [place, item] : enumerate(tuple->items))
      reachFrom(item, access + "[" + std::to_string(place) + "]", std::nullopt);
  } else if (auto *dict = dyn_cast<DictObject>(value)) {
    lengths[dict] = dict->table.size();
    for (const HashTable::Entry &entry : dict->table.entries)
      if (entry.key && isa<StrObject, IntObject>(entry.key))
        reachFrom(entry.value, access + "[" + *machine->repr(entry.key) + "]", std::nullopt);
  }
  auto *function = dyn_cast<FunctionObject>(value);
  if (function && isOfUser(*function) && openFunctions.insert(function).second) {
    std::string inner = insideDecorators(*function, access);
    for (const auto &[name, closed] : closedOver(*function))
      reachFrom(closed, "_cell(" + inner + ", '" + name + "')", std::nullopt);
    openFunctions.erase(function);
  }
  auto *object = dyn_cast<InstanceObject>(value);
  if (!object || reached.count(object))
    return;
  // One without attributes stands for its class all the same.
  Reached here{std::move(access), std::move(modulePath), {}};
  if (object->attrs)
    here.before = object->attrs->slots;
  reached.try_emplace(object, here);
  // What classes share.
  for (const ClassObject *cls : object->cls->mro)
    for (const Namespace::Slot &slot :
         cls->builtin ? std::vector<Namespace::Slot>() : cls->attrs->slots)
      if (auto *list = dyn_cast_if_present<ListObject>(slot.value))
        lengths[list] = list->items.size();
      else if (auto *dict = dyn_cast_if_present<DictObject>(slot.value))
        lengths[dict] = dict->table.size();
  for (const Namespace::Slot &slot : here.before) {
    StringRef name = slot.name->text;
    std::optional<std::string> path;
    if (here.path && isModule(slot.value))
      path = (*here.path + (here.path->empty() ? "" : ".") + name).str();
    reachFrom(slot.value, accessOf(here, *object, name), std::move(path));
  }
}

bool TorchLibrary::isModule(PyValue value) {
  auto *object = dyn_cast_if_present<InstanceObject>(value);
  return object && derivesFrom(*object, "Module");
}

/// Whether an attribute of a container is part of what it contains.
bool TorchLibrary::isEntry(const InstanceObject &container, StringRef name) {
  if (derivesFrom(container, "ParameterList") || derivesFrom(container, "ParameterDict"))
    return !name.starts_with("_");
  return container.attrs && isModule(container.attrs->get(machine->intern(name)));
}

/// A module stands for its class; a container for what it contains, too.
void TorchLibrary::useModule(const InstanceObject &object) {
  const Reached &here = reached.find(&object)->second;
  if (!here.path || !usedModules.insert(&object))
    return;
  relyOnHooks(here.access, object);
  relyOnMaker(here.access, *object.cls);
  if (!derivesFrom(object, "_Numbered") && !derivesFrom(object, "_Named"))
    return;
  SmallVector<PyValue> names;
  for (const Namespace::Slot &slot : here.before)
    if (slot.value && isEntry(object, slot.name->text))
      names.push_back(slot.name);
  if (derivesFrom(object, "_Numbered"))
    rely("len(" + here.access + ")", machine->makeInt(names.size()));
  else
    rely("list(" + here.access + ")", machine->makeList(names));
}

/// What the methods of a class that a function made close over.
void TorchLibrary::relyOnMaker(const std::string &access, const ClassObject &cls) {
  bool isOfUser = cls.module && cls.module->file && !cls.module->file->getName().starts_with("<");
  if (!isOfUser || !cls.qualifiedName.contains("<locals>"))
    return;
  for (const Namespace::Slot &slot : cls.attrs->slots)
    if (auto *method = dyn_cast_if_present<FunctionObject>(slot.value))
      for (const auto &[name, value] : closedOver(*method))
        if (name != "__class__")
          relyOnPart(
              "_cell(" +
                  insideDecorators(*method, "type(" + access + ")." + slot.name->text.str()) +
                  ", '" + name + "')",
              value);
}

/// The hooks that the constructor gave to a module; how many there are is compared besides.
void TorchLibrary::relyOnHooks(const std::string &access, const InstanceObject &module) {
  PyValue hooks = module.attrs ? module.attrs->get(machine->intern("_hooks")) : nullptr;
  auto *table = dyn_cast_if_present<DictObject>(hooks);
  if (!table)
    return;
  for (const HashTable::Entry &entry : table->table.entries) {
    auto *hooks = entry.key ? dyn_cast<ListObject>(entry.value) : nullptr;
    auto *when = hooks ? dyn_cast<StrObject>(entry.key) : nullptr;
    if (!when || (when->text != "before" && when->text != "after"))
      continue;
    std::string name = when->text == "before" ? "._forward_pre_hooks" : "._forward_hooks";
    for (auto [place, hook] : enumerate(hooks->items))
      relyOnPart("[*" + access + name + ".values()][" + std::to_string(place) + "]",
                 cast<TupleObject>(hook)->items.front());
  }
}

/// A tensor that the constructor computes is a constant of the kernels: it is told by its sizes,
/// the sum of its elements, a weighted one, and that of their magnitudes.
void TorchLibrary::relyOnConstant(const std::string &access, TensorValue *tensor) {
  bool isKnown = any_of(constants, [&](const auto &known) { return known.first == access; });
  if (isKnown || tensor->isNumber || tensor->storage->isArgument)
    return;
  std::optional<graph::Array> array = graph::evaluateConstant(read(tensor));
  if (!array)
    return;
  std::string text;
  raw_string_ostream os(text);
  os << "(";
  for (int64_t size : array->shape)
    os << size << ",";
  os << ")";
  size_t count = array->isFloat() ? array->reals.size() : array->integers.size();
  double total = 0, weighted = 0, magnitude = 0;
  for (size_t at = 0; at < count; ++at) {
    double element = array->isFloat() ? array->reals[at] : double(array->integers[at]);
    // Any numbers for those that are none.
    element = std::isnan(element) ? 3 : std::isinf(element) ? (element > 0 ? 5 : 7) : element;
    total += element;
    weighted += element * double((at * 7919) % 1009);
    magnitude += std::fabs(element);
  }
  for (double sum : {total, weighted, magnitude})
    os << ", " << *machine->repr(machine->makeFloat(sum));
  constants.push_back({access, text});
}

/// What a function closes over: the names, in order, and the values.
std::vector<std::pair<std::string, PyValue>> TorchLibrary::closedOver(const FunctionObject &own) {
  std::vector<std::pair<std::string, PyValue>> found;
  if (!own.closure || own.closure->kind != FrameKind::Function)
    return found;
  std::set<std::string> names;
  for (const python::Stmt *statement : own.code->body)
    collectFree(*statement, names);
  if (const python::Lambda *lambda = own.code->getLambda())
    collectFree(*lambda->body, names);
  for (const std::string &text : names) {
    machine::Name name = machine->intern(text);
    if (own.code->locals.contains(name) || own.code->globals.contains(name))
      continue;
    for (Frame *frame = own.closure; frame; frame = frame->closure)
      if (PyValue value = frame->locals ? frame->locals->get(name) : nullptr) {
        found.push_back({text, value});
        break;
      }
  }
  return found;
}

/// A lambda as its code is: its defaults are values of where it was made, compared apart, and may
/// name what nothing else can see.
static std::string getTextOfCode(const python::Lambda &lambda) {
  python::Constant none;
  SmallVector<python::Expr *> defaults(lambda.args->defaults.size(), &none);
  SmallVector<python::Expr *> ofKeywords;
  for (const python::Expr *given : lambda.args->kwDefaults)
    ofKeywords.push_back(given ? &none : nullptr);
  python::Arguments arguments = *lambda.args;
  arguments.defaults = defaults;
  arguments.kwDefaults = ofKeywords;
  python::Lambda plain = lambda;
  plain.args = &arguments;
  return python::printExpr(plain);
}

/// A function is told by its name and that of the function that made it, its defaults, and what it
/// closes over; a lambda by its text.
void TorchLibrary::relyOnFunction(const std::string &access, PyValue function) {
  auto *own = dyn_cast<FunctionObject>(function);
  if (own && isOfUser(*own)) {
    auto closed = closedOver(*own);
    if (const python::Lambda *lambda = own->code->getLambda()) {
      std::string text = *machine->repr(machine->makeStr(getTextOfCode(*lambda)));
      for (const auto &[name, value] : closed)
        text += ", '" + name + "'";
      rely("_has_code(" + access + ", " + text + ")", machine->makeBool(true));
    } else {
      rely("_name_of(" + access + ")", own->name);
      StringRef maker = own->qualifiedName.rsplit('.').first;
      if (maker.consume_back(".<locals>"))
        rely("_is_made_by(" + access + ", '" +
                 (maker.contains('.') ? maker.rsplit('.').second : maker).str() + "')",
             machine->makeBool(true));
    }
    if (!openFunctions.insert(own).second)
      return;
    llvm::scope_exit close([&] { openFunctions.erase(own); });
    std::string inner = insideDecorators(*own, access);
    for (auto [place, value] : enumerate(own->defaults))
      relyOnPart(inner + ".__defaults__[" + std::to_string(place) + "]", value);
    for (auto [name, value] : own->keywordDefaults)
      relyOnPart(inner + ".__kwdefaults__['" + name->text.str() + "']", value);
    for (const auto &[name, value] : closed)
      relyOnPart("_cell(" + inner + ", '" + name + "')", value);
    return;
  }
  for (StringRef space : {"F", "torch", "special", "nn"})
    for (const auto &entry : spaces[space])
      if (entry.getValue() == function)
        return rely("_name_of(" + access + ")", machine->makeStr(entry.getKey()));
  // Of Python itself: `operator.add`, `max`.
  StringRef file = own ? own->code->file->getSource().getName() : "";
  auto *builtin = dyn_cast<BuiltinObject>(function);
  StringRef name = own && !file.starts_with("<torch/") ? own->name->text
                   : builtin && !builtin->library      ? builtin->name
                                                       : "";
  if (isIdentifier(name))
    rely("_name_of(" + access + ")", machine->makeStr(name));
}

/// What has no tensors in it decides what is computed.
void TorchLibrary::relyOnPart(const std::string &access, PyValue value) {
  if (!value->cls->builtin && value->attrs)
    if (PyValue member = value->attrs->get(machine->intern("_name_")))
      return rely(access + ".name", member); // of an enumeration
  if (isa<NoneObject, IntObject, FloatObject, StrObject, DTypeValue, ComplexObject, BytesObject,
          RangeObject, SliceObject>(value))
    return rely(access, value);
  auto all = [&](ArrayRef<PyValue> items) {
    rely("len(" + access + ")", machine->makeInt(items.size()));
    for (auto [place, item] : enumerate(items))
      relyOnPart(access + "[" + std::to_string(place) + "]", item);
  };
  auto isPlain = [](PyValue item) {
    return isa<NoneObject, IntObject, FloatObject, StrObject, DTypeValue>(item) &&
           (item->cls->builtin || isa<DTypeValue>(item));
  };
  // A list or dict that the call fills is no setting: what it holds is the call's own.
  auto isAsBefore = [&](size_t length) {
    auto found = lengths.find(value);
    return found != lengths.end() && found->second == length;
  };
  if (auto *list = dyn_cast<ListObject>(value); list && !isAsBefore(list->items.size()))
    return;
  if (auto *dict = dyn_cast<DictObject>(value); dict && !isAsBefore(dict->table.size()))
    return;
  if (auto *list = dyn_cast<ListObject>(value))
    return all_of(list->items, isPlain) ? rely(access, machine->makeList(list->items))
                                        : all(list->items);
  if (auto *tuple = dyn_cast<TupleObject>(value))
    return all_of(tuple->items, isPlain) && tuple->cls->builtin ? rely(access, value)
                                                                : all(tuple->items);
  if (auto *set = dyn_cast<SetObject>(value)) {
    SmallVector<PyValue> items;
    for (const HashTable::Entry &entry : set->table.entries)
      if (entry.key)
        items.push_back(entry.key);
    if (!all_of(items, isPlain))
      return rely("len(" + access + ")", machine->makeInt(items.size()));
    // Sets have no order.
    sort(items, [&](PyValue a, PyValue b) { return *machine->repr(a) < *machine->repr(b); });
    return rely("sorted(" + access + ", key=repr)", machine->makeList(items));
  }
  if (auto *dict = dyn_cast<DictObject>(value)) {
    SmallVector<PyValue> keys, values;
    for (const HashTable::Entry &entry : dict->table.entries)
      if (entry.key) {
        keys.push_back(entry.key);
        values.push_back(entry.value);
      }
    if (!all_of(keys, isPlain)) {
      // Members of enumerations, tuples.
      rely("len(" + access + ")", machine->makeInt(keys.size()));
      for (auto [place, value] : enumerate(values))
        relyOnPart("list(" + access + ".values())[" + std::to_string(place) + "]", value);
      return;
    }
    rely("list(" + access + ")", machine->makeList(keys));
    for (const HashTable::Entry &entry : dict->table.entries)
      if (entry.key && isa<StrObject, IntObject>(entry.key))
        relyOnPart(access + "[" + *machine->repr(entry.key) + "]", entry.value);
    return;
  }
  if (auto *cls = dyn_cast<ClassObject>(value))
    return rely(access + ".__name__", machine->makeStr(cls->name));
  if (isa<FunctionObject, BuiltinObject>(value))
    return relyOnFunction(access, value);
  if (auto *method = dyn_cast<BoundMethodObject>(value)) {
    rely("_name_of(type(" + access + ".__self__))", machine->makeStr(method->self->cls->name));
    return relyOnFunction(access + ".__func__", method->function);
  }
  if (auto *tensor = dyn_cast<TensorValue>(value))
    return relyOnConstant(access, tensor);
  if (auto *complex = dyn_cast<ComplexValue>(value))
    return relyOnConstant(access, complex->parts);
  auto *object = dyn_cast<InstanceObject>(value);
  if (object && reached.count(object))
    useModule(*object);
  if (!object || isModule(object))
    return;
  rely("type(" + access + ").__name__", machine->makeStr(object->cls->name));
  if (object->cls->name == "partial" && object->attrs)
    for (StringRef part : {"func", "args", "keywords"})
      if (PyValue held = object->attrs->get(machine->intern(part)))
        relyOnPart(access + "." + part.str(), held);
}

/// What a program does without an attribute, it does otherwise with it.
void TorchLibrary::noteAbsent(const Reached &owner, machine::Name name) {
  bool wasThere = any_of(
      owner.before, [&](const Namespace::Slot &slot) { return slot.name == name && slot.value; });
  if (!wasThere && !isReadByOurs())
    rely("hasattr(" + owner.access + ", " + *machine->repr(name) + ")", machine->makeBool(false));
}

Answer TorchLibrary::readAttribute(Machine &, InstanceObject &object, machine::Name name,
                                   PyValue value) {
  auto found = reached.find(&object);
  if (found == reached.end() || !isDrawing() || name->text.starts_with("__"))
    return std::nullopt;
  const Reached &owner = found->second;
  useModule(object);
  if (!value)
    return noteAbsent(owner, name), std::nullopt;
  // A method of its class, but for one that the constructor chose.
  bool isStored = object.attrs && object.attrs->get(name) == value;
  bool isMethod = isa<PropertyObject>(value) || (isa<BoundMethodObject>(value) && !isStored);
  if (isMethod || (isReadByOurs() && name->text.starts_with("_")))
    return std::nullopt;
  // What the call itself wrote is no number of the module any more. A class of the user's may have
  // settings, those of PyTorch's are ours.
  bool isOfClass = !isStored && !isa<FunctionObject, BuiltinObject, ClassObject>(value) &&
                   isOfUser(object, name);
  bool isKept = isStored && any_of(owner.before, [&](const Namespace::Slot &slot) {
                  return slot.name == name && slot.value == value;
                });
  if (!isKept && !isOfClass)
    return std::nullopt;
  std::string access = accessOf(owner, object, name->text);
  if (isa<FloatObject>(value))
    return liveNumber(std::move(access), value);
  relyOnPart(access, value);
  return std::nullopt;
}

} // namespace nereid::torch
