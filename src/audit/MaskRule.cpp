// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/MaskRule.h"
#include "audit/PaddedLanes.h"

#include "analysis/Access.h"
#include "index/Facts.h"
#include "tile/Instance.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::audit {

static unsigned rankOf(Value value) { return tile::getShape(value.getType()).size(); }

namespace {
/// Places along some axes of the tile that an access works on.
struct Places {
  Value value;
  unsigned rank, axes;
};

/// A bound that a mask puts on places.
struct Bound {
  Places places;
  Value condition;
  /// The places move with a loop.
  bool isOfLoop = false;
};

/// What the address of an access is the sum of, and the bounds of its mask.
struct MaskedAccess {
  Operation *op;
  Value base;
  SmallVector<Places> places;
  SmallVector<Bound> bounds;
  /// All that its mask is computed from.
  llvm::DenseSet<Value> masked;
};

/// Reads the pointer and the mask of one access.
class AccessReader {
public:
  AccessReader(MaskedAccess &access, const KernelLaunches &launches)
      : access(access), launches(launches) {}
  void visitPointer(Value value);
  void visitOffset(Value value, unsigned rank, unsigned axes);
  void visitMask(Value value, unsigned rank, unsigned axes);

private:
  void collect(Value value, unsigned depth);
  /// The axes of the whole tile, as long as all of it is in sight.
  static unsigned axesOf(Value value, unsigned rank, unsigned axes) {
    return rankOf(value) == rank ? varyingAxes(value) : axes;
  }

  bool canBeBeyond(Value places, Value bound) const;

  MaskedAccess &access;
  const KernelLaunches &launches;
  llvm::DenseSet<Value> seen;
};
} // namespace

static bool isShape(Operation *op) {
  return isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::HintOp>(op);
}

void AccessReader::visitPointer(Value value) {
  if (!seen.insert(value).second)
    return;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (isa<func::FuncOp>(argument.getOwner()->getParentOp()))
      access.base = argument;
    else if (loop)
      visitPointer(loop.getTiedLoopInit(argument)->get());
    return;
  }
  Operation *op = value.getDefiningOp();
  if (auto moved = dyn_cast<tile::AddPtrOp>(op)) {
    visitPointer(moved.getPtr());
    visitOffset(moved.getOffset(), rankOf(moved.getOffset()), ~0u);
  } else if (isShape(op)) {
    visitPointer(op->getOperand(0));
  }
}

/// Sums and multiples: a remainder or a least value bounds what it is taken of.
void AccessReader::visitOffset(Value value, unsigned rank, unsigned axes) {
  axes = axesOf(value, rank, axes);
  Operation *op = value.getDefiningOp();
  if (rankOf(value) == 0 || !op)
    return;
  if (isShape(op) || isa<arith::ExtSIOp, arith::ExtUIOp>(op))
    return visitOffset(op->getOperand(0), rank, axes);
  access.places.push_back({value, rank, axes});
  if (isa<arith::AddIOp, arith::MulIOp>(op))
    for (Value operand : op->getOperands())
      visitOffset(operand, rank, axes);
}

void AccessReader::collect(Value value, unsigned depth) {
  if (depth > 14 || !access.masked.insert(value).second)
    return;
  if (Operation *op = value.getDefiningOp())
    for (Value operand : op->getOperands())
      collect(operand, depth + 1);
}

/// Whether the places move with a loop: what one of them leaves may be whole in all its turns.
static bool isOfLoop(Value value, unsigned depth = 0) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return !isa<func::FuncOp>(argument.getOwner()->getParentOp());
  Operation *op = value.getDefiningOp();
  return depth < 14 && !isa<tile::LoadOp>(op) &&
         llvm::any_of(
             op->getOperands(), [&](Value operand) { return isOfLoop(operand, depth + 1); });
}

/// Whether some launch gives a tile an extent that is not known to be within another constant of
/// the kernel: `triton.next_power_of_2(n)` beside n.
static bool isBeyondSomewhere(StringRef extent, StringRef bound, const KernelLaunches &launches) {
  auto numberOf = [](const HostLaunch &launch, StringRef name) {
    for (const HostArgument &argument : launch.arguments)
      if (argument.name == name)
        return argument.number;
    return index::Expr();
  };
  return llvm::any_of(launches.launches, [&](const FoundLaunch &found) {
    index::Expr length = numberOf(*found.launch, extent), most = numberOf(*found.launch, bound);
    if (!length || !most)
      return false;
    index::Facts facts(length.getContext());
    for (index::Pred fact : found.launch->facts)
      facts.assume(fact);
    index::forEachSymbol(most, [&](index::Expr symbol) { facts.assume(index::ge(symbol, 0)); });
    return !facts.isTrue(index::le(length, most));
  });
}

/// Whether a range goes beyond a bound that is a number here: one that does not may be of that
/// extent wherever it is launched.
bool AccessReader::canBeBeyond(Value places, Value bound) const {
  auto range = places.getDefiningOp<tile::RangeOp>();
  Operation *op = bound.getDefiningOp();
  while (op && isShape(op))
    op = op->getOperand(0).getDefiningOp();
  auto meta = dyn_cast_if_present<tile::MetaOp>(op);
  auto number = meta ? dyn_cast<IntegerAttr>(meta.getValue()) : IntegerAttr();
  APInt constant;
  if (op && matchPattern(op, m_ConstantInt(&constant)))
    return !range || constant.getSExtValue() < tile::getShape(places.getType())[0];
  if (!range || !number || number.getInt() < tile::getShape(places.getType())[0])
    return true;
  tile::DimsAttr dims = tile::getDims(places.getType());
  StringRef extent = dims ? dims.getNames()[0].getValue() : "";
  return !extent.empty() && extent != meta.getName() &&
         isBeyondSomewhere(extent, meta.getName(), launches);
}

void AccessReader::visitMask(Value value, unsigned rank, unsigned axes) {
  collect(value, 0);
  axes = axesOf(value, rank, axes);
  Operation *op = value.getDefiningOp();
  if (!op)
    return;
  if (isa<arith::AndIOp>(op)) {
    visitMask(op->getOperand(0), rank, axes);
    return visitMask(op->getOperand(1), rank, axes);
  }
  if (isShape(op))
    return visitMask(op->getOperand(0), rank, axes);
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare || (compare.getPredicate() != arith::CmpIPredicate::slt &&
                   compare.getPredicate() != arith::CmpIPredicate::ult))
    return;
  Value places = compare.getLhs();
  while (places.getDefiningOp() &&
         (isShape(places.getDefiningOp()) || isa<arith::ExtSIOp>(places.getDefiningOp())))
    places = places.getDefiningOp()->getOperand(0);
  if (rankOf(places) != 0 && canBeBeyond(places, compare.getRhs()))
    access.bounds.push_back({{places, rank, axes}, value, isOfLoop(places)});
}

/// Places that the loaded numbers or the start of a tile make are its own; a bare range may be used
/// along several axes.
static bool areSame(const Places &a, const Places &b) {
  if (a.rank == b.rank)
    return a.axes == b.axes && areAlike(a.value, b.value);
  return !a.value.getDefiningOp<tile::RangeOp>() && areAlike(a.value, b.value);
}

/// Whether the mask speaks of the places, in whatever way.
static bool speaksOf(const MaskedAccess &access, const Places &places) {
  return llvm::any_of(access.masked, [&](Value value) { return areAlike(value, places.value); });
}

static bool isProved(Operation *access, const AuditedKernel &audited) {
  auto place = access->getLoc()->findInstanceOf<FileLineColLoc>();
  return place && llvm::any_of(audited.accesses, [&](const AuditedAccess &known) {
           return known.line == place.getLine() && known.column == place.getColumn() &&
                  known.property == analysis::Property::InBounds &&
                  known.verdict == analysis::Verdict::Proved;
         });
}

static std::string textOf(Value condition, const RuleSite &site) {
  SourceLocation place = site.expressionAt(condition.getDefiningOp(), [](const python::Node &node) {
    return isa<python::Compare>(node);
  });
  return place.file ? place.file->getText(place.range).str() : "";
}

namespace {
/// A bound that another access has at the same places.
struct Missing {
  const MaskedAccess *other;
  std::string text;
};
} // namespace

/// Whether the bound is the end of the loop around an access: `n < length` in range(0, length, B).
static bool isBoundOfLoop(Value condition, Operation *access) {
  auto loop = access->getParentOfType<scf::ForOp>();
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!loop || !compare)
    return false;
  Value bound = compare.getRhs();
  while (Operation *op = bound.getDefiningOp()) {
    if (!isShape(op) && !isa<arith::ExtSIOp>(op))
      break;
    bound = op->getOperand(0);
  }
  return areAlike(bound, loop.getUpperBound());
}

/// Whether one operation is executed in each turn of the loop around another one, perhaps by a loop
/// of its own.
static bool isWithinLoopOf(Operation *op, Operation *other) {
  Region *around = op->getParentRegion();
  while (around != other->getParentRegion() && isa<scf::ForOp>(around->getParentOp()))
    around = around->getParentRegion();
  return around == other->getParentRegion();
}

static std::optional<Missing> findMissing(const MaskedAccess &access,
                                          llvm::ArrayRef<MaskedAccess> all, const RuleSite &site) {
  for (const MaskedAccess &other : all)
    for (const Bound &bound : other.bounds) {
      // What moves with a loop is bounded in every turn or in none: by the end of the loop, which
      // the bound speaks of too.
      if (bound.isOfLoop &&
          (!isWithinLoopOf(other.op, access.op) || !isBoundOfLoop(bound.condition, access.op)))
        continue;
      bool isMet = llvm::any_of(
          access.places, [&](const Places &places) { return areSame(places, bound.places); });
      std::string text =
          isMet && !speaksOf(access, bound.places) ? textOf(bound.condition, site) : "";
      if (!text.empty())
        return Missing{&other, text};
    }
  return std::nullopt;
}

static void report(const MaskedAccess &access, const Missing &missing, func::FuncOp kernel,
                   RuleSite &site) {
  auto base = dyn_cast_if_present<BlockArgument>(access.base);
  std::string pointer =
      base ? "'" + tile::getArgumentName(kernel, base.getArgNumber()) + "'" : "memory";
  std::string what = pointer + " is " + (isa<tile::LoadOp>(access.op) ? "read" : "written") +
                     " without '" + missing.text + "'";
  SourceLocation place = site.placeOf(access.op);
  Finding *finding = site.addOnce("TRC002", Certainty::Likely, place,
                                  what + ", which bounds the same places in another access",
                                  "give it that mask too", what + " too");
  if (!finding)
    return;
  finding->diagnostic.addNote(site.placeOf(missing.other->op), "bounded here");
  finding->suggestions.push_back({Suggestion::Mask, place, "mask", missing.text});
}

void findMissingMasks(func::FuncOp kernel, const KernelLaunches &launches,
                      const AuditedKernel &audited, RuleSite &site) {
  std::vector<MaskedAccess> accesses;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    analysis::MemoryOperands operands = analysis::memoryOperandsOf(op);
    if (!operands.pointer || rankOf(operands.pointer) == 0)
      return;
    MaskedAccess &access = accesses.emplace_back();
    access.op = op;
    AccessReader reader(access, launches);
    reader.visitPointer(operands.pointer);
    if (operands.mask)
      reader.visitMask(operands.mask, rankOf(operands.mask), ~0u);
  });
  for (const MaskedAccess &access : accesses) {
    if (isProved(access.op, audited))
      continue;
    std::optional<Missing> missing = findMissing(access, accesses, site);
    if (!missing)
      continue;
    SourceLocation place = site.placeOf(access.op);
    if (Finding *error = site.findError(place)) {
      if (error->suggestions.empty())
        error->suggestions.push_back({Suggestion::Mask, place, "mask", missing->text});
    } else {
      report(access, *missing, kernel, site);
    }
  }
}

} // namespace nereid::audit
