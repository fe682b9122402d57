// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/Discovery.h"

#include "python/AstVisit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <map>
#include <set>

using namespace llvm;
namespace path = llvm::sys::path;

namespace nereid::audit {

namespace {

/// The files of a run, sorted into trees.
class Collector {
public:
  Collector(Discovery &result, const PathPatterns &excluded, bool keepsOthers)
      : result(result), excluded(excluded), keepsOthers(keepsOthers) {}

  void addFolder(const std::string &folder) {
    forEachFile(folder, [&](const std::string &file) { addFile(file, false); });
  }

  void addFile(const std::string &file, bool isNamed) {
    if (!known.insert(file).second)
      return;
    if (isNamed)
      named.insert(file);
    std::string error;
    std::unique_ptr<SourceFile> source = readSourceFile(file, error, largest);
    if (!source) {
      result.skipped.push_back({file, error});
      return;
    }
    // `kernel[grid](...)` launches what another file defines.
    StringRef text = source->getText();
    if (!isNamed && !text.contains("triton") && !text.contains("](")) {
      if (keepsOthers)
        others.push_back({file, takeImports(text)});
      return;
    }
    if (text.contains("@gluon.jit"))
      result.skipped.push_back({file, "kernels under @gluon.jit are Gluon's, which is not read"});
    add(file);
  }

  /// Those that import a file that is there, by the last name of its module.
  void addImporters() {
    llvm::StringSet<> modules;
    for (const SourceTree &tree : result.trees)
      for (const std::string &file : tree.files)
        modules.insert(path::stem(file));
    for (const auto &[file, text] : others)
      if (importsOneOf(text, modules))
        add(file);
    for (SourceTree &tree : result.trees)
      sort(tree.files);
  }

  void findCallers() {
    for (SourceTree &tree : result.trees)
      findCallers(tree);
  }

private:
  /// Looks through the package of files that were named for those that import them.
  void findCallers(SourceTree &tree) {
    llvm::StringSet<> modules;
    std::set<std::string> packages;
    for (const std::string &file : tree.files)
      if (named.contains(file) && isInPackage(path::parent_path(file))) {
        modules.insert(path::stem(file));
        packages.insert(getPackage(file));
      }
    std::vector<std::string> found;
    for (const std::string &package : packages)
      forEachFile(package, [&](const std::string &file) {
        std::string error;
        std::unique_ptr<SourceFile> source =
            known.contains(file) ? nullptr : readSourceFile(file, error, largest);
        if (source && importsOneOf(source->getText(), modules))
          found.push_back(file);
      });
    sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    tree.callers = std::move(found);
  }

  /// The lines that import something: the others tell nothing of who calls whom.
  static std::string takeImports(StringRef text) {
    std::string lines;
    for (StringRef line : split(text, '\n'))
      if (StringRef rest = line.ltrim(); rest.starts_with("from ") || rest.starts_with("import "))
        lines += (line + "\n").str();
    return lines;
  }

  /// A module, or a name of what is imported from one, is one of these.
  static bool importsOneOf(StringRef text, const llvm::StringSet<> &modules) {
    for (StringRef line : split(text, '\n')) {
      StringRef rest = line.ltrim();
      bool isFrom = rest.consume_front("from ");
      if (!isFrom && !rest.consume_front("import "))
        continue;
      StringRef module = rest.take_until([](char c) { return isSpace(c) || c == ','; });
      if (modules.contains(module.substr(module.rfind('.') + 1)))
        return true;
      StringRef names = isFrom ? rest.split(" import ").second : "";
      for (StringRef name : split(names, ','))
        if (modules.contains(name.trim("() \t\r").split(' ').first))
          return true;
    }
    return false;
  }

  /// In the order of their names.
  void forEachFile(const std::string &folder, llvm::function_ref<void(const std::string &)> visit) {
    std::error_code error;
    std::vector<std::string> entries;
    for (sys::fs::directory_iterator it(folder, error), end; it != end && !error;
         it.increment(error))
      entries.push_back(it->path());
    if (error)
      result.skipped.push_back({folder, error.message()});
    sort(entries);
    for (const std::string &entry : entries) {
      StringRef name = path::filename(entry);
      if (name.starts_with(".") || name == "__pycache__" || excluded.match(entry))
        continue;
      // A link to a folder may lead around in a circle.
      if (sys::fs::is_directory(entry) && !sys::fs::is_symlink_file(entry))
        forEachFile(entry, visit);
      else if (name.ends_with(".py") && sys::fs::is_regular_file(entry))
        visit(entry);
    }
  }

  void add(const std::string &file) {
    std::string root = getRoot(file);
    auto [place, isNew] = trees.try_emplace(root, result.trees.size());
    if (isNew)
      result.trees.push_back({root, {}});
    result.trees[place->second].files.push_back(file);
  }

  static bool isPackage(StringRef folder) {
    SmallString<128> init(folder);
    path::append(init, "__init__.py");
    return sys::fs::exists(init);
  }

  /// A few folders between two packages may do without a file of their own, as for the machine that
  /// imports them (Machine::importFile).
  static bool isInPackage(StringRef folder) {
    constexpr unsigned mostBetween = 3;
    for (unsigned above = 0; above <= mostBetween; ++above) {
      if (folder.empty() || path::filename(folder).starts_with("."))
        return false;
      if (isPackage(folder))
        return true;
      folder = path::parent_path(folder);
    }
    return false;
  }

  /// The folder above the outermost package that the file is in: what lies below it imports the
  /// same modules, which are read once.
  static std::string getRoot(StringRef file) {
    StringRef folder = path::parent_path(file);
    while (isInPackage(folder))
      folder = path::parent_path(folder);
    return folder.empty() ? "." : folder.str();
  }

  /// The outermost package around a file that is in one.
  static std::string getPackage(StringRef file) {
    StringRef folder = path::parent_path(file), package = folder;
    while (isInPackage(folder)) {
      package = folder;
      folder = path::parent_path(folder);
    }
    return package.str();
  }

  static constexpr uint64_t largest = 4 << 20;

  Discovery &result;
  const PathPatterns &excluded;
  std::map<std::string, size_t> trees;
  /// Files that speak of no kernel, and what they import, where that is asked for.
  bool keepsOthers;
  std::vector<std::pair<std::string, std::string>> others;
  llvm::StringSet<> known, named;
};

/// What the imports of a file call `triton` and `triton.jit`.
class JitFinder {
public:
  explicit JitFinder(std::vector<JitDefinition> &found) : found(found) {}

  void readImports(const python::Node &node) {
    if (auto *import = dyn_cast<python::Import>(&node)) {
      for (const python::Alias *alias : import->names)
        if (alias->name.split('.').first == "triton" &&
            (alias->asname.empty() || alias->name == "triton"))
          modules.insert(alias->asname.empty() ? "triton" : alias->asname);
    } else if (auto *import = dyn_cast<python::ImportFrom>(&node)) {
      bool isTritons = import->module == "triton" || import->module.starts_with("triton.runtime");
      for (const python::Alias *alias : import->names) {
        StringRef name = alias->asname.empty() ? alias->name : alias->asname;
        // A package may ask once whether Triton is there, and hand it on.
        if (alias->name == "triton")
          modules.insert(name);
        else if (isTritons && alias->name == "jit")
          decorators.insert(name);
      }
    }
    python::forEachChild(node, [&](const python::Node &child) { readImports(child); });
  }

  void visit(const python::Node &node, const std::string &prefix, bool isNested) {
    auto *def = dyn_cast<python::FunctionDef>(&node);
    auto *cls = dyn_cast<python::ClassDef>(&node);
    if (def && any_of(def->decoratorList, [&](const python::Expr *e) { return isJit(*e); }))
      found.push_back({def, prefix + def->name.str(), isNested});
    StringRef name = def ? def->name : cls ? cls->name : "";
    std::string inner = name.empty() ? prefix : prefix + name.str() + ".";
    python::forEachChild(
        node, [&](const python::Node &child) { visit(child, inner, isNested || def != nullptr); });
  }

private:
  bool isJit(const python::Expr &decorator) const {
    if (auto *call = dyn_cast<python::Call>(&decorator))
      return isJit(*call->func);
    if (auto *name = dyn_cast<python::Name>(&decorator))
      return decorators.contains(name->id);
    auto *attribute = dyn_cast<python::Attribute>(&decorator);
    auto *owner = attribute ? dyn_cast<python::Name>(attribute->value) : nullptr;
    return owner && attribute->attr == "jit" && modules.contains(owner->id);
  }

  std::vector<JitDefinition> &found;
  llvm::StringSet<> modules, decorators;
};

} // namespace

/// Where the working folder is part of a package, the package is above what a path names: the whole
/// path leads there.
static std::string resolve(const std::string &given) {
  if (path::is_absolute(given) || !sys::fs::exists("__init__.py"))
    return given;
  SmallString<256> whole(given);
  if (sys::fs::make_absolute(whole))
    return given;
  path::remove_dots(whole, /*remove_dot_dot=*/true);
  return whole.str().str();
}

Discovery discover(ArrayRef<std::string> paths, Callers callers, const PathPatterns &excluded) {
  Discovery result;
  Collector collector(result, excluded, callers != Callers::None);
  for (const std::string &name : paths) {
    std::string given = resolve(name);
    if (sys::fs::is_directory(given)) {
      collector.addFolder(StringRef(given).rtrim('/').str());
    } else if (sys::fs::exists(given)) {
      collector.addFile(given, true);
    } else {
      result.missing = given;
      return result;
    }
  }
  if (callers != Callers::None)
    collector.addImporters();
  if (callers == Callers::InPackage)
    collector.findCallers();
  return result;
}

std::vector<JitDefinition> findJitDefinitions(const python::ParsedFile &file) {
  std::vector<JitDefinition> found;
  JitFinder finder(found);
  finder.readImports(file.getModule());
  finder.visit(file.getModule(), "", false);
  return found;
}

} // namespace nereid::audit
