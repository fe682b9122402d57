// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/Code.h"
#include "interpreter/Handlers.h"
#include "interpreter/Machine.h"

#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::interpreter {

HandlerTable makeHandlerTable() {
  HandlerTable table;
  addIntegerHandlers(table);
  addFloatHandlers(table);
  addCompareHandlers(table);
  addCastHandlers(table);
  addMathHandlers(table);
  addShapeHandlers(table);
  addMemoryHandlers(table);
  addAtomicHandlers(table);
  addFoldHandlers(table);
  addDotHandlers(table);
  addProgramHandlers(table);
  addRandomHandlers(table);
  return table;
}

//===------------------------------------------------------------------------------------------===//
// Control flow
//===------------------------------------------------------------------------------------------===//

static void runCopy(Machine &, Program &program, const Instruction &at) {
  if (at.operands.size() == 1) {
    program.slots[at.results[0]] = program.slots[at.operands[0]];
    return;
  }
  SmallVector<Buffer, 4> values;
  for (unsigned slot : at.operands)
    values.push_back(program.slots[slot]);
  for (auto [slot, value] : llvm::zip(at.results, values))
    program.slots[slot] = value;
}

static void runJump(Machine &, Program &program, const Instruction &at) {
  program.position = at.target;
}

static void runJumpIfFalse(Machine &machine, Program &program, const Instruction &at) {
  const Buffer &condition = program.slots[at.operands[0]];
  if (condition.flagOf(0) & Poison)
    machine.report(FindingKind::Undefined, program, at,
                   [&] { return std::string("a branch depends on an undefined value"); });
  if (!isTrue(condition, 0))
    program.position = at.target;
}

static bool isLess(int64_t a, int64_t b, bool isUnsigned) {
  return isUnsigned ? static_cast<uint64_t>(a) < static_cast<uint64_t>(b) : a < b;
}

/// Operands: lower bound (or induction variable), upper bound, step. `variant`: unsigned compare.
static void runLoopEnter(Machine &machine, Program &program, const Instruction &at) {
  for (unsigned slot : at.operands)
    if (program.slots[slot].flagOf(0) & Poison)
      machine.report(FindingKind::Undefined, program, at,
                     [&] { return std::string("a loop bound is an undefined value"); });
  int64_t lower = readInteger(program.slots[at.operands[0]], 0);
  int64_t upper = readInteger(program.slots[at.operands[1]], 0);
  int64_t step = readInteger(program.slots[at.operands[2]], 0);
  if (step <= 0) {
    machine.report(FindingKind::Invalid, program, at, [&] {
      return "the step of a loop is " + std::to_string(step) + ", expected more than 0";
    });
    machine.stop();
    return;
  }
  program.slots[at.results[0]] = program.slots[at.operands[0]];
  if (!isLess(lower, upper, at.variant))
    program.position = at.target;
}

/// The same operands; jumps back while the next value lies below the upper bound.
static void runLoopNext(Machine &, Program &program, const Instruction &at) {
  int64_t value = readInteger(program.slots[at.operands[0]], 0);
  int64_t upper = readInteger(program.slots[at.operands[1]], 0);
  int64_t step = readInteger(program.slots[at.operands[2]], 0);
  int64_t next;
  if (__builtin_add_overflow(value, step, &next) || !isLess(next, upper, at.variant))
    return;
  Buffer &slot = program.slots[at.results[0]];
  slot.reset(at.element, 1, true);
  if (at.element == Element::I32)
    *slot.asMutable<int32_t>() = static_cast<int32_t>(next);
  else
    *slot.asMutable<int64_t>() = next;
  program.position = at.target;
}

static void runConstant(Machine &, Program &program, const Instruction &at) {
  program.slots[at.results[0]] = at.constant;
}

//===------------------------------------------------------------------------------------------===//
// Compilation
//===------------------------------------------------------------------------------------------===//

namespace {

class Compiler {
public:
  explicit Compiler(Code &code, const HandlerTable &table) : code(code), table(table) {}

  unsigned slotOf(Value value);
  LogicalResult compileBlock(mlir::Block &block);
  LogicalResult compileOp(Operation *op);

private:
  Instruction &add(Handler handler, Operation *op, ValueRange operands, ValueRange results);
  void addCopy(Operation *op, ValueRange from, ValueRange to);
  unsigned here() const { return code.instructions.size(); }
  void jumpTo(unsigned instruction) { code.instructions[instruction].target = here(); }

  LogicalResult compileFor(scf::ForOp op);
  LogicalResult compileIf(scf::IfOp op);
  LogicalResult compileWhile(scf::WhileOp op);
  LogicalResult compileConstant(arith::ConstantOp op);
  LogicalResult compileRegion(Operation *op, Instruction &instruction);
  LogicalResult compileSimple(Operation *op);

  Code &code;
  const HandlerTable &table;
  llvm::DenseMap<Value, unsigned> slots;
};

} // namespace

unsigned Compiler::slotOf(Value value) {
  return slots.try_emplace(value, static_cast<unsigned>(slots.size())).first->second;
}

Instruction &Compiler::add(Handler handler, Operation *op, ValueRange operands,
                           ValueRange results) {
  Instruction instruction;
  instruction.handler = handler;
  instruction.op = op;
  for (Value value : operands)
    instruction.operands.push_back(slotOf(value));
  for (Value value : results)
    instruction.results.push_back(slotOf(value));
  code.instructions.push_back(std::move(instruction));
  return code.instructions.back();
}

void Compiler::addCopy(Operation *op, ValueRange from, ValueRange to) {
  if (!from.empty())
    add(runCopy, op, from, to);
}

LogicalResult Compiler::compileFor(scf::ForOp op) {
  addCopy(op, op.getInitArgs(), op.getRegionIterArgs());
  Value iv = op.getInductionVar();
  std::optional<Element> element = getElement(iv.getType());
  if (element != Element::I32 && element != Element::I64)
    return op.emitError() << "a loop over " << iv.getType() << " cannot be interpreted";
  unsigned enter = here();
  add(runLoopEnter, op, {op.getLowerBound(), op.getUpperBound(), op.getStep()}, iv).variant =
      op.getUnsignedCmp();
  unsigned body = here();
  if (failed(compileBlock(*op.getBody())))
    return failure();
  addCopy(op, op.getBody()->getTerminator()->getOperands(), op.getRegionIterArgs());
  Instruction &next = add(runLoopNext, op, {iv, op.getUpperBound(), op.getStep()}, iv);
  next.element = *element;
  next.variant = op.getUnsignedCmp();
  next.target = body;
  jumpTo(enter);
  addCopy(op, op.getRegionIterArgs(), op.getResults());
  return success();
}

LogicalResult Compiler::compileIf(scf::IfOp op) {
  unsigned branch = here();
  add(runJumpIfFalse, op, op.getCondition(), {});
  if (failed(compileBlock(*op.thenBlock())))
    return failure();
  addCopy(op, op.thenYield().getOperands(), op.getResults());
  if (!op.elseBlock()) {
    jumpTo(branch);
    return success();
  }
  unsigned end = here();
  add(runJump, op, {}, {});
  jumpTo(branch);
  if (failed(compileBlock(*op.elseBlock())))
    return failure();
  addCopy(op, op.elseYield().getOperands(), op.getResults());
  jumpTo(end);
  return success();
}

LogicalResult Compiler::compileWhile(scf::WhileOp op) {
  addCopy(op, op.getInits(), op.getBeforeArguments());
  unsigned before = here();
  if (failed(compileBlock(*op.getBeforeBody())))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  unsigned branch = here();
  add(runJumpIfFalse, op, condition.getCondition(), {});
  addCopy(op, condition.getArgs(), op.getAfterArguments());
  if (failed(compileBlock(*op.getAfterBody())))
    return failure();
  addCopy(op, op.getYieldOp().getOperands(), op.getBeforeArguments());
  add(runJump, op, {}, {}).target = before;
  jumpTo(branch);
  addCopy(op, condition.getArgs(), op.getResults());
  return success();
}

/// A number of an attribute, in the bytes of its element.
static void writeAttribute(Element element, Attribute attribute, void *to) {
  APInt bits;
  if (auto number = dyn_cast<FloatAttr>(attribute))
    bits = number.getValue().bitcastToAPInt();
  else
    bits = cast<IntegerAttr>(attribute).getValue();
  uint64_t raw = bits.getZExtValue();
  std::memcpy(to, &raw, getBytes(element));
}

LogicalResult Compiler::compileConstant(arith::ConstantOp op) {
  std::optional<Element> element = getElement(tile::getElementType(op.getType()));
  if (!element)
    return op.emitError() << "a constant of " << op.getType() << " cannot be interpreted";
  Instruction &instruction = add(runConstant, op, {}, op.getResult());
  Buffer &constant = instruction.constant;
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements || elements.isSplat()) {
    constant.reset(*element, elements ? elements.getNumElements() : 1, true);
    Attribute value = elements ? elements.getSplatValue<Attribute>() : Attribute(op.getValue());
    writeAttribute(*element, value, constant.data->data());
    return success();
  }
  constant.reset(*element, elements.getNumElements(), false);
  for (auto [lane, value] : llvm::enumerate(elements.getValues<Attribute>()))
    writeAttribute(*element, value, constant.data->data() + lane * getBytes(*element));
  return success();
}

LogicalResult Compiler::compileRegion(Operation *op, Instruction &instruction) {
  auto region = std::make_shared<Code>();
  Compiler inner(*region, table);
  mlir::Block &block = op->getRegion(0).front();
  for (Value argument : block.getArguments())
    region->arguments.push_back(inner.slotOf(argument));
  for (Operation &part : block.without_terminator())
    if (part.getNumRegions() != 0 || !isMemoryEffectFree(&part))
      return part.emitError() << "'" << part.getName() << "' inside the region of '"
                              << op->getName() << "' cannot be interpreted";
  for (Operation &part : block.without_terminator())
    for (Value operand : part.getOperands())
      if (operand.getParentRegion() != block.getParent())
        return part.emitError() << "a value from outside the region of '" << op->getName()
                                << "' cannot be interpreted";
  if (failed(inner.compileBlock(block)))
    return failure();
  for (Value value : block.getTerminator()->getOperands()) {
    if (value.getParentRegion() != block.getParent())
      return op->emitError() << "a value from outside its region cannot be interpreted";
    region->results.push_back(inner.slotOf(value));
  }
  region->slotCount = inner.slots.size();
  instruction.region = region;
  return success();
}

LogicalResult Compiler::compileSimple(Operation *op) {
  auto found = table.find(op->getName().getStringRef());
  if (found == table.end())
    return op->emitError() << "'" << op->getName() << "' cannot be interpreted";
  Instruction instruction;
  instruction.op = op;
  for (Value value : op->getOperands())
    instruction.operands.push_back(slotOf(value));
  for (Value value : op->getResults())
    instruction.results.push_back(slotOf(value));
  auto elementOf = [&](Value value, Element &element) {
    std::optional<Element> known = getElement(tile::getElementType(value.getType()));
    element = known.value_or(Element::I32);
    return known.has_value();
  };
  for (Value value : op->getOperands())
    if (!elementOf(value, instruction.source))
      return op->emitError() << value.getType() << " cannot be interpreted";
  for (Value value : op->getResults())
    if (!elementOf(value, instruction.element))
      return op->emitError() << value.getType() << " cannot be interpreted";
  if (op->getNumOperands() != 0)
    elementOf(op->getOperand(0), instruction.source);
  if (op->getNumResults() != 0) {
    elementOf(op->getResult(0), instruction.element);
    for (int64_t extent : tile::getShape(op->getResult(0).getType()))
      instruction.count *= extent;
  }
  if (op->getNumRegions() != 0 && failed(compileRegion(op, instruction)))
    return failure();
  found->second(op, instruction);
  if (!instruction.handler)
    return op->emitError() << "'" << op->getName() << "' cannot be interpreted on these types";
  code.instructions.push_back(std::move(instruction));
  return success();
}

LogicalResult Compiler::compileOp(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return compileFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return compileIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return compileWhile(loop);
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return compileConstant(constant);
  return compileSimple(op);
}

LogicalResult Compiler::compileBlock(mlir::Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(compileOp(&op)))
      return failure();
  return success();
}

FailureOr<std::shared_ptr<Code>> compile(Operation *function) {
  auto kernel = cast<func::FuncOp>(function);
  if (kernel.isExternal() || !kernel.getBody().hasOneBlock())
    return kernel.emitError() << "only a function of one block can be interpreted";
  auto code = std::make_shared<Code>();
  HandlerTable table = makeHandlerTable();
  Compiler compiler(*code, table);
  mlir::Block &body = kernel.getBody().front();
  for (Value argument : body.getArguments())
    code->arguments.push_back(compiler.slotOf(argument));
  if (failed(compiler.compileBlock(body)))
    return failure();
  code->slotCount = 0;
  for (const Instruction &instruction : code->instructions)
    for (ArrayRef<unsigned> list : {ArrayRef(instruction.operands), ArrayRef(instruction.results)})
      for (unsigned slot : list)
        code->slotCount = std::max(code->slotCount, slot + 1);
  code->slotCount = std::max<unsigned>(code->slotCount, code->arguments.size());
  return code;
}

FailureOr<std::shared_ptr<Code>> compileScalarOp(Operation *op) {
  auto code = std::make_shared<Code>();
  HandlerTable table = makeHandlerTable();
  Compiler compiler(*code, table);
  for (Value operand : op->getOperands())
    code->arguments.push_back(compiler.slotOf(operand));
  if (failed(compiler.compileOp(op)))
    return failure();
  for (Value result : op->getResults())
    code->results.push_back(compiler.slotOf(result));
  code->slotCount = op->getNumOperands() + op->getNumResults();
  return code;
}

} // namespace nereid::interpreter
