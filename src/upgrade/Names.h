// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What names and dotted names of a file lead to, by its imports: `tl.load` to
// `triton.language.load`, whatever the file calls the module.
#pragma once

#include "python/Ast.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace nereid::upgrade {

class FileNames {
public:
  explicit FileNames(const python::ParsedFile &file);

  /// The dotted path of what an expression names; empty for what no import explains.
  std::string getPath(const python::Expr &expr) const;
  /// The name below `triton.language` that is called or read: `load`, `math.tanh`; empty for
  /// others.
  std::string getLanguageName(const python::Expr &expr) const;
  /// What the file calls a module; empty when it does not import it.
  llvm::StringRef getAlias(llvm::StringRef module) const;
  /// `wanted`, with as many underscores behind it that no word of the file is like it.
  std::string makeName(std::string wanted) const;
  /// Whether it stands for something anywhere in the file, but as an attribute.
  bool isTaken(llvm::StringRef name) const { return bound.contains(name); }
  /// Where an import can be put in: the line behind the last import of Triton at the top level. 0
  /// for none.
  uint32_t getImportPlace() const { return importPlace; }

  /// How lines of the file end.
  llvm::StringRef getLineEnd() const { return lineEnd; }

  const python::ParsedFile &file;

private:
  void read(const python::Node &node);
  void add(llvm::StringRef name, const std::string &path);

  llvm::StringMap<std::string> paths; // of names
  llvm::StringSet<> words, bound;
  uint32_t importPlace = 0;
  llvm::StringRef lineEnd;
};

} // namespace nereid::upgrade
