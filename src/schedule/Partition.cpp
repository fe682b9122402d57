// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/Partition.h"

#include "graph/GraphOps.h"
#include "schedule/SpanKernel.h"
#include "schedule/SplitFolds.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/ScopeExit.h"

#include <map>

namespace nereid::schedule {

namespace {

/// Values in a kernel above which compilers spill and readers get lost.
constexpr unsigned maxValues = 64;

/// Kernels that have nothing in common are joined for this share of their time, up to so many
/// tensors.
constexpr double leastShare = 0.05;
constexpr size_t mostTensors = 16;

/// A kernel with what planning and costing it showed.
struct Candidate {
  /// No other candidate has it: what was found out about some candidates holds while they exist.
  unsigned id = 0;
  llvm::SmallVector<Value *, 2> outputs;
  Kernel kernel;
  double cost = 0;
  llvm::SetVector<const Value *> loads;
};

class Partitioner {
public:
  Partitioner(Program &program, int stage, const Device &device)
      : program(program), stage(stage), device(device) {}

  Partition run();

private:
  void start();
  std::optional<Candidate> evaluate(llvm::ArrayRef<Value *> outputs, const StoredSet &stored);
  struct Move {
    double gain = 0;
    Value *inlined = nullptr;
    /// Folds over windows that are carried from now on, and the length of their windows.
    llvm::SmallVector<Value *, 2> carried;
    int64_t span = 0;
    /// Those of them that were inlined into a cast; it is a kernel of its own from now on.
    llvm::SmallVector<Value *, 2> restored;
    std::vector<size_t> removed;
    std::vector<Candidate> added;
  };
  std::optional<Move> tryInline(Value *value, llvm::ArrayRef<size_t> involved);
  std::optional<Move> tryJoin(size_t first, size_t second);
  bool isCarriable(const Value &value) const;
  Value *carriedFor(Value *output) const;
  bool areRelated(const Candidate &a, const Candidate &b) const;
  bool mayShareLaunch(const Candidate &a, const Candidate &b) const;
  bool mayJoin(size_t first, size_t second) const;
  bool mayCarry(size_t folds) const;
  std::optional<Move> tryCarry(size_t rows, size_t folds);
  /// A join of two kernels that gains so much.
  struct PairMove {
    double gain;
    size_t first, second;
  };
  std::optional<PairMove> bestPair(double leastGain);
  std::optional<Move> bestCarry(double leastGain);
  std::optional<Move> bestInline();
  std::optional<Move> bestJoin();
  std::optional<Move> bestMove();
  std::optional<Move> anyMove();
  void apply(Move move);
  bool mayInline(const Value &value) const;
  bool isReadWithin(const Value &value, unsigned unit) const;
  bool reaches(size_t from, size_t to, size_t notDirectly) const;
  void findReaders();
  bool stores(const Candidate &candidate, const Value *value) const {
    return llvm::is_contained(candidate.outputs, value);
  }
  void sortKernels();

  /// For each stored value, the kernels that store or load it.
  using Involved = llvm::DenseMap<const Value *, llvm::SmallVector<size_t, 4>>;
  Involved findInvolved() const;
  /// What a move gains; null when it cannot be made.
  using Gain = std::optional<double>;
  struct KnownGain {
    llvm::SmallVector<unsigned, 4> ids;
    Gain gain;
  };
  llvm::SmallVector<unsigned, 4> idsOf(llvm::ArrayRef<size_t> numbers) const;
  double bytesOf(const Value &value);
  Gain boundOfJoin(const Candidate &a, const Candidate &b);

  Program &program;
  int stage;
  const Device &device;
  StoredSet stored;
  llvm::DenseSet<const Value *> results;
  llvm::DenseMap<const Value *, llvm::SetVector<const Value *>> readers;
  std::vector<Candidate> candidates;
  /// By kernel, those that load what it stores.
  std::vector<llvm::SmallVector<size_t, 4>> kernelReaders;
  unsigned nextId = 0;
  /// A move's gain depends on the kernels that it replaces, on nothing else: most moves are the
  /// same after another was made. By value, and by the ids of the pair of kernels.
  llvm::DenseMap<const Value *, KnownGain> inlineGains;
  std::map<std::pair<unsigned, unsigned>, Gain> joinGains;
  std::map<std::pair<unsigned, unsigned>, KnownGain> carryGains;
  llvm::DenseMap<const Value *, double> valueBytes;
};

} // namespace

std::optional<Candidate> Partitioner::evaluate(llvm::ArrayRef<Value *> outputs,
                                               const StoredSet &stored) {
  auto kernel = planKernel(program, outputs, stored);
  if (!kernel)
    return std::nullopt;
  Candidate candidate;
  candidate.id = nextId++;
  candidate.outputs.assign(outputs.begin(), outputs.end());
  KernelCost cost = estimateCost(program, *kernel, stored, device);
  // A loop's body is computed as a whole or not at all.
  if (kernel->loop < 0 && cost.values > maxValues && outputs.size() + cost.values > maxValues + 1)
    return std::nullopt;
  candidate.cost = cost.microseconds;
  candidate.loads = std::move(cost.loads);
  candidate.kernel = std::move(*kernel);
  return candidate;
}

void Partitioner::start() {
  // Live values, from the results backwards.
  llvm::SmallVector<Value *> worklist;
  llvm::DenseSet<Value *> live;
  for (const Result &result : program.results) {
    results.insert(result.value);
    worklist.push_back(result.value);
  }
  while (!worklist.empty()) {
    Value *value = worklist.pop_back_val();
    if (!live.insert(value).second)
      continue;
    forEachAccess(*value, [&](const Access &access) {
      readers[access.from].insert(value);
      worklist.push_back(access.from);
    });
  }
  llvm::SmallVector<Value *> ordered(live.begin(), live.end());
  llvm::sort(ordered, [](Value *a, Value *b) { return a->order < b->order; });
  for (Value *value : ordered)
    if (!value->isFree() && value->loop < 0 && !value->isInlineOnly)
      stored.insert(value);
  for (Value *value : ordered) {
    if (!stored.contains(value))
      continue;
    auto candidate = evaluate({value}, stored);
    assert(candidate && "a kernel of one value can always be planned");
    candidates.push_back(std::move(*candidate));
  }
  findReaders();
}

/// Whether only values of a unit read a value; what is never stored reads it for its own readers.
bool Partitioner::isReadWithin(const Value &value, unsigned unit) const {
  return llvm::all_of(readers.lookup(&value), [&](const Value *reader) {
    return reader->unit == unit && (!reader->isInlineOnly || isReadWithin(*reader, unit));
  });
}

/// Whether the stage lets a value be inlined at all.
bool Partitioner::mayInline(const Value &value) const {
  bool isReadWhole = llvm::any_of(readers.lookup(&value), [](const Value *reader) {
    return reader->kind == ValueKind::Sort || reader->kind == ValueKind::Call;
  });
  if (results.contains(&value) || value.kind == ValueKind::Sort || isReadWhole ||
      value.kind == ValueKind::Scatter || value.kind == ValueKind::Call)
    return false;
  // What windows have of their own must not wait for what is made of all of them.
  if (value.window != 0 && !program.choose)
    return false;
  if (stage >= 2)
    return true;
  // A cast belongs to whoever reads it; it is no operator of the program. But one that a result
  // implies belongs to the operator: it is what the operator stores.
  if (value.isCast() && !value.isElidableCast())
    return true;
  return isReadWithin(value, value.unit);
}

Partitioner::Involved Partitioner::findInvolved() const {
  Involved involved;
  for (auto [number, candidate] : llvm::enumerate(candidates)) {
    for (const Value *output : candidate.outputs)
      involved[output].push_back(number);
    for (const Value *load : candidate.loads)
      if (!load->isFree() && !stores(candidate, load))
        involved[load].push_back(number);
  }
  return involved;
}

llvm::SmallVector<unsigned, 4> Partitioner::idsOf(llvm::ArrayRef<size_t> numbers) const {
  llvm::SmallVector<unsigned, 4> ids;
  for (size_t number : numbers)
    ids.push_back(candidates[number].id);
  return ids;
}

/// Inlines a value into the kernels that load it; `involved` are these and the one that stores it.
std::optional<Partitioner::Move> Partitioner::tryInline(Value *value,
                                                        llvm::ArrayRef<size_t> involved) {
  // Only these kernels look at the value.
  stored.erase(value);
  llvm::scope_exit restore([&] { stored.insert(value); });
  Move move;
  move.inlined = value;
  double before = 0, after = 0;
  for (size_t number : involved) {
    const Candidate &candidate = candidates[number];
    llvm::SmallVector<Value *, 2> outputs;
    for (Value *output : candidate.outputs)
      if (output != value)
        outputs.push_back(output);
    before += candidate.cost;
    move.removed.push_back(number);
    if (outputs.empty())
      continue;
    auto replaced = evaluate(outputs, stored);
    if (!replaced)
      return std::nullopt;
    after += replaced->cost;
    move.added.push_back(std::move(*replaced));
  }
  move.gain = before - after;
  return move;
}

/// Whether `to` needs something that `from` stores, by way of other kernels (not by a direct read
/// of `notDirectly` when both are the pair to be joined).
bool Partitioner::reaches(size_t from, size_t to, size_t notDirectly) const {
  llvm::BitVector seen(candidates.size());
  llvm::SmallVector<size_t> worklist = {from};
  while (!worklist.empty()) {
    size_t at = worklist.pop_back_val();
    for (size_t next : kernelReaders[at]) {
      if (at == from && next == notDirectly)
        continue;
      if (next == to)
        return true;
      if (!seen.test(next)) {
        seen.set(next);
        worklist.push_back(next);
      }
    }
  }
  return false;
}

/// Finds what `reaches` follows; the kernels stay the same while moves are looked at.
void Partitioner::findReaders() {
  llvm::DenseMap<const Value *, size_t> makers;
  for (auto [number, candidate] : llvm::enumerate(candidates))
    for (const Value *output : candidate.outputs)
      makers[output] = number;
  kernelReaders.assign(candidates.size(), {});
  for (auto [number, candidate] : llvm::enumerate(candidates))
    for (const Value *load : candidate.loads)
      if (auto maker = makers.find(load); maker != makers.end() && maker->second != number)
        kernelReaders[maker->second].push_back(number);
}

/// Whether two kernels read the same, or one what the other makes.
bool Partitioner::areRelated(const Candidate &a, const Candidate &b) const {
  return llvm::any_of(a.outputs, [&](Value *output) { return b.loads.contains(output); }) ||
         llvm::any_of(b.outputs, [&](Value *output) { return a.loads.contains(output); }) ||
         llvm::any_of(a.loads, [&](const Value *load) {
           return load->kind != ValueKind::Scalar && b.loads.contains(load);
         });
}

/// Whether no third kernel stands between two.
bool Partitioner::mayJoin(size_t first, size_t second) const {
  const Candidate &a = candidates[first], &b = candidates[second];
  if (stage < 2 && a.outputs.front()->unit != b.outputs.front()->unit)
    return false;
  return !reaches(first, second, second) && !reaches(second, first, first);
}

/// Whether kernels that have nothing in common may share a launch: where launches are a good part
/// of the time, and rows or elements are as many.
bool Partitioner::mayShareLaunch(const Candidate &a, const Candidate &b) const {
  if (device.launchUs < leastShare * (a.cost + b.cost) || a.kernel.hasRows != b.kernel.hasRows)
    return false;
  if (a.kernel.hasRows)
    return a.kernel.rows.extents == b.kernel.rows.extents;
  return a.outputs.front()->shape == b.outputs.front()->shape;
}

std::optional<Partitioner::Move> Partitioner::tryJoin(size_t first, size_t second) {
  const Candidate &a = candidates[first], &b = candidates[second];
  bool related = areRelated(a, b);
  if (!related && (stage < 3 || !mayShareLaunch(a, b)))
    return std::nullopt;
  llvm::SmallVector<Value *> outputs(a.outputs.begin(), a.outputs.end());
  outputs.append(b.outputs.begin(), b.outputs.end());
  llvm::sort(outputs, [](Value *a, Value *b) { return a->order < b->order; });
  auto joined = evaluate(outputs, stored);
  if (!joined)
    return std::nullopt;
  Move move;
  move.gain = a.cost + b.cost - joined->cost;
  if (!related && (move.gain < leastShare * (a.cost + b.cost) ||
                   joined->loads.size() + outputs.size() > mostTensors))
    return std::nullopt;
  move.removed = {first, second};
  move.added.push_back(std::move(*joined));
  return move;
}

/// Whether a fold's windows are its own: only the fold of its results knows how long they are.
bool Partitioner::isCarriable(const Value &value) const {
  auto op = llvm::dyn_cast_or_null<graph::FoldOp>(value.op);
  bool isPlain = value.kind == ValueKind::Fold && !value.isCarried && op &&
                 op.getKind() != graph::FoldKind::Argmax && op.getKind() != graph::FoldKind::Argmin;
  return isPlain &&
         (value.window == 0 || llvm::all_of(readers.lookup(&value), [](const Value *reader) {
            return reader->kind == ValueKind::Fold && reader->window == 0;
          }));
}

/// Whether programs of another kernel may carry the folds of this one.
bool Partitioner::mayCarry(size_t folds) const {
  const Candidate &b = candidates[folds];
  const Value *first = carriedFor(b.outputs.front());
  return (stage >= 3 || program.choose) && first && llvm::all_of(b.outputs, [&](Value *output) {
           const Value *fold = carriedFor(output);
           return fold && fold->window == first->window && fold->foldExtents == first->foldExtents;
         });
}

/// The fold to be carried for an output: itself, or what it is a cast of; null when there is none.
Value *Partitioner::carriedFor(Value *output) const {
  Value *fold = output;
  while (fold->isCast() && (fold == output || !stored.contains(fold)))
    fold = fold->inputs[0].from;
  if (fold != output && (stored.contains(fold) || fold->shape != output->shape))
    return nullptr;
  return isCarriable(*fold) ? fold : nullptr;
}

/// Joins a kernel of folds to one of the rows that they run over, whose programs carry them.
std::optional<Partitioner::Move> Partitioner::tryCarry(size_t rows, size_t folds) {
  const Candidate &a = candidates[rows], &b = candidates[folds];
  if (!areRelated(a, b))
    return std::nullopt;
  Move move;
  for (Value *output : b.outputs) {
    move.carried.push_back(carriedFor(output));
    if (move.carried.back() != output)
      move.restored.push_back(move.carried.back());
  }
  // Either all folds are results or none: one kernel converts what is carried.
  if (!move.restored.empty() && move.restored.size() != b.outputs.size())
    return std::nullopt;
  // The casts are made behind the rows, which cannot wait for them.
  bool waits = llvm::any_of(b.outputs, [&](Value *output) { return a.loads.contains(output); });
  if (!move.restored.empty() && waits)
    return std::nullopt;
  const Value &first = *move.carried.front();
  if (first.window != 0 && a.kernel.span == 0) {
    // Each element of the axes that nothing is folded over has programs of its own.
    int64_t rows = program.estimateElements(a.kernel.rows.extents);
    int64_t folded = program.estimateElements(first.foldExtents);
    int64_t outer = rows % folded == 0 ? std::max<int64_t>(rows / folded, 1) : 1;
    move.span = chooseSpan(program, first, device.multiprocessors, outer);
  } else if (first.window != 0) {
    move.span = a.kernel.span;
  }
  llvm::SmallVector<Value *, 4> outputs(a.outputs.begin(), a.outputs.end());
  outputs.append(move.carried.begin(), move.carried.end());
  llvm::sort(outputs, [](Value *a, Value *b) { return a->order < b->order; });

  // The folds are as the move makes them while its kernels are looked at.
  int64_t before = first.window;
  setWindows(program, move.carried, move.span, true);
  stored.insert(move.restored.begin(), move.restored.end());
  bool fits = true;
  auto replace = [&](size_t number, llvm::ArrayRef<Value *> outputs) {
    auto replaced = evaluate(outputs, stored);
    fits = replaced.has_value();
    if (!fits)
      return;
    move.gain += candidates[number].cost - replaced->cost;
    move.removed.push_back(number);
    move.added.push_back(std::move(*replaced));
  };
  replace(rows, outputs);
  if (move.restored.empty()) {
    move.removed.push_back(folds);
    move.gain += b.cost;
  } else if (fits) {
    replace(folds, b.outputs);
  }
  for (size_t number = 0; number < candidates.size() && fits; ++number) {
    auto isRead = [&](Value *value) { return candidates[number].loads.contains(value); };
    if (first.window != 0 && number != rows && number != folds && llvm::any_of(b.outputs, isRead))
      replace(number, candidates[number].outputs);
  }
  setWindows(program, move.carried, before, false);
  for (const Value *fold : move.restored)
    stored.erase(fold);
  return fits ? std::optional(std::move(move)) : std::nullopt;
}

void Partitioner::apply(Move move) {
  setWindows(program, move.carried, move.span, true);
  stored.insert(move.restored.begin(), move.restored.end());
  if (move.inlined)
    stored.erase(move.inlined);
  llvm::sort(move.removed, std::greater<size_t>());
  for (size_t number : move.removed)
    candidates.erase(candidates.begin() + number);
  for (Candidate &candidate : move.added)
    candidates.push_back(std::move(candidate));
  llvm::sort(candidates, [](const Candidate &a, const Candidate &b) {
    return a.outputs.front()->order < b.outputs.front()->order;
  });
  findReaders();
}

/// Puts kernels in an order in which each loads only what earlier ones store.
void Partitioner::sortKernels() {
  std::vector<Candidate> sorted;
  StoredSet done;
  while (!candidates.empty()) {
    auto ready = llvm::find_if(candidates, [&](const Candidate &candidate) {
      return llvm::all_of(candidate.loads, [&](const Value *load) {
        return load->isFree() || done.contains(load) || stores(candidate, load);
      });
    });
    assert(ready != candidates.end() && "kernels read one another in a circle");
    done.insert(ready->outputs.begin(), ready->outputs.end());
    sorted.push_back(std::move(*ready));
    candidates.erase(ready);
  }
  candidates = std::move(sorted);
}

/// What a move must gain to be made.
static constexpr double leastGain = 1e-9;

std::optional<Partitioner::Move> Partitioner::bestInline() {
  Involved involved = findInvolved();
  Value *best = nullptr;
  double bestGain = leastGain;
  for (const Candidate &candidate : candidates)
    for (Value *output : candidate.outputs) {
      if (!mayInline(*output))
        continue;
      llvm::ArrayRef<size_t> numbers = involved.find(output)->second;
      auto [known, isNew] = inlineGains.try_emplace(output);
      llvm::SmallVector<unsigned, 4> ids = idsOf(numbers);
      if (isNew || known->second.ids != ids) {
        auto move = tryInline(output, numbers);
        known->second = {ids, move ? Gain(move->gain) : std::nullopt};
      }
      if (known->second.gain && *known->second.gain > bestGain) {
        best = output;
        bestGain = *known->second.gain;
      }
    }
  return best ? tryInline(best, involved.find(best)->second) : std::nullopt;
}

double Partitioner::bytesOf(const Value &value) {
  auto [known, isNew] = valueBytes.try_emplace(&value, 0);
  if (isNew)
    known->second = double(program.estimate(index::product(*program.context, value.shape))) *
                    double(value.getElementBytes());
  return known->second;
}

/// What joining two kernels gains at most: together they launch once, write what both write and
/// read what either reads and neither makes. Nothing where their axes are known not to fit.
Partitioner::Gain Partitioner::boundOfJoin(const Candidate &a, const Candidate &b) {
  auto isFlat = [](const Candidate &candidate) {
    const Kernel &kernel = candidate.kernel;
    return !kernel.hasRows && kernel.loop < 0 && !kernel.isSort() && !kernel.isCall();
  };
  if (isFlat(a) && isFlat(b) && a.outputs.front()->shape != b.outputs.front()->shape)
    return std::nullopt;
  double bytes = 0;
  for (const Candidate *candidate : {&a, &b}) {
    for (const Value *output : candidate->outputs)
      bytes += bytesOf(*output);
    for (const Value *load : candidate->loads)
      if (load->kind != ValueKind::Scalar && !stores(a, load) && !stores(b, load) &&
          (candidate == &a || !a.loads.contains(load)))
        bytes += bytesOf(*load);
  }
  // The costs add the same numbers up in another order.
  constexpr double slack = 1e-9;
  return (a.cost + b.cost) * (1 + slack) - device.launchUs - bytes / device.bytesPerUs;
}

/// The join that gains most, the first of equal ones. Joins are looked at in the order of what they
/// gain at most: most never are.
std::optional<Partitioner::PairMove> Partitioner::bestPair(double leastGain) {
  struct Pair {
    size_t a, b;
    double bound;
  };
  std::vector<Pair> pairs;
  for (size_t a = 0; a < candidates.size(); ++a)
    for (size_t b = a + 1; b < candidates.size(); ++b) {
      auto known = joinGains.find({candidates[a].id, candidates[b].id});
      Gain bound =
          known != joinGains.end() ? known->second : boundOfJoin(candidates[a], candidates[b]);
      if (bound && *bound > leastGain)
        pairs.push_back({a, b, *bound});
    }
  llvm::stable_sort(pairs, [](const Pair &a, const Pair &b) { return a.bound > b.bound; });
  std::optional<PairMove> best;
  for (const Pair &pair : pairs) {
    if (best && pair.bound < best->gain)
      break;
    auto [known, isNew] =
        joinGains.try_emplace({candidates[pair.a].id, candidates[pair.b].id}, std::nullopt);
    // What stands between the two changes with other kernels: `mayJoin` is asked again.
    if (!mayJoin(pair.a, pair.b)) {
      if (isNew)
        joinGains.erase(known);
      continue;
    }
    if (isNew)
      if (std::optional<Move> move = tryJoin(pair.a, pair.b))
        known->second = move->gain;
    Gain gain = known->second;
    if (!gain || *gain <= leastGain)
      continue;
    bool isFirst = best && *gain == best->gain &&
                   std::pair(pair.a, pair.b) < std::pair(best->first, best->second);
    if (!best || *gain > best->gain || isFirst)
      best = {*gain, pair.a, pair.b};
  }
  return best;
}

std::optional<Partitioner::Move> Partitioner::bestCarry(double leastGain) {
  Involved involved = findInvolved();
  std::optional<Move> best;
  for (size_t a = 0; a < candidates.size(); ++a)
    for (size_t b = 0; b < candidates.size(); ++b) {
      if (b == a || !mayCarry(b))
        continue;
      llvm::SmallVector<size_t, 4> numbers = {a};
      for (const Value *fold : candidates[b].outputs)
        llvm::append_range(numbers, involved.find(fold)->second);
      KnownGain &known = carryGains[{candidates[a].id, candidates[b].id}];
      llvm::SmallVector<unsigned, 4> ids = idsOf(numbers);
      bool isKnown = known.ids == ids && !(known.gain && *known.gain > leastGain);
      if (isKnown || !mayJoin(a, b))
        continue;
      std::optional<Move> move = tryCarry(a, b);
      known = {ids, move ? Gain(move->gain) : Gain()};
      if (!move || move->gain <= leastGain)
        continue;
      leastGain = move->gain;
      best = std::move(move);
    }
  return best;
}

std::optional<Partitioner::Move> Partitioner::bestJoin() {
  std::optional<PairMove> join = bestPair(leastGain);
  std::optional<Move> carry = bestCarry(join ? join->gain : leastGain);
  if (carry || !join)
    return carry;
  return tryJoin(join->first, join->second);
}

/// The move that gains most; joins when nothing is left to inline.
std::optional<Partitioner::Move> Partitioner::bestMove() {
  std::optional<Move> best = bestInline();
  return best ? std::move(best) : bestJoin();
}

/// One of the moves that are possible, or none, as the chooser says.
std::optional<Partitioner::Move> Partitioner::anyMove() {
  std::vector<Move> moves;
  auto consider = [&](std::optional<Move> move) {
    if (move)
      moves.push_back(std::move(*move));
  };
  Involved involved = findInvolved();
  for (Candidate &candidate : candidates)
    for (Value *output : candidate.outputs)
      if (mayInline(*output))
        consider(tryInline(output, involved.find(output)->second));
  for (size_t a = 0; a < candidates.size(); ++a)
    for (size_t b = 0; b < candidates.size(); ++b) {
      if (b > a && mayJoin(a, b))
        consider(tryJoin(a, b));
      if (b != a && mayCarry(b) && mayJoin(a, b))
        consider(tryCarry(a, b));
    }
  unsigned chosen = program.choose(moves.size() + 1);
  if (chosen == moves.size())
    return std::nullopt;
  return std::move(moves[chosen]);
}

Partition Partitioner::run() {
  start();
  while (std::optional<Move> move = program.choose ? anyMove() : bestMove())
    apply(std::move(*move));
  sortKernels();
  Partition result;
  result.stored = stored;
  for (Candidate &candidate : candidates)
    result.kernels.push_back(std::move(candidate.kernel));
  return result;
}

Partition partition(Program &program, int stage, const Device &device) {
  return Partitioner(program, stage, device).run();
}

} // namespace nereid::schedule
