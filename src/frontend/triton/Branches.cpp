// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `if` on a condition that is only known when the kernel runs. Both arms are executed in journals
// and undone; names that differ become results of an `scf.if`. An arm that returns ends the
// function: then the rest of the function is executed in each arm.
#include "frontend/triton/Regions.h"
#include "frontend/triton/TritonLibrary.h"

using namespace llvm;
using namespace mlir;
using nereid::machine::Completion;

namespace nereid::triton {

std::optional<KernelBuilder::Arm> KernelBuilder::runArm(llvm::function_ref<Completion()> run) {
  OpBuilder::InsertionGuard guard(builder);
  Arm arm;
  arm.block = std::make_unique<Block>();
  builder.setInsertionPointToStart(arm.block.get());
  machine::Journal journal(machine);
  arm.ended = run();
  if (arm.ended.isRaise()) {
    journal.commit();
    return std::nullopt;
  }
  arm.changes = journal.changes();
  if (!journal.undo())
    return std::nullopt;
  return arm;
}

/// A scalar bit; a tile of one element counts as its element.
static TensorValue *toCondition(KernelBuilder &kernel, PyValue value) {
  TensorValue *condition = kernel.toTensor(value, "a condition");
  if (!condition)
    return nullptr;
  if (condition->isBlock() && all_of(condition->shape(), [](int64_t size) { return size == 1; })) {
    machine::Machine &machine = kernel.machine;
    PyValue item = machine.getAttribute(condition, "item");
    PyValue element = item ? machine.call(item, ArrayRef<PyValue>()) : nullptr;
    if (!element)
      return nullptr;
    condition = llvm::cast<TensorValue>(element);
  }
  if (condition->isBlock())
    return kernel.fail("the condition is a tile, found " + kernel.describe(condition) +
                           ": a branch needs one bit",
                       "choose per element with tl.where(mask, a, b), or reduce the mask first: "
                       "tl.max(mask.to(tl.int32), axis=0) > 0");
  return kernel.toBool(condition);
}

Completion KernelBuilder::ifStatement(machine::Branch &branch) {
  const auto &node = *llvm::cast<python::If>(&branch.node);
  TensorValue *condition = toCondition(*this, branch.condition);
  if (!condition)
    return Completion::raise();
  if (containsReturn(node.body) || containsReturn(node.orelse)) {
    KernelFrame *state = library.frameState(branch.frame);
    if (state && state->loops) {
      fail("`return` under a runtime condition cannot stand inside a loop",
           "leave the loop by its condition: write `while` with a flag, or mask the work");
      return Completion::raise();
    }
    return ifToEnd(branch, condition);
  }
  std::optional<Arm> then = runArm([&] { return branch.run(true); });
  if (!then)
    return Completion::raise();
  std::optional<Arm> otherwise = runArm([&] { return branch.run(false); });
  if (!otherwise || !mergeArms(branch, condition, *then, *otherwise))
    return Completion::raise();
  return Completion::normal();
}

namespace {
/// A name with its values at the ends of both arms.
struct Merge {
  machine::Name name;
  machine::Change place;
  PyValue then, otherwise;
};
} // namespace

/// The type of `b` is not that of `a`: says so in upstream's terms.
static void reportMismatch(KernelBuilder &kernel, const Merge &merge, PyValue before) {
  std::string name = merge.name->text.str();
  if (before) {
    bool inThen = !sameType(before, merge.then);
    kernel.requireAlike(inThen ? merge.then : merge.otherwise, before);
    kernel.fail("`" + name + "` is " + kernel.describe(before) + " before the `if` but " +
                    kernel.describe(inThen ? merge.then : merge.otherwise) + " after its " +
                    (inThen ? "first" : "other") + " arm",
                "give it one type: cast with .to(...), or start it with the right dtype and shape");
    return;
  }
  kernel.requireAlike(merge.then, merge.otherwise);
  kernel.fail("`" + name + "` is " + kernel.describe(merge.then) + " in one arm and " +
                  kernel.describe(merge.otherwise) + " in the other",
              "give it one type: cast with .to(...)");
}

/// Appends what both arms yield for one name; the second arm's values take the first's axis names.
static void yieldPair(KernelBuilder &kernel, PyValue then, PyValue otherwise, Block &elseBlock,
                      SmallVectorImpl<mlir::Value> &thenValues,
                      SmallVectorImpl<mlir::Value> &elseValues) {
  OpBuilder::InsertionGuard guard(kernel.builder);
  SmallVector<TensorValue *> left, right;
  flatten(then, left);
  flatten(otherwise, right);
  for (auto [a, b] : zip(left, right)) {
    thenValues.push_back(a->value);
    kernel.builder.setInsertionPointToEnd(&elseBlock);
    elseValues.push_back(kernel.relabel(b->value, a->value.getType()));
  }
}

/// Makes the `scf.if` around two finished arms.
static scf::IfOp buildIf(KernelBuilder &kernel, TensorValue *condition, Block &then,
                         Block &otherwise, ArrayRef<mlir::Value> thenValues,
                         ArrayRef<mlir::Value> elseValues) {
  OpBuilder &builder = kernel.builder;
  SmallVector<Type> types;
  for (mlir::Value value : thenValues)
    types.push_back(value.getType());
  bool hasElse = !types.empty() || !otherwise.empty();
  auto op = scf::IfOp::create(builder, kernel.location(), types, condition->value,
                              /*addThenBlock=*/true, /*addElseBlock=*/hasElse);
  auto fill = [&](Block *block, Block &from, ArrayRef<mlir::Value> values) {
    block->clear();
    block->getOperations().splice(block->end(), from.getOperations());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block);
    scf::YieldOp::create(builder, kernel.location(), values);
  };
  fill(op.thenBlock(), then, thenValues);
  if (hasElse)
    fill(op.elseBlock(), otherwise, elseValues);
  return op;
}

bool KernelBuilder::mergeArms(machine::Branch &branch, TensorValue *condition, Arm &then,
                              Arm &otherwise) {
  if (!onlyLocals(*this, then.changes) || !onlyLocals(*this, otherwise.changes))
    return false;
  std::vector<Merge> merges;
  auto consider = [&](const machine::Change &change) {
    if (any_of(merges, [&](const Merge &merge) { return merge.name == change.name; }))
      return true;
    const machine::Change *a = then.find(change.name), *b = otherwise.find(change.name);
    PyValue before = change.before;
    Merge merge{change.name, change, a ? a->after : before, b ? b->after : before};
    bool live = before && (isTritonValue(before) || isKnownNumber(before));
    // A new name that only one arm defines is not visible afterwards.
    if (!merge.then || !merge.otherwise || (!live && !(a && b)))
      return true;
    // A constexpr of both arms that differs is gone afterwards.
    if (!live && !isTritonValue(merge.then) && !isTritonValue(merge.otherwise) &&
        !sameType(merge.then, merge.otherwise))
      return true;
    if (live && sameTensors(merge.then, merge.otherwise) && sameType(merge.then, merge.otherwise))
      return true;
    if ((live && (!sameType(before, merge.then) || !sameType(before, merge.otherwise))) ||
        !sameType(merge.then, merge.otherwise)) {
      reportMismatch(*this, merge, live ? before : nullptr);
      return false;
    }
    merges.push_back(merge);
    return true;
  };
  for (Arm *arm : {&then, &otherwise})
    for (const machine::Change &change : arm->changes)
      if (!consider(change))
        return false;
  SmallVector<mlir::Value> thenValues, elseValues;
  for (Merge &merge : merges)
    yieldPair(*this, merge.then, merge.otherwise, *otherwise.block, thenValues, elseValues);
  scf::IfOp op = buildIf(*this, condition, *then.block, *otherwise.block, thenValues, elseValues);
  size_t next = 0;
  for (Merge &merge : merges) {
    SmallVector<TensorValue *> parts;
    flatten(merge.then, parts);
    for (TensorValue *&part : parts)
      part = make(op.getResult(next++), part->type);
    ArrayRef<TensorValue *> rest = parts;
    merge.place.write(machine, rebuild(*this, merge.then, rest));
  }
  return true;
}

/// One value for two returns: equal constants stay, a constant becomes the tensor of the other.
static bool unifyReturns(KernelBuilder &kernel, PyValue &a, PyValue &b, Block &then,
                         Block &otherwise) {
  if (sameType(a, b))
    return true;
  auto left = sequence(a), right = sequence(b);
  if (left && right && left->size() == right->size()) {
    SmallVector<PyValue> one(left->begin(), left->end()), two(right->begin(), right->end());
    for (auto [x, y] : zip(one, two))
      if (!unifyReturns(kernel, x, y, then, otherwise))
        return false;
    a = makeLike(kernel.machine, a, one);
    b = makeLike(kernel.machine, b, two);
    return true;
  }
  OpBuilder::InsertionGuard guard(kernel.builder);
  auto lift = [&](PyValue value, Block &block) {
    kernel.builder.setInsertionPointToEnd(&block);
    return kernel.tryTensor(value);
  };
  PyValue x = lift(a, then), y = lift(b, otherwise);
  if (x && y && sameType(x, y)) {
    a = x;
    b = y;
    return true;
  }
  kernel.requireAlike(a, b);
  kernel.fail("the function returns " + kernel.describe(a) + " in one arm and " +
                  kernel.describe(b) + " in the other",
              "return one type from all arms");
  return false;
}

Completion KernelBuilder::ifToEnd(machine::Branch &branch, TensorValue *condition) {
  if (!branch.canRunToEnd()) {
    fail("`return` under a runtime condition cannot stand here");
    return Completion::raise();
  }
  std::optional<Arm> then = runArm([&] { return branch.runToEnd(true); });
  if (!then)
    return Completion::raise();
  std::optional<Arm> otherwise = runArm([&] { return branch.runToEnd(false); });
  if (!otherwise)
    return Completion::raise();
  PyValue a = then->ended.value ? then->ended.value : machine.none();
  PyValue b = otherwise->ended.value ? otherwise->ended.value : machine.none();
  if (!unifyReturns(*this, a, b, *then->block, *otherwise->block))
    return Completion::raise();
  SmallVector<mlir::Value> thenValues, elseValues;
  yieldPair(*this, a, b, *otherwise->block, thenValues, elseValues);
  scf::IfOp op = buildIf(*this, condition, *then->block, *otherwise->block, thenValues, elseValues);
  SmallVector<TensorValue *> parts;
  flatten(a, parts);
  for (auto [index, part] : enumerate(parts))
    part = make(op.getResult(index), part->type);
  ArrayRef<TensorValue *> rest = parts;
  return Completion::finished(rebuild(*this, a, rest));
}

PyValue KernelBuilder::ifExpression(machine::Branch &branch) {
  TensorValue *condition = toCondition(*this, branch.condition);
  if (!condition)
    return nullptr;
  PyValue values[2];
  std::optional<Arm> arms[2];
  for (int i : {0, 1}) {
    arms[i] = runArm([&] {
      values[i] = branch.evaluate(i == 0);
      if (values[i])
        values[i] = toTensor(values[i], "an arm of a conditional expression");
      return values[i] ? Completion::normal() : Completion::raise();
    });
    if (!arms[i])
      return nullptr;
  }
  if (!sameType(values[0], values[1])) {
    requireAlike(values[0], values[1]);
    return fail("the arms of this conditional expression are " + describe(values[0]) + " and " +
                    describe(values[1]),
                "give both one type, or write tl.where(condition, a, b)");
  }
  SmallVector<mlir::Value> thenValues, elseValues;
  yieldPair(*this, values[0], values[1], *arms[1]->block, thenValues, elseValues);
  scf::IfOp op =
      buildIf(*this, condition, *arms[0]->block, *arms[1]->block, thenValues, elseValues);
  return make(op.getResult(0), llvm::cast<TensorValue>(values[0])->type);
}

} // namespace nereid::triton
