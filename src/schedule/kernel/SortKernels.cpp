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
  func::FuncOp leastOfRuns();
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
  TileValue mul(TileValue a, TileValue b) { return math.combineIntegers<arith::MulIOp>(a, b, loc); }
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
  /// The pointer to position `at` of line `row`.
  TileValue address(TileValue pointer, TileValue row, TileValue length, TileValue at);
  /// Elements, or the greatest integer where the mask does not hold.
  TileValue load(TileValue pointer, TileValue mask, llvm::StringRef name);
  void store(TileValue pointer, TileValue value, TileValue mask);
  TileValue sort(TileValue value, bool merges = false);
  func::FuncOp finish(llvm::ArrayRef<std::pair<llvm::StringRef, int64_t>> blocks, int64_t warps,
                      llvm::StringRef doc);
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
  math.axes = {{"BLOCK_M", 2}, {"BLOCK_N", 1024}};
  TileValue rows = positions(0, 0, "rows"), cols = positions(-1, 1, "cols");
  TileValue mask = both(isLess(rows, count), isLess(cols, length), "mask");
  TileValue keys = load(address(lines, rows, length, cols), mask, "keys");
  store(address(sorted, rows, length, cols), sort(keys), mask);
  return finish({}, 8, "Sorts whole lines of integers, in increasing order.");
}

func::FuncOp SortKernel::sortRuns() {
  TileValue lines = argument("lines_ptr", true), runs = argument("runs_ptr", true);
  TileValue length = argument("N");
  math.axes = {{"BLOCK", sortBlock}};
  TileValue row{tile::ProgramIdOp::create(builder, loc, 0), {}, {}};
  row = math.widen(row, 64, named("row"));
  TileValue cols = positions(1, 0, "cols"), mask = isLess(cols, length, "mask");
  TileValue keys = load(address(lines, row, length, cols), mask, "keys");
  store(address(runs, row, length, cols), sort(keys), mask);
  return finish({{"BLOCK", sortBlock}}, 4,
                "Sorts runs of BLOCK integers of each line, in increasing order.");
}

func::FuncOp SortKernel::leastOfLines() {
  TileValue lines = argument("lines_ptr", true), least = argument("least_ptr", true);
  TileValue count = argument("n_lines"), length = argument("N"), kept = argument("K");
  math.axes = {{"BLOCK_M", 2}, {"BLOCK_N", 1024}};
  TileValue rows = positions(0, 0, "rows"), cols = positions(-1, 1, "cols");
  TileValue isLine = isLess(rows, count);
  TileValue keys =
      load(address(lines, rows, length, cols), both(isLine, isLess(cols, length), "mask"), "keys");
  store(address(least, rows, kept, cols), sort(keys), both(isLine, isLess(cols, kept)));
  return finish({}, 8, "Finds the K least integers of whole lines, in increasing order.");
}

func::FuncOp SortKernel::leastOfRuns() {
  TileValue lines = argument("lines_ptr", true), least = argument("least_ptr", true);
  TileValue length = argument("N"), kept = argument("K"), total = argument("n_least");
  math.axes = {{"BLOCK", sortBlock}};
  TileValue row{tile::ProgramIdOp::create(builder, loc, 0), {}, {}};
  row = math.widen(row, 64, named("row"));
  TileValue run{tile::ProgramIdOp::create(builder, named("run"), 1), {}, {}};
  TileValue extent{
      tile::MetaOp::create(builder, loc, math.axes[0].block, math.axes[0].extent), {}, {}};
  TileValue places = positions(-1, 0, "places"), cols = add(mul(run, extent), places, "cols");
  TileValue keys = load(address(lines, row, length, cols), isLess(cols, length, "mask"), "keys");
  TileValue at = add(mul(run, kept), places, "at");
  TileValue isKept = both(isLess(places, kept), isLess(at, total), "is_kept");
  store(address(least, row, total, at), sort(keys), isKept);
  return finish(
      {{"BLOCK", sortBlock}}, 4,
      "Finds the K least of each run of BLOCK integers of each line, in increasing order.");
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
/// falls takes a network of ten steps for 1024 elements, where one that sorts has 55.
func::FuncOp SortKernel::merge() {
  TileValue runs = argument("runs_ptr", true), merged = argument("merged_ptr", true);
  TileValue length = argument("N"), run = argument("run");
  math.axes = {{"BLOCK", sortBlock}, {"", 2}};
  TileValue row{tile::ProgramIdOp::create(builder, loc, 0), {}, {}};
  row = math.widen(row, 64, named("row"));
  TileValue pid{tile::ProgramIdOp::create(builder, loc, 1), {}, {}};
  TileValue block{tile::MetaOp::create(builder, loc, math.axes[0].block, sortBlock), {}, {}};
  TileValue start = math.combineIntegers<arith::MulIOp>(pid, block, named("start"));
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
  return finish({{"BLOCK", sortBlock}}, 4, "Merges sorted runs of each line two by two.");
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
  return SortKernel(module, name, element, loc).leastOfRuns();
}

func::FuncOp buildMerge(ModuleOp module, llvm::StringRef name, Type element, Location loc) {
  return SortKernel(module, name, element, loc).merge();
}

} // namespace nereid::schedule
