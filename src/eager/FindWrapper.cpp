// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "eager/FindWrapper.h"

#include "audit/UseFlow.h"
#include "python/AstVisit.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace nereid::eager {

using python::FunctionDef;

namespace {
/// What a function or class at the top of a file launches and calls, by name.
struct Entry {
  StringRef name;
  const FunctionDef *def = nullptr; // null for a class
  StringSet<> launches, calls;
};
} // namespace

static void collect(const python::Node &node, Entry &entry) {
  if (auto *call = dyn_cast<python::Call>(&node)) {
    auto *launched = dyn_cast<python::Subscript>(call->func);
    auto *method = dyn_cast<python::Attribute>(call->func);
    if (launched)
      entry.launches.insert(audit::getLastName(*launched->value));
    else if (method && method->attr == "apply")
      entry.calls.insert(audit::getLastName(*method->value));
    else if (isa<python::Name>(call->func))
      entry.calls.insert(audit::getLastName(*call->func));
  }
  python::forEachChild(node, [&](const python::Node &child) { collect(child, entry); });
}

/// Those that come to a launch of the kernel, or of any one where the name is empty.
static SmallVector<const Entry *> findLaunching(ArrayRef<Entry> entries, StringRef kernel,
                                                const StringSet<> &kernelNames) {
  SmallVector<const Entry *> found;
  StringSet<> reached;
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (const Entry &entry : entries) {
      if (is_contained(found, &entry))
        continue;
      bool launches =
          kernel.empty()
              ? any_of(entry.launches,
                       [&](const auto &one) { return kernelNames.contains(one.getKey()); })
              : entry.launches.contains(kernel);
      bool calls =
          any_of(entry.calls, [&](const auto &one) { return reached.contains(one.getKey()); });
      if (!launches && !calls)
        continue;
      found.push_back(&entry);
      reached.insert(entry.name);
      isNew = true;
    }
  }
  return found;
}

/// `forward` of an autograd function.
static const FunctionDef *findForward(const python::ClassDef &cls) {
  for (const python::Stmt *stmt : cls.body)
    if (auto *method = dyn_cast<FunctionDef>(stmt); method && method->name == "forward")
      return method;
  return nullptr;
}

static bool isTrial(StringRef name) {
  return name.starts_with("test") || name.starts_with("bench") || name == "main";
}

static std::string listNames(ArrayRef<const Entry *> entries) {
  std::string names;
  ListSeparator comma;
  for (const Entry *entry : entries)
    names += (StringRef(comma) + entry->name).str();
  return names;
}

const FunctionDef *findWrapper(const python::ParsedFile &file, StringRef name,
                               const DenseSet<const FunctionDef *> &kernels,
                               Diagnostics &diagnostics) {
  std::vector<Entry> entries;
  StringSet<> kernelNames;
  for (const python::Stmt *stmt : file.getModule().body) {
    auto *def = dyn_cast<FunctionDef>(stmt);
    auto *cls = dyn_cast<python::ClassDef>(stmt);
    if (def && kernels.contains(def))
      kernelNames.insert(def->name);
    else if (def && def->name == name)
      return def;
    else if (const FunctionDef *forward = cls && cls->name == name ? findForward(*cls) : nullptr)
      return forward;
    else if (def || cls)
      collect(*stmt, entries.emplace_back(Entry{def ? def->name : cls->name, def, {}, {}}));
  }
  std::string path = file.getSource().getName().str();
  if (!name.empty() && !kernelNames.contains(name)) {
    diagnostics.error({}, "'" + path + "' has no function '" + name.str() + "' at its top");
    return nullptr;
  }
  SmallVector<const Entry *> launching = findLaunching(entries, name, kernelNames);
  SmallVector<const Entry *> wrappers;
  for (const Entry *entry : launching) {
    bool isCalled = any_of(launching, [&](const Entry *other) {
      return other != entry && other->calls.contains(entry->name) && !isTrial(other->name);
    });
    if (entry->def && !isCalled && !entry->name.starts_with("_") && !isTrial(entry->name))
      wrappers.push_back(entry);
  }
  if (wrappers.size() == 1)
    return wrappers.front()->def;
  std::string of = name.empty() ? "a kernel" : "'" + name.str() + "'";
  if (wrappers.empty())
    diagnostics.error({}, "no public function of '" + path + "' launches " + of,
                      "name the function that does: " + path + ":NAME");
  else
    diagnostics.error({}, "several functions of '" + path + "' launch " + of,
                      "name one: they are " + listNames(wrappers));
  return nullptr;
}

} // namespace nereid::eager
