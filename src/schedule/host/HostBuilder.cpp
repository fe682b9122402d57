// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/host/HostBuilder.h"

#include "schedule/kernel/KernelScope.h"
#include "schedule/program/ResultLayout.h"
#include "sym/SymDialect.h"

using namespace mlir;

namespace nereid::schedule {

HostBuilder::HostBuilder(const Program &program, const Partition &partition, ModuleOp module)
    : program(program), partition(partition), stored(partition.stored), module(module),
      builder(module.getContext()), context(*program.context),
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
    outer.push_back(program.sizeForms.outward(size));
  // Row-major stays so to the letter.
  if (strides == llvm::ArrayRef<Expr>(rowMajor(sizes)))
    own = rowMajor(outer);
  else
    for (Expr stride : strides)
      own.push_back(program.sizeForms.outward(stride));
  return host::TensorType::get(module.getContext(), outer, element, own);
}

sym::ExprAttr HostBuilder::hostExpr(Expr expr) {
  return sym::ExprAttr::get(module.getContext(), program.sizeForms.outward(expr));
}

sym::PredAttr HostBuilder::hostPred(Pred pred) {
  return sym::PredAttr::get(module.getContext(), program.sizeForms.outward(pred));
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
    if (isFunction())
      own = rowMajor(value->shape);
    for (unsigned dim = own.size(); dim < value->shape.size(); ++dim)
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
    for (llvm::StringRef name :
         {"graph.parameter", "graph.complex", "graph.default", "graph.below", "graph.seed",
          "graph.undrawn", "graph.cotangent", "graph.saved", "graph.shape_only",
          "graph.no_gradient", "graph.written", "graph.written_before"})
      if (Attribute attr = program.func.getArgAttr(number, name))
        func.setArgAttr(number, ("host" + name.drop_front(5)).str(), attr);
    if (auto type = dyn_cast<host::TensorType>(types[number]))
      bindSymbols(*value, number, type);
  }
  func->setAttr(host::programAttrName, builder.getUnitAttr());
  if (isFunction())
    func->setAttr(host::functionAttrName, builder.getUnitAttr());
  func->setAttr(host::symbolsAttrName, builder.getArrayAttr(symbols));
  for (llvm::StringRef name :
       {"graph.result", "graph.stores", "graph.lists", "graph.signature", "graph.known",
        "graph.modules", "graph.shared", "graph.numbers", "graph.constants", "graph.hints",
        "graph.typical", "graph.backward", "graph.saved", "graph.saving", "graph.gradient_of",
        "graph.gradients"})
    if (Attribute attr = program.func->getAttr(name))
      func->setAttr(("host" + name.drop_front(5)).str(), attr);
  for (auto &[pred, message] : program.checks)
    host::CheckOp::create(builder, func.getLoc(), sym::PredAttr::get(mlir, pred),
                          builder.getStringAttr(message));
  for (auto [number, value] : llvm::enumerate(program.arguments)) {
    checkRowMajor(*value, dyn_cast<host::TensorType>(types[number]));
    makeRowMajor(*value);
  }
}

/// What a program of ours has saved is row-major, and stays so: its kernels take no strides of it.
void HostBuilder::makeRowMajor(const Value &value) {
  auto func = func::FuncOp(program.func);
  if (value.shape.empty() || isShapeOnly(value) || !func.getArgAttr(value.argument, "graph.dense"))
    return;
  argumentStrides[&value] = rowMajor(value.shape);
  auto type = hostType(value.shape, value.elementType, argumentStrides[&value]);
  mlir::Value &tensor = tensors[&value];
  tensor = host::ContiguousOp::create(builder, nameLoc(value.name, value.loc), type, tensor);
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
  bool isAsked = operation.getValue() == "is_contiguous()" || operation.getValue() == "stride()";
  std::string message =
      value.name + ": expected a contiguous tensor, as " +
      (isAsked
           ? "the program asks for its " + operation.str() + ", and others take another way"
           : "PyTorch's " + operation.str() + " copies others and a write tells the difference");
  host::CheckOp::create(builder, func.getLoc(), hostPred(index::allOf(context, fits)),
                        builder.getStringAttr(message));
}

/// Whether only the sizes of an argument are read.
bool HostBuilder::isShapeOnly(const Value &value) const {
  auto func = func::FuncOp(program.func);
  return bool(func.getArgAttr(value.argument, "graph.shape_only"));
}

bool HostBuilder::isFunction() const { return program.func->hasAttr("graph.function"); }

bool HostBuilder::isReturned(const Value &value) const {
  return llvm::any_of(program.results, [&](const Result &result) {
    return result.value == &value && !isSavedAlone(result);
  });
}

/// Whether a result is for the gradient: nobody else sees it, and it is not made where it is not
/// asked for.
bool HostBuilder::isSavedAlone(const Result &result) const {
  unsigned place = 0;
  for (const Result &other : program.results) {
    while (llvm::is_contained(llvm::map_range(program.views, [](auto &view) { return view.place; }),
                              place))
      ++place;
    if (&other == &result)
      break;
    place += other.assignedArgument < 0;
  }
  return result.assignedArgument < 0 &&
         func::FuncOp(program.func).getResultAttr(place, "graph.saved");
}

/// The inputs that kernels of ours read; calls of PyTorch take them as they are.
llvm::DenseSet<const Value *>
HostBuilder::findLoaded(llvm::ArrayRef<const Kernel *> kernels) const {
  llvm::DenseSet<const Value *> seen;
  llvm::SmallVector<const Value *> open;
  auto add = [&](const Access &access) {
    if (!stored.contains(access.from) && seen.insert(access.from).second)
      open.push_back(access.from);
  };
  for (const Kernel *kernel : kernels)
    for (const KernelOutput &output : kernel->outputs)
      if (!kernel->isCall())
        forEachAccess(*output.value, add);
  while (!open.empty())
    forEachAccess(*open.pop_back_val(), add);
  return seen;
}

/// The arguments as row-major tensors.
void HostBuilder::bindRowMajor(Arguments arguments) {
  for (const Value *value : program.arguments) {
    bool isCopied = arguments == Arguments::MadeRowMajor;
    if (value->kind != ValueKind::Input || isShapeOnly(*value) ||
        (isCopied && !rowMajorGains.contains(value)))
      continue;
    strides[value] = rowMajor(value->shape);
    if (value->shape.empty())
      continue;
    Location loc = nameLoc(value->name, value->loc);
    auto type = hostType(value->shape, value->elementType, strides[value]);
    mlir::Value &tensor = tensors[value];
    if (isCopied)
      tensor = host::ContiguousOp::create(builder, loc, type, tensor);
    else
      tensor = host::AsContiguousOp::create(builder, loc, type, tensor);
  }
}

FailureOr<llvm::SmallVector<mlir::Value>> HostBuilder::buildArm(Arguments arguments) {
  strides = argumentStrides;
  auto outer = tensors;
  if (arguments != Arguments::AsGiven)
    bindRowMajor(arguments);
  for (auto [number, kernel] : llvm::enumerate(partition.kernels))
    if (failed(launch(kernel, number, arguments)))
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

/// What both arms begin with stands once, before the choice: the memory that their first kernels
/// take, and what sizes have to be.
static void moveSharedBeginning(llvm::ArrayRef<Block *> arms, OpBuilder &before) {
  auto beginningOf = [](Block &arm) {
    llvm::SmallVector<Operation *> beginning;
    for (Operation &op : arm) {
      if (!isa<host::EmptyOp, host::CheckOp, host::AsContiguousOp, host::SizeOp>(op))
        break;
      if (isa<host::EmptyOp, host::CheckOp>(op))
        beginning.push_back(&op);
    }
    return beginning;
  };
  llvm::SmallVector<Operation *> others = beginningOf(*arms[1]);
  for (Operation *op : beginningOf(*arms[0])) {
    auto *same = llvm::find_if(others, [&](Operation *other) {
      return OperationEquivalence::isEquivalentTo(op, other, OperationEquivalence::IgnoreLocations);
    });
    if (same == others.end())
      continue;
    op->remove();
    before.insert(op);
    (*same)->replaceAllUsesWith(op->getResults());
    (*same)->erase();
    others.erase(same);
  }
}

FailureOr<llvm::SmallVector<mlir::Value>>
HostBuilder::buildArms(llvm::ArrayRef<mlir::Value> inputs) {
  Location loc = func.getLoc();
  auto condition = host::IsContiguousOp::create(builder, loc, builder.getI1Type(), inputs);
  OpBuilder::InsertPoint outside = builder.saveInsertionPoint();
  Block *arms[2] = {new Block, new Block};
  llvm::SmallVector<mlir::Value> yielded[2];
  for (int arm = 0; arm < 2; ++arm) {
    auto checkedBefore = checked;
    // Built in a block that the `if` adopts once the types of the results are known.
    builder.setInsertionPointToEnd(arms[arm]);
    auto values = buildArm(arm == 0 ? Arguments::AskedRowMajor : Arguments::AsGiven);
    if (failed(values))
      return failure();
    yielded[arm] = *values;
    checked = checkedBefore;
  }
  llvm::SmallVector<Operation *, 2> yields;
  for (int arm = 0; arm < 2; ++arm) {
    builder.setInsertionPointToEnd(arms[arm]);
    yields.push_back(host::YieldOp::create(builder, loc, yielded[arm]));
  }
  builder.restoreInsertionPoint(outside);
  moveSharedBeginning(arms, builder);
  llvm::SmallVector<mlir::Value> results(yields[0]->getOperands());
  llvm::BitVector isShared(results.size());
  for (auto [place, other] : llvm::enumerate(yields[1]->getOperands()))
    isShared[place] = results[place] == other;
  for (Operation *yield : yields)
    yield->eraseOperands(isShared);
  auto choice = host::IfOp::create(builder, loc, yields[1]->getOperandTypes(), condition);
  choice.getThen().push_back(arms[0]);
  choice.getOtherwise().push_back(arms[1]);
  auto chosen = choice.getResults().begin();
  for (auto [place, result] : llvm::enumerate(results))
    if (!isShared[place])
      result = *chosen++;
  return results;
}

FailureOr<func::FuncOp> HostBuilder::build() {
  createFunction();
  Location loc = func.getLoc();
  llvm::SmallVector<mlir::Value> inputs;
  for (const Value *value : program.arguments)
    if (value->kind == ValueKind::Input && !value->shape.empty() && !isShapeOnly(*value) &&
        !isFunction())
      inputs.push_back(tensors.at(value));
  rowMajorGains = inputs.empty() ? llvm::DenseSet<const Value *>() : findRowMajorGains();
  bool wantsRowMajor = !rowMajorGains.empty(), copies = wantsRowMajor && copiesPay();
  auto built = !wantsRowMajor ? buildArm(Arguments::AsGiven)
               : copies       ? buildArm(Arguments::MadeRowMajor)
                              : buildArms(inputs);
  if (failed(built))
    return failure();
  llvm::SmallVector<mlir::Value> results = *built;
  if (copies)
    layOut(results);
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
