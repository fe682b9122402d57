// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/Code.h"

#include "llvm/ADT/StringExtras.h"

namespace nereid::emit {

Code Code::text(std::string text, Binding binding) {
  auto node = std::make_shared<Node>();
  node->kind = CodeKind::Text;
  node->binding = binding;
  node->text = std::move(text);
  return Code(node);
}

Code Code::binary(llvm::StringRef op, Binding binding, Code lhs, Code rhs) {
  auto node = std::make_shared<Node>();
  node->kind = CodeKind::Binary;
  node->binding = binding;
  node->text = op.str();
  node->children = {std::move(lhs), std::move(rhs)};
  return Code(node);
}

Code Code::unary(llvm::StringRef op, Binding binding, Code operand) {
  auto node = std::make_shared<Node>();
  node->kind = CodeKind::Unary;
  node->binding = binding;
  node->text = op.str();
  node->children = {std::move(operand)};
  return Code(node);
}

Code Code::call(Code callee, llvm::ArrayRef<Code> arguments) {
  auto node = std::make_shared<Node>();
  node->kind = CodeKind::Call;
  node->children.push_back(std::move(callee));
  node->children.insert(node->children.end(), arguments.begin(), arguments.end());
  return Code(node);
}

Code Code::suffix(Code base, llvm::StringRef suffix) {
  auto node = std::make_shared<Node>();
  node->kind = CodeKind::Suffix;
  node->text = suffix.str();
  node->children = {std::move(base)};
  return Code(node);
}

Code Code::tuple(llvm::ArrayRef<Code> elements) {
  auto node = std::make_shared<Node>();
  node->kind = CodeKind::Tuple;
  node->children.assign(elements.begin(), elements.end());
  return Code(node);
}

Code Code::list(llvm::ArrayRef<Code> elements) {
  auto node = std::make_shared<Node>();
  node->kind = CodeKind::List;
  node->children.assign(elements.begin(), elements.end());
  return Code(node);
}

Code Code::dict(llvm::ArrayRef<Code> elements) {
  auto node = std::make_shared<Node>();
  node->kind = CodeKind::Dict;
  node->children.assign(elements.begin(), elements.end());
  return Code(node);
}

Code Code::keyword(llvm::StringRef name, Code value) {
  auto node = std::make_shared<Node>(*value.node);
  node->keyword = name.str();
  return Code(node);
}

Code Code::withOrigin(const void *origin) const {
  auto copy = std::make_shared<Node>(*node);
  copy->origin = origin;
  return Code(copy);
}

Code Code::onNewLine() const {
  auto copy = std::make_shared<Node>(*node);
  copy->isOnNewLine = true;
  return Code(copy);
}

bool Code::isOnNewLine() const { return node->isOnNewLine; }

CodeKind Code::getKind() const { return node->kind; }
Binding Code::getBinding() const { return node->binding; }
llvm::ArrayRef<Code> Code::getChildren() const { return node->children; }
llvm::StringRef Code::getText() const { return node->text; }
llvm::StringRef Code::getKeyword() const { return node->keyword; }
const void *Code::getOrigin() const { return node->origin; }

std::string Code::spellPart(const Code &part) const {
  if (part.getKeyword().empty())
    return part.str();
  return (part.getKeyword() + (getKind() == CodeKind::Dict ? ": " : "=")).str() + part.str();
}

static std::string join(const Code &whole, llvm::ArrayRef<Code> parts) {
  std::string text;
  for (const Code &part : parts)
    text += (&part == parts.begin() ? "" : ", ") + whole.spellPart(part);
  return text;
}

static std::string printFlat(const Code &code) {
  llvm::ArrayRef<Code> children = code.getChildren();
  Binding binding = code.getBinding();
  Binding tighter = Binding(uint8_t(binding) + (binding != Binding::Atom));
  switch (code.getKind()) {
  case CodeKind::Text:
    return code.getText().str();
  case CodeKind::Binary: {
    Binding left = binding == Binding::Compare ? tighter : binding;
    return children[0].str(left) + " " + code.getText().str() + " " + children[1].str(tighter);
  }
  case CodeKind::Unary:
    return code.getText().str() + children[0].str(binding);
  case CodeKind::Call:
    return children[0].str(Binding::Atom) + "(" + join(code, children.drop_front()) + ")";
  case CodeKind::Suffix:
    return children[0].str(Binding::Atom) + code.getText().str();
  case CodeKind::Tuple:
    return "(" + join(code, children) + (children.size() == 1 ? ",)" : ")");
  case CodeKind::List:
    return "[" + join(code, children) + "]";
  case CodeKind::Dict:
    return "{" + join(code, children) + "}";
  }
  return "";
}

std::string Code::str(Binding place) const {
  std::string text = printFlat(*this);
  return getBinding() < place ? "(" + text + ")" : text;
}

std::string quote(llvm::StringRef text) {
  // As formatters do: the quotes that need no escapes.
  char mark = text.contains('"') && !text.contains('\'') ? '\'' : '"';
  std::string result(1, mark);
  for (char c : text) {
    if (c == mark || c == '\\')
      result += '\\';
    if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20)
      result += "\\x" + llvm::utohexstr(static_cast<unsigned char>(c), true, 2);
    else
      result += c;
  }
  return result + mark;
}

} // namespace nereid::emit
