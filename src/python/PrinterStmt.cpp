// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/Literals.h"
#include "python/Printer.h"
#include "python/PrinterImpl.h"

using namespace nereid;
using namespace nereid::python;

namespace {

class StmtPrinter {
public:
  StmtPrinter(llvm::raw_ostream &os, unsigned indent) : os(os), exprs(os), indent(indent) {}

  void printBody(Body body) {
    for (const Stmt *stmt : body)
      printStmt(*stmt);
  }

private:
  void printStmt(const Stmt &stmt);
  void printSimple(const Stmt &stmt);
  void printAnnAssign(const AnnAssign &assign);
  void printCompound(const Stmt &stmt);
  void printFunction(const FunctionDef &def);
  void printClass(const ClassDef &def);
  void printIf(const If &stmt, llvm::StringRef word);
  void printFor(const For &loop);
  void printWith(const With &with);
  void printTry(const Try &block);
  void printMatch(const Match &match);
  void printPattern(const Pattern &pattern, bool isClosed);
  void printMapping(const MatchMapping &mapping);
  void printClassPattern(const MatchClass &match);
  void printTypeParams(llvm::ArrayRef<TypeParam *> params);
  void printAliases(llvm::ArrayRef<Alias *> names);

  void put(const Expr *expr) { exprs.print(*expr); }
  /// " word expr" if there is an expression.
  void putOptional(llvm::StringRef before, const Expr *expr) {
    if (expr) {
      os << before;
      put(expr);
    }
  }
  template <typename Range> void putList(const Range &list) {
    llvm::interleaveComma(list, os, [&](const Expr *expr) { put(expr); });
  }
  llvm::raw_ostream &line() { return os.indent(4 * indent); }
  void block(Body body) {
    os << ":\n";
    ++indent;
    printBody(body);
    --indent;
  }
  void elseBlock(Body body, llvm::StringRef word = "else") {
    if (body.empty())
      return;
    line() << word;
    block(body);
  }

  llvm::raw_ostream &os;
  ExprPrinter exprs;
  unsigned indent;
};

void StmtPrinter::printStmt(const Stmt &stmt) {
  switch (stmt.kind) {
  case Kind::FunctionDef:
  case Kind::AsyncFunctionDef:
  case Kind::ClassDef:
  case Kind::For:
  case Kind::AsyncFor:
  case Kind::While:
  case Kind::If:
  case Kind::With:
  case Kind::AsyncWith:
  case Kind::Match:
  case Kind::Try:
  case Kind::TryStar:
    return printCompound(stmt);
  default:
    line();
    printSimple(stmt);
    os << '\n';
  }
}

void StmtPrinter::printAliases(llvm::ArrayRef<Alias *> names) {
  llvm::interleaveComma(names, os, [&](const Alias *alias) {
    os << alias->name << (alias->asname.empty() ? "" : " as ") << alias->asname;
  });
}

void StmtPrinter::printAnnAssign(const AnnAssign &assign) {
  bool parens = llvm::isa<Name>(assign.target) && !assign.simple;
  os << (parens ? "(" : "");
  put(assign.target);
  os << (parens ? "): " : ": ");
  put(assign.annotation);
  putOptional(" = ", assign.value);
}

void StmtPrinter::printSimple(const Stmt &stmt) {
  switch (stmt.kind) {
  case Kind::Return:
    os << "return";
    return putOptional(" ", llvm::cast<Return>(stmt).value);
  case Kind::Delete:
    os << "del ";
    return putList(llvm::cast<Delete>(stmt).targets);
  case Kind::Assign:
    for (const Expr *target : llvm::cast<Assign>(stmt).targets) {
      put(target);
      os << " = ";
    }
    return put(llvm::cast<Assign>(stmt).value);
  case Kind::AugAssign: {
    auto &assign = llvm::cast<AugAssign>(stmt);
    put(assign.target);
    os << ' ' << spell(assign.op) << "= ";
    return put(assign.value);
  }
  case Kind::AnnAssign:
    return printAnnAssign(llvm::cast<AnnAssign>(stmt));
  case Kind::TypeAlias:
    os << "type ";
    put(llvm::cast<TypeAlias>(stmt).name);
    printTypeParams(llvm::cast<TypeAlias>(stmt).typeParams);
    return putOptional(" = ", llvm::cast<TypeAlias>(stmt).value);
  case Kind::Raise:
    os << "raise";
    putOptional(" ", llvm::cast<Raise>(stmt).exc);
    return putOptional(" from ", llvm::cast<Raise>(stmt).cause);
  case Kind::Assert:
    putOptional("assert ", llvm::cast<Assert>(stmt).test);
    return putOptional(", ", llvm::cast<Assert>(stmt).msg);
  case Kind::Import:
    os << "import ";
    return printAliases(llvm::cast<Import>(stmt).names);
  case Kind::ImportFrom: {
    auto &import = llvm::cast<ImportFrom>(stmt);
    os << "from " << std::string(import.level, '.') << import.module << " import ";
    return printAliases(import.names);
  }
  case Kind::Global:
    os << "global ";
    return llvm::interleaveComma(llvm::cast<Global>(stmt).names, os);
  case Kind::Nonlocal:
    os << "nonlocal ";
    return llvm::interleaveComma(llvm::cast<Nonlocal>(stmt).names, os);
  case Kind::ExprStmt:
    return put(llvm::cast<ExprStmt>(stmt).value);
  case Kind::Pass:
    os << "pass";
    return;
  case Kind::Break:
    os << "break";
    return;
  default:
    os << "continue";
    return;
  }
}

void StmtPrinter::printCompound(const Stmt &stmt) {
  switch (stmt.kind) {
  case Kind::FunctionDef:
  case Kind::AsyncFunctionDef:
    return printFunction(llvm::cast<FunctionDef>(stmt));
  case Kind::ClassDef:
    return printClass(llvm::cast<ClassDef>(stmt));
  case Kind::For:
  case Kind::AsyncFor:
    return printFor(llvm::cast<For>(stmt));
  case Kind::While:
    line() << "while ";
    put(llvm::cast<While>(stmt).test);
    block(llvm::cast<While>(stmt).body);
    return elseBlock(llvm::cast<While>(stmt).orelse);
  case Kind::If:
    return printIf(llvm::cast<If>(stmt), "if ");
  case Kind::With:
  case Kind::AsyncWith:
    return printWith(llvm::cast<With>(stmt));
  case Kind::Match:
    return printMatch(llvm::cast<Match>(stmt));
  default:
    return printTry(llvm::cast<Try>(stmt));
  }
}

void StmtPrinter::printTypeParams(llvm::ArrayRef<TypeParam *> params) {
  if (params.empty())
    return;
  os << '[';
  llvm::interleaveComma(params, os, [&](const TypeParam *param) {
    os << (param->kind == Kind::TypeVarTuple ? "*"
           : param->kind == Kind::ParamSpec  ? "**"
                                             : "")
       << param->name;
    putOptional(": ", param->bound);
  });
  os << ']';
}

void StmtPrinter::printFunction(const FunctionDef &def) {
  for (const Expr *decorator : def.decoratorList) {
    line() << '@';
    put(decorator);
    os << '\n';
  }
  line() << (def.isAsync() ? "async def " : "def ") << def.name;
  printTypeParams(def.typeParams);
  os << '(';
  exprs.printArguments(*def.args);
  os << ')';
  putOptional(" -> ", def.returns);
  block(def.body);
}

void StmtPrinter::printClass(const ClassDef &def) {
  for (const Expr *decorator : def.decoratorList) {
    line() << '@';
    put(decorator);
    os << '\n';
  }
  line() << "class " << def.name;
  printTypeParams(def.typeParams);
  if (!def.bases.empty() || !def.keywords.empty()) {
    os << '(';
    exprs.printCallArguments(def.bases, def.keywords);
    os << ')';
  }
  block(def.body);
}

void StmtPrinter::printIf(const If &stmt, llvm::StringRef word) {
  const If *current = &stmt;
  for (;; word = "elif ") {
    line() << word;
    put(current->test);
    block(current->body);
    auto *nested = current->orelse.size() == 1 ? llvm::dyn_cast<If>(current->orelse[0]) : nullptr;
    if (!nested)
      return elseBlock(current->orelse);
    current = nested;
  }
}

void StmtPrinter::printFor(const For &loop) {
  line() << (loop.isAsync() ? "async for " : "for ");
  put(loop.target);
  os << " in ";
  put(loop.iter);
  block(loop.body);
  elseBlock(loop.orelse);
}

void StmtPrinter::printWith(const With &with) {
  line() << (with.isAsync() ? "async with " : "with ");
  // The parentheses of a lone tuple would be taken for those around several items.
  bool isTuple = with.items.size() == 1 && !with.items[0]->optionalVars &&
                 llvm::isa<Tuple>(with.items[0]->contextExpr);
  os << (isTuple ? "(" : "");
  llvm::interleaveComma(with.items, os, [&](const WithItem *item) {
    put(item->contextExpr);
    putOptional(" as ", item->optionalVars);
  });
  os << (isTuple ? ")" : "");
  block(with.body);
}

void StmtPrinter::printTry(const Try &stmt) {
  line() << "try";
  block(stmt.body);
  for (const ExceptHandler *handler : stmt.handlers) {
    line() << (stmt.isStar() ? "except*" : "except");
    putOptional(" ", handler->type);
    os << (handler->name.empty() ? "" : " as ") << handler->name;
    block(handler->body);
  }
  elseBlock(stmt.orelse);
  elseBlock(stmt.finalbody, "finally");
}

void StmtPrinter::printMatch(const Match &match) {
  line() << "match ";
  put(match.subject);
  os << ":\n";
  ++indent;
  for (const MatchCase *part : match.cases) {
    line() << "case ";
    printPattern(*part->pattern, /*isClosed=*/false);
    putOptional(" if ", part->guard);
    block(part->body);
  }
  --indent;
}

void StmtPrinter::printPattern(const Pattern &pattern, bool isClosed) {
  auto *as = llvm::dyn_cast<MatchAs>(&pattern);
  bool parens = isClosed && (llvm::isa<MatchOr>(pattern) || (as && as->pattern));
  os << (parens ? "(" : "");
  switch (pattern.kind) {
  case Kind::MatchValue:
    put(llvm::cast<MatchValue>(pattern).value);
    break;
  case Kind::MatchSingleton: {
    ConstantType value = llvm::cast<MatchSingleton>(pattern).value;
    os << (value == ConstantType::None ? "None" : value == ConstantType::True ? "True" : "False");
    break;
  }
  case Kind::MatchSequence:
    os << '[';
    llvm::interleaveComma(llvm::cast<MatchSequence>(pattern).patterns, os,
                          [&](const Pattern *part) { printPattern(*part, false); });
    os << ']';
    break;
  case Kind::MatchMapping:
    printMapping(llvm::cast<MatchMapping>(pattern));
    break;
  case Kind::MatchClass:
    printClassPattern(llvm::cast<MatchClass>(pattern));
    break;
  case Kind::MatchStar: {
    llvm::StringRef name = llvm::cast<MatchStar>(pattern).name;
    os << '*' << (name.empty() ? "_" : name);
    break;
  }
  case Kind::MatchAs:
    if (as->pattern) {
      bool isAs = llvm::isa<MatchAs>(as->pattern);
      printPattern(*as->pattern, isAs);
      os << " as ";
    }
    os << (as->name.empty() ? "_" : as->name);
    break;
  default:
    llvm::interleave(
        llvm::cast<MatchOr>(pattern).patterns, os,
        [&](const Pattern *part) { printPattern(*part, true); }, " | ");
  }
  os << (parens ? ")" : "");
}

void StmtPrinter::printMapping(const MatchMapping &mapping) {
  os << '{';
  llvm::interleaveComma(llvm::zip(mapping.keys, mapping.patterns), os, [&](const auto &item) {
    auto [key, pattern] = item;
    put(key);
    os << ": ";
    printPattern(*pattern, false);
  });
  if (!mapping.rest.empty())
    os << (mapping.keys.empty() ? "**" : ", **") << mapping.rest;
  os << '}';
}

void StmtPrinter::printClassPattern(const MatchClass &match) {
  put(match.cls);
  os << '(';
  llvm::interleaveComma(match.patterns, os,
                        [&](const Pattern *part) { printPattern(*part, false); });
  os << (match.patterns.empty() || match.kwdPatterns.empty() ? "" : ", ");
  llvm::interleaveComma(llvm::zip(match.kwdAttrs, match.kwdPatterns), os, [&](const auto &item) {
    auto [name, pattern] = item;
    os << name << '=';
    printPattern(*pattern, false);
  });
  os << ')';
}

} // namespace

void nereid::python::printBody(Body body, llvm::raw_ostream &os, unsigned indent) {
  StmtPrinter(os, indent).printBody(body);
}

void nereid::python::printModule(const Module &module, llvm::raw_ostream &os) {
  printBody(module.body, os);
}
