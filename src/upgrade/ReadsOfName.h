// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where host code of a file reads or binds a global name.
#pragma once

#include "python/Ast.h"

#include "llvm/ADT/DenseSet.h"

#include <vector>

namespace nereid::upgrade {

struct NameUse {
  const python::Node *node;
  const python::Stmt *statement; // the innermost around it
  bool isBinding;
};

/// Uses outside of the bodies of `kernels`: of the global of the file itself (`isOwn`), or of what
/// the file imports under that name from anywhere.
std::vector<NameUse> findHostUses(const python::ParsedFile &file, llvm::StringRef name, bool isOwn,
                                  const llvm::DenseSet<const python::Node *> &kernels);

/// Whether a function binds a name itself.
bool isLocal(const python::FunctionDef &def, llvm::StringRef name);

/// Whether a name of the file is what a module, told by the last part of its name, calls
/// `original`.
bool importsName(const python::ParsedFile &file, llvm::StringRef name, llvm::StringRef module,
                 llvm::StringRef original);

} // namespace nereid::upgrade
