// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/Dump.h"

#include "python/Literals.h"

using namespace nereid;
using namespace nereid::python;

namespace {

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
  void putSmallStmt(const Node &node);
  void putBlockStmt(const Node &node);
  void putExpr(const Node &node);
  void putDisplay(const Node &node);
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

void Dumper::putStmt(const Node &node) {
  Fields out(*this, node);
  switch (node.kind) {
  case Kind::FunctionDef:
  case Kind::AsyncFunctionDef: {
    auto &def = llvm::cast<FunctionDef>(node);
    out.field("name", def.name).field("args", def.args).field("body", def.body);
    out.field("decorator_list", def.decoratorList).optional("returns", def.returns);
    if (options.typeParams)
      out.field("type_params", def.typeParams);
    return;
  }
  case Kind::ClassDef: {
    auto &def = llvm::cast<ClassDef>(node);
    out.field("name", def.name).field("bases", def.bases).field("keywords", def.keywords);
    out.field("body", def.body).field("decorator_list", def.decoratorList);
    if (options.typeParams)
      out.field("type_params", def.typeParams);
    return;
  }
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
  case Kind::ExprStmt:
    out.field("value", llvm::cast<ExprStmt>(node).value);
    return;
  default:
    return; // pass, break, continue
  }
}

void Dumper::putExpr(const Node &node) {
  if (node.kind == Kind::JoinedStr || node.kind == Kind::FormattedValue)
    return putFString(node);
  Fields out(*this, node);
  switch (node.kind) {
  case Kind::BoolOp:
    out.field("op", llvm::cast<BoolOp>(node).op).field("values", llvm::cast<BoolOp>(node).values);
    return;
  case Kind::NamedExpr:
    out.field("target", llvm::cast<NamedExpr>(node).target);
    out.field("value", llvm::cast<NamedExpr>(node).value);
    return;
  case Kind::BinOp: {
    auto &op = llvm::cast<BinOp>(node);
    out.field("left", op.left).field("op", op.op).field("right", op.right);
    return;
  }
  case Kind::UnaryOp:
    out.field("op", llvm::cast<UnaryOp>(node).op);
    out.field("operand", llvm::cast<UnaryOp>(node).operand);
    return;
  case Kind::Lambda:
    out.field("args", llvm::cast<Lambda>(node).args).field("body", llvm::cast<Lambda>(node).body);
    return;
  case Kind::IfExp: {
    auto &choice = llvm::cast<IfExp>(node);
    out.field("test", choice.test).field("body", choice.body).field("orelse", choice.orelse);
    return;
  }
  case Kind::ListComp:
    out.field("elt", llvm::cast<ListComp>(node).elt);
    out.field("generators", llvm::cast<ListComp>(node).generators);
    return;
  case Kind::SetComp:
    out.field("elt", llvm::cast<SetComp>(node).elt);
    out.field("generators", llvm::cast<SetComp>(node).generators);
    return;
  case Kind::GeneratorExp:
    out.field("elt", llvm::cast<GeneratorExp>(node).elt);
    out.field("generators", llvm::cast<GeneratorExp>(node).generators);
    return;
  case Kind::DictComp: {
    auto &comp = llvm::cast<DictComp>(node);
    out.field("key", comp.key).field("value", comp.value).field("generators", comp.generators);
    return;
  }
  case Kind::Dict:
    out.field("keys", llvm::cast<Dict>(node).keys).field("values", llvm::cast<Dict>(node).values);
    return;
  case Kind::Set:
    out.field("elts", llvm::cast<Set>(node).elts);
    return;
  case Kind::Await:
    out.field("value", llvm::cast<Await>(node).value);
    return;
  case Kind::Yield:
    out.optional("value", llvm::cast<Yield>(node).value);
    return;
  case Kind::YieldFrom:
    out.field("value", llvm::cast<YieldFrom>(node).value);
    return;
  case Kind::Compare: {
    auto &compare = llvm::cast<Compare>(node);
    out.field("left", compare.left).field("ops", compare.ops);
    out.field("comparators", compare.comparators);
    return;
  }
  case Kind::Call: {
    auto &call = llvm::cast<Call>(node);
    out.field("func", call.func).field("args", call.args).field("keywords", call.keywords);
    return;
  }
  case Kind::Constant:
    os << "value=";
    return putConstant(llvm::cast<Constant>(node));
  case Kind::Attribute: {
    auto &attribute = llvm::cast<Attribute>(node);
    out.field("value", attribute.value).field("attr", attribute.attr).field("ctx", attribute.ctx);
    return;
  }
  case Kind::Subscript: {
    auto &subscript = llvm::cast<Subscript>(node);
    out.field("value", subscript.value).field("slice", subscript.slice);
    out.field("ctx", subscript.ctx);
    return;
  }
  case Kind::Starred:
    out.field("value", llvm::cast<Starred>(node).value).field("ctx", llvm::cast<Starred>(node).ctx);
    return;
  case Kind::Name:
    out.field("id", llvm::cast<Name>(node).id).field("ctx", llvm::cast<Name>(node).ctx);
    return;
  case Kind::List:
    out.field("elts", llvm::cast<List>(node).elts).field("ctx", llvm::cast<List>(node).ctx);
    return;
  case Kind::Tuple:
    out.field("elts", llvm::cast<Tuple>(node).elts).field("ctx", llvm::cast<Tuple>(node).ctx);
    return;
  case Kind::Slice: {
    auto &slice = llvm::cast<Slice>(node);
    out.optional("lower", slice.lower).optional("upper", slice.upper).optional("step", slice.step);
    return;
  }
  default:
    return;
  }
}

void Dumper::putFString(const Node &node) {
  Fields out(*this, node);
  ++fstrings;
  if (auto *joined = llvm::dyn_cast<JoinedStr>(&node)) {
    out.field("values", joined->values);
  } else {
    auto &field = llvm::cast<FormattedValue>(node);
    out.field("value", field.value).field("conversion", field.conversion ? field.conversion : -1);
    out.optional("format_spec", field.formatSpec);
  }
  --fstrings;
}

void Dumper::putConstant(const Constant &constant) {
  switch (constant.type) {
  case ConstantType::None:
  case ConstantType::True:
  case ConstantType::False:
    return put(constant.type);
  case ConstantType::Ellipsis:
    os << "Ellipsis";
    return;
  case ConstantType::Int:
    os << constant.getDecimal();
    return;
  case ConstantType::Float:
    os << formatFloat(constant.number);
    return;
  case ConstantType::Complex:
    os << formatImaginary(constant.number);
    return;
  case ConstantType::Bytes:
    os << formatBytes(constant.text);
    return;
  case ConstantType::Str:
    os << formatString(constant.text);
    if (constant.unicodePrefix)
      os << ", kind='u'";
    return;
  }
}

void Dumper::put(ConstantType type) {
  os << (type == ConstantType::True ? "True" : type == ConstantType::False ? "False" : "None");
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

} // namespace

void nereid::python::dumpAst(const ParsedFile &file, llvm::raw_ostream &os,
                             const DumpOptions &options) {
  Dumper(file, os, options).put(&file.getModule());
}
