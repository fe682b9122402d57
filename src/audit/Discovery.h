// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is there to check: the Python files under some paths, the trees that they belong to, and the
// jit functions that the text of a file defines, wherever they stand in it.
#pragma once

#include "audit/PathPatterns.h"
#include "python/Ast.h"
#include "support/Diagnostic.h"

#include <string>
#include <vector>

namespace nereid::audit {

/// Files that are imported from one folder: packages below it, or the files beside each other.
struct SourceTree {
  std::string root;
  std::vector<std::string> files;
  /// Others of the package of a file that was named, which import it: they may launch what it
  /// defines.
  std::vector<std::string> callers = {};
};

/// A file or folder that is left out, all of it or in part, with the reason.
struct SkippedFile {
  std::string path, reason;
};

/// Which files that import others are looked for: those under the paths, and for a file that is
/// named those of its package.
enum class Callers : uint8_t { None, Here, InPackage };

struct Discovery {
  std::vector<SourceTree> trees;
  std::vector<SkippedFile> skipped;
  /// A path that is not there; empty when all are.
  std::string missing;
};

/// The Python files under the paths that speak of Triton or may launch something, in the order of
/// their names. Folders that begin with a dot and `__pycache__` are passed over. What is `excluded`
/// is not looked for in folders.
Discovery discover(llvm::ArrayRef<std::string> paths, Callers callers = Callers::None,
                   const PathPatterns &excluded = {});

/// A definition under `@triton.jit`, by the imports of its file.
struct JitDefinition {
  const python::FunctionDef *def = nullptr;
  /// `Outer.inner` for one in a class or a function.
  std::string qualifiedName;
  /// It stands in another function, which nobody calls while the file is read.
  bool isNested = false;
};

std::vector<JitDefinition> findJitDefinitions(const python::ParsedFile &file);

} // namespace nereid::audit
