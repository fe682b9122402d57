// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/triton/Host.h"

#include "python/machine/Builtins.h"

using namespace llvm;
using nereid::machine::Machine;

namespace nereid::triton {

namespace {
/// Makes one module's names.
struct HostModule {
  TritonLibrary &library;
  Machine &machine;
  machine::ModuleObject *module;
  machine::ClassObject *functionClass, *configClass;

  machine::BuiltinObject *define(StringRef name, StringRef signature, Machine::BoundFn fn) {
    machine::BuiltinObject *builtin = machine.makeBuiltin(name, signature, std::move(fn));
    builtin->library = &library;
    machine.setName(module, name, builtin);
    return builtin;
  }
  PyValue makeDecorator(StringRef name, std::function<PyValue(PyValue)> apply) {
    auto *decorator = machine.makeBuiltin(
        name, "(fn, /)", [apply](Machine &, ArrayRef<PyValue> args) { return apply(args[0]); });
    decorator->library = &library;
    return decorator;
  }
  PyValue wrapFunction(PyValue value, bool isConstexpr) const {
    if (isa<FunctionValue>(value))
      return value;
    auto *function = dyn_cast<machine::FunctionObject>(value);
    if (!function)
      return machine.raise("TypeError",
                           "@triton.jit decorates a function, found " + machine.typeName(value));
    auto *wrapped = machine.make<FunctionValue>(library, functionClass, function);
    wrapped->isConstexpr = isConstexpr;
    library.functions.push_back(wrapped);
    return wrapped;
  }
  FunctionValue *copy(PyValue value, StringRef decorator) const {
    auto *function = dyn_cast<FunctionValue>(value);
    if (!function) {
      machine.raise("TypeError",
                    "@triton." + decorator + " stands above @triton.jit, found " +
                        machine.typeName(value),
                    "put @triton.jit directly above the function");
      return nullptr;
    }
    auto *result = machine.make<FunctionValue>(library, functionClass, function->function);
    result->isConstexpr = function->isConstexpr;
    result->configs = function->configs;
    result->makesConfigs = function->makesConfigs;
    result->heuristics = function->heuristics;
    library.functions.push_back(result);
    return result;
  }
  void addDecorators();
  void addConfig();
  void addNumbers();
};
} // namespace

void HostModule::addDecorators() {
  HostModule self = *this;
  define("jit",
         "(fn=None, *, version=None, repr=None, launch_metadata=None, do_not_specialize=None, "
         "do_not_specialize_on_alignment=None, debug=None, noinline=None)",
         [self](Machine &machine, ArrayRef<PyValue> args) mutable -> PyValue {
           if (!isNone(args[0]))
             return self.wrapFunction(args[0], false);
           return self.makeDecorator("jit",
                                     [self](PyValue fn) { return self.wrapFunction(fn, false); });
         });
  define("constexpr_function", "(fn, /)", [self](Machine &, ArrayRef<PyValue> args) -> PyValue {
    return self.wrapFunction(args[0], true);
  });
  define("autotune",
         "(configs, key=(), prune_configs_by=None, reset_to_zero=None, restore_value=None, "
         "pre_hook=None, post_hook=None, warmup=None, rep=None, use_cuda_graph=False, "
         "do_bench=None, cache_results=False)",
         [self](Machine &machine, ArrayRef<PyValue> args) mutable -> PyValue {
           auto items = machine.items(args[0]);
           if (!items)
             return nullptr;
           std::vector<ConfigValue *> configs;
           for (PyValue item : *items) {
             auto *config = dyn_cast<ConfigValue>(item);
             if (!config)
               return machine.raise("TypeError",
                                    "every item of configs must be a triton.Config, found " +
                                        machine.typeName(item),
                                    "write triton.Config({\"BLOCK\": 128}, num_warps=4)");
             configs.push_back(config);
           }
           std::vector<std::string> key;
           if (auto names = machine.items(args[1])) {
             for (PyValue name : *names)
               if (auto *text = dyn_cast<machine::StrObject>(name))
                 key.push_back(text->text.str());
           } else {
             // A key that cannot be read tells of no name; the kernel is the same.
             (void)machine.takeError();
           }
           auto *pruning = dyn_cast<machine::DictObject>(args[2]);
           bool isPruned =
               pruning ? machine.dictGet(*pruning, machine.intern("early_config_prune")) != nullptr
                       : !isNone(args[2]);
           return self.makeDecorator("autotune", [=](PyValue fn) -> PyValue {
             FunctionValue *result = self.copy(fn, "autotune");
             if (result) {
               result->configs = configs;
               result->makesConfigs = isPruned;
               result->tuningKey = key;
             }
             return result;
           });
         });
  define("heuristics", "(values)",
         [self](Machine &machine, ArrayRef<PyValue> args) mutable -> PyValue {
           auto *values = dyn_cast<machine::DictObject>(args[0]);
           if (!values)
             return machine.raise("TypeError",
                                  "@triton.heuristics takes a dictionary of functions");
           return self.makeDecorator("heuristics", [self, values](PyValue fn) -> PyValue {
             FunctionValue *result = self.copy(fn, "heuristics");
             if (result)
               result->heuristics.insert(result->heuristics.begin(), values);
             return result;
           });
         });
}

/// `apply` comes from a class of PyTorch that is not there.
machine::Answer TritonLibrary::missingAttribute(Machine &machine, PyValue object,
                                                machine::Name name) {
  auto *cls = dyn_cast<machine::ClassObject>(object);
  if (!cls || name->text != "apply" || !cls->lookup(machine.intern("forward")))
    return std::nullopt;
  (void)machine.takeError();
  auto refuse = [](Machine &machine, const machine::CallArgs &) -> PyValue {
    return machine.refuse("an autograd function is applied while its file is read");
  };
  return machine.make<machine::BoundMethodObject>(machine.classes().boundMethod,
                                                  machine.makeBuiltin("apply", refuse), cls);
}

machine::FunctionObject *forwardOf(Machine &machine, PyValue callee) {
  auto *method = dyn_cast<machine::BoundMethodObject>(callee);
  auto *apply = method ? dyn_cast<machine::BuiltinObject>(method->function) : nullptr;
  auto *cls =
      apply && apply->name == "apply" ? dyn_cast<machine::ClassObject>(method->self) : nullptr;
  PyValue forward = cls ? cls->lookup(machine.intern("forward")) : nullptr;
  if (auto *wrapped = dyn_cast_if_present<machine::WrappedMethodObject>(forward))
    forward = wrapped->function;
  return dyn_cast_if_present<machine::FunctionObject>(forward);
}

/// What a decorator is given as `configs`, where these are configurations: it tunes by them,
/// whatever else it does.
static std::vector<ConfigValue *> configsOf(Machine &machine, const python::Expr &decorator) {
  auto *call = dyn_cast<python::Call>(&decorator);
  std::vector<ConfigValue *> configs;
  for (const python::Keyword *keyword : call ? call->keywords : ArrayRef<python::Keyword *>()) {
    if (keyword->arg != "configs")
      continue;
    PyValue value = machine.evaluateExpr(*keyword->value, *machine.getFrame());
    std::optional<ArrayRef<PyValue>> items = value ? sequence(value) : std::nullopt;
    if (!value)
      (void)machine.takeError();
    for (PyValue item : items ? *items : ArrayRef<PyValue>())
      if (auto *config = dyn_cast<ConfigValue>(item))
        configs.push_back(config);
    if (items && configs.size() != items->size())
      configs.clear();
  }
  return configs;
}

/// A kernel whose own decorators cannot be evaluated (an autotune list that comes from a package
/// which is not there), or are wrapped in an object that launches it, is still a kernel.
machine::Answer TritonLibrary::decorated(Machine &machine, PyValue value,
                                         const python::Expr &decorator, PyValue result) {
  // What PyTorch puts around a function of the host (no_grad, compile, custom_op) calls it.
  auto *unknown = dyn_cast_if_present<machine::OpaqueObject>(result);
  if (isa<machine::FunctionObject>(value) && unknown && unknown->path.starts_with("torch."))
    return value;
  auto *function = dyn_cast<FunctionValue>(value);
  if (!function || (result && isa<FunctionValue>(result)))
    return std::nullopt;
  std::optional<nereid::Diagnostic> error;
  if (!result)
    error = machine.takeError();
  if (function->configs.empty())
    function->configs = configsOf(machine, decorator);
  dropped.push_back(
      {function, &decorator, &machine.getFrame()->getFile().getSource(), std::move(error)});
  return function;
}

void HostModule::addConfig() { machine.setName(module, "Config", configClass); }

static std::optional<int64_t> hostInt(Machine &machine, PyValue value, StringRef what) {
  auto *integer = dyn_cast<machine::IntObject>(plain(value));
  if (integer && integer->isSmall())
    return integer->small;
  machine.raise("TypeError", what + " needs an integer, found " + machine.typeName(value),
                isa<TensorValue>(value) ? "inside a kernel write tl.cdiv(x, y)" : "");
  return std::nullopt;
}

void HostModule::addNumbers() {
  TritonLibrary *library = &this->library;
  define("cdiv", "(x, y)", [](Machine &machine, ArrayRef<PyValue> args) -> PyValue {
    auto x = hostInt(machine, args[0], "triton.cdiv");
    auto y = x ? hostInt(machine, args[1], "triton.cdiv") : std::nullopt;
    if (!y)
      return nullptr;
    if (*y == 0)
      return machine.raise("ZeroDivisionError", "integer division or modulo by zero");
    PyValue sum = machine.binary(
        python::BinaryOperator::Add, args[0],
        machine.binary(python::BinaryOperator::Sub, args[1], machine.makeInt(int64_t(1))));
    return sum ? machine.binary(python::BinaryOperator::FloorDiv, sum, args[1]) : nullptr;
  });
  define("next_power_of_2", "(n)", [library](Machine &machine, ArrayRef<PyValue> args) -> PyValue {
    auto n = hostInt(machine, args[0], "triton.next_power_of_2");
    if (!n)
      return nullptr;
    PyValue result = machine.makeInt(*n <= 0 ? int64_t(0) : int64_t(PowerOf2Ceil(*n)));
    auto *named = dyn_cast<ConstValue>(args[0]);
    if (!named || named->text.empty())
      return result;
    return library->constant(result, ("triton.next_power_of_2(" + named->text + ")").str());
  });
}

void addHost(TritonLibrary &library, Machine &machine, machine::ModuleObject *module,
             machine::ClassObject *functionClass, machine::ClassObject *configClass) {
  HostModule host{library, machine, module, functionClass, configClass};
  host.addDecorators();
  host.addConfig();
  host.addNumbers();
  machine.setName(module, "JITFunction", functionClass);
  machine.setName(module, "__version__", machine.makeStr(library.version));
}

/// `triton.Config({...}, num_warps=4, ...)`.
static PyValue makeConfig(TritonLibrary &library, Machine &machine, machine::ClassObject &cls,
                          const machine::CallArgs &args) {
  auto *config = machine.make<ConfigValue>(library, &cls);
  PyValue values = args.positional.empty() ? args.keyword("kwargs") : args.positional[0];
  config->values = values ? dyn_cast<machine::DictObject>(values) : nullptr;
  if (!config->values)
    return machine.raise("TypeError", "triton.Config takes a dictionary of meta-parameters",
                         "write triton.Config({\"BLOCK\": 128}, num_warps=4)");
  static constexpr StringLiteral known[] = {"kwargs",  "num_warps", "num_stages", "num_ctas",
                                            "maxnreg", "pre_hook",  "ir_override"};
  for (auto [name, value] : args.keywords) {
    if (!is_contained(known, name->text))
      return machine.raise("TypeError", "triton.Config has no argument `" + name->text + "`",
                           "meta-parameters go into the dictionary: triton.Config({\"" +
                               name->text + "\": ...})");
    if (name->text == "pre_hook")
      config->preHook = value;
    if (name->text != "num_warps" && name->text != "num_stages")
      continue;
    auto number = hostInt(machine, value, name->text);
    if (!number)
      return nullptr;
    (name->text == "num_warps" ? config->numWarps : config->numStages) = *number;
  }
  for (auto [index, value] : enumerate(args.positional.drop_front(args.positional.empty() ? 0 : 1)))
    if (index < 2) {
      auto number = hostInt(machine, value, index ? "num_stages" : "num_warps");
      if (!number)
        return nullptr;
      (index ? config->numStages : config->numWarps) = *number;
    } else if (index == 4) {
      config->preHook = value;
    }
  return config;
}

machine::Answer TritonLibrary::create(Machine &, machine::ClassObject &cls,
                                      const machine::CallArgs &args) {
  if (&cls == constCls) {
    if (args.positional.size() != 1 || !args.keywords.empty())
      return machine.raise("TypeError", "tl.constexpr takes one value");
    PyValue value = args.positional[0];
    if (isa<TensorValue>(value))
      return machine.refuse("a value that is only known when the kernel runs cannot become a "
                            "constexpr");
    auto *named = dyn_cast<ConstValue>(value);
    return named ? value : constant(value, "");
  }
  if (&cls == dtypeCls) {
    auto *name = args.positional.size() == 1
                     ? dyn_cast<machine::StrObject>(plain(args.positional[0]))
                     : nullptr;
    if (!name || !args.keywords.empty())
      return machine.raise("TypeError", "tl.dtype takes the name of a type");
    for (const NamedDType &entry : getNamedDTypes())
      if (DType(entry.scalar).name() == name->text)
        return dtype(entry.scalar);
    return machine.raise("AssertionError", "'" + name->text + "' is no name of a Triton type",
                         "write tl.dtype('fp32'), tl.dtype('int8'), ...");
  }
  if (&cls == configCls)
    return makeConfig(*this, machine, cls, args);
  if (&cls == functionCls && args.positional.size() == 1)
    return machine.call(machine.getAttribute(module("triton"), "jit"), args);
  return std::nullopt;
}

} // namespace nereid::triton
