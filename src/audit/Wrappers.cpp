// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/Wrappers.h"
#include "audit/UseFlow.h"

#include "python/AstVisit.h"

using namespace llvm;

namespace nereid::audit {

/// Callers of one helper that are evaluated, at most; of one that launches what it is given, each
/// of them perhaps another kernel.
static constexpr unsigned mostCallers = 6, mostGivers = 64;

/// Whether a subscript is a grid by its looks.
static bool isGrid(const python::Expr &slice) {
  return isa<python::Tuple, python::Lambda>(slice) || getLastName(slice).contains("grid");
}

void Wrappers::visit(const python::Node &node, const python::ParsedFile &file, Function *function,
                     const llvm::DenseSet<const python::FunctionDef *> &kernels) {
  const python::ClassDef *outer = owner;
  if (auto *def = dyn_cast<python::FunctionDef>(&node)) {
    if (kernels.contains(def))
      return;
    function = &functions.emplace_back();
    function->around = around;
    function->owner = owner;
    function->file = &file;
    function->def = def;
    defined.insert({&file, def->name.str()});
    if (def->name == "backward")
      function->forward = forward;
  }
  if (auto *cls = dyn_cast<python::ClassDef>(&node)) {
    function = nullptr;
    owner = cls;
    forward = nullptr;
    for (const python::Stmt *stmt : cls->body)
      if (auto *method = dyn_cast<python::FunctionDef>(stmt); method && method->name == "forward")
        forward = method;
  }
  if (auto *part = dyn_cast<python::Subscript>(&node); part && function)
    function->subscripted.insert(getLastName(*part->value));
  if (isa<python::If, python::Raise, python::Assert>(node) && function)
    function->checks = true;
  if (auto *call = dyn_cast<python::Call>(&node); call && function) {
    if (auto *method = dyn_cast<python::Attribute>(call->func); method && method->attr == "apply")
      function->applies.insert(getLastName(*method->value));
    if (auto *launched = dyn_cast<python::Subscript>(call->func)) {
      function->launches = true;
      function->kernels.insert(getLastName(*launched->value));
      function->hasGrid |= isGrid(*launched->slice);
    } else if (StringRef name = getLastName(*call->func); !name.empty()) {
      if (name != function->def->name)
        function->calls.insert(name);
    }
  }
  bool isFunction = isa<python::FunctionDef>(node);
  if (isFunction)
    around.push_back(function->def);
  python::forEachChild(node,
                       [&](const python::Node &child) { visit(child, file, function, kernels); });
  if (isFunction)
    around.pop_back();
  owner = outer;
}

void Wrappers::addFile(const python::ParsedFile &file,
                       const llvm::DenseSet<const python::FunctionDef *> &kernels) {
  visit(file.getModule(), file, nullptr, kernels);
}

/// Whether a function only tries others: what it calls has other callers too.
static bool isTrial(StringRef name) {
  return any_of(
      ArrayRef<StringRef>{"test", "bench", "profile", "demo", "example", "main", "check_"},
      [&](StringRef head) { return name.ltrim('_').starts_with(head); });
}

/// Whether arguments may be checked, or made contiguous, before they reach the function: below a
/// decorator that is not known.
static bool isGuarded(const python::FunctionDef &def) {
  return any_of(def.decoratorList, [](const python::Expr *decorator) {
    auto *call = dyn_cast<python::Call>(decorator);
    StringRef name = getLastName(call ? *call->func : *decorator);
    return !is_contained({"staticmethod", "classmethod", "no_grad", "inference_mode",
                          "once_differentiable", "custom_fwd", "custom_bwd"},
                         name);
  });
}

/// Whether anybody may call a function with what it takes: an object too, `norm(x)`.
static bool isPublic(const python::FunctionDef &def) {
  return (!def.name.starts_with("_") || def.name == "__call__") && !isGuarded(def);
}

/// Of a method of an autograd function that is the file's own, `_Softmax`: the functions of the
/// file that apply it.
std::vector<const Wrappers::Function *> Wrappers::appliersOf(const Function &function) const {
  std::vector<const Function *> found;
  StringRef name = function.owner ? function.owner->name : "";
  if (name.starts_with("_"))
    for (const Function &other : functions)
      if (other.file == function.file && other.applies.contains(name) && !isTrial(other.def->name))
        found.push_back(&other);
  return found;
}

/// Those who call it, as far as names tell: in its file, or in files that define no other function
/// of its name. Methods that PyTorch calls have common names: others of that name say nothing.
std::vector<const Wrappers::Function *> Wrappers::callersOf(const Function &function) const {
  std::vector<const Function *> callers;
  StringRef name = function.def->name;
  if (name == "forward")
    return appliersOf(function);
  if (name == "backward" || name.starts_with("__"))
    return callers;
  for (const Function &caller : functions) {
    bool isOther = caller.file != function.file && defined.count({caller.file, name.str()});
    if (caller.calls.contains(name) && !isOther && !isTrial(caller.def->name))
      callers.push_back(&caller);
  }
  return callers;
}

/// Whether the text of a function launches a kernel by its name: the one of its own file, where
/// that has one.
bool Wrappers::names(const Function &function, const triton::JitFunction &kernel) const {
  return function.kernels.contains(kernel.name) &&
         (kernel.file == function.file || !kernelsOf.count({function.file, kernel.name}));
}

void Wrappers::use(triton::TritonProject &other) {
  project = &other;
  host.emplace(other, context);
  takenAtFirst = other.getAllocated();
}

void Wrappers::makeRoom() {
  if (!renew || project->getAllocated() - takenAtFirst < room)
    return;
  host.reset();
  use(renew());
}

/// Whether it came to a launch.
bool Wrappers::explore(const Function &function, bool isPublic, const Function &launcher) {
  auto [place, isNew] = explored.try_emplace(function.def);
  if (isNew) {
    makeRoom();
    place->second = host->explore(*function.file, *function.def, function.around, function.forward,
                                  function.owner);
  }
  const Exploration &result = place->second;
  llvm::DenseSet<const python::FunctionDef *> reached;
  for (const auto &[def, launch] : result.launches) {
    const triton::JitFunction *kernel = project->find(def);
    if (!kernel)
      continue;
    // Those of other helpers are found with these.
    bool isTheirs = named.contains(kernel->name) || !launcher.launchesOthers;
    if (!names(launcher, *kernel) && &function != &launcher && isTheirs)
      continue;
    found[def].launches.push_back({launch, isPublic});
    reached.insert(def);
  }
  if (result.problem.empty() || (reached.empty() && &function != &launcher))
    return !reached.empty();
  std::string why =
      "a path through " + function.def->name.str() + " is not understood: " + result.problem;
  for (triton::JitFunction *kernel : project->functions())
    if (reached.contains(kernel->def) || names(launcher, *kernel))
      found[kernel->def].problem = why;
  return !reached.empty();
}

/// Tells kernels from what else is called by a subscript, `handlers[name](...)`: by their names, or
/// by a grid in a file that speaks of Triton.
void Wrappers::tellKernels() {
  llvm::StringSet<> all;
  for (triton::JitFunction *kernel : project->functions()) {
    all.insert(kernel->name);
    kernelsOf.insert({kernel->file, kernel->name});
  }
  for (Function &function : functions) {
    // `launch = kernel[grid]` too.
    llvm::StringSet<> kernels;
    for (const auto &name : function.subscripted)
      if (all.contains(name.first()))
        kernels.insert(name.first());
    bool speaksOfTriton = function.file->getSource().getText().contains("triton");
    function.launchesOthers =
        function.hasGrid && speaksOfTriton &&
        any_of(function.kernels, [&](const auto &name) { return !kernels.contains(name.first()); });
    function.launches = function.launchesOthers || !kernels.empty();
    function.kernels = std::move(kernels);
    for (const auto &name : function.kernels)
      named.insert(name.first());
  }
}

/// Whether what anybody gives may come to it: to a gradient by its forward, which those that apply
/// it may keep from some tensors.
bool Wrappers::isReached(const Function &function) {
  bool isGradient = function.def->name == "backward";
  return isPublic(*function.def) &&
         (!isGradient || all_of(appliersOf(function), [&](const Function *applier) {
           // A gradient of the gradient applies its own class.
           return applier->def->name == "backward" || (isOffered(*applier) && !applier->checks);
         }));
}

/// Whether anybody may call the function: nothing in the tree does, or the package exports it. What
/// is only called below decorators that are not known is theirs to call.
bool Wrappers::isOffered(const Function &function) {
  if (!isReached(function))
    return false;
  std::vector<const Function *> callers = callersOf(function);
  bool isTheirs = all_of(callers, [](const Function *caller) { return isGuarded(*caller->def); });
  return callers.empty() || (!isTheirs && exports.has(*function.file, function.def->name));
}

void Wrappers::run(const llvm::StringSet<> &wanted) {
  tellKernels();
  for (const Function &function : functions) {
    bool isWanted = function.launchesOthers || any_of(function.kernels, [&](const auto &kernel) {
                      return wanted.contains(kernel.first());
                    });
    if (!function.launches || !isWanted)
      continue;
    std::vector<const Function *> callers = callersOf(function);
    bool isTaken = callers.empty() || isOffered(function);
    unsigned most = function.launchesOthers ? mostGivers : mostCallers;
    bool areAllFollowed = callers.size() <= most;
    for (const Function *caller : ArrayRef(callers).take_front(most))
      areAllFollowed &= explore(*caller, isOffered(*caller), function);
    // A helper that is called in ways that are not followed is taken as it stands.
    if (isTaken || !areAllFollowed)
      explore(function, isTaken && isReached(function), function);
  }
  explored.clear();
  makeRoom();
}

} // namespace nereid::audit
