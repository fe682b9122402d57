// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/OverflowRule.h"

#include "analysis/Access.h"
#include "audit/Contracts.h"
#include "audit/PaddedLanes.h"
#include "tile/Instance.h"
#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace nereid::audit {

/// From here on a product is taken to leave a signed number of 32 bits.
static constexpr double overflowBits = 31;
/// What is multiplied by more than that in 64 bits is no offset in 32.
static constexpr double smallFactorBits = 4;

namespace {
/// The products of 32 bits in the offset of one access.
class OffsetProducts {
public:
  explicit OffsetProducts(Magnitudes &magnitudes) : magnitudes(magnitudes) {}

  void visitPointer(Value pointer);
  /// Without those along the last axis of a tile whose other axes have strides of their own.
  SmallVector<Operation *> getOverflows() const;
  /// The argument that the pointer comes from.
  Value getBase() const { return base; }

private:
  void visitWide(Value offset);
  void visitNarrow(Value offset);
  void visitCarried(BlockArgument argument, llvm::function_ref<void(Value)> visit);

  Magnitudes &magnitudes;
  llvm::DenseSet<Value> seen;
  llvm::SetVector<Operation *> overflows;
  /// The axes of two along which some product varies alone.
  bool variesAlongFirst = false;
  Value base;
};
} // namespace

/// The one axis along which a product of a tile of two axes varies.
static std::optional<unsigned> axisOf(Operation *product) {
  Value value = product->getResult(0);
  if (!isa<arith::MulIOp>(product) || tile::getShape(value.getType()).size() != 2)
    return std::nullopt;
  unsigned axes = varyingAxes(value);
  return axes == 1 ? std::optional(0u) : axes == 2 ? std::optional(1u) : std::nullopt;
}

SmallVector<Operation *> OffsetProducts::getOverflows() const {
  SmallVector<Operation *> told;
  for (Operation *product : overflows)
    if (!variesAlongFirst || axisOf(product) != 1u)
      told.push_back(product);
  return told;
}

static unsigned widthOf(Value value) {
  Type element = tile::getElementType(value.getType());
  return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
}

/// Operations that move elements about.
static bool isShape(Operation *op) {
  return isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp, tile::RelabelOp,
             tile::TransOp, tile::HintOp>(op);
}

void OffsetProducts::visitCarried(BlockArgument argument, llvm::function_ref<void(Value)> visit) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument == loop.getInductionVar())
    return;
  visit(loop.getTiedLoopInit(argument)->get());
  visit(loop.getTiedLoopYieldedValue(argument)->get());
}

void OffsetProducts::visitPointer(Value pointer) {
  if (!seen.insert(pointer).second)
    return;
  if (auto argument = dyn_cast<BlockArgument>(pointer)) {
    if (isa<func::FuncOp>(argument.getOwner()->getParentOp()))
      base = argument;
    return visitCarried(argument, [&](Value value) { visitPointer(value); });
  }
  Operation *op = pointer.getDefiningOp();
  if (auto moved = dyn_cast<tile::AddPtrOp>(op)) {
    visitPointer(moved.getPtr());
    return visitWide(moved.getOffset());
  }
  if (isShape(op) || isa<tile::PtrCastOp>(op))
    visitPointer(op->getOperand(0));
  if (auto loop = dyn_cast<scf::ForOp>(op))
    visitPointer(loop.getRegionIterArgs()[cast<OpResult>(pointer).getResultNumber()]);
  if (auto choice = dyn_cast<scf::IfOp>(op))
    for (Region *region : {&choice.getThenRegion(), &choice.getElseRegion()})
      if (!region->empty())
        visitPointer(
            region->front().getTerminator()->getOperand(cast<OpResult>(pointer).getResultNumber()));
}

/// An offset of 64 bits, down to where it is made of 32.
void OffsetProducts::visitWide(Value offset) {
  if (widthOf(offset) < 64)
    return visitNarrow(offset);
  if (!seen.insert(offset).second)
    return;
  if (auto argument = dyn_cast<BlockArgument>(offset))
    return visitCarried(argument, [&](Value value) { visitWide(value); });
  Operation *op = offset.getDefiningOp();
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp>(op) || isShape(op))
    return visitWide(op->getOperand(0));
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    visitWide(op->getOperand(0));
    visitWide(op->getOperand(1));
  }
  variesAlongFirst |= axisOf(op) == 0u;
  if (isa<arith::MulIOp>(op))
    for (unsigned side : {0, 1})
      if (magnitudes.of(op->getOperand(1 - side)) <= smallFactorBits)
        visitWide(op->getOperand(side));
}

void OffsetProducts::visitNarrow(Value offset) {
  if (!seen.insert(offset).second || widthOf(offset) != 32)
    return;
  if (auto argument = dyn_cast<BlockArgument>(offset))
    return visitCarried(argument, [&](Value value) { visitNarrow(value); });
  Operation *op = offset.getDefiningOp();
  variesAlongFirst |= axisOf(op) == 0u;
  if (isa<arith::MulIOp>(op) && magnitudes.of(offset) >= overflowBits) {
    // The place where it first leaves 32 bits is that of the whole product.
    overflows.insert(op);
    return;
  }
  if (isShape(op))
    return visitNarrow(op->getOperand(0));
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    visitNarrow(op->getOperand(0));
    visitNarrow(op->getOperand(1));
  }
  if (auto choice = dyn_cast<arith::SelectOp>(op)) {
    visitNarrow(choice.getTrueValue());
    visitNarrow(choice.getFalseValue());
  }
}

/// Whether the access is proved to stay inside however large tensors are, which holds of its offset
/// as it is computed.
static bool isProved(Operation *access, const AuditedKernel &audited) {
  auto place = access->getLoc()->findInstanceOf<FileLineColLoc>();
  if (!place)
    return false;
  return llvm::any_of(audited.accesses, [&](const AuditedAccess &known) {
    return known.line == place.getLine() && known.column == place.getColumn() &&
           known.path == place.getFilename().getValue() &&
           known.property == analysis::Property::InBounds &&
           known.verdict == analysis::Verdict::Proved &&
           !known.assumptions.count(std::string(boundedTensors));
  });
}

/// Whether a name speaks of what has a number for a row, a channel or a position: `RSTD_ptr`,
/// `cos_sin_cache`.
static bool namesTable(llvm::StringRef name) {
  static constexpr llvm::StringLiteral words[] = {"cos",    "sin",  "freqs", "scale",
                                                  "scales", "bias", "beta",  "gamma",
                                                  "rstd",   "mean", "lse",   "boxes"};
  SmallVector<llvm::StringRef> parts;
  name.split(parts, '_');
  return llvm::any_of(parts,
                      [](llvm::StringRef part) { return llvm::is_contained(words, part.lower()); });
}

/// The arguments of which each program uses single elements alone, outside of loops: statistics of
/// rows, of which there are as many as programs.
static llvm::StringSet<> findStatistics(func::FuncOp kernel, Magnitudes &magnitudes) {
  llvm::StringSet<> single, several;
  kernel.walk([&](Operation *op) {
    Value pointer = analysis::memoryOperandsOf(op).pointer;
    if (!pointer)
      return;
    OffsetProducts products(magnitudes);
    products.visitPointer(pointer);
    auto base = dyn_cast_if_present<BlockArgument>(products.getBase());
    if (!base)
      return;
    bool isSingle = !isa<ShapedType>(pointer.getType()) && !op->getParentOfType<scf::ForOp>();
    (isSingle ? single : several).insert(tile::getArgumentName(kernel, base.getArgNumber()));
  });
  for (const auto &name : several)
    single.erase(name.getKey());
  return single;
}

namespace {
struct Overflow {
  Operation *product;
  std::string pointer;
  double bits;
  size_t order;
};
} // namespace

static void collect(func::FuncOp kernel, const KernelLaunches &launches,
                    const AuditedKernel &audited, std::vector<Overflow> &found) {
  Magnitudes magnitudes(kernel, launches);
  llvm::StringSet<> statistics = findStatistics(kernel, magnitudes);
  llvm::DenseSet<Operation *> met;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    Value pointer = analysis::memoryOperandsOf(op).pointer;
    if (!pointer || isProved(op, audited))
      return;
    OffsetProducts products(magnitudes);
    products.visitPointer(pointer);
    auto base = dyn_cast_if_present<BlockArgument>(products.getBase());
    std::string name = base ? tile::getArgumentName(kernel, base.getArgNumber()) : "";
    if (statistics.contains(name) || namesTable(name))
      return;
    for (Operation *product : products.getOverflows())
      if (met.insert(product).second)
        found.push_back({product, name, magnitudes.of(product->getResult(0)), found.size()});
  });
}

void findIndexOverflows(ArrayRef<func::FuncOp> kernels, const KernelLaunches &launches,
                        const AuditedKernel &audited, RuleSite &site) {
  std::vector<Overflow> found;
  for (func::FuncOp kernel : kernels)
    collect(kernel, launches, audited, found);
  // What overflows first is told first; a tensor of statistics has few elements.
  llvm::sort(found, [](const Overflow &a, const Overflow &b) {
    return std::pair(-a.bits, a.order) < std::pair(-b.bits, b.order);
  });
  constexpr size_t mostNotes = 4;
  Finding *finding = nullptr;
  std::set<std::pair<const SourceFile *, uint32_t>> told;
  for (const Overflow &overflow : found) {
    SourceLocation place = site.expressionAt(overflow.product, [](const python::Node &node) {
      auto *product = dyn_cast<python::BinOp>(&node);
      return product && product->op == python::BinaryOperator::Mult;
    });
    if (!place.file || !told.insert({place.file, place.range.begin}).second)
      continue;
    std::string text = "'" + place.file->getText(place.range).str() + "'";
    std::string where = overflow.pointer.empty() ? "the tensor" : "'" + overflow.pointer + "'";
    if (finding) {
      if (finding->diagnostic.notes.size() < mostNotes)
        finding->diagnostic.addNote(place, text + " too");
      finding->suggestions.push_back({Suggestion::Widen, place, "", ""});
      continue;
    }
    finding = site.add("TRC005", Certainty::Likely, place,
                       text + " is computed in 32 bits, and wraps where " + where +
                           " has 2**31 elements or more",
                       "cast what comes first in the product: .to(tl.int64)");
    if (!finding)
      return;
    finding->suggestions.push_back({Suggestion::Widen, place, "", ""});
  }
}

} // namespace nereid::audit
