// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "autodiff/ComparedValues.h"

#include "autodiff/Rules.h"

using namespace mlir;

namespace nereid::autodiff {

namespace {

/// How a value rounds what it is made of: not at all, in products alone or in sums alone, which
/// come out the same in each kernel, or in a way that may differ.
enum class Rounds : uint8_t { Nothing, Products, Sums, Differently };

class ComparedValues {
public:
  ComparedValues(Joint &joint, llvm::function_ref<bool(Operation *)> isRecomputable)
      : joint(joint), isRecomputable(isRecomputable) {}

  llvm::DenseSet<Value> find();

private:
  static Rounds roundsBy(Operation *op);
  Rounds rounds(Value value);
  bool isCompared(Value folded) const;
  void add(Value value);

  Joint &joint;
  llvm::function_ref<bool(Operation *)> isRecomputable;
  llvm::DenseMap<Value, Rounds> known;
  llvm::DenseSet<Value> visited, found;
};

} // namespace

/// What an operator does by itself.
Rounds ComparedValues::roundsBy(Operation *op) {
  auto type = cast<graph::TensorType>(op->getResult(0).getType());
  bool isView = llvm::any_of(viewRules(), [&](const RuleEntry &entry) {
    return entry.name == op->getName().stripDialect();
  });
  if (!isa<FloatType>(type.getElementType()) || isView ||
      isa<graph::NegOp, graph::AbsOp, graph::WhereOp, graph::MaximumOp, graph::MinimumOp,
          graph::CastOp, graph::Tf32Op, graph::DetachOp>(op))
    return Rounds::Nothing;
  if (isa<graph::MulOp>(op))
    return Rounds::Products;
  return isa<graph::AddOp, graph::SubOp>(op) ? Rounds::Sums : Rounds::Differently;
}

/// As far as the value is made again from arguments and what has to be saved.
Rounds ComparedValues::rounds(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isRecomputable(op))
    return Rounds::Nothing;
  auto [place, isNew] = known.try_emplace(value, Rounds::Differently);
  if (!isNew)
    return place->second;
  Rounds result = roundsBy(op);
  for (Value operand : op->getOperands()) {
    Rounds own = rounds(operand);
    if (own != Rounds::Nothing)
      result = result == Rounds::Nothing || result == own ? own : Rounds::Differently;
  }
  return known[value] = result;
}

bool ComparedValues::isCompared(Value folded) const {
  return llvm::any_of(folded.getUsers(), [&](Operation *user) {
    return isa<graph::EqOp>(user) && !joint.forwardOps.contains(user);
  });
}

/// A view of many elements is made again of the few that it shows.
void ComparedValues::add(Value value) {
  if (rounds(value) != Rounds::Differently || !visited.insert(value).second)
    return;
  if (roundsBy(value.getDefiningOp()) != Rounds::Nothing) {
    found.insert(value);
    return;
  }
  for (Value operand : value.getDefiningOp()->getOperands())
    add(operand);
}

llvm::DenseSet<Value> ComparedValues::find() {
  auto addFolded = [&](Value folded, graph::FoldKind kind) {
    bool isExtreme = kind == graph::FoldKind::Max || kind == graph::FoldKind::Min;
    if (isExtreme && isCompared(folded))
      add(folded);
  };
  for (Operation *op : joint.forwardOps)
    llvm::TypeSwitch<Operation *>(op)
        .Case<graph::FoldOp, graph::ScanOp, graph::SegmentOp>(
            [&](auto fold) { addFolded(fold.getInput(), fold.getKind()); })
        .Case([&](graph::ScatterOp op) { addFolded(op.getUpdates(), op.getKind()); });
  return std::move(found);
}

llvm::DenseSet<Value>
findComparedValues(Joint &joint, llvm::function_ref<bool(mlir::Operation *)> isRecomputable) {
  return ComparedValues(joint, isRecomputable).find();
}

} // namespace nereid::autodiff
