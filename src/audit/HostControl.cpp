// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What control flow, calls and statements of a wrapper ask of values that are not known.
#include "audit/HostMachine.h"
#include "audit/UseFlow.h"

#include "python/machine/Machine.h"

using namespace llvm;
using nereid::machine::Answer;
using nereid::machine::Machine;

namespace nereid::audit {

/// What PyTorch answers on a machine with an NVIDIA GPU, outside of compilation; nothing for what
/// depends on more.
static std::optional<bool> answerOf(StringRef question) {
  static constexpr std::pair<StringLiteral, bool> answers[] = {
      {"torch.version.hip", false},
      {"torch.cuda.is_available(...)", true},
      {"torch.xpu.is_available(...)", false},
      {"torch.compiler.is_compiling(...)", false},
      {"torch.compiler.is_dynamo_compiling(...)", false},
      {"torch._dynamo.is_compiling(...)", false},
      {"torch.jit.is_scripting(...)", false},
      {"torch.jit.is_tracing(...)", false},
  };
  for (auto [asked, answer] : answers)
    if (asked == question)
      return answer;
  return std::nullopt;
}

bool HostMachine::isKnownAsNone(PyValue value) const {
  auto *opaque = dyn_cast<machine::OpaqueObject>(value);
  return opaque && opaque->path == "torch.version.hip";
}

machine::Truth HostMachine::truth(Machine &, PyValue value) {
  auto known = [&](bool holds) {
    return machine.pending() ? machine::Truth::Failed
           : holds           ? machine::Truth::True
                             : machine::Truth::False;
  };
  if (auto *number = dyn_cast<SizeValue>(value))
    return known(decide(index::ne(number->expr, 0), ""));
  if (auto *asked = dyn_cast<ConditionValue>(value)) {
    if (auto compare = std::exchange(asked->compare, {}))
      asked->pred = compare();
    bool isNegated = StringRef(asked->key).starts_with("no option ");
    bool holds = decide(asked->pred, asked->key) != isNegated;
    if (asked->decided)
      asked->decided(holds);
    return known(holds);
  }
  if (std::optional<bool> answer = answerOf(describe(value)))
    return known(*answer);
  if (auto *bits = dyn_cast<UnknownValue>(value); bits && bits->zeroAlike)
    return known(decide(index::ne(bits->zeroAlike, 0), ""));
  if (isa<UnknownValue, machine::OpaqueObject>(value))
    return known(choose(2, "truth of " + describe(value)) == 0);
  auto *self = dyn_cast<HostTensor>(value);
  if (self && self->state == HostTensor::Open)
    return known(choose(2, "truth of " + self->info->name) == 0);
  if (self && self->state == HostTensor::Number)
    return known(decide(index::ne(self->number, 0), ""));
  return machine::Truth::True;
}

std::optional<bool> HostMachine::isInstance(Machine &, PyValue object, PyValue cls) {
  if (isa<machine::TupleObject>(cls))
    return std::nullopt;
  StringRef wanted;
  if (auto *opaque = dyn_cast<machine::OpaqueObject>(cls))
    wanted = opaque->path;
  else if (auto *known = dyn_cast<machine::ClassObject>(cls))
    wanted = known->name;
  if (auto *self = dyn_cast<HostTensor>(object)) {
    bool isTensor = wanted == "Tensor" || wanted.ends_with(".Tensor");
    bool isNumber = wanted == "int" || wanted == "float";
    if (self->state == HostTensor::Open && (isTensor || isNumber)) {
      bool holds = choose(2, "type of " + self->info->name) == (isTensor ? 0u : 1u);
      if (holds && isTensor)
        self->state = HostTensor::Tensor;
      else if (holds)
        (void)asNumber(self);
      return holds;
    }
    return self->state == HostTensor::Number ? isNumber : isTensor;
  }
  if (isa<SizeValue>(object))
    return wanted == "int";
  if (isa<ConditionValue>(object))
    return wanted == "bool" || wanted == "int";
  // An object of the program's own, or of an autograd function.
  if (auto *what = dyn_cast<UnknownValue>(object);
      what && (what->origin == "self" || what->origin == "cls" || what->origin == "ctx"))
    return false;
  if (isa<UnknownValue>(object))
    return choose(2, ("instance " + describe(object) + wanted).str()) == 0;
  return false;
}

/// Binds the names of a target to parts of a value of which nothing is known.
bool HostMachine::bindUnknown(const python::Expr &target, PyValue value, machine::Frame &frame) {
  ArrayRef<python::Expr *> parts;
  if (auto *tuple = dyn_cast<python::Tuple>(&target))
    parts = tuple->elts;
  else if (auto *list = dyn_cast<python::List>(&target))
    parts = list->elts;
  if (parts.empty() || any_of(parts, [](auto *e) { return isa<python::Starred>(e); }))
    return machine.assignTo(target, value, frame);
  for (auto [index, part] : enumerate(parts))
    if (!bindUnknown(*part, unknown(describe(value) + "[" + Twine(index) + "]"), frame))
      return false;
  return true;
}

/// One turn stands for all: what turns carry is not known in it, nor behind the loop.
std::optional<machine::Completion> HostMachine::loop(machine::Loop &loop) {
  auto forget = [&] {
    for (machine::Name name : loop.assignedNames())
      if (PyValue before = loop.frame.locals->get(name); before && !isa<LaunchValue>(before))
        loop.frame.locals->set(name, unknown(name->text));
  };
  std::string what = "the loop over " + describe(loop.iterable) + " makes one turn at least";
  assumptions.insert(what);
  forget();
  PyValue item = unknown("an item of " + describe(loop.iterable));
  if (auto *range = dyn_cast_if_present<UnknownValue>(loop.iterable))
    cast<UnknownValue>(item)->turns = range->turns;
  if (loop.isFor() && !bindUnknown(*loop.target(), item, loop.frame))
    return machine::Completion::raise();
  machine::Completion ended = loop.runBody();
  bool isOver = ended.isNormal() || ended.kind == machine::Completion::Continue ||
                ended.kind == machine::Completion::Break;
  if (!isOver)
    return ended;
  forget();
  return machine::Completion::normal();
}

/// A list of which neither the length nor an item is known.
std::optional<machine::Completion> HostMachine::comprehension(machine::Loop &loop) {
  if (!isa<UnknownValue>(loop.iterable))
    return std::nullopt;
  machine.willWrite(loop.list);
  loop.list->whole = unknown("a list over " + describe(loop.iterable));
  loop.list->items = {loop.list->whole};
  return machine::Completion::normal();
}

Answer HostMachine::readGlobal(Machine &, machine::Frame &, machine::Name, PyValue value) {
  auto *opaque = dyn_cast_if_present<machine::OpaqueObject>(value);
  if (!opaque || opaque->path.find_first_of("( [") == StringRef::npos)
    return std::nullopt;
  return unknown(opaque->path);
}

static bool isOfEnvironment(const python::Stmt &stmt) {
  auto *assign = dyn_cast<python::Assign>(&stmt);
  auto *target = assign && assign->targets.size() == 1
                     ? dyn_cast<python::Subscript>(assign->targets.front())
                     : nullptr;
  return target && getLastName(*target->value) == "environ";
}

std::optional<machine::Completion> HostMachine::policyStatement(Machine &, machine::Frame &frame,
                                                                const python::Stmt &stmt) {
  auto done = [](bool isDone) {
    return isDone ? machine::Completion::normal() : machine::Completion::raise();
  };
  if (auto *with = dyn_cast<python::With>(&stmt)) {
    for (const python::WithItem *item : with->items) {
      PyValue manager = machine.evaluateExpr(*item->contextExpr, frame);
      // A device guard of a package that asks for the device when it is imported: who takes no
      // value from it needs none.
      if (!manager && !item->optionalVars && machine.catchException("Exception"))
        continue;
      if (!manager)
        return machine::Completion::raise();
      if (item->optionalVars && !machine.assignTo(*item->optionalVars, unknown("a context"), frame))
        return machine::Completion::raise();
    }
    return machine.runBlock(with->body, frame);
  }
  if (auto *def = dyn_cast<python::FunctionDef>(&stmt); def && !inner.empty() && def == inner[0]) {
    python::Stmt *plain = withoutDecorators(*def);
    if (machine.runBlock(ArrayRef(plain), frame).isRaise())
      return machine::Completion::raise();
    made =
        dyn_cast_if_present<machine::FunctionObject>(frame.locals->get(machine.intern(def->name)));
    return std::nullopt;
  }
  // `os.environ["KEY"] = "1"` changes nothing here.
  if (isOfEnvironment(stmt))
    return machine::Completion::normal();
  // `a, b = ctx.saved_tensors`: so many values of which nothing is known.
  auto *assign = dyn_cast<python::Assign>(&stmt);
  auto *targets = assign && assign->targets.size() == 1
                      ? dyn_cast<python::Tuple>(assign->targets.front())
                      : nullptr;
  if (!targets || any_of(targets->elts, [](auto *e) { return isa<python::Starred>(e); }))
    return std::nullopt;
  unpacked = targets->elts.size();
  PyValue value = machine.evaluateExpr(*assign->value, frame);
  unpacked = 0;
  if (!value)
    return machine::Completion::raise();
  if (!isa<UnknownValue, machine::OpaqueObject>(value))
    return done(machine.assignTo(*targets, value, frame));
  return done(bindUnknown(*targets, value, frame));
}

Answer HostMachine::policyCall(Machine &, machine::Frame &frame, const python::Call &node,
                               PyValue callee, const machine::CallArgs &args) {
  if (auto *opaque = dyn_cast<machine::OpaqueObject>(callee)) {
    touchByCall(opaque->path, args);
    if (Answer answer = callTorch(opaque->path, args))
      return answer;
    return unknown(opaque->path + "(...)");
  }
  if (auto *target = dyn_cast<LaunchValue>(callee)) {
    launchPlace = frame.getFile().getLocation(node);
    launchCall = &node;
    return launch(*target, args);
  }
  if (auto *function = dyn_cast<machine::FunctionObject>(callee))
    return machine.callWithPolicy(*function, args, *this);
  if (machine::FunctionObject *forward = triton::forwardOf(machine, callee)) {
    SmallVector<PyValue> all{unknown("ctx")};
    all.append(args.positional.begin(), args.positional.end());
    return machine.callWithPolicy(*forward, machine::CallArgs{all, args.keywords}, *this);
  }
  if (auto *method = dyn_cast<machine::BoundMethodObject>(callee)) {
    auto *function = dyn_cast<machine::FunctionObject>(method->function);
    if (!function)
      return std::nullopt;
    SmallVector<PyValue> all{method->self};
    all.append(args.positional.begin(), args.positional.end());
    return machine.callWithPolicy(*function, machine::CallArgs{all, args.keywords}, *this);
  }
  auto *builtin = dyn_cast<machine::BuiltinObject>(callee);
  // What is kept outside of the wrapper says nothing here.
  if (builtin && is_contained({"globals", "locals", "vars", "id", "open"}, builtin->name))
    return unknown(builtin->name + "()");
  bool hasAbstract = any_of(args.positional, [&](PyValue v) { return isAbstract(v); });
  if (!builtin || !hasAbstract)
    return std::nullopt;
  if (builtin->name == "cdiv" && args.positional.size() == 2) {
    index::Expr a = asNumber(args.positional[0]), b = asNumber(args.positional[1]);
    if (b && b.isConstant(0))
      return machine.raise("ZeroDivisionError", "integer division or modulo by zero");
    return a && b ? size(index::ceildiv(a, b)) : unknown("cdiv(...)");
  }
  if (builtin->name == "next_power_of_2" && args.positional.size() == 1) {
    index::Expr number = asNumber(args.positional[0]);
    return number ? size(index::nextPow2(number)) : unknown("next_power_of_2(...)");
  }
  return std::nullopt;
}

} // namespace nereid::audit
