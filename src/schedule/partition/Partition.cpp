// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search: the move that gains most is made until none gains.
#include "schedule/partition/Partitioner.h"

#include "graph/GraphOps.h"
#include "schedule/folds/SplitCascades.h"
#include "schedule/program/ValueMaker.h"
#include "schedule/rewrites/StoredHalves.h"

namespace nereid::schedule {

/// Arithmetic of some steps on numbers of places: who needs it makes it, which takes less than to
/// read it.
bool Partitioner::isOfPlaces(const Value &value) {
  constexpr unsigned mostSteps = 32;
  if (!policy.has(MoveKind::Fusion) || !mayInline(value))
    return false;
  unsigned steps = 0;
  bool hasPlaces = false;
  std::function<bool(const Value &)> isMade = [&](const Value &part) {
    if (part.kind != ValueKind::Map) {
      hasPlaces |= part.kind == ValueKind::Iota;
      return part.kind == ValueKind::Iota || part.kind == ValueKind::Size ||
             part.kind == ValueKind::Constant;
    }
    bool isStep = isa_and_nonnull<graph::AddOp, graph::SubOp, graph::MulOp, graph::NegOp,
                                  graph::MaximumOp, graph::MinimumOp, graph::AndOp, graph::OrOp,
                                  graph::NotOp, graph::CastOp, graph::EqOp, graph::NeOp,
                                  graph::LtOp, graph::LeOp, graph::GtOp, graph::GeOp>(part.op);
    isStep |= isa_and_nonnull<graph::FloordivOp, graph::TruncdivOp, graph::RemainderOp>(part.op) &&
              isa_and_nonnull<graph::ConstantOp>(part.inputs[1].from->op);
    return isStep && ++steps <= mostSteps && llvm::all_of(part.inputs, [&](const Access &access) {
             return access.loaded.empty() && isMade(*access.from);
           });
  };
  return isMade(value) && hasPlaces && policy.decide(true);
}

void Partitioner::start() {
  // No two values have one place; halves of factors are put before what multiplies them.
  spaceOut(program, placesBefore);
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
    if (!value->isFree() && value->loop < 0 && !value->isInlineOnly && !isOfPlaces(*value))
      stored.insert(value);
  for (Value *value : ordered) {
    if (value->join && live.contains(value->join))
      partsOf[value->join].push_back(value);
    if (!stored.contains(value) || value->isJoin)
      continue;
    auto candidate = evaluate({value}, stored);
    assert(candidate && "a kernel of one value can always be planned");
    candidates.push_back(std::move(candidate));
  }
}

Partitioner::Involved Partitioner::findInvolved() const {
  Involved involved;
  for (auto [number, candidate] : llvm::enumerate(candidates)) {
    for (const Value *output : candidate->outputs)
      involved[output].push_back(number);
    for (const Value *load : candidate->loads)
      if (!load->isFree() && !stores(*candidate, load))
        involved[load].push_back(number);
  }
  return involved;
}

llvm::SmallVector<unsigned, 4> Partitioner::idsOf(llvm::ArrayRef<size_t> numbers) const {
  llvm::SmallVector<unsigned, 4> ids;
  for (size_t number : numbers)
    ids.push_back(candidates[number]->id);
  return ids;
}

/// Puts kernels in an order in which each loads only what earlier ones store.
void Partitioner::sortKernels() {
  std::vector<std::unique_ptr<Candidate>> sorted;
  StoredSet done;
  auto isDone = [&](const Value *load) {
    return load->isJoin ? llvm::all_of(partsOf.at(load),
                                       [&](const Value *part) { return done.contains(part); })
                        : load->isFree() || done.contains(load);
  };
  while (!candidates.empty()) {
    auto ready = llvm::find_if(candidates, [&](const std::unique_ptr<Candidate> &candidate) {
      return llvm::all_of(candidate->loads, [&](const Value *load) {
        return isDone(load) || stores(*candidate, load);
      });
    });
    assert(ready != candidates.end() && "kernels read one another in a circle");
    done.insert((*ready)->outputs.begin(), (*ready)->outputs.end());
    sorted.push_back(std::move(*ready));
    candidates.erase(ready);
  }
  candidates = std::move(sorted);
}

std::optional<Partitioner::Move> Partitioner::bestInline() {
  Involved involved = findInvolved();
  Value *best = nullptr;
  double bestGain = leastGain;
  for (const std::unique_ptr<Candidate> &candidate : candidates)
    for (Value *output : candidate->outputs) {
      if (!mayInline(*output))
        continue;
      llvm::ArrayRef<size_t> numbers = involved.find(output)->second;
      auto [known, isNew] = inlineMoves.try_emplace(output);
      llvm::SmallVector<unsigned, 4> ids = idsOf(numbers);
      if (isNew || known->second.ids != ids)
        known->second = {ids, tryInline(output, numbers)};
      const std::optional<Move> &move = known->second.move;
      if (move && move->gain > bestGain) {
        best = output;
        bestGain = move->gain;
      }
    }
  if (!best)
    return std::nullopt;
  auto known = inlineMoves.find(best);
  // The kernels are the same, their places may be others by now.
  llvm::ArrayRef<size_t> numbers = involved.find(best)->second;
  known->second.move->removed.assign(numbers.begin(), numbers.end());
  // What is stored beside has other readers than these, which may be others by now too.
  if (!known->second.move->restored.empty())
    known->second.move = tryInline(best, numbers);
  if (!known->second.move || known->second.move->gain <= leastGain ||
      closesCircle(*known->second.move)) {
    known->second.move = std::nullopt;
    return bestInline();
  }
  Move move = std::move(*known->second.move);
  inlineMoves.erase(known);
  return move;
}

/// Whether kernels would wait for one another: a fold that another move had stored is read by those
/// that are planned anew, also where its kernel waits for them.
bool Partitioner::closesCircle(const Move &move) const {
  llvm::SmallVector<const Candidate *> kernels;
  for (auto [number, candidate] : llvm::enumerate(candidates))
    if (!llvm::is_contained(move.removed, number))
      kernels.push_back(candidate.get());
  for (const std::unique_ptr<Candidate> &candidate : move.added)
    kernels.push_back(candidate.get());
  llvm::DenseMap<const Value *, const Candidate *> makers;
  for (const Candidate *candidate : kernels)
    for (const Value *output : candidate->outputs)
      makers[output] = candidate;
  enum class State : uint8_t { Unseen, Open, Done };
  llvm::DenseMap<const Candidate *, State> states;
  std::function<bool(const Candidate *)> isInCircle = [&](const Candidate *candidate) {
    State &state = states[candidate];
    if (state != State::Unseen)
      return state == State::Open;
    state = State::Open;
    auto leadsBack = [&](const Value *load) {
      auto maker = makers.find(load);
      return maker != makers.end() && maker->second != candidate && isInCircle(maker->second);
    };
    for (const Value *load : candidate->loads)
      if (leadsBack(load) || (load->isJoin && llvm::any_of(partsOf.at(load), leadsBack)))
        return true;
    states[candidate] = State::Done;
    return false;
  };
  return llvm::any_of(kernels, isInCircle);
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

/// Brings the joins that may gain something up to date with the kernels: most pairs of a large
/// program never may, and most are the same after a move.
void Partitioner::findPossibleJoins(double leastGain) {
  llvm::DenseMap<unsigned, size_t> places;
  for (auto [place, candidate] : llvm::enumerate(candidates))
    places[candidate->id] = place;
  llvm::erase_if(possibleJoins, [&](PossibleJoin &join) {
    auto first = places.find(join.firstId), second = places.find(join.secondId);
    if (first == places.end() || second == places.end())
      return true;
    join.first = first->second;
    join.second = second->second;
    return false;
  });
  for (size_t b = 1; b < candidates.size(); ++b)
    for (size_t a = 0; a < b; ++a) {
      unsigned firstId = candidates[a]->id, secondId = candidates[b]->id;
      if (pairedIds.contains(firstId) && pairedIds.contains(secondId))
        continue;
      Gain bound = boundOfJoin(*candidates[a], *candidates[b]);
      if (bound && *bound > leastGain)
        possibleJoins.push_back({firstId, secondId, *bound, true, a, b});
    }
  pairedIds.clear();
  for (const std::unique_ptr<Candidate> &candidate : candidates)
    pairedIds.insert(candidate->id);
}

/// The join that gains most, the first of equal ones. Joins are looked at in the order of what they
/// gain at most: most never are.
std::optional<Partitioner::PairMove> Partitioner::bestPair(double leastGain) {
  findPossibleJoins(leastGain);
  llvm::sort(possibleJoins, [](const PossibleJoin &a, const PossibleJoin &b) {
    return std::tuple(-a.gain, a.first, a.second) < std::tuple(-b.gain, b.first, b.second);
  });
  std::optional<PairMove> best;
  for (PossibleJoin &join : possibleJoins) {
    if (best && join.gain < best->gain)
      break;
    // What stands between the two changes with other kernels.
    if (!mayJoin(join.first, join.second))
      continue;
    if (join.isBound) {
      std::optional<Move> move = tryJoin(join.first, join.second);
      join.gain = move ? move->gain : 0;
      join.isBound = false;
    }
    if (join.gain <= leastGain)
      continue;
    bool isFirst = best && join.gain == best->gain &&
                   std::pair(join.first, join.second) < std::pair(best->first, best->second);
    if (!best || join.gain > best->gain || isFirst)
      best = {join.gain, join.first, join.second};
  }
  llvm::erase_if(possibleJoins, [&](const PossibleJoin &join) { return join.gain <= leastGain; });
  return best;
}

/// The same for rows that carry folds.
std::optional<Partitioner::PairMove> Partitioner::bestCarry(double leastGain) {
  llvm::SmallVector<size_t> carriable;
  for (size_t b = 0; b < candidates.size(); ++b)
    if (mayCarry(*candidates[b]))
      carriable.push_back(b);
  if (carriable.empty())
    return std::nullopt;
  Involved involved = findInvolved();
  std::optional<PairMove> best;
  for (size_t a = 0; a < candidates.size(); ++a)
    for (size_t b : carriable) {
      if (b == a || !areRelated(*candidates[a], *candidates[b]) || !mayJoin(a, b))
        continue;
      llvm::SmallVector<size_t, 4> numbers = {a};
      for (const Value *fold : candidates[b]->outputs)
        llvm::append_range(numbers, involved.find(fold)->second);
      KnownGain &known = carryGains[{candidates[a]->id, candidates[b]->id}];
      llvm::SmallVector<unsigned, 4> ids = idsOf(numbers);
      if (known.ids != ids) {
        std::optional<Move> move = tryCarry(a, b);
        known = {ids, move ? Gain(move->gain) : Gain()};
      }
      if (!known.gain || *known.gain <= leastGain)
        continue;
      leastGain = *known.gain;
      best = {leastGain, a, b};
    }
  return best;
}

std::optional<Partitioner::Move> Partitioner::bestJoin() {
  findReaders();
  std::optional<PairMove> join = bestPair(leastGain);
  if (std::optional<PairMove> carry = bestCarry(join ? join->gain : leastGain)) {
    std::optional<Move> move = tryCarry(carry->first, carry->second);
    if (!move || !closesCircle(*move))
      return move;
    carryGains[{candidates[carry->first]->id, candidates[carry->second]->id}].gain = std::nullopt;
    return bestJoin();
  }
  if (!join)
    return std::nullopt;
  std::optional<Move> move = tryJoin(join->first, join->second);
  if (!move || !closesCircle(*move))
    return move;
  llvm::erase_if(possibleJoins, [&](const PossibleJoin &possible) {
    return possible.first == join->first && possible.second == join->second;
  });
  return bestJoin();
}

/// The move that gains most; joins when nothing is left to inline, and what is stored is looked at
/// again when nothing is left to join.
std::optional<Partitioner::Move> Partitioner::bestMove() {
  std::optional<Move> best = bestInline();
  if (!best)
    best = bestJoin();
  return best ? std::move(best) : bestLater();
}

/// One of the moves that are possible, or none, as the chooser says.
std::optional<Partitioner::Move> Partitioner::anyMove() {
  findReaders();
  std::vector<Move> moves;
  auto consider = [&](std::optional<Move> move) {
    if (move && !closesCircle(*move))
      moves.push_back(std::move(*move));
  };
  Involved involved = findInvolved();
  for (const std::unique_ptr<Candidate> &candidate : candidates)
    for (Value *output : candidate->outputs)
      if (mayInline(*output))
        consider(tryInline(output, involved.find(output)->second));
  for (size_t a = 0; a < candidates.size(); ++a)
    for (size_t b = 0; b < candidates.size(); ++b) {
      if (b > a && mayJoin(a, b))
        consider(tryJoin(a, b));
      if (b != a && mayCarry(*candidates[b]) && mayJoin(a, b))
        consider(tryCarry(a, b));
    }
  for (size_t number = 0; number < candidates.size(); ++number)
    for (const Value *output : candidates[number]->outputs)
      if (Value *later = laterOf(*output, number))
        consider(tryStoreLater(later, findMakers(number, later)));
  unsigned chosen = program.policy.pick(moves.size() + 1);
  if (chosen == moves.size())
    return std::nullopt;
  return std::move(moves[chosen]);
}

Partition Partitioner::run() {
  start();
  auto makeMoves = [&] {
    while (std::optional<Move> move = program.policy.isChosen() ? anyMove() : bestMove())
      apply(std::move(*move));
  };
  makeMoves();
  // What halves are made of may be made in place of being stored.
  if (storeHalves())
    makeMoves();
  sortKernels();
  Partition result;
  result.stored = stored;
  result.moves = std::move(made);
  for (const std::unique_ptr<Candidate> &candidate : candidates)
    result.kernels.push_back(std::move(candidate->kernel));
  return result;
}

Partition partition(Program &program) { return Partitioner(program).run(); }

} // namespace nereid::schedule
