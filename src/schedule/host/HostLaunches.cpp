// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which forms of a kernel a host program launches, and under which conditions.
#include "schedule/host/HostBuilder.h"

#include "schedule/nest/KernelDoc.h"
#include "schedule/nest/KernelExprs.h"
#include "schedule/nest/LoopNest.h"
#include "schedule/nest/NestedKernel.h"
#include "schedule/nest/SpanKernel.h"
#include "schedule/program/ResultLayout.h"
#include "sym/SymDialect.h"
#include "tile/Instance.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace nereid::schedule {

/// A row that a loop reads once need not be held whole up to `residentLimit`: then so many programs
/// share a multiprocessor that some compute while others wait. On an H200 the folds of a cross
/// entropy over 32000 halves take 337 us so, and 510 us otherwise.
static constexpr int64_t singlePassLimit = 16384;

/// The output that a kernel is called after: the last one, of those that no further kernel adds up,
/// or what it is a part of.
static const Value &getNamesake(const Kernel &kernel) {
  for (const KernelOutput &output : llvm::reverse(kernel.outputs))
    if (!output.isCarried && !output.value->isPart)
      return output.value->join ? *output.value->join : *output.value;
  return *kernel.outputs.back().value;
}

std::string HostBuilder::kernelName(const Kernel &kernel, llvm::StringRef suffix) {
  std::string base = program.func.getName().str();
  // A launch stands in one line: of long names the program's is what tells more.
  constexpr size_t longest = 60;
  if (partition.kernels.size() > 1) {
    const Value &namesake = getNamesake(kernel);
    std::string named = base + "_" + (namesake.isAlwaysStored ? "halves" : namesake.name);
    if (named.size() + suffix.size() + sizeof("_kernel") <= longest)
      base = std::move(named);
  }
  std::string name = base + "_" + suffix.str() + "kernel";
  for (unsigned number = 2; !kernelNames.insert(name).second || module.lookupSymbol(name); ++number)
    name = base + std::to_string(number) + "_" + suffix.str() + "kernel";
  return name;
}

/// A number that a launch passes, for launches whose kernels read none of it (a fold over an empty
/// axis): what it is divided by is 1 where it may be 0 while there are programs.
static Expr withPositiveDivisors(Expr number, llvm::function_ref<bool(Expr)> isPositive) {
  return index::substitute(number, [&](Expr atom) -> Expr {
    bool isDivision =
        atom.getKind() == index::ExprKind::FloorDiv || atom.getKind() == index::ExprKind::Mod;
    if (!isDivision || atom.getOperands()[1].isConstant())
      return {};
    Expr by = withPositiveDivisors(atom.getOperands()[1], isPositive);
    if (!isPositive(by))
      by = index::max(by, by.getContext().constant(1));
    Expr of = withPositiveDivisors(atom.getOperands()[0], isPositive);
    return atom.getKind() == index::ExprKind::Mod ? index::mod(of, by) : index::floordiv(of, by);
  });
}

LogicalResult HostBuilder::launchForm(const Kernel &kernel, const Form &form,
                                      llvm::StringRef name) {
  auto built = KernelBuilder(program, stored, strides, kernel, form, module).build(name);
  if (failed(built))
    return failure();
  functions[launching].push_back(name.str());
  built->func->setAttr("tile.doc", builder.getStringAttr(describeKernel(
                                       program, *built->requests, kernel, form, built->refusals)));
  if (!built->nest.empty())
    built->func->setAttr(nestAttrName, builder.getStringAttr(built->nest));
  // Kernels stand before the programs that launch them.
  built->func->moveBefore(func);
  MLIRContext *mlir = module.getContext();
  Location loc = func.getLoc();
  for (auto &[pred, message] : built->checks)
    if (!pred.isTrue() && checked.insert(pred).second)
      host::CheckOp::create(builder, loc, hostPred(pred), builder.getStringAttr(message));
  auto isPositive = [&](Expr divisor) {
    index::Facts facts(context);
    for (auto &[held, message] : program.checks)
      facts.assume(program.sizeForms.inward(held));
    for (Expr extent : built->grid)
      facts.assume(index::ge(extent, 1));
    return facts.prove(index::ge(divisor, 1)) == index::Truth::True;
  };
  llvm::SmallVector<mlir::Value> arguments;
  for (const KernelParameter &parameter : built->parameters) {
    if (parameter.value)
      arguments.push_back(tensors.at(parameter.value));
    else
      arguments.push_back(
          host::SizeOp::create(builder, loc, builder.getI64Type(),
                               hostExpr(withPositiveDivisors(parameter.size, isPositive))));
  }
  llvm::SmallVector<Attribute> grid;
  for (Expr extent : built->grid)
    grid.push_back(hostExpr(extent));
  llvm::SmallVector<NamedAttribute> meta;
  for (auto &[block, value] : built->meta)
    meta.push_back(builder.getNamedAttr(block, hostExpr(value)));
  for (auto &[flag, pred] : built->conditions)
    meta.push_back(builder.getNamedAttr(flag, hostPred(pred)));
  auto launch = host::LaunchOp::create(builder, loc, FlatSymbolRefAttr::get(mlir, name),
                                       builder.getArrayAttr(grid), arguments,
                                       builder.getDictionaryAttr(meta));
  if (kernel.contraction && form.configs.size() > 1)
    tuneForSizes(form, built->func, launch);
  return success();
}

/// The best tile of a contraction follows its sizes: a configuration is looked for again where one
/// of them reaches another power of two.
void HostBuilder::tuneForSizes(const Form &form, func::FuncOp kernel, host::LaunchOp launch) {
  llvm::SmallVector<Attribute> names;
  NamedAttrList sizes;
  llvm::DenseSet<Expr> known;
  auto add = [&](llvm::StringRef name, const Space &space) {
    Expr size = index::product(context, space.extents);
    if (size.isConstant() || !known.insert(size).second)
      return;
    names.push_back(builder.getStringAttr(name));
    sizes.set(name, hostExpr(index::nextPow2(index::max(size, context.constant(1)))));
  };
  add("SIZE_M", form.rows);
  add("SIZE_N", form.lanes);
  add("SIZE_K", form.columns.front());
  if (names.empty())
    return;
  kernel->setAttr(tile::tunedForAttrName, builder.getArrayAttr(names));
  launch->setAttr(tile::tunedForAttrName, sizes.getDictionary(module.getContext()));
}

LogicalResult HostBuilder::launch(const Kernel &planned, unsigned number, Arguments arguments) {
  launching = number;
  if (planned.isSort())
    return launchSort(planned);
  if (planned.isCall())
    return launchCall(planned);
  for (const KernelOutput &output : planned.outputs)
    allocate(*output.value, arguments);
  std::string arm = arguments == Arguments::AskedRowMajor ? contiguousArm.str() : "";
  return planned.span != 0 ? launchSpans(planned, arm) : launchRows(planned, arm);
}

/// Launches one thing where a condition holds, else another.
LogicalResult HostBuilder::choose(Pred condition, Launch first, Launch second) {
  if (condition.isTrue())
    return first();
  if (condition.isFalse() || refuted.contains(condition))
    return second();
  Location loc = func.getLoc();
  auto holds = host::CondOp::create(builder, loc, builder.getI1Type(), hostPred(condition));
  auto choice = host::IfOp::create(builder, loc, TypeRange{}, holds);
  OpBuilder::InsertionGuard guard(builder);
  auto checkedBefore = checked;
  for (auto [region, launch] :
       {std::pair(&choice.getThen(), first), std::pair(&choice.getOtherwise(), second)}) {
    builder.setInsertionPointToEnd(&region->emplaceBlock());
    if (failed(launch()))
      return failure();
    host::YieldOp::create(builder, loc, ValueRange{});
    checked = checkedBefore;
  }
  return success();
}

/// Whether the loops of a kernel read so much again that rows held whole, where they can be, are
/// worth a kernel of their own. On an H200 36 programs whose loops read the row once take as long
/// either way, forward and backward, but for prefix sums: along rows of 4096, 103 us for 75.
bool HostBuilder::holdingPays(const Kernel &looped, const Form &form) {
  constexpr int64_t leastShare = 32;
  auto built = KernelBuilder(program, stored, strides, looped, form, module).build("@looped");
  if (failed(built))
    return true;
  Kernel kernel = looped;
  KernelExprs exprs(program, stored, strides, kernel);
  int64_t again = exprs.hasScans() ? exprs.countBytes() : 0;
  for (const Value *value : built->readAgain)
    again += program.estimateElements(value->shape) * value->getElementBytes();
  built->func.erase();
  return again * leastShare > exprs.countBytes();
}

/// Rows that are short enough stay in registers whole.
LogicalResult HostBuilder::launchRows(const Kernel &planned, llvm::StringRef arm) {
  if (planned.loop >= 0 && planned.hasRows) {
    Kernel kernel = planned;
    Form form = chooseForm(program, stored, strides, kernel, true);
    for (const Space &space : form.columns) {
      Pred fits = index::le(index::product(context, space.extents), residentLimit);
      if (!fits.isTrue() && checked.insert(fits).second)
        host::CheckOp::create(builder, func.getLoc(), hostPred(fits),
                              builder.getStringAttr("a row is too long for a loop that folds it"));
    }
    return launchForm(kernel, form, kernelName(planned, arm));
  }
  if (planned.isNested())
    return launchNested(planned, arm);
  Kernel looped = planned, resident = planned;
  Form loopForm = chooseForm(program, stored, strides, looped, false);
  bool hasWindows =
      llvm::any_of(loopForm.columns, [](const Space &space) { return space.isPart(); });
  if (!looped.hasRows || looped.isTiledMap() || looped.contraction ||
      !program.policy.has(MoveKind::Fusion) || hasWindows)
    return launchForm(looped, loopForm, kernelName(planned, arm));

  Form residentForm = chooseForm(program, stored, strides, resident, true);
  bool hasScans = !planned.innerScans.empty();
  if (!residentForm.resident && hasScans)
    return launchScansApart(planned, arm);
  if (!residentForm.resident)
    return launchForm(looped, loopForm, kernelName(planned, arm));
  int64_t limit = residentForm.neighbouringRows ? neighbouringLimit : residentLimit;
  bool sharesProgram = residentForm.tiledRows && !residentForm.neighbouringRows;
  // Not of one program, for which a loop will do.
  bool areShort = !residentForm.rows.symbols.empty() &&
                  llvm::all_of(residentForm.columns, [&](const Space &space) {
                    return program.estimateElements(space.extents) <= wideElements;
                  });
  bool pays = sharesProgram || areShort || hasScans || holdingPays(looped, loopForm);
  if (program.policy.has(MoveKind::OnlineFolds) && !program.policy.isChosen() &&
      !residentForm.tiledRows && !hasScans && (residentForm.loopsSooner || !pays))
    limit = singlePassLimit;
  if (program.policy.decide(false))
    limit = program.policy.pickPower(8);
  llvm::SmallVector<Pred> fits;
  for (const Space &space : residentForm.columns)
    fits.push_back(index::le(index::product(context, space.extents), limit));
  Pred isShort = index::allOf(context, fits);
  bool isChoice = !isShort.isTrue() && !isShort.isFalse() && !refuted.contains(isShort);
  // Of neighbouring rows the loops have tiles too.
  bool mayLoop = isChoice || (residentForm.neighbouringRows && !isShort.isFalse());
  if (mayLoop && !hasScans && (rowsAreLong || !program.policy.decide(pays)))
    return launchForm(looped, loopForm, kernelName(planned, arm));
  return choose(
      isShort, [&] { return launchForm(resident, residentForm, kernelName(planned, arm)); },
      [&] {
        if (hasScans) {
          bool isNew = refuted.insert(isShort).second;
          auto done = launchScansApart(planned, (arm + "apart_").str());
          if (isNew)
            refuted.erase(isShort);
          return done;
        }
        std::string suffix = isChoice ? (arm + "long_").str() : arm.str();
        return launchForm(looped, loopForm, kernelName(planned, suffix));
      });
}

/// Programs hold whole what nested contractions are summed over, in tiles that were chosen for what
/// is typical.
LogicalResult HostBuilder::launchNested(const Kernel &planned, llvm::StringRef arm) {
  Kernel kernel = planned;
  Form form = chooseForm(program, stored, strides, kernel, false);
  Pred fits = fitsNested(program, planned);
  if (!fits.isTrue() && checked.insert(fits).second)
    host::CheckOp::create(builder, func.getLoc(), hostPred(fits),
                          builder.getStringAttr("the tiles were chosen for fewer features: convert "
                                                "with inputs of these sizes"))
        ->setAttr(host::limitAttrName, builder.getUnitAttr());
  return launchForm(kernel, form, kernelName(planned, arm));
}

/// Rows that are too long to be held while others read their scans: these are stored before.
LogicalResult HostBuilder::launchScansApart(const Kernel &planned, llvm::StringRef arm) {
  StoredSet before = stored;
  return launchApart(planScansApart(program, planned, stored), before, arm);
}

/// Launches kernels which store what was not stored `before`, and is not behind them.
LogicalResult HostBuilder::launchApart(llvm::ArrayRef<Kernel> parts, const StoredSet &before,
                                       llvm::StringRef arm) {
  for (const Kernel &part : parts) {
    for (const KernelOutput &output : part.outputs)
      if (!before.contains(output.value))
        allocate(*output.value, Arguments::AsGiven);
    if (failed(launchRows(part, arm)))
      return failure();
  }
  stored = before;
  return success();
}

/// Rows that are too long to be held while folds are carried over them take kernels apart.
LogicalResult HostBuilder::launchSpans(const Kernel &planned, llvm::StringRef arm) {
  Kernel spans = planned;
  Form form = chooseForm(program, stored, strides, spans, true);
  int64_t limit = spanColumnLimit;
  if (program.policy.decide(false))
    limit = program.policy.pickPower(8);
  llvm::SmallVector<Pred> fits;
  for (const Space &space : form.columns)
    fits.push_back(index::le(index::product(context, space.extents), limit));
  return choose(
      index::allOf(context, fits),
      [&] { return launchForm(spans, form, kernelName(planned, arm)); },
      [&]() -> LogicalResult {
        llvm::SaveAndRestore<bool> areLong(rowsAreLong, true);
        for (const Kernel &part : planApart(program, planned, stored))
          if (failed(launchRows(part, (arm + "apart_").str())))
            return failure();
        return success();
      });
}

/// Whether the place of a column is divided by what is no number.
static bool dividesColumns(Expr offset, llvm::ArrayRef<Space> columns) {
  bool divides = false;
  index::substitute(offset, [&](Expr atom) -> Expr {
    bool isDivision =
        atom.getKind() == index::ExprKind::FloorDiv || atom.getKind() == index::ExprKind::Mod;
    if (isDivision && !atom.getOperands()[1].isConstant())
      for (const Space &space : columns)
        divides |=
            llvm::any_of(space.symbols, [&](Expr column) { return index::contains(atom, column); });
    return {};
  });
  return divides;
}

/// Whether views that regroup axes of inputs (windows that another layer has made, seen in their
/// image) divide each place by sizes, and those of row-major inputs do not: on an H200 a block of
/// shifted windows takes 109 us for 413 so, and with its rolls as one load.
bool HostBuilder::dividesLess(const Kernel &kernel, const StrideMap &general,
                              llvm::ArrayRef<Space> columns) const {
  Kernel seen = kernel;
  KernelExprs exprs(program, stored, general, seen);
  return llvm::any_of(exprs.getTouches(), [&](const Touch &touch) {
    return dividesColumns(touch.offset, columns) && !dividesColumns(touch.usual, columns);
  });
}

/// Whether a kernel gets simpler index arithmetic on tiles when all inputs are row-major.
bool HostBuilder::gainsByRowMajor(const Kernel &kernel, const StrideMap &general,
                                  const StrideMap &dense) {
  if (kernel.isSort() || kernel.isCall())
    return false;
  Kernel a = kernel, b = kernel;
  Form generalForm = chooseForm(program, stored, general, a, false);
  Form denseForm = chooseForm(program, stored, dense, b, false);
  if (denseForm.tiledRows != generalForm.tiledRows ||
      denseForm.denseAccesses > generalForm.denseAccesses)
    return true;
  // A map on tiles of rows needs results whose strides are known.
  bool isInRows = b.mapTile == MapTile::Rows;
  if (isInRows && llvm::any_of(b.outputs, [&](const KernelOutput &output) {
        return isReturned(*output.value) && !findLayoutOperands(program, *output.value).empty();
      }))
    return true;
  if (a.unrolled.size() != b.unrolled.size())
    return true;
  for (auto [x, y] : llvm::zip_equal(generalForm.columns, denseForm.columns))
    if (x.symbols.size() != y.symbols.size())
      return true;
  if (dividesLess(kernel, general, generalForm.columns))
    return true;
  if (!a.hasRows || isInRows || a.contraction)
    return false;
  // Where short rows share programs, rows that are one axis fill them whatever its extents are.
  Form generalRows = chooseForm(program, stored, general, a, true);
  Form denseRows = chooseForm(program, stored, dense, b, true);
  return denseRows.tiledRows && denseRows.rows.symbols.size() != generalRows.rows.symbols.size();
}

/// The inputs of kernels that gain by row-major ones.
llvm::DenseSet<const Value *> HostBuilder::findRowMajorGains() {
  std::vector<const Kernel *> gaining;
  bool isChosen = program.policy.isChosen() && program.policy.pick(2) == 1;
  StrideMap general = argumentStrides, dense;
  for (const Value *value : program.arguments)
    if (value->kind == ValueKind::Input)
      dense[value] = rowMajor(value->shape);
  for (const Kernel &kernel : partition.kernels)
    for (const KernelOutput &output : kernel.outputs) {
      if (const Value *whole = output.value->join) {
        general[whole] = rowMajor(whole->shape);
        dense[whole] = isReturned(*whole) ? denseStrides(*whole) : rowMajor(whole->shape);
        for (StrideMap *each : {&general, &dense})
          (*each)[output.value] = stridesWithin(*output.value, each->at(whole));
        continue;
      }
      const Value *memory = output.value->memory;
      general[output.value] = memory ? argumentStrides.at(memory) : rowMajor(output.value->shape);
      dense[output.value] = memory                      ? rowMajor(memory->shape)
                            : isReturned(*output.value) ? denseStrides(*output.value)
                                                        : rowMajor(output.value->shape);
    }
  for (const Kernel &kernel : partition.kernels)
    if (program.policy.isChosen() ? isChosen : gainsByRowMajor(kernel, general, dense))
      gaining.push_back(&kernel);
  return findLoaded(gaining);
}

/// Whether inputs that are not row-major are copied rather than read by kernels of their own: where
/// these would be many, or the copies take little of the time, and in gradients, which read what
/// the program has copied. Results that have the strides of inputs are copied once more; inputs
/// that kernels write to leave no choice.
bool HostBuilder::copiesPay() {
  if (llvm::any_of(program.results, [](const Result &result) { return result.value->memory; }))
    return false;
  if (program.policy.isChosen())
    return program.policy.pick(2) == 1;
  constexpr size_t fewKernels = 2, fewThatSave = 1;
  constexpr double mostOfTime = 0.25;
  func::FuncOp func = program.func;
  bool saves = false;
  for (unsigned place = 0; place < func.getNumResults(); ++place)
    saves |= bool(func.getResultAttr(place, "graph.saved"));
  if (func->hasAttr("graph.gradient_of") ||
      partition.kernels.size() > (saves ? fewThatSave : fewKernels))
    return true;
  const Device &device = program.policy.getDevice();
  double bytes = 0, time = 0;
  auto bytesOf = [&](const Value &value) {
    return double(program.estimateElements(value.shape) * value.getElementBytes());
  };
  for (const Value *value : program.arguments)
    if (value->kind == ValueKind::Input && !isShapeOnly(*value))
      bytes += bytesOf(*value);
  for (const Result &result : program.results)
    if (isLaidOut(result))
      bytes += bytesOf(*result.value);
  for (const Kernel &kernel : partition.kernels)
    time += estimateCost(program, kernel, stored, device).microseconds;
  constexpr double readAndWritten = 2;
  return readAndWritten * bytes / device.bytesPerUs <= mostOfTime * time;
}

} // namespace nereid::schedule
