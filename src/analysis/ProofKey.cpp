// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/ProofKey.h"
#include "analysis/Access.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace nereid::analysis {

namespace {

class KeyWriter {
public:
  std::string run(func::FuncOp kernel, const LaunchContract &contract);

private:
  void need(Value value);
  void needPath(Operation *access);
  void needParts(Value value);
  void needYielded(Operation *op);

  void write(Operation *op);
  void writeLoop(scf::ForOp loop);
  void writeRegions(Operation *op);
  void writeUses(ValueRange values);
  void define(Value value);
  void write(const LaunchContract &contract);
  void write(ArrayRef<index::Expr> exprs);

  void word(uint64_t number) {
    text.append(reinterpret_cast<const char *>(&number), sizeof(number));
  }
  void word(const void *pointer) { word(uint64_t(reinterpret_cast<uintptr_t>(pointer))); }
  void word(index::Expr expr) { word(expr.getAsOpaquePointer()); }
  bool isNeeded(Value value) const { return needed.contains(value); }

  std::string text;
  /// Values that an address, a mask or a path depends on, and the operations that make them or hold
  /// an access.
  llvm::DenseSet<Value> needed;
  llvm::DenseSet<Operation *> written;
  llvm::SmallVector<Value> work;
  llvm::DenseMap<Value, uint64_t> numbers;
};

} // namespace

void KeyWriter::need(Value value) {
  if (value && needed.insert(value).second)
    work.push_back(value);
}

/// What the terminators within an operation hand on.
void KeyWriter::needYielded(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (block.mightHaveTerminator())
        llvm::for_each(block.getTerminator()->getOperands(), [&](Value value) { need(value); });
}

/// The operations around an access, and what they decide by whether and how often it is executed.
void KeyWriter::needPath(Operation *access) {
  for (Operation *op = access->getParentOp(); !isa<func::FuncOp>(op); op = op->getParentOp()) {
    if (!written.insert(op).second)
      return;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      need(loop.getInductionVar());
    else
      llvm::for_each(op->getOperands(), [&](Value value) { need(value); });
  }
}

/// What a value is made of. What memory holds is unknown whatever was written there.
void KeyWriter::needParts(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *op = argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  if (isa<func::FuncOp>(op))
    return;
  written.insert(op);
  if (memoryOperandsOf(op).pointer)
    return;
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop) {
    llvm::for_each(op->getOperands(), [&](Value operand) { need(operand); });
    return needYielded(op);
  }
  need(loop.getInductionVar());
  for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
    need(bound);
  if (value == loop.getInductionVar())
    return;
  unsigned place = argument ? argument.getArgNumber() - loop.getNumInductionVars()
                            : cast<OpResult>(value).getResultNumber();
  need(loop.getRegionIterArg(place));
  need(loop.getInitArgs()[place]);
  need(loop.getYieldedValues()[place]);
}

void KeyWriter::define(Value value) {
  word(value.getType().getAsOpaquePointer());
  numbers[value] = numbers.size() + 1;
}

/// 0 stands for what no proof depends on.
void KeyWriter::writeUses(ValueRange values) {
  word(uint64_t(values.size()));
  for (Value value : values) {
    assert((!value || !isNeeded(value) || numbers.contains(value)) && "used before it is made");
    word(value && isNeeded(value) ? numbers.lookup(value) : 0);
  }
}

void KeyWriter::writeRegions(Operation *op) {
  for (Region &region : op->getRegions()) {
    for (Block &block : region) {
      for (BlockArgument argument : block.getArguments())
        if (!numbers.contains(argument))
          define(argument);
      for (Operation &inner : block)
        write(&inner);
      word(uint64_t(0));
    }
    word(uint64_t(0));
  }
}

/// Of what a loop carries only that which proofs depend on.
void KeyWriter::writeLoop(scf::ForOp loop) {
  writeUses({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
  define(loop.getInductionVar());
  llvm::SmallVector<Value> carried;
  for (auto [argument, init, yielded] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs(), loop.getYieldedValues()))
    if (isNeeded(argument)) {
      writeUses(init);
      define(argument);
      carried.push_back(yielded);
    }
  for (Operation &inner : loop.getBody()->without_terminator())
    write(&inner);
  writeUses(carried);
}

void KeyWriter::write(Operation *op) {
  MemoryOperands memory = memoryOperandsOf(op);
  bool isTerminator = op->hasTrait<OpTrait::IsTerminator>();
  if (!memory.pointer && !isTerminator && !written.contains(op))
    return;
  word(op->getName().getAsOpaquePointer());
  if (memory.pointer) {
    writeUses({memory.pointer, memory.mask});
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    writeLoop(loop);
  } else {
    word(op->getAttrDictionary().getAsOpaquePointer());
    writeUses(op->getOperands());
    writeRegions(op);
  }
  for (OpResult result : op->getResults())
    if (isNeeded(result)) {
      word(uint64_t(result.getResultNumber()));
      define(result);
    }
}

void KeyWriter::write(ArrayRef<index::Expr> exprs) {
  word(uint64_t(exprs.size()));
  for (index::Expr expr : exprs)
    word(expr);
}

void KeyWriter::write(const LaunchContract &contract) {
  llvm::SmallVector<const void *> memories;
  for (const ArgumentContract &argument : contract.arguments) {
    word(uint64_t(argument.isTensor) * 2 + uint64_t(argument.isInjective));
    write(argument.sizes);
    write(argument.strides);
    word(argument.value);
    if (argument.memory && !llvm::is_contained(memories, argument.memory))
      memories.push_back(argument.memory);
    word(uint64_t(argument.memory ? llvm::find(memories, argument.memory) - memories.begin() + 1
                                  : 0));
    word(uint64_t(argument.parts.size()));
    for (const AxisPart &part : argument.parts)
      write({part.start, part.size, part.step});
  }
  write(contract.grid);
  llvm::SmallVector<std::pair<index::Expr, index::Expr>> meta(contract.meta.begin(),
                                                              contract.meta.end());
  llvm::sort(meta, [](const auto &a, const auto &b) { return a.first < b.first; });
  for (auto [name, value] : meta) {
    word(name);
    word(value);
  }
  llvm::SmallVector<std::pair<index::Expr, index::Pred>> conditions(contract.conditions.begin(),
                                                                    contract.conditions.end());
  llvm::sort(conditions, [](const auto &a, const auto &b) { return a.first < b.first; });
  for (auto [name, pred] : conditions) {
    word(name);
    word(pred.getAsOpaquePointer());
  }
  word(uint64_t(contract.isOpen));
  for (index::Pred pred : contract.facts.getAssumptions())
    word(pred.getAsOpaquePointer());
}

std::string KeyWriter::run(func::FuncOp kernel, const LaunchContract &contract) {
  kernel.walk([&](Operation *op) {
    MemoryOperands memory = memoryOperandsOf(op);
    if (!memory.pointer)
      return;
    need(memory.pointer);
    need(memory.mask);
    needPath(op);
  });
  while (!work.empty())
    needParts(work.pop_back_val());
  for (BlockArgument argument : kernel.getArguments())
    define(argument);
  writeRegions(kernel);
  write(contract);
  return std::move(text);
}

std::string proofKeyOf(func::FuncOp kernel, const LaunchContract &contract) {
  return KeyWriter().run(kernel, contract);
}

} // namespace nereid::analysis
