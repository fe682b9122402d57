// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a version of Triton asks of one function, found by rules that look at its text: the edits,
// the calls that a proof has to reach, and what cannot be written anew, with the reason.
#pragma once

#include "support/Diagnostic.h"
#include "upgrade/Edits.h"
#include "upgrade/Names.h"

#include "llvm/ADT/DenseMap.h"

#include <set>

namespace nereid::upgrade {

struct Version {
  unsigned minor = 9; // 3.9
  /// Also what still works but is deprecated.
  bool deprecated = false;
};

/// A function of a file, with what stands around each node of its body.
class FunctionText {
public:
  FunctionText(FileNames &names, const python::FunctionDef &def);

  /// The node around; null for the function's own statements.
  const python::Node *getParent(const python::Node &node) const { return parents.lookup(&node); }
  const python::Stmt *getStatement(const python::Node &node) const;
  llvm::StringRef getText(const python::Node &node) const { return names.file.getText(node); }
  SourceLocation getLocation(const python::Node &node) const {
    return names.file.getLocation(node);
  }
  /// The spaces before a statement; nullopt when something else stands before it in its line.
  std::optional<std::string> getIndent(const python::Stmt &stmt) const;
  /// The calls in the body, in the order of the text.
  llvm::ArrayRef<const python::Call *> getCalls() const { return calls; }
  /// What names are read or assigned, in the order of the text.
  llvm::ArrayRef<const python::Name *> getNames() const { return usedNames; }

  FileNames &names;
  const python::FunctionDef &def;

private:
  void visit(const python::Node &node);

  llvm::DenseMap<const python::Node *, const python::Node *> parents;
  std::vector<const python::Call *> calls;
  std::vector<const python::Name *> usedNames;
};

struct Changes {
  std::vector<Edit> edits;
  /// The name `libdevice` has to be imported.
  bool needsLibdevice = false;
  /// `block pointers`, `libdevice`, ...
  std::set<std::string> kinds;
  /// The calls whose text changes or that what changes is for: a proof evaluates them all.
  std::vector<const python::Call *> calls;
  /// Annotated globals that it reads, of this file or another one.
  std::vector<std::pair<const python::ParsedFile *, const python::AnnAssign *>> constants;
  std::vector<Diagnostic> refusals;

  bool isEmpty() const { return kinds.empty() && refusals.empty(); }
  void refuse(SourceLocation place, std::string reason, std::string help = "") {
    refusals.push_back({Severity::Error, place, std::move(reason), std::move(help), {}});
  }
};

/// `tl.make_block_ptr` and `tl.advance`, which are gone since 3.9: pointers and masks.
void changeBlockPointers(FunctionText &text, Changes &changes);
/// Functions that moved, arguments that have to be named, arguments with another name.
void changeNames(FunctionText &text, const Version &version, Changes &changes);

/// The keyword argument of a call; null when it is not given.
const python::Keyword *findKeyword(const python::Call &call, llvm::StringRef name);
/// The argument at a place or of a name.
const python::Expr *findArgument(const python::Call &call, unsigned index, llvm::StringRef name);
/// Takes an argument of a call out, with the comma before it.
void removeArgument(const python::ParsedFile &file, const python::Node &argument,
                    std::vector<Edit> &edits);
/// `()`, `[]`, `""` or None.
bool isEmptyLiteral(const python::Expr &expr);

} // namespace nereid::upgrade
