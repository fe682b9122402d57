// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The way back of a joint program: the gradients of its operators, from the last to the first.
#include "autodiff/JointBuilder.h"

#include "autodiff/Functions.h"
#include "autodiff/LoopGradient.h"
#include "graph/BranchMark.h"

#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;

namespace nereid::autodiff {

static Location withoutName(Location place) {
  auto named = dyn_cast<NameLoc>(place);
  return named ? withoutName(named.getChildLoc()) : place;
}

void JointBuilder::add(Value value, Value gradient) {
  if (!gradient || !wants(value) || isZero(gradient))
    return;
  // A gradient of 0 that an infinite derivative made NaN.
  if (taken && mayMakeNaN)
    gradient =
        writer.where(writer.broadcast(taken, {}, writer.sizesOf(gradient)), gradient, Value());
  Value &sum = gradients[value];
  takenFor[value] = sum ? eitherOf(takenFor.lookup(value), taken) : taken;
  sum = writer.add(sum, gradient);
}

/// The condition of rank 0 of a branch; null for other operators.
static Value branchCondition(Operation *op) {
  auto where = dyn_cast<graph::WhereOp>(op);
  if (!where || !op->hasAttr(graph::branchMark))
    return Value();
  Value condition = where.getCondition();
  if (auto repeated = condition.getDefiningOp<graph::BroadcastOp>())
    condition = repeated.getInput();
  return GradientWriter::sizesOf(condition).empty() ? condition : Value();
}

Value JointBuilder::notOf(Value condition) {
  Value &known = negations[condition];
  if (!known) {
    known = writer.unary("not", condition);
    negations[known] = condition;
  }
  return negations.lookup(condition);
}

Value JointBuilder::bothOf(Value outer, Value inner) {
  Value &known = both[{outer, inner}];
  if (!known) {
    known = writer.binary("and", outer, inner);
    armOf[known] = {outer, inner};
  }
  return known;
}

/// The arm that two stand in, or are; null where there is none.
Value JointBuilder::commonArm(Value a, Value b) const {
  for (; a; a = armOf.lookup(a).around)
    for (Value other = b; other; other = armOf.lookup(other).around)
      if (a == other)
        return a;
  return Value();
}

/// Whether one of two arms was taken; null where one always is.
Value JointBuilder::eitherOf(Value a, Value b) {
  if (!a || !b)
    return Value();
  Value common = commonArm(a, b);
  if (common == a || common == b)
    return common;
  auto in = [&](Value arm) {
    auto found = armOf.find(arm);
    return found == armOf.end() ? Arm{Value(), arm} : found->second;
  };
  Arm one = in(a), other = in(b);
  if (one.around == other.around && negations.lookup(one.own) == other.own)
    return one.around;
  Value &known = either[{a, b}];
  if (!known) {
    known = writer.binary("or", a, b);
    armOf[known] = {common, known};
  }
  return known;
}

/// Of a branch each side gets the gradient where it was taken; what leads to it alone has none
/// where it was not. False for other operators.
bool JointBuilder::goBackByArms(Operation *op, Value gradient) {
  Value condition = branchCondition(op);
  if (!condition)
    return false;
  Value around = taken;
  for (bool isThen : {true, false}) {
    Value side = op->getOperand(isThen ? 1 : 2);
    if (!wants(side))
      continue;
    taken = isThen ? condition : notOf(condition);
    taken = around ? bothOf(around, taken) : taken;
    mayMakeNaN = false;
    Value own = op->getOperand(0);
    add(side, isThen ? writer.where(own, gradient, Value()) : writer.where(own, Value(), gradient));
  }
  return true;
}

/// The arm by which all gradients of an operator's results come; null where there is none.
Value JointBuilder::takenForAll(ValueRange results) {
  std::optional<Value> found;
  for (Value result : results)
    if (gradients.lookup(result))
      found = found ? eitherOf(*found, takenFor.lookup(result)) : takenFor.lookup(result);
  return found.value_or(Value());
}

/// Whether the gradient of 0 goes back as 0, whatever the operands are.
static bool keepsZero(Operation *op) {
  StringRef name = op->getName().stripDialect();
  auto fold = dyn_cast<graph::FoldOp>(op);
  return (fold && fold.getKind() == graph::FoldKind::Sum) ||
         llvm::is_contained({"add", "sub", "neg", "cast", "where"}, name) ||
         llvm::any_of(viewRules(), [&](const RuleEntry &entry) { return entry.name == name; });
}

int JointBuilder::backwardGroup(const Step &step) {
  Operation *op = step.op ? step.op : step.results.front().getDefiningOp();
  int forward = joint.group(op);
  auto add = [&](StringRef name, int of) {
    joint.groups.push_back({(name + "_backward").str(), of});
    return static_cast<int>(joint.groups.size()) - 1;
  };
  if (forward >= 0) {
    auto [place, isNew] = backwardOf.try_emplace(forward, 0);
    if (isNew) {
      auto [space, rest] = StringRef(joint.groups[forward].name).split("::");
      std::string name = (space + "::" + rest.split('.').first).str();
      place->second = add(name, forward);
    }
    return backwardOf.lookup(forward);
  }
  StringRef name = op->getName().stripDialect();
  bool isView = llvm::any_of(
      viewRules(), [&](const RuleEntry &entry) { return entry.name == name && name != "gather"; });
  return isView || name == "cast" || name == "apply" ? -1 : add(("nereid::" + name).str(), -1);
}

LogicalResult JointBuilder::applyRule(Operation *op, Value gradient) {
  const RuleEntry *entry = findRule(op->getName().stripDialect());
  if (entry && entry->rule) {
    entry->rule(op, gradient, *this);
    return success();
  }
  return op->emitError("'") << op->getName().stripDialect() << "' has no gradient rule";
}

void JointBuilder::copyBlock(Block &block, llvm::DenseMap<Value, Value> &copies) {
  for (Operation &op : block.without_terminator()) {
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(copies.lookup(operand));
    SmallVector<Value, 1> results;
    if (auto composite = dyn_cast<graph::CompositeOp>(op)) {
      Block &body = composite.getBody().front();
      for (auto [argument, operand, outer] :
           llvm::zip_equal(body.getArguments(), operands, composite.getOperands()))
        copies[argument] = operand ? operand : writer.like(outer, 0);
      copyBlock(body, copies);
      for (Value value : body.getTerminator()->getOperands())
        results.push_back(copies.lookup(value));
    } else {
      results = writer.copy(op, operands);
    }
    for (auto [result, copy] : llvm::zip_equal(op.getResults(), results))
      copies[result] = copy && isZero(copy) && isFloating(copy) ? Value() : copy;
  }
}

void JointBuilder::applyDeclared(const Step &step) {
  Block &block = step.declared->getRegion(1).front();
  llvm::DenseMap<Value, Value> copies;
  unsigned next = 0;
  for (Value result : step.results)
    if (isFloating(result))
      copies[block.getArgument(next++)] = gradients.lookup(result);
  for (Value operand : step.operands)
    copies[block.getArgument(next++)] = operand;
  for (Value result : step.results)
    copies[block.getArgument(next++)] = result;
  copyBlock(block, copies);
  unsigned place = 0;
  for (Value operand : step.operands)
    if (isFloating(operand))
      add(operand, copies.lookup(block.getTerminator()->getOperand(place++)));
}

SmallVector<Value> JointBuilder::gradientsOf(ValueRange results) const {
  return llvm::map_to_vector(results, [&](Value result) { return gradients.lookup(result); });
}

/// Whether a gradient is given that flows on to an operand.
bool JointBuilder::isReached(ValueRange operands, ArrayRef<Value> given) const {
  return llvm::any_of(operands, [&](Value v) { return wants(v); }) &&
         llvm::any_of(given, [](Value gradient) { return bool(gradient); });
}

LogicalResult JointBuilder::stepBack(const Step &step) {
  ValueRange results = step.op ? ValueRange(step.op->getResults()) : ValueRange(step.results);
  SmallVector<Value> given = gradientsOf(results);
  taken = takenForAll(results);
  mayMakeNaN = !step.op || !keepsZero(step.op);
  if (auto loop = dyn_cast_or_null<graph::LoopOp>(step.op))
    return isReached(loop->getOperands(), given) ? addLoopGradient(loop, given, *this) : success();
  if (auto call = dyn_cast_or_null<graph::CallOp>(step.op)) {
    if (isReached(call.getInputs(), given))
      addCallGradient(call, given, *this);
    return success();
  }
  if (auto apply = dyn_cast_or_null<graph::ApplyOp>(step.op)) {
    // The copy of the program stands in no module.
    auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(joint.program->getParentOp(),
                                                                       apply.getCalleeAttr());
    if (function->hasAttr("graph.backward") && isReached(apply.getOperands(), given))
      addApplyGradient(apply, function, given, *this);
    return success();
  }
  if (step.op) {
    // Only a sort has a second result, integers.
    Value gradient = given.empty() ? Value() : given.front();
    if (!gradient || llvm::none_of(step.op->getOperands(), [&](Value v) { return wants(v); }))
      return success();
    return goBackByArms(step.op, gradient) ? success() : applyRule(step.op, gradient);
  }
  if (llvm::any_of(given, [](Value gradient) { return bool(gradient); }))
    applyDeclared(step);
  return success();
}

LogicalResult JointBuilder::sweep() {
  Block &block = joint.block();
  Operation *end = block.getTerminator();
  own.builder.setInsertionPoint(end);
  for (auto [number, result] : llvm::enumerate(joint.results())) {
    if (!isFloating(result) || joint.program.getResultAttr(number, "graph.constant"))
      continue;
    joint.floatResults.push_back(number);
    Value cotangent = block.addArgument(result.getType(), end->getLoc());
    joint.cotangents.push_back(cotangent);
    own.place = withoutName(end->getLoc());
    add(result, own.cast(cotangent, gradientType(result.getType()).getElementType()));
  }
  for (const Step &step : llvm::reverse(steps)) {
    Operation *last = end->getPrevNode();
    own.place = withoutName(step.op ? step.op->getLoc() : step.declared->getLoc());
    if (failed(stepBack(step)))
      return failure();
    if (end->getPrevNode() == last)
      continue;
    int group = backwardGroup(step);
    for (Operation *op = last ? last->getNextNode() : &block.front(); op != end && group >= 0;
         op = op->getNextNode())
      joint.groupOf[op] = group;
  }
  return success();
}

void JointBuilder::finish() {
  Operation *end = joint.block().getTerminator();
  own.builder.setInsertionPoint(end);
  SmallVector<Value> operands(end->getOperands());
  for (unsigned number : joint.wanted) {
    Value argument = joint.block().getArgument(number);
    Value gradient = gradients.lookup(argument);
    joint.gradientOperand.push_back(gradient ? static_cast<int>(operands.size()) : -1);
    if (gradient)
      operands.push_back(own.cast(gradient, own.typeOf(argument).getElementType(), true));
  }
  end->setOperands(operands);
}

} // namespace nereid::autodiff
