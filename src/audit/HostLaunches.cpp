// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A wrapper launches a kernel: its arguments, configuration by configuration, become a HostLaunch.
#include "audit/HostMachine.h"
#include "audit/Uses.h"

#include "python/machine/Machine.h"

using namespace llvm;

namespace nereid::audit {

PyValue HostMachine::launch(LaunchValue &target, const machine::CallArgs &args) {
  machine::DictObject *given = machine.makeDict();
  std::vector<machine::Name> names = machine.parameterNames(*target.kernel->function);
  target.refusal = findRefusal(target, args);
  if (args.positional.size() > names.size() && target.refusal.empty())
    return machine.raise("TypeError", "the kernel takes fewer arguments");
  for (auto [name, value] : zip(names, args.positional))
    machine.dictSet(*given, name, value);
  for (auto [name, value] : args.keywords)
    if (is_contained(names, name) || !isLaunchOption(name->text))
      machine.dictSet(*given, name, value);
  size_t configs = std::max<size_t>(target.kernel->configs.size(), 1);
  for (size_t config = 0; config < configs; ++config) {
    // What heuristics ask of one configuration says nothing of the next.
    auto knownFacts = facts;
    auto knownAnswers = decided;
    auto knownAssumptions = assumptions;
    machine::DictObject *meta = machine.makeDict();
    for (const auto &entry : given->table.entries)
      if (entry.key)
        machine.dictSet(*meta, entry.key, entry.value);
    launchUnder(target, config, *meta);
    facts = std::move(knownFacts);
    decided = std::move(knownAnswers);
    assumptions = std::move(knownAssumptions);
    if (machine.pending())
      return nullptr;
  }
  for (const auto &entry : given->table.entries)
    if (entry.key)
      noteLaunched(entry.value);
  hasLaunched = true;
  return machine.none();
}

/// What neither the launch nor a list of configurations gives is given by a tuner whose list is not
/// known; what heuristics give is theirs.
void HostMachine::fillMeta(const triton::JitFunction &function, triton::FunctionValue &kernel,
                           machine::DictObject &meta) {
  auto isOfHeuristics = [&](machine::Name name) {
    return any_of(kernel.heuristics, [&](machine::DictObject *values) {
      return machine.dictGet(*values, name) != nullptr;
    });
  };
  for (machine::Name name : machine.parameterNames(*kernel.function)) {
    if (machine.dictGet(meta, name) || isOfHeuristics(name) || !isConstexpr(function, name->text))
      continue;
    // No tile has more elements.
    constexpr int64_t most = int64_t(1) << 20;
    index::Expr number = asNumber(unknown(name->text));
    facts.push_back(index::ge(number, 1));
    facts.push_back(index::le(number, most));
    assumptions.insert("a tuner gives " + name->text.str() + ", 2**20 at most");
    machine.dictSet(meta, name, size(number));
  }
}

bool HostMachine::applyHeuristics(triton::FunctionValue &kernel, machine::DictObject &meta) {
  for (machine::DictObject *values : kernel.heuristics)
    for (const auto &entry : values->table.entries) {
      auto *function = entry.key ? dyn_cast<machine::FunctionObject>(entry.value) : nullptr;
      if (!function)
        continue;
      PyValue arguments[] = {&meta};
      PyValue value = machine.callWithPolicy(*function, machine::CallArgs{arguments, {}}, *this);
      if (!value)
        return false;
      if (isa<ConditionValue>(value))
        value = machine.makeBool(machine.truth(value) == machine::Truth::True);
      machine.dictSet(meta, entry.key, value);
    }
  return true;
}

bool HostMachine::readGrid(LaunchValue &target, machine::DictObject &meta, HostLaunch &launch) {
  PyValue grid = target.grid;
  // `functools.partial(grid, n)` is an object that is called.
  if (isa<machine::FunctionObject, machine::BoundMethodObject, machine::InstanceObject>(grid) &&
      !triton::sequence(grid)) {
    PyValue arguments[] = {&meta};
    auto *function = dyn_cast<machine::FunctionObject>(grid);
    grid = function ? machine.callWithPolicy(*function, machine::CallArgs{arguments, {}}, *this)
                    : machine.call(grid, arguments);
    if (!grid)
      return target.isPlain && takeMissingKey(launch);
  }
  if (launch.refusal.empty())
    launch.refusal = findGridRefusal(grid);
  SmallVector<PyValue> extents;
  if (std::optional<ArrayRef<PyValue>> list = triton::sequence(grid))
    extents.assign(list->begin(), list->end());
  else
    extents.push_back(grid);
  for (PyValue extent : extents) {
    index::Expr number = asNumber(extent);
    if (!number) {
      launch.problem = "the grid '" + describe(extent) + "' is not understood";
      return true;
    }
    launch.grid.push_back(number);
  }
  while (launch.grid.size() > 1 && launch.grid.back().isConstant(1))
    launch.grid.pop_back();
  if (launch.grid.empty() || launch.grid.size() > 3)
    launch.problem = "the grid is not understood";
  return true;
}

HostArgument HostMachine::argumentOf(StringRef name, PyValue value, HostLaunch &launch) {
  HostArgument argument;
  argument.name = name.str();
  value = triton::plain(value);
  if (isa<ConditionValue>(value))
    value = machine.makeBool(machine.truth(value) == machine::Truth::True);
  auto *self = dyn_cast<HostTensor>(value);
  if (self && self->state != HostTensor::Number) {
    TensorInfo &info = *self->info;
    argument.kind = HostArgument::Tensor;
    bool isDense = true;
    std::set<std::string> before = std::move(assumptions);
    assumptions.clear();
    argument.strides = stridesOf(info, isDense);
    argument.assumed = assumptions;
    assumptions.merge(before);
    if (info.memory->parameter)
      argument.owner = info.memory->name;
    argument.sizes = info.sizes;
    if (!info.hasRank) {
      argument.sizes = {countOf(info)};
      argument.strides = {context.constant(1)};
    }
    argument.memory = info.memory;
    argument.offset = offsetOf(info);
    argument.isFresh = info.isFresh;
    // The caller's tensors are taken to be so; how the wrapper lays out its own can be read.
    argument.isInjective = !info.isLaidOut && !(info.isFresh && info.memory->isLaidOut);
    argument.isPart = info.isPart;
    argument.endsMemory = info.endsMemory;
    MemoryUse use = memoryUses.lookup(info.memory);
    argument.isBlank = info.memory->isBlank && !info.isPart && use.launches == 0 && !use.isOther;
    argument.isZero = info.isFresh && !info.memory->parameter && use.launches == 0 &&
                      !use.isOther && StringRef(info.memory->name).contains("zeros");
    argument.element = info.element;
    argument.text = info.name;
    return argument;
  }
  if (isa<SizeValue>(value) || self) {
    argument.kind = HostArgument::Number;
    argument.number = asNumber(value);
    return argument;
  }
  if (auto *integer = dyn_cast<machine::IntObject>(value); integer && integer->isSmall())
    argument.number = context.constant(integer->small);
  if (auto *type = dyn_cast<triton::DTypeValue>(value)) {
    argument.kind = HostArgument::Known;
    argument.text = type->type.spelling();
    return argument;
  }
  bool isKnown =
      isa<machine::IntObject, machine::FloatObject, machine::StrObject, machine::NoneObject>(value);
  argument.kind = isKnown ? HostArgument::Known : HostArgument::Unknown;
  argument.text = isKnown ? machine.repr(value).value_or("None") : describe(value);
  if (auto *what = dyn_cast<UnknownValue>(value))
    argument.number = what->symbol;
  return argument;
}

/// A tuple is what its items are, which follow it.
void HostMachine::addArguments(const std::string &name, PyValue value, HostLaunch &launch) {
  std::optional<ArrayRef<PyValue>> items = triton::sequence(value);
  if (!items) {
    launch.arguments.add(argumentOf(name, value, launch));
    return;
  }
  HostArgument tuple;
  tuple.kind = HostArgument::Tuple;
  tuple.name = name;
  PyValue fields = value->cls->builtin ? nullptr : value->cls->lookup(machine.intern("_fields"));
  ArrayRef<PyValue> names = fields ? triton::itemsOf(fields) : ArrayRef<PyValue>();
  tuple.isNamed = !names.empty() && names.size() == items->size();
  for (auto [number, item] : enumerate(*items)) {
    auto *field = tuple.isNamed ? dyn_cast<machine::StrObject>(names[number]) : nullptr;
    tuple.items.push_back(name + "_" + (field ? field->text.str() : std::to_string(number)));
  }
  std::vector<std::string> parts = tuple.items;
  launch.arguments.add(std::move(tuple));
  for (auto [part, item] : zip(parts, *items)) {
    size_t place = launch.arguments.size();
    addArguments(part, item, launch);
    launch.arguments[place].isItem = true;
  }
}

/// The parts of what holds together, one by one.
static void addParts(index::Pred fact, std::vector<index::Pred> &parts) {
  if (fact.getKind() != index::PredKind::And)
    return parts.push_back(fact);
  for (index::Pred part : fact.getOperands())
    addParts(part, parts);
}

/// Says everything over what is known at the end.
void HostMachine::finish(HostLaunch &launch) {
  auto change = [&](index::Expr &expr) {
    if (expr)
      expr = index::substitute(expr, replacements);
  };
  for (HostArgument &argument : launch.arguments) {
    for_each(argument.sizes, change);
    for_each(argument.strides, change);
    change(argument.number);
    change(argument.offset);
  }
  for_each(launch.grid, change);
  launch.facts.clear();
  for (index::Pred fact : facts)
    addParts(index::substitute(fact, replacements), launch.facts);
  launch.assumptions = assumptions;
  launch.freeNumbers = freeNumbers;
  launch.guessedRanks = guessedRanks;
}

void HostMachine::launchUnder(LaunchValue &target, unsigned config, machine::DictObject &meta) {
  triton::FunctionValue &kernel = *target.kernel;
  const triton::JitFunction *function = project.find(kernel.function->code->getDef());
  if (!function)
    return;
  HostLaunch launch;
  launch.wrapper = wrapperName;
  launch.place = launchPlace;
  // Texts of our own end with the machine.
  if (launchPlace.file && launchPlace.file->getName().starts_with("<"))
    launch.place = {};
  launch.config = config;
  launch.refusal = target.refusal;
  if (config < kernel.configs.size())
    for (const auto &entry : kernel.configs[config]->values->table.entries)
      if (entry.key)
        machine.dictSet(meta, entry.key, entry.value);
  // Defaults of the kernel count too.
  std::vector<machine::Name> names = machine.parameterNames(*kernel.function);
  ArrayRef<PyValue> defaults = kernel.function->defaults;
  size_t first = names.size() - std::min(defaults.size(), names.size());
  for (auto [index, name] : enumerate(names))
    if (index >= first && !machine.dictGet(meta, name))
      machine.dictSet(meta, name, defaults[index - first]);
  fillMeta(*function, kernel, meta);
  triton::HostDescriptors descriptors;
  if (!applyHeuristics(kernel, meta) || !readGrid(target, meta, launch) ||
      !project.takeApart(kernel, config, meta, *this, descriptors))
    return;
  for (machine::Name name : names) {
    PyValue value = machine.dictGet(meta, name);
    size_t first = launch.arguments.size();
    if (value)
      addArguments(name->text.str(), triton::plain(value), launch);
    else
      launch.arguments.add().name = name->text.str();
    for (size_t place = first, end = launch.arguments.size(); place < end; ++place) {
      auto parts = descriptors.find(launch.arguments[place].name);
      if (parts == descriptors.end())
        continue;
      launch.arguments[place].block = parts->second.block;
      for (const std::string &number : parts->second.numbers) {
        launch.arguments.add(argumentOf(number, machine.dictGet(meta, number), launch));
        launch.arguments.back().isOfDescriptor = true;
      }
    }
  }
  if (isSilent)
    return;
  finish(launch);
  // Hooks set what they like.
  if (config < kernel.configs.size() && kernel.configs[config]->preHook)
    for (HostArgument &argument : launch.arguments)
      argument.isBlank = false;
  pathLaunches.push_back({function, std::move(launch)});
}

/// At the end of a path it is known what else was done with the memories of a launch.
void HostMachine::keepLaunches(bool isDone) {
  for (PathLaunch &kept : pathLaunches) {
    llvm::DenseMap<const void *, unsigned> times;
    for (const HostArgument &argument : kept.launch.arguments)
      if (argument.memory)
        ++times[argument.memory];
    for (HostArgument &argument : kept.launch.arguments) {
      if (argument.memory && !argument.owner.empty() && !argument.isPart) {
        MemoryUse use = memoryUses.lookup(static_cast<const TensorInfo *>(argument.memory));
        argument.isReadAlone = times.lookup(argument.memory) == 1 && isDone && use.launches == 1 &&
                               !use.isOther && !use.isRead;
      }
      if (!argument.isBlank)
        continue;
      MemoryUse use = memoryUses.lookup(static_cast<const TensorInfo *>(argument.memory));
      argument.isBlank = times.lookup(argument.memory) == 1;
      argument.isAlone = argument.isBlank && isDone && use.launches == 1 && !use.isOther;
    }
    keep(*kept.function, std::move(kept.launch));
  }
  pathLaunches.clear();
}

void HostMachine::keep(const triton::JitFunction &function, HostLaunch launch) {
  // Paths and configurations come to launches by the thousand; a kernel is proved under few.
  constexpr size_t mostKept = 128;
  std::set<Digest> &seen = exploration->seen[function.def];
  if (seen.size() >= mostKept || !seen.insert(digest(keyOf(launch))).second)
    return;
  launch.arguments.share(knownArguments);
  // A copy has no room to spare.
  exploration->launches.push_back({function.def, std::make_shared<const HostLaunch>(launch)});
}

} // namespace nereid::audit
