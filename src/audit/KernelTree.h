// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The jit functions of the files that are imported from one folder, with what is known of their
// arguments: what check, upgrade and audit go through.
#pragma once

#include "audit/Discovery.h"
#include "audit/Signatures.h"

#include "llvm/ADT/DenseSet.h"

namespace nereid::audit {

/// A file that is no Python, with the place.
struct UnreadFile {
  Diagnostic diagnostic;
  std::shared_ptr<const SourceFile> file;
};

class KernelTree {
public:
  struct Entry {
    const python::ParsedFile *file = nullptr;
    const python::FunctionDef *def = nullptr;
    std::string name;                        // `Outer.inner` for one in a class or a function
    triton::JitFunction *function = nullptr; // null: it could not be made
  };

  /// `version`: what `triton.__version__` is. `texts` stand in for those of files.
  explicit KernelTree(const std::string &version, const SourceTexts *texts = nullptr)
      : project(version, texts), uses(project), launches(project) {}

  /// Reads all files, then what they tell of arguments.
  void read(const SourceTree &tree, std::vector<UnreadFile> &unread);
  /// Whether it is launched, or no other function calls it.
  bool isRoot(const Entry &entry) const;
  /// Calls `visit` with the place of each entry that a kernel has called and that nothing launches.
  void forEachCalled(llvm::function_ref<void(size_t)> visit);
  /// The entry of a function; null for others.
  const Entry *find(const triton::JitFunction *function) const;

  triton::TritonProject project;
  Uses uses;
  Launches launches;
  std::vector<Entry> entries;
  /// Those that are Python.
  std::vector<const python::ParsedFile *> files;
  /// How many of these are no callers' alone.
  size_t ownEntries = 0, ownFiles = 0;

private:
  void readFile(const std::string &path, std::vector<UnreadFile> &unread);
  void addEntry(const python::ParsedFile &file, const python::FunctionDef &def,
                const std::string &name);

  llvm::DenseMap<const triton::JitFunction *, size_t> places;
  llvm::DenseSet<const triton::JitFunction *> called;
};

} // namespace nereid::audit
