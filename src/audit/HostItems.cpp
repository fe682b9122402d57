// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a wrapper takes out of objects: items under keys that may not be known, and attributes.
#include "audit/HostMachine.h"

#include "python/AstVisit.h"
#include "python/machine/Builtins.h"
#include "python/machine/Machine.h"
#include "python/machine/ModuleFrame.h"

using namespace llvm;
using nereid::machine::Answer;
using nereid::machine::Machine;

namespace nereid::audit {

/// The number, where it is one of few: the path forks. A number of the caller's is taken to be an
/// axis, the last one or one of the first two.
std::optional<int64_t> HostMachine::oneOf(index::Expr number) {
  if (!number || number.isConstant())
    return number ? number.getConstant() : std::nullopt;
  constexpr int64_t most = 8;
  ArrayRef<index::Expr> symbols = index::collectSymbols(number);
  index::Range range = factsAbout(symbols).range(number);
  if (range.lo && range.hi && *range.hi - *range.lo < most) {
    int64_t value = *range.lo;
    if (*range.hi > value)
      value += choose(*range.hi - value + 1, "value of " + number.str());
    facts.push_back(index::eq(number, value));
    return value;
  }
  if (symbols.size() != 1)
    return std::nullopt;
  index::Expr symbol = symbols.front();
  std::string name = symbol.getName().str();
  int64_t value = 1;
  if (freeNumbers.count(name)) {
    static constexpr int64_t axes[] = {-1, 0, 1};
    value = axes[choose(std::size(axes), "value of " + name)];
    assumptions.insert(name + " is -1, 0 or 1");
  } else if (StringRef given = name; given.consume_back(".shape[0]")) {
    // What has a length and is no tensor, `normalized_shape`.
    assumptions.insert("'" + given.str() + "' has one item");
  } else {
    return std::nullopt;
  }
  facts.push_back(index::eq(symbol, value));
  llvm::DenseMap<index::Expr, index::Expr> values{{symbol, context.constant(value)}};
  return index::substitute(number, values).getConstant();
}

Answer HostMachine::contains(Machine &, PyValue container, PyValue item) {
  return condition({}, describe(item) + " in " + describe(container));
}

Answer HostMachine::length(Machine &, PyValue value) {
  auto *self = dyn_cast<HostTensor>(value);
  if (!self)
    return unknown("len(" + describe(value) + ")");
  return askRank(*self->info) && !self->info->sizes.empty() ? Answer(size(self->info->sizes[0]))
                                                            : std::nullopt;
}

/// What a caller gives is taken to have one item.
Answer HostMachine::iterate(Machine &, PyValue value) {
  auto *self = dyn_cast<HostTensor>(value);
  bool isGiven = self && self->info->parameter == self->info;
  if (auto *what = dyn_cast<UnknownValue>(value))
    isGiven = what->isParameter;
  if (isGiven) {
    assumptions.insert("'" + describe(value) + "' has one item");
    return machine.makeList({unknown(describe(value) + "[0]")});
  }
  return machine.refuse("the items of '" + describe(value) + "' are not known");
}

/// An item of a table under a name that is not known: the path forks over the names that it has.
PyValue HostMachine::itemUnder(machine::DictObject &table, UnknownValue &key) {
  SmallVector<std::pair<PyValue, PyValue>> items;
  for (const auto &entry : table.table.entries)
    if (entry.key)
      items.push_back({entry.key, entry.value});
  constexpr size_t most = 16;
  if (items.empty() || items.size() > most ||
      !all_of(items, [](auto &item) { return isa<machine::StrObject>(item.first); }))
    return nullptr;
  std::string name = describe(&key);
  auto [item, value] = items[choose(items.size(), "name of " + name)];
  // So it is compared from here on.
  for (const auto &[other, ignored] : items)
    decided[name + " == " + describe(other)] = other == item ? 0 : 1;
  return value;
}

Answer HostMachine::getItem(Machine &, PyValue object, PyValue key) {
  if (auto *kernel = dyn_cast<triton::FunctionValue>(object))
    return machine.make<LaunchValue>(*this, launchClass, kernel, key);
  if (auto *self = dyn_cast<HostTensor>(object))
    return partOf(*self, key);
  // A condition is decided, and a string or a dtype of Triton is a key like any other.
  bool isKnownKey = isa<ConditionValue>(key) || !isAbstract(key);
  if (isKnownKey && !isAbstract(object))
    return std::nullopt;
  auto *table = dyn_cast<machine::DictObject>(object);
  auto *name = dyn_cast<UnknownValue>(key);
  if (table && name)
    if (PyValue item = itemUnder(*table, *name))
      return item;
  if (triton::sequence(object))
    if (std::optional<int64_t> number = oneOf(asNumber(key)))
      return machine.getItem(object, machine.makeInt(*number));
  return unknown(describe(object) + "[...]");
}

Answer HostMachine::setItem(Machine &, PyValue object, PyValue, PyValue value) {
  touch(object);
  touch(value);
  return machine.none();
}

static bool isContext(PyValue value) {
  auto *what = dyn_cast<UnknownValue>(value);
  return what && what->origin == "ctx";
}

Answer HostMachine::setAttribute(Machine &, PyValue object, machine::Name name, PyValue value) {
  if (isContext(object))
    saved[name->text] = value;
  else
    touch(value);
  if (auto *self = dyn_cast<HostTensor>(object); self && name->text == "data")
    return machine.refuse("'" + self->info->name + ".data' is another tensor from here on");
  return machine.none();
}

/// Both arms of a conditional expression, and what they are made of; other expressions alone. None
/// launches nothing.
static void addArms(const python::Expr &expr, SmallVectorImpl<const python::Expr *> &arms) {
  auto *constant = dyn_cast<python::Constant>(&expr);
  if (auto *either = dyn_cast<python::IfExp>(&expr)) {
    addArms(*either->body, arms);
    addArms(*either->orelse, arms);
  } else if (!constant || constant->type != python::ConstantType::None) {
    arms.push_back(&expr);
  }
}

/// What a class calls by a name in its body or as an attribute of `self`.
static SmallVector<const python::Expr *> definitionsIn(const python::ClassDef &cls,
                                                       StringRef attribute) {
  SmallVector<const python::Expr *> found;
  std::function<void(const python::Node &, bool)> look = [&](const python::Node &node,
                                                             bool isBody) {
    if (auto *assign = dyn_cast<python::Assign>(&node)) {
      auto *name = dyn_cast<python::Name>(assign->targets.front());
      auto *of = dyn_cast<python::Attribute>(assign->targets.front());
      auto *self = of ? dyn_cast<python::Name>(of->value) : nullptr;
      bool isOfSelf = self && self->id == "self" && of->attr == attribute;
      if (isOfSelf || (isBody && name && name->id == attribute))
        addArms(*assign->value, found);
    }
    bool isClass = isa<python::ClassDef>(node);
    python::forEachChild(node, [&](const python::Node &child) { look(child, isClass); });
  };
  look(cls, false);
  return found;
}

/// The kernel that `self.kernel` is, one after the other where the class gives it several; null
/// where it may be something else.
PyValue HostMachine::kernelOfSelf(StringRef attribute) {
  machine::ModuleObject *module = owner ? machine.moduleOf(&ownerFile->getSource()) : nullptr;
  if (!module)
    return nullptr;
  machine::ModuleFrame frame(*ownerFile, *module, machine.makeNamespace(nullptr));
  SmallVector<PyValue> kernels;
  SmallVector<const python::Expr *> definitions = definitionsIn(*owner, attribute);
  for (const python::Expr *value : definitions) {
    bool isName = isa<python::Name, python::Attribute>(value);
    PyValue kernel = isName ? machine.evaluateExpr(*value, frame) : nullptr;
    if (machine.pending())
      (void)machine.takeError();
    if (!isa_and_present<triton::FunctionValue>(kernel))
      return nullptr;
    if (!is_contained(kernels, kernel))
      kernels.push_back(kernel);
  }
  // A method that is a kernel.
  auto *cls =
      dyn_cast_if_present<machine::ClassObject>(module->attrs->get(machine.intern(owner->name)));
  if (definitions.empty() && cls) {
    PyValue kernel = machine.findAttribute(cls, machine.intern(attribute));
    if (machine.pending())
      (void)machine.takeError();
    if (isa_and_present<triton::FunctionValue>(kernel))
      return kernel;
  }
  if (kernels.size() < 2)
    return kernels.empty() ? nullptr : kernels.front();
  return kernels[choose(kernels.size(), ("kernel of self." + attribute).str())];
}

static const python::FunctionDef *findMethod(const python::ClassDef &cls, StringRef name) {
  for (const python::Stmt *stmt : cls.body)
    if (auto *def = dyn_cast<python::FunctionDef>(stmt); def && def->name == name)
      return def;
  return nullptr;
}

/// A method that only returns something, as one that says a grid does; null for others: what they
/// do to the object is not followed.
PyValue HostMachine::methodOfSelf(PyValue self, StringRef name) {
  const python::FunctionDef *def = owner ? findMethod(*owner, name) : nullptr;
  bool isPlain = def && def->decoratorList.empty() && def->body.size() == 1 &&
                 isa<python::Return>(def->body[0]);
  machine::FunctionObject *function = isPlain ? makeFunction(*ownerFile, *def) : nullptr;
  return function ? machine.make<machine::BoundMethodObject>(machine.classes().boundMethod,
                                                             function, self)
                  : nullptr;
}

/// What the constructor makes of a constant, or of a parameter whose default is one; null where
/// something else may be kept there too.
PyValue HostMachine::constantOfSelf(StringRef attribute) {
  const python::FunctionDef *init = owner ? findMethod(*owner, "__init__") : nullptr;
  machine::ModuleObject *module = init ? machine.moduleOf(&ownerFile->getSource()) : nullptr;
  SmallVector<const python::Expr *> definitions;
  if (module)
    definitions = definitionsIn(*owner, attribute);
  if (definitions.size() != 1)
    return nullptr;
  const python::Expr *value = definitions.front();
  ArrayRef<python::Arg *> args = init->args->args;
  ArrayRef<python::Expr *> defaults = init->args->defaults;
  if (auto *name = dyn_cast<python::Name>(value)) {
    auto *arg = find_if(args, [&](const python::Arg *other) { return other->arg == name->id; });
    size_t place = arg - args.begin(), first = args.size() - defaults.size();
    if (arg == args.end() || place < first)
      return nullptr;
    value = defaults[place - first];
  }
  auto *constant = dyn_cast<python::Constant>(value);
  if (!constant || !constant->isInt())
    return nullptr;
  machine::ModuleFrame frame(*ownerFile, *module, machine.makeNamespace(nullptr));
  return machine.evaluateExpr(*value, frame);
}

Answer HostMachine::getAttribute(Machine &, PyValue object, machine::Name name) {
  if (auto *self = dyn_cast<HostTensor>(object))
    return tensorAttribute(*self, name->text);
  if (isContext(object))
    if (PyValue value = saved.lookup(name->text))
      return value;
  auto *what = dyn_cast<UnknownValue>(object);
  if (what && (what->origin == "self" || what->origin == "cls"))
    if (PyValue kernel = kernelOfSelf(name->text)) {
      assumptions.insert(
          ("'" + describe(object) + "." + name->text + "' is what its class says").str());
      return kernel;
    }
  if (what && what->origin == "self") {
    if (PyValue method = methodOfSelf(object, name->text))
      return method;
    if (PyValue constant = constantOfSelf(name->text)) {
      assumptions.insert(("self." + name->text).str() + " = " +
                         machine.repr(constant).value_or("its default"));
      return constant;
    }
  }
  return unknown(describe(object) + "." + name->text);
}

} // namespace nereid::audit
