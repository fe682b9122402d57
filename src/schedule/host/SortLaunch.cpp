// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launches of a sort: one kernel for lines that fit into a program, else runs and the passes
// that merge them.
#include "graph/GraphOps.h"
#include "graph/transforms/SortLowering.h"
#include "schedule/host/HostBuilder.h"
#include "schedule/kernel/KernelScope.h"
#include "schedule/kernel/SortKernels.h"
#include "sym/SymDialect.h"

using namespace mlir;

namespace nereid::schedule {

namespace {

/// Writes the launches of one sort, from `lines` to `sorted`.
class SortLaunch {
public:
  SortLaunch(OpBuilder &builder, Location loc, mlir::Value lines, mlir::Value sorted, Expr count,
             Expr length)
      : builder(builder), loc(loc), lines(lines), sorted(sorted), count(count), length(length) {}

  /// Of a part alone the first `kept` elements are written.
  void wholeLines(func::FuncOp kernel, Expr kept = {});
  void runs(func::FuncOp sorting, func::FuncOp merging);
  /// The least of each run, or of the first `runs` ones.
  void leastOfRuns(func::FuncOp kernel, Expr kept, Expr runs);

private:
  void check(Pred pred, llvm::StringRef message) {
    if (!pred.isTrue())
      host::CheckOp::create(builder, loc, sym::PredAttr::get(builder.getContext(), pred),
                            builder.getStringAttr(message));
  }
  void launch(func::FuncOp kernel, llvm::ArrayRef<Expr> grid, llvm::ArrayRef<mlir::Value> tensors,
              llvm::ArrayRef<Expr> numbers,
              llvm::ArrayRef<std::pair<llvm::StringRef, Expr>> meta = {});

  /// That places in a line and the numbers of programs, one for each block of each line, fit.
  void checkBlocks(Expr blocks) {
    check(index::le(length, most), "a line is too long to be sorted");
    check(index::le(count * blocks, most), "too many lines are sorted at once");
  }

  /// The most places of a line, and programs of a launch.
  static constexpr int64_t most = (int64_t(1) << 31) - 65536;

  OpBuilder &builder;
  Location loc;
  mlir::Value lines, sorted;
  Expr count, length;
};

} // namespace

void SortLaunch::launch(func::FuncOp kernel, llvm::ArrayRef<Expr> grid,
                        llvm::ArrayRef<mlir::Value> tensors, llvm::ArrayRef<Expr> numbers,
                        llvm::ArrayRef<std::pair<llvm::StringRef, Expr>> meta) {
  MLIRContext *context = builder.getContext();
  llvm::SmallVector<mlir::Value> arguments(tensors);
  for (Expr number : numbers)
    arguments.push_back(host::SizeOp::create(builder, loc, builder.getI64Type(),
                                             sym::ExprAttr::get(context, number)));
  llvm::SmallVector<Attribute> extents;
  for (Expr extent : grid)
    extents.push_back(sym::ExprAttr::get(context, extent));
  llvm::SmallVector<NamedAttribute> values;
  for (auto [name, value] : meta)
    values.push_back(builder.getNamedAttr(name, sym::ExprAttr::get(context, value)));
  host::LaunchOp::create(builder, loc, FlatSymbolRefAttr::get(kernel),
                         builder.getArrayAttr(extents), arguments,
                         builder.getDictionaryAttr(values));
}

void SortLaunch::leastOfRuns(func::FuncOp kernel, Expr kept, Expr runs) {
  checkBlocks(runs);
  launch(kernel, {count * runs}, {lines, sorted}, {length, kept, runs});
}

void SortLaunch::wholeLines(func::FuncOp kernel, Expr kept) {
  index::Context &context = length.getContext();
  // At least two elements: a network of one has no stage.
  Expr block = index::nextPow2(index::max(length, context.constant(2)));
  // Not more lines than there are.
  Expr fitting = index::floordiv(context.constant(sortTogether), block);
  Expr all = index::nextPow2(index::max(count, context.constant(1)));
  Expr together = index::max(context.constant(1), index::min(fitting, all));
  check(index::le(count, most), "too many lines are sorted at once");
  llvm::SmallVector<Expr, 3> numbers = {count, length};
  if (kept)
    numbers.push_back(kept);
  launch(kernel, {index::ceildiv(count, context.symbol("BLOCK_M"))}, {lines, sorted}, numbers,
         {{"BLOCK_M", together}, {"BLOCK_N", block}});
}

void SortLaunch::runs(func::FuncOp sorting, func::FuncOp merging) {
  index::Context &context = length.getContext();
  auto like = cast<host::TensorType>(sorted.getType());
  mlir::Value other = host::EmptyOp::create(builder, nameLoc("merged", loc), like, ValueRange());
  Expr blocks = index::ceildiv(length, context.constant(sortBlock));
  checkBlocks(blocks);
  Expr programs = count * blocks;
  launch(sorting, {programs}, {lines, sorted}, {length});
  Expr run = context.symbol("run");
  // Two passes a turn, there and back; the second only copies where one was enough.
  auto loop =
      host::WhileOp::create(builder, loc, builder.getStringAttr("run"),
                            builder.getI64IntegerAttr(sortBlock), builder.getI64IntegerAttr(4),
                            sym::PredAttr::get(builder.getContext(), index::lt(run, length)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&loop.getBody().emplaceBlock());
  launch(merging, {programs}, {sorted, other}, {length, run});
  launch(merging, {programs}, {other, sorted}, {length, run * 2});
}

/// The same for all sorts of a program; it stands before the program that launches it.
func::FuncOp HostBuilder::sortKernel(BuildSort build, llvm::StringRef suffix, const Value &sort) {
  unsigned width = sort.elementType.getIntOrFloatBitWidth();
  func::FuncOp &kernel = sortKernels[{build, width}];
  if (!kernel) {
    std::string name = program.func.getName().str() + "_" + suffix.str();
    while (!kernelNames.insert(name).second || module.lookupSymbol(name))
      name += std::to_string(width);
    kernel = build(module, name, sort.elementType, plainLoc(sort.loc));
    kernel->moveBefore(func);
  }
  functions[launching].push_back(kernel.getName().str());
  return kernel;
}

/// All of each line, or the first elements of what is sorted so.
LogicalResult HostBuilder::sortWhole(const Value &sort, mlir::Value lines, mlir::Value sorted,
                                     Expr count, Expr length) {
  SortLaunch launches(builder, func.getLoc(), lines, sorted, count, length);
  return choose(
      index::le(length, sortLimit),
      [&] {
        launches.wholeLines(sortKernel(buildLineSort, "sort_kernel", sort));
        return success();
      },
      [&] {
        func::FuncOp sorting = sortKernel(buildRunSort, "sort_runs_kernel", sort);
        launches.runs(sorting, sortKernel(buildMerge, "merge_runs_kernel", sort));
        return success();
      });
}

/// The first few elements of long lines: those of each run are sorted.
LogicalResult HostBuilder::sortLeast(const Value &sort, mlir::Value lines, mlir::Value sorted,
                                     Expr count, Expr length) {
  Expr kept = program.sizeForms.outward(sort.shape.back());
  auto whole = [&](mlir::Value from, Expr size) {
    SortLaunch(builder, func.getLoc(), from, sorted, count, size)
        .wholeLines(sortKernel(buildLeastOfLines, "least_kernel", sort), kept);
    return success();
  };
  auto byRuns = [&] {
    Expr runs = index::ceildiv(length, context.constant(keptBlock)), all = runs * kept;
    bool arePacked = graph::areAbovePositions(cast<graph::SortOp>(sort.op).getInput());
    auto kernel = [&] {
      return sortKernel(arePacked ? buildLeastOfPackedRuns : buildLeastOfRuns,
                        "least_of_runs_kernel", sort);
    };
    llvm::SmallVector<Expr, 4> shape(sort.shape);
    shape.back() = all;
    auto type = hostType(shape, sort.elementType, rowMajor(shape));
    auto empty = [&](llvm::StringRef name) {
      Location loc = nameLoc(name, plainLoc(sort.loc));
      return host::EmptyOp::create(builder, loc, type, ValueRange());
    };
    mlir::Value least = empty("least_of_runs");
    SortLaunch(builder, func.getLoc(), lines, least, count, length)
        .leastOfRuns(kernel(), kept, runs);
    return choose(
        index::le(all, sortLimit), [&] { return whole(least, all); },
        [&] {
          mlir::Value ordered = empty("ordered");
          func::FuncOp sorting = sortKernel(buildRunSort, "sort_runs_kernel", sort);
          SortLaunch(builder, func.getLoc(), least, ordered, count, all)
              .runs(sorting, sortKernel(buildMerge, "merge_runs_kernel", sort));
          SortLaunch(builder, func.getLoc(), ordered, sorted, count, all)
              .leastOfRuns(kernel(), kept, context.constant(1));
          return success();
        });
  };
  return choose(index::le(length, sortLimit), [&] { return whole(lines, length); }, byRuns);
}

LogicalResult HostBuilder::launchSort(const Kernel &kernel) {
  const Value &sort = *kernel.outputs.front().value;
  const Value &keys = *sort.inputs.front().from;
  Location loc = plainLoc(sort.loc);
  Expr length = program.sizeForms.outward(sort.foldExtents.front());
  Expr count =
      program.sizeForms.outward(index::product(context, llvm::ArrayRef(keys.shape).drop_back()));
  bool isPart = sort.shape != keys.shape;
  bool isFew = isPart && sort.shape.back().getConstant().value_or(mostKept + 1) <= mostKept;
  llvm::SmallVector<Expr, 4> own = rowMajor(isFew ? sort.shape : keys.shape);
  auto type = hostType(isFew ? sort.shape : keys.shape, keys.elementType, own);
  mlir::Value sorted = host::EmptyOp::create(builder, nameLoc("sorted", loc), type, ValueRange());
  LogicalResult launched = isFew ? sortLeast(sort, tensors.at(&keys), sorted, count, length)
                                 : sortWhole(sort, tensors.at(&keys), sorted, count, length);
  if (isPart && !isFew) {
    auto part = hostType(sort.shape, sort.elementType, own);
    sorted = host::ViewOp::create(builder, loc, part, sorted, hostExpr(context.constant(0)));
  }
  tensors[&sort] = sorted;
  strides[&sort] = own;
  return launched;
}

} // namespace nereid::schedule
