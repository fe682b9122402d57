// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "autodiff/Saving.h"

#include "autodiff/ComparedValues.h"
#include "autodiff/MinCut.h"
#include "autodiff/PlannedBytes.h"
#include "autodiff/Rules.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace nereid::autodiff {
namespace {

class Choice {
public:
  explicit Choice(Joint &joint) : joint(joint), planned(joint.program) {}

  FailureOr<std::vector<Saved>> run();

private:
  struct Vertex {
    unsigned in, out;
  };
  Joint &joint;
  PlannedBytes planned;
  FlowNetwork network;
  unsigned source = 0, sink = 0;
  llvm::MapVector<Value, Vertex> vertices;
  llvm::DenseMap<Value, bool> ofData;
  /// What kernels of the program read more often than once.
  llvm::DenseSet<Value> factors;
  /// What must not be computed again, though it could be (ComparedValues.h).
  llvm::DenseSet<Value> compared;

  bool dependsOnArguments(Value value);
  int64_t bytes(Value value) const { return planned.of(value); }
  bool isMutated(BlockArgument argument);
  int64_t cost(Value value);
  bool isRecomputable(Operation *op);
  void connect(Value value);
  std::vector<Saved> readCut();
};

} // namespace

bool Choice::dependsOnArguments(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return true;
  auto [place, isNew] = ofData.try_emplace(value, false);
  if (!isNew)
    return place->second;
  bool depends = llvm::any_of(op->getOperands(), [&](Value v) { return dependsOnArguments(v); });
  return ofData[value] = depends;
}

bool Choice::isRecomputable(Operation *op) {
  StringRef name = op->getName().stripDialect();
  auto within = [&](ArrayRef<RuleEntry> family) {
    return llvm::any_of(family, [&](const RuleEntry &entry) { return entry.name == name; });
  };
  return within(pointwiseRules()) || within(viewRules()) || isExpandingSum(op, planned);
}

/// Of such an argument a copy is saved, of what it was before the call.
bool Choice::isMutated(BlockArgument argument) {
  return llvm::any_of(joint.assigned, [&](const auto &assigned) {
    return assigned.first == argument.getArgNumber();
  });
}

int64_t Choice::cost(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isMutated(argument) ? 2 * bytes(value) : bytes(value);
  if (llvm::is_contained(joint.results(), value))
    return bytes(value);
  // It is stored anyway, unless it is made of arguments: these are saved as well.
  constexpr int64_t beside = 8;
  if (factors.contains(value))
    return bytes(value) + bytes(value) / beside;
  bool assigned = llvm::any_of(joint.assigned, [&](const auto &a) { return a.second == value; });
  bool isMadeAgain = isRecomputable(value.getDefiningOp()) && !compared.contains(value);
  return isMadeAgain && !assigned ? FlowNetwork::unlimited : 2 * bytes(value);
}

void Choice::connect(Value value) {
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (vertices.contains(next))
      continue;
    Vertex vertex{network.addVertex(), network.addVertex()};
    vertices.insert({next, vertex});
    network.addEdge(vertex.in, vertex.out, cost(next));
    Operation *op = next.getDefiningOp();
    if (!op || !isRecomputable(op) || compared.contains(next))
      network.addEdge(source, vertex.in, FlowNetwork::unlimited);
    if (!op)
      continue;
    for (Value operand : op->getOperands())
      if (dependsOnArguments(operand))
        open.push_back(operand);
  }
}

std::vector<Saved> Choice::readCut() {
  llvm::BitVector reached = network.reachableFrom(source);
  auto isCut = [&](Value value) {
    auto found = vertices.find(value);
    return found != vertices.end() && reached.test(found->second.in) &&
           !reached.test(found->second.out);
  };
  std::vector<Saved> saved;
  for (BlockArgument argument :
       joint.block().getArguments().take_front(joint.program.getNumArguments()))
    if (isCut(argument))
      saved.push_back(
          {argument, isMutated(argument) ? -1 : static_cast<int>(argument.getArgNumber()), -1});
  for (Operation &op : joint.block())
    for (Value value : op.getResults())
      if (isCut(value)) {
        auto result = llvm::find(joint.results(), value);
        bool isResult = result != joint.results().end();
        saved.push_back(
            {value, -1, isResult ? static_cast<int>(result - joint.results().begin()) : -1});
      }
  // Numbers stand behind the tensors, which are kept together.
  std::stable_partition(saved.begin(), saved.end(), [&](const Saved &item) {
    return item.argument < 0 || !joint.program.getArgAttr(item.argument, "graph.scalar");
  });
  return saved;
}

FailureOr<std::vector<Saved>> Choice::run() {
  source = network.addVertex();
  sink = network.addVertex();
  llvm::SetVector<Value> used;
  for (Operation &op : joint.block().without_terminator())
    if (!joint.forwardOps.contains(&op) && !isa<graph::CheckOp, graph::AssignOp>(op))
      for (Value operand : op.getOperands())
        if (joint.isForward(operand) && dependsOnArguments(operand))
          used.insert(operand);
  compared = findComparedValues(joint, [&](Operation *op) { return isRecomputable(op); });
  for (Operation *op : joint.forwardOps)
    for (Value factor : getReadFactors(op, planned))
      factors.insert(factor);
  for (Value value : used)
    connect(value);
  for (auto &[value, vertex] : vertices)
    if (Operation *op = value.getDefiningOp())
      for (Value operand : op->getOperands())
        if (auto from = vertices.find(operand); from != vertices.end())
          network.addEdge(from->second.out, vertex.in, FlowNetwork::unlimited);
  for (Value value : used)
    network.addEdge(vertices.find(value)->second.out, sink, FlowNetwork::unlimited);
  if (network.maximise(source, sink) < FlowNetwork::unlimited)
    return readCut();
  return joint.program.emitError("what the gradient needs cannot be saved");
}

FailureOr<std::vector<Saved>> chooseSaved(Joint &joint) { return Choice(joint).run(); }

} // namespace nereid::autodiff
