// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The paths through a wrapper: what its parameters are, which way its conditions go.
#include "audit/HostMachine.h"

#include "python/AstVisit.h"
#include "python/machine/Machine.h"
#include "python/machine/ModuleFrame.h"

using namespace llvm;
using nereid::machine::Answer;
using nereid::machine::Machine;

namespace nereid::audit {

/// More paths than these are not followed; fewer where those of other wrappers have taken much
/// memory, which nothing gives back.
static unsigned mostPathsNow(const Machine &machine) {
  constexpr uint64_t much = uint64_t(1) << 31;
  uint64_t taken = machine.getAllocated();
  return taken < much ? 512 : taken < 2 * much ? 64 : 16;
}
static constexpr uint64_t stepsOfPath = 200'000;

HostMachine::HostMachine(triton::TritonProject &project, index::Context &context)
    : project(project), machine(project.getMachine()), context(context) {
  auto make = [&](StringRef name) { return machine.makeClass(name, {}, this); };
  sizeClass = make("size");
  conditionClass = make("condition");
  unknownClass = make("unknown");
  tensorClass = make("Tensor");
  methodClass = make("method");
  launchClass = make("launch");
  project.setLauncher(this);
}

HostMachine::~HostMachine() { project.setLauncher(nullptr); }

python::Stmt *HostMachine::withoutDecorators(const python::FunctionDef &def) {
  python::FunctionDef &plain = definitions.emplace_back(def);
  plain.decoratorList = {};
  return &plain;
}

/// The definition without its decorators, in the names of its file.
machine::FunctionObject *HostMachine::makeFunction(const python::ParsedFile &file,
                                                   const python::FunctionDef &def) {
  auto [known, isNew] = functions.try_emplace(&def, nullptr);
  machine::ModuleObject *module = machine.moduleOf(&file.getSource());
  if (!isNew || !module)
    return known->second;
  machine::ModuleFrame frame(file, *module, machine.makeNamespace(nullptr));
  python::Stmt *stmt = withoutDecorators(def);
  if (machine.runBlock(ArrayRef(stmt), frame).isRaise()) {
    (void)machine.takeError();
    return nullptr;
  }
  PyValue made = frame.locals->get(machine.intern(def.name));
  return known->second = dyn_cast_if_present<machine::FunctionObject>(made);
}

unsigned HostMachine::choose(unsigned count, StringRef key, bool isEither) {
  if (auto known = decided.find(key); !key.empty() && known != decided.end())
    return known->second;
  constexpr size_t mostChoices = 40;
  if (paths.length() >= mostChoices) {
    if (!machine.pending())
      machine.refuse("one path has more than " + Twine(mostChoices) + " conditions");
    return 0;
  }
  unsigned taken = paths.choose(count, isEither);
  if (!key.empty())
    decided[key] = taken;
  return taken;
}

/// What the path knows, and that sizes are at least 0.
index::Facts HostMachine::factsAbout(ArrayRef<index::Expr> symbols) const {
  index::Facts known(context);
  for (index::Pred fact : facts)
    known.assume(fact);
  for (index::Expr symbol : symbols)
    if (!freeNumbers.count(symbol.getName().str()))
      known.setRange(symbol, index::Range::atLeast(0));
  return known;
}

bool HostMachine::decide(index::Pred pred, StringRef key) {
  if (!pred)
    return choose(2, key) == 0;
  SmallVector<index::Expr> symbols;
  index::forEachSymbol(pred, [&](index::Expr symbol) { symbols.push_back(symbol); });
  index::Facts known = factsAbout(symbols);
  if (index::Truth truth = known.prove(pred); truth != index::Truth::Unknown)
    return truth == index::Truth::True;
  bool holds = choose(2, "") == 0;
  facts.push_back(holds ? pred : index::notOf(pred));
  return holds;
}

static bool isConstant(PyValue value) {
  return isa<machine::IntObject, machine::FloatObject, machine::StrObject>(value);
}

PyValue HostMachine::makeParameter(machine::FunctionObject &function, const python::Arg &arg,
                                   PyValue fallback) {
  std::string name = arg.arg.str();
  StringRef type = arg.annotation ? function.code->file->getText(*arg.annotation) : "";
  if (name == "self" || name == "cls" || name == "ctx")
    return unknown(name);
  // An option forks a path where it is asked for, its default first.
  if (auto *boolean = dyn_cast_if_present<machine::BoolObject>(fallback))
    return condition({}, (boolean->value() ? "option " : "no option ") + name);
  bool isOptional =
      (fallback && triton::isNone(fallback)) || type.contains("Optional") || type.contains("None");
  if (isOptional && choose(2, "parameter " + name) == 1)
    return machine.none();
  if (fallback && isConstant(fallback)) {
    assumptions.insert(name + " = " + machine.repr(fallback).value_or("its default"));
    return fallback;
  }
  if (type.contains("bool"))
    return condition({}, "option " + name);
  if (type.contains("str") || type.contains("dtype") || type.contains("Callable") ||
      type.contains("ist[") || type.contains("uple[")) {
    PyValue given = unknown(name);
    cast<UnknownValue>(given)->isParameter = true;
    return given;
  }
  auto *value = cast<HostTensor>(tensor(makeInfo(name)));
  value->info->parameter = value->info;
  value->state = HostTensor::Open;
  if (type.contains("Tensor"))
    value->state = HostTensor::Tensor;
  else if (type == "int" || type == "float" || StringRef(type).starts_with("int "))
    (void)asNumber(value);
  return value;
}

/// How many items of `*args` a function speaks of: `args[1]`, `x, y = args`.
static size_t countItems(const python::Node &node, StringRef name) {
  auto isName = [&](const python::Expr &expr) {
    auto *read = dyn_cast<python::Name>(&expr);
    return read && read->id == name;
  };
  size_t count = 0;
  if (auto *item = dyn_cast<python::Subscript>(&node); item && isName(*item->value)) {
    auto *place = dyn_cast<python::Constant>(item->slice);
    std::optional<int64_t> number = place && place->isInt() ? place->getInt64() : std::nullopt;
    count = number && *number >= 0 && *number < 16 ? *number + 1 : 0;
  }
  if (auto *assign = dyn_cast<python::Assign>(&node); assign && isName(*assign->value))
    if (auto *parts = dyn_cast<python::Tuple>(assign->targets.front()))
      count = parts->elts.size();
  python::forEachChild(
      node, [&](const python::Node &child) { count = std::max(count, countItems(child, name)); });
  return count;
}

bool HostMachine::callOnParameters(machine::FunctionObject &function, PyValue &result,
                                   ArrayRef<PyValue> outputs) {
  const python::Arguments &args = *function.code->args;
  SmallVector<PyValue> positional;
  SmallVector<std::pair<machine::Name, PyValue>> keywords;
  SmallVector<const python::Arg *> all(args.posonlyargs.begin(), args.posonlyargs.end());
  all.append(args.args.begin(), args.args.end());
  size_t first = all.size() - function.defaults.size();
  for (auto [index, arg] : enumerate(all)) {
    // The gradient of a result has its shape.
    auto *output =
        index > 0 && index <= outputs.size() ? dyn_cast<HostTensor>(outputs[index - 1]) : nullptr;
    if (output && output->state == HostTensor::Tensor) {
      TensorInfo *gradient = makeInfo(arg->arg);
      (void)askRank(*output->info);
      gradient->hasRank = true;
      gradient->sizes = output->info->sizes;
      gradient->strides.resize(gradient->sizes.size());
      gradient->parameter = gradient;
      positional.push_back(tensor(gradient));
      continue;
    }
    positional.push_back(
        makeParameter(function, *arg, index >= first ? function.defaults[index - first] : nullptr));
  }
  if (args.vararg)
    for (size_t item = 0, count = countItems(*function.code->getDef(), args.vararg->arg);
         item < count; ++item) {
      auto *given =
          cast<HostTensor>(tensor(makeInfo(args.vararg->arg.str() + "[" + Twine(item) + "]")));
      given->info->parameter = given->info;
      given->state = HostTensor::Open;
      positional.push_back(given);
    }
  for (const python::Arg *arg : args.kwonlyargs) {
    PyValue fallback = nullptr;
    for (auto [name, value] : function.keywordDefaults)
      if (name->text == arg->arg)
        fallback = value;
    keywords.push_back({machine.intern(arg->arg), makeParameter(function, *arg, fallback)});
  }
  machine.renewBudget(stepsOfPath, 5);
  result = machine.callWithPolicy(function, machine::CallArgs{positional, keywords}, *this);
  return result != nullptr;
}

static bool isRaiseStatement(const SourceLocation &place) {
  return place.file && place.file->getText().drop_front(place.range.begin).starts_with("raise");
}

/// The function that the outer one defines on this path, with the names around it; null where the
/// path does not come to it.
machine::FunctionObject *HostMachine::definedBy(machine::FunctionObject &outer) {
  PyValue result = nullptr;
  made = nullptr;
  isSilent = true;
  bool isDone = callOnParameters(outer, result, {});
  isSilent = false;
  hasLaunched = false;
  // What fails behind the definition says nothing of it.
  if (!isDone && made)
    (void)machine.takeError();
  return made;
}

bool HostMachine::runPath(machine::FunctionObject &outermost, machine::FunctionObject *before) {
  earlierInfos = infos.size();
  facts.clear();
  memoryUses.clear();
  pathLaunches.clear();
  decided.clear();
  assumptions.clear();
  if (tries)
    assumptions.insert("nothing fails that '" + wrapperName + "' tries");
  freeNumbers.clear();
  guessedRanks.clear();
  replacements.clear();
  fresh = 0;
  hasLaunched = false;
  saved.clear();
  PyValue result = nullptr;
  SmallVector<PyValue> outputs;
  bool isDone = true;
  if (before) {
    isSilent = true;
    isDone = callOnParameters(*before, result, {});
    isSilent = false;
    hasLaunched = false;
    if (isDone) {
      std::optional<ArrayRef<PyValue>> items = triton::sequence(result);
      outputs.assign(items ? *items : ArrayRef<PyValue>(result));
    }
  }
  machine::FunctionObject *function = &outermost;
  for (; isDone && !inner.empty(); inner = inner.drop_front()) {
    function = definedBy(*function);
    if (!function && !machine.pending())
      return true;
    isDone = function;
  }
  bool isOver = isDone && callOnParameters(*function, result, outputs);
  keepLaunches(isOver);
  if (isOver)
    return true;
  // What the wrapper itself raises is its way to refuse an input.
  bool isRaised = !machine.pendingRefusal();
  Diagnostic error = machine.takeError();
  bool isOwn = isRaised && (StringRef(error.message).starts_with("AssertionError") ||
                            StringRef(error.message).starts_with("ValueError") ||
                            StringRef(error.message).starts_with("NotImplementedError") ||
                            StringRef(error.message).starts_with("RuntimeError") ||
                            StringRef(error.message).starts_with("IndexError") ||
                            isRaiseStatement(error.location));
  if (!isOwn && exploration->problem.empty()) {
    exploration->problem = error.message;
    exploration->place = error.location;
  }
  return false;
}

/// Whether a function goes on behind what fails in it.
static bool hasHandlers(const python::Node &node) {
  auto *attempt = dyn_cast<python::Try>(&node);
  bool found = attempt && !attempt->handlers.empty();
  python::forEachChild(node, [&](const python::Node &child) { found |= hasHandlers(child); });
  return found;
}

Exploration HostMachine::explore(const python::ParsedFile &file, const python::FunctionDef &wrapper,
                                 ArrayRef<const python::FunctionDef *> around,
                                 const python::FunctionDef *forward,
                                 const python::ClassDef *owner) {
  Exploration result;
  this->owner = owner;
  ownerFile = &file;
  exploration = &result;
  wrapperName = wrapper.name.str();
  tries = hasHandlers(wrapper);
  paths = {};
  unsigned mostPaths = mostPathsNow(machine);
  machine.defaultPolicy = this;
  machine.session([&] {
    machine.renewBudget(stepsOfPath, 5);
    SmallVector<const python::FunctionDef *> within(around);
    within.push_back(&wrapper);
    machine::FunctionObject *function = makeFunction(file, *within.front());
    machine::FunctionObject *before = forward ? makeFunction(file, *forward) : nullptr;
    if (!function) {
      result.problem = "the definition could not be evaluated";
      result.place = file.getLocation(wrapper);
      return;
    }
    for (unsigned path = 0;; ++path) {
      if (path == mostPaths) {
        result.problem = "the wrapper has more than " + std::to_string(mostPaths) + " paths";
        result.place = file.getLocation(wrapper);
        return;
      }
      // What a path keeps in its modules (caches, say) is none of the next one's.
      machine::Journal journal(machine);
      inner = ArrayRef(within).drop_front();
      (void)runPath(*function, before);
      if (!journal.undo())
        (void)machine.takeError();
      if (!paths.next(hasLaunched))
        return;
    }
  });
  machine.defaultPolicy = nullptr;
  exploration = nullptr;
  return result;
}

} // namespace nereid::audit
