// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/Definitions.h"

#include "python/machine/Scopes.h"

#include "llvm/Support/Path.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

static bool isWordPart(char c) { return isAlnum(c) || c == '_'; }

StringSet<> wordsOf(StringRef text) {
  StringSet<> words;
  while (!text.empty()) {
    text = text.drop_until(isWordPart);
    words.insert(text.take_while(isWordPart));
    text = text.drop_while(isWordPart);
  }
  return words;
}

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
  uint32_t line = source.getLineStart(source.getLineColumn(begin).line);
  if (!source.getText({line, begin}).contains(';'))
    begin = line;
  return source.getText({begin, statement.range.end});
}

/// `if __name__ == "__main__":`
static bool isMainGuard(const python::If &statement) {
  auto *test = dyn_cast<python::Compare>(statement.test);
  auto *name = test ? dyn_cast<python::Name>(test->left) : nullptr;
  return name && name->id == "__name__";
}

/// The names that a top-level statement binds.
static SmallVector<StringRef> namesOf(const python::Stmt &statement) {
  auto *choice = dyn_cast<python::If>(&statement);
  if (choice && isMainGuard(*choice))
    return {};
  BoundNames bound;
  bound.statement(statement);
  return bound.names;
}

void Definitions::note(const python::ParsedFile &file, ArrayRef<StringRef> names, StringRef text,
                       bool isLate) {
  Noted &each = noted.emplace_back(Noted{&file, {}, text.str(), isLate});
  for (StringRef name : names)
    each.names.push_back(name.str());
}

/// How often a text has a word.
static unsigned countWord(StringRef text, StringRef word) {
  unsigned count = 0;
  while (!text.empty()) {
    text = text.drop_until(isWordPart);
    count += text.take_while(isWordPart) == word;
    text = text.drop_while(isWordPart);
  }
  return count;
}

std::string Definitions::findClash() const {
  StringMap<const Noted *> last;
  for (const Noted &each : noted)
    for (StringRef name : each.names)
      last[name] = &each;
  for (const Noted &each : noted)
    for (StringRef name : each.names) {
      const Noted &bound = *last.lookup(name);
      if (bound.file == each.file || bound.text == each.text)
        continue;
      bool isLookedFor = any_of(noted, [&](const Noted &late) {
        bool isOwn = is_contained(late.names, name);
        return late.isLate && late.file != bound.file && countWord(late.text, name) > isOwn;
      });
      if (isLookedFor)
        return "'" + name.str() + "' of " +
               sys::path::filename(each.file->getSource().getName()).str() + " is not that of " +
               sys::path::filename(bound.file->getSource().getName()).str();
    }
  return "";
}

const python::ParsedFile *Definitions::fileOf(Value module) {
  auto *object = dyn_cast_if_present<ModuleObject>(module);
  const python::ParsedFile *file = object ? machine.parsedFile(object->file) : nullptr;
  return file && !file->getSource().getName().starts_with("<") ? file : nullptr;
}

/// The text that defines a name that was imported from a file of the user's; nullopt where it comes
/// from a library.
std::optional<std::string> Definitions::definitionOf(Value value, StringRef original,
                                                     StringRef name) {
  ModuleObject *module = nullptr;
  if (auto *function = dyn_cast_if_present<FunctionObject>(value))
    module = function->module;
  else if (auto *cls = dyn_cast_if_present<ClassObject>(value))
    module = cls->module;
  std::string alias = original == name ? "" : (name + " = " + original + "\n").str();
  if (const python::ParsedFile *file = fileOf(module))
    return needed(*file, original) + alias;
  if (isa_and_present<IntObject, FloatObject, StrObject, NoneObject>(value))
    if (std::optional<std::string> text = machine.repr(value))
      return name.str() + " = " + *text + "\n";
  return std::nullopt;
}

/// `types.SimpleNamespace(f=f, ...)` of what `text` takes of a module by `path`; the definitions
/// go to `before`.
std::string Definitions::spaceOf(ModuleObject &module, StringRef path, StringRef text,
                                 std::string &before) {
  const python::ParsedFile *file = fileOf(&module);
  std::string items;
  StringSet<> seen;
  for (size_t at = text.find(path); at != StringRef::npos; at = text.find(path, at + 1)) {
    StringRef rest = text.drop_front(at + path.size());
    bool isWhole = at == 0 || (!isWordPart(text[at - 1]) && text[at - 1] != '.');
    if (!isWhole || !rest.consume_front("."))
      continue;
    StringRef name = rest.take_while(isWordPart);
    if (name.empty() || !seen.insert(name).second)
      continue;
    auto *inner = dyn_cast_if_present<ModuleObject>(module.attrs->get(machine.intern(name)));
    std::string value = name.str();
    if (fileOf(inner))
      value = spaceOf(*inner, (path + "." + name).str(), text, before);
    else if (file)
      before += needed(*file, name);
    items += (items.empty() ? "" : ", ") + (name + "=" + value).str();
  }
  return "types.SimpleNamespace(" + items + ")";
}

/// `import layers`: where that is a file of the user's, a name space of what is taken of it.
std::string Definitions::imported(const python::ParsedFile &file, const python::Import &statement,
                                  StringRef text) {
  ModuleObject *scope = machine.moduleOf(&file.getSource());
  std::string result;
  for (const python::Alias *alias : statement.names) {
    StringRef name = alias->asname.empty() ? alias->name.split('.').first : alias->asname;
    auto *module = scope
                       ? dyn_cast_if_present<ModuleObject>(scope->attrs->get(machine.intern(name)))
                       : nullptr;
    if (!fileOf(module))
      return (textOf(file, statement) + "\n").str();
    std::string before, space = spaceOf(*module, name, text, before);
    result += "import types\n" + before + name.str() + " = " + space + "\n";
  }
  return result;
}

/// The module that `from .layers import x` names.
ModuleObject *Definitions::importedModule(const python::ParsedFile &file,
                                          const python::ImportFrom &statement) {
  std::string path = statement.module.str();
  ModuleObject *scope = machine.moduleOf(&file.getSource());
  if (statement.level && scope) {
    StringRef package = scope->name;
    for (int64_t level = scope->isPackage ? 1 : 0; level < int64_t(statement.level); ++level)
      package = package.contains('.') ? package.rsplit('.').first : "";
    path = package.empty() || path.empty() ? (package + path).str() : (package + "." + path).str();
  }
  return path.empty() ? nullptr : machine.findModule(path);
}

std::string Definitions::importedFrom(const python::ParsedFile &file,
                                      const python::ImportFrom &statement, const StringSet<> &words,
                                      StringRef text) {
  std::string result;
  ModuleObject *scope = machine.moduleOf(&file.getSource());
  for (const python::Alias *alias : statement.names) {
    StringRef name = alias->asname.empty() ? alias->name : alias->asname;
    if (!words.contains(name))
      continue;
    Value value = scope ? scope->attrs->get(machine.intern(name)) : nullptr;
    if (fileOf(value)) {
      std::string before, space = spaceOf(*cast<ModuleObject>(value), name, text, before);
      result += "import types\n" + before + name.str() + " = " + space + "\n";
      continue;
    }
    std::optional<std::string> definition = definitionOf(value, alias->name, name);
    if (!definition)
      if (const python::ParsedFile *other = fileOf(importedModule(file, statement)))
        definition = needed(*other, alias->name) +
                     (alias->name == name ? "" : (name + " = " + alias->name + "\n").str());
    if (!definition)
      return (textOf(file, statement) + "\n").str();
    result += *definition;
  }
  return result;
}

static bool isStar(const python::Stmt &statement) {
  auto *from = dyn_cast<python::ImportFrom>(&statement);
  return from && from->names.size() == 1 && from->names.front()->name == "*";
}

/// `from __future__ import annotations`: how all of the file is to be read.
static bool isFuture(const python::Stmt &statement) {
  auto *from = dyn_cast<python::ImportFrom>(&statement);
  return from && from->module == "__future__";
}

/// What `from layers import *` brought of the words.
std::string Definitions::starImported(const python::ParsedFile &file,
                                      const python::ImportFrom &statement,
                                      const StringSet<> &words) {
  ModuleObject *scope = machine.moduleOf(&file.getSource());
  ModuleObject *module = importedModule(file, statement);
  if (!scope || (module && !fileOf(module)))
    return (textOf(file, statement) + "\n").str();
  StringSet<> own;
  for (const python::Stmt *other : file.getModule().body)
    for (StringRef name : namesOf(*other))
      own.insert(name);
  std::string result;
  for (const Namespace::Slot &slot : scope->attrs->slots) {
    StringRef name = slot.name->text;
    if (!slot.value || !words.contains(name) || own.contains(name))
      continue;
    StringRef original = name;
    if (auto *function = dyn_cast<FunctionObject>(slot.value))
      original = function->name->text;
    else if (auto *cls = dyn_cast<ClassObject>(slot.value))
      original = cls->name;
    result += definitionOf(slot.value, original, name).value_or("");
  }
  return result;
}

/// Whether a statement binds a name of the words, or changed what hangs at what is needed.
bool Definitions::isNeeded(const python::Stmt &statement, const StringSet<> &words,
                           const ModuleObject *scope) const {
  auto isWord = [&](StringRef name) { return words.contains(name); };
  if (isFuture(statement) || any_of(namesOf(statement), isWord))
    return true;
  return scope && any_of(machine.effectsOf(statement), [&](const Effect &effect) {
           if (effect.holder == scope->attrs)
             return isWord(effect.name->text);
           if (!reach.contains(effect.holder))
             return false;
           // Methods that constructors do not call are left out, as forward is.
           bool isMethod =
               isa_and_present<FunctionObject, WrappedMethodObject, PropertyObject>(effect.value);
           return !effect.name ||
                  (effect.name->text != "forward" && (!isMethod || isWord(effect.name->text)));
         });
}

/// Notes what a statement that is needed has bound: others may have changed it.
void Definitions::take(const python::Stmt &statement, const ModuleObject *scope) {
  taken.insert(&statement);
  if (!scope)
    return;
  for (const Effect &effect : machine.effectsOf(statement))
    if (effect.holder == scope->attrs && effect.value)
      reach.add(effect.value);
}

bool Definitions::hasBehind(const python::ParsedFile &file, const python::Stmt &other,
                            function_ref<bool(const python::Stmt &)> isSuch) const {
  return any_of(file.getModule().body, [&](const python::Stmt *statement) {
    return statement->range.begin > other.range.begin && taken.count(statement) &&
           isSuch(*statement);
  });
}

std::string Definitions::textFor(const python::ParsedFile &file,
                                 const python::Stmt &statement) const {
  auto found = replaced.find(&statement);
  return found == replaced.end() ? textOf(file, statement).str() : found->second;
}

std::string Definitions::needed(const python::ParsedFile &file, python::Body body, StringRef text) {
  bool isTop = body == file.getModule().body;
  ModuleObject *scope = isTop ? machine.moduleOf(&file.getSource()) : nullptr;
  std::set<size_t> own;
  std::string all = (text + "\n").str();
  StringSet<> words = wordsOf(text);
  for (bool grows = true; std::exchange(grows, false);)
    for (auto [place, statement] : enumerate(body)) {
      if (taken.count(statement) || !isNeeded(*statement, words, scope))
        continue;
      take(*statement, scope);
      own.insert(place);
      std::string more = textFor(file, *statement) + "\n";
      for (const auto &word : wordsOf(more))
        words.insert(word.getKey());
      all += more;
      grows = true;
    }
  for (auto [place, statement] : enumerate(body))
    if (isStar(*statement))
      own.insert(place);
  std::string result;
  for (size_t place : own) {
    const python::Stmt &statement = *body[place];
    if (isStar(statement))
      result += starImported(file, cast<python::ImportFrom>(statement), words);
    else if (isFuture(statement))
      result += (textOf(file, statement) + "\n").str();
    else if (auto *from = dyn_cast<python::ImportFrom>(&statement))
      result += importedFrom(file, *from, words, all);
    else if (auto *import = dyn_cast<python::Import>(&statement))
      result += imported(file, *import, all);
    else {
      std::string given = textFor(file, statement);
      result += given + "\n";
      // What stands within a class is bound there.
      bool isLate = isa<python::FunctionDef, python::ClassDef>(statement);
      if (isTop)
        note(file, namesOf(statement), given, isLate);
    }
  }
  return result;
}

} // namespace nereid::torch
