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
      text.start += (textOf(*file, *statement) + "\n").str();
    else if (method->name != "forward")
      text.methods.push_back(statement);
  }
  return text;
}

/// `nn.Module, ABC` of `class Block(nn.Module, ABC):`.
std::string basesOf(const ClassText &text) {
  std::string bases;
  for (const python::Expr *base : text.def->bases)
    bases += (bases.empty() ? "" : ", ") + text.file->getText(*base).str();
  return bases;
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

ConstructorText constructorText(Machine &machine, ClassObject &cls) {
  ConstructorText result;
  std::vector<ClassText> classes;
  for (ClassObject *each : cls.mro)
    if (std::optional<ClassText> text = textOfClass(machine, *each))
      classes.push_back(std::move(*text));
    else if (each == &cls)
      return result;
  addMethods(machine, classes);
  Definitions definitions(machine);
  for (const ClassText &text : classes)
    definitions.skip(text.def);
  // What a class derives from stands before it.
  for (const ClassText &text : reverse(classes)) {
    std::string bases = basesOf(text);
    result.definitions += definitions.needed(*text.file, text.body + " " + bases);
    // With the word that a definition begins with.
    definitions.note(*text.file, {text.def->name}, (text.def->name + "\n" + text.body).str(), true);
    if (text.def == classes.front().def) {
      result.bases = bases;
      result.body = text.body;
      continue;
    }
    result.definitions += "class " + text.def->name.str() + "(" + bases + "):\n" +
                          (text.body.empty() ? "    pass\n" : text.body);
  }
  result.clash = definitions.findClash();
  return result;
}

std::string classDefinition(Machine &machine, const ModuleObject &home, StringRef name) {
  const python::ParsedFile *file = machine.parsedFile(home.file);
  return file ? Definitions(machine).needed(*file, name) : "";
}

} // namespace nereid::torch
