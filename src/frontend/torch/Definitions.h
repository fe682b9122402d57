// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathers statements of the user's files that a piece of their text needs, those of imported files
// included, so that an emitted file stands alone. Which names are needed is found by words (one in
// a string or comment counts too, which does no harm); what else changed what hangs at them was
// seen as the machine executed the file (Machine::effectsOf).
#pragma once

#include "frontend/torch/ObjectParts.h"
#include "python/Ast.h"

#include "llvm/ADT/StringSet.h"

#include <map>
#include <set>

namespace nereid::torch {

/// The text of a statement, decorators and indentation of its first line included.
llvm::StringRef textOf(const python::ParsedFile &file, const python::Stmt &statement);

/// The identifiers in a text.
llvm::StringSet<> wordsOf(llvm::StringRef text);

class Definitions {
public:
  explicit Definitions(machine::Machine &machine) : machine(machine), reach(machine) {}

  /// Never gives this statement.
  void skip(const python::Stmt *statement) { taken.insert(statement); }

  /// Gives a text in place of the statement's own.
  void replace(const python::Stmt *statement, std::string text) {
    replaced[statement] = std::move(text);
  }

  /// Notes a statement that an emitted file has at its top. Functions and classes look for names
  /// when they are called: `isLate`.
  void note(const python::ParsedFile &file, llvm::ArrayRef<llvm::StringRef> names,
            llvm::StringRef text, bool isLate);
  /// A name that two files bind otherwise, and that code of one of them looks for when the file has
  /// the other's: how that is told; empty where there is none.
  std::string findClash() const;

  /// Whether a statement that was given stands behind another one and is such.
  bool hasBehind(const python::ParsedFile &file, const python::Stmt &other,
                 llvm::function_ref<bool(const python::Stmt &)> isSuch) const;

  /// Statements of `body` (by their names) that `text` needs, directly or through one another, in
  /// their order; each is given once.
  std::string needed(const python::ParsedFile &file, python::Body body, llvm::StringRef text);
  std::string needed(const python::ParsedFile &file, llvm::StringRef text) {
    return needed(file, file.getModule().body, text);
  }

  /// What stands at the top of the emitted file: names of a file of the user's.
  struct Noted {
    const python::ParsedFile *file;
    llvm::SmallVector<std::string> names;
    std::string text;
    bool isLate;
  };
  llvm::ArrayRef<Noted> getNoted() const { return noted; }

private:
  bool isNeeded(const python::Stmt &statement, const llvm::StringSet<> &words,
                const machine::ModuleObject *scope) const;
  void take(const python::Stmt &statement, const machine::ModuleObject *scope);
  std::string textFor(const python::ParsedFile &file, const python::Stmt &statement) const;
  machine::ModuleObject *importedModule(const python::ParsedFile &file,
                                        const python::ImportFrom &statement);
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
  std::map<const python::Stmt *, std::string> replaced;
  Reach reach; // what is needed
  std::vector<Noted> noted;
};

} // namespace nereid::torch
