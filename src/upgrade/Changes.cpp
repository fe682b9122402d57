// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upgrade/Changes.h"

#include "python/AstVisit.h"

using namespace llvm;

namespace nereid::upgrade {

FunctionText::FunctionText(FileNames &names, const python::FunctionDef &def)
    : names(names), def(def) {
  for (const python::Stmt *stmt : def.body)
    visit(*stmt);
}

void FunctionText::visit(const python::Node &node) {
  if (auto *call = dyn_cast<python::Call>(&node))
    calls.push_back(call);
  if (auto *name = dyn_cast<python::Name>(&node))
    usedNames.push_back(name);
  python::forEachChild(node, [&](const python::Node &child) {
    parents[&child] = &node;
    visit(child);
  });
}

const python::Stmt *FunctionText::getStatement(const python::Node &node) const {
  const python::Node *at = &node;
  while (at && !isa<python::Stmt>(at))
    at = getParent(*at);
  return cast_if_present<python::Stmt>(at);
}

std::optional<std::string> FunctionText::getIndent(const python::Stmt &stmt) const {
  StringRef before = names.file.getSource().getText().take_front(stmt.range.begin);
  before = before.drop_front(before.rfind('\n') + 1);
  if (before.find_first_not_of(" \t") != StringRef::npos)
    return std::nullopt;
  return before.str();
}

const python::Keyword *findKeyword(const python::Call &call, StringRef name) {
  for (const python::Keyword *keyword : call.keywords)
    if (keyword->arg == name)
      return keyword;
  return nullptr;
}

const python::Expr *findArgument(const python::Call &call, unsigned index, StringRef name) {
  if (index < call.args.size())
    return call.args[index];
  const python::Keyword *keyword = findKeyword(call, name);
  return keyword ? keyword->value : nullptr;
}

bool isEmptyLiteral(const python::Expr &expr) {
  if (auto *tuple = dyn_cast<python::Tuple>(&expr))
    return tuple->elts.empty();
  if (auto *list = dyn_cast<python::List>(&expr))
    return list->elts.empty();
  auto *constant = dyn_cast<python::Constant>(&expr);
  return constant && (constant->type == python::ConstantType::None ||
                      (constant->isStr() && constant->text.empty()));
}

void removeArgument(const python::ParsedFile &file, const python::Node &argument,
                    std::vector<Edit> &edits) {
  uint32_t begin = argument.range.begin;
  for (uint32_t token = argument.firstToken; token-- > 0;)
    if (file.tokens[token].kind == python::TokenKind::Comma) {
      begin = file.tokens[token].range.begin;
      break;
    } else if (!file.tokens[token].isTrivia()) {
      break;
    }
  edits.push_back({{begin, argument.range.end}, ""});
}

} // namespace nereid::upgrade
