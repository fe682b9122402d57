// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of a module's constructor: what of the source file the emitted class repeats.
#include "frontend/torch/Definitions.h"
#include "frontend/torch/ProgramImport.h"
#include "python/AstVisit.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {
namespace {

/// A class of the user's with the part of its body that making an instance needs.
struct ClassText {
  const python::ParsedFile *file;
  const python::ClassDef *def;
  std::string start;                   // attributes and the constructor
  SmallVector<python::Stmt *> methods; // the others but forward
  std::string body;
};

/// Where a class of a user's file is defined; nothing for others.
std::optional<ClassText> textOfClass(Machine &machine, ClassObject &cls) {
  SourceLocation place = machine.definitionOf(&cls);
  const python::ParsedFile *file = machine.parsedFile(place.file);
  if (!file || file->getSource().getName().starts_with("<"))
    return std::nullopt;
  ClassText text{file, nullptr, "", {}, ""};
  for (const python::Stmt *statement : file->getModule().body)
    if (auto *def = dyn_cast<python::ClassDef>(statement))
      if (file->getLocation(*def).range.begin == place.range.begin)
        text.def = def;
  if (!text.def)
    return std::nullopt;
  for (python::Stmt *statement : text.def->body) {
    auto *method = dyn_cast<python::FunctionDef>(statement);
    if (!method || method->name == "__init__" || method->name == "__init_subclass__")
      text.start +=
          (method && !text.start.empty() ? "\n" : "") + (textOf(*file, *statement) + "\n").str();
    else if (method->name != "forward")
      text.methods.push_back(statement);
  }
  return text;
}

/// `nn.Module, ABC, k=3` of `class Block(nn.Module, ABC, k=3):`.
std::string basesOf(const ClassText &text) {
  std::string bases;
  auto add = [&](StringRef each) { bases += (bases.empty() ? "" : ", ") + each.str(); };
  for (const python::Expr *base : text.def->bases)
    add(text.file->getText(*base));
  for (const python::Keyword *keyword : text.def->keywords)
    if (keyword->arg != "metaclass")
      add(text.file->getText(*keyword));
  return bases;
}

/// The lines of a class's decorators.
std::string decoratorsOf(const ClassText &text) {
  std::string lines;
  for (const python::Expr *decorator : text.def->decoratorList)
    lines += ("@" + text.file->getText(*decorator) + "\n").str();
  return lines;
}

/// Whether what follows a class may stand before it as well.
bool isPlainDefinition(const python::Stmt &statement) {
  if (auto *def = dyn_cast<python::FunctionDef>(&statement))
    return def->decoratorList.empty();
  if (auto *cls = dyn_cast<python::ClassDef>(&statement))
    return cls->decoratorList.empty();
  return isa<python::Import, python::ImportFrom>(statement);
}

/// Whether a definition asks `self` for an attribute whose name it computes: any method is meant.
bool asksForAnyName(const python::Node &node) {
  if (auto *call = dyn_cast<python::Call>(&node)) {
    auto *function = dyn_cast<python::Name>(call->func);
    auto *asked = call->args.empty() ? nullptr : dyn_cast<python::Name>(call->args[0]);
    bool isOfSelf = function && asked && asked->id == "self";
    bool isNamed = call->args.size() > 1 && isa<python::Constant>(call->args[1]);
    if (isOfSelf && !isNamed &&
        (function->id == "getattr" || function->id == "hasattr" || function->id == "dir"))
      return true;
  }
  bool asks = false;
  python::forEachChild(node, [&](const python::Node &child) { asks |= asksForAnyName(child); });
  return asks;
}

/// Adds the methods that the constructors call, of whichever class, and those that choose the mode:
/// `train` keeps a frozen norm frozen.
void addMethods(Machine &machine, MutableArrayRef<ClassText> classes) {
  std::string words = "train eval ";
  bool mayCallAny = any_of(classes, [](const ClassText &text) {
    return any_of(text.def->body, [](const python::Stmt *statement) {
      auto *method = dyn_cast<python::FunctionDef>(statement);
      return method && method->name == "__init__" && asksForAnyName(*method);
    });
  });
  for (ClassText &text : classes) {
    words += text.body = text.start;
    for (const python::Stmt *method :
         mayCallAny ? ArrayRef(text.methods) : ArrayRef<python::Stmt *>())
      words += (" " + cast<python::FunctionDef>(method)->name).str();
  }
  Definitions definitions(machine);
  for (bool grows = true; std::exchange(grows, false);)
    for (ClassText &text : classes) {
      std::string more = definitions.needed(*text.file, text.methods, words);
      text.body += more.empty() ? "" : "\n" + more;
      words += more;
      grows |= !more.empty();
    }
}

} // namespace

ConstructorText constructorText(Machine &machine, ClassObject &cls, bool isDecorated) {
  ConstructorText result;
  std::vector<ClassText> classes;
  for (ClassObject *each : cls.mro)
    if (std::optional<ClassText> text = textOfClass(machine, *each))
      classes.push_back(std::move(*text));
    else if (each == &cls)
      return result;
  addMethods(machine, classes);
  const ClassText &own = classes.front();
  Definitions definitions(machine);
  for (const ClassText &text : drop_begin(classes))
    definitions.replace(text.def, (isDecorated ? decoratorsOf(text) : "") + "class " +
                                      text.def->name.str() + "(" + basesOf(text) + "):\n" +
                                      (text.body.empty() ? "    pass\n" : text.body));
  result.bases = basesOf(own);
  result.body = own.body;
  result.decorators = isDecorated ? decoratorsOf(own) : "";
  constexpr StringLiteral here = "# <the class>\n";
  definitions.replace(own.def, here.str());
  std::string text = definitions.needed(*own.file, own.def->name.str() + " " + result.body + " " +
                                                       result.bases + result.decorators);
  // With the word that a definition begins with.
  definitions.note(*own.file, {own.def->name}, (own.def->name + "\n" + own.body).str(), true);
  auto [before, behind] = StringRef(text).split(here);
  // Definitions are read more easily before what calls them.
  bool isLate = definitions.hasBehind(*own.file, *own.def, [](const python::Stmt &statement) {
    return !isPlainDefinition(statement);
  });
  result.definitions = before.str() + (isLate ? "" : behind.str());
  result.tail = isLate ? behind.str() : "";
  result.clash = definitions.findClash();
  for (const Definitions::Noted &noted : definitions.getNoted())
    result.names.push_back({machine.moduleOf(&noted.file->getSource()), noted.names});
  return result;
}

std::string classDefinition(Machine &machine, const ModuleObject &home, StringRef name) {
  const python::ParsedFile *file = machine.parsedFile(home.file);
  return file ? Definitions(machine).needed(*file, name) : "";
}

} // namespace nereid::torch
