// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flat copy of a program: composites opened, and what its gradients have to go through.
#include "autodiff/JointBuilder.h"

#include "autodiff/CancelledShifts.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace nereid::autodiff {

ValueRange Joint::results() {
  return block().getTerminator()->getOperands().take_front(program.getNumResults());
}

Value Joint::gradient(unsigned place) {
  int operand = gradientOperand[place];
  return operand < 0 ? Value() : block().getTerminator()->getOperand(operand);
}

bool Joint::isForward(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getArgNumber() < const_cast<Joint *>(this)->program.getNumArguments();
  return forwardOps.contains(value.getDefiningOp());
}

void JointBuilder::copyProgram() {
  IRMapping copies;
  joint.function = cast<func::FuncOp>(joint.program->clone(copies));
  for (auto [original, copy] : copies.getValueMap())
    joint.originals[copy] = original;
}

static bool isBuffer(func::FuncOp program, unsigned argument) {
  return !!program.getArgAttr(argument, "graph.buffer");
}

LogicalResult JointBuilder::chooseWanted(const GradientOptions &options) {
  func::FuncOp program = joint.program;
  std::vector<std::string> missing(options.wanted);
  for (BlockArgument argument : joint.block().getArguments()) {
    unsigned number = argument.getArgNumber();
    bool named = false;
    for (StringRef key : {"graph.name", "graph.parameter"})
      if (auto name = program.getArgAttrOfType<StringAttr>(number, key)) {
        named |= llvm::is_contained(options.wanted, name.getValue());
        llvm::erase(missing, name.getValue().str());
      }
    bool can = isFloating(argument) && !program.getArgAttr(number, "graph.scalar");
    if (named && !can)
      return program.emitError("argument ")
             << program.getArgAttr(number, "graph.name") << " has no gradient: it is no tensor of "
             << "floating-point numbers";
    bool usual = can && !isBuffer(program, number) && !program.getArgAttr(number, "graph.frozen");
    if (options.wanted.empty() ? usual : named)
      joint.wanted.push_back(number);
  }
  if (!missing.empty())
    return program.emitError("there is no argument '") << missing.front() << "'";
  if (joint.wanted.empty())
    return program.emitError("no argument needs a gradient");
  for (unsigned number : joint.wanted)
    active.insert(joint.block().getArgument(number));
  return success();
}

void JointBuilder::visit(Operation *op, int group, bool onWay) {
  if (auto composite = dyn_cast<graph::CompositeOp>(op))
    return open(composite, group, onWay);
  joint.forwardOps.insert(op);
  if (group >= 0)
    joint.groupOf[op] = group;
  const RuleEntry *entry = findRule(op->getName().stripDialect());
  bool passes = !entry || entry->rule;
  if (passes && llvm::any_of(op->getOperands(), [&](Value v) { return wants(v); }))
    for (Value result : op->getResults())
      if (isFloating(result))
        active.insert(result);
  if (onWay)
    steps.push_back({op, {}, {}, {}});
  else
    undifferentiated.insert(op);
}

void JointBuilder::open(graph::CompositeOp composite, int group, bool onWay) {
  if (group < 0) {
    group = joint.groups.size();
    joint.groups.push_back({composite.getName().str(), group});
  }
  Block &body = composite.getBody().front();
  for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), composite.getOperands()))
    argument.replaceAllUsesWith(operand);
  SmallVector<Operation *> inner;
  for (Operation &op : body.without_terminator())
    inner.push_back(&op);
  bool declared = onWay && !composite.getGradient().empty();
  for (Operation *op : inner) {
    op->moveBefore(composite);
    visit(op, group, onWay && !declared);
  }
  Step step{nullptr, composite, SmallVector<Value>(composite.getOperands()), {}};
  bool wanted = llvm::any_of(step.operands, [&](Value v) { return wants(v); });
  for (auto [result, value] :
       llvm::zip_equal(composite.getResults(), body.getTerminator()->getOperands())) {
    Value inside = value;
    if (declared) {
      // A name of its own: the same value may reach its users by another way too.
      own.builder.setInsertionPoint(composite);
      auto same = graph::DetachOp::create(own.builder, composite.getLoc(), value.getType(), value);
      joint.forwardOps.insert(same);
      undifferentiated.insert(same);
      joint.groupOf[same] = group;
      joint.originals[same] = joint.originals.lookup(value);
      inside = same;
      if (wanted && isFloating(inside))
        active.insert(inside);
    }
    step.results.push_back(inside);
    result.replaceAllUsesWith(inside);
  }
  composite->remove();
  opened.push_back(composite);
  if (declared)
    steps.push_back(std::move(step));
}

/// What a value repeats or views, in another type where it is converted.
static Value viewedValue(Value value) {
  while (isa_and_nonnull<graph::BroadcastOp, graph::ReshapeOp, graph::ContiguousOp, graph::CastOp>(
      value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// What is subtracted and cancels again needs no gradient.
void JointBuilder::dropCancelledShifts() {
  llvm::DenseSet<Value> known;
  auto isOpaque = [&](Operation *op) { return undifferentiated.contains(op); };
  for (auto sub : joint.block().getOps<graph::SubOp>()) {
    Value shift = viewedValue(sub.getRhs());
    // `m - m` shifts nothing: an infinite gradient of it is no number for m.
    if (viewedValue(sub.getLhs()) == shift)
      continue;
    if (shift.getDefiningOp() && wants(shift) && known.insert(shift).second &&
        cancels(shift, isOpaque))
      active.erase(shift);
  }
}

LogicalResult JointBuilder::checkAssigned() {
  for (auto assign : llvm::make_early_inc_range(joint.block().getOps<graph::AssignOp>())) {
    unsigned number = cast<BlockArgument>(assign.getTarget()).getArgNumber();
    auto name = joint.program.getArgAttrOfType<StringAttr>(number, "graph.name");
    if (llvm::is_contained(joint.wanted, number))
      return assign.emitError("argument '")
             << name.getValue()
             << "' is mutated by the program: a gradient with respect to it has no meaning";
    if (wants(assign.getValue()) && !isBuffer(joint.program, number))
      return assign.emitError("argument '")
             << name.getValue() << "' receives a value that depends on arguments whose gradient is "
             << "wanted: gradients through mutated arguments are not supported";
    joint.assigned.push_back({number, assign.getValue()});
  }
  return success();
}

LogicalResult JointBuilder::run(const GradientOptions &options) {
  copyProgram();
  if (failed(chooseWanted(options)))
    return failure();
  SmallVector<Operation *> ops;
  for (Operation &op : joint.block().without_terminator())
    ops.push_back(&op);
  for (Operation *op : ops)
    if (!isa<graph::CheckOp, graph::AssignOp>(op))
      visit(op, -1, true);
  dropCancelledShifts();
  if (failed(checkAssigned()) || failed(sweep()))
    return failure();
  if (joint.floatResults.empty())
    return joint.program.emitError("no result has a gradient: none is of floating-point numbers");
  finish();
  return success();
}

std::unique_ptr<Joint> buildJoint(func::FuncOp program, const GradientOptions &options) {
  auto joint = std::make_unique<Joint>();
  joint->program = program;
  JointBuilder builder(*joint);
  if (failed(builder.run(options)))
    return nullptr;
  return joint;
}

} // namespace nereid::autodiff
