// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/DumpImpl.h"

using namespace nereid;
using namespace nereid::python;

void Dumper::putStmt(const Node &node) {
  Fields out(*this, node);
  switch (node.kind) {
  case Kind::FunctionDef:
  case Kind::AsyncFunctionDef:
  case Kind::ClassDef:
    return putDefinition(node, out);
  case Kind::For:
  case Kind::AsyncFor:
  case Kind::While:
  case Kind::If:
  case Kind::With:
  case Kind::AsyncWith:
  case Kind::Match:
  case Kind::Try:
  case Kind::TryStar:
    return putBlockStmt(node, out);
  case Kind::Import:
  case Kind::ImportFrom:
  case Kind::Global:
  case Kind::Nonlocal:
    return putNames(node, out);
  default:
    return putSimpleStmt(node, out);
  }
}

void Dumper::putDefinition(const Node &node, Fields &out) {
  if (auto *def = llvm::dyn_cast<FunctionDef>(&node)) {
    out.field("name", def->name).field("args", def->args).field("body", def->body);
    out.field("decorator_list", def->decoratorList).optional("returns", def->returns);
    if (options.typeParams)
      out.field("type_params", def->typeParams);
    return;
  }
  auto &def = llvm::cast<ClassDef>(node);
  out.field("name", def.name).field("bases", def.bases).field("keywords", def.keywords);
  out.field("body", def.body).field("decorator_list", def.decoratorList);
  if (options.typeParams)
    out.field("type_params", def.typeParams);
}

void Dumper::putBlockStmt(const Node &node, Fields &out) {
  switch (node.kind) {
  case Kind::For:
  case Kind::AsyncFor: {
    auto &loop = llvm::cast<For>(node);
    out.field("target", loop.target).field("iter", loop.iter);
    out.field("body", loop.body).field("orelse", loop.orelse);
    return;
  }
  case Kind::While: {
    auto &loop = llvm::cast<While>(node);
    out.field("test", loop.test).field("body", loop.body).field("orelse", loop.orelse);
    return;
  }
  case Kind::If: {
    auto &branch = llvm::cast<If>(node);
    out.field("test", branch.test).field("body", branch.body).field("orelse", branch.orelse);
    return;
  }
  case Kind::With:
  case Kind::AsyncWith:
    out.field("items", llvm::cast<With>(node).items).field("body", llvm::cast<With>(node).body);
    return;
  case Kind::Match:
    out.field("subject", llvm::cast<Match>(node).subject);
    out.field("cases", llvm::cast<Match>(node).cases);
    return;
  case Kind::Try:
  case Kind::TryStar: {
    auto &block = llvm::cast<Try>(node);
    out.field("body", block.body).field("handlers", block.handlers);
    out.field("orelse", block.orelse).field("finalbody", block.finalbody);
    return;
  }
  default:
    return;
  }
}

void Dumper::putSimpleStmt(const Node &node, Fields &out) {
  switch (node.kind) {
  case Kind::Return:
    out.optional("value", llvm::cast<Return>(node).value);
    return;
  case Kind::Delete:
    out.field("targets", llvm::cast<Delete>(node).targets);
    return;
  case Kind::Assign:
    out.field("targets", llvm::cast<Assign>(node).targets);
    out.field("value", llvm::cast<Assign>(node).value);
    return;
  case Kind::TypeAlias: {
    auto &alias = llvm::cast<TypeAlias>(node);
    out.field("name", alias.name).field("type_params", alias.typeParams);
    out.field("value", alias.value);
    return;
  }
  case Kind::AugAssign: {
    auto &assign = llvm::cast<AugAssign>(node);
    out.field("target", assign.target).field("op", assign.op).field("value", assign.value);
    return;
  }
  case Kind::AnnAssign: {
    auto &assign = llvm::cast<AnnAssign>(node);
    out.field("target", assign.target).field("annotation", assign.annotation);
    out.optional("value", assign.value).field("simple", assign.simple);
    return;
  }
  case Kind::Raise:
    out.optional("exc", llvm::cast<Raise>(node).exc);
    out.optional("cause", llvm::cast<Raise>(node).cause);
    return;
  case Kind::Assert:
    out.field("test", llvm::cast<Assert>(node).test);
    out.optional("msg", llvm::cast<Assert>(node).msg);
    return;
  case Kind::ExprStmt:
    out.field("value", llvm::cast<ExprStmt>(node).value);
    return;
  default:
    return; // pass, break, continue
  }
}

void Dumper::putNames(const Node &node, Fields &out) {
  switch (node.kind) {
  case Kind::Import:
    out.field("names", llvm::cast<Import>(node).names);
    return;
  case Kind::ImportFrom: {
    auto &import = llvm::cast<ImportFrom>(node);
    out.optional("module", import.module).field("names", import.names);
    out.field("level", import.level);
    return;
  }
  case Kind::Global:
    out.field("names", llvm::cast<Global>(node).names);
    return;
  case Kind::Nonlocal:
    out.field("names", llvm::cast<Nonlocal>(node).names);
    return;
  default:
    return;
  }
}
