// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "autodiff/Functions.h"

#include "autodiff/Autodiff.h"
#include "autodiff/BackwardProgram.h"
#include "graph/AppliedSizes.h"

using namespace mlir;

namespace nereid::autodiff {

static func::FuncOp lookUp(func::FuncOp function, StringRef mark) {
  auto name = function->getAttrOfType<FlatSymbolRefAttr>(mark);
  return name ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(function->getParentOp(), name)
              : func::FuncOp();
}

/// Whether something that a function takes has a gradient, and something that it gives.
static bool hasGradient(func::FuncOp function) {
  auto isFloating = [](Type type) {
    return isa<FloatType>(cast<graph::TensorType>(type).getElementType());
  };
  bool takes = false, gives = false;
  for (auto [place, type] : llvm::enumerate(function.getArgumentTypes()))
    takes |= isFloating(type) &&
             llvm::none_of(ArrayRef<StringRef>{"graph.scalar", "graph.buffer", "graph.frozen"},
                           [&](StringRef mark) { return bool(function.getArgAttr(place, mark)); });
  for (auto [place, type] : llvm::enumerate(function.getResultTypes()))
    gives |= isFloating(type) && !function.getResultAttr(place, "graph.constant");
  return takes && gives;
}

/// Nobody adds up what is zero whatever the gradients are.
static void dropZeros(func::FuncOp backward) {
  llvm::BitVector zeros(backward.getNumResults());
  for (unsigned place = 0; place < backward.getNumResults(); ++place)
    if (backward.getResultAttr(place, "graph.zero"))
      zeros.set(place);
  backward.front().getTerminator()->eraseOperands(zeros);
  (void)backward.eraseResults(zeros);
}

/// The function that saves what the gradient of another needs; null after diagnostics.
static func::FuncOp savingOf(func::FuncOp function) {
  if (function->hasAttr("graph.backward"))
    return function;
  if (func::FuncOp known = lookUp(function, "graph.saving"))
    return known;
  OpBuilder builder(function);
  builder.setInsertionPointAfter(function);
  auto saving = cast<func::FuncOp>(builder.clone(*function));
  dropGradientMarks(function);
  if (failed(addBackward(saving)))
    return {};
  applyPlainFunctions(saving);
  func::FuncOp backward = lookUp(saving, "graph.backward");
  dropZeros(backward);
  if (saving.getNumResults() == function.getNumResults()) {
    // It saves nothing of its own: the two are one.
    function.erase();
    return saving;
  }
  std::string name = (function.getName() + "_saving").str();
  backward->setAttr("graph.gradient_of", FlatSymbolRefAttr::get(builder.getContext(), name));
  saving.setName(name);
  saving->setAttr("graph.plain", FlatSymbolRefAttr::get(function));
  function->setAttr("graph.saving", FlatSymbolRefAttr::get(saving));
  return saving;
}

/// The same operands for another function, whose first results are those of the other.
static graph::ApplyOp reapply(graph::ApplyOp apply, func::FuncOp function) {
  OpBuilder builder(apply);
  graph::AppliedSizes sizes(function, apply.getOperands());
  auto other = graph::ApplyOp::create(builder, apply.getLoc(), sizes(function.getResultTypes()),
                                      function.getName(), apply.getOperands());
  for (auto [before, after] : llvm::zip(apply.getResults(), other.getResults()))
    before.replaceAllUsesWith(after);
  apply->erase();
  return other;
}

LogicalResult applySavingFunctions(func::FuncOp program) {
  for (auto apply : llvm::make_early_inc_range(program.front().getOps<graph::ApplyOp>())) {
    func::FuncOp function = apply.getFunction();
    if (!hasGradient(function)) {
      dropGradientMarks(function);
      continue;
    }
    func::FuncOp saving = savingOf(function);
    if (!saving)
      return failure();
    if (saving.getNumResults() != apply.getNumResults())
      reapply(apply, saving);
  }
  return success();
}

void applyPlainFunctions(func::FuncOp program) {
  for (auto apply : llvm::make_early_inc_range(program.front().getOps<graph::ApplyOp>())) {
    func::FuncOp plain = lookUp(apply.getFunction(), "graph.plain");
    if (plain && llvm::all_of(apply.getResults().drop_front(plain.getNumResults()),
                              [](Value saved) { return saved.use_empty(); }))
      reapply(apply, plain);
  }
}

/// What the backward function takes at the place of an entry of `graph.saved`.
static Value savedOf(graph::ApplyOp apply, const graph::AppliedSizes &sizes, DictionaryAttr entry,
                     GradientWriter &w) {
  if (auto argument = entry.getAs<IntegerAttr>("argument"))
    return apply.getOperand(argument.getInt());
  if (auto size = entry.getAs<sym::ExprAttr>("size"))
    return w.size(sizes(size.getExpr()));
  return apply.getResult(entry.getAs<IntegerAttr>("result").getInt());
}

void addApplyGradient(graph::ApplyOp apply, func::FuncOp function, ArrayRef<Value> gradients,
                      Reverse &reverse) {
  GradientWriter &w = reverse.writer;
  func::FuncOp backward = lookUp(function, "graph.backward");
  graph::AppliedSizes sizes(function, apply.getOperands());
  SmallVector<Value> operands;
  auto saved = function->getAttrOfType<ArrayAttr>("graph.saved");
  for (unsigned place = 0; place < backward.getNumArguments(); ++place) {
    if (auto of = backward.getArgAttrOfType<IntegerAttr>(place, "graph.cotangent")) {
      Value result = apply.getResult(of.getInt()), gradient = gradients[of.getInt()];
      Type element = w.typeOf(result).getElementType();
      operands.push_back(gradient ? w.cast(gradient, element, true) : w.like(result, 0));
      continue;
    }
    auto entry = backward.getArgAttrOfType<IntegerAttr>(place, "graph.saved");
    operands.push_back(savedOf(apply, sizes, cast<DictionaryAttr>(saved[entry.getInt()]), w));
  }
  graph::AppliedSizes within(backward, operands);
  auto made = graph::ApplyOp::create(w.builder, w.place, within(backward.getResultTypes()),
                                     backward.getName(), operands);
  for (auto [place, result] : llvm::enumerate(made.getResults())) {
    auto argument = backward.getResultAttrOfType<IntegerAttr>(place, "graph.gradient");
    Value operand = apply.getOperand(argument.getInt());
    reverse.add(operand, w.cast(result, gradientType(operand.getType()).getElementType()));
  }
}

} // namespace nereid::autodiff
