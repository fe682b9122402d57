// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The moves that make kernels larger by inlining a value, and what each gains; those that join two
// stand in PartitionJoins.cpp.
#include "schedule/partition/Partitioner.h"

#include "graph/GraphOps.h"
#include "schedule/rewrites/SplitFolds.h"

#include "llvm/ADT/ScopeExit.h"

namespace nereid::schedule {

/// Values that are waited for above which compilers spill, where a lane has eight elements, and
/// values in a kernel above which readers get lost.
static constexpr size_t maxLiveValues = 24, maxValues = 256;

/// Whether a kernel's values do not fit into registers. A program that has rows may hold all of
/// them, and a loop's body is computed as a whole or not at all.
static bool isTooLarge(const Kernel &kernel, const KernelCost &cost) {
  // Beside halves there is no room for more than the tiles of the factors.
  if (kernel.contraction && kernel.contraction->haveHalves &&
      cost.factorTiles > kernel.contraction->sums + 1)
    return true;
  if (kernel.loop >= 0 || cost.values <= KernelCost::fewValues)
    return false;
  return (kernel.hasRows && !cost.isOfWindows) || cost.liveValues > maxLiveValues ||
         cost.values > maxValues;
}

std::unique_ptr<Candidate> Partitioner::evaluate(llvm::ArrayRef<Value *> outputs,
                                                 const StoredSet &stored) {
  auto kernel = planKernel(program, outputs, stored);
  if (!kernel)
    return nullptr;
  KernelCost cost = estimateCost(program, *kernel, stored, device);
  // A part is there for all programs once its kernel has ended.
  bool readsOwn = llvm::any_of(outputs, [&](const Value *output) {
    return output->join && cost.loads.contains(output->join);
  });
  if (readsOwn || isTooLarge(*kernel, cost))
    return nullptr;
  auto candidate = std::make_unique<Candidate>();
  candidate->id = nextId++;
  candidate->outputs.assign(outputs.begin(), outputs.end());
  candidate->cost = cost.microseconds;
  candidate->loads = std::move(cost.loads);
  candidate->kernel = std::move(*kernel);
  return candidate;
}

/// Whether only values of a unit read a value; what is never stored reads it for its own readers.
bool Partitioner::isReadWithin(const Value &value, unsigned unit) const {
  return llvm::all_of(readersOf(value), [&](const Value *reader) {
    return reader->unit == unit && (!reader->isInlineOnly || isReadWithin(*reader, unit));
  });
}

/// Whether the stage lets a value be inlined at all.
bool Partitioner::mayInline(const Value &value) const {
  bool isReadWhole = llvm::any_of(readersOf(value), [](const Value *reader) {
    return reader->kind == ValueKind::Sort || reader->kind == ValueKind::Call;
  });
  if (results.contains(&value) || value.join || value.isAlwaysStored || value.isNeverInlined ||
      value.isPart || value.kind == ValueKind::Sort || isReadWhole ||
      value.kind == ValueKind::Scatter || value.kind == ValueKind::Call)
    return false;
  // What windows have of their own must not wait for what is made of all of them.
  if (value.window != 0 && !policy.isChosen())
    return false;
  if (policy.has(MoveKind::Fusion))
    return true;
  // A cast belongs to whoever reads it; it is no operator of the program. But one that a result
  // implies belongs to the operator: it is what the operator stores.
  if (value.isCast() && !value.isElidableCast())
    return true;
  return isReadWithin(value, value.unit);
}

/// Inlines a value into the kernels that load it; `involved` are these and the one that stores it.
std::optional<Partitioner::Move> Partitioner::tryInline(Value *value,
                                                        llvm::ArrayRef<size_t> involved) {
  std::optional<Move> alone = tryInlineAll(value, involved);
  if (!alone)
    alone = tryInlineBesideFolds(value, involved);
  if (!alone)
    alone = tryInlineBesideHalf(value, involved);
  llvm::SmallVector<Value *, 4> together = {value};
  addRowFolds(together, involved);
  if (together.size() == 1)
    return alone;
  std::optional<Move> all = tryInlineAll(together, involved);
  return all && (!alone || all->gain > alone->gain) ? std::move(all) : std::move(alone);
}

/// The folds that make a value of stored ones, those that others are made of left out.
llvm::SmallVector<Value *, 2> Partitioner::foldsOf(Value &value) const {
  llvm::SetVector<Value *> folds;
  llvm::SetVector<Value *> reached;
  reached.insert(&value);
  for (size_t next = 0; next < reached.size(); ++next)
    forEachAccess(*reached[next], [&](Access &access) {
      Value *read = access.from;
      if (read->isFree() || stored.contains(read))
        return;
      (read->kind == ValueKind::Fold ? folds : reached).insert(read);
    });
  return folds.takeVector();
}

/// Whether a kernel makes a value that is not stored on its way to what it stores.
bool Partitioner::makesInline(const Candidate &candidate, const Value *wanted) const {
  llvm::SetVector<const Value *> reached;
  auto enter = [&](const Value &value) {
    forEachAccess(value, [&](const Access &access) {
      if (!access.from->isFree() && !stored.contains(access.from))
        reached.insert(access.from);
    });
  };
  for (const Value *output : candidate.outputs)
    enter(*output);
  for (size_t next = 0; next < reached.size() && !reached.contains(wanted); ++next)
    enter(*reached[next]);
  return reached.contains(wanted);
}

/// Plans the other kernels anew that make what a move stores: they read it then. False where one
/// cannot.
bool Partitioner::planReaders(Move &move, llvm::ArrayRef<Value *> restored) {
  for (size_t number = 0; number < candidates.size(); ++number) {
    const Candidate &candidate = *candidates[number];
    bool isMoved = llvm::is_contained(move.removed, number);
    if (isMoved ||
        llvm::none_of(restored, [&](const Value *value) { return makesInline(candidate, value); }))
      continue;
    stored.insert(restored.begin(), restored.end());
    llvm::SmallVector<Value *, 4> outputs(candidate.outputs.begin(), candidate.outputs.end());
    std::unique_ptr<Candidate> planned = evaluate(outputs, stored);
    for (const Value *value : restored)
      stored.erase(value);
    if (!planned)
      return false;
    move.gain += candidate.cost - planned->cost;
    move.removed.push_back(number);
    move.added.push_back(std::move(planned));
  }
  return true;
}

/// Inlines a value into contractions whose rows are not those that its own folds have: the folds
/// are stored in its place. What softmax's gradient subtracts is a number of the rows of a product,
/// and of the columns of another.
std::optional<Partitioner::Move>
Partitioner::tryInlineBesideFolds(Value *value, llvm::ArrayRef<size_t> involved) {
  if (!policy.has(MoveKind::NestedContractions) || policy.isChosen())
    return std::nullopt;
  bool isOfRows = false, isOfContraction = false;
  for (size_t number : involved) {
    const Candidate &candidate = *candidates[number];
    if (candidate.loads.contains(value))
      isOfContraction |= candidate.kernel.contraction.has_value();
    else
      isOfRows = candidate.kernel.hasRows && !candidate.kernel.contraction &&
                 candidate.outputs.size() == 1;
  }
  if (!isOfRows || !isOfContraction)
    return std::nullopt;
  llvm::SmallVector<Value *, 2> folds = foldsOf(*value);
  bool mayStore = llvm::all_of(folds, [](const Value *fold) {
    return !fold->isInlineOnly && !fold->isCarried && fold->loop < 0 && fold->window == 0;
  });
  if (folds.empty() || !mayStore)
    return std::nullopt;
  stored.insert(folds.begin(), folds.end());
  std::unique_ptr<Candidate> ofFolds = evaluate(folds, stored);
  std::optional<Move> move;
  if (ofFolds)
    move = tryInlineAll(value, involved, ofFolds->cost);
  for (const Value *fold : folds)
    stored.erase(fold);
  if (move && !planReaders(*move, folds))
    return std::nullopt;
  if (move) {
    move->restored.assign(folds.begin(), folds.end());
    move->added.push_back(std::move(ofFolds));
  }
  return move;
}

/// Inlines a widened half that is stored, and stores in its place the half, or what it is rounded
/// from where that is left to its readers: matrix units take the half.
std::optional<Partitioner::Move> Partitioner::tryInlineBesideHalf(Value *value,
                                                                  llvm::ArrayRef<size_t> involved) {
  if (value->kind != ValueKind::Map || !value->isCast() || policy.isChosen())
    return std::nullopt;
  Value *half = value->inputs[0].from;
  auto wide = llvm::dyn_cast<mlir::FloatType>(value->elementType),
       narrow = llvm::dyn_cast<mlir::FloatType>(half->elementType);
  bool isWidened = wide && narrow && narrow.getWidth() < wide.getWidth();
  if (isWidened && half->isInlineOnly && half->isElidableCast())
    half = half->inputs[0].from;
  if (!isWidened || half->isFree() || half->isInlineOnly || half->loop >= 0 || half->window != 0 ||
      half->kind == ValueKind::Input || stored.contains(half))
    return std::nullopt;
  stored.insert(half);
  std::unique_ptr<Candidate> ofHalf = evaluate(half, stored);
  std::optional<Move> move;
  if (ofHalf)
    move = tryInlineAll(value, involved, ofHalf->cost);
  stored.erase(half);
  if (move && !planReaders(*move, half))
    return std::nullopt;
  if (move) {
    move->restored.push_back(half);
    move->added.push_back(std::move(ofHalf));
  }
  return move;
}

/// With what contractions make, adds what kernels of those that read it fold for each row and
/// others of them read: scores, and the greatest of them, are needed by one kernel or by none.
void Partitioner::addRowFolds(llvm::SmallVectorImpl<Value *> &values,
                              llvm::ArrayRef<size_t> involved) const {
  if (!policy.has(MoveKind::NestedContractions) || policy.isChosen())
    return;
  bool isOfContraction = false;
  for (size_t number : involved)
    isOfContraction |= stores(*candidates[number], values.front()) &&
                       candidates[number]->kernel.contraction.has_value();
  for (size_t number : involved) {
    const Candidate &candidate = *candidates[number];
    bool areFolds = isOfContraction && candidate.kernel.hasRows &&
                    candidate.loads.contains(values.front()) &&
                    llvm::all_of(candidate.kernel.outputs, [&](const KernelOutput &output) {
                      return output.columns < 0 && mayInline(*output.value);
                    });
    // Whoever else reads them must be looked at, too.
    for (size_t other = 0; other < candidates.size() && areFolds; ++other)
      areFolds = llvm::is_contained(involved, other) ||
                 llvm::none_of(candidate.outputs, [&](const Value *output) {
                   return candidates[other]->loads.contains(output);
                 });
    if (areFolds)
      values.append(candidate.outputs.begin(), candidate.outputs.end());
  }
}

/// Of other kernels that the move adds, what they cost.
std::optional<Partitioner::Move> Partitioner::tryInlineAll(llvm::ArrayRef<Value *> values,
                                                           llvm::ArrayRef<size_t> involved,
                                                           double ofOthers) {
  // Only these kernels look at the values.
  for (Value *value : values)
    stored.erase(value);
  llvm::scope_exit restore([&] { stored.insert(values.begin(), values.end()); });
  Move move;
  move.inlined.assign(values.begin(), values.end());
  double before = 0, after = ofOthers;
  for (size_t number : involved)
    before += candidates[number]->cost;
  for (size_t number : involved) {
    const Candidate &candidate = *candidates[number];
    llvm::SmallVector<Value *, 2> outputs;
    for (Value *output : candidate.outputs)
      if (!llvm::is_contained(values, output))
        outputs.push_back(output);
    move.removed.push_back(number);
    if (outputs.empty())
      continue;
    auto replaced = evaluate(outputs, stored);
    if (!replaced)
      return std::nullopt;
    after += replaced->cost;
    // Nothing is gained any more.
    if (after >= before && !policy.isChosen())
      return std::nullopt;
    move.added.push_back(std::move(replaced));
  }
  move.gain = before - after;
  return move;
}

/// Remembers a move for reports.
void Partitioner::note(const Move &move) {
  auto add = [&](MadeMove::Kind kind, llvm::ArrayRef<Value *> values) {
    MadeMove &noted = made.emplace_back();
    noted.kind = kind;
    noted.values.assign(values.begin(), values.end());
    noted.gain = move.gain;
  };
  if (!move.carried.empty())
    return add(MadeMove::Carry, move.carried);
  if (!move.inlined.empty())
    return add(MadeMove::Inline, move.inlined);
  if (!move.restored.empty())
    return add(MadeMove::Store, move.restored);
  llvm::SmallVector<Value *, 4> joined;
  for (size_t number : move.removed)
    llvm::append_range(joined, candidates[number]->outputs);
  add(MadeMove::Join, joined);
}

void Partitioner::apply(Move move) {
  note(move);
  setWindows(program, move.carried, move.span, true);
  stored.insert(move.restored.begin(), move.restored.end());
  for (const Value *value : move.inlined)
    stored.erase(value);
  llvm::sort(move.removed, std::greater<size_t>());
  for (size_t number : move.removed)
    candidates.erase(candidates.begin() + number);
  auto isBefore = [](const auto &a, const auto &b) {
    return a->outputs.front()->order < b->outputs.front()->order;
  };
  for (std::unique_ptr<Candidate> &candidate : move.added) {
    auto place = llvm::upper_bound(candidates, candidate, isBefore);
    candidates.insert(place, std::move(candidate));
  }
}

} // namespace nereid::schedule
