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

std::vector<LoopReader::Held> LoopReader::heldByStorages() const {
  std::vector<Held> held;
  held.reserve(t.storages.size());
  for (auto &storage : t.storages) {
    Rows *rows = rowsOf(*storage);
    held.push_back({storage->value, rows, rows ? rows->current : mlir::Value()});
  }
  return held;
}

void LoopReader::restoreStorages(ArrayRef<Held> held) {
  for (auto [storage, each] : zip(t.storages, held)) {
    bool isSame = storage->value == each.value && storage->rows == each.rows &&
                  (!each.rows || each.rows->current == each.row);
    storage->value = each.value;
    storage->rows = each.rows;
    if (each.rows)
      each.rows->current = each.row;
    if (!isSame)
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
  bool isOfThis = false;
  index::forEachSymbol(*t.solver.differing, [&](Expr symbol) { isOfThis |= symbol == index; });
  if (!isOfThis) {
    blame("`" + t.solver.differing->str() + "` holds in some turns only");
    return Outcome::Refused;
  }
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

bool LoopReader::moves(Expr expr) const {
  return index::contains(t.solver.resolve(expr), index) || (around && around->moves(expr));
}

/// The first step of a view that is at a place that moves from turn to turn.
static const ViewStep *movingStep(SizeSolver &solver, ArrayRef<ViewStep> steps, Expr index) {
  for (const ViewStep &step : steps)
    if (step.kind == ViewStep::Slice && step.step == 1 &&
        index::contains(solver.resolve(step.start), index) &&
        !index::contains(solver.resolve(step.size), index))
      return &step;
  return nullptr;
}

void LoopReader::noteWrite(TensorValue *tensor) {
  Storage *storage = tensor->storage;
  if (around)
    around->noteWrite(tensor);
  if (storage->number >= outerStorages)
    return;
  if (movingStep(t.solver, tensor->steps, index))
    writes[storage].push_back(tensor->steps);
  else
    wholeWrites.insert(storage);
}

/// Executes the body once with the values of before the loop, and takes it all back.
bool LoopReader::trial() {
  newBlock();
  isTrial = true;
  std::vector<Held> before = heldByStorages();
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

bool areSame(const SizeSolver &solver, const ViewStep &a, const ViewStep &b) {
  auto same = [&](Expr one, Expr other) {
    return one == other || (one && other && solver.resolve(one) == solver.resolve(other));
  };
  return a.kind == b.kind && a.axes == b.axes && a.sizes == b.sizes && a.dim == b.dim &&
         a.step == b.step && a.place == b.place && same(a.start, b.start) && same(a.size, b.size);
}

/// A tensor of which each turn writes rows that move from turn to turn, where all writes are to the
/// same rows at places that move by a constant; false where it has to be carried whole.
bool LoopReader::sortRows(Storage *storage) {
  auto found = writes.find(storage);
  if (found == writes.end() || wholeWrites.contains(storage))
    return false;
  ArrayRef<ViewStep> steps = found->second.front();
  const ViewStep &moving = *movingStep(t.solver, steps, index);
  size_t depth = &moving - steps.data();
  for (ArrayRef<ViewStep> others : found->second)
    for (size_t at = 0; at <= depth; ++at)
      if (at >= others.size() || !areSame(t.solver, steps[at], others[at]))
        return false;
  Expr place = t.solver.resolve(moving.start), length = t.solver.resolve(moving.size);
  auto linear = index::asLinearIn(place, index);
  std::optional<int64_t> stride =
      linear ? linear->coefficient.getConstant() : std::optional<int64_t>();
  if (!stride || *stride == 0 || !(length.isConstant(1) || length.isConstant(std::abs(*stride))))
    return false;
  ArrayRef<ViewStep> prefix = steps.take_front(depth);
  if (any_of(prefix, [&](const ViewStep &step) {
        return step.kind == ViewStep::Window || step.kind == ViewStep::Pick;
      }))
    return false;
  rows.push_back({this,
                  storage,
                  nullptr,
                  prefix.vec(),
                  moving.dim,
                  place,
                  length,
                  *stride,
                  t.writer.dtype(storage->value),
                  {},
                  {},
                  {}});
  return true;
}

bool LoopReader::sortStorages(ArrayRef<Held> before) {
  for (size_t number = 0; number < outerStorages; ++number) {
    Storage *storage = t.storages[number].get();
    const Held &held = before[number];
    bool isSame = storage->value == held.value && (!held.rows || held.rows->current == held.row);
    if (!isSame && !sortRows(storage))
      written.push_back({storage});
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
  if (!change.before || (isBoundFirst(change) && !isReadLater(change)))
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
  cycles.clear();
  isCyclic = false;
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
    std::vector<Held> before = heldByStorages();
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
  addTargets(machine, *loop.target(), targets);
  outside = t.writer.builder.saveInsertionPoint();
  SizeSolver::State sizes = t.solver.save();
  size_t decisions = t.programCase.decisions.size();
  std::vector<Held> values = heldByStorages();
  int64_t draws = t.drawCount;
  Journal journal(machine);
  Outcome outcome = Outcome::Refused;
  while (true) {
    count = t.solver.resolve(items->count - (first + last));
    SizeSolver::State tried = t.solver.save();
    outcome = attempt();
    t.writer.builder.restoreInsertionPoint(outside);
    // What a turn asked for that is not like the others says nothing.
    if (outcome == Outcome::First || outcome == Outcome::Last)
      t.solver.restore(std::move(tried));
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
  // A condition on the turn of a loop around this one is for that one to settle.
  bool isOfAround = around && t.solver.differing;
  bool canUnroll = !isOfAround && (onlyCarried || (turns && *turns <= mostUnrolled));
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
