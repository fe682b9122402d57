// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/rewrites/FunctionOrders.h"

#include "graph/GraphOps.h"
#include "schedule/rewrites/ProgramOrders.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace nereid::schedule {

namespace {

class OrderSettler {
public:
  OrderSettler(ModuleOp module, const Policy &policy) : module(module), policy(policy) {}

  OwningOpRef<ModuleOp> run();

private:
  void read(func::FuncOp func);
  void findTwins();
  void addVotes(ProgramOrders &orders);
  void chooseResults();
  bool isGivenAlong(mlir::Value operand, unsigned axis) const;
  bool leaveCopied();
  /// The function that stands for it and its twin.
  func::FuncOp savingOf(func::FuncOp func) const {
    auto known = savings.find(func);
    return known == savings.end() ? func : known->second;
  }

  ModuleOp module;
  const Policy &policy;
  AxesByFunction axes;
  llvm::DenseMap<func::FuncOp, std::unique_ptr<ProgramOrders>> orders;
  /// A function and the one that saves besides take and return the same, so that they may be one
  /// (SharedForward.h).
  llvm::DenseMap<func::FuncOp, func::FuncOp> savings;
  /// By function and result: how many uses want each axis last, and how many the last one.
  std::map<std::pair<Operation *, unsigned>, std::map<unsigned, int>> votes;
};

/// All axes but one, and that one behind them.
llvm::SmallVector<int64_t, 4> movedLast(unsigned rank, unsigned axis) {
  llvm::SmallVector<int64_t, 4> order = llvm::to_vector<4>(llvm::seq<int64_t>(0, rank));
  std::rotate(order.begin() + axis, order.begin() + axis + 1, order.end());
  return order;
}

graph::TensorType movedType(Type type, unsigned axis) {
  auto tensor = cast<graph::TensorType>(type);
  llvm::SmallVector<Expr, 4> sizes;
  for (int64_t dim : movedLast(tensor.getRank(), axis))
    sizes.push_back(tensor.getSizes()[dim]);
  return tensor.withSizes(sizes);
}

mlir::Value moveLast(OpBuilder &builder, mlir::Value value, unsigned axis) {
  graph::TensorType type = movedType(value.getType(), axis);
  return graph::TransposeOp::create(builder, value.getLoc(), type, value,
                                    movedLast(type.getRank(), axis));
}

/// The way back.
mlir::Value moveBack(OpBuilder &builder, mlir::Value moved, Type type, unsigned axis) {
  unsigned rank = cast<graph::TensorType>(type).getRank();
  llvm::SmallVector<int64_t, 4> order(rank);
  for (auto [place, dim] : llvm::enumerate(movedLast(rank, axis)))
    order[dim] = place;
  return graph::TransposeOp::create(builder, moved.getLoc(), type, moved, order);
}

/// Gives a function other types, and its body what it had.
void changeFunction(func::FuncOp func, const FunctionAxes &axes) {
  OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
  llvm::SmallVector<Type> results(func.getResultTypes());
  for (auto [number, axis] : llvm::enumerate(axes.arguments)) {
    if (!axis)
      continue;
    BlockArgument argument = func.getArgument(number);
    Type type = argument.getType();
    argument.setType(movedType(type, *axis));
    mlir::Value back = moveBack(builder, argument, type, *axis);
    argument.replaceAllUsesExcept(back, back.getDefiningOp());
  }
  auto end = cast<func::ReturnOp>(func.getBody().front().getTerminator());
  builder.setInsertionPoint(end);
  for (auto [number, axis] : llvm::enumerate(axes.results))
    if (axis) {
      end.setOperand(number, moveLast(builder, end.getOperand(number), *axis));
      results[number] = end.getOperand(number).getType();
    }
  func.setType(FunctionType::get(func.getContext(), func.getBody().getArgumentTypes(), results));
}

void changeUse(graph::ApplyOp apply, const FunctionAxes &axes) {
  OpBuilder builder(apply);
  llvm::SmallVector<mlir::Value> operands(apply.getOperands());
  llvm::SmallVector<Type> types(apply.getResultTypes());
  for (auto [number, axis] : llvm::enumerate(axes.arguments))
    if (axis)
      operands[number] = moveLast(builder, operands[number], *axis);
  for (auto [number, axis] : llvm::enumerate(axes.results))
    if (axis)
      types[number] = movedType(types[number], *axis);
  auto changed =
      graph::ApplyOp::create(builder, apply.getLoc(), types, apply.getCalleeAttr(), operands);
  changed->setDiscardableAttrs(apply->getDiscardableAttrDictionary());
  for (auto [number, result] : llvm::enumerate(apply.getResults())) {
    mlir::Value made = changed.getResult(number);
    if (axes.results[number])
      made = moveBack(builder, made, result.getType(), *axes.results[number]);
    result.replaceAllUsesWith(made);
  }
  apply.erase();
}

} // namespace

/// Functions before those that apply them.
void OrderSettler::read(func::FuncOp func) {
  if (orders.contains(func))
    return;
  orders[func] = nullptr;
  func.walk([&](graph::ApplyOp apply) { read(apply.getFunction()); });
  auto own = std::make_unique<ProgramOrders>(func, policy, axes);
  FunctionAxes &known = axes[func];
  known.arguments.resize(func.getNumArguments());
  known.results.resize(func.getNumResults());
  if (own->isRead() && func->hasAttr("graph.function"))
    known.arguments = own->wishesOfArguments();
  orders[func] = std::move(own);
}

/// What only one of two twins wants is wanted by neither.
void OrderSettler::findTwins() {
  for (auto &[func, own] : orders) {
    auto name = func::FuncOp(func)->getAttrOfType<FlatSymbolRefAttr>("graph.saving");
    auto saving = name ? module.lookupSymbol<func::FuncOp>(name.getValue()) : func::FuncOp();
    if (saving && orders.contains(saving))
      savings[func] = saving;
  }
  for (auto [func, saving] : savings)
    for (auto [plain, other] : llvm::zip(axes[func].arguments, axes[saving].arguments))
      if (plain != other)
        plain = other = std::nullopt;
}

/// What a program returns, or gives to what takes it row-major, is well as it is.
void OrderSettler::addVotes(ProgramOrders &own) {
  llvm::DenseSet<const Value *> results;
  for (const Result &result : own.program.results)
    results.insert(result.value);
  for (const Value &value : own.program.values) {
    auto apply = dyn_cast_or_null<graph::ApplyOp>(value.op);
    if (!apply || value.shape.size() < leastRank)
      continue;
    std::map<unsigned, int> &ofResult = votes[{savingOf(apply.getFunction()), value.dim}];
    if (std::optional<unsigned> axis = own.wishOf(value))
      ++ofResult[*axis];
    if (results.contains(&value))
      ofResult[value.shape.size() - 1] += 2;
  }
}

void OrderSettler::chooseResults() {
  votes.clear();
  for (auto &[func, own] : orders) {
    own->forget();
    axes[func].results.assign(func.getNumResults(), std::nullopt);
  }
  for (auto &[func, own] : orders)
    if (own->isRead())
      addVotes(*own);
  auto mayReturn = [&](func::FuncOp func, unsigned number, unsigned axis) {
    ProgramOrders &own = *orders.find(func)->second;
    // Views and what is assigned have places of their own among the results.
    return own.isRead() && own.program.results.size() == func.getNumResults() &&
           own.isFree(*own.program.results[number].value, axis);
  };
  for (auto &[place, ofAxes] : votes) {
    if (ofAxes.empty())
      continue;
    auto [op, number] = place;
    auto func = cast<func::FuncOp>(op);
    auto most =
        llvm::max_element(ofAxes, [](const auto &a, const auto &b) { return a.second < b.second; });
    unsigned axis = most->first;
    unsigned rank = cast<graph::TensorType>(func.getResultTypes()[number]).getRank();
    auto last = ofAxes.find(rank - 1);
    if (axis == rank - 1 || (last != ofAxes.end() && most->second <= last->second))
      continue;
    llvm::SmallVector<func::FuncOp, 2> twins = {func};
    for (auto [plain, saving] : savings)
      if (saving == func && number < func::FuncOp(plain).getNumResults())
        twins.push_back(plain);
    if (llvm::all_of(twins, [&](func::FuncOp twin) { return mayReturn(twin, number, axis); }))
      for (func::FuncOp twin : twins)
        axes[twin].results[number] = axis;
  }
}

/// Whether what a function is given lies so already, or is made so at no cost.
bool OrderSettler::isGivenAlong(mlir::Value operand, unsigned axis) const {
  auto isMoved = [&](Operation *func, bool isResult, unsigned number) {
    auto known = axes.find(cast<func::FuncOp>(func));
    return known != axes.end() &&
           (isResult ? known->second.results : known->second.arguments)[number] == axis;
  };
  if (auto argument = dyn_cast<BlockArgument>(operand))
    return isMoved(argument.getOwner()->getParentOp(), false, argument.getArgNumber());
  auto apply = operand.getDefiningOp<graph::ApplyOp>();
  return !apply || isMoved(apply.getFunction(), true, cast<OpResult>(operand).getResultNumber());
}

/// Leaves arguments as they are that most uses would have to copy: weights, say, which are brought
/// into order where they are rounded. Whether there were any.
bool OrderSettler::leaveCopied() {
  llvm::DenseMap<std::pair<Operation *, unsigned>, int> gains;
  for (auto &[func, own] : orders)
    func.walk([&](graph::ApplyOp apply) {
      const FunctionAxes &taken = axes[apply.getFunction()];
      for (auto [number, operand] : llvm::enumerate(apply.getOperands()))
        if (std::optional<unsigned> axis = taken.arguments[number])
          gains[{savingOf(apply.getFunction()), number}] += isGivenAlong(operand, *axis) ? 1 : -1;
    });
  bool isAny = false;
  for (auto &[func, own] : axes)
    for (auto [number, axis] : llvm::enumerate(own.arguments)) {
      auto gain = gains.find({savingOf(cast<func::FuncOp>(func)), number});
      if (!axis || gain == gains.end() || gain->second > 0)
        continue;
      axis = std::nullopt;
      isAny = true;
    }
  return isAny;
}

OwningOpRef<ModuleOp> OrderSettler::run() {
  llvm::SmallVector<func::FuncOp> programs;
  for (func::FuncOp func : module.getOps<func::FuncOp>())
    if (func->hasAttr("graph.program"))
      programs.push_back(func);
  if (llvm::none_of(programs, [](func::FuncOp func) { return func->hasAttr("graph.function"); }))
    return nullptr;
  for (func::FuncOp func : programs)
    read(func);
  findTwins();
  // What functions return depends on what they take, and the other way round.
  do
    chooseResults();
  while (leaveCopied());
  llvm::StringMap<FunctionAxes> moved;
  for (auto &[func, own] : axes)
    if (own.isAny())
      moved[func.getName()] = own;
  if (moved.empty())
    return nullptr;
  OwningOpRef<ModuleOp> changed = module.clone();
  llvm::SmallVector<graph::ApplyOp> uses;
  changed->walk([&](graph::ApplyOp apply) {
    if (moved.contains(apply.getCallee()))
      uses.push_back(apply);
  });
  for (graph::ApplyOp apply : uses)
    changeUse(apply, moved[apply.getCallee()]);
  for (auto &[name, own] : moved)
    changeFunction(changed->lookupSymbol<func::FuncOp>(name), own);
  return changed;
}

OwningOpRef<ModuleOp> settleFunctionOrders(ModuleOp module, const Policy &policy) {
  if (policy.isChosen() || !policy.has(MoveKind::AxisOrders))
    return nullptr;
  return OrderSettler(module, policy).run();
}

} // namespace nereid::schedule
