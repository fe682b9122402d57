// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upgrade/Names.h"

#include "python/AstVisit.h"

using namespace llvm;

namespace nereid::upgrade {

FileNames::FileNames(const python::ParsedFile &file) : file(file) {
  read(file.getModule());
  lineEnd = file.getSource().getText().contains("\r\n") ? "\r\n" : "\n";
  for (const python::Token &token : file.tokens)
    if (token.kind == python::TokenKind::Name)
      words.insert(file.getText(token));
  for (const python::Stmt *stmt : file.getModule().body) {
    auto *import = dyn_cast<python::Import>(stmt);
    auto *from = dyn_cast<python::ImportFrom>(stmt);
    bool isTritons = from && from->module.split('.').first == "triton";
    if (import)
      for (const python::Alias *alias : import->names)
        isTritons |= alias->name.split('.').first == "triton";
    size_t end = file.getSource().getText().find('\n', stmt->range.end);
    if (isTritons && end != StringRef::npos)
      importPlace = end + 1;
  }
}

void FileNames::add(StringRef name, const std::string &path) {
  // What is imported from two places, by version or device, is the file's own concern.
  auto [place, isNew] = paths.try_emplace(name, path);
  if (!isNew && place->second != path)
    place->second.clear();
}

void FileNames::read(const python::Node &node) {
  if (auto *import = dyn_cast<python::Import>(&node)) {
    for (const python::Alias *alias : import->names)
      if (alias->asname.empty())
        add(alias->name.split('.').first, alias->name.split('.').first.str());
      else
        add(alias->asname, alias->name.str());
  } else if (auto *from = dyn_cast<python::ImportFrom>(&node); from && from->level == 0) {
    for (const python::Alias *alias : from->names)
      add(alias->asname.empty() ? alias->name : alias->asname,
          (from->module + "." + alias->name).str());
  }
  if (auto *name = dyn_cast<python::Name>(&node))
    bound.insert(name->id);
  else if (auto *argument = dyn_cast<python::Arg>(&node))
    bound.insert(argument->arg);
  else if (auto *def = dyn_cast<python::FunctionDef>(&node))
    bound.insert(def->name);
  else if (auto *alias = dyn_cast<python::Alias>(&node))
    bound.insert(alias->asname.empty() ? alias->name : alias->asname);
  python::forEachChild(node, [&](const python::Node &child) { read(child); });
}

std::string FileNames::getPath(const python::Expr &expr) const {
  if (auto *name = dyn_cast<python::Name>(&expr))
    return paths.lookup(name->id);
  auto *attribute = dyn_cast<python::Attribute>(&expr);
  std::string owner = attribute ? getPath(*attribute->value) : "";
  return owner.empty() ? "" : owner + "." + attribute->attr.str();
}

std::string FileNames::getLanguageName(const python::Expr &expr) const {
  std::string path = getPath(expr);
  StringRef rest = path;
  if (!rest.consume_front("triton.language."))
    return "";
  rest.consume_front("core.");
  return rest.str();
}

StringRef FileNames::getAlias(StringRef module) const {
  for (const auto &entry : paths)
    if (entry.second == module)
      return entry.first();
  return "";
}

std::string FileNames::makeName(std::string wanted) const {
  while (words.contains(wanted))
    wanted += "_";
  return wanted;
}

} // namespace nereid::upgrade
