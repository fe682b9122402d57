// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run of a wrapper, and what Python asks of the values in it.
#include "eager/WrapperMachine.h"

#include "python/AstVisit.h"
#include "python/machine/Builtins.h"
#include "python/machine/HostFacts.h"
#include "python/machine/Machine.h"
#include "python/machine/ModuleFrame.h"

using namespace llvm;
using nereid::machine::Answer;
using nereid::machine::Machine;

namespace nereid::eager {

static constexpr uint64_t stepsOfRun = 2'000'000;

WrapperMachine::WrapperMachine(triton::TritonProject &project, mlir::MLIRContext *context)
    : project(project), machine(project.getMachine()), context(context), operators(context) {
  tensorClass = machine.makeClass("Tensor", {}, this);
  methodClass = machine.makeClass("method", {}, this);
  launchClass = machine.makeClass("launch", {}, this);
  deviceClass = machine.makeClass("device", {}, this);
  // `ctx` of an autograd function: it may keep anything, and no gradient is wanted.
  contextClass = machine.makeClass("Context", {}, this);
  auto keep = [](Machine &m, ArrayRef<PyValue>) -> PyValue { return m.none(); };
  for (const char *name : {"save_for_backward", "mark_non_differentiable", "mark_dirty"})
    machine.addBuiltin(contextClass, name, "(self, *values)", keep);
  machine.addBuiltin(contextClass, "set_materialize_grads", "(self, value)", keep);
  project.setLauncher(this);
}

WrapperMachine::~WrapperMachine() { project.setLauncher(nullptr); }

machine::FunctionObject *WrapperMachine::find(const python::ParsedFile &file,
                                              const python::FunctionDef &def, StringRef className) {
  machine::ModuleObject *module = machine.moduleOf(&file.getSource());
  if (!module)
    return nullptr;
  PyValue bound = className.empty() ? module->attrs->get(machine.intern(def.name)) : nullptr;
  if (auto *function = dyn_cast_if_present<machine::FunctionObject>(bound))
    return function;
  if (auto *cls = dyn_cast_if_present<machine::ClassObject>(
          className.empty() ? nullptr : module->attrs->get(machine.intern(className)))) {
    PyValue method = cls->attrs->get(machine.intern(def.name));
    if (auto *wrapped = dyn_cast_if_present<machine::WrappedMethodObject>(method))
      method = wrapped->function;
    if (auto *function = dyn_cast_if_present<machine::FunctionObject>(method))
      return function;
  }
  python::FunctionDef &plain = definitions.emplace_back(def);
  plain.decoratorList = {};
  machine::FunctionObject *made = nullptr;
  machine.session([&] {
    machine::ModuleFrame frame(file, *module, machine.makeNamespace(nullptr));
    python::Stmt *stmt = &plain;
    if (machine.runBlock(ArrayRef(stmt), frame).isRaise())
      (void)machine.takeError();
    else
      made =
          dyn_cast_if_present<machine::FunctionObject>(frame.locals->get(machine.intern(def.name)));
  });
  return made;
}

PyValue WrapperMachine::tensor(Tensor tensor) {
  return machine.make<TensorValue>(*this, tensorClass, std::move(tensor));
}

PyValue WrapperMachine::shown(std::optional<Tensor> view, const std::string &why) {
  if (view)
    return tensor(std::move(*view));
  return machine.raise("RuntimeError", why);
}

PyValue WrapperMachine::path(const Twine &dotted) {
  return machine.make<machine::OpaqueObject>(machine.classes().opaque, machine.save(dotted.str()),
                                             machine.location());
}

PyValue WrapperMachine::toPython(const WrapperArgument &argument) {
  if (!argument.text.empty())
    return machine.evaluate(argument.text, machine.findModule("builtins"), argument.name);
  if (const auto *number = std::get_if<double>(&argument.value))
    return machine.makeFloat(*number);
  if (const auto *number = std::get_if<int64_t>(&argument.value))
    return argument.isBool ? machine.makeBool(*number != 0) : machine.makeInt(*number);
  return tensor(std::get<Tensor>(argument.value));
}

/// The tensors and numbers in what a function returns, in their order.
bool WrapperMachine::flatten(PyValue value, std::vector<HostValue> &results) {
  if (triton::isNone(value))
    return true;
  if (auto *held = dyn_cast<TensorValue>(value)) {
    results.push_back(held->tensor);
    return true;
  }
  if (auto *number = dyn_cast<machine::FloatObject>(value)) {
    results.push_back(number->value);
    return true;
  }
  if (auto *number = dyn_cast<machine::IntObject>(value); number && number->isSmall()) {
    results.push_back(number->small);
    return true;
  }
  if (std::optional<ArrayRef<PyValue>> items = triton::sequence(value))
    return all_of(*items, [&](PyValue item) { return flatten(item, results); });
  return false;
}

/// Whether the program itself says that it does not take its inputs.
static bool isOwnRefusal(const SourceLocation &place) {
  if (!place.file)
    return false;
  StringRef text = place.file->getText().drop_front(place.range.begin);
  return text.starts_with("raise") || text.starts_with("assert") ||
         text.starts_with("torch._check") || text.starts_with("torch._assert");
}

validate::Run WrapperMachine::describeFailure() {
  validate::Run run;
  if (finding) {
    raw_string_ostream os(run.problem);
    print(*finding, os);
    run.finding = std::move(finding);
    (void)machine.takeError();
    return run;
  }
  bool isRefused = machine.pendingRefusal();
  StringRef raised = isRefused || !machine.pendingException()
                         ? StringRef()
                         : machine.typeName(machine.pendingException());
  bool isAssertion = raised == "AssertionError";
  // These come from values that nothing is known of, more often than from the program.
  bool isOpen = is_contained({"TypeError", "AttributeError", "NameError"}, raised);
  run.error = machine.takeError();
  if (isRefused)
    run.kind = isRejected ? validate::Run::Rejected : validate::Run::NotSupported;
  else if (isAssertion || isOwnRefusal(run.error.location))
    run.kind = validate::Run::Refused;
  else if (isOpen)
    run.kind = validate::Run::NotSupported;
  run.problem = run.error.message;
  return run;
}

validate::Run WrapperMachine::run(machine::FunctionObject &wrapper,
                                  ArrayRef<WrapperArgument> arguments, bool takesContext,
                                  const interpreter::RunOptions &options) {
  running = options;
  finding.reset();
  isRejected = false;
  validate::Run run;
  machine.session([&] {
    machine.renewBudget(stepsOfRun);
    machine.defaultPolicy = this;
    // What a run keeps in its modules (caches, say) is none of the next one's.
    machine::Journal journal(machine);
    SmallVector<PyValue> positional;
    SmallVector<std::pair<machine::Name, PyValue>> keywords;
    for (const WrapperArgument &argument : arguments) {
      PyValue value = toPython(argument);
      if (!value)
        break;
      if (argument.isKeyword)
        keywords.push_back({machine.intern(argument.name), value});
      else
        positional.push_back(value);
    }
    machine::CallArgs args{positional, keywords};
    PyValue result = machine.pending() ? nullptr
                     : takesContext    ? applyFunction(wrapper, args)
                                       : machine.callWithPolicy(wrapper, args, *this);
    if (!result)
      run = describeFailure();
    else if (!flatten(result, run.results))
      run.problem = "it returns " + machine.typeName(result).str();
    machine.defaultPolicy = nullptr;
    if (!journal.undo())
      (void)machine.takeError();
  });
  return run;
}

// --- Hooks ---------------------------------------------------------------------------------------

Answer WrapperMachine::getAttribute(Machine &, PyValue object, machine::Name name) {
  if (auto *self = dyn_cast<TensorValue>(object))
    return tensorAttribute(*self, name->text);
  if (isa<DeviceValue>(object))
    return deviceAttribute(name->text);
  return std::nullopt;
}

Answer WrapperMachine::call(Machine &, PyValue callee, const machine::CallArgs &args) {
  if (auto *target = dyn_cast<LaunchValue>(callee))
    return launch(*target, args);
  if (auto *method = dyn_cast<MethodValue>(callee))
    return tensorMethod(*method->self, method->name, args);
  return std::nullopt;
}

Answer WrapperMachine::length(Machine &, PyValue value) {
  auto *self = dyn_cast<TensorValue>(value);
  if (!self)
    return std::nullopt;
  if (self->tensor.sizes.empty())
    return machine.raise("TypeError", "len() of a 0-d tensor");
  return machine.makeInt(self->tensor.sizes.front());
}

Answer WrapperMachine::iterate(Machine &, PyValue value) {
  auto *self = dyn_cast<TensorValue>(value);
  if (!self)
    return std::nullopt;
  if (self->tensor.sizes.empty())
    return machine.raise("TypeError", "iteration over a 0-d tensor");
  SmallVector<PyValue> items;
  std::string why;
  for (int64_t place = 0; place < self->tensor.sizes.front(); ++place)
    items.push_back(tensor(*select(self->tensor, 0, place, why)));
  return machine.makeList(items);
}

Answer WrapperMachine::convert(Machine &, PyValue value, StringRef target) {
  if (isa<DeviceValue>(value) && target != "int" && target != "float" && target != "index")
    return machine.makeStr("cuda:0");
  auto *self = dyn_cast<TensorValue>(value);
  if (!self)
    return std::nullopt;
  if (target == "key" || target == "hash" || target == "str" || target == "repr" ||
      target == "format")
    return machine.refuse("a tensor is used as text or as a key, which is not supported here");
  PyValue item = itemOf(self->tensor);
  if (!item || target == "index" || target == "bool" || target == "truth")
    return item;
  PyValue arguments[] = {item};
  return machine.call(machine.builtin(target), arguments);
}

Answer WrapperMachine::builtinCall(Machine &, StringRef name, const machine::CallArgs &args) {
  auto *self =
      args.positional.size() == 1 ? dyn_cast<TensorValue>(args.positional.front()) : nullptr;
  if (self && name == "abs")
    return callOperator("abs", self, machine::CallArgs());
  return machine.refuse("'" + name + "' of a tensor is not supported here");
}

machine::Truth WrapperMachine::truth(Machine &, PyValue value) {
  auto *self = dyn_cast<TensorValue>(value);
  if (!self)
    return machine::Truth::True;
  PyValue item = itemOf(self->tensor);
  return item ? machine.truth(item) : machine::Truth::Failed;
}

std::optional<bool> WrapperMachine::isInstance(Machine &, PyValue object, PyValue cls) {
  StringRef wanted;
  if (auto *opaque = dyn_cast<machine::OpaqueObject>(cls))
    wanted = opaque->path;
  else if (auto *known = dyn_cast<machine::ClassObject>(cls))
    wanted = known->name;
  return isa<TensorValue>(object) && (wanted == "Tensor" || wanted.ends_with(".Tensor"));
}

PyValue WrapperMachine::applyFunction(machine::FunctionObject &forward,
                                      const machine::CallArgs &args) {
  PyValue context = machine.call(contextClass);
  if (!context)
    return nullptr;
  SmallVector<PyValue> wanted(args.positional.size(), machine.makeBool(false));
  machine.setName(context, "needs_input_grad", machine.makeTuple(wanted));
  SmallVector<PyValue> all{context};
  all.append(args.positional.begin(), args.positional.end());
  return machine.callWithPolicy(forward, machine::CallArgs{all, args.keywords}, *this);
}

Answer WrapperMachine::policyCall(Machine &, machine::Frame &, const python::Call &, PyValue callee,
                                  const machine::CallArgs &args) {
  if (auto *opaque = dyn_cast<machine::OpaqueObject>(callee))
    return callTorch(opaque->path, args);
  if (auto *function = dyn_cast<machine::FunctionObject>(callee))
    return machine.callWithPolicy(*function, args, *this);
  if (machine::FunctionObject *forward = triton::forwardOf(machine, callee))
    return applyFunction(*forward, args);
  if (auto *method = dyn_cast<machine::BoundMethodObject>(callee)) {
    SmallVector<PyValue> all{method->self};
    all.append(args.positional.begin(), args.positional.end());
    if (auto *function = dyn_cast<machine::FunctionObject>(method->function))
      return machine.callWithPolicy(*function, machine::CallArgs{all, args.keywords}, *this);
  }
  return std::nullopt;
}

/// `with torch.cuda.device(...)`: there is one device.
std::optional<machine::Completion> WrapperMachine::policyStatement(Machine &, machine::Frame &frame,
                                                                   const python::Stmt &stmt) {
  auto *with = dyn_cast<python::With>(&stmt);
  if (!with)
    return std::nullopt;
  for (const python::WithItem *item : with->items) {
    auto *call = dyn_cast<python::Call>(item->contextExpr);
    PyValue manager = machine.evaluateExpr(call ? *call->func : *item->contextExpr, frame);
    if (!manager)
      return machine::Completion::raise();
    if (!isa<machine::OpaqueObject>(manager) || item->optionalVars)
      return std::nullopt;
  }
  return machine.runBlock(with->body, frame);
}

} // namespace nereid::eager
