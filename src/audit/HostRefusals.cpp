// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches that Triton refuses, whatever the sizes: TRC029.
//
//   kernel[grid](x, y, n, BLOCK=64)     where the parameter is called B
//   kernel[(n / 64,)](x, y, n, B=64)    where programs are counted by a float
#include "audit/HostMachine.h"
#include "audit/UseFlow.h"

#include "python/AstVisit.h"
#include "python/machine/Machine.h"

using namespace llvm;

namespace nereid::audit {

/// Options of a launch that are no parameters of the kernel, of all back ends.
bool isLaunchOption(StringRef name) {
  static constexpr StringLiteral options[] = {"num_warps",
                                              "num_stages",
                                              "num_ctas",
                                              "num_buffers_warp_spec",
                                              "num_consumer_groups",
                                              "cluster_dims",
                                              "maxnreg",
                                              "reg_dec_producer",
                                              "reg_inc_consumer",
                                              "ptx_version",
                                              "ptx_options",
                                              "ir_override",
                                              "enable_fp_fusion",
                                              "enable_reflect_ftz",
                                              "enable_warp_specialization",
                                              "enable_persistent",
                                              "launch_cooperative_grid",
                                              "launch_cluster",
                                              "launch_pdl",
                                              "supported_fp8_dtypes",
                                              "deprecated_fp8_dot_operand_dtypes",
                                              "deprecated_fp8_dtypes",
                                              "default_dot_input_precision",
                                              "allowed_dot_input_precisions",
                                              "max_num_imprecise_acc_default",
                                              "max_num_imprecise_acc",
                                              "allow_fp8e4nv",
                                              "allow_flush_denorm",
                                              "extern_libs",
                                              "debug",
                                              "backend_name",
                                              "sanitize_overflow",
                                              "arch",
                                              "instrumentation_mode",
                                              "waves_per_eu",
                                              "kpack",
                                              "matrix_instr_nonkdim",
                                              "schedule_hint",
                                              "instruction_sched_variant",
                                              "grf_mode",
                                              "threads_per_warp",
                                              "warp_size",
                                              "stream",
                                              "device",
                                              "device_type",
                                              "warmup",
                                              "grid",
                                              "pre_hook",
                                              "bin_id"};
  return is_contained(options, name);
}

/// Whether nobody but the launch, the configurations and the heuristics that are known gives
/// arguments.
static bool isPlain(const python::FunctionDef &def, const triton::FunctionValue &kernel) {
  size_t heuristics = 0;
  bool isTuned = false;
  for (const python::Expr *decorator : def.decoratorList) {
    auto *call = dyn_cast<python::Call>(decorator);
    StringRef name = getLastName(call ? *call->func : *decorator);
    if (!is_contained({"jit", "autotune", "heuristics"}, name))
      return false;
    isTuned |= name == "autotune";
    heuristics += name == "heuristics";
  }
  return kernel.heuristics.size() == heuristics && isTuned == !kernel.configs.empty();
}

/// Whether a configuration or a heuristic gives the parameter.
static bool isGivenElsewhere(machine::Machine &machine, const triton::FunctionValue &kernel,
                             machine::Name name) {
  auto holds = [&](machine::DictObject *values) {
    return machine.dictGet(*values, name) != nullptr;
  };
  return kernel.makesConfigs || any_of(kernel.heuristics, holds) ||
         any_of(kernel.configs, [&](const triton::ConfigValue *config) {
           return config->preHook || holds(config->values);
         });
}

/// The first parameter that nothing gives; null: there is none.
static machine::Name findMissing(machine::Machine &machine, const triton::FunctionValue &kernel,
                                 const machine::CallArgs &args) {
  std::vector<machine::Name> names = machine.parameterNames(*kernel.function);
  size_t firstDefault = names.size() - std::min(kernel.function->defaults.size(), names.size());
  for (size_t place = args.positional.size(); place < firstDefault; ++place) {
    machine::Name name = names[place];
    if (none_of(args.keywords, [&](auto &given) { return given.first == name; }) &&
        !isGivenElsewhere(machine, kernel, name))
      return name;
  }
  return nullptr;
}

/// Whether every configuration of a tuned kernel gives the name too: the tuner passes on both, and
/// Python takes none twice.
static bool isTuned(machine::Machine &machine, const triton::FunctionValue &kernel,
                    machine::Name name) {
  // Each configuration has these, said or not.
  bool isOption = is_contained({"num_warps", "num_stages", "num_ctas"}, name->text);
  return !kernel.configs.empty() && !kernel.makesConfigs &&
         all_of(kernel.configs, [&](const triton::ConfigValue *config) {
           return isOption || machine.dictGet(*config->values, name) != nullptr;
         });
}

static bool isNamed(const python::Expr *expr, StringRef name) {
  auto *found = dyn_cast_if_present<python::Name>(expr);
  return found && found->id == name;
}

/// Whether the kernel converts a parameter as a tile, `stride.to(tl.int64)`, before it gives the
/// name another value.
static bool convertsFirst(const python::Node &node, StringRef name, bool &isOver) {
  auto *call = dyn_cast<python::Call>(&node);
  auto *method = call ? dyn_cast<python::Attribute>(call->func) : nullptr;
  if (!isOver && method && method->attr == "to" && isNamed(method->value, name))
    return isOver = true;
  bool found = false;
  python::forEachChild(node, [&](const python::Node &child) {
    found |= !isOver && convertsFirst(child, name, isOver);
  });
  if (auto *assign = dyn_cast<python::Assign>(&node))
    isOver |= any_of(assign->targets, [&](const python::Expr *e) { return isNamed(e, name); });
  return found;
}

/// Of a kernel that is specialised for its numbers: the parameter that it converts and that is 1,
/// which Triton makes a number of Python's; an empty name: there is none.
static StringRef findConvertedOne(const python::FunctionDef &def,
                                  ArrayRef<std::pair<machine::Name, PyValue>> given) {
  for (const python::Expr *decorator : def.decoratorList)
    if (auto *call = dyn_cast<python::Call>(decorator);
        call && getLastName(*call->func) == "jit" && !call->keywords.empty())
      return "";
  for (auto [name, value] : given) {
    auto *number = dyn_cast<machine::IntObject>(triton::plain(value));
    const auto &parameters = def.args->args;
    auto *parameter =
        find_if(parameters, [&](const python::Arg *arg) { return arg->arg == name->text; });
    if (!number || !number->isSmall() || number->small != 1 || parameter == parameters.end() ||
        (*parameter)->annotation)
      continue;
    bool isOver = false;
    for (const python::Stmt *stmt : def.body)
      if (convertsFirst(*stmt, name->text, isOver))
        return name->text;
  }
  return "";
}

/// How far a name may be from the one that was meant.
static bool isAlmost(StringRef given, StringRef meant) {
  constexpr unsigned most = 2;
  return given.size() > most && given.edit_distance(meant, true, most) <= most;
}

std::string HostMachine::findRefusal(LaunchValue &target, const machine::CallArgs &args) {
  triton::FunctionValue &kernel = *target.kernel;
  const python::FunctionDef &def = *kernel.function->code->getDef();
  target.isPlain = launchCall && isPlain(def, kernel);
  if (!target.isPlain)
    return "";
  std::string own = "'" + def.name.str() + "'";
  std::vector<machine::Name> names = machine.parameterNames(*kernel.function);
  // How many numbers `*x.stride()` are hangs on a rank that may be taken for granted.
  if (any_of(launchCall->args, [](auto *e) { return isa<python::Starred>(e); }) ||
      any_of(launchCall->keywords, [](auto *given) { return given->arg.empty(); }))
    return "";
  if (args.positional.size() > names.size())
    return own + " takes " + std::to_string(names.size()) + " arguments, and this gives it " +
           std::to_string(args.positional.size());
  ArrayRef<machine::Name> placed = ArrayRef(names).take_front(args.positional.size());
  machine::Name missing = findMissing(machine, kernel, args);
  for (machine::Name name : placed)
    if (isTuned(machine, kernel, name))
      return "'" + name->text.str() + "' of " + own +
             " is given by its configurations, and by this launch too";
  for (auto [name, value] : args.keywords) {
    if (is_contained(placed, name))
      return "'" + name->text.str() + "' of " + own + " is given twice";
    if (isTuned(machine, kernel, name))
      return "'" + name->text.str() + "' of " + own +
             " is given by its configurations, and by this launch too";
    // Back ends have options of their own.
    bool isUnknown = !is_contained(names, name) && !isLaunchOption(name->text);
    if (isUnknown && (missing || isAlmost(name->text, "num_warps") ||
                      isAlmost(name->text, "num_stages") || isAlmost(name->text, "num_ctas")))
      return own + " has no parameter '" + name->text.str() + "', and it is no option of a launch";
    auto *number = dyn_cast<machine::IntObject>(triton::plain(value));
    bool isOdd =
        number && number->isSmall() && (number->small < 1 || !isPowerOf2_64(number->small));
    if (name->text == "num_warps" && isOdd)
      return "num_warps is a power of two, and this gives " + std::to_string(number->small);
  }
  SmallVector<std::pair<machine::Name, PyValue>> given(args.keywords);
  given.append(placed.size(), {});
  for (auto [entry, name, value] :
       zip_equal(MutableArrayRef(given).take_back(placed.size()), placed, args.positional))
    entry = {name, value};
  if (StringRef one = findConvertedOne(def, given); !missing && !one.empty())
    return "'" + one.str() + "' is 1, which Triton makes a number of Python's: it has no '.to'";
  return missing ? "nothing gives " + own + " its parameter '" + missing->text.str() + "'" : "";
}

/// A grid that asks for what is neither an argument nor of a configuration: `meta["BLOCK"]`.
bool HostMachine::takeMissingKey(HostLaunch &launch) {
  if (machine.pendingRefusal())
    return false;
  Diagnostic error = machine.takeError();
  bool isKey = StringRef(error.message).starts_with("KeyError");
  if (isKey && launch.refusal.empty())
    launch.refusal = "the grid asks for what nothing gives: " + error.message;
  launch.problem = "the grid is not understood";
  return true;
}

/// A grid is a tuple of integers, or a function that returns one.
std::string HostMachine::findGridRefusal(PyValue grid) {
  if (isa<machine::IntObject, SizeValue>(triton::plain(grid)))
    return "the grid '" + describe(grid) + "' is a number, and Triton takes tuples";
  std::optional<ArrayRef<PyValue>> extents = triton::sequence(grid);
  if (!extents)
    return "";
  for (PyValue extent : *extents) {
    auto *quotient = dyn_cast<UnknownValue>(extent);
    bool isQuotient = quotient && quotient->divisor;
    if (isQuotient || isa<machine::FloatObject>(extent))
      return "the grid has a float, '" +
             (isQuotient ? quotient->dividend.str() + " / " + quotient->divisor.str()
                         : describe(extent)) +
             "', and Triton takes integers";
  }
  return extents->empty() || extents->size() > 3
             ? "the grid has " + std::to_string(extents->size()) + " axes, and Triton takes 1 to 3"
             : "";
}

} // namespace nereid::audit
