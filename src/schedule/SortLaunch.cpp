// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launches of a sort: one kernel for lines that fit into a program, else runs and the passes
// that merge them.
#include "schedule/HostBuilder.h"
#include "schedule/KernelScope.h"
#include "schedule/SortKernels.h"
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

  void wholeLines(func::FuncOp kernel);
  void runs(func::FuncOp sorting, func::FuncOp merging);

private:
  void check(Pred pred, llvm::StringRef message) {
    if (!pred.isTrue())
      host::CheckOp::create(builder, loc, sym::PredAttr::get(builder.getContext(), pred),
                            builder.getStringAttr(message));
  }
  void launch(func::FuncOp kernel, llvm::ArrayRef<Expr> grid, llvm::ArrayRef<mlir::Value> tensors,
              llvm::ArrayRef<Expr> numbers,
              llvm::ArrayRef<std::pair<llvm::StringRef, Expr>> meta = {});

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

void SortLaunch::wholeLines(func::FuncOp kernel) {
  index::Context &context = length.getContext();
  // At least two elements: a network of one has no stage.
  Expr block = index::nextPow2(index::max(length, context.constant(2)));
  // Not more lines than there are.
  Expr fitting = index::floordiv(context.constant(sortLimit), block);
  Expr all = index::nextPow2(index::max(count, context.constant(1)));
  Expr together = index::max(context.constant(1), index::min(fitting, all));
  check(index::le(count, (int64_t(1) << 31) - 65536), "too many lines are sorted at once");
  launch(kernel, {index::ceildiv(count, context.symbol("BLOCK_M"))}, {lines, sorted},
         {count, length}, {{"BLOCK_M", together}, {"BLOCK_N", block}});
}

void SortLaunch::runs(func::FuncOp sorting, func::FuncOp merging) {
  index::Context &context = length.getContext();
  check(index::le(length, longestSort), "a line is too long to be sorted");
  auto like = cast<host::TensorType>(sorted.getType());
  mlir::Value other = host::EmptyOp::create(builder, nameLoc("merged", loc), like, ValueRange());
  Expr blocks = index::ceildiv(length, context.constant(sortBlock));
  launch(sorting, {count, blocks}, {lines, sorted}, {length});
  Expr run = context.symbol("run");
  // Two passes a turn, there and back; the second only copies where one was enough.
  auto loop =
      host::WhileOp::create(builder, loc, builder.getStringAttr("run"),
                            builder.getI64IntegerAttr(sortBlock), builder.getI64IntegerAttr(4),
                            sym::PredAttr::get(builder.getContext(), index::lt(run, length)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&loop.getBody().emplaceBlock());
  launch(merging, {count, blocks}, {sorted, other}, {length, run});
  launch(merging, {count, blocks}, {other, sorted}, {length, run * 2});
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

LogicalResult HostBuilder::launchSort(const Kernel &kernel) {
  const Value &sort = *kernel.outputs.front().value;
  const Value &keys = *sort.inputs.front().from;
  Location loc = plainLoc(sort.loc);
  Expr length = program.sizeForms.outward(sort.foldExtents.front());
  Expr count =
      program.sizeForms.outward(index::product(context, llvm::ArrayRef(keys.shape).drop_back()));
  llvm::SmallVector<Expr, 4> own = rowMajor(keys.shape);
  auto type = hostType(keys.shape, keys.elementType, own);
  mlir::Value sorted = host::EmptyOp::create(builder, nameLoc("sorted", loc), type, ValueRange());
  SortLaunch launches(builder, func.getLoc(), tensors.at(&keys), sorted, count, length);
  LogicalResult launched = choose(
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
  if (sort.shape != keys.shape) {
    auto part = hostType(sort.shape, sort.elementType, own);
    sorted = host::ViewOp::create(builder, loc, part, sorted, hostExpr(context.constant(0)));
  }
  tensors[&sort] = sorted;
  strides[&sort] = own;
  return launched;
}

} // namespace nereid::schedule
