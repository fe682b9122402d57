// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upgrade/Prover.h"

#include "upgrade/Reaching.h"
#include "upgrade/SameIr.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <chrono>

using namespace llvm;

namespace nereid::upgrade {

using triton::JitFunction;
using Clock = std::chrono::steady_clock;

SourceLocation Unit::place() const {
  const python::ParsedFile &file = *entry.file;
  for (uint32_t token = entry.def->firstToken; token < entry.def->lastToken; ++token)
    if (file.tokens[token].kind == python::TokenKind::KwDef)
      return {&file.getSource(), file.tokens[token + 1].range};
  return file.getLocation(*entry.def);
}

void Unit::forget() {
  covered.clear();
  sameAt = 0;
  before.reset();
}

std::string Unit::describeProof() const {
  if (sameAt == 0)
    return changes.calls.empty() ? "same constants" : "";
  return "same IR at " + std::to_string(sameAt) + (sameAt == 1 ? " signature" : " signatures");
}

Prover::Prover(audit::KernelTree &tree, ArrayRef<std::unique_ptr<Unit>> units, double seconds)
    : tree(tree), units(units), seconds(seconds), context(mlir::MLIRContext::Threading::DISABLED) {}

std::vector<Unit *> Prover::findUnits(JitFunction &function) {
  SmallVector<JitFunction *> open{&function};
  llvm::DenseSet<JitFunction *> seen{&function};
  std::vector<Unit *> result;
  while (!open.empty()) {
    JitFunction *at = open.pop_back_val();
    for (const auto &unit : units)
      if (unit->entry.function == at && unit->reasons.empty())
        result.push_back(unit.get());
    if (audit::FunctionUses *uses = tree.uses.find(at))
      for (JitFunction *callee : uses->callees)
        if (seen.insert(callee).second)
          open.push_back(callee);
  }
  return result;
}

Prover::Module Prover::import(JitFunction &function, const audit::Attempt &attempt, bool revised,
                              Diagnostics &diagnostics) {
  tree.project.useRevisions(revised);
  triton::Budget budget;
  budget.seconds = std::max(seconds - spent, 0.1);
  auto module = tree.project.import(context, function, attempt.request, budget, diagnostics);
  if (failed(module))
    return {};
  mlir::PassManager passes(&context);
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
  if (failed(passes.run(**module)))
    return {};
  return std::move(*module);
}

/// The line of a location in the kernel; 0 for none.
static unsigned lineOf(mlir::Location location) {
  unsigned line = 0;
  location->walk([&](mlir::Location part) {
    auto place = dyn_cast<mlir::FileLineColLoc>(part);
    if (!place)
      return mlir::WalkResult::advance();
    line = place.getLine();
    return mlir::WalkResult::interrupt();
  });
  return line;
}

void Prover::show(const audit::KernelTree::Entry &entry, ArrayRef<Unit *> hit, Module before,
                  Module after) {
  auto kernelOf = [](Module &module) { return *module->getOps<mlir::func::FuncOp>().begin(); };
  std::optional<Difference> difference = findDifference(kernelOf(before), kernelOf(after));
  if (!difference) {
    for (Unit *unit : hit)
      ++unit->sameAt;
    return;
  }
  for (Unit *unit : hit)
    unit->fail({Severity::Error,
                unit->place(),
                "not shown to be the same: " + difference->what + " differs (line " +
                    std::to_string(lineOf(difference->before)) + " of the kernel `" + entry.name +
                    "`)",
                "",
                {}});
}

/// Whether the kernel compiles as it was; what it reaches then is shown, or fails.
bool Prover::prove(const audit::KernelTree::Entry &entry, const audit::Attempt &attempt,
                   ArrayRef<Unit *> parts) {
  Diagnostics diagnostics;
  Module before = import(*entry.function, attempt, false, diagnostics);
  if (!before) {
    for (Unit *unit : parts)
      if (!unit->before && !diagnostics.all().empty())
        unit->before = diagnostics.all().front();
    return false;
  }
  std::vector<Unit *> hit;
  bool isNew = false;
  for (Unit *unit : parts) {
    bool isHit = false;
    for (const python::Call *call : unit->changes.calls)
      if (tree.project.isEvaluated(*call)) {
        isHit = true;
        isNew |= unit->covered.insert(call).second;
      }
    if (isHit)
      hit.push_back(unit);
  }
  if (!isNew)
    return true;
  Module after = import(*entry.function, attempt, true, diagnostics);
  tree.project.useRevisions(false);
  if (after) {
    show(entry, hit, std::move(before), std::move(after));
    return true;
  }
  for (Unit *unit : hit)
    unit->fail(
        {Severity::Error,
         unit->place(),
         "what was written does not compile: " +
             (diagnostics.all().empty() ? "no reason given" : diagnostics.all().front().message),
         "",
         {}});
  return true;
}

void Prover::prove(const audit::KernelTree::Entry &entry) {
  std::vector<Unit *> parts = findUnits(*entry.function);
  if (parts.empty())
    return;
  Clock::time_point start = Clock::now();
  spent = 0;
  auto isDone = [&] {
    spent = std::chrono::duration<double>(Clock::now() - start).count();
    return spent > seconds || llvm::all_of(parts, [](Unit *unit) {
             return unit->isCovered() || !unit->reasons.empty();
           });
  };
  const audit::Attempt *good = nullptr;
  std::vector<audit::Attempt> attempts =
      audit::makeAttempts(tree.project, tree.uses, tree.launches, *entry.function);
  for (const audit::Attempt &attempt : attempts) {
    if (prove(entry, attempt, parts) && !good)
      good = &attempt;
    if (isDone())
      return;
  }
  if (!good)
    return;
  for (Unit *unit : parts)
    for (const python::Call *call : unit->changes.calls)
      if (!unit->covered.contains(call) && !isDone())
        if (std::optional<audit::Attempt> attempt =
                reach(unit->text, *call, *entry.function, *good))
          prove(entry, *attempt, parts);
}

void Prover::run() {
  for (const audit::KernelTree::Entry &entry : tree.entries)
    if (entry.function && tree.isRoot(entry))
      prove(entry);
  // What no kernel reaches is tried by itself.
  for (const auto &unit : units) {
    if (unit->reasons.empty() && !unit->isCovered() && !tree.isRoot(unit->entry))
      prove(unit->entry);
    if (!unit->reasons.empty() || unit->isCovered())
      continue;
    if (unit->covered.empty() && unit->before) {
      Diagnostic reason = *unit->before;
      reason.message = "does not compile as it is: " + reason.message;
      unit->fail(std::move(reason));
      continue;
    }
    for (const python::Call *call : unit->changes.calls)
      if (!unit->covered.contains(call)) {
        unit->fail({Severity::Error,
                    unit->text.getLocation(*call),
                    "not shown to be the same: no signature that was tried gets here",
                    "",
                    {}});
        break;
      }
  }
}

} // namespace nereid::upgrade
