// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/Needs.h"

#include "tile/TileOps.h"
#include "tile/TileTypes.h"

using namespace mlir;

namespace nereid::emit {

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
  while (isa_and_present<host::ViewOp, host::AsContiguousOp, host::ContiguousOp>(
      value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

llvm::SmallBitVector &Needs::of(Value value) {
  return values.try_emplace(getOwner(value), llvm::SmallBitVector(count)).first->second;
}

void Needs::visit(host::LaunchOp launch) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(launch, launch.getKernelAttr());
  std::optional<llvm::SmallBitVector> written = getWritten(kernel);
  llvm::SmallBitVector needed(count, !written);
  for (auto [place, argument] : llvm::enumerate(launch.getArguments()))
    if (isa<host::TensorType>(argument.getType()) && written && written->test(place))
      needed |= of(argument);
  isSelective |= !needed.all();
  for (auto [place, argument] : llvm::enumerate(launch.getArguments())) {
    if (!isa<host::TensorType>(argument.getType()) || !written || !written->test(place))
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
    if (!isa<host::TensorType>(argument.getType()))
      continue;
    bool isRead = !written || !written->test(place);
    if (!isRead || !reached) {
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
    if (isa<host::TensorType>(operand.getType()))
      of(operand) |= needed;
}

/// What a turn needs of the one before it, the one before that needs too.
void Needs::visitTurns(host::ForOp loop) {
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
    if (auto launch = dyn_cast<host::LaunchOp>(op)) {
      visit(launch);
    } else if (auto call = dyn_cast<host::CallOp>(op)) {
      visitMade(call, bool(call.getTo()));
    } else if (auto apply = dyn_cast<host::ApplyOp>(op)) {
      visitMade(apply, isSelectiveFunction(apply.getFunction()));
    } else if (auto loop = dyn_cast<host::WhileOp>(op)) {
      // What a turn reads, one before it wrote.
      for (int turn = 0; turn < 2; ++turn)
        visit(loop.getBody().front());
    } else if (auto turns = dyn_cast<host::ForOp>(op)) {
      visitTurns(turns);
    } else if (auto choice = dyn_cast<host::IfOp>(op)) {
      for (Region *arm : {&choice.getThen(), &choice.getOtherwise()}) {
        ValueRange yielded = arm->front().getTerminator()->getOperands();
        for (auto [inner, outer] : llvm::zip_equal(yielded, choice.getResults()))
          if (isa<host::TensorType>(outer.getType())) {
            llvm::SmallBitVector needed = of(outer);
            of(inner) |= needed;
          }
        visit(arm->front());
      }
    }
  }
}

Needs::Needs(func::FuncOp program) : count(program.getNumResults()) {
  Block &body = program.getBody().front();
  for (auto [place, result] : llvm::enumerate(body.getTerminator()->getOperands()))
    of(result).set(place);
  visit(body);
}

llvm::SmallVector<unsigned> Needs::getResults(host::LaunchOp launch) const {
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

llvm::SmallVector<unsigned> Needs::getResults(host::LaunchOp launch, unsigned place) const {
  llvm::SmallVector<unsigned> results;
  if (auto own = written.find({launch, place}); own != written.end())
    for (unsigned result : own->second.set_bits())
      results.push_back(result);
  return results;
}

bool holdsAssertions(func::FuncOp kernel) {
  return kernel.walk([](tile::AssertOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

bool takesPrecision(func::FuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        auto dot = dyn_cast<tile::DotOp>(op);
        bool takes =
            isa<tile::Tf32Op>(op) || (dot && dot.getPrecision() == tile::Precision::Launched);
        return takes ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool isSelectiveFunction(func::FuncOp function) {
  return function->hasAttr("host.gradient_of") && Needs(function).areSelective();
}

} // namespace nereid::emit
