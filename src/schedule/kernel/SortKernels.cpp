// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/kernel/SortKernels.h"

#include "schedule/kernel/KernelScope.h"
#include "schedule/kernel/TileValue.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::schedule {

namespace {

/// One kernel on a matrix whose lines are N elements long.
class SortKernel {
public:
  SortKernel(ModuleOp module, llvm::StringRef name, Type element, Location loc)
      : builder(module.getContext()), math(builder), loc(plainLoc(loc)), element(element) {
    builder.setInsertionPointToEnd(module.getBody());
    func = func::FuncOp::create(builder, this->loc, name, builder.getFunctionType({}, {}));
    builder.setInsertionPointToEnd(func.addEntryBlock());
  }

  func::FuncOp sortLines();
  func::FuncOp sortRuns();
  func::FuncOp leastOfLines();
  func::FuncOp leastOfRuns(bool arePacked);
  func::FuncOp merge();

private:
  OpBuilder builder;
  TileMath math;
  Location loc;
  Type element;
  func::FuncOp func;

  Location named(llvm::StringRef name) { return name.empty() ? loc : nameLoc(name, loc); }
  TileValue argument(llvm::StringRef name, bool isPointer = false);
  TileValue number(int64_t value) { return math.integer(value, 32, loc); }
  TileValue add(TileValue a, TileValue b, llvm::StringRef name = "") {
    return math.combineIntegers<arith::AddIOp>(a, b, named(name));
  }
  TileValue sub(TileValue a, TileValue b, llvm::StringRef name = "") {
    return math.combineIntegers<arith::SubIOp>(a, b, named(name));
  }
  TileValue mul(TileValue a, TileValue b, llvm::StringRef name = "") {
    return math.combineIntegers<arith::MulIOp>(a, b, named(name));
  }
  TileValue least(TileValue a, TileValue b, llvm::StringRef name) {
    return math.combineIntegers<arith::MinSIOp>(a, b, named(name));
  }
  /// What is known of a number that a loop carries.
  TileValue within(TileValue a, TileValue greatest, llvm::StringRef name) {
    a = math.combineIntegers<arith::MaxSIOp>(a, number(0), loc);
    return least(a, greatest, name);
  }
  TileValue isLess(TileValue a, TileValue b, llvm::StringRef name = "") {
    return math.compare(arith::CmpIPredicate::slt, a, b, named(name));
  }
  TileValue isAtMost(TileValue a, TileValue b) {
    return math.compare(arith::CmpIPredicate::sle, a, b, loc);
  }
  TileValue both(TileValue a, TileValue b, llvm::StringRef name = "") {
    return math.combineIntegers<arith::AndIOp>(a, b, named(name));
  }
  /// The positions of block `pid(axis)` of BLOCK elements, or of one block alone when axis < 0.
  TileValue positions(int axis, unsigned tileAxis, llvm::StringRef name);
  TileValue extent() {
    const TileAxis &block = math.axes[0];
    return {tile::MetaOp::create(builder, loc, block.block, block.extent), {}, {}};
  }
  TileValue blocksOf(TileValue length) {
    TileValue last = add(length, sub(extent(), number(1)));
    return math.combineIntegers<arith::DivSIOp>(last, extent(), named("n_blocks"));
  }
  /// The line of a program, and which of its blocks it has.
  std::pair<TileValue, TileValue> lineAndBlock(TileValue blocks, llvm::StringRef name);
  /// The pointer to position `at` of line `row`.
  TileValue address(TileValue pointer, TileValue row, TileValue length, TileValue at);
  /// Elements, or the greatest integer where the mask does not hold.
  TileValue load(TileValue pointer, TileValue mask, llvm::StringRef name);
  void store(TileValue pointer, TileValue value, TileValue mask);
  /// The upper half of 64 bits.
  TileValue upper(TileValue value, llvm::StringRef name);
  /// 1 where a condition holds, else 0.
  TileValue ones(TileValue condition);
  /// The sums of the lanes up to each.
  TileValue scan(TileValue value, llvm::StringRef name);
  TileValue sort(TileValue value, bool merges = false);
  func::FuncOp finish(llvm::ArrayRef<std::pair<llvm::StringRef, int64_t>> blocks, int64_t warps,
                      llvm::StringRef doc);
  /// A number that at most K of the keys are less than, and, where they are not K, as the next K.
  std::pair<TileValue, TileValue> limitOf(TileValue keys, TileValue kept);
  TileValue search(TileValue runs, TileValue row, TileValue length, TileValue run, TileValue base,
                   TileValue ends, TileValue left, TileValue end);
};

} // namespace

TileValue SortKernel::argument(llvm::StringRef name, bool isPointer) {
  Type type = isPointer ? Type(tile::PtrType::get(element)) : builder.getI32Type();
  return {func.front().addArgument(type, nameLoc(name, loc)), {}, {}};
}

TileValue SortKernel::positions(int axis, unsigned tileAxis, llvm::StringRef name) {
  Type type = math.tileType(builder.getI32Type(), {tileAxis});
  TileValue range{
      tile::RangeOp::create(builder, axis < 0 ? named(name) : loc, type, 0), {tileAxis}, {}};
  if (axis < 0)
    return range;
  TileValue pid{tile::ProgramIdOp::create(builder, loc, axis), {}, {}};
  const TileAxis &block = math.axes[tileAxis];
  TileValue extent{tile::MetaOp::create(builder, loc, block.block, block.extent), {}, {}};
  return add(mul(pid, extent), range, name);
}

std::pair<TileValue, TileValue> SortKernel::lineAndBlock(TileValue blocks, llvm::StringRef name) {
  TileValue pid{tile::ProgramIdOp::create(builder, named("pid"), 0), {}, {}};
  TileValue row = math.combineIntegers<arith::DivSIOp>(pid, blocks, loc);
  TileValue block = math.combineIntegers<arith::RemSIOp>(pid, blocks, named(name));
  return {math.widen(row, 64, named("row")), block};
}

TileValue SortKernel::address(TileValue pointer, TileValue row, TileValue length, TileValue at) {
  for (const TileValue &offset : {mul(math.widen(row, 64, loc), length), at}) {
    llvm::SmallVector<unsigned, 2> along(pointer.axes);
    for (unsigned axis : offset.axes)
      if (!llvm::is_contained(along, axis))
        along.push_back(axis);
    llvm::sort(along);
    mlir::Value base = math.lift(pointer, along, loc), moved = math.lift(offset, along, loc);
    pointer = {tile::AddPtrOp::create(builder, loc, base.getType(), base, moved), along, {}};
  }
  return pointer;
}

TileValue SortKernel::load(TileValue pointer, TileValue mask, llvm::StringRef name) {
  TileValue operands[] = {pointer, mask};
  auto along = math.unify(operands, loc);
  TileValue greatest = math.integer(element.isInteger(64) ? INT64_MAX : INT32_MAX,
                                    element.getIntOrFloatBitWidth(), loc);
  mlir::Value value =
      tile::LoadOp::create(builder, named(name), math.tileType(element, along), operands[0].value,
                           operands[1].value, math.lift(greatest, along, loc), "", "", false);
  return {value, along, {}};
}

void SortKernel::store(TileValue pointer, TileValue value, TileValue mask) {
  TileValue operands[] = {pointer, value, mask};
  math.unify(operands, loc);
  tile::StoreOp::create(builder, loc, operands[0].value, operands[1].value, operands[2].value, "",
                        "");
}

TileValue SortKernel::upper(TileValue value, llvm::StringRef name) {
  TileValue moved = math.combineIntegers<arith::ShRSIOp>(value, math.integer(32, 64, loc), loc);
  Type type = tile::withElementType(moved.value.getType(), builder.getI32Type());
  return {arith::TruncIOp::create(builder, named(name), type, moved.value), moved.axes, {}};
}

TileValue SortKernel::ones(TileValue condition) {
  Type type = tile::withElementType(condition.value.getType(), builder.getI32Type());
  return {arith::ExtUIOp::create(builder, loc, type, condition.value), condition.axes, {}};
}

TileValue SortKernel::scan(TileValue value, llvm::StringRef name) {
  Type type = value.value.getType();
  auto scan = tile::ScanOp::create(builder, named(name), TypeRange{type}, ValueRange{value.value},
                                   /*dim=*/0, /*reverse=*/false);
  tile::buildCombiner(scan.getCombine(), tile::Combiner::Sum, {tile::getElementType(type)}, loc);
  return {scan.getResult(0), value.axes, {}};
}

TileValue SortKernel::sort(TileValue value, bool merges) {
  return {tile::SortOp::create(builder, loc, value.value.getType(), value.value, false, merges),
          value.axes,
          {}};
}

func::FuncOp SortKernel::finish(llvm::ArrayRef<std::pair<llvm::StringRef, int64_t>> blocks,
                                int64_t warps, llvm::StringRef doc) {
  func::ReturnOp::create(builder, loc);
  func.setType(builder.getFunctionType(func.front().getArgumentTypes(), {}));
  for (auto [position, parameter] : llvm::enumerate(func.getArguments()))
    func.setArgAttr(position, tile::nameAttrName, cast<NameLoc>(parameter.getLoc()).getName());
  llvm::SmallVector<Attribute> names;
  for (const TileAxis &axis : math.axes)
    if (!axis.block.empty())
      names.push_back(builder.getStringAttr(axis.block));
  llvm::SmallVector<NamedAttribute> values;
  for (auto [block, extent] : blocks)
    values.push_back(builder.getNamedAttr(block, builder.getI64IntegerAttr(extent)));
  auto config = tile::ConfigAttr::get(builder.getContext(), builder.getDictionaryAttr(values),
                                      warps, /*numStages=*/3);
  func->setAttr(tile::kernelAttrName, builder.getUnitAttr());
  func->setAttr(tile::metaAttrName, builder.getArrayAttr(names));
  func->setAttr(tile::configsAttrName, builder.getArrayAttr(config));
  func->setAttr("tile.doc", builder.getStringAttr(doc));
  return func;
}

func::FuncOp SortKernel::sortLines() {
  TileValue lines = argument("lines_ptr", true), sorted = argument("sorted_ptr", true);
  TileValue count = argument("n_lines"), length = argument("N");
  math.axes = {{"BLOCK_M", 1}, {"BLOCK_N", 256}};
  TileValue rows = positions(0, 0, "rows"), cols = positions(-1, 1, "cols");
  TileValue mask = both(isLess(rows, count), isLess(cols, length), "mask");
  TileValue keys = load(address(lines, rows, length, cols), mask, "keys");
  store(address(sorted, rows, length, cols), sort(keys), mask);
  return finish({}, 1, "Sorts whole lines of integers, in increasing order.");
}

func::FuncOp SortKernel::sortRuns() {
  TileValue lines = argument("lines_ptr", true), runs = argument("runs_ptr", true);
  TileValue length = argument("N");
  math.axes = {{"BLOCK", sortBlock}};
  auto [row, block] = lineAndBlock(blocksOf(length), "");
  TileValue cols = add(mul(block, extent()), positions(-1, 0, ""), "cols");
  TileValue mask = isLess(cols, length, "mask");
  TileValue keys = load(address(lines, row, length, cols), mask, "keys");
  store(address(runs, row, length, cols), sort(keys), mask);
  return finish({{"BLOCK", sortBlock}}, 1,
                "Sorts runs of BLOCK integers of each line, in increasing order.");
}

func::FuncOp SortKernel::leastOfLines() {
  TileValue lines = argument("lines_ptr", true), least = argument("least_ptr", true);
  TileValue count = argument("n_lines"), length = argument("N"), kept = argument("K");
  math.axes = {{"BLOCK_M", 1}, {"BLOCK_N", 256}};
  TileValue rows = positions(0, 0, "rows"), cols = positions(-1, 1, "cols");
  TileValue isLine = isLess(rows, count);
  TileValue keys =
      load(address(lines, rows, length, cols), both(isLine, isLess(cols, length), "mask"), "keys");
  store(address(least, rows, kept, cols), sort(keys), both(isLine, isLess(cols, kept)));
  return finish({}, 1, "Finds the K least integers of whole lines, in increasing order.");
}

/// The greatest number that fewer than K of the keys are less than is the K-th of them; it is found
/// bit by bit. A number that just K are less than serves as well, and is mostly found earlier.
std::pair<TileValue, TileValue> SortKernel::limitOf(TileValue keys, TileValue kept) {
  unsigned width = tile::getElementType(keys.value.getType()).getIntOrFloatBitWidth();
  TileValue lowest = math.integer(llvm::minIntN(width), width, loc);
  TileValue top = math.integer(width - 1, width, loc), last = math.integer(0, width, loc);
  llvm::SmallVector<mlir::Value> inits = {lowest.value, number(0).value, top.value};
  llvm::SmallVector<Type> types(ValueRange(inits).getTypes());
  auto loop = scf::WhileOp::create(builder, loc, types, inits);
  OpBuilder::InsertionGuard guard(builder);
  llvm::SmallVector<Location> places = {named("limit"), named("n_below"), named("bit")};
  Block *before = builder.createBlock(&loop.getBefore(), {}, types, places);
  TileValue isOpen = isAtMost(last, {before->getArgument(2), {}, {}});
  TileValue isLess = this->isLess({before->getArgument(1), {}, {}}, kept);
  scf::ConditionOp::create(builder, loc, both(isOpen, isLess).value, before->getArguments());

  Block *after = builder.createBlock(&loop.getAfter(), {}, types, places);
  TileValue limit{after->getArgument(0), {}, {}}, below{after->getArgument(1), {}, {}};
  TileValue bit{after->getArgument(2), {}, {}};
  TileValue power = math.combineIntegers<arith::ShLIOp>(math.integer(1, width, loc), bit, loc);
  TileValue tried = add(limit, power, "tried");
  TileValue count =
      math.reduce(tile::Combiner::Sum, ones(this->isLess(keys, tried)), 0, named("n_less"));
  TileValue fits = math.compare(arith::CmpIPredicate::sle, count, kept, named("fits"));
  TileValue next[] = {math.select(fits, tried, limit, loc), math.select(fits, count, below, loc),
                      sub(bit, math.integer(1, width, loc))};
  scf::YieldOp::create(builder, loc, ValueRange{next[0].value, next[1].value, next[2].value});
  return {{loop.getResult(0), {}, {}}, {loop.getResult(1), {}, {}}};
}

func::FuncOp SortKernel::leastOfRuns(bool arePacked) {
  TileValue lines = argument("lines_ptr", true), least = argument("least_ptr", true);
  TileValue length = argument("N"), kept = argument("K"), runs = argument("n_runs");
  math.axes = {{"BLOCK", keptBlock}};
  auto [row, run] = lineAndBlock(runs, "run");
  TileValue total = mul(runs, kept, "n_least"),
            cols = add(mul(run, extent()), positions(-1, 0, ""), "cols");
  TileValue keys = load(address(lines, row, length, cols), isLess(cols, length, "mask"), "keys");
  // Keys above their positions are equal in the order of these.
  TileValue ranks = arePacked ? upper(keys, "ranks") : keys;
  auto [limit, below] = limitOf(ranks, kept);
  TileValue isBelow = isLess(ranks, limit, "is_below");
  TileValue isLimit = math.compare(arith::CmpIPredicate::eq, ranks, limit, named("is_limit"));
  // Both counts in one scan: how many before are below the limit, and how many are the limit.
  TileValue packed = add(ones(isBelow), mul(ones(isLimit), number(1 << 16)));
  TileValue counts = scan(packed, "counts");
  TileValue before =
      math.combineIntegers<arith::AndIOp>(counts, number((1 << 16) - 1), named("before"));
  TileValue equal = math.combineIntegers<arith::ShRSIOp>(counts, number(16), named("equal"));
  TileValue room = sub(kept, within(below, kept, ""), "room");
  TileValue place = sub(add(before, this->least(equal, room, "")), number(1), "place");
  TileValue at = add(mul(run, kept), place, "at");
  TileValue isKept = math.logicalOr(isBelow, both(isLimit, isAtMost(equal, room)), loc);
  TileValue inside = both(isAtMost(number(0), place), isLess(place, kept));
  TileValue isOfLine = both(isAtMost(number(0), at), isLess(at, total));
  store(address(least, row, total, at), keys, both(both(isKept, inside), isOfLine));
  return finish(
      {{"BLOCK", keptBlock}}, 2,
      "Finds the K least of each run of BLOCK integers of each line, in their own order.");
}

/// How many of the first `ends` elements of two merged runs come from the left one: the greatest
/// number i of which element i - 1 is less than the element `ends - i` of the right one.
TileValue SortKernel::search(TileValue runs, TileValue row, TileValue length, TileValue run,
                             TileValue base, TileValue ends, TileValue left, TileValue end) {
  TileValue none{math.lift(number(0), ends.axes, loc), ends.axes, {}};
  llvm::SmallVector<mlir::Value> inits = {none.value, run.value};
  llvm::SmallVector<Type> types(ValueRange(inits).getTypes());
  auto loop = scf::WhileOp::create(builder, loc, types, inits);
  OpBuilder::InsertionGuard guard(builder);
  llvm::SmallVector<Location> places = {named("taken"), named("step")};
  Block *before = builder.createBlock(&loop.getBefore(), {}, types, places);
  TileValue open =
      math.compare(arith::CmpIPredicate::sgt, {before->getArgument(1), {}, {}}, number(0), loc);
  scf::ConditionOp::create(builder, loc, open.value, before->getArguments());

  Block *after = builder.createBlock(&loop.getAfter(), {}, types, places);
  TileValue taken{after->getArgument(0), ends.axes, {}}, step{after->getArgument(1), {}, {}};
  taken = within(taken, length, "known");
  TileValue tried = add(taken, within(step, run, ""), "tried");
  TileValue at = sub(add(base, tried), number(1), "at");
  TileValue fits = both(isAtMost(tried, left), isAtMost(tried, ends));
  fits = both(both(fits, isAtMost(number(0), at)), isLess(at, length), "fits");
  // Behind the right run there are only greater elements.
  TileValue other = sub(add(add(base, left), ends), tried, "other");
  TileValue inside = both(both(fits, isLess(other, end)), isAtMost(number(0), other));
  inside = both(inside, isLess(other, length), "inside");
  TileValue a = load(address(runs, row, length, at), fits, "a");
  TileValue b = load(address(runs, row, length, other), inside, "b");
  TileValue next = math.select(both(fits, isLess(a, b)), tried, taken, loc);
  TileValue half = math.combineIntegers<arith::DivSIOp>(step, number(2), loc);
  scf::YieldOp::create(builder, loc, ValueRange{next.value, half.value});
  TileValue found{loop.getResult(0), ends.axes, {}};
  builder.setInsertionPointAfter(loop);
  return within(found, length, "from_left");
}

/// A program finds which pieces of two runs make up its block of what they are merged to, and puts
/// the right piece behind the left one with its elements the other way round: what rises and then
/// falls takes a network of nine steps for 512 elements, where one that sorts has 45.
func::FuncOp SortKernel::merge() {
  TileValue runs = argument("runs_ptr", true), merged = argument("merged_ptr", true);
  TileValue length = argument("N"), run = argument("run");
  math.axes = {{"BLOCK", sortBlock}, {"", 2}};
  auto [row, piece] = lineAndBlock(blocksOf(length), "");
  TileValue block{tile::MetaOp::create(builder, loc, math.axes[0].block, sortBlock), {}, {}};
  TileValue start = math.combineIntegers<arith::MulIOp>(piece, block, named("start"));
  // The place in a pair of runs, and where the pair begins.
  TileValue place =
      math.combineIntegers<arith::RemSIOp>(start, mul(number(2), run), named("place"));
  TileValue base = sub(start, place, "base");
  TileValue left = least(run, sub(length, base), "left");
  TileValue right = least(run, sub(sub(length, base), left), "right");
  TileValue middle = add(base, left, "middle"), end = add(middle, right, "end");
  // How many elements come from the left run before the block, and with it.
  TileValue sides = mul(positions(-1, 1, ""), block);
  TileValue ends = within(least(add(place, sides), add(left, right), ""), length, "ends");
  TileValue taken = search(runs, row, length, run, base, ends, left, end);
  TileValue first = within(math.reduce(tile::Combiner::SMin, taken, 1, loc), length, "first");
  TileValue last = within(math.reduce(tile::Combiner::SMax, taken, 1, loc), length, "last");
  TileValue lanes = positions(-1, 0, "lanes");
  TileValue isLeft = isLess(lanes, sub(last, first), "is_left");
  TileValue own = add(add(base, first), lanes);
  TileValue behind = sub(sub(block, number(1)), lanes);
  TileValue other = add(add(middle, sub(place, first)), behind);
  TileValue at = math.select(isLeft, own, other, named("at"));
  // Behind the right run there are only greater elements.
  TileValue inside = both(isLess(at, end), both(isAtMost(number(0), at), isLess(at, length)));
  TileValue keys = load(address(runs, row, length, at), inside, "keys");
  TileValue cols = add(start, lanes, "cols");
  store(address(merged, row, length, cols), sort(keys, /*merges=*/true),
        isLess(cols, length, "mask"));
  return finish({{"BLOCK", sortBlock}}, 1, "Merges sorted runs of each line two by two.");
}

func::FuncOp buildLineSort(ModuleOp module, llvm::StringRef name, Type element, Location loc) {
  return SortKernel(module, name, element, loc).sortLines();
}

func::FuncOp buildRunSort(ModuleOp module, llvm::StringRef name, Type element, Location loc) {
  return SortKernel(module, name, element, loc).sortRuns();
}

func::FuncOp buildLeastOfLines(ModuleOp module, llvm::StringRef name, Type element, Location loc) {
  return SortKernel(module, name, element, loc).leastOfLines();
}

func::FuncOp buildLeastOfRuns(ModuleOp module, llvm::StringRef name, Type element, Location loc) {
  return SortKernel(module, name, element, loc).leastOfRuns(/*arePacked=*/false);
}

func::FuncOp buildLeastOfPackedRuns(ModuleOp module, llvm::StringRef name, Type element,
                                    Location loc) {
  return SortKernel(module, name, element, loc).leastOfRuns(/*arePacked=*/true);
}

func::FuncOp buildMerge(ModuleOp module, llvm::StringRef name, Type element, Location loc) {
  return SortKernel(module, name, element, loc).merge();
}

} // namespace nereid::schedule
