// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/NumericRules.h"
#include "audit/NameHints.h"
#include "audit/PaddedLanes.h"

#include "tile/Combiner.h"
#include "tile/Instance.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::audit {

static bool isHalf(Value value) {
  Type element = tile::getElementType(value.getType());
  return element.isF16() || element.isBF16();
}

/// The argument that a pointer comes from; empty where it is not in sight.
static std::string nameOf(Value pointer) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (!isa<tile::AddPtrOp, tile::SplatOp, tile::BroadcastOp>(op))
      return "";
    pointer = op->getOperand(0);
  }
  auto argument = dyn_cast<BlockArgument>(pointer);
  auto kernel = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return kernel ? tile::getArgumentName(kernel, argument.getArgNumber()) : "";
}

/// Whether the values count something: they were integers, or come from where these are.
static bool isCount(Value value) {
  if (auto loop = value.getDefiningOp<scf::ForOp>()) {
    Value yielded = loop.getYieldedValues()[cast<OpResult>(value).getResultNumber()];
    auto sum = yielded.getDefiningOp<arith::AddFOp>();
    return sum && isCount(sum.getRhs());
  }
  while (Operation *op = value.getDefiningOp()) {
    if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
      return true;
    if (auto load = dyn_cast<tile::LoadOp>(op))
      return namesIntegers(nameOf(load.getPtr()));
    if (isa<arith::AddFOp>(op))
      return isCount(op->getOperand(1));
    if (!isa<arith::ExtFOp, arith::TruncFOp, tile::SplatOp, tile::BroadcastOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

/// What adds to this sum in each turn: an addition of what is no count, or a product of matrices.
static Operation *findAddition(Value sum, Value yielded) {
  if (auto product = yielded.getDefiningOp<tile::DotOp>())
    return product.getAcc() == sum ? product : nullptr;
  auto addition = yielded.getDefiningOp<arith::AddFOp>();
  if (!addition || (addition.getLhs() != sum && addition.getRhs() != sum))
    return nullptr;
  return isCount(addition.getLhs() == sum ? addition.getRhs() : addition.getLhs()) ? nullptr
                                                                                   : addition;
}

void findNarrowSums(func::FuncOp kernel, RuleSite &site) {
  kernel.walk([&](scf::ForOp loop) {
    for (auto [argument, yielded] :
         llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues())) {
      Operation *sum = isHalf(argument) ? findAddition(argument, yielded) : nullptr;
      if (!sum)
        continue;
      Type element = tile::getElementType(argument.getType());
      site.addOnce("TRN001", Certainty::Likely, site.placeOf(sum),
                   "a loop sums in " + std::string(element.isF16() ? "float16" : "bfloat16") +
                       ", which is rounded in every turn",
                   "hold the sum in tl.float32, and cast it when it is stored",
                   "this sum of a loop too");
    }
  });
}

/// Whether the sum only picks one element of each line: nothing is rounded.
static bool isChoice(Value operand) {
  Operation *op = operand.getDefiningOp();
  if (!op)
    return false;
  if (isa<tile::GatherOp>(op))
    return true;
  if (isa<arith::MulFOp>(op))
    return isChoice(op->getOperand(0)) || isChoice(op->getOperand(1));
  Value asked;
  if (auto select = dyn_cast<arith::SelectOp>(op))
    asked = select.getCondition();
  else if (isa<arith::UIToFPOp>(op))
    asked = op->getOperand(0);
  if (!asked)
    return false;
  return llvm::any_of(conditionsOf(asked), [](Value condition) {
    auto compare = condition.getDefiningOp<arith::CmpIOp>();
    auto ofFloats = condition.getDefiningOp<arith::CmpFOp>();
    return (compare && compare.getPredicate() == arith::CmpIPredicate::eq) ||
           (ofFloats && ofFloats.getPredicate() == arith::CmpFPredicate::OEQ);
  });
}

static void findHalfSums(llvm::ArrayRef<func::FuncOp> halves, RuleSite &site) {
  for (func::FuncOp half : halves)
    half.walk([&](tile::ReduceOp fold) {
      if (tile::combinerKind(fold) != tile::Combiner::Sum || !isHalf(fold.getValues()[0]) ||
          isChoice(fold.getValues()[0]) || isCount(fold.getValues()[0]))
        return;
      SourceLocation place = site.placeOf(fold);
      Finding *finding = site.addOnce("TRN001", Certainty::Likely, place,
                                      "a sum of 16-bit inputs is rounded to 16 bits at each step",
                                      "cast what is summed to tl.float32", "this sum too");
      if (finding)
        finding->suggestions.push_back({Suggestion::Single, place, "", ""});
    });
}

void applyHalfRules(RuleSite &site, llvm::ArrayRef<func::FuncOp> halves,
                    llvm::ArrayRef<Diagnostic> rejections) {
  findHalfSums(halves, site);
  for (func::FuncOp half : halves)
    findNarrowSums(half, site);
  for (const Diagnostic &rejection : rejections)
    if (llvm::StringRef(rejection.message).contains("takes float32 or float64"))
      site.add("TRN016", Certainty::Proved, rejection.location,
               "the kernel does not compile for float16 inputs: " + rejection.message,
               rejection.help);
}

/// What is computed of the value, behind casts.
static Value withoutCasts(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Whether log(of) is a term of the value, not only one of its factors.
static bool hasLogarithm(Value value, Value of, unsigned depth = 0) {
  Operation *op = withoutCasts(value).getDefiningOp();
  if (!op || depth > 3)
    return false;
  if (isa<math::LogOp, math::Log2Op>(op))
    return areAlike(withoutCasts(op->getOperand(0)), of);
  return isa<arith::AddFOp, arith::SubFOp>(op) && (hasLogarithm(op->getOperand(0), of, depth + 1) ||
                                                   hasLogarithm(op->getOperand(1), of, depth + 1));
}

bool isChoiceByData(Operation *op) {
  auto choice = dyn_cast<arith::SelectOp>(op);
  return choice && isOfData(choice.getCondition());
}

bool isOfData(Value value, unsigned depth) {
  constexpr unsigned deepest = 16;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument == loop.getInductionVar())
      return isOfData(loop.getLowerBound(), depth + 1) || isOfData(loop.getUpperBound(), depth + 1);
    return !isa<func::FuncOp>(argument.getOwner()->getParentOp());
  }
  Operation *op = value.getDefiningOp();
  if (depth > deepest || op->getNumRegions())
    return true;
  return isa<tile::LoadOp>(op) || llvm::any_of(op->getOperands(), [&](Value operand) {
           return isOfData(operand, depth + 1);
         });
}

/// Whether numbers that are wrong are left out again behind it.
static bool isChosenFrom(Operation *op) {
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    return isChoiceByData(user) ||
           (isa<arith::MulFOp, arith::ExtFOp, arith::TruncFOp, arith::NegFOp>(user) &&
            llvm::any_of(user->getUsers(), isChoiceByData));
  });
}

void findUndefinedMath(func::FuncOp kernel, RuleSite &site) {
  kernel.walk([&](arith::MulFOp product) {
    for (unsigned side : {0, 1}) {
      Value x = withoutCasts(product->getOperand(side));
      if (!x.getDefiningOp<tile::LoadOp>() || isChosenFrom(product) ||
          !hasLogarithm(product->getOperand(1 - side), x))
        continue;
      site.add("TRN008", Certainty::Likely, site.placeOf(product),
               "x * log(x) is no number where x is 0, for 0 * -inf is none",
               "take the logarithm of tl.maximum(x, eps), or choose 0 there by tl.where");
    }
  });
}

} // namespace nereid::audit
