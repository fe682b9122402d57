// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/LoopReader.h"

#include "python/AstVisit.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;
using namespace nereid::machine;

namespace nereid::torch {

/// Turns that may be executed apart from the loop, at its start and at its end.
static constexpr int64_t mostFirst = 2, mostLast = 1;
/// Loops of more turns than these are not unrolled where that is a choice.
static constexpr int64_t mostUnrolled = 64;

LoopReader::~LoopReader() {
  for (mlir::Block *block : blocks) {
    block->dropAllDefinedValueUses();
    block->dropAllReferences();
    delete block;
  }
}

mlir::Block *LoopReader::newBlock() {
  blocks.push_back(new mlir::Block);
  t.writer.builder.setInsertionPointToEnd(blocks.back());
  return blocks.back();
}

std::vector<mlir::Value> LoopReader::storageValues() const {
  std::vector<mlir::Value> values;
  values.reserve(t.storages.size());
  for (auto &storage : t.storages)
    values.push_back(storage->value);
  return values;
}

void LoopReader::restoreStorages(ArrayRef<mlir::Value> values) {
  for (auto [storage, value] : zip(t.storages, values)) {
    storage->rows = nullptr;
    if (storage->value == value)
      continue;
    storage->value = value;
    ++storage->version;
  }
}

LoopReader::Outcome LoopReader::blame(const Twine &what) {
  std::string message = what.str();
  if (machine.pending())
    machine.takeError();
  machine.refuseAt(loop.frame.getFile().getLocation(loop.node),
                   "this loop has to be kept as one, as its number of turns is " +
                       items->count.str() + ", and " + message,
                   "make each turn do the same to tensors of the same sizes and types, or fix the "
                   "number of turns");
  return Outcome::Refused;
}

/// Which turn is the one for which a condition differs from the others.
LoopReader::Outcome LoopReader::placeOfDifference() {
  Pred differing = *std::exchange(t.solver.differing, std::nullopt);
  auto decidedOn = [&](Expr from, Expr turns) {
    Expr symbol = t.solver.turn("turn", turns);
    DenseMap<Expr, Expr> moved{{index, symbol + from}};
    Pred pred = index::substitute(differing, moved);
    return t.solver.truthOrDenial(pred) != index::Truth::Unknown;
  };
  blame("`" + differing.str() + "` holds in some turns only");
  Expr zero = t.writer.constantSize(0), one = t.writer.constantSize(1);
  if (decidedOn(one, count - 1) || decidedOn(one + 1, count - 2))
    return Outcome::First;
  return decidedOn(zero, count - 1) ? Outcome::Last : Outcome::Refused;
}

/// Executes the body for the turn of that number; false when it raised or was refused.
bool LoopReader::plainTurn(Expr number) {
  PyValue item = t.loopItem(items, number);
  if (!item || !loop.bindTarget(item))
    return false;
  Completion ended = loop.runBody();
  if (ended.isNormal() || ended.kind == Completion::Continue)
    return true;
  if (!ended.isRaise())
    blame("it is left early");
  return false;
}

bool LoopReader::turn(Expr number) {
  SaveAndRestore<LoopReader *> reading(t.loopReader, this);
  return plainTurn(t.solver.resolve(number + first)) && !machine.pending();
}

void LoopReader::noteWrite(TensorValue *tensor) {
  Storage *storage = tensor->storage;
  if (storage->number >= outerStorages)
    return;
  if (!tensor->steps.empty()) {
    const ViewStep &step = tensor->steps.front();
    if (step.kind == ViewStep::Slice && step.size.isConstant(1) &&
        index::contains(t.solver.resolve(step.start), index)) {
      writes[storage].push_back({step.dim, t.solver.resolve(step.start)});
      return;
    }
  }
  wholeWrites.insert(storage);
}

/// Executes the body once with the values of before the loop, and takes it all back.
bool LoopReader::trial() {
  newBlock();
  isTrial = true;
  std::vector<mlir::Value> before = storageValues();
  outerStorages = before.size();
  int64_t draws = t.drawCount;
  Journal journal(machine);
  bool done = turn(index);
  std::vector<Change> changes = journal.changes();
  done = done && !t.solver.differing && sortStorages(before);
  restoreStorages(before);
  t.drawCount = draws;
  isTrial = false;
  done = journal.undo() && done;
  return done && sortChanges(changes);
}

bool LoopReader::sortStorages(ArrayRef<mlir::Value> before) {
  for (size_t number = 0; number < outerStorages; ++number) {
    Storage *storage = t.storages[number].get();
    if (storage->value == before[number])
      continue;
    auto found = writes.find(storage);
    if (found == writes.end() || wholeWrites.contains(storage)) {
      if (found != writes.end())
        return blame("it writes to a tensor both at places that move from turn to turn and at "
                     "others"),
               false;
      written.push_back({storage});
      continue;
    }
    auto [dim, place] = found->second.front();
    if (any_of(found->second, [&](auto &each) { return each != found->second.front(); }))
      return blame("it writes to several places of a tensor that move from turn to turn"), false;
    auto linear = index::asLinearIn(place, index);
    std::optional<int64_t> stride =
        linear ? linear->coefficient.getConstant() : std::optional<int64_t>();
    if (!stride || *stride == 0)
      return blame("it writes to the place " + place.str() + " of a tensor"), false;
    rows.push_back({storage, dim, place, *stride, before[number], {}, {}});
  }
  return true;
}

bool LoopReader::hasTensors(PyValue value) const {
  if (auto *tuple = dyn_cast_if_present<TupleObject>(value))
    return any_of(tuple->items, [&](PyValue item) { return hasTensors(item); });
  if (auto *list = dyn_cast_if_present<ListObject>(value))
    return any_of(list->items, [&](PyValue item) { return hasTensors(item); });
  return isa_and_present<TensorValue>(value);
}

bool LoopReader::sortChange(const Change &change) {
  std::string name = "`" + change.describe(machine) + "`";
  bool isTarget = change.kind == Change::Local && is_contained(targets, change.name) &&
                  change.holder == loop.frame.locals;
  if (isTarget)
    return true;
  if (change.kind == Change::Iterator)
    return blame("it advances the iterator " + name), false;
  auto *list = dyn_cast<ListObject>(change.holder);
  if (change.kind == Change::Contents || (list && list->whole)) {
    if (!list || list->whole)
      return blame("it changes what " + name + " holds"), false;
    auto &before = cast<ListObject>(change.before)->items;
    auto &after = cast<ListObject>(change.after)->items;
    bool atFront = after.size() == before.size() + 1 &&
                   std::equal(before.begin(), before.end(), after.begin() + 1) && !(before.empty());
    bool atBack = after.size() == before.size() + 1 &&
                  std::equal(before.begin(), before.end(), after.begin());
    if (!atFront && !atBack)
      return blame("it does not append one item a turn to " + name), false;
    grown.push_back({list, before, atFront && !atBack, {}, {}});
    return true;
  }
  if (!change.after)
    return blame("it deletes " + name), false;
  if (!change.before)
    temporaries.push_back(change);
  else
    cells.push_back({change, change.before, change.after});
  return true;
}

bool LoopReader::sortChanges(ArrayRef<Change> changes) {
  return all_of(changes, [&](const Change &change) { return sortChange(change); });
}

LoopReader::Outcome LoopReader::attempt() {
  leaves.clear();
  cells.clear();
  written.clear();
  rows.clear();
  grown.clear();
  temporaries.clear();
  writes.clear();
  wholeWrites.clear();
  t.solver.differing.reset();
  index = t.solver.turn(targets.size() == 1 ? targets[0]->text : "turn", count);
  auto failed = [&] {
    return t.solver.differing  ? placeOfDifference()
           : machine.pending() ? Outcome::Refused
                               : Outcome::First;
  };
  if (!trial())
    return failed();
  bool isCarrying = !written.empty() || !rows.empty() ||
                    any_of(cells, [&](Cell &cell) { return hasTensors(cell.sample); });
  if (onlyCarried && !isCarrying)
    return blame("nothing is carried from turn to turn");
  // Each round may find more that changes: what was equal before the loop by chance.
  for (bool isNew = true; isNew;) {
    isNew = false;
    std::vector<mlir::Value> before = storageValues();
    int64_t draws = t.drawCount;
    Journal journal(machine);
    bool entered = enterState();
    bool done =
        entered && turn(index) && !t.solver.differing && leaveState(journal.changes(), isNew);
    restoreStorages(before);
    if (isNew)
      t.drawCount = draws;
    if (!journal.undo())
      return Outcome::Refused;
    if (!done) {
      if (!t.solver.differing && isDifferent) {
        isDifferent = false;
        return Outcome::First;
      }
      return failed();
    }
  }
  t.writer.builder.restoreInsertionPoint(outside);
  return makeOp() ? Outcome::Done : Outcome::Refused;
}

/// The names that a target binds.
static void addTargets(Machine &machine, const python::Node &node,
                       SmallVectorImpl<machine::Name> &names) {
  if (auto *name = dyn_cast<python::Name>(&node))
    names.push_back(machine.intern(name->id));
  else if (isa<python::Tuple, python::List, python::Starred>(node))
    python::forEachChild(node,
                         [&](const python::Node &child) { addTargets(machine, child, names); });
}

std::optional<Completion> LoopReader::run() {
  addTargets(machine, *cast<python::For>(loop.node).target, targets);
  SizeSolver::State sizes = t.solver.save();
  size_t decisions = t.programCase.decisions.size();
  std::vector<mlir::Value> values = storageValues();
  int64_t draws = t.drawCount;
  outside = t.writer.builder.saveInsertionPoint();
  Journal journal(machine);
  Outcome outcome = Outcome::Refused;
  while (true) {
    count = t.solver.resolve(items->count - (first + last));
    outcome = attempt();
    t.writer.builder.restoreInsertionPoint(outside);
    bool goesOn = (outcome == Outcome::First && first < mostFirst) ||
                  (outcome == Outcome::Last && last < mostLast);
    if (!goesOn || !t.solver.require(index::ge(items->count, first + last + 1),
                                     "the number of turns of a loop must be at least " +
                                         std::to_string(first + last + 1)))
      break;
    machine.takeError();
    if (outcome == Outcome::First && !plainTurn(t.writer.constantSize(first))) {
      outcome = Outcome::Refused;
      break;
    }
    ++(outcome == Outcome::First ? first : last);
  }
  bool done = outcome == Outcome::Done;
  for (int64_t number = last; done && number > 0; --number)
    done = plainTurn(t.solver.resolve(items->count - number));
  if (done) {
    journal.commit();
    return loop.runElse();
  }
  std::optional<int64_t> turns = t.solver.hint(items->count);
  bool canUnroll = onlyCarried || (turns && *turns <= mostUnrolled);
  if (!canUnroll) {
    journal.commit();
    return Completion::raise();
  }
  machine.takeError();
  restoreStorages(values);
  bool undone = journal.undo();
  t.solver.restore(std::move(sizes));
  t.programCase.decisions.resize(decisions);
  t.drawCount = draws;
  t.solver.differing.reset();
  return undone ? std::nullopt : std::optional(Completion::raise());
}

} // namespace nereid::torch
