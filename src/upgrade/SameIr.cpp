// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upgrade/SameIr.h"

#include "tile/TileOps.h"
#include "upgrade/Numbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace llvm;
using namespace mlir;

namespace nereid::upgrade {

namespace {

/// One of the two kernels: the numbers of its arguments, and of what its loads, loops and so on
/// give.
using Known = llvm::DenseMap<Value, Number>;

/// A value that a loop carries, in one of the two kernels.
struct Carried {
  bool isAfter;
  Value argument, yielded, result = Value();
  Number first = 0;
  Number inside = 0; // its number in a turn
  enum State : uint8_t { Invariant, Growing, Varying } state = Invariant;
  std::vector<Number> growth = {}; // the terms added in each turn
  unsigned group = 0;              // Varying
  bool wasTried = false;           // whether it grows evenly
};

class Comparison {
public:
  bool compareBlocks(Block &before, Block &after);
  std::optional<Difference> difference;
  Known known[2];
  Numbers numbers;

  Number numberOf(Value value, bool isAfter);

private:
  bool compare(Operation &before, Operation &after);
  bool compareRegions(Operation &before, Operation &after);
  bool compareFor(scf::ForOp before, scf::ForOp after);
  bool compareWhile(scf::WhileOp before, scf::WhileOp after);
  bool compareIf(scf::IfOp before, scf::IfOp after);
  bool compareLoop(Operation &before, Operation &after, MutableArrayRef<Carried> carried,
                   llvm::function_ref<bool()> compareBody);
  void probe(MutableArrayRef<Carried> carried, unsigned leavesBefore);
  bool update(MutableArrayRef<Carried> carried, unsigned leavesBefore, uint64_t loop);
  Number getGrowth(Carried &one, uint64_t loop, bool isResult);
  bool differ(const Twine &what, Operation &before, Operation &after);
  Number compute(Value value, bool isAfter);
  void bind(Value before, Value after);
  void forget() {
    memo[0].clear();
    memo[1].clear();
  }

  Known memo[2];
  uint64_t serial = 0;
};

} // namespace

bool Comparison::differ(const Twine &what, Operation &before, Operation &after) {
  difference = Difference{what.str(), before.getLoc(), after.getLoc()};
  return false;
}

void Comparison::bind(Value before, Value after) {
  known[0][before] = known[1][after] = numbers.makeLeaf(before.getType());
}

/// Whether an operation is a value and nothing else, which is looked at where it is used.
static bool isValue(Operation &op) {
  return op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
         !op.hasTrait<OpTrait::IsTerminator>();
}

Number Comparison::numberOf(Value value, bool isAfter) {
  if (auto found = known[isAfter].find(value); found != known[isAfter].end())
    return found->second;
  if (auto found = memo[isAfter].find(value); found != memo[isAfter].end())
    return found->second;
  Number number = compute(value, isAfter);
  memo[isAfter][value] = number;
  return number;
}

static View viewOf(Operation &op, ArrayRef<int64_t> shape) {
  View view{SmallVector<int64_t>(shape), {}};
  for (int64_t axis = 0, rank = shape.size(); axis < rank; ++axis) {
    int64_t source = axis;
    if (isa<tile::SplatOp>(op))
      source = -1;
    else if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
      source = axis == expand.getAxis() ? -1 : axis - (axis > int64_t(expand.getAxis()));
    else if (auto trans = dyn_cast<tile::TransOp>(op))
      source = trans.getOrder()[axis];
    view.axes.push_back(source);
  }
  return view;
}

Number Comparison::compute(Value value, bool isAfter) {
  Operation *op = value.getDefiningOp();
  if (!op || !isValue(*op)) // of a part that is not compared yet
    return numbers.makeLeaf(value.getType(), uint64_t(value.getAsOpaquePointer()), 0);
  Type type = value.getType();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!dense)
      return numbers.makeConstant(constant.getValue(), type);
    if (dense.isSplat())
      return numbers.makeConstant(cast<TypedAttr>(dense.getSplatValue<Attribute>()), type);
  }
  if (auto meta = dyn_cast<tile::MetaOp>(op))
    return numbers.makeConstant(meta.getValue(), type);
  SmallVector<Number> operands;
  for (Value operand : op->getOperands())
    operands.push_back(numberOf(operand, isAfter));
  if (isa<tile::RelabelOp>(op))
    return operands[0];
  if (isa<tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp, tile::TransOp>(op))
    return numbers.apply(operands[0], viewOf(*op, cast<RankedTensorType>(type).getShape()));
  return numbers.makeResult(*op, cast<OpResult>(value).getResultNumber(), operands);
}

bool Comparison::compareBlocks(Block &before, Block &after) {
  auto collect = [](Block &block) {
    SmallVector<Operation *> ops;
    for (Operation &op : block)
      if (!isValue(op))
        ops.push_back(&op);
    return ops;
  };
  SmallVector<Operation *> left = collect(before), right = collect(after);
  for (auto [one, other] : zip(left, right))
    if (!compare(*one, *other))
      return false;
  if (left.size() != right.size())
    return differ("what follows", left.size() < right.size() ? *left.back() : *left[right.size()],
                  left.size() < right.size() ? *right[left.size()] : *right.back());
  return true;
}

bool Comparison::compare(Operation &before, Operation &after) {
  if (before.getName() != after.getName())
    return differ("a " + before.getName().getStringRef() + " became a " +
                      after.getName().getStringRef(),
                  before, after);
  // What loops and conditions yield is compared by them.
  if (isa<scf::YieldOp, scf::ConditionOp>(before))
    return true;
  if (auto loop = dyn_cast<scf::ForOp>(before))
    return compareFor(loop, cast<scf::ForOp>(after));
  if (auto loop = dyn_cast<scf::WhileOp>(before))
    return compareWhile(loop, cast<scf::WhileOp>(after));
  if (auto branch = dyn_cast<scf::IfOp>(before))
    return compareIf(branch, cast<scf::IfOp>(after));
  StringRef name = before.getName().getStringRef();
  if (before.getAttrDictionary() != after.getAttrDictionary())
    return differ("the options of a " + name, before, after);
  if (before.getNumOperands() != after.getNumOperands() ||
      before.getNumResults() != after.getNumResults())
    return differ("the operands of a " + name, before, after);
  for (auto [place, one, other] : enumerate(before.getOperands(), after.getOperands()))
    if (numberOf(one, false) != numberOf(other, true))
      return differ("operand " + Twine(place) + " of a " + name, before, after);
  for (auto [one, other] : zip(before.getResults(), after.getResults())) {
    if (dropAxisNames(one.getType()) != dropAxisNames(other.getType()))
      return differ("the type of a " + name, before, after);
    bind(one, other);
  }
  return compareRegions(before, after);
}

bool Comparison::compareRegions(Operation &before, Operation &after) {
  for (auto [one, other] : zip(before.getRegions(), after.getRegions())) {
    if (one.empty() && other.empty())
      continue;
    if (!one.hasOneBlock() || !other.hasOneBlock() ||
        one.getNumArguments() != other.getNumArguments())
      return differ("what is in a " + before.getName().getStringRef(), before, after);
    for (auto [left, right] : zip(one.getArguments(), other.getArguments()))
      bind(left, right);
    if (!compareBlocks(one.front(), other.front()))
      return false;
  }
  return true;
}

bool Comparison::compareIf(scf::IfOp before, scf::IfOp after) {
  Number condition = numberOf(before.getCondition(), false);
  if (condition != numberOf(after.getCondition(), true))
    return differ("a condition", *before, *after);
  Region *sides[2][2] = {{&before.getThenRegion(), &before.getElseRegion()},
                         {&after.getThenRegion(), &after.getElseRegion()}};
  Block none[2];
  for (unsigned arm : {0, 1}) {
    Block &left = sides[0][arm]->empty() ? none[0] : sides[0][arm]->front();
    Block &right = sides[1][arm]->empty() ? none[1] : sides[1][arm]->front();
    auto isEmpty = [](Block &block) {
      return llvm::all_of(block,
                          [](Operation &op) { return isValue(op) || isa<scf::YieldOp>(op); });
    };
    if (isEmpty(left) && isEmpty(right))
      continue;
    if (left.empty() || right.empty())
      return differ("an arm of a condition", *before, *after);
    if (!compareBlocks(left, right))
      return false;
  }
  for (bool isAfter : {false, true}) {
    scf::IfOp branch = isAfter ? after : before;
    for (auto [place, result] : enumerate(branch.getResults()))
      known[isAfter][result] =
          numbers.makeChoice(condition, numberOf(branch.thenYield().getOperand(place), isAfter),
                             numberOf(branch.elseYield().getOperand(place), isAfter));
  }
  return true;
}

/// The sum of what is added in the turns before one, or in all of them.
Number Comparison::getGrowth(Carried &one, uint64_t loop, bool isResult) {
  SmallVector<Number> terms{one.first};
  Type type = numbers.getType(one.first);
  for (Number term : one.growth) {
    std::optional<Number> scalar = numbers.getUniform(term);
    Number of = scalar.value_or(term);
    Number grown = numbers.makeLeaf(numbers.getType(of), loop + isResult, of);
    if (auto tile = dyn_cast<RankedTensorType>(type); tile && scalar)
      grown = numbers.apply(
          grown, {SmallVector<int64_t>(tile.getShape()), SmallVector<int64_t>(tile.getRank(), -1)});
    terms.push_back(grown);
  }
  return numbers.makeSum(terms, type);
}

/// Whether a value that is not the same in each turn grows by what is: found by what the turn would
/// yield if nothing were known of it.
void Comparison::probe(MutableArrayRef<Carried> carried, unsigned leavesBefore) {
  forget();
  for (Carried &one : carried)
    if (one.state == Carried::Varying)
      known[one.isAfter][one.argument] = one.inside = numbers.makeLeaf(numbers.getType(one.first));
  for (Carried &one : carried) {
    if (one.state != Carried::Varying || one.wasTried)
      continue;
    one.wasTried = true;
    if (!getElementTypeOrSelf(numbers.getType(one.first)).isInteger())
      continue;
    std::optional<std::vector<Number>> rest =
        numbers.splitSum(numberOf(one.yielded, one.isAfter), one.inside);
    if (!rest || llvm::any_of(*rest, [&](Number term) {
          return numbers.getNewestLeaf(term) > leavesBefore;
        }))
      continue;
    one.state = Carried::Growing;
    one.growth = *rest;
  }
}

/// Divides what was taken to be equal and is not; false when nothing changed.
bool Comparison::update(MutableArrayRef<Carried> carried, unsigned leavesBefore, uint64_t loop) {
  bool changed = false;
  std::map<std::tuple<unsigned, Number, Number>, unsigned> groups;
  for (Carried &one : carried) {
    Number next = numberOf(one.yielded, one.isAfter);
    std::vector<Number> expected{one.inside};
    expected.insert(expected.end(), one.growth.begin(), one.growth.end());
    bool holds = one.state == Carried::Growing
                     ? next == numbers.makeSum(expected, numbers.getType(one.first))
                     : next == one.inside;
    if (one.state != Carried::Varying && holds)
      continue;
    if (one.state != Carried::Varying)
      one.group = ~0u;
    one.state = Carried::Varying;
    std::tuple key(one.group, one.first, next);
    unsigned group = groups.try_emplace(key, groups.size()).first->second;
    changed |= group != one.group;
    one.group = group;
  }
  if (changed)
    probe(carried, leavesBefore);
  for (Carried &one : carried)
    one.inside = one.state == Carried::Invariant ? one.first
                 : one.state == Carried::Growing
                     ? getGrowth(one, loop, false)
                     : numbers.makeLeaf(numbers.getType(one.first), loop + 2, one.group);
  return changed;
}

bool Comparison::compareLoop(Operation &before, Operation &after, MutableArrayRef<Carried> carried,
                             llvm::function_ref<bool()> compareBody) {
  // Each time that a loop is met its values are new.
  uint64_t loop = serial += 4;
  unsigned leavesBefore = numbers.countLeaves();
  for (Carried &one : carried)
    one.inside = one.first;
  constexpr unsigned mostRounds = 12;
  for (unsigned round = 0; round < mostRounds; ++round) {
    forget();
    for (Carried &one : carried)
      known[one.isAfter][one.argument] = one.inside;
    if (!compareBody())
      return false;
    if (update(carried, leavesBefore, loop))
      continue;
    forget();
    for (Carried &one : carried)
      known[one.isAfter][one.result ? one.result : one.argument] =
          one.state == Carried::Invariant ? one.first
          : one.state == Carried::Growing
              ? getGrowth(one, loop, true)
              : numbers.makeLeaf(numbers.getType(one.first), loop + 3, one.group);
    return true;
  }
  return differ("what a loop carries", before, after);
}

bool Comparison::compareFor(scf::ForOp before, scf::ForOp after) {
  for (auto [one, other] : {std::pair(before.getLowerBound(), after.getLowerBound()),
                            std::pair(before.getUpperBound(), after.getUpperBound()),
                            std::pair(before.getStep(), after.getStep())})
    if (numberOf(one, false) != numberOf(other, true))
      return differ("the range of a loop", *before, *after);
  SmallVector<Carried> carried;
  for (bool isAfter : {false, true}) {
    scf::ForOp loop = isAfter ? after : before;
    for (auto [argument, next, first, result] :
         zip(loop.getRegionIterArgs(), loop.getYieldedValues(), loop.getInitArgs(),
             loop.getResults()))
      carried.push_back({isAfter, argument, next, result, numberOf(first, isAfter)});
  }
  return compareLoop(*before, *after, carried, [&] {
    bind(before.getInductionVar(), after.getInductionVar());
    return compareBlocks(*before.getBody(), *after.getBody());
  });
}

bool Comparison::compareWhile(scf::WhileOp before, scf::WhileOp after) {
  SmallVector<Carried> carried;
  for (bool isAfter : {false, true}) {
    scf::WhileOp loop = isAfter ? after : before;
    for (auto [argument, next, first] :
         zip(loop.getBeforeArguments(), loop.getYieldOp().getOperands(), loop.getInits()))
      carried.push_back({isAfter, argument, next, Value(), numberOf(first, isAfter)});
  }
  bool isSame = compareLoop(*before, *after, carried, [&] {
    if (!compareBlocks(*before.getBeforeBody(), *after.getBeforeBody()))
      return false;
    if (numberOf(before.getConditionOp().getCondition(), false) !=
        numberOf(after.getConditionOp().getCondition(), true))
      return differ("the condition of a loop", *before, *after);
    for (bool isAfter : {false, true}) {
      scf::WhileOp loop = isAfter ? after : before;
      for (auto [argument, given] : zip(loop.getAfterArguments(), loop.getConditionOp().getArgs()))
        known[isAfter][argument] = numberOf(given, isAfter);
    }
    return compareBlocks(*before.getAfterBody(), *after.getAfterBody());
  });
  if (!isSame)
    return false;
  // After the last turn: what the condition passes on, of what that turn was entered with.
  for (bool isAfter : {false, true}) {
    scf::WhileOp loop = isAfter ? after : before;
    for (auto [result, given] : zip(loop.getResults(), loop.getConditionOp().getArgs()))
      known[isAfter][result] = numberOf(given, isAfter);
  }
  forget();
  return true;
}

std::optional<Difference> findDifference(func::FuncOp before, func::FuncOp after) {
  if (before.getNumArguments() != after.getNumArguments())
    return Difference{"the arguments", before.getLoc(), after.getLoc()};
  Comparison comparison;
  for (auto [one, other] : zip(before.getArguments(), after.getArguments())) {
    if (one.getType() != other.getType())
      return Difference{"the type of an argument", before.getLoc(), after.getLoc()};
    comparison.known[0][one] = comparison.known[1][other] =
        comparison.numbers.makeLeaf(one.getType());
  }
  if (!before.getBody().hasOneBlock() || !after.getBody().hasOneBlock())
    return Difference{"the control flow", before.getLoc(), after.getLoc()};
  comparison.compareBlocks(before.getBody().front(), after.getBody().front());
  return comparison.difference;
}

} // namespace nereid::upgrade
