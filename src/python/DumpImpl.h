// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The writer behind dumpAst. Fields are put in CPython's order, places behind them.
#pragma once

#include "python/Dump.h"
#include "python/Literals.h"

namespace nereid::python {

class Dumper {
public:
  Dumper(const ParsedFile &file, llvm::raw_ostream &os, const DumpOptions &options)
      : file(file), os(os), options(options) {}

  void put(const Node *node);

private:
  /// A node being written: puts commas between its fields.
  class Fields {
  public:
    Fields(Dumper &dumper, const Node &node) : dumper(dumper), os(dumper.os) {
      os << getKindName(node.kind) << '(';
    }
    template <typename T> Fields &field(llvm::StringRef name, const T &value) {
      os << (first ? "" : ", ") << name << '=';
      first = false;
      dumper.put(value);
      return *this;
    }
    /// A field that is left out when there is none.
    Fields &optional(llvm::StringRef name, const Node *value) {
      return value ? field(name, value) : *this;
    }
    Fields &optional(llvm::StringRef name, llvm::StringRef value) {
      return value.empty() ? *this : field(name, value);
    }

  private:
    Dumper &dumper;
    llvm::raw_ostream &os;
    bool first = true;
  };

  void put(llvm::StringRef name) { os << formatString(name); }
  void put(uint32_t number) { os << number; }
  void put(bool flag) { os << (flag ? 1 : 0); }
  void put(int number) { os << number; }
  void put(ExprContext value) { os << getName(value) << "()"; }
  void put(BoolOperator value) { os << getName(value) << "()"; }
  void put(BinaryOperator value) { os << getName(value) << "()"; }
  void put(UnaryOperator value) { os << getName(value) << "()"; }
  void put(CompareOperator value) { os << getName(value) << "()"; }
  void put(ConstantType type);
  template <typename T> void put(llvm::ArrayRef<T> list) {
    os << '[';
    llvm::interleaveComma(list, os, [&](const T &element) { put(element); });
    os << ']';
  }

  void putStmt(const Node &node);
  void putDefinition(const Node &node, Fields &out);
  void putBlockStmt(const Node &node, Fields &out);
  void putSimpleStmt(const Node &node, Fields &out);
  void putNames(const Node &node, Fields &out);
  void putExpr(const Node &node);
  void putOperator(const Node &node, Fields &out);
  void putComprehension(const Node &node, Fields &out);
  void putDisplay(const Node &node, Fields &out);
  void putPrimary(const Node &node, Fields &out);
  void putFString(const Node &node);
  void putPattern(const Node &node);
  void putPart(const Node &node);
  void putConstant(const Constant &constant);
  void putAttributes(const Node &node);
  bool hasAttributes(const Node &node) const;

  const ParsedFile &file;
  llvm::raw_ostream &os;
  DumpOptions options;
  /// The number of f-strings around the node.
  unsigned fstrings = 0;
};

} // namespace nereid::python
