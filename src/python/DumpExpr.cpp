// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/DumpImpl.h"

using namespace nereid;
using namespace nereid::python;

void Dumper::putExpr(const Node &node) {
  if (node.kind == Kind::JoinedStr || node.kind == Kind::FormattedValue)
    return putFString(node);
  Fields out(*this, node);
  switch (node.kind) {
  case Kind::BoolOp:
  case Kind::NamedExpr:
  case Kind::BinOp:
  case Kind::UnaryOp:
  case Kind::Lambda:
  case Kind::IfExp:
  case Kind::Compare:
    return putOperator(node, out);
  case Kind::ListComp:
  case Kind::SetComp:
  case Kind::DictComp:
  case Kind::GeneratorExp:
    return putComprehension(node, out);
  case Kind::Dict:
  case Kind::Set:
  case Kind::List:
  case Kind::Tuple:
    return putDisplay(node, out);
  default:
    return putPrimary(node, out);
  }
}

void Dumper::putOperator(const Node &node, Fields &out) {
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
  case Kind::Compare: {
    auto &compare = llvm::cast<Compare>(node);
    out.field("left", compare.left).field("ops", compare.ops);
    out.field("comparators", compare.comparators);
    return;
  }
  default:
    return;
  }
}

void Dumper::putComprehension(const Node &node, Fields &out) {
  switch (node.kind) {
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
  default:
    return;
  }
}

void Dumper::putDisplay(const Node &node, Fields &out) {
  switch (node.kind) {
  case Kind::Dict:
    out.field("keys", llvm::cast<Dict>(node).keys).field("values", llvm::cast<Dict>(node).values);
    return;
  case Kind::Set:
    out.field("elts", llvm::cast<Set>(node).elts);
    return;
  case Kind::List:
    out.field("elts", llvm::cast<List>(node).elts).field("ctx", llvm::cast<List>(node).ctx);
    return;
  case Kind::Tuple:
    out.field("elts", llvm::cast<Tuple>(node).elts).field("ctx", llvm::cast<Tuple>(node).ctx);
    return;
  default:
    return;
  }
}

void Dumper::putPrimary(const Node &node, Fields &out) {
  switch (node.kind) {
  case Kind::Await:
    out.field("value", llvm::cast<Await>(node).value);
    return;
  case Kind::Yield:
    out.optional("value", llvm::cast<Yield>(node).value);
    return;
  case Kind::YieldFrom:
    out.field("value", llvm::cast<YieldFrom>(node).value);
    return;
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
