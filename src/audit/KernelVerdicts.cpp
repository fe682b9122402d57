// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How bad a counterexample is, and how it is told.
#include "analysis/Replay.h"
#include "audit/KernelAudit.h"
#include "audit/Uses.h"

#include "tile/TileOps.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid::audit {

using analysis::Property;
using analysis::Verdict;

/// The caller's tensors that the fault hangs on.
static std::set<std::string> ownersOf(const analysis::Witness &witness) {
  std::set<std::string> owners;
  for (const std::string &size : witness.sizes)
    if (std::string owner = ownerOf(size); !owner.empty())
      owners.insert(owner);
  return owners;
}

/// Whether the wrapper asks something of two of the tensors together.
static bool relates(const HostLaunch &launch, const std::set<std::string> &owners) {
  return any_of(launch.facts, [&](index::Pred fact) {
    std::set<std::string> met;
    index::forEachSymbol(fact, [&](index::Expr symbol) {
      if (std::string owner = ownerOf(symbol.getName()); owners.count(owner))
        met.insert(owner);
    });
    return met.size() > 1;
  });
}

/// Whether the wrapper makes a size equal to one of another of the owners.
static bool isTied(const HostLaunch &launch, StringRef size, const std::set<std::string> &others) {
  return any_of(launch.facts, [&](index::Pred fact) {
    bool speaksOfIt = false, ofOthers = true, ofAny = false;
    index::forEachSymbol(fact, [&](index::Expr symbol) {
      if (symbol.getName() == size)
        return void(speaksOfIt = true);
      ofAny = true;
      ofOthers &= others.count(ownerOf(symbol.getName())) != 0;
    });
    return fact.getKind() == index::PredKind::Zero && speaksOfIt && ofAny && ofOthers;
  });
}

/// Whether the wrapper makes a number of the caller's equal to something of the sizes of tensors: a
/// wrong one is refused.
static bool isChecked(const HostLaunch &launch, StringRef number) {
  return any_of(launch.facts, [&](index::Pred fact) {
    bool speaksOfIt = false, isOfSizes = false;
    index::forEachSymbol(fact, [&](index::Expr symbol) {
      speaksOfIt |= symbol.getName() == number;
      isOfSizes |= !ownerOf(symbol.getName()).empty();
    });
    return fact.getKind() == index::PredKind::Zero && speaksOfIt && isOfSizes;
  });
}

/// Drops the tensors whose axes, those that the fault hangs on, the wrapper makes as long as axes
/// of the others: these fit.
static void dropFitting(const analysis::Witness &witness, const HostLaunch &launch,
                        std::set<std::string> &owners) {
  for (const std::string &owner : std::set<std::string>(owners)) {
    std::set<std::string> others = owners;
    others.erase(owner);
    bool fits = !others.empty() && all_of(witness.sizes, [&](const std::string &size) {
      bool isAxis = ownerOf(size) == owner && !StringRef(size).contains(".stride(");
      return !isAxis || isTied(launch, size, others);
    });
    if (fits)
      owners = others;
  }
}

/// Tensors of which the wrapper asks a size by number, `if n == 100`: what hangs on that number
/// hangs on them.
static void addPinned(const HostLaunch &launch, std::set<std::string> &owners) {
  for (index::Pred fact : launch.facts) {
    std::set<std::string> met;
    unsigned symbols = 0;
    index::forEachSymbol(fact, [&](index::Expr symbol) {
      ++symbols;
      met.insert(ownerOf(symbol.getName()));
    });
    if (fact.getKind() == index::PredKind::Zero && symbols == 1 && !met.count(""))
      owners.insert(met.begin(), met.end());
  }
}

/// The sizes of the caller's tensors that a launch speaks of: of axes, and of tensors whose axes
/// nobody has asked for.
struct CallerSizes {
  llvm::SetVector<index::Expr> axes, counts;
  /// Those that are constants of the kernel.
  llvm::SetVector<index::Expr> constants;
  unsigned rank = 1;
};

static CallerSizes sizesOf(const HostLaunch &launch, const triton::JitFunction &function) {
  CallerSizes sizes;
  auto look = [&](index::Expr expr) {
    index::forEachSymbol(expr, [&](index::Expr symbol) {
      StringRef name = symbol.getName();
      if (name.contains(".shape["))
        sizes.axes.insert(symbol);
      else if (name.ends_with(".numel()"))
        sizes.counts.insert(symbol);
    });
  };
  for (const HostArgument &argument : launch.arguments) {
    for_each(argument.sizes, look);
    sizes.rank = std::max<unsigned>(sizes.rank, argument.sizes.size());
    if (!argument.number)
      continue;
    look(argument.number);
    if (argument.number.isSymbol() && isConstexpr(function, argument.name))
      sizes.constants.insert(argument.number);
  }
  for (index::Pred fact : launch.facts)
    index::forEachSymbol(fact, look);
  return sizes;
}

/// The counterexample that is left where the caller's sizes satisfy more.
std::optional<analysis::AccessVerdict>
KernelAudit::wrongUnder(const analysis::AccessVerdict &verdict, const HostLaunch &launch,
                        ArrayRef<index::Pred> more, mlir::func::FuncOp compiled) {
  HostLaunch fewer = launch;
  append_range(fewer.facts, more);
  HostContract contract = contractFor(compiled, fewer, true);
  for (analysis::AccessVerdict &other :
       analysis::proveAccesses(compiled, contract.contract, nullptr, analysis::Apart::All))
    if (other.op == verdict.op && other.property == verdict.property &&
        other.verdict == Verdict::Counterexample)
      return std::move(other);
  return std::nullopt;
}

/// The caller's tensors fit in any way that may be meant: all of their axes are as long.
static SmallVector<index::Pred> fittingFacts(const CallerSizes &sizes) {
  SmallVector<index::Pred> facts;
  ArrayRef<index::Expr> axes = sizes.axes.getArrayRef(), counts = sizes.counts.getArrayRef();
  for (index::Expr axis : axes.drop_front(axes.empty() ? 0 : 1))
    facts.push_back(index::eq(axis, axes.front()));
  if (axes.empty()) {
    for (index::Expr count : counts.drop_front(counts.empty() ? 0 : 1))
      facts.push_back(index::eq(count, counts.front()));
    return facts;
  }
  index::Expr most = axes.front();
  for (unsigned axis = 1; axis < sizes.rank; ++axis)
    most = most * axes.front();
  for (index::Expr count : counts)
    facts.push_back(index::ge(count, most));
  return facts;
}

/// The counterexample that is left where all axes of the caller's tensors are long, those that are
/// constants of the kernel a power of two perhaps.
std::optional<analysis::AccessVerdict>
KernelAudit::wrongForLong(const analysis::AccessVerdict &verdict, const HostLaunch &launch,
                          const CallerSizes &sizes, ArrayRef<index::Pred> fitting,
                          mlir::func::FuncOp compiled) {
  constexpr int64_t longAxis = 9;
  index::Facts known(contractFor(compiled, launch, true).contract.getContext());
  for (index::Pred fact : launch.facts)
    known.assume(fact);
  for (int64_t constant : {0, 16, 64}) {
    SmallVector<index::Pred> facts(fitting);
    // The wrapper may ask for short ones.
    for (const auto &symbols : {sizes.axes, sizes.counts})
      for (index::Expr symbol : symbols)
        if (index::Pred isLong = index::ge(symbol, longAxis);
            known.prove(isLong) != index::Truth::False)
          facts.push_back(isLong);
    if (constant)
      for (index::Expr symbol : sizes.constants)
        facts.push_back(index::eq(symbol, constant));
    if (auto wrong = wrongUnder(verdict, launch, facts, compiled))
      return wrong;
    if (sizes.constants.empty())
      break;
  }
  return std::nullopt;
}

/// How bad a counterexample is: an error where a public wrapper admits it however well the caller's
/// tensors fit. The witness is then one of tensors that do.
Severity KernelAudit::judge(analysis::AccessVerdict &verdict, const FoundLaunch &found,
                            mlir::func::FuncOp compiled, std::string &why) {
  const HostLaunch &launch = *found.launch;
  if (!found.isPublic) {
    why = launch.wrapper + " is called by others of the package, which may not admit it";
    return Severity::Note;
  }
  for (const auto &[name, value] : verdict.witness->values)
    if (launch.freeNumbers.count(name) && !isChecked(launch, name)) {
      why = "it is for the caller to give a right '" + StringRef(name).split('#').first.str() + "'";
      return Severity::Note;
    }
  if (verdict.property == Property::Disjoint && isa<tile::StoreOp>(verdict.op) &&
      !analysis::hangsOnOrder(verdict, contractFor(compiled, launch, true).contract)) {
    why = "programs were seen to store the same there, in any order";
    return Severity::Note;
  }
  if (isRefuted(verdict, launch, compiled)) {
    why = "compiled at these constants the kernel was not seen to fail";
    return Severity::Note;
  }
  CallerSizes sizes = sizesOf(launch, function);
  SmallVector<index::Pred> fitting;
  std::set<std::string> owners = ownersOf(*verdict.witness);
  dropFitting(*verdict.witness, launch, owners);
  addPinned(launch, owners);
  if (owners.size() > 1) {
    // Of a tensor whose axes were guessed there is no telling what fits.
    bool isGuessed = any_of(
        owners, [&](const std::string &owner) { return launch.guessedRanks.count(owner) != 0; });
    fitting = fittingFacts(sizes);
    std::optional<analysis::AccessVerdict> wrong;
    if (!isGuessed)
      wrong = wrongUnder(verdict, launch, fitting, compiled);
    if (!wrong) {
      why = "it is for the caller to give tensors of fitting shapes: " + launch.wrapper +
            (relates(launch, owners) ? " does not check enough of " : " checks nothing of ") +
            llvm::join(owners, " and ");
      return Severity::Note;
    }
    verdict = std::move(*wrong);
  }
  if (!wrongForLong(verdict, launch, sizes, fitting, compiled)) {
    why = "it is for the caller to give axes that are long enough, which " + launch.wrapper +
          " does not check";
    return Severity::Note;
  }
  return Severity::Error;
}

/// Whether a kernel does not compile whatever the types of its tensors are.
static bool isAboutTiles(StringRef message) {
  static constexpr StringLiteral starts[] = {
      "the length of tl.arange must be a power", "the end of tl.arange must be a constexpr",
      "the start of tl.arange must be a constexpr", "the inner extents of tl.dot differ"};
  return any_of(starts, [&](StringRef start) { return message.starts_with(start); });
}

/// TRC014: the launch itself gives a tile an extent that Triton does not allow. Of kernels that are
/// tuned, the list may be pruned.
void KernelAudit::findTile(const FoundLaunch &found, const AuditedKernel &kernel,
                           std::vector<Finding> &findings) {
  bool isAboutTile = rejectedLaunch && isAboutTiles(rejectedLaunch->message);
  bool isGiven = all_of(found.launch->arguments, [&](const HostArgument &argument) {
    return argument.kind == HostArgument::Known || !isConstexpr(function, argument.name);
  });
  if (!isAboutTile || !isGiven || !function.configs.empty())
    return;
  Finding &finding = findings.emplace_back();
  finding.rule = findRule("TRC014");
  finding.severity = Severity::Error;
  finding.certainty = Certainty::Proved;
  finding.kernel = kernel.name;
  finding.diagnostic = *rejectedLaunch;
  finding.diagnostic.severity = Severity::Error;
  finding.diagnostic.notes.clear();
  finding.diagnostic.message = "'" + function.name + "' does not compile as '" +
                               found.launch->wrapper + "' launches it: " + rejectedLaunch->message;
  finding.diagnostic.addNote(found.launch->place, "launched so");
}

/// TRC029: the launch raises whatever its arguments are.
void KernelAudit::reportRefusal(const FoundLaunch &found, const AuditedKernel &kernel,
                                std::vector<Finding> &findings) {
  Finding &finding = findings.emplace_back();
  finding.rule = findRule("TRC029");
  finding.severity = finding.diagnostic.severity = finding.rule->severity;
  finding.certainty = Certainty::Proved;
  finding.kernel = kernel.name;
  finding.diagnostic.location = found.launch->place;
  finding.diagnostic.message = "Triton refuses this launch: " + found.launch->refusal;
}

void KernelAudit::report(const analysis::AccessVerdict &verdict, const AuditedAccess &access,
                         Severity severity, const std::string &why, const FoundLaunch &found,
                         AuditedKernel &kernel, std::vector<Finding> &findings) {
  bool isBounds = verdict.property == Property::InBounds;
  Finding finding;
  finding.rule = findRule(isBounds ? "TRC001" : "TRC006");
  finding.severity = severity;
  finding.certainty = Certainty::Witnessed;
  finding.kernel = kernel.name;
  finding.witness = access.witness;
  Diagnostic &diagnostic = finding.diagnostic;
  diagnostic.severity = severity;
  diagnostic.location = locate(verdict.op->getLoc(), project);
  std::string element =
      "element " + std::to_string(verdict.witness->offset) + " of '" + access.argument + "'";
  std::string where = " for " + verdict.witness->str();
  bool isStore = isa<tile::StoreOp>(verdict.op);
  diagnostic.message =
      isBounds
          ? access.operation + " touches " + element + ", which lies outside of the tensor," + where
      : isStore
          ? "two programs store to " + element + where
          : access.operation + " uses " + element + ", which another program stores to," + where;
  diagnostic.addNote(found.launch->place, "launched so by '" + found.launch->wrapper +
                                              "'; a run of the interpreter shows it");
  if (!why.empty())
    diagnostic.addNote({}, why);
  findings.push_back(std::move(finding));
}

} // namespace nereid::audit
