// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop of the host program: like a function of the graph it takes row-major tensors and makes new
// ones. Its launches are those of its body, which is inlined.
#include "schedule/host/HostBuilder.h"
#include "schedule/host/HostLoops.h"
#include "schedule/kernel/KernelScope.h"
#include "schedule/program/ProgramBuilder.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace nereid::schedule {

LogicalResult ProgramBuilder::visitHostLoop(graph::LoopOp op, const HostLoop &loop) {
  llvm::SmallVector<Access, 2> operands;
  // The first states lie where later ones will: in memory of their own.
  for (auto [init, result] : llvm::zip(op.getInits(), op.getResults())) {
    ++unit;
    Value *copy = copyOf(init, op.getLoc(), nameOf(result.getLoc(), "state"));
    operands.push_back({copy, identity(copy->shape.size()), {}});
  }
  func::FuncOp body = loop.body;
  for (auto [place, source] : llvm::enumerate(loop.sources)) {
    Access view = viewOf(source);
    bool isNumber = view.from->kind == ValueKind::Size || view.from->kind == ValueKind::Scalar;
    // The first argument is the turn.
    if (body)
      isNumber =
          !isa<host::TensorType>(body.getArgument(1 + op.getInits().size() + place).getType());
    operands.push_back(isNumber ? view : rowMajorOperand(source, op.getLoc()));
  }
  ++unit;
  for (auto [number, result] : llvm::enumerate(op.getResults())) {
    Value *value = create(ValueKind::Call, op, result);
    if (!value->isNamed)
      value->name = number < op.getInits().size() ? "state" : "out";
    value->dim = number;
    value->inputs = operands;
    define(result, value);
  }
  return success();
}

/// What the body's arguments are where it is inlined: see HostLoop.
static IRMapping bindBody(func::FuncOp body, ValueRange states, ValueRange sources, ValueRange next,
                          ValueRange stacks, mlir::Value turn) {
  IRMapping copies;
  auto arguments = body.getArguments();
  copies.map(arguments.front(), turn);
  arguments = arguments.drop_front();
  for (ValueRange values : {states, sources, next, stacks}) {
    copies.map(arguments.take_front(values.size()), values);
    arguments = arguments.drop_front(values.size());
  }
  return copies;
}

static bool dependsOn(Operation *op, Expr symbol) {
  auto contains = [&](Type type) {
    auto tensor = dyn_cast<host::TensorType>(type);
    return tensor && llvm::any_of(tensor.getSizes(),
                                  [&](Expr size) { return index::contains(size, symbol); });
  };
  bool depends = llvm::any_of(op->getResultTypes(), contains);
  if (auto check = dyn_cast<host::CheckOp>(op))
    index::forEachSymbol(check.getPred().getPred(), [&](Expr each) { depends |= each == symbol; });
  return depends;
}

/// Takes memory and makes checks before the loop, each check once.
void HostBuilder::hoist(host::ForOp loop) {
  loop.walk([&](Operation *op) {
    bool isEmpty = isa<host::EmptyOp>(op) && op->getNumOperands() == 0;
    if ((!isEmpty && !isa<host::CheckOp>(op)) || dependsOn(op, loop.getExpr()))
      return;
    auto check = dyn_cast<host::CheckOp>(op);
    bool isMade =
        check && llvm::any_of(func.front().getOps<host::CheckOp>(), [&](host::CheckOp made) {
          return made.getPred() == check.getPred();
        });
    if (isMade ||
        (check && !checked.insert(program.sizeForms.inward(check.getPred().getPred())).second))
      op->erase();
    else
      op->moveBefore(loop);
  });
}

LogicalResult HostBuilder::launchLoop(graph::LoopOp op, const Value &value) {
  const HostLoop &info = program.hostLoops.find(op)->second;
  Location loc = plainLoc(value.loc);
  size_t carried = op.getInits().size();
  llvm::SmallVector<mlir::Value> inits, sources;
  for (auto [number, access] : llvm::enumerate(value.inputs)) {
    mlir::Value outer = number < carried ? op.getInits()[number] : info.sources[number - carried];
    (number < carried ? inits : sources).push_back(applyOperand(access, inwardSizes(outer), loc));
  }
  llvm::SmallVector<const Value *> results = resultsOf(value);
  llvm::SmallVector<Type> types = rowMajorTypes(results);
  llvm::SmallVector<mlir::Value> memory;
  for (auto [result, type] : llvm::zip_equal(results, types)) {
    std::string name = result->name + (memory.size() < carried ? "_next" : "");
    memory.push_back(host::EmptyOp::create(builder, nameLoc(name, value.loc), type, ValueRange{}));
  }
  auto next = ValueRange(memory).take_front(carried),
       stacks = ValueRange(memory).drop_front(carried);
  llvm::append_range(inits, next);
  auto loop = host::ForOp::create(
      builder, loc, ValueRange(inits).getTypes(), builder.getStringAttr(info.turn.getName()),
      hostExpr(program.sizeForms.inward(op.getCount().getExpr())), inits);
  Block &body = loop.getBody().emplaceBlock();
  for (mlir::Value init : inits)
    body.addArgument(init.getType(), init.getLoc());
  OpBuilder inside = OpBuilder::atBlockEnd(&body);
  auto turn = host::SizeOp::create(inside, loc, inside.getI64Type(),
                                   sym::ExprAttr::get(inside.getContext(), info.turn));
  ValueRange now = body.getArguments().take_front(carried),
             free = body.getArguments().drop_front(carried);
  IRMapping copies = bindBody(func::FuncOp(info.body), now, sources, free, stacks, turn);
  for (Operation &inner : func::FuncOp(info.body).front().without_terminator())
    inside.clone(inner, copies);
  llvm::SmallVector<mlir::Value> yielded(free.begin(), free.end());
  llvm::append_range(yielded, now);
  host::YieldOp::create(inside, loc, yielded);
  hoist(loop);
  llvm::SmallVector<mlir::Value> made(loop.getResults().take_front(carried));
  llvm::append_range(made, stacks);
  bindResults(results, made);
  return success();
}

} // namespace nereid::schedule
