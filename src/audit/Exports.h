// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What packages offer to those who import them: the functions that an `__init__.py` takes out of
// the files beside it. Anybody may call these, whoever calls them in the package itself.
#pragma once

#include "python/Ast.h"

#include "llvm/ADT/StringMap.h"

#include <set>

namespace nereid::audit {

class Exports {
public:
  /// Whether an `__init__.py` of the file's folder, or of a package around it, imports the name.
  bool has(const python::ParsedFile &file, llvm::StringRef name);

private:
  /// Names by the last name of the module that they come from; `*` for all.
  using Names = std::set<std::pair<std::string, std::string>>;
  const Names &read(const std::string &init);

  llvm::StringMap<Names> folders;
};

} // namespace nereid::audit
