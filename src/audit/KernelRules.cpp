// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/KernelRules.h"
#include "analysis/KernelLaunches.h"
#include "analysis/LaneValues.h"
#include "audit/FoldRules.h"
#include "audit/IndexRules.h"
#include "audit/MaskRule.h"
#include "audit/NumericRules.h"
#include "audit/OverflowRule.h"
#include "audit/PaddedLanes.h"
#include "audit/StoreRule.h"
#include "audit/UseFlow.h"

#include "python/AstVisit.h"
#include "tile/Instance.h"
#include "tile/TileOps.h"
#include "tile/TileTypes.h"

using namespace llvm;

namespace nereid::audit {

namespace {
class KernelRules {
public:
  explicit KernelRules(RuleSite &site) : site(site), function(site.function), name(site.kernel) {}

  void readDecorators();
  void readText(const python::Node &node);
  void readRejection(const Diagnostic &rejection);
  /// Under each launch that gives the kernel one tensor twice too.
  void findTunedInPlace(mlir::func::FuncOp kernel, const KernelLaunches &launches);
  void findPrints(mlir::func::FuncOp kernel);

private:
  Finding *add(StringRef rule, Certainty certainty, SourceLocation place, std::string message,
               std::string help) {
    return site.add(rule, certainty, place, std::move(message), std::move(help));
  }
  static const python::Expr *keyword(const python::Call &call, StringRef name) {
    for (const python::Keyword *given : call.keywords)
      if (given->arg == name)
        return given->value;
    return nullptr;
  }

  static ArrayRef<const python::Expr *> getItems(const python::Expr *list) {
    if (auto *items = dyn_cast_if_present<python::List>(list))
      return items->elts;
    if (auto *items = dyn_cast_if_present<python::Tuple>(list))
      return items->elts;
    return {};
  }
  void checkNames(const python::Expr *list, const std::string &what, StringRef then,
                  StringRef help);
  bool isRestored(StringRef argument) const;
  /// Of each argument the first one that leads to the same memory.
  using Same = llvm::DenseMap<unsigned, unsigned>;
  void findTunedInPlace(mlir::func::FuncOp kernel, const Same &same,
                        llvm::DenseSet<unsigned> &told);

  RuleSite &site;
  const triton::JitFunction &function;
  const std::string &name;
  /// Its `@triton.autotune(...)`; null without one.
  const python::Call *tuning = nullptr;
};
} // namespace

void KernelRules::readDecorators() {
  for (const python::Expr *decorator : function.def->decoratorList) {
    auto *call = dyn_cast<python::Call>(decorator);
    if (!call || getLastName(*call->func) != "autotune")
      continue;
    tuning = call;
    const python::Expr *key = keyword(*call, "key");
    if (!key && call->args.size() > 1)
      key = call->args[1];
    auto *list = dyn_cast_if_present<python::List>(key);
    // What `**options` say is not known.
    bool isPoor = list && list->elts.empty() && function.configs.size() > 1 &&
                  none_of(call->keywords, [](auto *given) { return given->arg.empty(); });
    if (isPoor)
      add("TRP005", Certainty::Likely, site.placeOf(*list),
          "the key of " + name +
              " names nothing: what is best for the sizes of the first call is "
              "taken for all others",
          "name the sizes on which the best configuration depends");
    checkNames(key, "the key '", ", and Triton leaves it out without a word",
               "name a parameter on which the best configuration depends");
    for (StringRef option : {"restore_value", "reset_to_zero"})
      checkNames(keyword(*call, option), option.str() + " '",
                 ": tuning ends with a KeyError, newer versions of Triton refuse it at once",
                 "name the parameter that the kernel changes");
  }
}

/// TRP006: names that no parameter has.
void KernelRules::checkNames(const python::Expr *list, const std::string &what, StringRef then,
                             StringRef help) {
  for (const python::Expr *item : getItems(list)) {
    auto *text = dyn_cast<python::Constant>(item);
    bool isKnown = !text || !text->isStr() ||
                   any_of(getParameters(*function.def->args),
                          [&](const python::Arg *arg) { return arg->arg == text->text; });
    if (!isKnown)
      add("TRP006", Certainty::Proved, site.placeOf(*item),
          what + text->text.str() + "' names no parameter of " + name + then.str(), help.str());
  }
}

/// Whether each configuration finds this argument as the one before did, or it is not known which
/// ones are restored.
bool KernelRules::isRestored(StringRef argument) const {
  for (StringRef option : {"restore_value", "reset_to_zero"}) {
    const python::Expr *given = keyword(*tuning, option);
    bool isKnown = isa_and_present<python::List, python::Tuple>(given);
    if (given && !isKnown)
      return true;
    for (const python::Expr *item : getItems(given)) {
      auto *text = dyn_cast<python::Constant>(item);
      if (!text || !text->isStr() || text->text == argument)
        return true;
    }
  }
  return false;
}

void KernelRules::readText(const python::Node &node) {
  auto *call = dyn_cast<python::Call>(&node);
  StringRef callee = call ? getLastName(*call->func) : "";
  if (callee == "arange" && call->args.size() == 2) {
    auto *from = dyn_cast<python::Constant>(call->args[0]);
    auto *to = dyn_cast<python::Constant>(call->args[1]);
    int64_t begin = 0, end = 0;
    bool isKnown = from && to && from->isInt() && to->isInt() && from->radix == 10 &&
                   to->radix == 10 && !from->text.getAsInteger(10, begin) &&
                   !to->text.getAsInteger(10, end);
    if (isKnown && (end <= begin || !isPowerOf2_64(end - begin)))
      add("TRC014", Certainty::Proved, site.placeOf(*call),
          "a tile has " + std::to_string(end - begin) +
              " elements, and Triton allows powers of two alone",
          "take the next power of two, and mask the rest");
  }
  if (callee == "make_block_ptr" || callee == "advance")
    add("TRB003", Certainty::Proved, site.placeOf(*call),
        "block pointers are deprecated since Triton 3.6, and 3.9 has none",
        "use tl.make_tensor_descriptor, or pointers and masks");
  python::forEachChild(node, [&](const python::Node &child) { readText(child); });
}

void KernelRules::readRejection(const Diagnostic &rejection) {
  StringRef message = rejection.message;
  if (message.starts_with("`continue`") || message.starts_with("`break`"))
    add("TRC016", Certainty::Proved, rejection.location, rejection.message, rejection.help);
}

/// The arguments that a launch gives one tensor; empty where it gives no tensor twice.
static llvm::DenseMap<unsigned, unsigned> findSame(mlir::func::FuncOp kernel,
                                                   const HostLaunch &launch) {
  llvm::DenseMap<unsigned, unsigned> same;
  SmallVector<std::pair<const HostArgument *, unsigned>> tensors;
  for (unsigned position = 0; position < kernel.getNumArguments(); ++position) {
    std::string name = tile::getArgumentName(kernel, position);
    auto given = find_if(launch.arguments, [&](const auto &a) { return a.name == name; });
    if (given == launch.arguments.end() || given->kind != HostArgument::Tensor || !given->memory ||
        given->isPart)
      continue;
    auto first = find_if(tensors, [&](const auto &known) {
      return known.first->memory == given->memory && known.first->sizes == given->sizes &&
             known.first->strides == given->strides;
    });
    if (first != tensors.end())
      same[position] = first->second;
    else
      tensors.push_back({&*given, position});
  }
  return same;
}

/// TRC010: each configuration that is tried runs on what the one before left.
void KernelRules::findTunedInPlace(mlir::func::FuncOp kernel, const KernelLaunches &launches) {
  if (!tuning || function.configs.size() < 2 || keyword(*tuning, "pre_hook") ||
      function.file->getText(*tuning).contains("pre_hook"))
    return;
  llvm::DenseSet<unsigned> told;
  findTunedInPlace(kernel, Same(), told);
  for (const FoundLaunch &found : launches.launches)
    if (Same same = findSame(kernel, *found.launch); !same.empty())
      findTunedInPlace(kernel, same, told);
}

void KernelRules::findTunedInPlace(mlir::func::FuncOp kernel, const Same &same,
                                   llvm::DenseSet<unsigned> &told) {
  analysis::LaunchContract contract(analysis::openContractOf(kernel));
  analysis::LaneValues lanes(kernel, contract);
  // What is read elsewhere in the tensor may be what no run changes.
  llvm::DenseSet<std::pair<unsigned, index::Expr>> loads;
  // Nor is what the kernel itself has written before.
  llvm::DenseSet<unsigned> stored;
  kernel.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    using Place = std::pair<unsigned, index::Expr>;
    auto placeOf = [&](mlir::Value pointer) -> std::optional<Place> {
      const analysis::LaneValue &value = lanes.get(pointer);
      if (value.kind != analysis::LaneValue::Kind::Pointer)
        return std::nullopt;
      auto first = same.find(value.argument);
      return Place(first == same.end() ? value.argument : first->second, value.expr);
    };
    auto tell = [&](unsigned argument, StringRef what) {
      std::string pointer = tile::getArgumentName(kernel, argument);
      bool isMended =
          isRestored(pointer) || any_of(same, [&](const auto &pair) {
            return pair.second == argument && isRestored(tile::getArgumentName(kernel, pair.first));
          });
      if (isMended || !told.insert(argument).second)
        return;
      Finding *finding =
          add("TRC010", Certainty::Likely, site.placeOf(op),
              "'" + pointer + "' is " + what.str() +
                  " by an autotuned kernel: every configuration that is tried changes what the "
                  "next one reads",
              "write @triton.autotune(..., restore_value=[\"" + pointer + "\"]), or reset_to_zero");
      if (finding)
        finding->suggestions.push_back(
            {Suggestion::ListItem, site.placeOf(*tuning), "restore_value", "\"" + pointer + "\""});
    };
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      if (auto place = placeOf(load.getPtr()); place && !stored.contains(place->first))
        loads.insert(*place);
    } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
      auto place = placeOf(store.getPtr());
      if (place && loads.contains(*place))
        tell(place->first, "read and written");
      if (place)
        stored.insert(place->first);
    } else if (auto rmw = dyn_cast<tile::AtomicRmwOp>(op)) {
      if (auto place = placeOf(rmw.getPtr()))
        tell(place->first, "added to");
    }
  });
}

/// TRB002: it is compiled at the launch's own constants, so it prints.
void KernelRules::findPrints(mlir::func::FuncOp kernel) {
  kernel.walk([&](tile::PrintOp op) {
    add("TRB002", Certainty::Likely, site.placeOf(op), "the kernel prints",
        "remove the print, or put it under a tl.constexpr switch that is off");
  });
}

void applyKernelRules(RuleSite &site, ArrayRef<mlir::func::FuncOp> kernels,
                      const Diagnostic *rejection, const KernelLaunches &launches,
                      const AuditedKernel &audited) {
  KernelRules rules(site);
  rules.readDecorators();
  for (const python::Stmt *stmt : site.function.def->body)
    rules.readText(*stmt);
  if (kernels.empty() && rejection)
    rules.readRejection(*rejection);
  for (mlir::func::FuncOp kernel : kernels) {
    rules.findTunedInPlace(kernel, launches);
    findNarrowSums(kernel, site);
    rules.findPrints(kernel);
    findPaddedLanes(kernel, site);
    findFoldFaults(kernel, launches, site);
    findMissingMasks(kernel, launches, audited, site);
    findSharedStores(kernel, launches, site);
    findUndefinedMath(kernel, site);
    findEndsOfRanges(kernel, site);
    findLateGuards(kernel, site);
    findLostCounts(kernel, launches, site);
    findSameRandoms(kernel, launches, site);
    findMissingBarriers(kernel, site);
  }
  // One finding for all instances.
  if (!kernels.empty())
    findIndexOverflows(kernels, launches, audited, site);
}

} // namespace nereid::audit
