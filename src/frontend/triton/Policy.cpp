// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of a kernel's statements: what may be written, what a name may refer to, and how an
// assignment decays. What upstream's code generator rejects is rejected here with its reason.
#include "frontend/triton/Spellings.h"
#include "frontend/triton/TritonLibrary.h"

using namespace llvm;
using nereid::machine::Answer;
using nereid::machine::Completion;
using nereid::machine::Frame;
using nereid::machine::Machine;

namespace nereid::triton {

namespace {
struct Rejection {
  python::Kind kind;
  StringLiteral what, help;
};
} // namespace

static constexpr StringLiteral moveOut = "move it out of the kernel, to the top of the file";

static const Rejection *findRejection(python::Kind kind) {
  using K = python::Kind;
  static constexpr Rejection rejections[] = {
      {K::Break, "`break`",
       "put the condition into the loop: a `while` with a flag, or mask the work"},
      {K::Continue, "`continue`", "put the rest of the body under `if`, or mask the work"},
      {K::FunctionDef, "a function inside a kernel", moveOut},
      {K::AsyncFunctionDef, "a function inside a kernel", moveOut},
      {K::ClassDef, "a class inside a kernel", moveOut},
      {K::Delete, "`del`", "leave it away: names need not be deleted"},
      {K::Import, "an import inside a kernel", moveOut},
      {K::ImportFrom, "an import inside a kernel", moveOut},
      {K::Global, "`global`", "return the value instead"},
      {K::Nonlocal, "`nonlocal`", "return the value instead"},
      {K::Try, "`try`", "a kernel raises no exceptions: test with `if` or mask the work"},
      {K::TryStar, "`try`", "a kernel raises no exceptions: test with `if` or mask the work"},
      {K::Raise, "`raise`", "write tl.static_assert(condition, message) or tl.device_assert"},
      {K::With, "`with`", "leave it away"},
      {K::AsyncWith, "`async with`", "leave it away"},
      {K::AsyncFor, "`async for`", "write `for i in range(...)`"},
      {K::Match, "`match`", "write `if` and `elif`"},
      {K::TypeAlias, "`type`", moveOut},
      {K::Lambda, "a lambda", "define a @triton.jit function at the top of the file"},
      {K::Dict, "a dictionary", "use names or a tuple"},
      {K::Set, "a set", "use a tuple"},
      {K::SetComp, "a set comprehension", "use a tuple"},
      {K::DictComp, "a dictionary comprehension", "use names or a tuple"},
      {K::GeneratorExp, "a generator expression", "use tl.static_range"},
      {K::Await, "`await`", "leave it away"},
      {K::Yield, "`yield`", "store the values instead"},
      {K::YieldFrom, "`yield from`", "store the values instead"},
  };
  const Rejection *found = find_if(rejections, [&](const Rejection &r) { return r.kind == kind; });
  return found == std::end(rejections) ? nullptr : found;
}

bool TritonLibrary::rejectAssignTarget(const python::Expr &target) {
  if (isa<python::Subscript>(target)) {
    machine.refuse("a kernel cannot assign to an item: tensors do not change in place",
                   "write x = tl.where(mask, value, x), or tl.store(ptr + offset, value)");
    return true;
  }
  if (isa<python::Attribute>(target)) {
    machine.refuse("a kernel cannot assign to an attribute", "assign to a name");
    return true;
  }
  ArrayRef<python::Expr *> items;
  if (auto *tuple = dyn_cast<python::Tuple>(&target))
    items = tuple->elts;
  if (auto *list = dyn_cast<python::List>(&target))
    items = list->elts;
  for (const python::Expr *item : items) {
    if (isa<python::Starred>(item)) {
      machine.refuse("a kernel cannot assign to a starred name", "name every value");
      return true;
    }
    if (rejectAssignTarget(*item))
      return true;
  }
  return false;
}

bool TritonLibrary::beforeStatement(Machine &, Frame &frame, const python::Stmt &stmt) {
  if (const Rejection *rejection = findRejection(stmt.kind)) {
    machine.refuseAt(frame.getFile().getLocation(stmt),
                     rejection->what + " is not part of the Triton language", rejection->help);
    return false;
  }
  if (auto *assign = dyn_cast<python::Assign>(&stmt)) {
    if (assign->targets.size() > 1) {
      machine.refuseAt(frame.getFile().getLocation(stmt),
                       "a kernel cannot assign to several targets at once",
                       "write one assignment a line");
      return false;
    }
    return !rejectAssignTarget(*assign->targets[0]);
  }
  if (auto *assign = dyn_cast<python::AugAssign>(&stmt))
    return !rejectAssignTarget(*assign->target);
  return true;
}

bool TritonLibrary::beforeExpression(Machine &, Frame &frame, const python::Expr &expr) {
  if (const Rejection *rejection = findRejection(expr.kind)) {
    machine.refuseAt(frame.getFile().getLocation(expr),
                     rejection->what + " is not part of the Triton language", rejection->help);
    return false;
  }
  if (auto *list = dyn_cast<python::ListComp>(&expr); list && list->generators.size() != 1) {
    machine.refuseAt(frame.getFile().getLocation(expr), "a comprehension in a kernel has one `for`",
                     "write nested ones");
    return false;
  }
  return true;
}

// --- Names
// -------------------------------------------------------------------------------------------

Answer TritonLibrary::bind(Machine &, Frame &frame, machine::Name name, PyValue value,
                           const python::Expr *annotation) {
  KernelFrame *state = frameState(frame);
  if (!kernel || !state || frame.kind != machine::FrameKind::Function)
    return std::nullopt;
  if (state->keepConstants)
    return std::nullopt;
  // It is read whatever it says.
  if (annotation) {
    PyValue meaning = machine.evaluateExpr(*annotation, frame);
    if (!meaning)
      return nullptr;
    if (isConstexprClass(meaning)) {
      if (frame.locals->get(name))
        return machine.refuse("`" + name->text +
                                  "` is already defined: a constexpr cannot be assigned again",
                              "use another name");
      return value;
    }
  }
  PyValue bound = kernel->decay(value);
  if (bound)
    kernel->nameValue(bound, name->text);
  return bound;
}

/// Names are looked up as upstream does, when they are read: a global that the function also
/// assigns is seen until then.
Answer TritonLibrary::readLocal(Machine &machine, Frame &frame, machine::Name name, PyValue value) {
  if (value || frame.kind != machine::FrameKind::Function)
    return std::nullopt;
  if (PyValue global = frame.module ? frame.module->attrs->get(name) : nullptr) {
    Answer answer = readGlobal(machine, frame, name, global);
    return answer ? answer : Answer(global);
  }
  return machine.refuse("`" + name->text + "` is not defined here",
                        "assign it before the `if` or the loop: what only one arm or only the loop "
                        "assigns is gone afterwards");
}

Answer TritonLibrary::readGlobal(Machine &, Frame &frame, machine::Name name, PyValue value) {
  StringRef text = name->text;
  auto own = builtins.find(text);
  bool isPython = value && value == machine.builtin(text);
  if ((!value || isPython) && own != builtins.end())
    return own->second;
  if (isPrelude(&frame.getFile().getSource()))
    return std::nullopt;
  if (!value) {
    std::vector<std::string> names;
    SmallVector<StringRef> candidates;
    for (const auto &slot : frame.locals->slots)
      if (slot.value)
        candidates.push_back(slot.name->text);
    if (frame.module)
      for (const auto &slot : frame.module->attrs->slots)
        candidates.push_back(slot.name->text);
    StringRef help = findSpelling(SpellingDomain::Builtin, text);
    return machine.refuse("`" + text + "` is not defined",
                          help.empty() ? suggestName(text, candidates, "") : help.str());
  }
  if (isPython) {
    static constexpr StringLiteral allowed[] = {"len",        "list",    "float",   "int",
                                                "isinstance", "getattr", "hasattr", "tuple"};
    if (is_contained(allowed, text))
      return std::nullopt;
    return machine.refuse("Python's `" + text + "` cannot be used in a kernel",
                          findSpelling(SpellingDomain::Builtin, text));
  }
  return rejectGlobal(frame, name, value);
}

/// `NAME: tl.constexpr = 8` at the top of the kernel's file: up to Triton 3.3 that made a global
/// one that kernels may read.
bool TritonLibrary::isAnnotatedConstexpr(Frame &frame, machine::Name name) {
  PyValue annotations =
      frame.module ? frame.module->attrs->get(machine.intern("__annotations__")) : nullptr;
  auto *table = dyn_cast_if_present<machine::DictObject>(annotations);
  PyValue annotation = table ? machine.dictGet(*table, name->text) : nullptr;
  if (auto *text = dyn_cast_if_present<machine::StrObject>(annotation))
    return text->text.ends_with("constexpr");
  return annotation && isConstexprClass(annotation);
}

/// Globals that a kernel may read are what the language gives, jit functions, and constexprs.
Answer TritonLibrary::rejectGlobal(Frame &frame, machine::Name name, PyValue value) {
  if (isa<machine::ModuleObject, machine::OpaqueObject, machine::NoneObject>(value))
    return std::nullopt;
  if (auto *foreign = dyn_cast<machine::Foreign>(value); foreign && &foreign->library == this)
    return std::nullopt;
  if (auto *builtin = dyn_cast<machine::BuiltinObject>(value); builtin && builtin->library == this)
    return std::nullopt;
  if (auto *cls = dyn_cast<machine::ClassObject>(value); cls && cls->library == this)
    return std::nullopt;
  // A named tuple.
  if (auto *cls = dyn_cast<machine::ClassObject>(value);
      cls && cls->layout == machine::Kind::Tuple && !cls->builtin)
    return std::nullopt;
  if (acceptsRemoved && isAnnotatedConstexpr(frame, name))
    return std::nullopt;
  StringRef text = name->text;
  if (isa<machine::FunctionObject>(value))
    return machine.refuse("`" + text + "` is a plain Python function: a kernel calls jit functions",
                          "put @triton.jit above its definition");
  if (isa<machine::IntObject, machine::FloatObject, machine::StrObject>(value)) {
    std::string shown = machine.repr(value).value_or("...");
    return machine.refuse("a kernel cannot read the global `" + text + "`: it is no tl.constexpr",
                          "write " + text + " = tl.constexpr(" + shown +
                              ") at the top of the file, or pass it as an argument");
  }
  return machine.refuse("a kernel cannot read the global `" + text + "`, " +
                            kernel->describe(value),
                        "pass it as an argument");
}

// --- Operators and calls
// ----------------------------------------------------------------------------

Answer TritonLibrary::policyBinary(Machine &, Frame &, const python::Expr &,
                                   machine::BinaryOperator op, PyValue left, PyValue right) {
  return operate(op, left, right);
}

Answer TritonLibrary::policyUnary(Machine &machine, Frame &, const python::Expr &,
                                  machine::UnaryOperator op, PyValue value) {
  return isa<machine::Foreign>(value) ? unary(machine, op, value) : std::nullopt;
}

Answer TritonLibrary::policyCompare(Machine &, Frame &, const python::Expr &,
                                    machine::CompareOperator op, PyValue left, PyValue right) {
  if (op == python::CompareOperator::In || op == python::CompareOperator::NotIn)
    return machine.refuse("`in` is not part of the Triton language",
                          "compare with each value: x == a or x == b");
  if (op == python::CompareOperator::Is || op == python::CompareOperator::IsNot) {
    look(left);
    look(right);
    PyValue a = plain(left), b = plain(right);
    if (a == left && b == right)
      return std::nullopt;
    return machine.makeBool((a == b) == (op == python::CompareOperator::Is));
  }
  return compareValues(op, left, right);
}

Answer TritonLibrary::policyCall(Machine &, Frame &, const python::Call &call, PyValue callee,
                                 const machine::CallArgs &args) {
  evaluated.insert(&call);
  auto *builtin = dyn_cast<machine::BuiltinObject>(callee);
  if (!builtin || builtin->library != this)
    return std::nullopt;
  for (auto [keyword, value] : args.keywords) {
    StringRef help =
        findSpelling(SpellingDomain::Keyword, (builtin->name + "." + keyword->text).str());
    if (!help.empty())
      return machine.refuse("tl." + builtin->name + " has no argument `" + keyword->text + "`",
                            help);
  }
  return std::nullopt;
}

// --- Statements
// ---------------------------------------------------------------------------------------

std::optional<Completion> TritonLibrary::assertStatement(Frame &frame,
                                                         const python::Assert &assertion) {
  PyValue test = machine.evaluateExpr(*assertion.test, frame);
  PyValue message = test && assertion.msg ? machine.evaluateExpr(*assertion.msg, frame) : nullptr;
  if (!test || (assertion.msg && !message))
    return Completion::raise();
  std::string text;
  if (message)
    if (auto *string = dyn_cast<machine::StrObject>(plain(message)))
      text = string->text.str();
  TensorValue *condition = kernel->toTensor(test, "an assertion");
  if (!condition || !(condition = kernel->toBool(condition)))
    return Completion::raise();
  tile::AssertOp::create(kernel->builder, kernel->location(), condition->value, text,
                         mlir::Value());
  return Completion::normal();
}

std::optional<Completion> TritonLibrary::policyStatement(Machine &, Frame &frame,
                                                         const python::Stmt &stmt) {
  if (!kernel)
    return std::nullopt;
  if (auto *loop = dyn_cast<python::For>(&stmt))
    return kernel->forLoop(frame, *loop);
  if (auto *loop = dyn_cast<python::While>(&stmt))
    return kernel->whileLoop(frame, *loop);
  if (auto *assertion = dyn_cast<python::Assert>(&stmt))
    return assertStatement(frame, *assertion);
  return std::nullopt;
}

std::optional<Completion> TritonLibrary::branch(machine::Branch &branch) {
  if (!kernel || !isa<python::If>(branch.node))
    return std::nullopt;
  return kernel->ifStatement(branch);
}

Answer TritonLibrary::branchValue(machine::Branch &branch) {
  auto *condition = dyn_cast<TensorValue>(branch.condition);
  if (!kernel || !condition)
    return std::nullopt;
  if (isa<python::IfExp>(branch.node))
    return kernel->ifExpression(branch);
  bool isAnd = true, isChain = isa<python::Compare>(branch.node);
  if (auto *node = dyn_cast<python::BoolOp>(&branch.node))
    isAnd = node->op == python::BoolOperator::And;
  else if (!isChain)
    return std::nullopt;
  PyValue rest = isChain ? branch.evaluateRest() : branch.evaluate(isAnd);
  if (!rest)
    return nullptr;
  if (auto *other = dyn_cast<TensorValue>(rest))
    return kernel->logical(isAnd, condition, other);
  machine::Truth known = machine.truth(rest);
  if (known == machine::Truth::Failed)
    return nullptr;
  // What decides the result stands for it; the other constant changes nothing.
  return (known == machine::Truth::True) == isAnd ? PyValue(condition) : rest;
}

} // namespace nereid::triton
