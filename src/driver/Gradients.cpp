// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/Gradients.h"

#include "autodiff/Autodiff.h"
#include "autodiff/Functions.h"
#include "graph/GraphOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace nereid::driver {

namespace {

/// Which arguments a value has gradients for, by the rules by which PyTorch's `requires_grad`
/// flows: from operand to result, through floating-point numbers only, not through `detach`. To
/// PyTorch a composite is one operator, and a function is what stands in it.
class GradientFlow {
public:
  GradientFlow(func::FuncOp program) : count(program.getNumArguments()) {
    for (BlockArgument argument : program.getArguments())
      set(argument, one(argument.getArgNumber()));
    for (Operation &op : program.front())
      visit(&op);
  }

  /// The arguments that reach a value.
  llvm::SmallBitVector reaching(Value value) const {
    auto found = arguments.find(value);
    return found == arguments.end() ? llvm::SmallBitVector(count) : found->second;
  }

private:
  llvm::SmallBitVector one(unsigned number) const {
    llvm::SmallBitVector only(count);
    only.set(number);
    return only;
  }

  void set(Value value, llvm::SmallBitVector from) {
    auto type = dyn_cast<graph::TensorType>(value.getType());
    if (type && isa<FloatType>(type.getElementType()))
      arguments[value] = std::move(from);
  }

  void visit(Operation *op) {
    if (isa<graph::DetachOp>(op))
      return;
    if (auto apply = dyn_cast<graph::ApplyOp>(op))
      return visitApply(apply);
    llvm::SmallBitVector all(count);
    for (Value operand : op->getOperands())
      all |= reaching(operand);
    for (Value result : op->getResults())
      set(result, all);
  }

  void visitApply(graph::ApplyOp apply) {
    func::FuncOp function = apply.getFunction();
    GradientFlow within(function);
    Operation *end = function.front().getTerminator();
    for (auto [result, value] : llvm::zip_equal(apply.getResults(), end->getOperands())) {
      llvm::SmallBitVector all(count), inner = within.reaching(value);
      for (unsigned argument : inner.set_bits())
        all |= reaching(apply.getOperand(argument));
      set(result, std::move(all));
    }
  }

  unsigned count;
  llvm::DenseMap<Value, llvm::SmallBitVector> arguments;
};

/// What is known of a program before its marks of gradients are taken away.
struct Reached {
  /// The arguments that reach each result.
  llvm::SmallVector<llvm::SmallBitVector> results;
};

Reached findReached(func::FuncOp program) {
  GradientFlow flow(program);
  Reached reached;
  for (Value result : program.front().getTerminator()->getOperands())
    reached.results.push_back(flow.reaching(result));
  return reached;
}

/// Writes `graph.gradients`, and leaves to the backward program the results that it has to compute:
/// not the gradients of arguments that reach no result (PyTorch leaves their `grad` alone), nor
/// what is one of its arguments or another result. Returns the arguments that have a gradient.
llvm::SmallBitVector listGradients(func::FuncOp backward, const Reached &reached) {
  unsigned arguments = reached.results.empty() ? 0 : reached.results.front().size();
  llvm::SmallBitVector wanted(arguments), used(arguments);
  for (const llvm::SmallBitVector &result : reached.results)
    used |= result;
  Operation *end = backward.front().getTerminator();
  Builder builder(backward.getContext());
  llvm::SmallVector<Attribute> list;
  llvm::SetVector<Value> kept;
  llvm::BitVector dropped(backward.getNumResults());
  for (auto [place, value] : llvm::enumerate(end->getOperands())) {
    auto argument = backward.getResultAttrOfType<IntegerAttr>(place, "graph.gradient");
    dropped.set(place);
    if (!used.test(argument.getInt()))
      continue;
    wanted.set(argument.getInt());
    NamedAttrList entry;
    entry.set("argument", argument);
    llvm::SmallVector<int64_t> of; // the results that it depends on
    for (auto [result, reaching] : llvm::enumerate(reached.results))
      if (reaching.test(argument.getInt()))
        of.push_back(result);
    entry.set("of", builder.getI64ArrayAttr(of));
    if (auto given = dyn_cast<BlockArgument>(value)) {
      entry.set("operand", builder.getI64IntegerAttr(given.getArgNumber()));
    } else {
      if (kept.insert(value))
        dropped.reset(place);
      unsigned result = std::distance(kept.begin(), llvm::find(kept, value));
      entry.set("result", builder.getI64IntegerAttr(result));
    }
    list.push_back(entry.getDictionary(builder.getContext()));
  }
  (void)backward.eraseResults(dropped);
  end->eraseOperands(dropped);
  backward->setAttr("graph.gradients", builder.getArrayAttr(list));
  std::string text;
  for (unsigned place = 0; place < backward.getNumResults(); ++place)
    text += (place ? ", {" : "{") + std::to_string(place) + "}";
  if (backward.getNumResults() != 1)
    text = "(" + text + ")";
  backward->setAttr("graph.result", builder.getStringAttr(text));
  return wanted;
}

/// Marks the tensors whose gradient could be asked for, but is not computed.
void markWithout(func::FuncOp program, func::FuncOp backward) {
  llvm::SmallBitVector wanted(program.getNumArguments());
  for (unsigned place = 0; place < backward.getNumResults(); ++place)
    wanted.set(backward.getResultAttrOfType<IntegerAttr>(place, "graph.gradient").getInt());
  for (auto [number, type] : llvm::enumerate(program.getArgumentTypes()))
    if (auto tensor = cast<graph::TensorType>(type); isa<FloatType>(tensor.getElementType()) &&
                                                     !wanted.test(number) &&
                                                     !program.getArgAttr(number, "graph.scalar"))
      program.setArgAttr(number, "graph.no_gradient", UnitAttr::get(program.getContext()));
}

/// The same program without the results that exist only to be saved.
func::FuncOp addPlain(func::FuncOp saving, unsigned own) {
  OpBuilder builder(saving);
  auto plain = cast<func::FuncOp>(builder.clone(*saving));
  llvm::BitVector extra(plain.getNumResults());
  extra.set(own, plain.getNumResults());
  (void)plain.eraseResults(extra);
  Operation *end = plain.front().getTerminator();
  end->eraseOperands(own, end->getNumOperands() - own);
  for (llvm::StringRef mark : {"graph.saved", "graph.backward"})
    plain->removeAttr(mark);
  return plain;
}

LogicalResult addTo(func::FuncOp program) {
  Reached reached = findReached(program);
  unsigned own = program.getNumResults();
  if (failed(autodiff::addBackward(program)))
    return failure();
  auto name = program->getAttrOfType<FlatSymbolRefAttr>("graph.backward");
  auto backward = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(program->getParentOp(), name);
  markWithout(program, backward);
  llvm::SmallBitVector wanted = listGradients(backward, reached);
  if (wanted.none())
    return program.emitError("no result has a gradient: none depends on a floating-point input in "
                             "a way that has one");
  for (auto [result, from] : llvm::enumerate(reached.results))
    if (!from.anyCommon(wanted))
      program.setResultAttr(result, "graph.constant", UnitAttr::get(program.getContext()));
  if (program.getNumResults() == own) {
    autodiff::applyPlainFunctions(program);
    return success();
  }
  std::string plainName = program.getName().str();
  func::FuncOp plain = addPlain(program, own);
  autodiff::applyPlainFunctions(plain);
  autodiff::applyPlainFunctions(program);
  std::string savingName = plainName + "_saving";
  program.setName(savingName);
  plain->setAttr("graph.saving", FlatSymbolRefAttr::get(program.getContext(), savingName));
  backward->setAttr("graph.gradient_of", FlatSymbolRefAttr::get(program));
  return success();
}

} // namespace

LogicalResult addGradients(ModuleOp module) {
  llvm::SmallVector<func::FuncOp> programs;
  for (auto program : module.getOps<func::FuncOp>())
    if (program->hasAttr("graph.program") && !program->hasAttr("graph.function"))
      programs.push_back(program);
  for (func::FuncOp program : programs)
    if (failed(addTo(program)))
      return failure();
  return success();
}

} // namespace nereid::driver
