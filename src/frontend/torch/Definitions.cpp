// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/Definitions.h"

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
  begin = source.getLineStart(source.getLineColumn(begin).line);
  return source.getText({begin, statement.range.end});
}

static void boundNames(const python::Expr &target, SmallVectorImpl<StringRef> &names) {
  if (auto *name = dyn_cast<python::Name>(&target))
    names.push_back(name->id);
  if (auto *tuple = dyn_cast<python::Tuple>(&target))
    for (const python::Expr *item : tuple->elts)
      boundNames(*item, names);
}

/// `if __name__ == "__main__":`
static bool isMainGuard(const python::If &statement) {
  auto *test = dyn_cast<python::Compare>(statement.test);
  auto *name = test ? dyn_cast<python::Name>(test->left) : nullptr;
  return name && name->id == "__name__";
}

/// The names that a top-level statement binds.
static SmallVector<StringRef> namesOf(const python::Stmt &statement) {
  SmallVector<StringRef> names;
  auto addBody = [&](python::Body body) {
    for (const python::Stmt *inner : body)
      append_range(names, namesOf(*inner));
  };
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
  else if (auto *attempt = dyn_cast<python::Try>(&statement)) {
    addBody(attempt->body);
    for (const python::ExceptHandler *handler : attempt->handlers)
      addBody(handler->body);
  } else if (auto *choice = dyn_cast<python::If>(&statement); choice && !isMainGuard(*choice)) {
    addBody(choice->body);
    addBody(choice->orelse);
  }
  return names;
}

/// A name that an expression starts at, and whether it goes on: `ACTS.register("relu")`.
struct Root {
  StringRef name;
  bool goesOn = false;
};

static Root rootOf(const python::Expr &expr) {
  Root root;
  const python::Expr *at = &expr;
  while (true) {
    if (auto *call = dyn_cast<python::Call>(at))
      at = call->func;
    else if (auto *attribute = dyn_cast<python::Attribute>(at))
      at = attribute->value, root.goesOn = true;
    else if (auto *item = dyn_cast<python::Subscript>(at))
      at = item->value, root.goesOn = true;
    else
      break;
  }
  if (auto *name = dyn_cast<python::Name>(at))
    root.name = name->id;
  return root;
}

/// What a top-level statement may change without binding it: `ACTS["relu"] = f`, `note(f)`, a
/// definition by its decorators.
static void addChanged(const python::Stmt &statement, SmallVectorImpl<Root> &roots) {
  auto addAll = [&](python::Body body) {
    for (const python::Stmt *inner : body)
      addChanged(*inner, roots);
  };
  auto add = [&](const python::Expr &expr) { roots.push_back(rootOf(expr)); };
  if (auto *def = dyn_cast<python::FunctionDef>(&statement)) {
    for_each(def->decoratorList, [&](const python::Expr *each) { add(*each); });
  } else if (auto *cls = dyn_cast<python::ClassDef>(&statement)) {
    for_each(cls->decoratorList, [&](const python::Expr *each) { add(*each); });
  } else if (auto *assign = dyn_cast<python::Assign>(&statement)) {
    for (const python::Expr *target : assign->targets)
      if (!isa<python::Name>(target))
        add(*target);
  } else if (auto *augmented = dyn_cast<python::AugAssign>(&statement)) {
    add(*augmented->target);
    roots.back().goesOn = true;
  } else if (auto *expr = dyn_cast<python::ExprStmt>(&statement)) {
    if (isa<python::Call>(expr->value))
      add(*expr->value);
  } else if (auto *loop = dyn_cast<python::For>(&statement)) {
    addAll(loop->body);
  } else if (auto *choice = dyn_cast<python::If>(&statement); choice && !isMainGuard(*choice)) {
    addAll(choice->body);
    addAll(choice->orelse);
  }
}

/// Whether a statement changes what statements that are needed have bound: an entry of a table, a
/// class or function that notes others.
class Changes {
public:
  Changes(const python::ParsedFile &file, python::Body body) : file(file), body(body) {}

  /// Notes a statement that is needed.
  void note(const python::Stmt &statement) {
    const python::Expr *value = nullptr;
    if (auto *assign = dyn_cast<python::Assign>(&statement))
      value = assign->value;
    if (auto *annotated = dyn_cast<python::AnnAssign>(&statement))
      value = annotated->value;
    bool isTable = value && !isa<python::Constant, python::UnaryOp, python::Lambda>(value);
    bool isDefined = isa<python::FunctionDef, python::ClassDef>(statement);
    for (StringRef name : namesOf(statement)) {
      if (isTable)
        tables.insert(name);
      if (isTable || isDefined)
        bound.insert(name);
    }
  }

  bool isNeeded(const python::Stmt &statement) const {
    SmallVector<Root> roots;
    addChanged(statement, roots);
    return any_of(roots, [&](const Root &root) {
      return root.goesOn ? bound.contains(root.name) : changesTable(root.name);
    });
  }

private:
  /// Whether calling a function of the file may change a table that is needed.
  bool changesTable(StringRef function) const {
    return any_of(body, [&](const python::Stmt *statement) {
      auto *def = dyn_cast<python::FunctionDef>(statement);
      return def && def->name == function &&
             any_of(wordsOf(textOf(file, *def)),
                    [&](const auto &word) { return tables.contains(word.getKey()); });
    });
  }

  const python::ParsedFile &file;
  python::Body body;
  StringSet<> bound, tables;
};

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
  ModuleObject *module = machine.findModule(statement.module);
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

/// Whether a class notes the classes that derive from it.
static bool notesSubclasses(const python::ClassDef &cls) {
  return any_of(cls.body, [](const python::Stmt *statement) {
    auto *method = dyn_cast<python::FunctionDef>(statement);
    return method && method->name == "__init_subclass__";
  });
}

/// Whether a statement defines a class that is noted by one of these.
static bool isNoted(const python::Stmt &statement, const StringSet<> &noting) {
  auto *cls = dyn_cast<python::ClassDef>(&statement);
  return cls && any_of(cls->bases, [&](const python::Expr *base) {
           auto *name = dyn_cast<python::Name>(base);
           return name && noting.contains(name->id);
         });
}

std::string Definitions::needed(const python::ParsedFile &file, python::Body body, StringRef text) {
  StringSet<> noting;
  Changes changes(file, body);
  std::set<size_t> own;
  std::vector<StringRef> work{text};
  std::string all;
  while (!work.empty()) {
    StringSet<> words = wordsOf(work.back());
    all += (work.back() + "\n").str();
    work.pop_back();
    for (auto [place, statement] : enumerate(body)) {
      if (taken.count(statement) ||
          (!isNoted(*statement, noting) && !changes.isNeeded(*statement) && !isFuture(*statement) &&
           none_of(namesOf(*statement), [&](StringRef name) { return words.contains(name); })))
        continue;
      if (auto *cls = dyn_cast<python::ClassDef>(statement);
          cls && (notesSubclasses(*cls) || isNoted(*statement, noting)))
        noting.insert(cls->name);
      taken.insert(statement);
      changes.note(*statement);
      own.insert(place);
      work.push_back(textOf(file, *statement));
    }
  }
  StringSet<> words = wordsOf(all);
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
      result += (textOf(file, statement) + "\n").str();
      // What stands within a class is bound there.
      bool isLate = isa<python::FunctionDef, python::ClassDef>(statement);
      if (body == file.getModule().body)
        note(file, namesOf(statement), textOf(file, statement), isLate);
    }
  }
  return result;
}

} // namespace nereid::torch
