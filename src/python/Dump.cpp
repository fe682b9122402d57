// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/DumpImpl.h"

using namespace nereid;
using namespace nereid::python;

void Dumper::put(const Node *node) {
  if (!node) {
    os << "None";
    return;
  }
  if (Stmt::classof(node))
    putStmt(*node);
  else if (Expr::classof(node))
    putExpr(*node);
  else if (Pattern::classof(node))
    putPattern(*node);
  else
    putPart(*node);
  if (options.includeAttributes && hasAttributes(*node))
    putAttributes(*node);
  os << ')';
}

bool Dumper::hasAttributes(const Node &node) const {
  switch (node.kind) {
  case Kind::Module:
  case Kind::Comprehension:
  case Kind::Arguments:
  case Kind::WithItem:
  case Kind::MatchCase:
    return false;
  default:
    return !(options.skipFStringAttributes && fstrings);
  }
}

/// Attributes come behind the fields; a node without fields is `Pass(lineno=...`.
void Dumper::putAttributes(const Node &node) {
  bool isBare = node.kind == Kind::Pass || node.kind == Kind::Break ||
                node.kind == Kind::Continue ||
                (node.kind == Kind::Return && !llvm::cast<Return>(node).value) ||
                (node.kind == Kind::Raise && !llvm::cast<Raise>(node).exc) ||
                (node.kind == Kind::Yield && !llvm::cast<Yield>(node).value) ||
                (node.kind == Kind::Slice && !llvm::cast<Slice>(node).lower &&
                 !llvm::cast<Slice>(node).upper && !llvm::cast<Slice>(node).step) ||
                (node.kind == Kind::MatchStar && llvm::cast<MatchStar>(node).name.empty()) ||
                (node.kind == Kind::MatchAs && llvm::cast<MatchAs>(node).name.empty());
  LineColumn begin = file.getLineColumn(node.range.begin);
  LineColumn end = file.getLineColumn(node.range.end);
  os << (isBare ? "" : ", ") << "lineno=" << begin.line << ", col_offset=" << begin.column
     << ", end_lineno=" << end.line << ", end_col_offset=" << end.column;
}

void Dumper::putPattern(const Node &node) {
  Fields out(*this, node);
  switch (node.kind) {
  case Kind::MatchValue:
    out.field("value", llvm::cast<MatchValue>(node).value);
    return;
  case Kind::MatchSingleton:
    out.field("value", llvm::cast<MatchSingleton>(node).value);
    return;
  case Kind::MatchSequence:
    out.field("patterns", llvm::cast<MatchSequence>(node).patterns);
    return;
  case Kind::MatchMapping: {
    auto &mapping = llvm::cast<MatchMapping>(node);
    out.field("keys", mapping.keys).field("patterns", mapping.patterns);
    out.optional("rest", mapping.rest);
    return;
  }
  case Kind::MatchClass: {
    auto &match = llvm::cast<MatchClass>(node);
    out.field("cls", match.cls).field("patterns", match.patterns);
    out.field("kwd_attrs", match.kwdAttrs).field("kwd_patterns", match.kwdPatterns);
    return;
  }
  case Kind::MatchStar:
    out.optional("name", llvm::cast<MatchStar>(node).name);
    return;
  case Kind::MatchAs:
    out.optional("pattern", llvm::cast<MatchAs>(node).pattern);
    out.optional("name", llvm::cast<MatchAs>(node).name);
    return;
  case Kind::MatchOr:
    out.field("patterns", llvm::cast<MatchOr>(node).patterns);
    return;
  default:
    return;
  }
}

void Dumper::putPart(const Node &node) {
  Fields out(*this, node);
  switch (node.kind) {
  case Kind::Module:
    out.field("body", llvm::cast<Module>(node).body);
    os << ", type_ignores=[]";
    return;
  case Kind::TypeVar:
  case Kind::ParamSpec:
  case Kind::TypeVarTuple:
    out.field("name", llvm::cast<TypeParam>(node).name);
    out.optional("bound", llvm::cast<TypeParam>(node).bound);
    return;
  case Kind::Comprehension: {
    auto &part = llvm::cast<Comprehension>(node);
    out.field("target", part.target).field("iter", part.iter).field("ifs", part.ifs);
    out.field("is_async", part.isAsync);
    return;
  }
  case Kind::ExceptHandler: {
    auto &handler = llvm::cast<ExceptHandler>(node);
    out.optional("type", handler.type).optional("name", handler.name).field("body", handler.body);
    return;
  }
  case Kind::Arguments: {
    auto &args = llvm::cast<Arguments>(node);
    out.field("posonlyargs", args.posonlyargs).field("args", args.args);
    out.optional("vararg", args.vararg).field("kwonlyargs", args.kwonlyargs);
    out.field("kw_defaults", args.kwDefaults).optional("kwarg", args.kwarg);
    out.field("defaults", args.defaults);
    return;
  }
  case Kind::Arg:
    out.field("arg", llvm::cast<Arg>(node).arg);
    out.optional("annotation", llvm::cast<Arg>(node).annotation);
    return;
  case Kind::Keyword:
    out.optional("arg", llvm::cast<Keyword>(node).arg);
    out.field("value", llvm::cast<Keyword>(node).value);
    return;
  case Kind::Alias:
    out.field("name", llvm::cast<Alias>(node).name);
    out.optional("asname", llvm::cast<Alias>(node).asname);
    return;
  case Kind::WithItem:
    out.field("context_expr", llvm::cast<WithItem>(node).contextExpr);
    out.optional("optional_vars", llvm::cast<WithItem>(node).optionalVars);
    return;
  case Kind::MatchCase: {
    auto &part = llvm::cast<MatchCase>(node);
    out.field("pattern", part.pattern).optional("guard", part.guard).field("body", part.body);
    return;
  }
  default:
    return;
  }
}

void nereid::python::dumpAst(const ParsedFile &file, llvm::raw_ostream &os,
                             const DumpOptions &options) {
  Dumper(file, os, options).put(&file.getModule());
}
