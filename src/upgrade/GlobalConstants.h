// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `G: tl.constexpr = 8` at the top of a file: a number for the host, and until Triton 3.3 a
// constant for kernels. Since then kernels read only what is one by its value, `G =
// tl.constexpr(8)`, and host code that reads the name gets that value too: it may not have taken it
// for a number.
#pragma once

#include "audit/KernelTree.h"
#include "upgrade/Changes.h"

namespace nereid::upgrade {

/// The annotated constants of all files of a tree, and who reads them.
class GlobalConstants {
public:
  explicit GlobalConstants(const audit::KernelTree &tree);

  /// What a function reads of them becomes a change of it, or a refusal.
  void change(FunctionText &text, Changes &changes);

  /// The edits that make one a constant by its value.
  static std::vector<Edit> getEdits(const python::ParsedFile &file,
                                    const python::AnnAssign &statement);

private:
  struct Constant {
    const python::ParsedFile *file;
    std::vector<const python::AnnAssign *> statements; // in each arm of a condition, say
    std::optional<Diagnostic> refusal;
    bool isJudged = false;
  };

  void findConstants(const python::ParsedFile &file);
  void judge(llvm::StringRef name, Constant &constant);
  /// The one that a name leads to: of the file itself, or of one that it is imported from.
  Constant *find(const python::ParsedFile &file, const python::Name &name);

  const audit::KernelTree &tree;
  llvm::DenseSet<const python::Node *> kernels; // definitions of jit functions
  llvm::StringMap<std::vector<Constant>> constants;
};

} // namespace nereid::upgrade
