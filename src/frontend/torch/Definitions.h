// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathers statements of the user's files that a piece of their text needs, those of imported files
// included, so that an emitted file stands alone. What is needed is found by words: a name in a
// string or comment counts too, which does no harm.
#pragma once

#include "python/Ast.h"
#include "python/machine/Machine.h"

#include "llvm/ADT/StringSet.h"

#include <set>

namespace nereid::torch {

/// The text of a statement, decorators and indentation of its first line included.
llvm::StringRef textOf(const python::ParsedFile &file, const python::Stmt &statement);

/// The identifiers in a text.
llvm::StringSet<> wordsOf(llvm::StringRef text);

class Definitions {
public:
  explicit Definitions(machine::Machine &machine) : machine(machine) {}

  /// Never gives this statement.
  void skip(const python::Stmt *statement) { taken.insert(statement); }

  /// Notes a statement that an emitted file has at its top. Functions and classes look for names
  /// when they are called: `isLate`.
  void note(const python::ParsedFile &file, llvm::ArrayRef<llvm::StringRef> names,
            llvm::StringRef text, bool isLate);
  /// A name that two files bind otherwise, and that code of one of them looks for when the file has
  /// the other's: how that is told; empty where there is none.
  std::string findClash() const;

  /// Statements of `body` (by their names) that `text` needs, directly or through one another, in
  /// their order; each is given once.
  std::string needed(const python::ParsedFile &file, python::Body body, llvm::StringRef text);
  std::string needed(const python::ParsedFile &file, llvm::StringRef text) {
    return needed(file, file.getModule().body, text);
  }

private:
  std::string importedFrom(const python::ParsedFile &file, const python::ImportFrom &statement,
                           const llvm::StringSet<> &words, llvm::StringRef text);
  std::string starImported(const python::ParsedFile &file, const python::ImportFrom &statement,
                           const llvm::StringSet<> &words);
  std::string imported(const python::ParsedFile &file, const python::Import &statement,
                       llvm::StringRef text);
  std::string spaceOf(machine::ModuleObject &module, llvm::StringRef path, llvm::StringRef text,
                      std::string &before);
  std::optional<std::string> definitionOf(machine::Value value, llvm::StringRef original,
                                          llvm::StringRef name);
  /// The file of the user's that a module was made of; null for modules of libraries.
  const python::ParsedFile *fileOf(machine::Value module);

  machine::Machine &machine;
  /// What stands in the result already, by file and statement.
  std::set<const python::Stmt *> taken;
  struct Noted {
    const python::ParsedFile *file;
    llvm::SmallVector<std::string> names;
    std::string text;
    bool isLate;
  };
  std::vector<Noted> noted;
};

} // namespace nereid::torch
