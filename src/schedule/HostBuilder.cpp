// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/HostBuilder.h"

#include "schedule/KernelDoc.h"
#include "schedule/KernelScope.h"
#include "schedule/ResultLayout.h"
#include "schedule/ScatterLowering.h"
#include "schedule/SpanKernel.h"
#include "sym/SymDialect.h"

using namespace mlir;

namespace nereid::schedule {

/// A row that a loop reads once need not be held whole up to `residentLimit`: then so many programs
/// share a multiprocessor that some compute while others wait. On an H200 the folds of a cross
/// entropy over 32000 halves take 337 us so, and 510 us otherwise.
static constexpr int64_t singlePassLimit = 16384;

HostBuilder::HostBuilder(const Program &program, const Partition &partition, int stage,
                         ModuleOp module)
    : program(program), partition(partition), stored(partition.stored), stage(stage),
      module(module), builder(module.getContext()), context(*program.context),
      readBeside(storeInPlace(program, partition)) {}

llvm::SmallVector<Expr, 4> HostBuilder::rowMajor(llvm::ArrayRef<Expr> sizes) {
  auto result = host::getRowMajorStrides(sizes, context);
  return {result.begin(), result.end()};
}

/// The type over the program's own sizes.
host::TensorType HostBuilder::hostType(llvm::ArrayRef<Expr> sizes, Type element,
                                       llvm::ArrayRef<Expr> strides) {
  llvm::SmallVector<Expr, 4> outer, own;
  for (Expr size : sizes)
    outer.push_back(program.divided.outward(size));
  // Row-major stays so to the letter.
  if (strides == llvm::ArrayRef<Expr>(rowMajor(sizes)))
    own = rowMajor(outer);
  else
    for (Expr stride : strides)
      own.push_back(program.divided.outward(stride));
  return host::TensorType::get(module.getContext(), outer, element, own);
}

sym::ExprAttr HostBuilder::hostExpr(Expr expr) {
  return sym::ExprAttr::get(module.getContext(), program.divided.outward(expr));
}

sym::PredAttr HostBuilder::hostPred(Pred pred) {
  return sym::PredAttr::get(module.getContext(), program.divided.outward(pred));
}

void HostBuilder::bindSymbols(const Value &value, unsigned argument, host::TensorType type) {
  auto bind = [&](Expr symbol, host::SymbolKind kind, unsigned dim) {
    if (!symbol.isSymbol() || !bound.insert(symbol).second)
      return;
    symbols.push_back(host::SymbolAttr::get(
        module.getContext(), builder.getStringAttr(symbol.getName()), kind, argument, dim));
  };
  for (auto [dim, size] : llvm::enumerate(type.getSizes()))
    bind(size, host::SymbolKind::Size, dim);
  for (auto [dim, stride] : llvm::enumerate(type.getStrides()))
    bind(stride, host::SymbolKind::Stride, dim);
}

void HostBuilder::createFunction() {
  MLIRContext *mlir = module.getContext();
  llvm::SmallVector<Type> types;
  for (const Value *value : program.arguments) {
    if (value->kind == ValueKind::Scalar) {
      bool isFloat = isa<FloatType>(value->elementType), isBool = value->elementType.isInteger(1);
      types.push_back(isFloat  ? Type(builder.getF64Type())
                      : isBool ? Type(builder.getI1Type())
                               : builder.getI64Type());
      continue;
    }
    llvm::SmallVector<Expr, 4> &own = argumentStrides[value];
    for (unsigned dim = 0; dim < value->shape.size(); ++dim)
      own.push_back(context.symbol("stride_" + value->name + "_" + std::to_string(dim)));
    types.push_back(hostType(value->shape, value->elementType, own));
  }
  builder.setInsertionPointToEnd(module.getBody());
  func = func::FuncOp::create(builder, program.func.getLoc(), program.func.getName(),
                              builder.getFunctionType(types, {}));
  Block *entry = func.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  for (auto [number, value] : llvm::enumerate(program.arguments)) {
    tensors[value] = entry->getArgument(number);
    func.setArgAttr(number, host::nameAttrName, builder.getStringAttr(value->name));
    for (llvm::StringRef name : {"graph.parameter", "graph.default", "graph.below", "graph.seed",
                                 "graph.cotangent", "graph.saved", "graph.shape_only",
                                 "graph.no_gradient", "graph.written", "graph.written_before"})
      if (Attribute attr = program.func.getArgAttr(number, name))
        func.setArgAttr(number, ("host" + name.drop_front(5)).str(), attr);
    if (auto type = dyn_cast<host::TensorType>(types[number]))
      bindSymbols(*value, number, type);
  }
  func->setAttr(host::programAttrName, builder.getUnitAttr());
  func->setAttr(host::symbolsAttrName, builder.getArrayAttr(symbols));
  for (llvm::StringRef name : {"graph.result", "graph.stores", "graph.lists", "graph.signature",
                               "graph.known", "graph.hints", "graph.backward", "graph.saved",
                               "graph.saving", "graph.gradient_of", "graph.gradients"})
    if (Attribute attr = program.func->getAttr(name))
      func->setAttr(("host" + name.drop_front(5)).str(), attr);
  for (auto &[pred, message] : program.checks)
    host::CheckOp::create(builder, func.getLoc(), sym::PredAttr::get(mlir, pred),
                          builder.getStringAttr(message));
  for (auto [number, value] : llvm::enumerate(program.arguments))
    checkRowMajor(*value, dyn_cast<host::TensorType>(types[number]));
}

/// Where PyTorch shares the memory of row-major arguments alone, and the program tells.
void HostBuilder::checkRowMajor(const Value &value, host::TensorType type) {
  auto func = func::FuncOp(program.func);
  auto operation = func.getArgAttrOfType<StringAttr>(value.argument, "graph.row_major");
  if (!operation)
    return;
  Expr stride = context.constant(1);
  llvm::SmallVector<Pred> fits;
  for (size_t axis = type.getSizes().size(); axis-- > 0; stride = stride * type.getSizes()[axis])
    fits.push_back(index::eq(type.getSizes()[axis], 1) |
                   index::eq(type.getStrides()[axis], stride));
  std::string message = value.name + ": expected a contiguous tensor, as PyTorch's " +
                        operation.str() + " copies others and a write tells the difference";
  host::CheckOp::create(builder, func.getLoc(), hostPred(index::allOf(context, fits)),
                        builder.getStringAttr(message));
}

/// Whether only the sizes of an argument are read.
bool HostBuilder::isShapeOnly(const Value &value) const {
  auto func = func::FuncOp(program.func);
  return bool(func.getArgAttr(value.argument, "graph.shape_only"));
}

/// The output that a kernel is called after: the last one, of those that no further kernel adds up.
static const Value &getNamesake(const Kernel &kernel) {
  for (const KernelOutput &output : llvm::reverse(kernel.outputs))
    if (!output.isCarried)
      return *output.value;
  return *kernel.outputs.back().value;
}

std::string HostBuilder::kernelName(const Kernel &kernel, llvm::StringRef suffix) {
  std::string base = program.func.getName().str();
  // A launch stands in one line: of long names the program's is what tells more.
  constexpr size_t longest = 60;
  if (partition.kernels.size() > 1) {
    std::string named = base + "_" + getNamesake(kernel).name;
    if (named.size() + suffix.size() + sizeof("_kernel") <= longest)
      base = std::move(named);
  }
  std::string name = base + "_" + suffix.str() + "kernel";
  for (unsigned number = 2; !kernelNames.insert(name).second || module.lookupSymbol(name); ++number)
    name = base + std::to_string(number) + "_" + suffix.str() + "kernel";
  return name;
}

bool HostBuilder::isReturned(const Value &value) const {
  return llvm::any_of(program.results,
                      [&](const Result &result) { return result.value == &value; });
}

/// The tensors that decide a result's strides, as views along its axes.
llvm::SmallVector<mlir::Value> HostBuilder::likeOperands(const Value &value) {
  MLIRContext *mlir = module.getContext();
  llvm::SmallVector<mlir::Value> operands;
  for (const LayoutOperand &operand : findLayoutOperands(program, value)) {
    mlir::Value tensor = tensors.at(operand.input);
    if (operand.isBroadcast(value, program)) {
      operands.push_back(tensor);
      continue;
    }
    auto along = stridesAlong(operand, value, strides.find(operand.input)->second, program);
    // What is no strided view is a row-major copy, and decides the rest.
    if (!along)
      break;
    auto type = hostType(value.shape, operand.input->elementType, *along);
    operands.push_back(host::ViewOp::create(builder, plainLoc(value.loc), type, tensor,
                                            sym::ExprAttr::get(mlir, context.constant(0))));
  }
  return operands;
}

/// The strides of a result where all inputs are row-major.
llvm::SmallVector<Expr, 4> HostBuilder::denseStrides(const Value &value) {
  for (const LayoutOperand &operand : findLayoutOperands(program, value)) {
    if (auto order = operand.permutation(value, program)) {
      llvm::SmallVector<Expr, 4> own, input = rowMajor(operand.input->shape);
      for (unsigned axis : *order)
        own.push_back(input[axis]);
      return own;
    }
    if (!operand.isBroadcast(value, program))
      break;
  }
  return rowMajor(value.shape);
}

llvm::SmallVector<Expr, 4> HostBuilder::freshStrides(const Value &value) {
  llvm::SmallVector<Expr, 4> own;
  for (unsigned dim = 0; dim < value.shape.size(); ++dim) {
    std::string name = "stride_" + value.name + "_" + std::to_string(dim);
    for (unsigned number = 2; bound.contains(context.symbol(name)); ++number)
      name = "stride_" + value.name + std::to_string(number) + "_" + std::to_string(dim);
    own.push_back(context.symbol(name));
    bound.insert(own.back());
  }
  return own;
}

/// An argument, or the part of it that a value is assigned to.
mlir::Value HostBuilder::partOf(const Value &argument, mlir::Value tensor,
                                llvm::ArrayRef<Expr> argumentStrides, const Value &value,
                                llvm::ArrayRef<Expr> starts) {
  if (starts.empty())
    return tensor;
  Expr offset = context.constant(0);
  for (auto [start, stride] : llvm::zip_equal(starts, argumentStrides))
    offset = offset + start * stride;
  auto type = hostType(value.shape, value.elementType, argumentStrides);
  auto view = host::ViewOp::create(builder, nameLoc(argument.name + "_part", value.loc), type,
                                   tensor, hostExpr(offset));
  llvm::SmallVector<Attribute> parts;
  for (Expr start : starts)
    parts.push_back(hostExpr(start));
  view->setAttr(host::startsAttrName, builder.getArrayAttr(parts));
  return view;
}

void HostBuilder::allocate(const Value &value, bool contiguous) {
  if (value.memory) {
    llvm::SmallVector<Expr, 4> own = strides.at(value.memory);
    mlir::Value memory =
        partOf(*value.memory, tensors.at(value.memory), own, value, value.memoryStarts);
    tensors[&value] = memory;
    strides[&value] = own;
    return;
  }
  llvm::SmallVector<Expr, 4> own = rowMajor(value.shape);
  llvm::SmallVector<mlir::Value> like;
  if (isReturned(value) && contiguous)
    own = denseStrides(value);
  else if (isReturned(value))
    like = likeOperands(value);
  if (!like.empty())
    own = freshStrides(value);
  auto type = hostType(value.shape, value.elementType, own);
  if (value.kind == ValueKind::Scatter) {
    // Atomics combine with what is there: at first the fold of nothing.
    Location loc = nameLoc(value.name, value.loc);
    TypedAttr none = neutralElement(cast<graph::ScatterOp>(value.op).getKind(), value.elementType);
    auto number = arith::ConstantOp::create(builder, loc, none);
    tensors[&value] = host::FullOp::create(builder, loc, type, number);
    strides[&value] = own;
    return;
  }
  tensors[&value] = host::EmptyOp::create(builder, nameLoc(value.name, value.loc), type, like);
  strides[&value] = own;
}

LogicalResult HostBuilder::launchForm(const Kernel &kernel, const Form &form,
                                      llvm::StringRef name) {
  auto built = KernelBuilder(program, stored, strides, kernel, form, module).build(name);
  if (failed(built))
    return failure();
  functions[launching].push_back(name.str());
  built->func->setAttr("tile.doc", builder.getStringAttr(describeKernel(program, stored, kernel,
                                                                        form, built->refusals)));
  // Kernels stand before the programs that launch them.
  built->func->moveBefore(func);
  MLIRContext *mlir = module.getContext();
  Location loc = func.getLoc();
  for (auto &[pred, message] : built->checks)
    if (!pred.isTrue() && checked.insert(pred).second)
      host::CheckOp::create(builder, loc, hostPred(pred), builder.getStringAttr(message));
  llvm::SmallVector<mlir::Value> arguments;
  for (const KernelParameter &parameter : built->parameters) {
    if (parameter.value)
      arguments.push_back(tensors.at(parameter.value));
    else
      arguments.push_back(
          host::SizeOp::create(builder, loc, builder.getI64Type(), hostExpr(parameter.size)));
  }
  llvm::SmallVector<Attribute> grid;
  for (Expr extent : built->grid)
    grid.push_back(hostExpr(extent));
  llvm::SmallVector<NamedAttribute> meta;
  for (auto &[block, value] : built->meta)
    meta.push_back(builder.getNamedAttr(block, hostExpr(value)));
  host::LaunchOp::create(builder, loc, FlatSymbolRefAttr::get(mlir, name),
                         builder.getArrayAttr(grid), arguments, builder.getDictionaryAttr(meta));
  return success();
}

LogicalResult HostBuilder::launch(const Kernel &planned, unsigned number, bool contiguous) {
  launching = number;
  if (planned.isSort())
    return launchSort(planned);
  if (planned.isCall())
    return launchCall(planned);
  for (const KernelOutput &output : planned.outputs)
    allocate(*output.value, contiguous);
  std::string arm = contiguous ? "contiguous_" : "";
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

/// Rows that are short enough stay in registers whole.
LogicalResult HostBuilder::launchRows(const Kernel &planned, llvm::StringRef arm) {
  if (planned.loop >= 0 && planned.hasRows) {
    Kernel kernel = planned;
    Form form = chooseForm(program, stored, strides, kernel, stage, true);
    for (const Space &space : form.columns) {
      Pred fits = index::le(index::product(context, space.extents), residentLimit);
      if (!fits.isTrue() && checked.insert(fits).second)
        host::CheckOp::create(builder, func.getLoc(), hostPred(fits),
                              builder.getStringAttr("a row is too long for a loop that folds it"));
    }
    return launchForm(kernel, form, kernelName(planned, arm));
  }
  Kernel looped = planned, resident = planned;
  Form loopForm = chooseForm(program, stored, strides, looped, stage, false);
  bool hasWindows =
      llvm::any_of(loopForm.columns, [](const Space &space) { return space.isPart(); });
  if (!looped.hasRows || looped.isTiledMap() || stage < 2 || hasWindows)
    return launchForm(looped, loopForm, kernelName(planned, arm));

  Form residentForm = chooseForm(program, stored, strides, resident, stage, true);
  bool hasScans = !planned.innerScans.empty();
  if (!residentForm.resident && hasScans)
    return launchScansApart(planned, arm);
  if (!residentForm.resident)
    return launchForm(looped, loopForm, kernelName(planned, arm));
  int64_t limit = residentForm.neighbouringRows ? neighbouringLimit : residentLimit;
  if (program.joinsLoops && !program.choose && !residentForm.tiledRows && !hasScans &&
      (residentForm.loopsSooner ||
       KernelBuilder(program, stored, strides, looped, loopForm, module).isSinglePass()))
    limit = singlePassLimit;
  if (program.choose && program.choose(2) == 1)
    limit = int64_t(1) << program.choose(8);
  llvm::SmallVector<Pred> fits;
  for (const Space &space : residentForm.columns)
    fits.push_back(index::le(index::product(context, space.extents), limit));
  Pred isShort = index::allOf(context, fits);
  bool isChoice = !isShort.isTrue() && !isShort.isFalse() && !refuted.contains(isShort);
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

/// Rows that are too long to be held while others read their scans: these are stored before.
LogicalResult HostBuilder::launchScansApart(const Kernel &planned, llvm::StringRef arm) {
  StoredSet before = stored;
  for (const Kernel &part : planScansApart(program, planned, stored)) {
    for (const KernelOutput &output : part.outputs)
      if (!before.contains(output.value))
        allocate(*output.value, false);
    if (failed(launchRows(part, arm)))
      return failure();
  }
  stored = std::move(before);
  return success();
}

/// Rows that are too long to be held while folds are carried over them take kernels apart.
LogicalResult HostBuilder::launchSpans(const Kernel &planned, llvm::StringRef arm) {
  Kernel spans = planned;
  Form form = chooseForm(program, stored, strides, spans, stage, true);
  int64_t limit = spanColumnLimit;
  if (program.choose && program.choose(2) == 1)
    limit = int64_t(1) << program.choose(8);
  llvm::SmallVector<Pred> fits;
  for (const Space &space : form.columns)
    fits.push_back(index::le(index::product(context, space.extents), limit));
  return choose(
      index::allOf(context, fits),
      [&] { return launchForm(spans, form, kernelName(planned, arm)); },
      [&]() -> LogicalResult {
        for (const Kernel &part : planApart(program, planned, stored))
          if (failed(launchRows(part, (arm + "apart_").str())))
            return failure();
        return success();
      });
}

/// Whether kernels get simpler index arithmetic on tiles when all inputs are row-major.
bool HostBuilder::contiguousPays() {
  if (program.choose)
    return program.choose(2) == 1;
  StrideMap general = argumentStrides, dense;
  for (const Value *value : program.arguments)
    if (value->kind == ValueKind::Input)
      dense[value] = rowMajor(value->shape);
  for (const Kernel &kernel : partition.kernels)
    for (const KernelOutput &output : kernel.outputs) {
      const Value *memory = output.value->memory;
      general[output.value] = memory ? argumentStrides.at(memory) : rowMajor(output.value->shape);
      dense[output.value] = memory                      ? rowMajor(memory->shape)
                            : isReturned(*output.value) ? denseStrides(*output.value)
                                                        : rowMajor(output.value->shape);
    }
  for (const Kernel &kernel : partition.kernels) {
    if (kernel.isSort() || kernel.isCall())
      continue;
    Kernel a = kernel, b = kernel;
    Form generalForm = chooseForm(program, stored, general, a, stage, false);
    Form denseForm = chooseForm(program, stored, dense, b, stage, false);
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
    if (!a.hasRows || isInRows)
      continue;
    // Where short rows share programs, rows that are one axis fill them whatever its extents are.
    Form generalRows = chooseForm(program, stored, general, a, stage, true);
    Form denseRows = chooseForm(program, stored, dense, b, stage, true);
    if (denseRows.tiledRows && denseRows.rows.symbols.size() != generalRows.rows.symbols.size())
      return true;
  }
  return false;
}

FailureOr<llvm::SmallVector<mlir::Value>> HostBuilder::buildArm(bool contiguous) {
  strides = argumentStrides;
  auto outer = tensors;
  for (const Value *value : program.arguments) {
    if (!contiguous || value->kind != ValueKind::Input || isShapeOnly(*value))
      continue;
    strides[value] = rowMajor(value->shape);
    if (value->shape.empty())
      continue;
    auto type = hostType(value->shape, value->elementType, strides[value]);
    tensors[value] = host::AsContiguousOp::create(builder, nameLoc(value->name, value->loc), type,
                                                  tensors[value]);
  }
  for (auto [number, kernel] : llvm::enumerate(partition.kernels))
    if (failed(launch(kernel, number, contiguous)))
      return failure();
  llvm::SmallVector<mlir::Value> results;
  llvm::DenseSet<const Value *> returned;
  for (const Result &result : program.results) {
    if (result.value->memory)
      continue;
    mlir::Value tensor = tensors.at(result.value);
    // What is returned twice is two tensors, of one memory: each may have a gradient of its own.
    if (result.assignedArgument < 0 && !returned.insert(result.value).second)
      tensor = host::ViewOp::create(builder, plainLoc(result.value->loc), tensor.getType(), tensor,
                                    hostExpr(context.constant(0)));
    results.push_back(tensor);
  }
  tensors = outer;
  return results;
}

mlir::Value HostBuilder::createView(const ViewedResult &result) {
  const Value *argument = result.access.from;
  auto view =
      asViewOfArgument(result.access, result.shape.size(), argumentStrides.at(argument), program);
  auto type = hostType(result.shape, argument->elementType, view->strides);
  return host::ViewOp::create(builder, result.loc, type, func.getArgument(argument->argument),
                              hostExpr(view->offset));
}

FailureOr<func::FuncOp> HostBuilder::build() {
  createFunction();
  Location loc = func.getLoc();
  llvm::SmallVector<mlir::Value> inputs;
  for (const Value *value : program.arguments)
    if (value->kind == ValueKind::Input && !value->shape.empty() && !isShapeOnly(*value))
      inputs.push_back(tensors.at(value));
  llvm::SmallVector<mlir::Value> results;
  if (!inputs.empty() && contiguousPays()) {
    auto condition = host::IsContiguousOp::create(builder, loc, builder.getI1Type(), inputs);
    llvm::SmallVector<Type> types;
    OpBuilder::InsertPoint outside = builder.saveInsertionPoint();
    Block *arms[2] = {new Block, new Block};
    llvm::SmallVector<mlir::Value> yielded[2];
    for (int arm = 0; arm < 2; ++arm) {
      auto checkedBefore = checked;
      // Built in a block that the `if` adopts once the types of the results are known.
      builder.setInsertionPointToEnd(arms[arm]);
      auto values = buildArm(arm == 0);
      if (failed(values))
        return failure();
      yielded[arm] = *values;
      checked = checkedBefore;
    }
    builder.restoreInsertionPoint(outside);
    for (mlir::Value value : yielded[1])
      types.push_back(value.getType());
    auto choice = host::IfOp::create(builder, loc, types, condition);
    choice.getThen().push_back(arms[0]);
    choice.getOtherwise().push_back(arms[1]);
    for (int arm = 0; arm < 2; ++arm) {
      OpBuilder inner = OpBuilder::atBlockEnd(arms[arm]);
      host::YieldOp::create(inner, loc, yielded[arm]);
    }
    results.assign(choice.getResults().begin(), choice.getResults().end());
  } else {
    auto values = buildArm(false);
    if (failed(values))
      return failure();
    results = *values;
  }
  llvm::SmallVector<mlir::Value> returned;
  auto *next = results.begin();
  for (const Result &result : program.results) {
    if (result.value->memory) {
      func.setArgAttr(result.assignedArgument, host::inPlaceAttrName, builder.getUnitAttr());
      continue;
    }
    mlir::Value value = *next++;
    if (result.assignedArgument >= 0) {
      const Value &argument = *program.arguments[result.assignedArgument];
      mlir::Value target = partOf(argument, func.getArgument(result.assignedArgument),
                                  argumentStrides.at(&argument), *result.value, result.starts);
      host::AssignOp::create(builder, loc, target, value);
    } else {
      returned.push_back(value);
    }
  }
  for (const Value *argument : readBeside)
    func.setArgAttr(argument->argument, host::readBesideAttrName, builder.getUnitAttr());
  for (const ViewedResult &result : program.views)
    returned.insert(returned.begin() + result.place, createView(result));
  func::ReturnOp::create(builder, loc, returned);
  func.setType(builder.getFunctionType(func.getArgumentTypes(), ValueRange(returned).getTypes()));
  // What is assigned stands behind what is returned.
  for (unsigned number = 0; number < returned.size(); ++number)
    for (llvm::StringRef name : {"graph.saved", "graph.constant"})
      if (Attribute attr = func::FuncOp(program.func).getResultAttr(number, name))
        func.setResultAttr(number, ("host" + name.drop_front(5)).str(), attr);
  return func;
}

} // namespace nereid::schedule
