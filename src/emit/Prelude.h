// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The imports and small private functions that an emitted file may need; only those that it uses
// are printed.
#pragma once

#include "emit/FileParts.h"

namespace nereid::emit {

/// Groups of import lines, the standard library first.
std::vector<std::string> getImports(const FileParts &parts);
/// What decorators of kernels need.
std::vector<std::string> getDecorators(const FileParts &parts);
/// Definitions that programs may use, each ending in a newline.
std::vector<std::string> getPrelude(const FileParts &parts);
/// What a definition binds at the top of the file.
std::vector<llvm::StringRef> getBoundNames(llvm::StringRef text);
/// Takes those of `prelude` out of it that are called while the file is imported, by `programs` or
/// by one another; the others may stand behind what calls them.
std::vector<std::string> takeImportTime(std::vector<std::string> &prelude,
                                        llvm::ArrayRef<std::string> programs);

} // namespace nereid::emit
