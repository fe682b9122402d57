// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How bad a counterexample is, and how it is told.
#include "audit/KernelAudit.h"

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

/// Whether there is still a counterexample where all axes of the caller's tensors are long.
bool KernelAudit::isWrongForLong(const analysis::AccessVerdict &verdict, const HostLaunch &launch,
                                 mlir::func::FuncOp compiled) {
  constexpr int64_t longAxis = 9;
  HostLaunch longer = launch;
  auto look = [&](index::Expr expr) {
    index::forEachSymbol(expr, [&](index::Expr symbol) {
      StringRef name = symbol.getName();
      if (name.contains(".shape[") || name.ends_with(".numel()"))
        longer.facts.push_back(index::ge(symbol, longAxis));
    });
  };
  for (const HostArgument &argument : launch.arguments) {
    for_each(argument.sizes, look);
    if (argument.number)
      look(argument.number);
  }
  HostContract contract = contractFor(compiled, longer, true);
  return any_of(analysis::proveAccesses(compiled, contract.contract, nullptr, analysis::Apart::All),
                [&](const analysis::AccessVerdict &other) {
                  return other.op == verdict.op && other.property == verdict.property &&
                         other.verdict == Verdict::Counterexample;
                });
}

/// How bad a counterexample is: an error where a public wrapper admits it on its own, whatever the
/// caller's other tensors are.
Severity KernelAudit::judge(const analysis::AccessVerdict &verdict, const FoundLaunch &found,
                            mlir::func::FuncOp compiled, std::string &why) {
  const HostLaunch &launch = found.launch;
  if (!found.isPublic) {
    why = launch.wrapper + " is called by others of the package, which may not admit it";
    return Severity::Note;
  }
  for (const auto &[name, value] : verdict.witness->values)
    if (launch.freeNumbers.count(name)) {
      why = "it is for the caller to give a right '" + StringRef(name).split('#').first.str() + "'";
      return Severity::Note;
    }
  if (std::set<std::string> owners = ownersOf(*verdict.witness); owners.size() > 1) {
    why = "it is for the caller to give tensors of fitting shapes: " + launch.wrapper +
          (relates(launch, owners) ? " does not check enough of " : " checks nothing of ") +
          llvm::join(owners, " and ");
    return Severity::Note;
  }
  if (!isWrongForLong(verdict, launch, compiled)) {
    why = "it is for the caller to give axes that are long enough, which " + launch.wrapper +
          " does not check";
    return Severity::Note;
  }
  return Severity::Error;
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
  diagnostic.addNote(found.launch.place, "launched so by '" + found.launch.wrapper +
                                             "'; a run of the interpreter shows it");
  if (!why.empty())
    diagnostic.addNote({}, why);
  findings.push_back(std::move(finding));
}

} // namespace nereid::audit
