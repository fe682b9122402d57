// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/Exports.h"

#include "python/AstVisit.h"
#include "python/Parser.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
namespace path = llvm::sys::path;

namespace nereid::audit {

static StringRef lastName(StringRef module) { return module.substr(module.rfind('.') + 1); }

const Exports::Names &Exports::read(const std::string &init) {
  auto [place, isNew] = folders.try_emplace(init);
  Names &names = place->second;
  if (!isNew)
    return names;
  std::string error;
  std::shared_ptr<const SourceFile> source = readSourceFile(init, error);
  // What is no Python exports nothing.
  Diagnostics diagnostics;
  std::unique_ptr<python::ParsedFile> file =
      source ? python::parseFile(source, diagnostics) : nullptr;
  auto visit = [&](auto &self, const python::Node &node) -> void {
    if (auto *import = dyn_cast<python::ImportFrom>(&node))
      for (const python::Alias *alias : import->names)
        names.insert({lastName(import->module).str(), alias->name.str()});
    python::forEachChild(node, [&](const python::Node &child) { self(self, child); });
  };
  if (file)
    visit(visit, file->getModule());
  return names;
}

bool Exports::has(const python::ParsedFile &file, StringRef name) {
  if (name.starts_with("_"))
    return false;
  StringRef whole = file.getSource().getName();
  std::string stem = path::stem(whole).str();
  for (StringRef folder = path::parent_path(whole); !folder.empty();
       folder = path::parent_path(folder)) {
    SmallString<128> init(folder);
    path::append(init, "__init__.py");
    const Names &names = read(init.str().str());
    if (names.empty() && !sys::fs::exists(init))
      return false;
    if (names.count({stem, name.str()}) || names.count({stem, "*"}))
      return true;
  }
  return false;
}

} // namespace nereid::audit
