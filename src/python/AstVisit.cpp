// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/AstVisit.h"

using namespace nereid;
using namespace nereid::python;

namespace {

/// Takes the children of a node, single ones (or null) and lists.
class Visitor {
public:
  explicit Visitor(llvm::function_ref<void(const Node &)> visit) : visit(visit) {}

  template <typename... Fields> void operator()(const Fields &...fields) { (put(fields), ...); }

private:
  void put(const Node *node) {
    if (node)
      visit(*node);
  }
  template <typename T> void put(llvm::ArrayRef<T *> nodes) {
    for (T *node : nodes)
      put(node);
  }

  llvm::function_ref<void(const Node &)> visit;
};

void visitSimpleStmt(const Node &node, Visitor visit) {
  switch (node.kind) {
  case Kind::Return:
    return visit(llvm::cast<Return>(node).value);
  case Kind::Delete:
    return visit(llvm::cast<Delete>(node).targets);
  case Kind::Assign:
    return visit(llvm::cast<Assign>(node).targets, llvm::cast<Assign>(node).value);
  case Kind::TypeAlias: {
    auto &alias = llvm::cast<TypeAlias>(node);
    return visit(alias.name, alias.typeParams, alias.value);
  }
  case Kind::AugAssign:
    return visit(llvm::cast<AugAssign>(node).target, llvm::cast<AugAssign>(node).value);
  case Kind::AnnAssign: {
    auto &assign = llvm::cast<AnnAssign>(node);
    return visit(assign.target, assign.annotation, assign.value);
  }
  case Kind::Raise:
    return visit(llvm::cast<Raise>(node).exc, llvm::cast<Raise>(node).cause);
  case Kind::Assert:
    return visit(llvm::cast<Assert>(node).test, llvm::cast<Assert>(node).msg);
  case Kind::Import:
    return visit(llvm::cast<Import>(node).names);
  case Kind::ImportFrom:
    return visit(llvm::cast<ImportFrom>(node).names);
  case Kind::ExprStmt:
    return visit(llvm::cast<ExprStmt>(node).value);
  default:
    return; // global, nonlocal, pass, break, continue
  }
}

void visitStmt(const Node &node, Visitor visit) {
  switch (node.kind) {
  case Kind::FunctionDef:
  case Kind::AsyncFunctionDef: {
    auto &def = llvm::cast<FunctionDef>(node);
    return visit(def.args, def.body, def.decoratorList, def.returns, def.typeParams);
  }
  case Kind::ClassDef: {
    auto &def = llvm::cast<ClassDef>(node);
    return visit(def.bases, def.keywords, def.body, def.decoratorList, def.typeParams);
  }
  case Kind::For:
  case Kind::AsyncFor: {
    auto &loop = llvm::cast<For>(node);
    return visit(loop.target, loop.iter, loop.body, loop.orelse);
  }
  case Kind::While: {
    auto &loop = llvm::cast<While>(node);
    return visit(loop.test, loop.body, loop.orelse);
  }
  case Kind::If: {
    auto &branch = llvm::cast<If>(node);
    return visit(branch.test, branch.body, branch.orelse);
  }
  case Kind::With:
  case Kind::AsyncWith:
    return visit(llvm::cast<With>(node).items, llvm::cast<With>(node).body);
  case Kind::Match:
    return visit(llvm::cast<Match>(node).subject, llvm::cast<Match>(node).cases);
  case Kind::Try:
  case Kind::TryStar: {
    auto &block = llvm::cast<Try>(node);
    return visit(block.body, block.handlers, block.orelse, block.finalbody);
  }
  default:
    return visitSimpleStmt(node, visit);
  }
}

void visitComprehension(const Node &node, Visitor visit) {
  switch (node.kind) {
  case Kind::ListComp:
    return visit(llvm::cast<ListComp>(node).elt, llvm::cast<ListComp>(node).generators);
  case Kind::SetComp:
    return visit(llvm::cast<SetComp>(node).elt, llvm::cast<SetComp>(node).generators);
  case Kind::GeneratorExp:
    return visit(llvm::cast<GeneratorExp>(node).elt, llvm::cast<GeneratorExp>(node).generators);
  default: {
    auto &comp = llvm::cast<DictComp>(node);
    return visit(comp.key, comp.value, comp.generators);
  }
  }
}

void visitPrimary(const Node &node, Visitor visit) {
  switch (node.kind) {
  case Kind::Await:
    return visit(llvm::cast<Await>(node).value);
  case Kind::Yield:
    return visit(llvm::cast<Yield>(node).value);
  case Kind::YieldFrom:
    return visit(llvm::cast<YieldFrom>(node).value);
  case Kind::Call: {
    auto &call = llvm::cast<Call>(node);
    return visit(call.func, call.args, call.keywords);
  }
  case Kind::FormattedValue: {
    auto &field = llvm::cast<FormattedValue>(node);
    return visit(field.value, field.formatSpec);
  }
  case Kind::JoinedStr:
    return visit(llvm::cast<JoinedStr>(node).values);
  case Kind::Attribute:
    return visit(llvm::cast<Attribute>(node).value);
  case Kind::Subscript:
    return visit(llvm::cast<Subscript>(node).value, llvm::cast<Subscript>(node).slice);
  case Kind::Starred:
    return visit(llvm::cast<Starred>(node).value);
  case Kind::List:
    return visit(llvm::cast<List>(node).elts);
  case Kind::Tuple:
    return visit(llvm::cast<Tuple>(node).elts);
  case Kind::Slice: {
    auto &slice = llvm::cast<Slice>(node);
    return visit(slice.lower, slice.upper, slice.step);
  }
  default:
    return; // names and constants
  }
}

void visitExpr(const Node &node, Visitor visit) {
  switch (node.kind) {
  case Kind::BoolOp:
    return visit(llvm::cast<BoolOp>(node).values);
  case Kind::NamedExpr:
    return visit(llvm::cast<NamedExpr>(node).target, llvm::cast<NamedExpr>(node).value);
  case Kind::BinOp:
    return visit(llvm::cast<BinOp>(node).left, llvm::cast<BinOp>(node).right);
  case Kind::UnaryOp:
    return visit(llvm::cast<UnaryOp>(node).operand);
  case Kind::Lambda:
    return visit(llvm::cast<Lambda>(node).args, llvm::cast<Lambda>(node).body);
  case Kind::IfExp: {
    auto &choice = llvm::cast<IfExp>(node);
    return visit(choice.test, choice.body, choice.orelse);
  }
  case Kind::Compare:
    return visit(llvm::cast<Compare>(node).left, llvm::cast<Compare>(node).comparators);
  case Kind::Dict: {
    auto &dict = llvm::cast<Dict>(node);
    for (auto [key, value] : llvm::zip(dict.keys, dict.values))
      visit(key, value);
    return;
  }
  case Kind::Set:
    return visit(llvm::cast<Set>(node).elts);
  case Kind::ListComp:
  case Kind::SetComp:
  case Kind::DictComp:
  case Kind::GeneratorExp:
    return visitComprehension(node, visit);
  default:
    return visitPrimary(node, visit);
  }
}

void visitPattern(const Node &node, Visitor visit) {
  switch (node.kind) {
  case Kind::MatchValue:
    return visit(llvm::cast<MatchValue>(node).value);
  case Kind::MatchSequence:
    return visit(llvm::cast<MatchSequence>(node).patterns);
  case Kind::MatchMapping:
    return visit(llvm::cast<MatchMapping>(node).keys, llvm::cast<MatchMapping>(node).patterns);
  case Kind::MatchClass: {
    auto &match = llvm::cast<MatchClass>(node);
    return visit(match.cls, match.patterns, match.kwdPatterns);
  }
  case Kind::MatchAs:
    return visit(llvm::cast<MatchAs>(node).pattern);
  case Kind::MatchOr:
    return visit(llvm::cast<MatchOr>(node).patterns);
  default:
    return; // singletons and stars
  }
}

void visitPart(const Node &node, Visitor visit) {
  switch (node.kind) {
  case Kind::Module:
    return visit(llvm::cast<Module>(node).body);
  case Kind::TypeVar:
    return visit(llvm::cast<TypeParam>(node).bound);
  case Kind::Comprehension: {
    auto &part = llvm::cast<Comprehension>(node);
    return visit(part.target, part.iter, part.ifs);
  }
  case Kind::ExceptHandler:
    return visit(llvm::cast<ExceptHandler>(node).type, llvm::cast<ExceptHandler>(node).body);
  case Kind::Arguments: {
    auto &args = llvm::cast<Arguments>(node);
    return visit(args.posonlyargs, args.args, args.vararg, args.kwonlyargs, args.kwDefaults,
                 args.kwarg, args.defaults);
  }
  case Kind::Arg:
    return visit(llvm::cast<Arg>(node).annotation);
  case Kind::Keyword:
    return visit(llvm::cast<Keyword>(node).value);
  case Kind::WithItem:
    return visit(llvm::cast<WithItem>(node).contextExpr, llvm::cast<WithItem>(node).optionalVars);
  case Kind::MatchCase: {
    auto &part = llvm::cast<MatchCase>(node);
    return visit(part.pattern, part.guard, part.body);
  }
  default:
    return; // aliases, parameters of types without a bound
  }
}

} // namespace

void nereid::python::forEachChild(const Node &node, llvm::function_ref<void(const Node &)> visit) {
  if (Stmt::classof(&node))
    visitStmt(node, Visitor(visit));
  else if (Expr::classof(&node))
    visitExpr(node, Visitor(visit));
  else if (Pattern::classof(&node))
    visitPattern(node, Visitor(visit));
  else
    visitPart(node, Visitor(visit));
}
