// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/rewrites/Joins.h"

#include "schedule/rewrites/JoinFinder.h"

#include "schedule/nest/Contraction.h"
#include "schedule/program/AxisCuts.h"
#include "schedule/program/IndexMap.h"

namespace nereid::schedule {

constexpr int64_t mostSteps = 16;

void JoinFinder::findReaders() {
  readers.clear();
  for (Value &value : program.values)
    forEachAccess(value, [&](Access &access) { readers[access.from].push_back(&value); });
}

/// What is known of the indices of a value.
index::Facts JoinFinder::factsOf(llvm::ArrayRef<Expr> shape) const {
  index::Facts facts(context);
  for (auto [dim, extent] : llvm::enumerate(shape))
    boundIndex(facts, program.getIndex(dim), program.sizeForms.writtenOut(extent));
  for (auto &[held, message] : program.checks)
    facts.assume(program.sizeForms.inward(held));
  return facts;
}

/// The parts that a choice chooses among, those of choices among them.
bool JoinFinder::collect(Value &select, llvm::ArrayRef<Expr> at, Pred guard,
                         const index::Facts &facts, Parts &parts) const {
  constexpr size_t mostParts = 16;
  Pred left = guard;
  for (Case &alternative : select.cases) {
    if (!alternative.access.loaded.empty())
      return false;
    Pred own = substituteIndices(alternative.when, at, {}, program);
    Pred when = facts.simplify(left & own);
    left = left & index::notOf(own);
    Access here = compose(alternative.access, at, program);
    // Where parts are all of the whole, numbers are nowhere chosen.
    if (when.isFalse() || here.from->kind == ValueKind::Constant)
      continue;
    bool isChoice = here.from->kind == ValueKind::Select && readers.lookup(here.from).size() == 1;
    if (isChoice ? !collect(*here.from, here.at, when, facts, parts) : parts.size() >= mostParts)
      return false;
    if (!isChoice)
      parts.push_back({here.from, when, std::move(here.at), {}});
  }
  return true;
}

/// The index of the whole for which a coordinate of a part, `$d + b`, is `own`, or
/// `($d + b) // s + c` where the choice says which remainder there is. Null for others.
Expr JoinFinder::solve(Expr coordinate, Expr index, Expr own, Pred when,
                       const index::Facts &facts) const {
  auto linear = index::asLinearIn(coordinate, index);
  if (linear && linear->coefficient.isConstant(1))
    return own - linear->rest;
  Expr quotient;
  for (const index::Term &term : coordinate.getTerms())
    if (term.coefficient == 1 && term.monomial.getKind() == index::ExprKind::FloorDiv &&
        index::contains(term.monomial, index))
      quotient = term.monomial;
  if (!quotient || index::contains(coordinate - quotient, index))
    return {};
  auto inner = index::asLinearIn(quotient.getOperands()[0], index);
  std::optional<int64_t> step = quotient.getOperands()[1].getConstant();
  if (!inner || !inner->coefficient.isConstant(1) || !step || *step < 2 || *step > mostSteps)
    return {};
  return choose(*step, index, when, facts, [&](int64_t remainder) {
    return (own - (coordinate - quotient)) * *step + remainder - inner->rest;
  });
}

/// The one of so many places of an index at which a choice may be taken. Null where there are more.
Expr JoinFinder::choose(int64_t count, Expr index, Pred when, const index::Facts &facts,
                        llvm::function_ref<Expr(int64_t)> placeOf) const {
  Expr found;
  for (int64_t number = 0; number < count; ++number) {
    Expr place = placeOf(number);
    if (facts.simplify(index::substitute(when, {{index, place}})).isFalse())
      continue;
    if (found)
      return {};
    found = place;
  }
  return found;
}

/// Whether all elements of a part stand in the whole, where it is chosen, and once.
bool JoinFinder::standsWithin(llvm::ArrayRef<Expr> whole, const Part &part) const {
  index::Facts facts = factsOf(part.value->shape);
  for (Expr extent : whole)
    index::forEachSymbol(program.sizeForms.writtenOut(extent), [&](Expr size) {
      facts.setRange(size, facts.range(size).intersect(index::Range::atLeast(0)));
    });
  if (!facts.isTrue(facts.simplify(substituteIndices(part.when, part.places, {}, program))))
    return false;
  // Of neighbours in memory that two kernels store each writes both. On an H200 a transposed
  // convolution of stride 2 over 128 x 128 positions takes 1122 us so, and 632 put together.
  if (!part.places.empty())
    for (unsigned dim = 0; dim < part.value->shape.size(); ++dim)
      if (auto linear = index::asLinearIn(part.places.back(), program.getIndex(dim));
          linear && !linear->coefficient.isConstant(0) && !linear->coefficient.isConstant(1))
        return false;
  for (auto [place, extent] : llvm::zip_equal(part.places, whole))
    if (!facts.isTrue(index::ge(place, 0)) ||
        !facts.isTrue(index::lt(place, program.sizeForms.writtenOut(extent))))
      return false;
  for (auto [dim, coordinate] : llvm::enumerate(part.at))
    if (facts.simplify(substituteIndices(coordinate, part.places, {}, program)) !=
        facts.simplify(program.getIndex(dim)))
      return false;
  return true;
}

/// Finds where a part stands in the whole.
bool JoinFinder::invert(llvm::ArrayRef<Expr> whole, const index::Facts &facts, Part &part) const {
  llvm::SmallVector<llvm::SmallVector<unsigned, 2>, 4> digits(whole.size());
  for (auto [own, coordinate] : llvm::enumerate(part.at)) {
    std::optional<unsigned> of;
    for (unsigned dim = 0; dim < whole.size(); ++dim)
      if (index::contains(coordinate, program.getIndex(dim))) {
        if (of)
          return false;
        of = dim;
      }
    if (of)
      digits[*of].push_back(own);
  }
  for (unsigned dim = 0; dim < whole.size(); ++dim) {
    Expr place = context.constant(0), index = program.getIndex(dim);
    std::optional<int64_t> extent = whole[dim].getConstant();
    if (digits[dim].empty() && extent && *extent <= mostSteps)
      place = choose(*extent, index, part.when, facts,
                     [&](int64_t number) { return context.constant(number); });
    else if (digits[dim].size() == 1)
      place = solve(part.at[digits[dim].front()], index, program.getIndex(digits[dim].front()),
                    part.when, facts);
    else
      for (unsigned own : digits[dim])
        place = place * part.value->shape[own] + program.getIndex(own);
    if (!place)
      return false;
    part.places.push_back(place);
  }
  return standsWithin(whole, part);
}

/// The contraction whose sums a value is, or a map of them and of what has far fewer elements: the
/// powers of two of scaled factors. Null for others, and where something else reads the sums.
const Value *JoinFinder::sumsOf(const Value &value) const {
  if (value.kind == ValueKind::Fold)
    return &value;
  if (value.kind != ValueKind::Map)
    return nullptr;
  constexpr int64_t fewer = 8;
  int64_t elements = program.estimateElements(value.shape);
  const Value *sums = nullptr;
  for (const Value *leaf : findLeaves(value)) {
    if (program.estimateElements(leaf->shape) * fewer <= elements)
      continue;
    bool isAlone = leaf->kind == ValueKind::Fold && leaf->shape == value.shape &&
                   readers.lookup(leaf).size() == 1;
    if (sums || !isAlone)
      return nullptr;
    sums = leaf;
  }
  return sums;
}

/// Whether a part is the sum of a contraction, which has a kernel anyway, and nothing but the whole
/// reads it.
bool JoinFinder::isPart(const Part &part) const {
  const Value &value = *part.value, *sums = sumsOf(value);
  if (!sums || readers.lookup(&value).size() != 1 || results.contains(&value) ||
      value.isInlineOnly || value.window != 0)
    return false;
  auto contraction = asContraction(program, *sums, StoredSet());
  return contraction && fillsTiles(sizesOf(program, *sums, *contraction));
}

Expr JoinFinder::countOf(llvm::ArrayRef<Expr> shape) const {
  return program.sizeForms.writtenOut(index::product(context, shape));
}

/// The parts of a choice as an access of a value of such a shape shows them, where each is all
/// there once, and they are all of that value.
std::optional<Parts> JoinFinder::partsAt(const Access &access, llvm::ArrayRef<Expr> shape) const {
  Value &choice = *access.from;
  if (choice.kind != ValueKind::Select || choice.loop >= 0 || choice.isInlineOnly ||
      shape.empty() || !access.loaded.empty())
    return std::nullopt;
  index::Facts facts = factsOf(shape);
  Parts parts;
  bool isOfMaps = false;
  if (auto join = joins.find(&choice); join != joins.end()) {
    if (choice.shape == shape && program.indexMemory.isIdentity(access.at, context))
      return join->second;
    for (const Part &part : join->second) {
      Part own{part.value, {}, {}, {}};
      own.when = facts.simplify(substituteIndices(part.when, access.at, {}, program));
      for (Expr coordinate : part.at)
        own.at.push_back(facts.simplify(substituteIndices(coordinate, access.at, {}, program)));
      parts.push_back(std::move(own));
    }
  } else if (!collect(choice, access.at, index::truth(context, true), facts, parts)) {
    return std::nullopt;
  } else if (!llvm::all_of(parts, [&](const Part &part) { return isPart(part); })) {
    if (!areOfOneKernel(choice, parts))
      return std::nullopt;
    isOfMaps = true;
  }
  Expr elements = context.constant(0);
  llvm::DenseSet<const Value *> known;
  for (Part &part : parts) {
    if (!known.insert(part.value).second || !invert(shape, facts, part))
      return std::nullopt;
    elements = elements + countOf(part.value->shape);
  }
  // Each part stands where no other is chosen: they are all where they are as many.
  if (parts.size() < 2 || elements != countOf(shape))
    return std::nullopt;
  if (isOfMaps && !llvm::all_of(parts, [&](const Part &part) { return hasNoSteps(part); }))
    return std::nullopt;
  return parts;
}

/// Whether all that reads a join are maps of its elements, each at one place.
bool JoinFinder::mayPush(const Value &whole) const {
  if (whole.kind != ValueKind::Select || results.contains(&whole))
    return false;
  return llvm::all_of(readers.lookup(&whole), [&](Value *reader) {
    bool isMap = reader->kind == ValueKind::Map && reader->loop < 0 && !reader->isInlineOnly &&
                 reader->window == 0 && !assigned.contains(reader);
    return isMap && llvm::all_of(reader->inputs, [&](const Access &access) {
             return access.loaded.empty() &&
                    (access.from != &whole || partsAt(access, reader->shape));
           });
  });
}

/// Makes a map of joins the join of maps of their parts, and a copy of one a join of the same.
bool JoinFinder::push(Value &reader) {
  std::optional<Parts> parts;
  for (const Access &access : reader.inputs)
    if (!parts && mayPush(*access.from))
      parts = partsAt(access, reader.shape);
  if (!parts)
    return false;
  if (!reader.op) {
    chooseAmong(reader, *parts);
    joins[&reader] = std::move(*parts);
    return true;
  }
  Parts own;
  for (auto [number, part] : llvm::enumerate(*parts)) {
    Value &made = program.values.emplace_back(reader);
    made.order = reader.order - (parts->size() - number);
    made.shape = part.value->shape;
    llvm::SmallVector<Expr, 4> identity;
    for (unsigned dim = 0; dim < made.shape.size(); ++dim)
      identity.push_back(program.getIndex(dim));
    for (Access &access : made.inputs) {
      std::optional<Parts> others = partsAt(access, reader.shape);
      bool isPart = others && others->size() == parts->size() && (*others)[number].standsAs(part);
      access = isPart ? Access{(*others)[number].value, identity, {}}
                      : compose(access, part.places, program);
    }
    own.push_back({&made, part.when, part.at, part.places});
  }
  chooseAmong(reader, own);
  joins[&reader] = std::move(own);
  return true;
}

/// Makes a value the choice among parts.
void JoinFinder::chooseAmong(Value &whole, const Parts &parts) const {
  whole.kind = ValueKind::Select;
  whole.op = nullptr;
  whole.inputs.clear();
  whole.cases.clear();
  for (auto [number, part] : llvm::enumerate(parts)) {
    Pred when = number + 1 == parts.size() ? index::truth(context, true) : part.when;
    whole.cases.push_back({when, Access{part.value, part.at, {}}});
  }
}

/// Marks the joins that something reads, and their parts.
void JoinFinder::mark() {
  findReaders();
  for (auto &[whole, parts] : joins) {
    if (!results.contains(whole) && readers.lookup(whole).empty())
      continue;
    whole->isJoin = true;
    for (Part &part : parts) {
      if (!part.value->isNamed)
        part.value->name = whole->name + "_part";
      part.value->join = whole;
      part.value->joinPlaces = part.places;
    }
  }
}

void JoinFinder::run() {
  for (const Result &result : program.results) {
    results.insert(result.value);
    if (result.assignedArgument >= 0)
      assigned.insert(result.value);
  }
  findReaders();
  llvm::SmallVector<Value *> choices, ordered;
  for (Value &value : program.values) {
    ordered.push_back(&value);
    // What is chosen among by a choice is no join of its own.
    bool isWithin = llvm::all_of(readers.lookup(&value), [](const Value *reader) {
      return reader->kind == ValueKind::Select;
    });
    if (value.kind == ValueKind::Select && (!isWithin || results.contains(&value)) &&
        !assigned.contains(&value))
      choices.push_back(&value);
  }
  if (choices.empty())
    return;
  // Room for what is put before a value.
  constexpr unsigned placesBefore = 32;
  spaceOut(program, placesBefore);
  for (Value *choice : choices) {
    llvm::SmallVector<Expr, 4> identity;
    for (unsigned dim = 0; dim < choice->shape.size(); ++dim)
      identity.push_back(program.getIndex(dim));
    if (std::optional<Parts> parts = partsAt({choice, identity, {}}, choice->shape)) {
      copyShown(*choice, *parts);
      chooseAmong(*choice, *parts);
      joins[choice] = std::move(*parts);
    }
  }
  findReaders();
  llvm::stable_sort(ordered, [](const Value *a, const Value *b) { return a->order < b->order; });
  for (Value *value : ordered)
    if (value->kind == ValueKind::Map && push(*value))
      findReaders();
  mark();
}

void findJoins(Program &program) { JoinFinder(program).run(); }

} // namespace nereid::schedule
