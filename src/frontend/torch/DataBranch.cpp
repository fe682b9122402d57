// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/DataBranch.h"

#include "python/AstVisit.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

/// So many branches are followed to the end of a turn or function, of which each evaluates what
/// follows twice.
static constexpr unsigned mostFollowed = 200;

// --- What belongs to an arm ----------------------------------------------------------------------

namespace {
/// How the statements of an arm may leave it.
struct Exits {
  bool returns = false, breaks = false, continues = false, yields = false;
};
} // namespace

static void findExits(const python::Node &node, bool isInLoop, Exits &exits) {
  if (isa<python::FunctionDef, python::ClassDef, python::Lambda>(node))
    return;
  exits.returns |= isa<python::Return>(node);
  exits.yields |= isa<python::Yield, python::YieldFrom>(node);
  exits.breaks |= isa<python::Break>(node) && !isInLoop;
  exits.continues |= isa<python::Continue>(node) && !isInLoop;
  bool isLoop = isa<python::For, python::While>(node);
  python::forEachChild(
      node, [&](const python::Node &child) { findExits(child, isInLoop || isLoop, exits); });
}

std::optional<DataBranch::Extent> DataBranch::extent() {
  Exits exits;
  if (auto *statement = dyn_cast<python::If>(&branch.node))
    for (python::Body body : {statement->body, statement->orelse})
      for (const python::Stmt *each : body)
        findExits(*each, false, exits);
  Extent found = exits.returns || exits.breaks ? Extent::Function
                 : exits.continues             ? Extent::Turn
                                               : Extent::Arm;
  bool isPossible = !exits.yields &&
                    (found == Extent::Arm || t.followedBranches++ < mostFollowed) &&
                    (found != Extent::Function || branch.canRunToEnd()) &&
                    (found != Extent::Turn || branch.canRunTurn());
  if (isPossible)
    return found;
  machine.refuse("what follows this branch on the data of a tensor cannot be evaluated for both of "
                 "its arms",
                 "use torch.where(condition, a, b)");
  return std::nullopt;
}

// --- State ---------------------------------------------------------------------------------------

std::vector<DataBranch::Held> DataBranch::heldNow() const {
  std::vector<Held> held;
  for (size_t number = 0, end = before.empty() ? t.storages.size() : before.size(); number != end;
       ++number)
    held.push_back({t.storages[number]->value, t.storages[number]->writes});
  return held;
}

void DataBranch::hold(ArrayRef<Held> held) {
  for (auto [number, each] : enumerate(held)) {
    Storage &storage = *t.storages[number];
    // Views that an arm has made of what it wrote are not those that others see.
    if (storage.value != each.value)
      ++storage.version;
    storage.value = each.value;
  }
}

/// Evaluates an arm, notes what it leaves, and takes it back; false after a refusal.
bool DataBranch::evaluateArm(Arm &arm, bool taken, function_ref<Completion()> evaluate) {
  SaveAndRestore<bool> recording(t.recording);
  SaveAndRestore<std::optional<DType>> autocast(t.autocast);
  std::vector<Held> start = heldNow();
  Journal journal(machine);
  arm.ended = evaluate();
  arm.changes = journal.changes();
  arm.held = heldNow();
  bool raises = arm.ended.isRaise() && !machine.pendingRefusal();
  if (raises) {
    machine.takeError();
    machine.refuse("this branch on the data of a tensor raises in one of its arms",
                   "leave the check out, or make it where the program is called");
  }
  for (auto [number, storage] : enumerate(ArrayRef(start).take_front(before.size()))) {
    Storage &now = *t.storages[number];
    if (now.writes != storage.writes && (now.rows || !now.histories.empty()) && !machine.pending())
      machine.refuse("a branch on the data of a tensor that writes " +
                         Twine(now.rows ? "a row of a tensor in a loop" : "to a detached tensor"),
                     "use torch.where(condition, a, b)");
  }
  hold(before);
  return journal.undo() && !arm.ended.isRaise() && !machine.pending();
}

bool DataBranch::evaluateArms(function_ref<Completion(bool)> evaluate) {
  before = heldNow();
  bool done = evaluateArm(arms[0], true, [&] { return evaluate(true); }) &&
              evaluateArm(arms[1], false, [&] { return evaluate(false); });
  // What is said of both is said of the condition.
  if (auto *statement = dyn_cast<python::If>(&branch.node); statement && done)
    branch.frame.current = statement->test;
  return done;
}

Completion DataBranch::run() {
  std::optional<Extent> found = extent();
  if (!found)
    return Completion::raise();
  reaches = *found;
  bool done = evaluateArms([&](bool taken) {
    return reaches == Extent::Function ? branch.runToEnd(taken)
           : reaches == Extent::Turn   ? branch.runTurn(taken)
                                       : branch.run(taken);
  });
  if (!done)
    return Completion::raise();
  PyValue result = arms[0].ended.value, other = arms[1].ended.value;
  if (arms[0].ended.kind != arms[1].ended.kind) {
    machine.refuse("one arm of this branch on the data of a tensor leaves the loop",
                   "use torch.where(condition, a, b)");
    return Completion::raise();
  }
  Completion::Kind kind = arms[0].ended.kind;
  PyValue first = result ? result : machine.none(), second = other ? other : machine.none();
  if (!joinArms(first, second, "the result"))
    return Completion::raise();
  return reaches == Extent::Function ? Completion::finished(first) : Completion{kind, nullptr};
}

Completion DataBranch::run(function_ref<Completion()> arm) {
  bool done = evaluateArms([&](bool taken) { return taken ? arm() : Completion::normal(); });
  if (done && !arms[0].ended.isNormal()) {
    machine.refuse("a loop over what a mask selects is left before its end",
                   "choose with torch.where what the turns after it change");
    done = false;
  }
  PyValue none = machine.none(), other = none;
  return done && joinArms(none, other, "the result") ? Completion::normal() : Completion::raise();
}

PyValue DataBranch::evaluate() {
  PyValue values[2] = {};
  bool done = evaluateArms([&](bool taken) {
    values[!taken] = branch.evaluate(taken);
    return values[!taken] ? Completion::normal() : Completion::raise();
  });
  return done && joinArms(values[0], values[1], "the value") ? values[0] : nullptr;
}

} // namespace nereid::torch
