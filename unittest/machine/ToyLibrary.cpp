// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ToyLibrary.h"

using namespace nereid;
using namespace nereid::machine;

ToyLibrary::ToyLibrary(Machine &machine) : machine(machine) {
  symbolClass = machine.makeClass("Symbol", {}, this);
  baseClass = machine.makeClass("Base", {}, this);
}

Value ToyLibrary::symbol(const llvm::Twine &text) {
  return machine.make<ToySymbol>(*this, symbolClass, machine.save(text.str()));
}

std::string ToyLibrary::show(Value value) {
  if (!value)
    return "unbound";
  if (auto *symbol = llvm::dyn_cast<ToySymbol>(value))
    return symbol->text.str();
  return machine.repr(value).value_or("?");
}

Value ToyLibrary::select(Value condition, Value taken, Value other) {
  if (taken == other)
    return taken;
  return symbol("select(" + show(condition) + ", " + show(taken) + ", " + show(other) + ")");
}

Answer ToyLibrary::importModule(Machine &m, llvm::StringRef name) {
  if (name != "toy")
    return std::nullopt;
  ModuleObject *module = m.makeModule(name, this);
  m.addBuiltin(module, "symbol", "(name, *, suffix='')",
               [this](Machine &, llvm::ArrayRef<Value> args) -> Value {
                 return symbol(llvm::cast<StrObject>(args[0])->text +
                               llvm::cast<StrObject>(args[1])->text);
               });
  m.addBuiltin(module, "mark", "(function, /)",
               [this](Machine &m, llvm::ArrayRef<Value> args) -> Value {
                 m.markFunction(*llvm::cast<FunctionObject>(args[0]), *this);
                 return args[0];
               });
  m.setName(module, "Symbol", symbolClass);
  m.setName(module, "Base", baseClass);
  return module;
}

Answer ToyLibrary::moduleAttribute(Machine &m, ModuleObject &, Name name) {
  if (name->text != "symbl")
    return std::nullopt;
  return m.raise("AttributeError", "module 'toy' has no attribute 'symbl'", "write toy.symbol");
}

Answer ToyLibrary::getAttribute(Machine &m, Value object, Name name) {
  if (auto *self = llvm::dyn_cast<ToySymbol>(object))
    return symbol(self->text + "." + name->text);
  if (name->text == "fallback")
    return m.makeStr("from the library");
  return std::nullopt;
}

Answer ToyLibrary::setAttribute(Machine &m, Value object, Name name, Value value) {
  log.push_back("set " + name->text.str());
  return llvm::isa<ToySymbol>(object) ? Answer(m.none()) : std::nullopt;
}

Answer ToyLibrary::call(Machine &m, Value callee, const CallArgs &args) {
  auto *self = llvm::dyn_cast<ToySymbol>(callee);
  return self ? Answer(symbol(self->text + "()")) : std::nullopt;
}

Answer ToyLibrary::getItem(Machine &m, Value object, Value key) {
  return symbol(show(object) + "[" + show(key) + "]");
}

Answer ToyLibrary::setItem(Machine &m, Value object, Value key, Value value) {
  log.push_back(show(object) + "[" + show(key) + "] = " + show(value));
  return m.none();
}

Answer ToyLibrary::unary(Machine &m, UnaryOperator op, Value operand) {
  return symbol("(" + python::spell(op) + show(operand) + ")");
}

Answer ToyLibrary::binary(Machine &m, BinaryOperator op, Value left, Value right, bool inPlace) {
  if (inPlace)
    return std::nullopt;
  return symbol("(" + show(left) + " " + python::spell(op).str() + " " + show(right) + ")");
}

Answer ToyLibrary::compare(Machine &m, CompareOperator op, Value left, Value right) {
  return symbol("(" + show(left) + " " + python::spell(op).str() + " " + show(right) + ")");
}

Answer ToyLibrary::contains(Machine &m, Value container, Value item) {
  return m.makeBool(show(item) == "'member'");
}

Answer ToyLibrary::length(Machine &m, Value object) { return symbol("len(" + show(object) + ")"); }

Answer ToyLibrary::iterate(Machine &m, Value object) {
  if (show(object) != "pair")
    return std::nullopt;
  return m.makeList({symbol("pair0"), symbol("pair1")});
}

Answer ToyLibrary::convert(Machine &m, Value object, llvm::StringRef target) {
  if (target == "str" || target == "repr")
    return m.makeStr(show(object));
  if (target == "int")
    return m.makeInt(int64_t(42));
  return std::nullopt;
}

Answer ToyLibrary::builtinCall(Machine &m, llvm::StringRef name, const CallArgs &args) {
  return symbol(name + "(" + show(args.positional[0]) + ")");
}

std::optional<Completion> ToyLibrary::branch(Branch &branch) {
  if (policy == Policy::Refuse)
    return std::nullopt;
  Journal thenArm(machine);
  Completion first = policy == Policy::Merge ? branch.run(true) : branch.runToEnd(true);
  auto thenChanges = thenArm.changes();
  if (first.isRaise() || !thenArm.undo())
    return Completion::raise();
  Journal elseArm(machine);
  Completion second = policy == Policy::Merge ? branch.run(false) : branch.runToEnd(false);
  auto elseChanges = elseArm.changes();
  if (second.isRaise() || !elseArm.undo())
    return Completion::raise();
  for (Change &change : thenChanges) {
    Value other = change.before;
    for (Change &candidate : elseChanges)
      if (candidate.samePlace(change))
        other = candidate.after;
    log.push_back(change.describe(machine));
    if (change.kind == Change::Contents) {
      if (other == change.before)
        change.write(machine, change.after); // the toy has no value for "perhaps appended"
      continue;
    }
    change.write(machine, select(branch.condition, change.after, other));
  }
  for (Change &change : elseChanges)
    if (llvm::none_of(thenChanges, [&](Change &seen) { return seen.samePlace(change); }))
      change.write(machine, select(branch.condition, change.before, change.after));
  if (policy == Policy::RunToEnd)
    return Completion::finished(select(branch.condition, first.value, second.value));
  return Completion::normal();
}

Answer ToyLibrary::branchValue(Branch &branch) {
  Value taken = branch.evaluate(true), other = taken ? branch.evaluate(false) : nullptr;
  return other ? select(branch.condition, taken, other) : nullptr;
}

std::optional<Completion> ToyLibrary::loop(Loop &loop) {
  Journal journal(machine);
  std::string names;
  for (Name name : loop.assignedNames())
    names += (names.empty() ? "" : " ") + name->text.str();
  log.push_back("loop over " + show(loop.iterable) + " assigns " + names);
  if (loop.isFor() && !loop.bindTarget(symbol("i")))
    return Completion::raise();
  Completion ended = loop.runBody();
  if (ended.isRaise())
    return ended;
  auto changes = journal.changes();
  if (!journal.undo())
    return Completion::raise();
  for (Change &change : changes) {
    if (change.kind == Change::Contents) {
      // A list that grows once a turn becomes one stacked result.
      auto *after = llvm::cast<ListObject>(change.after);
      change.write(machine, machine.makeList({symbol("stack(" + show(after->items.back()) + ")")}));
    } else if (change.before) {
      change.write(machine, symbol("loop(" + show(change.after) + ")"));
    }
  }
  return loop.runElse();
}

Answer ToyLibrary::create(Machine &m, ClassObject &cls, const CallArgs &args) {
  log.push_back("create " + cls.name.str());
  return std::nullopt;
}

bool ToyLibrary::classCreated(Machine &, ClassObject &cls) {
  log.push_back("class " + cls.name.str());
  return true;
}

Answer ToyLibrary::callFunction(Machine &m, FunctionObject &function, const CallArgs &args) {
  return m.callWithPolicy(function, args, *this);
}

Answer ToyLibrary::bind(Machine &m, Frame &, Name name, Value value, const python::Expr *) {
  log.push_back("bind " + name->text.str());
  return value->kind == Kind::Int ? Answer(symbol("decayed " + show(value))) : std::nullopt;
}

Answer ToyLibrary::readGlobal(Machine &m, Frame &, Name name, Value value) {
  if (value && value->kind == Kind::Int)
    return m.refuse("the global '" + name->text + "' is read in a kernel",
                    "pass it as an argument");
  return std::nullopt;
}

Answer ToyLibrary::returnValue(Machine &, Frame &, Value value) {
  return symbol("returned " + show(value));
}

bool ToyLibrary::beforeStatement(Machine &m, Frame &, const python::Stmt &stmt) {
  return stmt.kind != python::Kind::With || m.refuse("'with' in a kernel");
}
