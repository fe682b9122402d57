// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The assignments and uses of a name in a function that belong together: a use belongs to every
// assignment that may reach it. One name may have several webs, which know nothing of each other.
#pragma once

#include "upgrade/Changes.h"

#include "llvm/ADT/StringSet.h"

#include <map>
#include <set>

namespace nereid::upgrade {

class Webs {
public:
  Webs(const FunctionText &text, const llvm::StringSet<> &names);

  /// The number of a web; nullopt for a use that no assignment reaches (a parameter's).
  std::optional<unsigned> find(const python::Name &name) const;

private:
  /// The assignments that reach a place, by name.
  using Reaching = std::map<llvm::StringRef, std::set<unsigned>>;

  void visit(python::Body body, Reaching &reaching);
  void visit(const python::Stmt &stmt, Reaching &reaching);
  /// The uses in a node, then its assignments; not those of statements in it.
  void visitNames(const python::Node &node, Reaching &reaching, python::ExprContext context);
  /// The assignment to the name belongs to those before it.
  void move(const python::Name &name, Reaching &reaching);
  void visitLoop(const python::Stmt &stmt, python::Body body, Reaching &reaching);
  unsigned getRoot(unsigned assignment) const;

  const llvm::StringSet<> &names;
  llvm::DenseMap<const python::Name *, unsigned> known; // an assignment of the web
  std::vector<unsigned> parents;
};

} // namespace nereid::upgrade
