// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search for counterexamples: small launches that satisfy the facts are tried, a few programs,
// turns and lanes of each, and the address is computed. What is reported has been computed, so it
// needs no proof; what is not found may still exist.
#include "analysis/Access.h"

#include "index/Printer.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;

namespace nereid::analysis {

/// Addresses computed for one access, at most, and parts of expressions computed for them: keeps
/// the search within a few milliseconds.
static constexpr unsigned maxPoints = 12000;
static constexpr uint64_t maxParts = 1000000;
static constexpr unsigned maxLaunches = 60;

namespace {
class Search {
public:
  Search(const Access &access, const LaneValues &lanes, const LaunchContract &contract);

  /// Calls `visit` with the offset of each computed point until it says that it is done.
  void run(bool allPrograms, llvm::function_ref<bool(int64_t offset)> visit);
  /// The same for each launch in turn, and for `other` at its sizes, until one is done.
  void runBeside(Search &other, llvm::function_ref<void()> begin,
                 llvm::function_ref<bool(int64_t offset)> visit,
                 llvm::function_ref<bool(int64_t offset)> visitOther);
  llvm::SmallVector<int64_t> program() const;
  /// The offset at a point, when it is an executed lane of a possible launch.
  std::optional<int64_t> offsetAt(const llvm::DenseMap<index::Expr, int64_t> &point);
  Witness witness(int64_t offset) const;
  bool isOutside(int64_t offset) const;
  const llvm::DenseMap<index::Expr, int64_t> &getValues() const { return values; }
  llvm::ArrayRef<index::Expr> getSizes() const { return sizes; }

private:
  void solve(index::Pred fact);
  bool chooseSizes(unsigned attempt);
  void chooseStrides();
  bool satisfiesFacts() const;
  void visitPoints(size_t position, llvm::function_ref<bool(int64_t)> visit);
  std::optional<int64_t> offsetHere() const;
  llvm::SmallVector<int64_t> candidates(index::Expr symbol, bool all) const;

  const Access &access;
  const LaneValues &lanes;
  const LaunchContract &contract;
  llvm::SmallVector<index::Expr> sizes, places, own;
  llvm::SmallVector<index::Pred> sizeFacts;
  /// Sizes that facts say by others, which no size of this list is one of.
  llvm::MapVector<index::Expr, index::Expr> solved;
  llvm::SmallVector<int64_t> usual{1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33};
  llvm::DenseMap<index::Expr, int64_t> values;
  bool possible = true;
  bool allPrograms = false;
  bool done = false;
  unsigned points = 0, mostPoints = maxPoints;
  index::Expr last;
};

/// How many parts are computed where an expression is, shared ones each time.
class Weights {
public:
  uint64_t of(index::Expr expr) {
    if (auto known = weights.find(expr); known != weights.end())
      return known->second;
    uint64_t weight = 1;
    if (expr.getKind() == index::ExprKind::Product)
      for (index::Factor factor : expr.getFactors())
        weight += of(factor.atom);
    else if (expr.getKind() == index::ExprKind::Sum)
      for (const index::Term &term : expr.getTerms())
        weight += of(term.monomial);
    else if (!expr.isConstant() && !expr.isSymbol())
      for (index::Expr operand : expr.getOperands())
        weight += of(operand);
    return weights[expr] = std::min(weight, maxParts);
  }
  uint64_t of(index::Pred pred) {
    if (pred.isTrue() || pred.isFalse())
      return 1;
    if (pred.getKind() != index::PredKind::And && pred.getKind() != index::PredKind::Or)
      return 1 + of(pred.getExpr());
    uint64_t weight = 1;
    for (index::Pred part : pred.getOperands())
      weight += of(part);
    return weight;
  }

private:
  llvm::DenseMap<index::Expr, uint64_t> weights;
};
} // namespace

static bool isPlace(index::Expr symbol) { return symbol.getName().starts_with("$"); }

/// The sizes that the access hangs on.
static llvm::SmallVector<index::Expr> ownSizes(const Access &access, const LaneValues &lanes,
                                               const LaunchContract &contract) {
  llvm::SetVector<index::Expr> symbols;
  auto add = [&](index::Expr expr) {
    index::forEachSymbol(expr, [&](index::Expr symbol) { symbols.insert(symbol); });
  };
  add(access.offset);
  llvm::for_each(access.tensor->sizes, add);
  llvm::for_each(access.tensor->strides, add);
  for (index::Pred pred : *access.executed)
    index::forEachSymbol(pred, [&](index::Expr symbol) { symbols.insert(symbol); });
  for (auto [axis, extent] : llvm::enumerate(contract.grid))
    if (symbols.contains(lanes.programId(axis)))
      add(extent);
  return llvm::filter_to_vector(symbols, [](index::Expr symbol) { return !isPlace(symbol); });
}

Search::Search(const Access &access, const LaneValues &lanes, const LaunchContract &contract)
    : access(access), lanes(lanes), contract(contract) {
  possible = access.executed.has_value();
  llvm::SmallVector<index::Expr> all;
  auto add = [&](index::Expr expr) { llvm::append_range(all, index::collectSymbols(expr)); };
  auto addPred = [&](index::Pred pred) {
    index::forEachSymbol(pred, [&](index::Expr symbol) { all.push_back(symbol); });
  };
  add(access.offset);
  llvm::for_each(contract.grid, add);
  llvm::for_each(access.tensor->sizes, add);
  llvm::for_each(access.tensor->strides, add);
  for (const RangeCheck &check : access.checks)
    add(check.expr);
  if (possible)
    llvm::for_each(*access.executed, addPred);
  for (index::Pred pred : access.facts.getAssumptions()) {
    bool isSizeFact = true;
    index::forEachSymbol(pred, [&](index::Expr symbol) { isSizeFact &= !isPlace(symbol); });
    if (!isSizeFact)
      continue;
    sizeFacts.push_back(pred);
    addPred(pred);
  }
  for (unsigned axis = 0; axis < contract.grid.size(); ++axis)
    all.push_back(lanes.programId(axis));
  for (unsigned axis = 0; axis < access.extents.size(); ++axis)
    all.push_back(contract.getContext().symbol("$lane" + std::to_string(axis)));
  llvm::sort(all);
  all.erase(llvm::unique(all), all.end());
  for (index::Expr symbol : all) {
    possible &= !lanes.isOpaque(symbol);
    (isPlace(symbol) ? places : sizes).push_back(symbol);
  }
  llvm::for_each(sizeFacts, [&](index::Pred fact) { solve(fact); });
  if (possible && access.offset)
    own = ownSizes(access, lanes, contract);
  Weights weights;
  last = access.offset && possible ? access.lastOffset() : index::Expr();
  uint64_t parts = last ? weights.of(access.offset) + weights.of(last) : 1;
  if (possible)
    for (index::Pred pred : *access.executed)
      parts += weights.of(pred);
  // Parts are counted with multiplicity, and may be more than 64 bits count.
  mostPoints = std::clamp<uint64_t>(maxParts / std::max<uint64_t>(parts, 1), 100, maxPoints);
  // Tiles, and how much of a size a program takes.
  llvm::SmallSetVector<int64_t, 4> steps;
  for (index::Expr extent : access.extents)
    if (std::optional<int64_t> number = extent.getConstant())
      steps.insert(*number);
  for (index::Expr extent : contract.grid)
    index::substitute(extent, [&](index::Expr atom) -> index::Expr {
      if (atom.getKind() == index::ExprKind::FloorDiv)
        if (std::optional<int64_t> number = atom.getOperands()[1].getConstant())
          steps.insert(*number);
      return {};
    });
  for (int64_t step : steps)
    if (step > 17)
      usual.append({step - 1, step, step + 1, 2 * step + 1});
}

/// Sizes drawn at random seldom satisfy an equation: one of it is computed. `w == 3 * n * d` says
/// w.
void Search::solve(index::Pred fact) {
  if (fact.getKind() != index::PredKind::Zero)
    return;
  llvm::DenseMap<index::Expr, index::Expr> known(solved.begin(), solved.end());
  index::Expr expr = index::substitute(fact.getExpr(), known);
  for (index::Term term : expr.getTerms()) {
    index::Expr symbol = term.monomial;
    bool isOne = term.coefficient == 1 || term.coefficient == -1;
    if (!isOne || !symbol.isSymbol() || isPlace(symbol))
      continue;
    index::Expr rest = expr - symbol * term.coefficient;
    index::Expr value = term.coefficient == 1 ? -rest : rest;
    if (value.isConstant() || llvm::is_contained(index::collectSymbols(value), symbol))
      continue;
    llvm::DenseMap<index::Expr, index::Expr> more{{symbol, value}};
    for (auto &[other, says] : solved)
      says = index::substitute(says, more);
    solved[symbol] = value;
    return;
  }
}

bool Search::satisfiesFacts() const {
  for (index::Expr size : sizes) {
    int64_t value = values.lookup(size), multiple = access.facts.knownMultiple(size);
    // The range on executed lanes may be narrower than on others, but a witness is an executed
    // lane.
    if (!access.facts.range(size).contains(value) || (multiple != 0 && value % multiple != 0))
      return false;
  }
  return llvm::all_of(sizeFacts,
                      [&](index::Pred pred) { return index::evaluate(pred, values) == true; });
}

bool Search::chooseSizes(unsigned attempt) {
  values.clear();
  // All sizes equal first, then mixtures in a fixed order.
  uint32_t state = attempt * 2654435761u + 12345u;
  for (index::Expr size : sizes) {
    state = state * 1664525u + 1013904223u;
    size_t pick = attempt < usual.size() ? attempt : (state >> 16) % usual.size();
    int64_t multiple = std::max<int64_t>(access.facts.knownMultiple(size), 1);
    index::Range range = access.facts.range(size);
    int64_t value = usual[pick] * multiple;
    values[size] = range.lo && range.lo == range.hi ? *range.lo : value;
  }
  for (auto &[size, says] : solved)
    if (std::optional<int64_t> value = index::evaluate(says, values))
      values[size] = *value;
  chooseStrides();
  return satisfiesFacts();
}

/// A tensor whose elements lie apart, whatever its strides are called, is tried as a row-major one;
/// those of a part are sizes of the whole.
void Search::chooseStrides() {
  if (!access.tensor->isInjective)
    return;
  auto isSize = [&](index::Expr symbol) {
    return solved.count(symbol) || llvm::any_of(access.tensor->sizes, [&](index::Expr size) {
             return llvm::is_contained(index::collectSymbols(size), symbol);
           });
  };
  int64_t step = 1;
  for (auto [size, stride] :
       llvm::reverse(llvm::zip_equal(access.tensor->sizes, access.tensor->strides))) {
    if (stride.isSymbol() && !isSize(stride))
      values[stride] = step;
    step *= std::max<int64_t>(index::evaluate(size, values).value_or(1), 1);
  }
}

llvm::SmallVector<int64_t> Search::candidates(index::Expr symbol, bool all) const {
  int64_t count = 8;
  // An axis that the grid does not have has one program.
  for (unsigned axis = 0; axis < 3; ++axis)
    if (symbol == lanes.programId(axis))
      count = axis < contract.grid.size() ? index::evaluate(contract.grid[axis], values).value_or(0)
                                          : 1;
  for (auto [axis, extent] : llvm::enumerate(access.extents))
    if (symbol.getName() == "$lane" + std::to_string(axis))
      count = index::evaluate(extent, values).value_or(0);
  llvm::SmallVector<int64_t> result;
  for (int64_t value = 0; value < count && value < (all ? 64 : 10); ++value)
    result.push_back(value);
  for (int64_t value : {count / 2, count - 2, count - 1})
    if (value >= 10 && !llvm::is_contained(result, value))
      result.push_back(value);
  // The ends first: most faults are there.
  if (result.size() > 1)
    std::rotate(result.begin(), result.end() - 1, result.end());
  return result;
}

std::optional<int64_t> Search::offsetHere() const {
  for (index::Pred pred : *access.executed)
    if (index::evaluate(pred, values) != true)
      return std::nullopt;
  for (const RangeCheck &check : access.checks) {
    std::optional<int64_t> value = index::evaluate(check.expr, values);
    if (!value || !check.range.contains(*value))
      return std::nullopt;
  }
  return index::evaluate(access.offset, values);
}

std::optional<int64_t> Search::offsetAt(const llvm::DenseMap<index::Expr, int64_t> &point) {
  if (!possible)
    return std::nullopt;
  values.clear();
  for (llvm::ArrayRef<index::Expr> symbols : {llvm::ArrayRef(sizes), llvm::ArrayRef(places)})
    for (index::Expr symbol : symbols) {
      auto found = point.find(symbol);
      values[symbol] =
          found != point.end() ? found->second : access.facts.range(symbol).lo.value_or(0);
    }
  bool isPossible = llvm::all_of(access.facts.getAssumptions(), [&](index::Pred pred) {
    return index::evaluate(pred, values) != false;
  });
  return isPossible && satisfiesFacts() ? offsetHere() : std::nullopt;
}

void Search::visitPoints(size_t position, llvm::function_ref<bool(int64_t)> visit) {
  if (done || points >= mostPoints)
    return;
  if (position == places.size()) {
    ++points;
    if (std::optional<int64_t> offset = offsetHere())
      done = visit(*offset);
    return;
  }
  index::Expr symbol = places[position];
  bool isProgram = symbol.getName().starts_with("$pid");
  for (int64_t value : candidates(symbol, allPrograms && isProgram)) {
    values[symbol] = value;
    visitPoints(position + 1, visit);
    if (done || points >= mostPoints)
      return;
  }
}

void Search::run(bool all, llvm::function_ref<bool(int64_t)> visit) {
  allPrograms = all;
  if (!possible)
    return;
  unsigned attempt = 0;
  auto tryLaunches = [&] {
    for (; attempt < maxLaunches && !done && points < mostPoints; ++attempt)
      if (chooseSizes(attempt))
        visitPoints(0, visit);
  };
  tryLaunches();
  // Those of equal sizes may have taken all: a stride that is no size has had no turn yet.
  if (!done && points >= mostPoints) {
    points = 0;
    attempt = std::max<unsigned>(attempt, usual.size());
    tryLaunches();
  }
}

void Search::runBeside(Search &other, llvm::function_ref<void()> begin,
                       llvm::function_ref<bool(int64_t)> visit,
                       llvm::function_ref<bool(int64_t)> visitOther) {
  allPrograms = other.allPrograms = true;
  if (!possible || !other.possible)
    return;
  for (unsigned attempt = 0; attempt < maxLaunches && !other.done && points < mostPoints;
       ++attempt) {
    if (!chooseSizes(attempt))
      continue;
    begin();
    visitPoints(0, visit);
    done = false;
    other.values = values;
    if (other.satisfiesFacts())
      other.visitPoints(0, visitOther);
  }
}

llvm::SmallVector<int64_t> Search::program() const {
  llvm::SmallVector<int64_t> ids;
  for (unsigned axis = 0; axis < contract.grid.size(); ++axis)
    ids.push_back(values.lookup(lanes.programId(axis)));
  return ids;
}

bool Search::isOutside(int64_t offset) const {
  for (index::Expr size : access.tensor->sizes)
    if (index::evaluate(size, values).value_or(1) <= 0)
      return true;
  std::optional<int64_t> end = index::evaluate(last, values);
  return offset < 0 || (end && offset > *end);
}

Witness Search::witness(int64_t offset) const {
  Witness result;
  result.offset = offset;
  for (index::Expr size : own)
    result.sizes.push_back(size.getName().str());
  for (index::Expr size : sizes)
    result.values.emplace_back(size.getName().str(), values.lookup(size));
  unsigned turn = 0;
  for (index::Expr place : places) {
    std::string name = lanes.isLoopCounter(place) ? "turn" + std::to_string(turn++)
                                                  : place.getName().drop_front().str();
    result.values.emplace_back(name, values.lookup(place));
  }
  return result;
}

std::optional<Witness> findOutside(const Access &access, const LaneValues &lanes,
                                   const LaunchContract &contract) {
  if (!access.offset)
    return std::nullopt;
  Search search(access, lanes, contract);
  std::optional<Witness> found;
  search.run(false, [&](int64_t offset) {
    if (search.isOutside(offset))
      found = search.witness(offset);
    return found.has_value();
  });
  return found;
}

std::optional<Witness> witnessAt(const llvm::DenseMap<index::Expr, int64_t> &point,
                                 const Access &access, const LaneValues &lanes,
                                 const LaunchContract &contract) {
  Search search(access, lanes, contract);
  std::optional<int64_t> offset = search.offsetAt(point);
  if (!offset || !search.isOutside(*offset))
    return std::nullopt;
  return search.witness(*offset);
}

std::optional<Witness> findMeeting(const Access &a, const Access &b, const LaneValues &lanes,
                                   const LaunchContract &contract) {
  if (!a.offset || !b.offset || !a.tensor || !b.tensor)
    return std::nullopt;
  Search first(a, lanes, contract), second(b, lanes, contract);
  struct Seen {
    llvm::SmallVector<int64_t> program;
    Witness witness;
  };
  // One program for each offset: another one mostly has another.
  std::map<int64_t, Seen> users;
  std::optional<Witness> found;
  auto use = [&](int64_t offset) {
    users.try_emplace(offset, Seen{first.program(), first.witness(offset)});
    return false;
  };
  auto store = [&](int64_t offset) {
    auto user = users.find(offset);
    if (user == users.end() || user->second.program == second.program())
      return false;
    found = user->second.witness;
    Witness other = second.witness(offset);
    llvm::append_range(found->sizes, other.sizes);
    for (size_t i = second.getSizes().size(); i < other.values.size(); ++i)
      found->values.emplace_back(other.values[i].first + "'", other.values[i].second);
    return true;
  };
  first.runBeside(second, [&] { users.clear(); }, use, store);
  return found;
}

std::optional<Witness> findOverlap(const Access &access, const LaneValues &lanes,
                                   const LaunchContract &contract) {
  if (!access.offset)
    return std::nullopt;
  Search search(access, lanes, contract);
  using Ids = std::vector<int64_t>;
  auto read = [&](llvm::ArrayRef<index::Expr> symbols) {
    Ids ids;
    for (index::Expr symbol : symbols)
      ids.push_back(search.getValues().lookup(symbol));
    return ids;
  };
  llvm::SmallVector<index::Expr> programs;
  for (unsigned axis = 0; axis < contract.grid.size(); ++axis)
    programs.push_back(lanes.programId(axis));
  // Which program stored to an offset first, under the launch at hand.
  std::map<int64_t, std::pair<Ids, Witness>> writers;
  std::optional<Witness> found;
  Ids launch;
  search.run(true, [&](int64_t offset) {
    Ids sizes = read(search.getSizes()), program = read(programs);
    if (sizes != launch)
      writers.clear();
    launch = sizes;
    Witness here = search.witness(offset);
    auto [first, isNew] = writers.try_emplace(offset, program, here);
    if (isNew || first->second.first == program)
      return false;
    found = first->second.second;
    for (size_t i = launch.size(); i < here.values.size(); ++i)
      found->values.emplace_back(here.values[i].first + "'", here.values[i].second);
    return true;
  });
  return found;
}

} // namespace nereid::analysis
