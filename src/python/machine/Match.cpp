// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `match` and its patterns.
#include "python/machine/Evaluator.h"
#include "python/machine/Scopes.h"

using namespace nereid;
using namespace nereid::machine;

Completion Evaluator::execMatch(const ast::Match &stmt) {
  Value subject = eval(*stmt.subject);
  if (!subject)
    return Completion::raise();
  for (auto *matchCase : stmt.cases) {
    f.current = matchCase->pattern;
    auto matched = match(*matchCase->pattern, subject);
    if (!matched)
      return Completion::raise();
    if (!*matched)
      continue;
    if (matchCase->guard) {
      Value guard = eval(*matchCase->guard);
      Truth known = guard ? m.knownTruth(guard) : Truth::Failed;
      if (known == Truth::Failed)
        return Completion::raise();
      if (known == Truth::False)
        continue;
    }
    return execBody(matchCase->body);
  }
  return Completion::normal();
}

std::optional<bool> Evaluator::match(const ast::Pattern &pattern, Value subject) {
  switch (pattern.kind) {
  case ast::Kind::MatchValue: {
    Value value = eval(*llvm::cast<ast::MatchValue>(pattern).value);
    return value ? m.equal(subject, value) : std::nullopt;
  }
  case ast::Kind::MatchSingleton: {
    auto type = llvm::cast<ast::MatchSingleton>(pattern).value;
    Value value =
        type == ast::ConstantType::None ? m.none() : m.makeBool(type == ast::ConstantType::True);
    return subject == value;
  }
  case ast::Kind::MatchSequence:
    return matchSequence(llvm::cast<ast::MatchSequence>(pattern), subject);
  case ast::Kind::MatchMapping:
    return matchMapping(llvm::cast<ast::MatchMapping>(pattern), subject);
  case ast::Kind::MatchClass:
    return matchClass(llvm::cast<ast::MatchClass>(pattern), subject);
  case ast::Kind::MatchAs: {
    auto &node = llvm::cast<ast::MatchAs>(pattern);
    if (node.pattern) {
      auto inner = match(*node.pattern, subject);
      if (!inner || !*inner)
        return inner;
    }
    if (!node.name.empty() && !bindName(in.nameOf(node.name), subject))
      return std::nullopt;
    return true;
  }
  case ast::Kind::MatchOr:
    for (auto *alternative : llvm::cast<ast::MatchOr>(pattern).patterns) {
      auto inner = match(*alternative, subject);
      if (!inner || *inner)
        return inner;
    }
    return false;
  default:
    return false;
  }
}

std::optional<bool> Evaluator::matchSequence(const ast::MatchSequence &pattern, Value subject) {
  if (!llvm::isa<ListObject, TupleObject, RangeObject>(subject))
    return false;
  auto items = m.items(subject);
  if (!items)
    return std::nullopt;
  size_t star = pattern.patterns.size();
  for (size_t i = 0; i != pattern.patterns.size(); ++i)
    if (pattern.patterns[i]->kind == ast::Kind::MatchStar)
      star = i;
  bool hasStar = star != pattern.patterns.size();
  size_t fixed = pattern.patterns.size() - hasStar;
  if (hasStar ? items->size() < fixed : items->size() != fixed)
    return false;
  size_t extra = items->size() - fixed;
  for (size_t i = 0; i != pattern.patterns.size(); ++i) {
    if (i == star) {
      llvm::StringRef name = llvm::cast<ast::MatchStar>(pattern.patterns[i])->name;
      llvm::ArrayRef<Value> rest = llvm::ArrayRef(*items).slice(i, extra);
      if (!name.empty() && !bindName(in.nameOf(name), m.makeList(rest)))
        return std::nullopt;
      continue;
    }
    auto inner = match(*pattern.patterns[i], (*items)[i > star ? i - 1 + extra : i]);
    if (!inner || !*inner)
      return inner;
  }
  return true;
}

std::optional<bool> Evaluator::matchMapping(const ast::MatchMapping &pattern, Value subject) {
  auto *dict = llvm::dyn_cast<DictObject>(subject);
  if (!dict)
    return false;
  auto *rest = m.makeDict();
  rest->table = dict->table;
  for (size_t i = 0; i != pattern.keys.size(); ++i) {
    Value key = eval(*pattern.keys[i]);
    if (!key)
      return std::nullopt;
    Value value = m.dictGet(*dict, key);
    if (!value)
      return m.pending() ? std::nullopt : std::optional(false);
    if (!m.dictErase(*rest, key))
      return std::nullopt;
    auto inner = match(*pattern.patterns[i], value);
    if (!inner || !*inner)
      return inner;
  }
  if (!pattern.rest.empty() && !bindName(in.nameOf(pattern.rest), rest))
    return std::nullopt;
  return true;
}

std::optional<bool> Evaluator::matchClass(const ast::MatchClass &pattern, Value subject) {
  Value cls = eval(*pattern.cls);
  if (!cls)
    return std::nullopt;
  if (cls->kind != Kind::Class) {
    in.typeError("called match pattern must be a class");
    return std::nullopt;
  }
  auto instance = m.isInstance(subject, cls);
  if (!instance || !*instance)
    return instance;
  Builtins &c = in.classes;
  bool selfMatch = llvm::is_contained(llvm::ArrayRef<Value>{c.boolClass, c.bytes, c.dict,
                                                            c.floatClass, c.frozenset, c.intClass,
                                                            c.list, c.set, c.str, c.tuple},
                                      cls);
  std::vector<Value> names;
  if (!pattern.patterns.empty() && !selfMatch) {
    Value args = m.findAttribute(cls, in.n.matchArgs);
    auto items = args ? m.items(args) : std::optional(std::vector<Value>());
    if (!items)
      return std::nullopt;
    names = *items;
  }
  if (selfMatch ? pattern.patterns.size() > 1 : pattern.patterns.size() > names.size()) {
    size_t accepted = selfMatch ? 1 : names.size();
    in.typeError(llvm::cast<ClassObject>(cls)->name + "() accepts " + llvm::Twine(accepted) +
                 " positional sub-pattern" + (accepted == 1 ? "" : "s") + " (" +
                 llvm::Twine(pattern.patterns.size()) + " given)");
    return std::nullopt;
  }
  auto matchAttribute = [&](Name name, const ast::Pattern &inner) -> std::optional<bool> {
    Value value = m.findAttribute(subject, name);
    if (!value)
      return m.pending() ? std::nullopt : std::optional(false);
    return match(inner, value);
  };
  for (size_t i = 0; i != pattern.patterns.size(); ++i) {
    auto inner = selfMatch ? match(*pattern.patterns[i], subject)
                           : matchAttribute(m.intern(llvm::cast<StrObject>(names[i])->text),
                                            *pattern.patterns[i]);
    if (!inner || !*inner)
      return inner;
  }
  for (size_t i = 0; i != pattern.kwdPatterns.size(); ++i) {
    auto inner = matchAttribute(in.nameOf(pattern.kwdAttrs[i]), *pattern.kwdPatterns[i]);
    if (!inner || !*inner)
      return inner;
  }
  return true;
}
