// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "autodiff/Joint.h"

#include "autodiff/CancelledShifts.h"
#include "autodiff/Functions.h"
#include "autodiff/LoopGradient.h"
#include "autodiff/PlannedBytes.h"
#include "autodiff/Rules.h"

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

namespace {

bool isFloating(Value value) {
  return isa<FloatType>(GradientWriter::typeOf(value).getElementType());
}

Location withoutName(Location place) {
  auto named = dyn_cast<NameLoc>(place);
  return named ? withoutName(named.getChildLoc()) : place;
}

/// One step of the way back: an operator, or a composite whose gradient is declared.
struct Step {
  Operation *op = nullptr;
  graph::CompositeOp declared;
  SmallVector<Value> operands, results;
};

class JointBuilder : public Reverse {
public:
  JointBuilder(Joint &joint) : Reverse(own), joint(joint), own(joint.program.getContext()) {}
  ~JointBuilder() override {
    for (graph::CompositeOp composite : opened)
      composite->erase();
  }

  LogicalResult run(const GradientOptions &options);

  bool wants(Value value) const override { return active.contains(value); }
  void add(Value value, Value gradient) override;

private:
  Joint &joint;
  GradientWriter own;
  /// Values through which a gradient flows to a wanted argument.
  llvm::DenseSet<Value> active;
  llvm::DenseMap<Value, Value> gradients;
  std::vector<Step> steps;
  std::vector<graph::CompositeOp> opened;
  /// What stands in composites whose gradient is declared.
  llvm::DenseSet<Operation *> undifferentiated;
  /// The group of the gradient of a composite of the program.
  llvm::DenseMap<int, int> backwardOf;

  void copyProgram();
  LogicalResult chooseWanted(const GradientOptions &options);
  void visit(Operation *op, int group, bool onWay);
  void open(graph::CompositeOp composite, int group, bool onWay);
  void dropCancelledShifts();
  LogicalResult checkAssigned();
  LogicalResult sweep();
  LogicalResult stepBack(const Step &step);
  LogicalResult applyRule(Operation *op, Value gradient);
  void applyDeclared(const Step &step);
  void copyBlock(Block &block, llvm::DenseMap<Value, Value> &copies);
  int backwardGroup(const Step &step);
  void finish();
};

} // namespace

// --- The flat copy -------------------------------------------------------------------------------

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

/// What is subtracted and cancels again needs no gradient.
void JointBuilder::dropCancelledShifts() {
  llvm::DenseSet<Value> known;
  auto isOpaque = [&](Operation *op) { return undifferentiated.contains(op); };
  for (auto sub : joint.block().getOps<graph::SubOp>()) {
    Value shift = sub.getRhs();
    while (
        isa_and_nonnull<graph::BroadcastOp, graph::ReshapeOp, graph::ContiguousOp, graph::CastOp>(
            shift.getDefiningOp()))
      shift = shift.getDefiningOp()->getOperand(0);
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

// --- The way back --------------------------------------------------------------------------------

void JointBuilder::add(Value value, Value gradient) {
  if (!gradient || !wants(value) || isZero(gradient))
    return;
  Value &sum = gradients[value];
  sum = writer.add(sum, gradient);
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

LogicalResult JointBuilder::stepBack(const Step &step) {
  if (auto loop = dyn_cast_or_null<graph::LoopOp>(step.op)) {
    SmallVector<Value> given;
    for (Value result : loop.getResults())
      given.push_back(gradients.lookup(result));
    bool isWanted = llvm::any_of(loop->getOperands(), [&](Value v) { return wants(v); }) &&
                    llvm::any_of(given, [](Value gradient) { return bool(gradient); });
    return isWanted ? addLoopGradient(loop, given, *this) : success();
  }
  if (auto call = dyn_cast_or_null<graph::CallOp>(step.op)) {
    SmallVector<Value> given;
    for (Value result : call.getResults())
      given.push_back(gradients.lookup(result));
    if (llvm::any_of(call.getInputs(), [&](Value v) { return wants(v); }) &&
        llvm::any_of(given, [](Value gradient) { return bool(gradient); }))
      addCallGradient(call, given, *this);
    return success();
  }
  if (auto apply = dyn_cast_or_null<graph::ApplyOp>(step.op)) {
    SmallVector<Value> given;
    for (Value result : apply.getResults())
      given.push_back(gradients.lookup(result));
    // The copy of the program stands in no module.
    auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(joint.program->getParentOp(),
                                                                       apply.getCalleeAttr());
    if (function->hasAttr("graph.backward") &&
        llvm::any_of(apply.getOperands(), [&](Value v) { return wants(v); }) &&
        llvm::any_of(given, [](Value gradient) { return bool(gradient); }))
      addApplyGradient(apply, function, given, *this);
    return success();
  }
  if (step.op) {
    // Only a sort has a second result, integers.
    Value gradient = step.op->getNumResults() ? gradients.lookup(step.op->getResult(0)) : Value();
    if (!gradient || llvm::none_of(step.op->getOperands(), [&](Value v) { return wants(v); }))
      return success();
    return applyRule(step.op, gradient);
  }
  if (llvm::any_of(step.results, [&](Value v) { return gradients.lookup(v) != Value(); }))
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

// --- Simplification ------------------------------------------------------------------------------

namespace {

/// Operators that are the same, in whatever composite of the program they stand: constants of two
/// composites are two, and what is made of them.
class EqualOperators {
public:
  llvm::hash_code hash(Operation *op) {
    return OperationEquivalence::computeHash(
        op, [&](Value value) { return llvm::hash_value(first(value).getAsOpaquePointer()); },
        OperationEquivalence::ignoreHashValue, OperationEquivalence::IgnoreLocations);
  }
  bool areEqual(Operation *a, Operation *b) {
    auto match = [&](Value x, Value y) { return success(first(x) == first(y)); };
    return OperationEquivalence::isEquivalentTo(a, b, match, nullptr,
                                                OperationEquivalence::IgnoreLocations);
  }
  void repeat(Operation *op, Operation *earlier) {
    for (auto [own, same] : llvm::zip_equal(op->getResults(), earlier->getResults()))
      firsts[own] = first(same);
  }

private:
  Value first(Value value) const {
    auto known = firsts.find(value);
    return known == firsts.end() ? value : known->second;
  }
  llvm::DenseMap<Value, Value> firsts;
};

} // namespace

void simplifyGradients(Joint &joint) {
  llvm::DenseMap<size_t, SmallVector<Operation *, 2>> known;
  EqualOperators equal;
  PlannedBytes bytes(joint.program);
  // An operator inside of another composite is not taken unless it is dear: it would have to be
  // computed there too.
  auto fits = [&](Operation *op, Operation *other) {
    bool isDear = isa<graph::FoldOp, graph::ScanOp>(op) && !isExpandingSum(op, bytes);
    if (!joint.forwardOps.contains(other) || isDear)
      return true;
    int inside = joint.group(other), own = joint.group(op);
    return inside < 0 || (own >= 0 && joint.groups[own].forward == inside);
  };
  for (Operation &op : llvm::make_early_inc_range(joint.block().without_terminator())) {
    SmallVector<Operation *, 2> &same = known[equal.hash(&op)];
    Operation *twin = nullptr;
    bool isForward = joint.forwardOps.contains(&op);
    for (Operation *other : same)
      if (!twin && equal.areEqual(&op, other) && (isForward || fits(&op, other)))
        twin = other;
    if (isForward && twin)
      equal.repeat(&op, twin);
    if (isForward || !twin) {
      same.push_back(&op);
      continue;
    }
    op.replaceAllUsesWith(twin->getResults());
    joint.groupOf.erase(&op);
    op.erase();
  }
  // The block's own reverse iterators survive the erasure, those of a range of it do not.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(joint.block())))
    if (!joint.forwardOps.contains(&op) && isOpTriviallyDead(&op)) {
      joint.groupOf.erase(&op);
      op.erase();
    }
}

} // namespace nereid::autodiff
