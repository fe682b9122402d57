// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions: names, displays, formatted text, `yield from`; conditions, calls and comprehensions
// are in files of their own.
#include "python/machine/Evaluator.h"
#include "python/machine/FloatText.h"

using namespace nereid;
using namespace nereid::machine;

Value Evaluator::readAttribute(Value object, Name name) {
  Value value = m.getAttribute(object, name);
  if (value || !in.exception || in.refused || m.mayCatch() ||
      !in.matches(in.exception, in.m.builtinClass("AttributeError")))
    return value;
  for (Library *library : in.libraries)
    if (Answer answer = library->missingAttribute(m, object, name))
      return *answer;
  return nullptr;
}

Value Evaluator::eval(const ast::Expr &expr) {
  if (auto *constant = llvm::dyn_cast<ast::Constant>(&expr); constant && !f.policy)
    return in.constant(*constant);
  CurrentNode current(f, expr);
  if (!m.step())
    return nullptr;
  if (in.stackLow()) {
    m.refuse("the expression is nested too deeply");
    in.fatal = true;
    return nullptr;
  }
  if (f.policy && !f.policy->beforeExpression(m, f, expr))
    return nullptr;
  return evalKind(expr);
}

Value Evaluator::evalSlice(const ast::Expr *expr) { return expr ? eval(*expr) : m.none(); }

bool Evaluator::evalItems(llvm::ArrayRef<ast::Expr *> exprs, llvm::SmallVectorImpl<Value> &items) {
  for (auto *expr : exprs) {
    if (auto *starred = llvm::dyn_cast<ast::Starred>(expr)) {
      Value iterable = eval(*starred->value);
      if (!iterable)
        return false;
      auto all = m.items(iterable);
      if (!all) {
        if (m.catchException("TypeError"))
          in.typeError("Value after * must be an iterable, not " + m.typeName(iterable));
        return false;
      }
      items.append(all->begin(), all->end());
      continue;
    }
    Value value = eval(*expr);
    if (!value)
      return false;
    items.push_back(value);
  }
  return true;
}

Value Evaluator::evalConstant(const ast::Constant &node) {
  Value value = in.constant(node);
  if (f.policy)
    if (auto answer = f.policy->literal(m, f, node, value))
      return *answer;
  return value;
}

/// The name of an attribute, or of what a class binds: `__x` is private to the class in whose text
/// it stands, `_Class__x`.
Name Evaluator::memberName(llvm::StringRef text) {
  if (!text.starts_with("__") || text.ends_with("__"))
    return in.nameOf(text);
  llvm::StringRef owner;
  if (f.kind == FrameKind::Class)
    owner = llvm::cast<ast::ClassDef>(f.code->node)->name;
  else if (f.function && f.function->classCell)
    if (auto *cls = llvm::dyn_cast_if_present<ClassObject>(f.function->classCell->owner))
      owner = cls->name;
  owner = owner.ltrim('_');
  return owner.empty() ? in.nameOf(text) : m.intern(("_" + owner + text).str());
}

Value Evaluator::evalAttribute(const ast::Attribute &node) {
  Value object = eval(*node.value);
  return object ? readAttribute(object, memberName(node.attr)) : nullptr;
}

Value Evaluator::evalIfExp(const ast::IfExp &node) {
  Value test = eval(*node.test), answer = nullptr;
  Truth known = test ? condition(node, test, answer) : Truth::Failed;
  if (known == Truth::Failed || known == Truth::Unknown)
    return answer;
  return eval(known == Truth::True ? *node.body : *node.orelse);
}

Value Evaluator::evalSubscript(const ast::Subscript &node) {
  Value object = eval(*node.value);
  Value key = object ? eval(*node.slice) : nullptr;
  return key ? m.getItem(object, key) : nullptr;
}

Value Evaluator::evalBounds(const ast::Slice &node) {
  Value lower = evalSlice(node.lower);
  Value upper = lower ? evalSlice(node.upper) : nullptr;
  Value step = upper ? evalSlice(node.step) : nullptr;
  return step ? m.makeSlice(lower, upper, step) : nullptr;
}

Value Evaluator::evalSet(const ast::Set &node) {
  llvm::SmallVector<Value> items;
  if (!evalItems(node.elts, items))
    return nullptr;
  auto *set = m.makeSet();
  for (Value item : items)
    if (!in.setInsert(*set, item))
      return nullptr;
  return set;
}

Value Evaluator::evalKind(const ast::Expr &expr) {
  switch (expr.kind) {
  case ast::Kind::Constant:
    return evalConstant(llvm::cast<ast::Constant>(expr));
  case ast::Kind::Name:
    return readName(llvm::cast<ast::Name>(expr));
  case ast::Kind::Attribute:
    return evalAttribute(llvm::cast<ast::Attribute>(expr));
  case ast::Kind::Call:
    return evalCall(llvm::cast<ast::Call>(expr));
  case ast::Kind::BinOp:
    return evalBinary(llvm::cast<ast::BinOp>(expr));
  case ast::Kind::UnaryOp:
    return evalUnary(llvm::cast<ast::UnaryOp>(expr));
  case ast::Kind::BoolOp:
    return evalBoolOp(llvm::cast<ast::BoolOp>(expr));
  case ast::Kind::Compare:
    return evalCompare(llvm::cast<ast::Compare>(expr));
  case ast::Kind::IfExp:
    return evalIfExp(llvm::cast<ast::IfExp>(expr));
  case ast::Kind::Subscript:
    return evalSubscript(llvm::cast<ast::Subscript>(expr));
  case ast::Kind::Slice:
    return evalBounds(llvm::cast<ast::Slice>(expr));
  case ast::Kind::List: {
    llvm::SmallVector<Value> items;
    return evalItems(llvm::cast<ast::List>(expr).elts, items) ? m.makeList(items) : nullptr;
  }
  case ast::Kind::Tuple: {
    llvm::SmallVector<Value> items;
    return evalItems(llvm::cast<ast::Tuple>(expr).elts, items) ? m.makeTuple(items) : nullptr;
  }
  case ast::Kind::Set:
    return evalSet(llvm::cast<ast::Set>(expr));
  case ast::Kind::Dict:
    return evalDict(llvm::cast<ast::Dict>(expr));
  case ast::Kind::JoinedStr:
    return evalJoined(llvm::cast<ast::JoinedStr>(expr));
  case ast::Kind::FormattedValue:
    return evalFormatted(llvm::cast<ast::FormattedValue>(expr));
  case ast::Kind::Lambda: {
    auto &node = llvm::cast<ast::Lambda>(expr);
    return makeFunction(node, *node.args, m.intern("<lambda>"));
  }
  case ast::Kind::NamedExpr: {
    auto &node = llvm::cast<ast::NamedExpr>(expr);
    Value value = eval(*node.value);
    return value && assign(*node.target, value) ? value : nullptr;
  }
  case ast::Kind::ListComp:
  case ast::Kind::SetComp:
  case ast::Kind::DictComp:
  case ast::Kind::GeneratorExp:
    return evalComprehension(expr);
  case ast::Kind::Yield: {
    auto &node = llvm::cast<ast::Yield>(expr);
    Value value = evalSlice(node.value);
    return value ? in.yieldValue(value) : nullptr;
  }
  case ast::Kind::YieldFrom:
    return evalYieldFrom(llvm::cast<ast::YieldFrom>(expr));
  case ast::Kind::Await:
    return m.refuse("'await' is not supported", "write a plain function: there is no event loop");
  case ast::Kind::Starred:
    return m.refuse("can't use starred expression here");
  default:
    llvm_unreachable("all expressions handled");
  }
}

Value Evaluator::lookupName(Name name, bool &known) {
  known = true;
  const CodeInfo &code = *f.code;
  bool functionLike = f.kind == FrameKind::Function || f.kind == FrameKind::Comprehension;
  if (f.kind == FrameKind::Class && !code.globals.contains(name))
    if (Value value = f.locals->get(name))
      return value;
  if (functionLike && code.locals.contains(name))
    return m.raise("UnboundLocalError", "cannot access local variable '" + name->text +
                                            "' where it is not associated with a value");
  if (f.kind != FrameKind::Module && !code.globals.contains(name))
    for (Frame *outer = f.closure; outer; outer = outer->closure) {
      if (outer->code->globals.contains(name))
        break; // `global` in an enclosing function holds for what is inside it
      if (Value value = outer->locals->get(name))
        return value;
      if (outer->code->locals.contains(name) && outer->kind != FrameKind::Module)
        return m.raise("NameError", "cannot access free variable '" + name->text +
                                        "' where it is not associated with a value in enclosing "
                                        "scope");
    }
  if (Value value = f.module->attrs->get(name))
    return value;
  if (!f.module->poisoned.empty() && in.raisePoisoned(*f.module, name))
    return nullptr;
  if (Value value = in.builtinsModule->attrs->get(name))
    return value;
  known = false;
  return nullptr;
}

Value Evaluator::readName(const ast::Name &node) {
  Name name = f.kind == FrameKind::Class ? memberName(node.id) : in.nameOf(node.id);
  bool functionLike = f.kind == FrameKind::Function || f.kind == FrameKind::Comprehension;
  if (functionLike) {
    Value value = f.locals->get(name);
    if (f.policy && (value || f.code->locals.contains(name)))
      if (auto answer = f.policy->readLocal(m, f, name, value))
        return *answer;
    if (value)
      return value;
  }
  bool known;
  Value value = lookupName(name, known);
  if (f.policy && (value || !m.pending()))
    if (auto answer = f.policy->readGlobal(m, f, name, value))
      return *answer;
  if (known)
    return value;
  return m.raise("NameError", "name '" + name->text + "' is not defined");
}

Value Evaluator::evalUnary(const ast::UnaryOp &node) {
  Value operand = eval(*node.operand);
  if (!operand)
    return nullptr;
  if (f.policy)
    if (auto answer = f.policy->policyUnary(m, f, node, node.op, operand))
      return *answer;
  if (node.op != UnaryOperator::Not)
    return m.unary(node.op, operand);
  if (auto *foreign = llvm::dyn_cast<Foreign>(operand))
    if (auto answer = foreign->library.unary(m, node.op, operand))
      return *answer;
  Value answer = nullptr;
  Truth known = condition(node, operand, answer);
  if (known == Truth::Failed || known == Truth::Unknown)
    return answer;
  return m.makeBool(known == Truth::False);
}

Value Evaluator::evalBinary(const ast::BinOp &node) {
  Value left = eval(*node.left);
  Value right = left ? eval(*node.right) : nullptr;
  if (!right)
    return nullptr;
  if (f.policy)
    if (auto answer = f.policy->policyBinary(m, f, node, node.op, left, right))
      return *answer;
  return m.binary(node.op, left, right);
}

Value Evaluator::evalDict(const ast::Dict &node) {
  auto *dict = m.makeDict();
  for (size_t i = 0; i != node.values.size(); ++i) {
    if (!node.keys[i]) {
      Value other = eval(*node.values[i]);
      if (!other)
        return nullptr;
      if (!other->cls->lookup(in.n.keys))
        return in.typeError("'" + m.typeName(other) + "' object is not a mapping");
      if (!m.callMethod(dict, "update", {other}))
        return nullptr;
      continue;
    }
    Value key = eval(*node.keys[i]);
    Value value = key ? eval(*node.values[i]) : nullptr;
    if (!value || !in.insert(dict->table, key, value))
      return nullptr;
  }
  return dict;
}

Value Evaluator::evalFormatted(const ast::FormattedValue &node) {
  Value value = eval(*node.value);
  if (!value)
    return nullptr;
  std::string spec;
  if (node.formatSpec) {
    Value text = evalJoined(*node.formatSpec);
    if (!text)
      return nullptr;
    spec = llvm::cast<StrObject>(text)->text.str();
  }
  if (node.conversion) {
    auto text = node.conversion == 's' ? m.str(value) : m.repr(value);
    if (!text)
      return nullptr;
    if (node.conversion == 'a')
      text = asciiText(*text);
    value = m.makeStr(*text);
  }
  auto text = m.format(value, spec);
  return text ? m.makeStr(*text) : nullptr;
}

Value Evaluator::evalJoined(const ast::JoinedStr &node) {
  std::string out;
  for (auto *part : node.values) {
    Value value = part->kind == ast::Kind::Constant ? in.constant(*llvm::cast<ast::Constant>(part))
                                                    : eval(*part);
    if (!value || !in.checkItems(out.size()))
      return nullptr;
    out += llvm::cast<StrObject>(value)->text;
  }
  return m.makeStr(out);
}

Value Evaluator::evalYieldFrom(const ast::YieldFrom &node) {
  Value iterable = eval(*node.value);
  Value iterator = iterable ? m.iterator(iterable) : nullptr;
  if (!iterator)
    return nullptr;
  Value sent = m.none();
  while (true) {
    Value item;
    if (sent == m.none() || iterator->kind != Kind::Generator)
      item = m.next(iterator);
    else
      item = m.callMethod(iterator, "send", {sent});
    if (!item) {
      if (Value stop = m.catchException("StopIteration"))
        return m.getAttribute(stop, in.n.value);
      if (m.pending())
        return nullptr;
      Value result = in.generatorResult(iterator);
      return result ? result : m.none();
    }
    sent = in.yieldValue(item);
    if (!sent) {
      // An exception thrown in goes to the inner generator first.
      if (!in.exception || iterator->kind != Kind::Generator)
        return nullptr;
      Value thrown = in.exception;
      in.exception = nullptr;
      Value result = m.callMethod(iterator, "throw", {thrown});
      if (!result) {
        if (Value stop = m.catchException("StopIteration"))
          return m.getAttribute(stop, in.n.value);
        return nullptr;
      }
      sent = in.yieldValue(result);
      if (!sent)
        return nullptr;
    }
  }
}

Value Machine::evaluateExpr(const ast::Expr &expr, Frame &frame) {
  return Evaluator(*internals, frame).eval(expr);
}
