// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products, folds and scans. A fold that Triton has by name is printed by it; any other becomes
// `tl.reduce` with a function of its own in the file.
#include "emit/KernelTraits.h"
#include "emit/Spelling.h"
#include "emit/TilePrinter.h"
#include "tile/Combiner.h"
#include "tile/TileTypes.h"

using namespace mlir;

namespace nereid::emit {

using Shape = llvm::SmallVector<int64_t, 4>;
using tile::Combiner;

static Operand whole(Code code, Type type) {
  return {std::move(code), getExtents(type), {}, false, false};
}

static Code axisArgument(int axis) {
  return Code::keyword("axis", Code::text(std::to_string(axis)));
}

Operand TilePrinter::renderDot(tile::DotOp op) {
  Type accumulator = tile::getElementType(op.getAcc().getType());
  bool isFloat32 = tile::getElementType(op.getLhs().getType()).isF32();
  if (!isFloat32 && op.getPrecision() != tile::Precision::Ieee &&
      op.getPrecision() != tile::Precision::Tf32)
    return refuse(op, "asks for a precision that only float32 operands have");
  llvm::SmallVector<Code> arguments = {getExact(op.getLhs()).code, getExact(op.getRhs()).code};
  Operand acc = get(op.getAcc());
  if (!acc.literal || !isPositiveZero(acc.literal))
    arguments.push_back(getExact(op.getAcc()).code);
  if (isFloat32) {
    bool isLaunched = op.getPrecision() == tile::Precision::Launched;
    std::string precision =
        isLaunched ? precisionName.str() : quote(tile::stringifyPrecision(op.getPrecision()));
    arguments.push_back(Code::keyword("input_precision", Code::text(precision)));
  }
  if (accumulator.isF16())
    arguments.push_back(Code::keyword("out_dtype", Code::text("tl.float16")));
  return whole(Code::call("tl.dot", arguments), op.getType());
}

namespace {
/// How Triton names a fold of one value.
struct NamedFold {
  llvm::StringRef reduce;
  llvm::StringRef scan;
  /// The function gives a wider type for these elements, and a cast brings back the value.
  bool widensHalf = false;
  bool isUnsigned = false;
};
} // namespace

static NamedFold getNamedFold(Combiner kind) {
  switch (kind) {
  case Combiner::Sum:
    return {"tl.sum", "tl.cumsum"};
  case Combiner::Prod:
    return {"", "tl.cumprod"};
  case Combiner::MaxNum:
    return {"tl.max", "", true};
  case Combiner::MinNum:
    return {"tl.min", "", true};
  case Combiner::SMax:
    return {"tl.max", ""};
  case Combiner::SMin:
    return {"tl.min", ""};
  case Combiner::UMax:
    return {"tl.max", "", false, true};
  case Combiner::UMin:
    return {"tl.min", "", false, true};
  case Combiner::Xor:
    return {"tl.xor_sum", ""};
  default:
    return {};
  }
}

Operand TilePrinter::renderReduce(tile::ReduceOp op) {
  std::optional<Combiner> kind = tile::getCombiner(op.getCombine());
  if (kind == Combiner::ArgMax || kind == Combiner::ArgMin)
    if (std::optional<Operand> index = renderArgFold(op))
      return *index;
  int axis = op.getAxis();
  NamedFold fold = kind && op.getValues().size() == 1 ? getNamedFold(*kind) : NamedFold();
  Type type = op.getResult(0).getType();
  Type element = tile::getElementType(type);
  if (fold.reduce.empty() || element.isInteger(1))
    return renderGenericFold(op, "tl.reduce", op.getCombine(), axis, false);
  Value value = op.getValues()[0];
  Operand operand = getExact(value);
  if (fold.isUnsigned)
    operand = cast(operand, value.getType(), true);
  Operand result = whole(Code::call(fold.reduce, {operand.code, axisArgument(axis)}), type);
  result.isUnsigned = fold.isUnsigned;
  bool isSmall = element.isInteger(8) || element.isInteger(16);
  if ((isSmall && kind != Combiner::Xor) || (isHalf(element) && fold.widensHalf))
    return cast(result, element, fold.isUnsigned);
  return result;
}

Operand TilePrinter::renderScan(tile::ScanOp op) {
  std::optional<Combiner> kind = tile::getCombiner(op.getCombine());
  NamedFold fold = kind && op.getValues().size() == 1 ? getNamedFold(*kind) : NamedFold();
  Type type = op.getResult(0).getType();
  Type element = tile::getElementType(type);
  bool isPlain =
      element.isF32() || element.isF64() || element.isInteger(32) || element.isInteger(64);
  if (fold.scan.empty() || !isPlain)
    return renderGenericFold(op, "tl.associative_scan", op.getCombine(), op.getAxis(),
                             op.getReverse());
  llvm::SmallVector<Code> arguments = {getExact(op.getValues()[0]).code,
                                       axisArgument(op.getAxis())};
  if (op.getReverse())
    arguments.push_back(Code::keyword("reverse", Code::text("True")));
  return whole(Code::call(fold.scan, arguments), type);
}

Operand TilePrinter::renderGenericFold(Operation *op, llvm::StringRef function, Region &region,
                                       int axis, bool reverse) {
  llvm::SmallVector<Code> values;
  for (Value value : op->getOperands())
    values.push_back(getExact(value).code);
  Code input = values.size() == 1 ? values[0] : Code::tuple(values);
  llvm::SmallVector<Code> arguments = {input, Code::text(std::to_string(axis)),
                                       Code::text(getCombinerName(op, region))};
  if (reverse)
    arguments.push_back(Code::keyword("reverse", Code::text("True")));
  return whole(Code::call(function, arguments), op->getResult(0).getType());
}

/// The tile that counts 0, 1, ... along an axis, whatever its other axes.
static bool countsAlong(Value value, int axis) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
      if (int(expand.getAxis()) == axis)
        return false;
      axis -= int(expand.getAxis()) < axis;
    } else if (!isa<tile::BroadcastOp, tile::RelabelOp>(op)) {
      auto range = dyn_cast<tile::RangeOp>(op);
      return range && range.getStart() == 0 && axis == 0;
    }
    value = op->getOperand(0);
  }
  return false;
}

/// `tl.argmax`, where only the index is used and the indices are the places themselves.
std::optional<Operand> TilePrinter::renderArgFold(tile::ReduceOp op) {
  Type element = tile::getElementType(op.getValues()[0].getType());
  bool isPlain =
      element.isF32() || element.isF64() || element.isInteger(32) || element.isInteger(64);
  if (!op.getResult(0).use_empty() || !isPlain || !countsAlong(op.getValues()[1], op.getAxis()))
    return std::nullopt;
  bool isMax = tile::getCombiner(op.getCombine()) == Combiner::ArgMax;
  Code code = Code::call(isMax ? "tl.argmax" : "tl.argmin",
                         {getExact(op.getValues()[0]).code, axisArgument(op.getAxis())});
  return whole(code, op.getResult(1).getType());
}

/// How a combiner of a value and its index is called: by its comparison of values.
static std::string getIndexedWish(Region &region) {
  for (arith::CmpFOp compare : region.getOps<arith::CmpFOp>()) {
    if (compare.getPredicate() == arith::CmpFPredicate::OGT)
      return "_argmax_nan";
    if (compare.getPredicate() == arith::CmpFPredicate::OLT)
      return "_argmin_nan";
  }
  // A step of a scan beside whether it starts again.
  return region.getOps<arith::OrIOp>().empty() ? "_combine" : "_restarting";
}

static std::string getCombinerWish(Region &region) {
  if (!tile::getCombiner(region) && region.getNumArguments() == 4)
    return getIndexedWish(region);
  switch (tile::getCombiner(region).value_or(Combiner::Sum)) {
  case Combiner::Prod:
    return "_product";
  case Combiner::Max:
    return "_max_nan";
  case Combiner::Min:
    return "_min_nan";
  case Combiner::MaxNum:
  case Combiner::SMax:
  case Combiner::UMax:
    return "_max";
  case Combiner::MinNum:
  case Combiner::SMin:
  case Combiner::UMin:
    return "_min";
  case Combiner::And:
    return "_and";
  case Combiner::Or:
    return "_or";
  case Combiner::Xor:
    return "_xor";
  case Combiner::ArgMax:
    return "_argmax";
  case Combiner::ArgMin:
    return "_argmin";
  case Combiner::Sum:
    return tile::getCombiner(region) ? "_sum" : "_combine";
  }
  llvm_unreachable("no other combiner");
}

static llvm::StringRef getCombinerDoc(llvm::StringRef name) {
  if (name.starts_with("_argmax") || name.starts_with("_argmin"))
    return "One step of a search for an extreme and its first place; NaN counts as extreme.";
  if (name.starts_with("_restarting"))
    return "One step of a scan; where the second number is not 0, it starts again.";
  if (name.contains("_nan"))
    return "One step of a fold that NaN gets through.";
  return "One step of a fold.";
}

std::string TilePrinter::getCombinerName(Operation *op, Region &region) {
  unsigned count = op->getNumOperands();
  llvm::SmallVector<std::string> arguments;
  for (llvm::StringRef side : {"a", "b"})
    for (unsigned i = 0; i < count; ++i)
      arguments.push_back(count == 1 ? side.str() : side.str() + std::to_string(i));
  Writer body;
  body.indent();
  TilePrinter printer(region, parts, body);
  if (mlir::failed(printer.printCombiner(region, arguments)))
    failed = true;
  std::string text = "(" + llvm::join(arguments, ", ") + "):\n" + body.str();
  std::string &name = parts.combinerNames[text];
  if (name.empty()) {
    name = parts.names.take(getCombinerWish(region));
    std::string head = "@triton.jit\ndef " + name + "(" + llvm::join(arguments, ", ") + "):\n";
    parts.combiners.push_back(head + "    \"\"\"" + getCombinerDoc(name).str() + "\"\"\"\n" +
                              body.str());
  }
  return name;
}

} // namespace nereid::emit
