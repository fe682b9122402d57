// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/Wrappers.h"
#include "audit/UseFlow.h"

#include "python/AstVisit.h"

using namespace llvm;

namespace nereid::audit {

/// Callers of one helper that are evaluated, at most.
static constexpr unsigned mostCallers = 6;

void Wrappers::visit(const python::Node &node, const python::ParsedFile &file, Function *function,
                     const DenseSet<const python::FunctionDef *> &kernels) {
  if (auto *def = dyn_cast<python::FunctionDef>(&node)) {
    if (kernels.contains(def))
      return;
    functions.emplace_back();
    function = &functions.back();
    function->file = &file;
    function->def = def;
    defined.insert({&file, def->name.str()});
    if (def->name == "backward")
      function->forward = forward;
  }
  if (auto *cls = dyn_cast<python::ClassDef>(&node)) {
    function = nullptr;
    forward = nullptr;
    for (const python::Stmt *stmt : cls->body)
      if (auto *method = dyn_cast<python::FunctionDef>(stmt); method && method->name == "forward")
        forward = method;
  }
  if (auto *call = dyn_cast<python::Call>(&node); call && function) {
    if (auto *launched = dyn_cast<python::Subscript>(call->func)) {
      function->launches = true;
      function->kernels.insert(getLastName(*launched->value));
    } else if (StringRef name = getLastName(*call->func); !name.empty()) {
      if (name != function->def->name)
        function->calls.insert(name);
    }
  }
  python::forEachChild(node,
                       [&](const python::Node &child) { visit(child, file, function, kernels); });
}

void Wrappers::addFile(const python::ParsedFile &file,
                       const DenseSet<const python::FunctionDef *> &kernels) {
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

/// Whether anybody may call a function with what it takes.
static bool isPublic(const python::FunctionDef &def) {
  return !def.name.starts_with("_") && !isGuarded(def);
}

/// Those who call it, as far as names tell: in its file, or in files that define no other function
/// of its name. Methods that PyTorch calls have common names: others of that name say nothing.
std::vector<const Wrappers::Function *> Wrappers::callersOf(const Function &function) const {
  std::vector<const Function *> callers;
  StringRef name = function.def->name;
  if (name == "forward" || name == "backward" || name.starts_with("__"))
    return callers;
  for (const Function &caller : functions) {
    bool isOther = caller.file != function.file && defined.count({caller.file, name.str()});
    if (caller.calls.contains(name) && !isOther && !isTrial(caller.def->name))
      callers.push_back(&caller);
  }
  return callers;
}

/// Whether it came to a launch.
bool Wrappers::explore(const Function &function, bool isPublic, const Function &launcher) {
  auto [place, isNew] = explored.try_emplace(function.def);
  if (isNew)
    place->second = host.explore(*function.file, *function.def, function.forward);
  const Exploration &result = place->second;
  DenseSet<const triton::JitFunction *> reached;
  for (const auto &[kernel, launch] : result.launches) {
    // Those of other helpers are found with these.
    if (!launcher.kernels.contains(kernel->name) && &function != &launcher)
      continue;
    found[kernel].launches.push_back({launch, isPublic});
    reached.insert(kernel);
  }
  if (result.problem.empty() || (reached.empty() && &function != &launcher))
    return !reached.empty();
  std::string why =
      "a path through " + function.def->name.str() + " is not understood: " + result.problem;
  for (triton::JitFunction *kernel : project.functions())
    if (reached.contains(kernel) || launcher.kernels.contains(kernel->name))
      found[kernel].problem = why;
  return !reached.empty();
}

/// Whether anybody may call the function: nothing in the tree does, or the package exports it. What
/// is only called below decorators that are not known is theirs to call.
bool Wrappers::isOffered(const Function &function) {
  if (!isPublic(*function.def))
    return false;
  std::vector<const Function *> callers = callersOf(function);
  bool isTheirs = all_of(callers, [](const Function *caller) { return isGuarded(*caller->def); });
  return callers.empty() || (!isTheirs && exports.has(*function.file, function.def->name));
}

void Wrappers::run() {
  for (const Function &function : functions) {
    if (!function.launches)
      continue;
    std::vector<const Function *> callers = callersOf(function);
    bool isTaken = callers.empty() || isOffered(function);
    bool areAllFollowed = callers.size() <= mostCallers;
    for (const Function *caller : ArrayRef(callers).take_front(mostCallers))
      areAllFollowed &= explore(*caller, isOffered(*caller), function);
    // A helper that is called in ways that are not followed is taken as it stands.
    if (isTaken || !areAllFollowed)
      explore(function, isTaken && isPublic(*function.def), function);
  }
}

} // namespace nereid::audit
