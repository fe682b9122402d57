// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Set-up of a kernel: its pointers, its axes in IR, its function.
#include "schedule/kernel/KernelBuilder.h"

#include "schedule/kernel/KernelScope.h"
#include "schedule/kernel/LoopsOfFew.h"
#include "schedule/nest/LoopNest.h"
#include "schedule/program/AxisCuts.h"
#include "tile/transforms/AlignedArguments.h"
#include "tile/transforms/ErrorFunctions.h"
#include "tile/transforms/Exponentials.h"
#include "tile/transforms/HeldAcrossFolds.h"
#include "tile/transforms/ImpliedChoices.h"
#include "tile/transforms/PairedLoads.h"
#include "tile/transforms/UnsignedDivisions.h"

#include "tile/Instance.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace nereid::schedule {

KernelBuilder::KernelBuilder(const Program &program, const StoredSet &stored,
                             const StrideMap &strides, const Kernel &kernel, const Form &form,
                             ModuleOp module)
    : program(program), stored(stored), strides(strides), kernel(kernel), form(form),
      requests(requestsOf(program, stored, kernel)), names(program),
      folds(program, stored, this->kernel, this->form, names),
      facts(factsOf(kernel, *program.context)), factsOfRows(*program.context), module(module),
      builder(module.getContext()), math(builder), context(*program.context) {
  Kernel withoutColumns = kernel;
  withoutColumns.columns.clear();
  withoutColumns.unrolled.clear();
  factsOfRows = factsOf(withoutColumns, context);
  for (const KernelOutput &output : kernel.outputs)
    computed.insert(output.value);
  auto setNonNegative = [&](Expr symbol) {
    for (index::Facts *each : {&facts, &factsOfRows})
      each->setRange(symbol, index::Range::atLeast(0));
  };
  for (const Value *argument : program.arguments) {
    for (Expr size : argument->shape)
      index::forEachSymbol(size, setNonNegative);
    if (auto own = strides.find(argument); own != strides.end())
      for (Expr stride : own->second)
        if (stride.isSymbol())
          setNonNegative(stride);
  }
}

Location resultLoc(const Value &value) {
  return value.isNamed ? nameLoc(value.name, value.loc) : plainLoc(value.loc);
}

std::string KernelBuilder::uniqueName(llvm::StringRef base) {
  unsigned &count = usedNames[base.str()];
  ++count;
  return count == 1 ? base.str() : uniqueName((base + std::to_string(count)).str());
}

void KernelBuilder::createPointers() {
  auto add = [&](const Value &value) {
    Type type = tile::PtrType::get(value.elementType);
    bool isPart = value.memory && !value.memoryStarts.empty();
    std::string name = uniqueName(isPart ? value.memory->name + "_part_ptr" : value.name + "_ptr");
    pointers[&value] = root.block->addArgument(type, nameLoc(name, value.loc));
    parameters.push_back({&value, Expr()});
  };
  for (const Value *value : requests.getLoads())
    add(*value);
  for (const KernelOutput &output : kernel.outputs) {
    const Value *memory = output.value->memoryStarts.empty() ? output.value->memory : nullptr;
    if (memory && !pointers.contains(memory))
      add(*memory);
    if (memory)
      pointers[output.value] = pointers.at(memory);
    else if (!pointers.contains(output.value))
      add(*output.value);
  }
  // Sizes, then strides, in the order of the arguments; those that nobody needs are dropped at the
  // end.
  auto addSymbols = [&](llvm::ArrayRef<Expr> exprs) {
    for (Expr expr : exprs)
      if (program.sizeForms.outward(expr).isSymbol())
        parameter(expr, program.func.getLoc());
  };
  // Kernels of halves have the order of their own axes, so that others may be the same.
  if (const Value &last = *kernel.outputs.back().value; last.isAlwaysStored)
    addSymbols(last.shape);
  for (const Value *value : program.arguments)
    addSymbols(value->shape);
  for (const Value *value : program.arguments)
    if (value->kind == ValueKind::Input && strides.contains(value))
      addSymbols(strides.find(value)->second);
  for (const KernelOutput &output : kernel.outputs)
    addSymbols(strides.find(output.value)->second);
}

/// Erases operations whose results nobody uses.
static void eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (!isa<tile::ReduceOp, tile::ScanOp>(op))
          eraseDead(inner);
    if (isOpTriviallyDead(&op))
      op.erase();
  }
}

/// A division of each lane costs some twenty operations. Where the quotient by the inner axes is
/// there, and the machine's division of it gives its remainder too, the next one is made of it:
/// `h = rows % H` and `b = rows // H` for `rows = offsets // W`. On an H200 a reflection along two
/// axes takes 165 us so, and 199 us otherwise.
void KernelBuilder::chainQuotients() {
  llvm::DenseSet<Operation *> alive;
  func.walk([&](arith::DivSIOp op) { alive.insert(op); });
  llvm::erase_if(quotients, [&](const Quotients &pair) {
    return !alive.contains(pair.coarse) || !alive.contains(pair.fine) || hasDivision(pair.divisor);
  });
  for (Quotients &pair : quotients) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(pair.coarse);
    Location loc = pair.coarse->getLoc();
    TileValue divisor = pair.divisor.isConstant()
                            ? math.integer(*pair.divisor.getConstant(), 32, loc)
                            : parameter(pair.divisor, loc);
    TileValue fine{pair.fine->getResult(0), pair.axes, {}};
    Operation *quotient =
        math.combineIntegers<arith::DivSIOp>(fine, divisor, loc).value.getDefiningOp();
    for (Quotients &other : quotients)
      if (other.fine == pair.coarse)
        other.fine = quotient;
    pair.coarse->replaceAllUsesWith(quotient);
    pair.coarse->erase();
  }
  quotients.clear();
}

/// Whether a number ends loops and masks alone.
static bool endsLoops(mlir::Value number) {
  return llvm::all_of(number.getUsers(), [](Operation *user) {
    bool isPart = isa<tile::SplatOp, arith::ExtSIOp>(user);
    return isa<scf::ForOp, arith::CmpIOp>(user) || (isPart && endsLoops(user->getResult(0)));
  });
}

void KernelBuilder::finish(BuiltKernel &built, llvm::StringRef name) {
  builder.setInsertionPointToEnd(root.block);
  func::ReturnOp::create(builder, program.func.getLoc());
  hintReuse(built);
  // Masks of one space, say, are made for each access.
  IRRewriter rewriter(builder.getContext());
  DominanceInfo dominance(func);
  mlir::eliminateCommonSubExpressions(rewriter, dominance, func);
  tile::dropImpliedChoices(func);
  eraseDead(*root.block);
  bool writesInPlace =
      llvm::any_of(kernel.outputs, [](const KernelOutput &output) { return output.value->memory; });
  if (!turnsOfFew.empty() && !writesInPlace) {
    joinLoopsOfFew(*root.block);
    DominanceInfo ofJoined(func);
    mlir::eliminateCommonSubExpressions(rewriter, ofJoined, func);
  }
  if (program.policy.allows(MoveKind::PairedLoads))
    tile::pairLoads(func);
  chainQuotients();
  eraseDead(*root.block);
  tile::divideUnsigned(func);
  tile::complementErrorFunctions(func);
  if (program.policy.allows(MoveKind::ShortFunctions)) {
    tile::shortenExponentials(func);
    eraseDead(*root.block);
  }
  // Parameters that only dead code used go too.
  for (unsigned i = root.block->getNumArguments(); i-- > 0;)
    if (root.block->getArgument(i).use_empty()) {
      root.block->eraseArgument(i);
      parameters.erase(parameters.begin() + i);
    }
  func.setType(builder.getFunctionType(root.block->getArgumentTypes(), {}));
  llvm::SmallVector<Attribute> names;
  for (auto [i, argument] : llvm::enumerate(root.block->getArguments())) {
    auto loc = cast<NameLoc>(argument.getLoc());
    func.setArgAttr(i, tile::nameAttrName, loc.getName());
    // How many parts something has is of no weight to what is compiled.
    Expr size = parameters[i].size;
    bool countsParts = size && size.getKind() == index::ExprKind::FloorDiv && endsLoops(argument);
    if (countsParts || (program.turn && size && index::contains(size, program.turn)))
      func.setArgAttr(i, tile::variesAttrName, builder.getUnitAttr());
  }
  if (program.policy.has(MoveKind::WideTuning))
    tile::markAlignedArguments(func);
  func->setAttr(tile::kernelAttrName, builder.getUnitAttr());

  llvm::SmallVector<Attribute> metaNames;
  llvm::StringSet<> seen;
  for (const TileAxis &axis : math.axes)
    if (!axis.block.empty() && seen.insert(axis.block).second)
      metaNames.push_back(builder.getStringAttr(axis.block));
  for (auto &[flag, pred] : conditions)
    metaNames.push_back(builder.getStringAttr(flag));
  if (llvm::any_of(conditions, [](const auto &known) { return known.first == "EVEN_K"; }))
    func->setAttr(tile::multiplesAttrName, builder.getDictionaryAttr(builder.getNamedAttr(
                                               "BLOCK_K", builder.getI64IntegerAttr(evenStep()))));
  func->setAttr(tile::metaAttrName, builder.getArrayAttr(metaNames));
  if (form.heldElements > 0)
    form.configs = residentConfigs(form.heldElements, tile::bitsHeldAcrossFolds(*root.block));
  llvm::SmallVector<Attribute> configs;
  for (const Config &config : form.configs) {
    llvm::SmallVector<NamedAttribute> blocks;
    for (auto &[block, number] : config.blocks)
      if (seen.contains(block))
        blocks.push_back(builder.getNamedAttr(block, builder.getI64IntegerAttr(number)));
    configs.push_back(tile::ConfigAttr::get(module.getContext(), builder.getDictionaryAttr(blocks),
                                            config.warps, config.stages));
  }
  func->setAttr(tile::configsAttrName, builder.getArrayAttr(configs));
  built.func = func;
  built.conditions = std::move(conditions);
  built.parameters = std::move(parameters);
  built.checks = std::move(checks);
  for (const FoldPlan &fold : folds.getAll())
    if (!fold.refusal.empty())
      built.refusals.push_back("Goes over the row again for " + fold.value->name + ": " +
                               fold.refusal);
  if (program.describesNests && kernel.strip) {
    Kernel whole = kernel.withoutStrips();
    built.nest = describeNest(program, requestsOf(program, stored, whole), whole,
                              nestOf(whole, form, folds), name);
  } else if (program.describesNests) {
    built.nest = describeNest(program, requests, kernel, nestOf(kernel, form, folds), name);
  }
  built.requests.emplace(std::move(requests));
}

/// The tile axes of the columns: resident ones are as large as the rows.
void KernelBuilder::addColumnAxes(BuiltKernel &built) {
  for (unsigned columns = 0; columns < form.columns.size(); ++columns) {
    Expr extent = index::product(context, form.columns[columns].extents);
    extent = extent * index::product(context, form.outerColumns.extents);
    if (!form.resident) {
      math.axes.push_back({"BLOCK_N", form.configs.front().blocks.back().second});
      checks.emplace_back(index::le(extent, (int64_t(1) << 31) - 65536),
                          "a row is too long for 32-bit indices");
      continue;
    }
    std::string block = columns ? "BLOCK_N" + std::to_string(columns + 1) : "BLOCK_N";
    int64_t number =
        *index::nextPowerOfTwo(std::clamp<int64_t>(program.estimate(extent), 1, 32768));
    built.meta.emplace_back(block, index::nextPow2(index::max(extent, context.constant(1))));
    math.axes.push_back({block, number});
  }
}

FailureOr<BuiltKernel> KernelBuilder::build(llvm::StringRef name) {
  BuiltKernel built;
  builder.setInsertionPointToEnd(module.getBody());
  func =
      func::FuncOp::create(builder, program.func.getLoc(), name, builder.getFunctionType({}, {}));
  root.block = func.addEntryBlock();
  builder.setInsertionPointToEnd(root.block);
  createPointers();
  if (!kernel.hasRows) {
    bindFlat();
    built.grid.push_back(index::ceildiv(index::product(context, form.columns.front().extents),
                                        context.symbol("BLOCK")));
  } else {
    if (kernel.contraction)
      addContractionAxes(built);
    else if (form.tiledRows)
      math.axes.push_back({"BLOCK_M", form.resident ? rowsTogether(nullptr)
                                                    : form.configs.front().blocks.front().second});
    if (!kernel.contraction)
      addColumnAxes(built);
    if (isNested())
      folds.plan(requests, facts);
    if (kernel.contraction) {
      bindContraction(built);
    } else if (kernel.span != 0) {
      bindSpan();
      if (!kernel.outer.symbols.empty())
        built.grid.push_back(index::product(context, kernel.outer.extents));
      if (kernel.span != Kernel::allRows || built.grid.empty())
        built.grid.push_back(kernel.countSpans(context));
      (void)rowsTogether(&built);
    } else {
      bindRows(built);
    }
    for (unsigned columns = 0; form.resident && columns < form.columns.size(); ++columns)
      bindColumns(columns, TileValue());
    if (kernel.isTiledMap())
      bindColumnBlock();
    if (kernel.span != 0)
      bindPair();
    if (kernel.unrolled.empty() && !isNested())
      folds.plan(requests, facts);
  }
  makePasses();
  if (failedAlready) {
    func.erase();
    return failure();
  }
  finish(built, name);
  return built;
}

} // namespace nereid::schedule
