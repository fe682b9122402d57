// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/RunRules.h"
#include "audit/RunJudge.h"

#include "analysis/Access.h"
#include "audit/Dependence.h"
#include "audit/IndexRules.h"
#include "audit/MeetingLanes.h"

#include "tile/Instance.h"
#include "tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid::audit {

/// Whether an atomic makes something of what it finds.
static bool readsOld(mlir::Operation *op) {
  auto rmw = dyn_cast<tile::AtomicRmwOp>(op);
  return rmw && rmw.getKind() != tile::RmwKind::Xchg;
}

RunRules::Use RunRules::useOf(const HostArgument &given, unsigned argument) const {
  Use use{&given, argument, {}, {}, {}, false};
  auto known = accesses.find(argument);
  if (known == accesses.end())
    return use;
  for (mlir::Operation *op : known->second)
    (isa<tile::LoadOp>(op)    ? use.loads
     : isa<tile::StoreOp>(op) ? use.stores
                              : use.atomics)
        .push_back(op);
  return use;
}

std::string spell(const std::vector<std::pair<std::string, int64_t>> &sizes) {
  std::vector<std::string> parts;
  for (const auto &[name, value] : sizes)
    parts.push_back(name + " = " + std::to_string(value));
  return llvm::join(parts, ", ");
}

void RunRules::tell(StringRef rule, Certainty certainty, mlir::Operation *op, const Use &use,
                    std::string message, std::string help) {
  Finding *finding =
      site.add(rule, certainty, site.placeOf(op), std::move(message), std::move(help));
  if (!finding)
    return;
  finding->diagnostic.addNote(launch.place, "launched so by '" + launch.wrapper +
                                                "', which makes '" + use.given->name + "' by " +
                                                use.given->text);
  if (found.isPublic && certainty == Certainty::Likely)
    finding->severity = finding->diagnostic.severity = Severity::Warning;
  if (found.isPublic)
    return;
  finding->severity = finding->diagnostic.severity = Severity::Note;
  finding->diagnostic.addNote({}, launch.wrapper + " is called by others of the package");
}

/// TRC027 where nothing in the kernel stores to the memory first.
bool RunRules::findReads(const Use &use) {
  // What a configuration's hook sets is not followed.
  StringRef text = site.function.file->getText(*site.function.def);
  if (text.contains("pre_hook"))
    return true;
  if (!use.stores.empty())
    return false;
  for (mlir::Operation *op : concat<mlir::Operation *const>(use.atomics, use.loads))
    if (isa<tile::LoadOp>(op) ? use.atomics.empty() : readsOld(op)) {
      tell("TRC027", Certainty::Proved, op, use,
           "'" + use.given->name + "' holds whatever its memory held before: " +
               (isa<tile::LoadOp>(op) ? "this reads it" : "this adds to it") +
               ", and nothing has set it",
           "make it by torch.zeros, or what its first value is");
      return true;
    }
  return false;
}

/// Whether the run tells of undefined numbers alone.
static bool isWhole(const interpreter::KernelRun &run) {
  return all_of(run.findings, [](const interpreter::Finding &finding) {
    return finding.kind == interpreter::FindingKind::Undefined;
  });
}

/// TRC027 where the kernel stores to the memory too: a run tells what comes first.
void RunRules::judgeReads(LaunchRun &run, const interpreter::KernelRun &result) {
  if (result.succeeded() || !isWhole(result))
    return;
  std::optional<interpreter::KernelRun> set = run.run({});
  if (!set || !set->succeeded())
    return;
  for (const Use &use : uses) {
    if (use.stores.empty() || (use.loads.empty() && none_of(use.atomics, readsOld)))
      continue;
    std::optional<interpreter::KernelRun> alone = run.run({use.argument});
    if (!alone || alone->succeeded() || !isWhole(*alone))
      continue;
    mlir::Operation *op = use.loads.empty() ? use.atomics.front() : use.loads.front();
    tell("TRC027", Certainty::Witnessed, op, use,
         "'" + use.given->name + "' holds whatever its memory held before, and is read before " +
             "anything is stored to it, for " + spell(run.getSizes()),
         "make it by torch.zeros, or what its first value is");
  }
}

/// Whether data decides where an access is, and whether it is made.
bool RunRules::hangsOnMemory(mlir::Operation *op) const {
  analysis::MemoryOperands operands = analysis::memoryOperandsOf(op);
  return (hangs.of(operands.pointer) | hangs.of(operands.mask) | hangs.ofPath(op)) &
         Dependence::Memory;
}

/// Whether runs can tell what a launch leaves out of a tensor: nobody else stores to it, and where
/// data say what is stored, some of it may well be left out.
bool RunRules::mayHaveHoles(const Use &use) const {
  return use.given->isAlone && use.isOfKnownShape && !use.stores.empty() && use.atomics.empty() &&
         none_of(use.stores, [&](mlir::Operation *op) { return hangsOnMemory(op); });
}

/// TRC009.
void RunRules::judgeHoles(const LaunchRun &run, const interpreter::KernelRun &result) {
  // Where something undefined is stored it is that, and no hole; what is stored twice is stored.
  if (!all_of(result.findings, [](const interpreter::Finding &finding) {
        return finding.kind == interpreter::FindingKind::Race;
      }))
    return;
  for (const Use &use : uses) {
    if (!mayHaveHoles(use))
      continue;
    const interpreter::Tensor *tensor = run.getTensor(use.argument);
    int64_t count = tensor->getNumElements(), left = 0, first = -1;
    for (int64_t at = 0; at < count; ++at)
      if (!tensor->storage->defined[tensor->at(at) - tensor->storage->bytes.data()]) {
        first = first < 0 ? at : first;
        ++left;
      }
    // What is left out as a whole is not what the run is for.
    if (left == 0 || left == count)
      continue;
    tell("TRC009", Certainty::Witnessed, use.stores.front(), use,
         "nothing is stored to " + std::to_string(left) + " of " + std::to_string(count) +
             " elements of '" + use.given->name + "', the first of them " + std::to_string(first) +
             ", for " + spell(run.getSizes()),
         "have a program for each block: triton.cdiv, a loop, or a block that holds the row");
  }
}

/// Whether a program leaves because of one number that it has loaded: `if label == -100: return`.
/// What it is compared with stands for no place; of lengths that are 0 nothing is left out.
static bool isEqualityOfData(mlir::Value condition, const Dependence &hangs) {
  auto compare = condition.getDefiningOp<mlir::arith::CmpIOp>();
  if (!compare || (compare.getPredicate() != mlir::arith::CmpIPredicate::eq &&
                   compare.getPredicate() != mlir::arith::CmpIPredicate::ne))
    return false;
  bool isLeft = hangs.of(compare.getLhs()) & Dependence::Memory;
  bool isRight = hangs.of(compare.getRhs()) & Dependence::Memory;
  return isLeft != isRight && isMark(isLeft ? compare.getRhs() : compare.getLhs());
}

/// TRC009: a program that leaves for a marked row stores nothing there.
void RunRules::findSkipped(const Use &use) {
  if (use.stores.empty() || !use.atomics.empty())
    return;
  mlir::scf::IfOp skips;
  for (mlir::Operation *op : use.stores) {
    mlir::scf::IfOp around;
    for (mlir::Operation *at = op->getParentOp(); at && !around; at = at->getParentOp())
      if (auto choice = dyn_cast<mlir::scf::IfOp>(at);
          choice && isEqualityOfData(choice.getCondition(), hangs))
        around = choice;
    if (!around || (skips && around != skips))
      return;
    skips = around;
  }
  auto stores = [&](mlir::Region &region) {
    return any_of(use.stores,
                  [&](mlir::Operation *op) { return region.isAncestor(op->getParentRegion()); });
  };
  if (stores(skips.getThenRegion()) && stores(skips.getElseRegion()))
    return;
  tell("TRC009", Certainty::Likely, use.stores.front(), use,
       "nothing is stored to '" + use.given->name +
           "' where the program leaves for a number that it loaded",
       "store what belongs there before it leaves, or make the tensor by torch.zeros");
}

/// Whether some tile is stored outside of loops: it has to be as long as what it is stored to.
bool RunRules::storesOnce() const {
  return any_of(uses, [&](const Use &use) {
    return mayHaveHoles(use) && any_of(use.stores, [](mlir::Operation *op) {
             return !op->getParentOfType<mlir::scf::ForOp>();
           });
  });
}

/// TRC001 of accesses of which nothing is known: what ordinary sizes show.
void RunRules::judgePlaces(const LaunchRun &run, const interpreter::KernelRun &result) {
  for (const interpreter::Finding &finding : result.findings) {
    auto known = open.find(finding.location);
    if (finding.kind != interpreter::FindingKind::OutOfBounds || known == open.end())
      continue;
    mlir::Operation *op = known->second->op;
    // In place of one that is for sizes that a caller need not admit.
    if (Finding *note = site.find("TRC001", site.placeOf(op));
        note && note->severity != Severity::Error)
      site.drop(note);
    Finding *told = site.add(
        "TRC001", Certainty::Witnessed, site.placeOf(op),
        op->getName().stripDialect().str() + " touches element " + std::to_string(finding.element) +
            " of '" + tile::getArgumentName(kernel, known->second->argument) +
            "', which lies outside of the tensor, for " + spell(run.getSizes()),
        "");
    if (told)
      told->diagnostic.addNote(launch.place, "launched so by '" + launch.wrapper +
                                                 "'; a run of the interpreter shows it");
    open.erase(known);
  }
}

/// Whether a tensor is as large as one whose axes nobody counts.
static bool isCounted(const HostArgument &given) {
  bool found = false;
  for (index::Expr size : given.sizes)
    index::forEachSymbol(
        size, [&](index::Expr symbol) { found |= symbol.getName().ends_with(".numel()"); });
  return found;
}

/// What can be told by text alone; and what runs are made for.
void RunRules::prepare(const LaunchRun &run) {
  auto isKnown = [&](unsigned argument) {
    std::string name = tile::getArgumentName(kernel, argument);
    return any_of(launch.arguments, [&](const HostArgument &given) {
      return given.name == name && !given.isPart && run.isOfKnownShape(given);
    });
  };
  for (unsigned position = 0; position < kernel.getNumArguments(); ++position) {
    std::string name = tile::getArgumentName(kernel, position);
    for (const HostArgument &given : launch.arguments) {
      if (given.name != name || !given.isBlank)
        continue;
      Use use = useOf(given, position);
      if (findReads(use))
        continue;
      if (given.isAlone)
        findSkipped(use);
      blank.push_back(position);
      use.isOfKnownShape =
          run.isOfKnownShape(given) && (run.getOwners().size() < 2 || !isCounted(given));
      isWanted |= mayHaveHoles(use) || (!use.stores.empty() && !use.loads.empty());
      uses.push_back(std::move(use));
    }
  }
  for (const analysis::AccessVerdict &verdict : verdicts)
    if (found.isPublic && verdict.property == analysis::Property::InBounds &&
        verdict.verdict != analysis::Verdict::Proved && !hangsOnMemory(verdict.op) &&
        isKnown(verdict.argument))
      open[verdict.op->getLoc()] = &verdict;
  auto hasAtomics = [&](unsigned argument) {
    auto own = accesses.find(argument);
    return own != accesses.end() && any_of(own->second, [](mlir::Operation *op) {
             return !isa<tile::LoadOp, tile::StoreOp>(op);
           });
  };
  for (const analysis::AccessVerdict &verdict : verdicts)
    if (auto store = dyn_cast<tile::StoreOp>(verdict.op);
        store && found.isPublic && verdict.property == analysis::Property::InBounds &&
        mayMeet(store) && !hangsOnMemory(store) && isKnown(verdict.argument))
      meeting[store.getLoc()] = &verdict;
  for (const analysis::AccessVerdict &verdict : verdicts)
    if (found.isPublic && verdict.property == analysis::Property::Disjoint &&
        verdict.verdict == analysis::Verdict::Unknown && isa<tile::StoreOp>(verdict.op) &&
        !hangsOnMemory(verdict.op) && isKnown(verdict.argument) && !hasAtomics(verdict.argument))
      shared[verdict.op->getLoc()] = &verdict;
}

void RunRules::run(const LaunchRun::CompileAt &compileAt) {
  LaunchRun run(kernel, launch, compileAt);
  prepare(run);
  prepareReads(run);
  if (isWanted || !open.empty() || !meeting.empty() || !beside.empty())
    runShapes(run);
  findUnread(run);
}

void RunRules::runShapes(LaunchRun &run) {
  const unsigned mostRuns = open.empty() ? 2 : 3;
  // Of several tensors there is no telling which shapes fit, but for those of one length.
  bool isOfOne = run.getOwners().size() < 2;
  for (unsigned shape = 0, runs = 0; shape < LaunchRun::shapes && runs < mostRuns; ++shape) {
    if ((!isOfOne && !LaunchRun::isSquare(shape)) ||
        (LaunchRun::isLong(shape) && (isOfOne || !storesOnce())))
      continue;
    if (!run.choose(shape) || run.hangsOnFreeNumbers())
      continue;
    bool isChecked = isWanted || !meeting.empty();
    std::optional<interpreter::KernelRun> result = run.run(blank, isChecked);
    if (!result)
      continue;
    ++runs;
    if (isOfOne)
      judgeLanes(run, *result);
    if (isWanted) {
      judgeHoles(run, *result);
      judgeReads(run, *result);
      if (isOfOne)
        judgeRaces(run, *result);
    }
    // Races hide what comes behind them.
    if (isChecked && !open.empty())
      result = run.run({}, /*checked=*/false);
    if (result)
      judgePlaces(run, *result);
    if (isOfOne)
      judgeReadRaces(run);
  }
}

void findByRuns(mlir::func::FuncOp kernel, ArrayRef<analysis::AccessVerdict> accesses,
                const FoundLaunch &found, const LaunchRun::CompileAt &compileAt, RuleSite &site) {
  RunRules(kernel, accesses, found, site).run(compileAt);
}

} // namespace nereid::audit
