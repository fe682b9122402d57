// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Targets: what a value is bound to, stored in or unpacked into, and what `del` unbinds.
#include "python/machine/Evaluator.h"

using namespace nereid;
using namespace nereid::machine;

/// The names of the enclosing function that has this one; null where none has.
static Namespace *enclosingNames(const Frame &frame, Name name) {
  for (Frame *outer = frame.closure; outer; outer = outer->closure)
    if (outer->code->locals.contains(name))
      return outer->locals;
  return nullptr;
}

bool Evaluator::bindName(Name name, Value value, const ast::Expr *annotation) {
  if (f.policy && f.kind == FrameKind::Function)
    if (auto answer = f.policy->bind(m, f, name, value, annotation)) {
      if (!(value = *answer))
        return false;
    }
  Namespace *names = f.locals;
  if (f.code->globals.contains(name)) {
    names = f.module->attrs;
  } else if (f.code->nonlocals.contains(name)) {
    if (Namespace *enclosing = enclosingNames(f, name))
      names = enclosing;
  } else if (f.kind == FrameKind::Comprehension && !f.code->locals.contains(name)) {
    // A walrus binds in the function (or module) around the comprehension.
    Frame *outer = &f;
    while (outer && outer->kind == FrameKind::Comprehension)
      outer = outer->closure;
    names = outer ? outer->locals : f.module->attrs;
    if (outer && outer->code->globals.contains(name))
      names = f.module->attrs;
  }
  m.willWrite(names);
  names->set(name, value);
  if (names == f.module->attrs && !f.module->poisoned.empty())
    f.module->poisoned.erase(name);
  return true;
}

bool Evaluator::unpack(llvm::ArrayRef<ast::Expr *> targets, Value value) {
  size_t star = targets.size();
  for (size_t i = 0; i != targets.size(); ++i)
    if (targets[i]->kind == ast::Kind::Starred)
      star = i;
  // An iterator is asked for one item more than there are targets, as in CPython.
  std::vector<Value> items;
  if (star == targets.size() && !llvm::isa<TupleObject, ListObject>(value)) {
    Value iterator = m.iterator(value);
    if (!iterator) {
      if (m.catchException("TypeError"))
        in.typeError("cannot unpack non-iterable " + m.typeName(value) + " object");
      return false;
    }
    Value item = nullptr;
    while (items.size() <= targets.size() && (item = m.next(iterator)))
      items.push_back(item);
    if (m.pending())
      return false;
  } else {
    auto all = m.items(value);
    if (!all) {
      if (m.catchException("TypeError"))
        in.typeError("cannot unpack non-iterable " + m.typeName(value) + " object");
      return false;
    }
    items = std::move(*all);
  }
  if (star == targets.size()) {
    if (items.size() > targets.size())
      return m.raise("ValueError",
                     "too many values to unpack (expected " + llvm::Twine(targets.size()) + ")");
    if (items.size() < targets.size())
      return m.raise("ValueError", "not enough values to unpack (expected " +
                                       llvm::Twine(targets.size()) + ", got " +
                                       llvm::Twine(items.size()) + ")");
    for (size_t i = 0; i != targets.size(); ++i)
      if (!assign(*targets[i], items[i]))
        return false;
    return true;
  }
  if (items.size() + 1 < targets.size())
    return m.raise("ValueError", "not enough values to unpack (expected at least " +
                                     llvm::Twine(targets.size() - 1) + ", got " +
                                     llvm::Twine(items.size()) + ")");
  size_t after = targets.size() - star - 1, middle = items.size() - after;
  for (size_t i = 0; i != star; ++i)
    if (!assign(*targets[i], items[i]))
      return false;
  llvm::ArrayRef<Value> rest = llvm::ArrayRef(items).slice(star, middle - star);
  if (!assign(*llvm::cast<ast::Starred>(targets[star])->value, m.makeList(rest)))
    return false;
  for (size_t i = 0; i != after; ++i)
    if (!assign(*targets[star + 1 + i], items[middle + i]))
      return false;
  return true;
}

bool Evaluator::assign(const ast::Expr &target, Value value, const ast::Expr *annotation) {
  switch (target.kind) {
  case ast::Kind::Name: {
    llvm::StringRef name = llvm::cast<ast::Name>(target).id;
    bool isMember = f.kind == FrameKind::Class;
    return bindName(isMember ? memberName(name) : in.nameOf(name), value, annotation);
  }
  case ast::Kind::Attribute: {
    auto &node = llvm::cast<ast::Attribute>(target);
    Value object = eval(*node.value);
    return object && m.setAttribute(object, memberName(node.attr), value);
  }
  case ast::Kind::Subscript: {
    auto &node = llvm::cast<ast::Subscript>(target);
    Value object = eval(*node.value);
    Value key = object ? eval(*node.slice) : nullptr;
    return key && m.setItem(object, key, value);
  }
  case ast::Kind::Tuple:
    return unpack(llvm::cast<ast::Tuple>(target).elts, value);
  case ast::Kind::List:
    return unpack(llvm::cast<ast::List>(target).elts, value);
  default:
    return m.refuse("cannot assign to this expression");
  }
}

bool Machine::assignTo(const ast::Expr &target, Value value, Frame &frame) {
  return Evaluator(*internals, frame).assign(target, value);
}

bool Evaluator::unbind(const ast::Expr &target) {
  switch (target.kind) {
  case ast::Kind::Name: {
    Name name = in.nameOf(llvm::cast<ast::Name>(target).id);
    Namespace *names = f.code->globals.contains(name) ? f.module->attrs : f.locals;
    if (f.code->nonlocals.contains(name))
      if (Namespace *enclosing = enclosingNames(f, name))
        names = enclosing;
    if (!names->get(name)) {
      if (f.kind == FrameKind::Function && names == f.locals)
        return m.raise("UnboundLocalError", "cannot access local variable '" + name->text +
                                                "' where it is not associated with a value");
      return m.raise("NameError", "name '" + name->text + "' is not defined");
    }
    m.setName(*names, name, nullptr);
    return true;
  }
  case ast::Kind::Attribute: {
    auto &node = llvm::cast<ast::Attribute>(target);
    Value object = eval(*node.value);
    return object && m.delAttribute(object, memberName(node.attr));
  }
  case ast::Kind::Subscript: {
    auto &node = llvm::cast<ast::Subscript>(target);
    Value object = eval(*node.value);
    Value key = object ? eval(*node.slice) : nullptr;
    return key && m.delItem(object, key);
  }
  case ast::Kind::Tuple:
    return llvm::all_of(llvm::cast<ast::Tuple>(target).elts,
                        [&](auto *item) { return unbind(*item); });
  case ast::Kind::List:
    return llvm::all_of(llvm::cast<ast::List>(target).elts,
                        [&](auto *item) { return unbind(*item); });
  default:
    return m.refuse("cannot delete this expression");
  }
}
