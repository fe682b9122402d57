// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of a module's constructor: what of the source file the emitted class repeats.
#include "frontend/torch/ProgramImport.h"

#include "llvm/ADT/StringSet.h"

#include <set>

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {
namespace {

/// The identifiers in a text; words in strings and comments count too, which does no harm.
StringSet<> wordsOf(StringRef text) {
  StringSet<> words;
  auto isWord = [](char c) { return isAlnum(c) || c == '_'; };
  while (!text.empty()) {
    text = text.drop_until(isWord);
    words.insert(text.take_while(isWord));
    text = text.drop_while(isWord);
  }
  return words;
}

/// The text of a statement, decorators and indentation of its first line included.
StringRef textOf(const python::ParsedFile &file, const python::Stmt &statement) {
  uint32_t begin = statement.range.begin;
  ArrayRef<python::Expr *> decorators;
  if (auto *def = dyn_cast<python::FunctionDef>(&statement))
    decorators = def->decoratorList;
  if (auto *cls = dyn_cast<python::ClassDef>(&statement))
    decorators = cls->decoratorList;
  if (!decorators.empty())
    begin = decorators.front()->range.begin;
  const SourceFile &source = file.getSource();
  begin = source.getLineStart(source.getLineColumn(begin).line);
  return source.getText({begin, statement.range.end});
}

void boundNames(const python::Expr &target, SmallVectorImpl<StringRef> &names) {
  if (auto *name = dyn_cast<python::Name>(&target))
    names.push_back(name->id);
  if (auto *tuple = dyn_cast<python::Tuple>(&target))
    for (const python::Expr *item : tuple->elts)
      boundNames(*item, names);
}

/// The names that a top-level statement binds.
SmallVector<StringRef> namesOf(const python::Stmt &statement) {
  SmallVector<StringRef> names;
  if (auto *def = dyn_cast<python::FunctionDef>(&statement))
    names.push_back(def->name);
  else if (auto *cls = dyn_cast<python::ClassDef>(&statement))
    names.push_back(cls->name);
  else if (auto *assign = dyn_cast<python::Assign>(&statement))
    for (const python::Expr *target : assign->targets)
      boundNames(*target, names);
  else if (auto *annotated = dyn_cast<python::AnnAssign>(&statement))
    boundNames(*annotated->target, names);
  else if (auto *import = dyn_cast<python::Import>(&statement))
    for (const python::Alias *alias : import->names)
      names.push_back(alias->asname.empty() ? alias->name.split('.').first : alias->asname);
  else if (auto *from = dyn_cast<python::ImportFrom>(&statement))
    for (const python::Alias *alias : from->names)
      names.push_back(alias->asname.empty() ? alias->name : alias->asname);
  return names;
}

/// Gathers statements of files that a text needs, those of imported files included, so that the
/// emitted file stands alone.
class Definitions {
public:
  explicit Definitions(Machine &machine) : machine(machine) {}

  /// Statements of `body` (by their names) that `text` needs, directly or through one another, in
  /// their order; `skip` is never taken.
  std::string needed(const python::ParsedFile &file, python::Body body, StringRef text,
                     const python::Stmt *skip);

private:
  std::string imported(const python::ParsedFile &file, const python::ImportFrom &statement,
                       const StringSet<> &words);
  std::optional<std::string> definitionOf(PyValue value, StringRef original, StringRef name);

  Machine &machine;
  /// What stands in the result already, by file and statement.
  std::set<const python::Stmt *> taken;
};

/// The text that defines a name that was imported from a file of the user's; nullopt where it comes
/// from a library.
std::optional<std::string> Definitions::definitionOf(PyValue value, StringRef original,
                                                     StringRef name) {
  ModuleObject *module = nullptr;
  if (auto *function = dyn_cast_if_present<FunctionObject>(value))
    module = function->module;
  else if (auto *cls = dyn_cast_if_present<ClassObject>(value))
    module = cls->module;
  const python::ParsedFile *file = module ? machine.parsedFile(module->file) : nullptr;
  std::string alias = original == name ? "" : (name + " = " + original + "\n").str();
  if (file && !file->getSource().getName().starts_with("<"))
    return needed(*file, file->getModule().body, original, nullptr) + alias;
  if (isa_and_present<IntObject, FloatObject, StrObject, NoneObject>(value))
    if (std::optional<std::string> text = machine.repr(value))
      return name.str() + " = " + *text + "\n";
  return std::nullopt;
}

std::string Definitions::imported(const python::ParsedFile &file,
                                  const python::ImportFrom &statement, const StringSet<> &words) {
  std::string result;
  ModuleObject *scope = machine.moduleOf(&file.getSource());
  for (const python::Alias *alias : statement.names) {
    StringRef name = alias->asname.empty() ? alias->name : alias->asname;
    if (!words.contains(name))
      continue;
    PyValue value = scope ? scope->attrs->get(machine.intern(name)) : nullptr;
    std::optional<std::string> text = definitionOf(value, alias->name, name);
    if (!text)
      return (textOf(file, statement) + "\n").str();
    result += *text;
  }
  return result;
}

std::string Definitions::needed(const python::ParsedFile &file, python::Body body, StringRef text,
                                const python::Stmt *skip) {
  std::set<size_t> own;
  std::vector<StringRef> work{text};
  StringSet<> all;
  while (!work.empty()) {
    StringSet<> words = wordsOf(work.back());
    work.pop_back();
    for (const auto &word : words)
      all.insert(word.getKey());
    for (auto [place, statement] : enumerate(body)) {
      if (statement == skip || taken.count(statement) ||
          none_of(namesOf(*statement), [&](StringRef name) { return words.contains(name); }))
        continue;
      taken.insert(statement);
      own.insert(place);
      work.push_back(textOf(file, *statement));
    }
  }
  std::string result;
  for (size_t place : own) {
    if (auto *from = dyn_cast<python::ImportFrom>(body[place]))
      result += imported(file, *from, all);
    else
      result += (textOf(file, *body[place]) + "\n").str();
  }
  return result;
}

} // namespace

ConstructorText constructorText(Machine &machine, ClassObject &cls, ModuleObject &source) {
  ConstructorText result;
  const python::ParsedFile *file = nullptr;
  for (const Namespace::Slot &slot : cls.attrs->slots)
    if (auto *function = dyn_cast_if_present<FunctionObject>(slot.value))
      file = function->code->file;
  if (!file)
    return result;
  const python::ClassDef *def = nullptr;
  for (const python::Stmt *statement : file->getModule().body)
    if (auto *candidate = dyn_cast<python::ClassDef>(statement))
      if (candidate->name == cls.name)
        def = candidate;
  if (!def)
    return result;
  for (const python::Expr *base : def->bases)
    result.bases += (result.bases.empty() ? "" : ", ") + file->getText(*base).str();
  // Attributes, the constructor, and the methods that it calls.
  SmallVector<python::Stmt *> methods;
  std::string start;
  for (python::Stmt *statement : def->body) {
    auto *method = dyn_cast<python::FunctionDef>(statement);
    if (!method || method->name == "__init__")
      start += (textOf(*file, *statement) + "\n").str();
    else if (method->name != "forward")
      methods.push_back(statement);
  }
  result.body = start + Definitions(machine).needed(*file, methods, start, nullptr);
  result.definitions = Definitions(machine).needed(*file, file->getModule().body,
                                                   result.body + " " + result.bases, def);
  return result;
}

std::string classDefinition(Machine &machine, ClassObject &cls) {
  const SourceFile *source = machine.definitionOf(&cls).file;
  if (!source && cls.module)
    source = cls.module->file;
  const python::ParsedFile *file = machine.parsedFile(source);
  if (!file || none_of(file->getModule().body, [&](const python::Stmt *statement) {
        return is_contained(namesOf(*statement), cls.name);
      }))
    return "";
  return Definitions(machine).needed(*file, file->getModule().body, cls.name, nullptr);
}

} // namespace nereid::torch
