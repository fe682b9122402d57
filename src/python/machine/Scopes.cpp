// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which names a function binds, as CPython's symbol table finds it.
#include "python/machine/Scopes.h"

#include "python/machine/Internals.h"

using namespace nereid;
using namespace nereid::machine;

void BoundNames::target(const ast::Expr *expr) {
  switch (expr->kind) {
  case ast::Kind::Name:
    add(llvm::cast<ast::Name>(expr)->id);
    break;
  case ast::Kind::Tuple:
    for (auto *item : llvm::cast<ast::Tuple>(expr)->elts)
      target(item);
    break;
  case ast::Kind::List:
    for (auto *item : llvm::cast<ast::List>(expr)->elts)
      target(item);
    break;
  case ast::Kind::Starred:
    target(llvm::cast<ast::Starred>(expr)->value);
    break;
  default:
    visit(expr);
  }
}

void BoundNames::comprehension(llvm::ArrayRef<ast::Comprehension *> generators,
                               llvm::ArrayRef<const ast::Expr *> elements) {
  // Targets belong to the comprehension; a walrus inside binds in the function.
  for (auto *generator : generators) {
    visit(generator->iter);
    for (auto *condition : generator->ifs)
      visit(condition);
  }
  for (auto *element : elements)
    visit(element);
}

void BoundNames::visitAll(llvm::ArrayRef<ast::Expr *> exprs) {
  for (auto *expr : exprs)
    visit(expr);
}

void BoundNames::visit(const ast::Expr *expr) {
  if (!expr)
    return;
  switch (expr->kind) {
  case ast::Kind::NamedExpr: {
    auto *named = llvm::cast<ast::NamedExpr>(expr);
    visit(named->value);
    return target(named->target);
  }
  case ast::Kind::BoolOp:
    return visitAll(llvm::cast<ast::BoolOp>(expr)->values);
  case ast::Kind::BinOp:
    visit(llvm::cast<ast::BinOp>(expr)->left);
    return visit(llvm::cast<ast::BinOp>(expr)->right);
  case ast::Kind::UnaryOp:
    return visit(llvm::cast<ast::UnaryOp>(expr)->operand);
  case ast::Kind::Lambda:
    return visitAll(llvm::cast<ast::Lambda>(expr)->args->defaults);
  case ast::Kind::IfExp:
    visit(llvm::cast<ast::IfExp>(expr)->test);
    visit(llvm::cast<ast::IfExp>(expr)->body);
    return visit(llvm::cast<ast::IfExp>(expr)->orelse);
  case ast::Kind::Dict:
    visitAll(llvm::cast<ast::Dict>(expr)->keys);
    return visitAll(llvm::cast<ast::Dict>(expr)->values);
  case ast::Kind::Set:
    return visitAll(llvm::cast<ast::Set>(expr)->elts);
  case ast::Kind::List:
    return visitAll(llvm::cast<ast::List>(expr)->elts);
  case ast::Kind::Tuple:
    return visitAll(llvm::cast<ast::Tuple>(expr)->elts);
  case ast::Kind::ListComp: {
    auto *comp = llvm::cast<ast::ListComp>(expr);
    return comprehension(comp->generators, {comp->elt});
  }
  case ast::Kind::SetComp: {
    auto *comp = llvm::cast<ast::SetComp>(expr);
    return comprehension(comp->generators, {comp->elt});
  }
  case ast::Kind::GeneratorExp: {
    auto *comp = llvm::cast<ast::GeneratorExp>(expr);
    return comprehension(comp->generators, {comp->elt});
  }
  case ast::Kind::DictComp: {
    auto *comp = llvm::cast<ast::DictComp>(expr);
    return comprehension(comp->generators, {comp->key, comp->value});
  }
  case ast::Kind::Yield:
    hasYield = true;
    return visit(llvm::cast<ast::Yield>(expr)->value);
  case ast::Kind::YieldFrom:
    hasYield = true;
    return visit(llvm::cast<ast::YieldFrom>(expr)->value);
  case ast::Kind::Await:
    return visit(llvm::cast<ast::Await>(expr)->value);
  case ast::Kind::Compare:
    visit(llvm::cast<ast::Compare>(expr)->left);
    return visitAll(llvm::cast<ast::Compare>(expr)->comparators);
  case ast::Kind::Call: {
    auto *call = llvm::cast<ast::Call>(expr);
    visit(call->func);
    visitAll(call->args);
    for (auto *keyword : call->keywords)
      visit(keyword->value);
    return;
  }
  case ast::Kind::JoinedStr:
    return visitAll(llvm::cast<ast::JoinedStr>(expr)->values);
  case ast::Kind::FormattedValue:
    visit(llvm::cast<ast::FormattedValue>(expr)->value);
    return visit(llvm::cast<ast::FormattedValue>(expr)->formatSpec);
  case ast::Kind::Attribute:
    return visit(llvm::cast<ast::Attribute>(expr)->value);
  case ast::Kind::Subscript:
    visit(llvm::cast<ast::Subscript>(expr)->value);
    return visit(llvm::cast<ast::Subscript>(expr)->slice);
  case ast::Kind::Starred:
    return visit(llvm::cast<ast::Starred>(expr)->value);
  case ast::Kind::Slice:
    visit(llvm::cast<ast::Slice>(expr)->lower);
    visit(llvm::cast<ast::Slice>(expr)->upper);
    return visit(llvm::cast<ast::Slice>(expr)->step);
  default:
    return;
  }
}

void BoundNames::pattern(const ast::Pattern *node) {
  if (!node)
    return;
  auto all = [&](llvm::ArrayRef<ast::Pattern *> patterns) {
    for (auto *inner : patterns)
      pattern(inner);
  };
  if (auto *sequence = llvm::dyn_cast<ast::MatchSequence>(node))
    return all(sequence->patterns);
  if (auto *mapping = llvm::dyn_cast<ast::MatchMapping>(node)) {
    all(mapping->patterns);
    return add(mapping->rest);
  }
  if (auto *cls = llvm::dyn_cast<ast::MatchClass>(node)) {
    all(cls->patterns);
    return all(cls->kwdPatterns);
  }
  if (auto *star = llvm::dyn_cast<ast::MatchStar>(node))
    return add(star->name);
  if (auto *as = llvm::dyn_cast<ast::MatchAs>(node)) {
    pattern(as->pattern);
    return add(as->name);
  }
  if (auto *alternatives = llvm::dyn_cast<ast::MatchOr>(node))
    all(alternatives->patterns);
}

void BoundNames::import(llvm::ArrayRef<ast::Alias *> names, bool from) {
  for (auto *alias : names) {
    if (alias->name == "*")
      continue;
    llvm::StringRef bound = alias->asname.empty() ? alias->name : alias->asname;
    if (alias->asname.empty() && !from)
      bound = bound.split('.').first;
    add(bound);
  }
}

void BoundNames::body(ast::Body stmts) {
  for (auto *stmt : stmts)
    statement(*stmt);
}

void BoundNames::statement(const ast::Stmt &stmt) {
  switch (stmt.kind) {
  case ast::Kind::FunctionDef:
  case ast::Kind::AsyncFunctionDef: {
    auto &def = llvm::cast<ast::FunctionDef>(stmt);
    visitAll(def.decoratorList);
    visitAll(def.args->defaults);
    return add(def.name);
  }
  case ast::Kind::ClassDef: {
    auto &def = llvm::cast<ast::ClassDef>(stmt);
    visitAll(def.decoratorList);
    visitAll(def.bases);
    return add(def.name);
  }
  case ast::Kind::Return:
    return visit(llvm::cast<ast::Return>(stmt).value);
  case ast::Kind::Delete:
    for (auto *expr : llvm::cast<ast::Delete>(stmt).targets)
      target(expr);
    return;
  case ast::Kind::Assign:
    visit(llvm::cast<ast::Assign>(stmt).value);
    for (auto *expr : llvm::cast<ast::Assign>(stmt).targets)
      target(expr);
    return;
  case ast::Kind::TypeAlias:
    return target(llvm::cast<ast::TypeAlias>(stmt).name);
  case ast::Kind::AugAssign:
    visit(llvm::cast<ast::AugAssign>(stmt).value);
    return target(llvm::cast<ast::AugAssign>(stmt).target);
  case ast::Kind::AnnAssign:
    visit(llvm::cast<ast::AnnAssign>(stmt).value);
    return target(llvm::cast<ast::AnnAssign>(stmt).target);
  case ast::Kind::For:
  case ast::Kind::AsyncFor: {
    auto &loop = llvm::cast<ast::For>(stmt);
    visit(loop.iter);
    target(loop.target);
    body(loop.body);
    return body(loop.orelse);
  }
  case ast::Kind::While:
    visit(llvm::cast<ast::While>(stmt).test);
    body(llvm::cast<ast::While>(stmt).body);
    return body(llvm::cast<ast::While>(stmt).orelse);
  case ast::Kind::If:
    visit(llvm::cast<ast::If>(stmt).test);
    body(llvm::cast<ast::If>(stmt).body);
    return body(llvm::cast<ast::If>(stmt).orelse);
  case ast::Kind::With:
  case ast::Kind::AsyncWith:
    for (auto *item : llvm::cast<ast::With>(stmt).items) {
      visit(item->contextExpr);
      if (item->optionalVars)
        target(item->optionalVars);
    }
    return body(llvm::cast<ast::With>(stmt).body);
  case ast::Kind::Match:
    visit(llvm::cast<ast::Match>(stmt).subject);
    for (auto *matchCase : llvm::cast<ast::Match>(stmt).cases) {
      pattern(matchCase->pattern);
      visit(matchCase->guard);
      body(matchCase->body);
    }
    return;
  case ast::Kind::Raise:
    visit(llvm::cast<ast::Raise>(stmt).exc);
    return visit(llvm::cast<ast::Raise>(stmt).cause);
  case ast::Kind::Try:
  case ast::Kind::TryStar: {
    auto &tried = llvm::cast<ast::Try>(stmt);
    body(tried.body);
    for (auto *handler : tried.handlers) {
      visit(handler->type);
      add(handler->name);
      body(handler->body);
    }
    body(tried.orelse);
    return body(tried.finalbody);
  }
  case ast::Kind::Assert:
    visit(llvm::cast<ast::Assert>(stmt).test);
    return visit(llvm::cast<ast::Assert>(stmt).msg);
  case ast::Kind::Import:
    return import(llvm::cast<ast::Import>(stmt).names, false);
  case ast::Kind::ImportFrom:
    return import(llvm::cast<ast::ImportFrom>(stmt).names, true);
  case ast::Kind::Global:
    for (llvm::StringRef name : llvm::cast<ast::Global>(stmt).names)
      globals.push_back(name);
    return;
  case ast::Kind::Nonlocal:
    for (llvm::StringRef name : llvm::cast<ast::Nonlocal>(stmt).names)
      nonlocals.push_back(name);
    return;
  case ast::Kind::ExprStmt:
    return visit(llvm::cast<ast::ExprStmt>(stmt).value);
  default:
    return;
  }
}

static llvm::ArrayRef<ast::Comprehension *> generatorsOf(const ast::Node &node) {
  switch (node.kind) {
  case ast::Kind::ListComp:
    return llvm::cast<ast::ListComp>(node).generators;
  case ast::Kind::SetComp:
    return llvm::cast<ast::SetComp>(node).generators;
  case ast::Kind::DictComp:
    return llvm::cast<ast::DictComp>(node).generators;
  case ast::Kind::GeneratorExp:
    return llvm::cast<ast::GeneratorExp>(node).generators;
  default:
    return {};
  }
}

CodeInfo *Internals::codeOf(const ast::Node &node, const ast::ParsedFile &file) {
  CodeInfo *&slot = codes[&node];
  if (slot)
    return slot;
  ownedCodes.push_back(std::make_unique<CodeInfo>());
  CodeInfo *code = slot = ownedCodes.back().get();
  code->file = &file;
  code->node = &node;
  BoundNames names;
  if (auto *def = llvm::dyn_cast<ast::FunctionDef>(&node)) {
    code->args = def->args;
    code->body = def->body;
    code->name = nameOf(def->name);
    code->isAsync = def->isAsync();
    names.body(def->body);
  } else if (auto *lambda = llvm::dyn_cast<ast::Lambda>(&node)) {
    code->args = lambda->args;
    code->name = m.intern("<lambda>");
    names.visit(lambda->body);
  } else if (auto *cls = llvm::dyn_cast<ast::ClassDef>(&node)) {
    code->body = cls->body;
    code->name = nameOf(cls->name);
    names.body(cls->body);
  } else if (auto *module = llvm::dyn_cast<ast::Module>(&node)) {
    code->body = module->body;
    code->name = m.intern("<module>");
  } else {
    code->name = m.intern("<comprehension>");
    for (auto *generator : generatorsOf(node))
      names.target(generator->target);
  }
  code->isGenerator = names.hasYield;
  if (code->args) {
    for (auto group : {code->args->posonlyargs, code->args->args, code->args->kwonlyargs})
      for (auto *arg : group)
        names.add(arg->arg);
    for (auto *arg : {code->args->vararg, code->args->kwarg})
      if (arg)
        names.add(arg->arg);
  }
  for (llvm::StringRef name : names.names)
    code->locals.insert(nameOf(name));
  for (llvm::StringRef name : names.globals) {
    code->globals.insert(nameOf(name));
    code->locals.erase(nameOf(name));
  }
  for (llvm::StringRef name : names.nonlocals) {
    code->nonlocals.insert(nameOf(name));
    code->locals.erase(nameOf(name));
  }
  return code;
}
