// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes the text that an emitted file has of a module's constructor, and compares what it makes
// with what the program makes: the module, and all that stands at the top of the file.
#include "frontend/torch/CopyLikeness.h"
#include "frontend/torch/ProgramImport.h"
#include "python/AstVisit.h"
#include "python/machine/Frame.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

constexpr StringLiteral copyName = "nereid_constructor";
constexpr StringLiteral ownForward = "def forward(self, *arguments, **keywords):";

/// The file that a text stands for, without its kernels.
static std::string fileOf(const ConstructorText &text, StringRef name) {
  StringRef indent = StringRef(text.body).ltrim('\n').take_while(isSpace);
  if (indent.empty())
    indent = "    ";
  return "import math\n\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\n" +
         text.definitions + "\n" + text.decorators + "class " + name.str() + "(" +
         (text.bases.empty() ? "nn.Module" : text.bases) + "):\n" + text.body + "\n" +
         (indent + ownForward + "\n" + indent + indent).str() + "pass\n\n" + text.tail;
}

/// Adds the names that an expression is, or whose member it is, or those of a list of such.
static void addNames(const python::Expr *expr, StringSet<> &names) {
  if (!expr)
    return;
  if (auto *name = dyn_cast<python::Name>(expr))
    names.insert(name->id);
  if (auto *member = dyn_cast<python::Attribute>(expr))
    addNames(member->value, names);
  if (auto *either = dyn_cast<python::BinOp>(expr); either && either->op == BinaryOperator::BitOr) {
    addNames(either->left, names);
    addNames(either->right, names);
  }
  ArrayRef<python::Expr *> items;
  if (auto *tuple = dyn_cast<python::Tuple>(expr))
    items = tuple->elts;
  if (auto *list = dyn_cast<python::List>(expr))
    items = list->elts;
  if (auto *set = dyn_cast<python::Set>(expr))
    items = set->elts;
  for (const python::Expr *item : items)
    addNames(item, names);
}

/// Adds the names with which something is compared: `mode == Mode.A`, `isinstance(cfg, Config)`,
/// `{Mode.A: 1.0}`, `case Config():`.
static void addCompared(const python::Node &node, StringSet<> &names) {
  if (auto *call = dyn_cast<python::Call>(&node)) {
    auto *function = dyn_cast<python::Name>(call->func);
    if (function && (function->id == "isinstance" || function->id == "issubclass") &&
        call->args.size() == 2)
      addNames(call->args[1], names);
  } else if (auto *compare = dyn_cast<python::Compare>(&node)) {
    addNames(compare->left, names);
    for (const python::Expr *other : compare->comparators)
      addNames(other, names);
  } else if (auto *dict = dyn_cast<python::Dict>(&node)) {
    for (const python::Expr *key : dict->keys)
      addNames(key, names);
  } else if (auto *value = dyn_cast<python::MatchValue>(&node)) {
    addNames(value->value, names);
  } else if (auto *cls = dyn_cast<python::MatchClass>(&node)) {
    addNames(cls->cls, names);
  }
  python::forEachChild(node, [&](const python::Node &child) { addCompared(child, names); });
}

/// Classes and functions of the copy that the caller of a constructor may have from the original's
/// file, where they are others.
std::string ProgramImport::namesOfCompared(const ModuleObject &copy, ClassObject &cls) {
  auto *start = dyn_cast_if_present<FunctionObject>(cls.lookup(machine->intern("__init__")));
  if (!start || start->module != &copy || machine->parameterNames(*start).size() < 2)
    return "";
  StringSet<> names;
  addCompared(machine->parsedFile(copy.file)->getModule(), names);
  std::string list;
  for (const Namespace::Slot &slot : copy.attrs->slots) {
    auto *defined = dyn_cast_if_present<ClassObject>(slot.value);
    auto *function = dyn_cast_if_present<FunctionObject>(slot.value);
    bool isOwn = defined ? defined->module == &copy && !defined->isSubclassOf(moduleClass)
                         : function && function->module == &copy;
    if (isOwn && names.contains(slot.name->text))
      list += (list.empty() ? "" : ", ") + slot.name->text.str();
  }
  return list;
}

/// Whether a text makes the module that the program made; what is other is in `problem`.
bool ProgramImport::makesSame(ConstructorText &text, ClassObject &cls, PyValue instance,
                              std::string &problem) {
  auto file = std::make_shared<SourceFile>("<constructor>", fileOf(text, cls.name));
  Diagnostics problems;
  ModuleObject *copy = machine->importSource(file, copyName, problems);
  auto fail = [&](const Twine &why) {
    problem = why.str();
    return false;
  };
  if (!copy)
    return fail("its text is not Python: " + problems.all().front().message);
  auto *made = dyn_cast_if_present<ClassObject>(copy->attrs->get(machine->intern(cls.name)));
  if (!made) {
    Value missing = machine->getAttribute(copy, cls.name);
    return fail(missing ? "'" + cls.name + "' is no class there"
                        : "it fails: " + machine->takeError().message);
  }
  auto *forward = dyn_cast_if_present<FunctionObject>(made->attrs->get(machine->intern("forward")));
  if (!forward || !file->getText(forward->code->node->range).starts_with(ownForward))
    return fail("its forward() is replaced");
  text.compared = namesOfCompared(*copy, *made);
  bool isGiven = instance->cls != &cls; // get_init_inputs() gives the module itself
  PyValue other = isGiven ? nullptr : construct(*made);
  if (!other && !isGiven)
    return fail("it fails: " + machine->takeError().message);
  CopyLikeness likeness(*machine, copyName);
  bool isSame = isGiven || likeness.compare(instance, other, "self");
  // Where two files bind a name, the text ends with what the last one does.
  StringMap<ModuleObject *> binders;
  for (const auto &[module, names] : text.names)
    for (StringRef name : names)
      binders[name] = module;
  for (const auto &[module, names] : text.names)
    for (StringRef name : names)
      isSame = isSame && (binders.lookup(name) != module ||
                          likeness.compare(module->attrs->get(machine->intern(name)),
                                           copy->attrs->get(machine->intern(name)), name.str()));
  const CopyLikeness::Difference &found = likeness.difference;
  return isSame ||
         fail("it makes " + found.path + " " + found.copy + ", and here it is " + found.original);
}

std::optional<ConstructorText> ProgramImport::readConstructor(Machine &theMachine) {
  mlir::OwningOpRef<mlir::ModuleOp> module = readFile(theMachine);
  auto *cls = source ? dyn_cast_if_present<ClassObject>(findProgram()) : nullptr;
  PyValue instance = cls ? construct(*cls) : nullptr;
  if (!instance)
    return std::nullopt;
  std::string problem;
  for (bool isDecorated : {false, true}) {
    ConstructorText text = constructorText(*machine, *cls, isDecorated);
    if (!text.clash.empty()) {
      diagnostics.error(machine->definitionOf(cls),
                        text.clash + ", and one file would have both for this constructor",
                        "rename one of them");
      return std::nullopt;
    }
    if (makesSame(text, *cls, instance, problem))
      return text;
  }
  diagnostics.error(machine->definitionOf(cls),
                    "an emitted file repeats what this constructor needs, and there " + problem,
                    "let the class and its constructor depend on plain definitions of one file");
  return std::nullopt;
}

} // namespace nereid::torch
