// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `for` over ranges and `while`. The body is executed once on trial, to learn which names change
// from turn to turn; these become the arguments of the loop, and the body is executed again on
// them. Within a trial inner loops are not built in full, so that nesting costs no powers of two.
#include "frontend/triton/Regions.h"
#include "frontend/triton/TritonLibrary.h"

using namespace llvm;
using namespace mlir;
using nereid::machine::Completion;

namespace nereid::triton {

static void reportCarried(KernelBuilder &kernel, machine::Name name, PyValue before,
                          PyValue after) {
  StringRef text = name->text;
  if (isNone(before) || isKnownNumber(before) || !isTritonValue(before)) {
    kernel.fail("`" + text + "` is " + kernel.describe(before) +
                    " before the loop and changes inside it",
                isNone(before) ? "start it as a tensor: " + text + " = tl.zeros(...)"
                               : "assign it to a new name before the loop");
    return;
  }
  kernel.requireAlike(after, before);
  kernel.fail("`" + text + "` is " + kernel.describe(before) + " before the loop but " +
                  kernel.describe(after) + " after one turn",
              "keep its type: start it with that dtype and shape, or cast it with .to(...)");
}

/// During a trial every tensor of a name stands for itself alone: what equals it by chance before
/// the loop (`last = now`) must not be taken for unchanged afterwards.
static PyValue makePlaceholder(KernelBuilder &kernel, PyValue value) {
  Block *block = kernel.builder.getInsertionBlock();
  SmallVector<TensorValue *> parts;
  flatten(value, parts);
  for (TensorValue *&part : parts) {
    mlir::Value argument = block->addArgument(part->value.getType(), part->value.getLoc());
    kernel.placeholders[argument] = part->value;
    part = kernel.make(argument, part->type);
  }
  ArrayRef<TensorValue *> rest = parts;
  return rebuild(kernel, value, rest);
}

/// Compares a name before and after one turn; false when upstream's rules forbid the change.
bool KernelBuilder::noteTurn(machine::Name name, PyValue initial, PyValue before, PyValue after,
                             std::vector<Carried> &carried) {
  if (!after || before == after)
    return true;
  bool known = !isTritonValue(before);
  if (known && !isTritonValue(after) && sameType(before, after))
    return true;
  if (known || !sameType(before, after)) {
    reportCarried(*this, name, before, after);
    return false;
  }
  Carried entry{name, initial, {}};
  SmallVector<TensorValue *> first, second;
  flatten(before, first);
  flatten(after, second);
  for (auto [one, two] : zip(first, second))
    entry.changes.push_back(one->value != two->value);
  if (is_contained(entry.changes, true))
    carried.push_back(entry);
  return true;
}

std::optional<std::vector<KernelBuilder::Carried>>
KernelBuilder::findCarried(machine::Frame &frame, llvm::function_ref<Completion()> body,
                           const llvm::DenseSet<machine::Name> &ignored) {
  KernelFrame *state = library.frameState(frame);
  std::vector<Carried> carried;
  auto run = [&]() -> Completion {
    std::vector<machine::Namespace::Slot> initial = frame.locals->slots;
    std::vector<PyValue> before;
    for (const auto &slot : initial) {
      bool tensors = slot.value && isTritonValue(slot.value);
      before.push_back(tensors ? makePlaceholder(*this, slot.value) : slot.value);
      if (tensors)
        machine.setName(*frame.locals, slot.name, before.back());
    }
    Completion ended = body();
    if (!ended.isNormal())
      return ended;
    for (auto [slot, old] : zip(initial, before))
      if (old && !ignored.contains(slot.name) &&
          !noteTurn(slot.name, slot.value, old, frame.locals->get(slot.name), carried))
        return Completion::raise();
    return ended;
  };
  ++state->loops;
  ++trials;
  std::optional<Arm> trial = runArm(run);
  --trials;
  --state->loops;
  if (!trial || !onlyLocals(*this, trial->changes))
    return std::nullopt;
  return carried;
}

/// The tensors of a value that change from turn to turn.
static SmallVector<TensorValue *> changingParts(PyValue value, ArrayRef<bool> changes) {
  SmallVector<TensorValue *> all, parts;
  flatten(value, all);
  for (auto [part, changes] : zip(all, changes))
    if (changes)
      parts.push_back(part);
  return parts;
}

void KernelBuilder::bindCarried(machine::Frame &frame, std::vector<Carried> &carried,
                                ValueRange values) {
  size_t next = 0;
  for (Carried &entry : carried) {
    SmallVector<TensorValue *> parts;
    flatten(entry.initial, parts);
    for (auto [part, changes] : zip(parts, entry.changes))
      if (changes)
        part = make(values[next++], part->type);
    ArrayRef<TensorValue *> rest = parts;
    PyValue value = rebuild(*this, entry.initial, rest);
    nameValue(value, entry.name->text);
    machine.setName(*frame.locals, entry.name, value);
  }
}

/// Executes the body on the block's arguments (after the first ones) and collects what it yields;
/// names are as before afterwards.
bool KernelBuilder::runLoopBody(machine::Frame &frame, std::vector<Carried> &carried, Block &body,
                                unsigned firstArgument, llvm::function_ref<Completion()> run,
                                SmallVectorImpl<mlir::Value> &yielded) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&body);
  ValueRange arguments = body.getArguments().drop_front(firstArgument);
  if (trials) { // only the loop's results matter
    yielded.append(arguments.begin(), arguments.end());
    return true;
  }
  KernelFrame *state = library.frameState(frame);
  machine::Journal journal(machine);
  bindCarried(frame, carried, arguments);
  ++state->loops;
  Completion ended = run();
  --state->loops;
  if (ended.isRaise()) {
    journal.commit();
    return false;
  }
  size_t next = 0;
  for (Carried &entry : carried) {
    for (TensorValue *part : changingParts(frame.locals->get(entry.name), entry.changes))
      yielded.push_back(relabel(part->value, arguments[next++].getType()));
  }
  return journal.undo();
}

static SmallVector<mlir::Value> initialValues(PyValue value, ArrayRef<bool> changes) {
  SmallVector<mlir::Value> values;
  for (TensorValue *part : changingParts(value, changes))
    values.push_back(part->value);
  return values;
}

std::optional<TensorValue *> KernelBuilder::loopBound(PyValue value, StringRef what) {
  TensorValue *bound = toTensor(value, what);
  if (!bound)
    return std::nullopt;
  if (bound->isBlock() || !bound->type.isInt()) {
    requireTypes({{bound, Scalar::Int32}});
    fail(what + " must be an integer, found " + describe(bound));
    return std::nullopt;
  }
  return bound;
}

Completion KernelBuilder::staticLoop(machine::Frame &frame, const python::For &loop,
                                     RangeValue &range) {
  std::optional<int64_t> bounds[3];
  PyValue given[] = {range.start, range.stop, range.step};
  for (int i : {0, 1, 2}) {
    library.look(given[i]);
    bounds[i] = knownInt(machine, given[i], "the bounds of tl.static_range");
    if (!bounds[i])
      return Completion::raise();
  }
  int64_t step = *bounds[2];
  if (step == 0) {
    fail("the step of tl.static_range must not be zero");
    return Completion::raise();
  }
  KernelFrame *state = library.frameState(frame);
  for (int64_t i = *bounds[0]; step > 0 ? i < *bounds[1] : i > *bounds[1]; i += step) {
    state->keepConstants = true;
    bool bound = machine.assignTo(*loop.target, machine.makeInt(i), frame);
    state->keepConstants = false;
    if (!bound)
      return Completion::raise();
    Completion ended = machine.runBlock(loop.body, frame);
    if (!ended.isNormal())
      return ended;
  }
  return Completion::normal();
}

Completion KernelBuilder::runtimeLoop(machine::Frame &frame, const python::For &loop,
                                      RangeValue &range) {
  auto *target = dyn_cast<python::Name>(loop.target);
  if (!target) {
    fail("the target of a loop must be a name");
    return Completion::raise();
  }
  machine::Name name = machine.intern(target->id);
  auto *step = dyn_cast<machine::IntObject>(plain(range.step));
  bool backwards = step && step->isSmall() && step->small < 0;
  PyValue by = backwards ? machine.makeInt(-step->small) : range.step;
  auto low = loopBound(backwards ? range.stop : range.start, "the start of a loop");
  auto high =
      low ? loopBound(backwards ? range.start : range.stop, "the end of a loop") : std::nullopt;
  auto stride = high ? loopBound(by, "the step of a loop") : std::nullopt;
  if (!stride)
    return Completion::raise();
  DType type = promoteIntegers(promoteIntegers((*low)->type, (*high)->type), (*stride)->type);
  mlir::Value lb = castTo(*low, type)->value, ub = castTo(*high, type)->value;
  mlir::Value by1 = castTo(*stride, type)->value;
  Type ivType = type.toMlir(context());
  // range(10, 0, -3) counts 0, 3, 6, 9 and reads 10 - i.
  auto bindIndex = [&](mlir::Value iv) {
    if (backwards) {
      iv = arith::SubIOp::create(builder, location(), ub, iv);
      iv = arith::AddIOp::create(builder, location(), iv, lb);
    }
    TensorValue *index = make(iv, type);
    nameValue(index, name->text);
    machine.setName(*frame.locals, name, index);
  };
  auto run = [&](mlir::Value iv) {
    bindIndex(iv);
    Completion ended = machine.runBlock(loop.body, frame);
    if (ended.isNormal() || ended.isRaise())
      return ended;
    fail("this loop cannot be left early", "express the end in the loop's bounds or condition");
    return Completion::raise();
  };
  machine::Name ignoredNames[] = {name};
  auto carried = findCarried(
      frame,
      [&] {
        return run(arith::ConstantOp::create(builder, location(), builder.getZeroAttr(ivType)));
      },
      llvm::DenseSet<machine::Name>(std::begin(ignoredNames), std::end(ignoredNames)));
  if (!carried)
    return Completion::raise();
  SmallVector<mlir::Value> inits;
  for (Carried &entry : *carried)
    inits.append(initialValues(entry.initial, entry.changes));
  auto op = scf::ForOp::create(builder, location(), lb, ub, by1, inits);
  if (type.isUnsigned())
    op.setUnsignedCmp(true);
  for (auto [hint, value] : range.hints)
    op->setAttr(("tile." + hint).str(), builder.getI64IntegerAttr(value));
  Block &body = *op.getBody();
  if (!body.empty())
    body.clear();
  SmallVector<mlir::Value> yielded;
  if (!runLoopBody(frame, *carried, body, 1, [&] { return run(op.getInductionVar()); }, yielded)) {
    op.erase();
    return Completion::raise();
  }
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&body);
    scf::YieldOp::create(builder, location(), yielded);
  }
  bindCarried(frame, *carried, op.getResults());
  machine.willWrite(frame.locals);
  frame.locals->erase(name); // as upstream: the counter has no value after the loop
  return Completion::normal();
}

Completion KernelBuilder::forLoop(machine::Frame &frame, const python::For &loop) {
  if (!loop.orelse.empty()) {
    fail("`else` after a loop is not part of the Triton language");
    return Completion::raise();
  }
  PyValue iterable = machine.evaluateExpr(*loop.iter, frame);
  if (!iterable)
    return Completion::raise();
  auto *range = dyn_cast<RangeValue>(iterable);
  if (!range) {
    fail("a kernel can only loop over range, tl.range and tl.static_range, found " +
             describe(iterable),
         "loop over an index: for i in tl.static_range(len(xs)): x = xs[i]");
    return Completion::raise();
  }
  return range->isStatic ? staticLoop(frame, loop, *range) : runtimeLoop(frame, loop, *range);
}

Completion KernelBuilder::whileLoop(machine::Frame &frame, const python::While &loop) {
  if (!loop.orelse.empty()) {
    fail("`else` after a loop is not part of the Triton language");
    return Completion::raise();
  }
  auto run = [&] {
    Completion ended = machine.runBlock(loop.body, frame);
    if (ended.isNormal() || ended.isRaise())
      return ended;
    fail("this loop cannot be left early", "express the end in the loop's condition");
    return Completion::raise();
  };
  auto carried = findCarried(frame, run, {});
  if (!carried)
    return Completion::raise();
  SmallVector<mlir::Value> inits;
  for (Carried &entry : *carried)
    inits.append(initialValues(entry.initial, entry.changes));
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Location> locations(types.size(), location());
  auto op = scf::WhileOp::create(builder, location(), types, inits);
  OpBuilder::InsertionGuard guard(builder);
  Block *before = builder.createBlock(&op.getBefore(), {}, types, locations);
  {
    machine::Journal journal(machine);
    bindCarried(frame, *carried, before->getArguments());
    PyValue test = machine.evaluateExpr(*loop.test, frame);
    TensorValue *condition = test ? dyn_cast<TensorValue>(test) : nullptr;
    if (test && !condition)
      fail("the condition of this `while` is known when the kernel is compiled: " + describe(test),
           "make it depend on a value of the kernel, or use tl.static_range");
    if (condition && condition->isBlock())
      condition = fail("the condition of a `while` must be one bit, found " + describe(condition));
    if (condition)
      condition = toBool(condition);
    if (!condition || !journal.undo())
      return Completion::raise();
    scf::ConditionOp::create(builder, location(), condition->value, before->getArguments());
  }
  Block *after = builder.createBlock(&op.getAfter(), {}, types, locations);
  SmallVector<mlir::Value> yielded;
  if (!runLoopBody(frame, *carried, *after, 0, run, yielded))
    return Completion::raise();
  builder.setInsertionPointToEnd(after);
  scf::YieldOp::create(builder, location(), yielded);
  bindCarried(frame, *carried, op.getResults());
  return Completion::normal();
}

} // namespace nereid::triton
