// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/Needs.h"

#include "tile/TileOps.h"
#include "tile/TileTypes.h"

using namespace mlir;

namespace nereid::host {

BlockArgument getBase(Value pointer, func::FuncOp kernel) {
  while (Operation *op = pointer.getDefiningOp()) {
    Value next;
    for (Value operand : op->getOperands())
      if (tile::getPtrType(operand.getType())) {
        if (next)
          return {};
        next = operand;
      }
    if (!next)
      return {};
    pointer = next;
  }
  auto argument = cast<BlockArgument>(pointer);
  return argument.getOwner() == &kernel.getBody().front() ? argument : BlockArgument();
}

/// The arguments that a kernel writes to; nothing when that is not known.
static std::optional<llvm::SmallBitVector> getWritten(func::FuncOp kernel) {
  llvm::SmallBitVector written(kernel.getNumArguments());
  bool isKnown = true;
  kernel.walk([&](Operation *op) {
    if (!isa<tile::StoreOp, tile::AtomicRmwOp, tile::AtomicCasOp>(op))
      return;
    BlockArgument base = getBase(op->getOperand(0), kernel);
    if (base)
      written.set(base.getArgNumber());
    isKnown &= bool(base);
  });
  return isKnown ? std::optional(written) : std::nullopt;
}

/// The arguments whose elements reach what is stored to each argument; nothing where they go
/// through loops or branches.
static std::optional<llvm::DenseMap<unsigned, llvm::SmallBitVector>>
getReached(func::FuncOp kernel) {
  llvm::DenseMap<unsigned, llvm::SmallBitVector> reached;
  for (Operation &op : kernel.getBody().front()) {
    bool hasPlainRegion = isa<tile::ReduceOp, tile::ScanOp>(op);
    if ((op.getNumRegions() > 0 && !hasPlainRegion) ||
        isa<tile::AtomicRmwOp, tile::AtomicCasOp>(op))
      return std::nullopt;
    auto store = dyn_cast<tile::StoreOp>(op);
    if (!store)
      continue;
    BlockArgument base = getBase(store->getOperand(0), kernel);
    if (!base)
      return std::nullopt;
    llvm::SmallBitVector &own =
        reached.try_emplace(base.getArgNumber(), llvm::SmallBitVector(kernel.getNumArguments()))
            .first->second;
    llvm::SmallVector<Value> open(store->getOperands());
    llvm::DenseSet<Value> seen;
    while (!open.empty()) {
      Value value = open.pop_back_val();
      Operation *made = value.getDefiningOp();
      if (!seen.insert(value).second || !made)
        continue;
      if (auto load = dyn_cast<tile::LoadOp>(made)) {
        BlockArgument from = getBase(load->getOperand(0), kernel);
        if (!from)
          return std::nullopt;
        own.set(from.getArgNumber());
      }
      llvm::append_range(open, made->getOperands());
    }
  }
  return reached;
}

/// Whether a kernel does nothing with an argument but store to it.
static bool isOnlyStored(func::FuncOp kernel, unsigned place) {
  bool isStored = true;
  kernel.walk([&](Operation *op) {
    if (isa<tile::LoadOp, tile::AtomicRmwOp, tile::AtomicCasOp>(op)) {
      BlockArgument base = getBase(op->getOperand(0), kernel);
      isStored &= base && base.getArgNumber() != place;
    }
  });
  return isStored;
}

/// The tensor in whose memory a tensor lies.
static Value getOwner(Value value) {
  while (isa_and_present<ViewOp, AsContiguousOp, ContiguousOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

llvm::SmallBitVector &Needs::of(Value value) {
  return values.try_emplace(getOwner(value), llvm::SmallBitVector(count)).first->second;
}

void Needs::visit(LaunchOp launch) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(launch, launch.getKernelAttr());
  std::optional<llvm::SmallBitVector> written = getWritten(kernel);
  llvm::SmallBitVector needed(count, !written);
  for (auto [place, argument] : llvm::enumerate(launch.getArguments()))
    if (isa<TensorType>(argument.getType()) && written && written->test(place))
      needed |= of(argument);
  isSelective |= !needed.all();
  for (auto [place, argument] : llvm::enumerate(launch.getArguments())) {
    // A loop's launches are looked at again, with what later turns need.
    this->written.erase({launch, unsigned(place)});
    if (!isa<TensorType>(argument.getType()) || !written || !written->test(place))
      continue;
    const llvm::SmallBitVector &own = of(argument);
    if (own != needed && own.any() && isOnlyStored(kernel, place)) {
      this->written[{launch, unsigned(place)}] = own;
      isSelective = true;
    }
  }
  // What is read for an output that nobody asks for may hold anything.
  auto reached = getReached(kernel);
  for (auto [place, argument] : llvm::enumerate(launch.getArguments())) {
    if (!isa<TensorType>(argument.getType()))
      continue;
    bool isWritten = written && written->test(place);
    if (isWritten && isOnlyStored(kernel, place))
      continue;
    if (isWritten || !reached) {
      of(argument) |= needed;
      continue;
    }
    llvm::SmallBitVector own(count);
    for (auto &[output, arguments] : *reached) {
      auto optional = this->written.find({launch, output});
      if (arguments.test(place))
        own |= optional == this->written.end() ? needed : optional->second;
    }
    of(argument) |= own;
  }
  launches[launch] = needed;
}

/// What makes tensors, of which it may be told which are wanted.
void Needs::visitMade(Operation *op, bool isSelected) {
  llvm::SmallBitVector needed(count);
  for (Value result : op->getResults()) {
    needed |= of(result);
    isSelective |= isSelected && !of(result).all();
  }
  for (Value operand : op->getOperands())
    if (isa<TensorType>(operand.getType()))
      of(operand) |= needed;
}

/// What a turn needs of the one before it, the one before that needs too.
void Needs::visitTurns(ForOp loop) {
  Block &body = loop.getBody().front();
  ValueRange yielded = body.getTerminator()->getOperands();
  auto join = [&](ValueRange from, ValueRange to) {
    bool grows = false;
    for (auto [source, target] : llvm::zip_equal(from, to)) {
      llvm::SmallBitVector needed = of(source), before = of(target);
      of(target) |= needed;
      grows |= of(target) != before;
    }
    return grows;
  };
  join(loop.getResults(), yielded);
  do
    visit(body);
  while (join(body.getArguments(), yielded));
  join(body.getArguments(), loop.getInits());
  join(loop.getResults(), loop.getInits());
}

/// From the end to the start: what is written is needed where it is read later.
void Needs::visit(Block &block) {
  for (Operation &op : llvm::reverse(block)) {
    if (auto launch = dyn_cast<LaunchOp>(op)) {
      visit(launch);
    } else if (auto call = dyn_cast<CallOp>(op)) {
      visitMade(call, bool(call.getTo()));
    } else if (auto apply = dyn_cast<ApplyOp>(op)) {
      visitMade(apply, isSelectiveFunction(apply.getFunction()));
    } else if (auto copy = dyn_cast<CopyLikeOp>(op)) {
      visitMade(copy, false);
    } else if (auto loop = dyn_cast<WhileOp>(op)) {
      // What a turn reads, one before it wrote.
      for (int turn = 0; turn < 2; ++turn)
        visit(loop.getBody().front());
    } else if (auto turns = dyn_cast<ForOp>(op)) {
      visitTurns(turns);
    } else if (auto choice = dyn_cast<IfOp>(op)) {
      for (Region *arm : {&choice.getThen(), &choice.getOtherwise()}) {
        ValueRange yielded = arm->front().getTerminator()->getOperands();
        for (auto [inner, outer] : llvm::zip_equal(yielded, choice.getResults()))
          if (isa<TensorType>(outer.getType())) {
            llvm::SmallBitVector needed = of(outer);
            of(inner) |= needed;
          }
        visit(arm->front());
      }
    }
  }
}

unsigned countOwnResults(func::FuncOp program) {
  unsigned own = 0;
  while (own < program.getNumResults() && !program.getResultAttr(own, "host.saved"))
    ++own;
  return own;
}

Needs::Needs(func::FuncOp program) : own(countOwnResults(program)) {
  Block &body = program.getBody().front();
  bool savesIfAsked = program->hasAttr(savesIfAskedAttrName);
  count = savesIfAsked ? 2 : program.getNumResults();
  for (auto [place, result] : llvm::enumerate(body.getTerminator()->getOperands())) {
    if (!savesIfAsked)
      of(result).set(place);
    else if (place < own)
      of(result).set();
    else
      of(result).set(1);
  }
  if (savesIfAsked)
    needWrites(program);
  visit(body);
}

/// What is written to arguments is for every call.
void Needs::needWrites(func::FuncOp program) {
  program.walk([&](AssignOp assign) { of(assign.getValue()).set(); });
  for (BlockArgument argument : program.getArguments())
    if (program.getArgAttr(argument.getArgNumber(), inPlaceAttrName))
      of(argument).set();
}

/// Whether one use of a tensor is left out where nothing asks for the tensor.
bool Needs::isLeftOut(OpOperand &use) const {
  Operation *user = use.getOwner();
  if (auto launch = dyn_cast<LaunchOp>(user))
    return written.contains({launch, use.getOperandNumber()}) || !getResults(launch).empty();
  if (isa<YieldOp>(user) && isa<IfOp>(user->getParentOp()))
    return llvm::all_of(user->getParentOp()->getResult(use.getOperandNumber()).getUses(),
                        [&](OpOperand &outer) { return isLeftOut(outer); });
  // Another type for the same tensor.
  if (isa<AsContiguousOp>(user))
    return llvm::all_of(user->getResult(0).getUses(),
                        [&](OpOperand &inner) { return isLeftOut(inner); });
  return isa<func::ReturnOp>(user) && use.getOperandNumber() >= own;
}

bool Needs::mayBeAbsent(Value made) const {
  return isa_and_present<EmptyOp>(made.getDefiningOp()) && !made.use_empty() &&
         llvm::all_of(made.getUses(), [&](OpOperand &use) { return isLeftOut(use); });
}

llvm::SmallVector<unsigned> Needs::getResults(LaunchOp launch) const {
  llvm::SmallVector<unsigned> results;
  const llvm::SmallBitVector &needed = launches.at(launch);
  if (!needed.all())
    for (unsigned result : needed.set_bits())
      results.push_back(result);
  return results;
}

llvm::SmallVector<unsigned> Needs::getResults(Value made) const {
  llvm::SmallVector<unsigned> results;
  if (auto needed = values.find(made); needed != values.end() && !needed->second.all())
    for (unsigned result : needed->second.set_bits())
      results.push_back(result);
  return results;
}

llvm::SmallVector<unsigned> Needs::getResults(LaunchOp launch, unsigned place) const {
  llvm::SmallVector<unsigned> results;
  if (auto own = written.find({launch, place}); own != written.end())
    for (unsigned result : own->second.set_bits())
      results.push_back(result);
  return results;
}

bool isSelectiveFunction(func::FuncOp function) {
  return (function->hasAttr("host.gradient_of") || function->hasAttr(savesIfAskedAttrName)) &&
         Needs(function).areSelective();
}

} // namespace nereid::host
