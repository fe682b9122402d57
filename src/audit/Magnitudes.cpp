// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/Magnitudes.h"

#include "audit/Contracts.h"
#include "index/Facts.h"
#include "sym/SymDialect.h"
#include "tile/Instance.h"
#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;

namespace nereid::audit {

static constexpr double axisBits = 14, firstGridBits = 17, otherGridBits = 16, loadedBits = 20;

static double bitsOf(int64_t number) {
  return std::log2(std::max<double>(1, std::abs(double(number))));
}

namespace {
/// The sizes of a launch: strides by how many axes lie below them.
class LaunchSizes {
public:
  LaunchSizes(const HostLaunch &launch, index::Context &context) : facts(context) {
    for (index::Pred fact : launch.facts)
      facts.assume(fact);
    for (index::Pred fact : launch.facts)
      shareRange(fact);
    for (llvm::StringRef assumption : launch.assumptions) {
      auto [tensor, count] = assumption.split(" has ");
      unsigned rank = 0;
      if (!count.split(' ').first.getAsInteger(10, rank))
        ranks[tensor] = rank;
    }
    for (const HostArgument &tensor : launch.arguments)
      if (tensor.kind == HostArgument::Tensor)
        for (auto [axis, stride] : llvm::enumerate(tensor.strides))
          if (stride.isSymbol()) {
            double bits = 0;
            for (index::Expr size : llvm::ArrayRef(tensor.sizes).drop_front(axis + 1))
              bits += std::min(axisBits, of(size));
            strides[stride] = std::max(strides.lookup(stride), bits);
          }
  }

  /// Of a size that is a constant of the kernel: rows of matrices may be long, what a head or a
  /// group holds is not.
  double ofConstant(index::Expr expr) const {
    constexpr double ofMatrix = axisBits, ofThree = 11, ofMore = 7;
    double bits = 0;
    index::forEachSymbol(expr, [&](index::Expr symbol) {
      unsigned rank = ranks.lookup(ownerOf(symbol.getName()));
      bits += rank == 0 || rank > 3 ? ofMore : rank == 3 ? ofThree : ofMatrix;
    });
    return std::min(bits, of(expr));
  }

  double of(index::Expr expr) const {
    double bits = bitsOf(expr.getConstantTerm());
    for (index::Term term : expr.getTerms())
      bits = std::max(bits, bitsOf(term.coefficient) + ofMonomial(term.monomial));
    return bits;
  }

private:
  /// Of two sizes that are one both are as small as one of them.
  void shareRange(index::Pred fact) {
    if (fact.getKind() != index::PredKind::Zero)
      return;
    llvm::SmallVector<index::Expr> symbols(index::collectSymbols(fact.getExpr()));
    if (symbols.size() != 2 ||
        (fact.getExpr() != symbols[0] - symbols[1] && fact.getExpr() != symbols[1] - symbols[0]))
      return;
    for (auto [known, other] :
         {std::pair(symbols[0], symbols[1]), std::pair(symbols[1], symbols[0])})
      facts.setRange(other, facts.range(known));
  }
  double ofMonomial(index::Expr monomial) const {
    if (monomial.getKind() != index::ExprKind::Product)
      return ofAtom(monomial);
    double bits = 0;
    for (index::Factor factor : monomial.getFactors())
      bits += factor.power * ofAtom(factor.atom);
    return bits;
  }
  double ofAtom(index::Expr atom) const {
    if (auto stride = strides.find(atom); stride != strides.end())
      return stride->second;
    if (atom.isConstant())
      return bitsOf(*atom.getConstant());
    // The wrapper may ask for less: `assert D in (64, 128)`.
    index::Range range = facts.range(atom);
    return range.hi ? std::min(axisBits, bitsOf(*range.hi)) : axisBits;
  }

  index::Facts facts;
  llvm::DenseMap<index::Expr, double> strides;
  /// How many axes the caller's tensors have, as far as the wrapper says so.
  llvm::StringMap<unsigned> ranks;
};
} // namespace

/// Whether a grid has as many programs as an inner axis of some tensor is long: these are features,
/// and not rows, of which there may be many more.
static bool isInnerAxis(index::Expr extent) {
  llvm::ArrayRef<index::Expr> symbols = index::collectSymbols(extent);
  return !symbols.empty() && llvm::all_of(symbols, [](index::Expr symbol) {
    llvm::StringRef name = symbol.getName();
    return name.contains(".shape[") && !name.ends_with(".shape[0]");
  });
}

Magnitudes::Magnitudes(func::FuncOp kernel, const KernelLaunches &launches)
    : grid{firstGridBits, otherGridBits, otherGridBits} {
  std::array<std::optional<double>, 3> fixed;
  bool isOpen = launches.launches.empty();
  for (const FoundLaunch &found : launches.launches) {
    LaunchSizes sizes(*found.launch, sym::SymDialect::getIndexContext(kernel.getContext()));
    for (unsigned position = 0; position < kernel.getNumArguments(); ++position) {
      std::string name = tile::getArgumentName(kernel, position);
      for (const HostArgument &argument : found.launch->arguments)
        if (argument.name == name && argument.number) {
          double &bits = arguments.try_emplace(position, 0).first->second;
          bits = std::max(bits, sizes.of(argument.number));
        }
    }
    for (const HostArgument &argument : found.launch->arguments)
      if (argument.number && !argument.number.isConstant()) {
        double &bits = constants[argument.name];
        bits = std::max(bits, sizes.ofConstant(argument.number));
      }
    isOpen |= found.launch->grid.empty();
    for (auto [axis, extent] : llvm::enumerate(found.launch->grid))
      if (extent.isConstant())
        fixed[axis] = std::max(fixed[axis].value_or(0), bitsOf(*extent.getConstant()));
      else
        fixed[axis] =
            std::max(fixed[axis].value_or(0),
                     isInnerAxis(extent) ? std::min(grid[axis], sizes.of(extent)) : grid[axis]);
  }
  for (unsigned axis = 0; axis < 3 && !isOpen; ++axis)
    grid[axis] = fixed[axis].value_or(0);
}

double Magnitudes::of(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  // What hangs on itself, by a loop, is as great as what it starts from.
  known[value] = 0;
  double bits = compute(value);
  return known[value] = bits;
}

double Magnitudes::ofArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (isa<func::FuncOp>(parent)) {
    auto given = arguments.find(argument.getArgNumber());
    return given == arguments.end() ? axisBits : given->second;
  }
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop)
    return 0;
  if (argument == loop.getInductionVar())
    return std::max(of(loop.getLowerBound()), of(loop.getUpperBound()));
  double start = of(loop.getTiedLoopInit(argument)->get());
  auto sum = loop.getTiedLoopYieldedValue(argument)->get().getDefiningOp<arith::AddIOp>();
  if (!sum || (sum.getLhs() != argument && sum.getRhs() != argument))
    return start;
  double step = of(sum.getLhs() == argument ? sum.getRhs() : sum.getLhs());
  double turns = std::max(0.0, of(loop.getUpperBound()) - of(loop.getStep()));
  return std::max(start, step + turns);
}

static Value withoutShapes(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tile::ExpandDimsOp, tile::BroadcastOp, tile::SplatOp, tile::HintOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// A product of two numbers that are not known, such as an expert's first row.
static bool isProduct(Value value) {
  auto product = withoutShapes(value).getDefiningOp<arith::MulIOp>();
  auto isNumber = [](Value side) {
    Operation *op = withoutShapes(side).getDefiningOp();
    return op && isa<arith::ConstantOp, tile::MetaOp>(op);
  };
  return product && !isNumber(product.getLhs()) && !isNumber(product.getRhs());
}

/// Whether the value is the places of a tile along one axis, of which masks leave out what is
/// beyond: what is multiplied by a stride.
static bool isPlaces(Value value) {
  Operation *op = withoutShapes(value).getDefiningOp();
  if (!op || !isa<arith::AddIOp>(op))
    return op && isa<tile::RangeOp>(op);
  Value a = op->getOperand(0), b = op->getOperand(1);
  return (isPlaces(a) && !isProduct(b)) || (isPlaces(b) && !isProduct(a));
}

double Magnitudes::ofArithmetic(Operation *op) {
  double a = of(op->getOperand(0)), b = op->getNumOperands() > 1 ? of(op->getOperand(1)) : 0;
  if (isa<arith::MulIOp>(op)) {
    double left = isPlaces(op->getOperand(0)) ? std::min(a, loadedBits) : a;
    return left + (isPlaces(op->getOperand(1)) ? std::min(b, loadedBits) : b);
  }
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
          arith::CeilDivUIOp>(op))
    return std::max(0.0, a - b);
  if (isa<arith::RemSIOp, arith::RemUIOp, arith::MinSIOp, arith::MinUIOp, arith::AndIOp>(op))
    return std::min(a, b);
  APInt shift;
  if (isa<arith::ShLIOp>(op))
    return matchPattern(op->getOperand(1), m_ConstantInt(&shift)) ? a + shift.getZExtValue() : a;
  if (isa<arith::SelectOp>(op))
    return std::max(b, of(op->getOperand(2)));
  return std::max(a, b);
}

double Magnitudes::compute(Value value) {
  if (!tile::getElementType(value.getType()).isIntOrIndex())
    return 0;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofArgument(argument);
  Operation *op = value.getDefiningOp();
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return bitsOf(number.getSExtValue());
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    return splat ? bitsOf(splat.getSplatValue<APInt>().getSExtValue()) : 0;
  }
  if (auto meta = dyn_cast<tile::MetaOp>(op)) {
    if (auto given = constants.find(meta.getName()); given != constants.end())
      return given->second;
    auto integer = dyn_cast<IntegerAttr>(meta.getValue());
    return integer ? bitsOf(integer.getInt()) : 0;
  }
  if (auto id = dyn_cast<tile::ProgramIdOp>(op))
    return grid[id.getAxis()];
  if (auto count = dyn_cast<tile::NumProgramsOp>(op))
    return grid[count.getAxis()];
  if (isa<tile::LoadOp, tile::AtomicRmwOp, tile::AtomicCasOp>(op))
    return loadedBits;
  if (isa<tile::RangeOp>(op))
    return bitsOf(tile::getShape(value.getType())[0]);
  if (auto choice = dyn_cast<scf::IfOp>(op)) {
    unsigned result = cast<OpResult>(value).getResultNumber();
    double bits = 0;
    for (Region *region : {&choice.getThenRegion(), &choice.getElseRegion()})
      if (!region->empty())
        bits = std::max(bits, of(region->front().getTerminator()->getOperand(result)));
    return bits;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return of(loop.getRegionIterArgs()[cast<OpResult>(value).getResultNumber()]);
  if (op->getName().getDialectNamespace() == "scf" || op->getNumOperands() == 0)
    return 0;
  if (op->getName().getDialectNamespace() == "arith")
    return ofArithmetic(op);
  // Shapes, folds, hints: of what they are made.
  double bits = 0;
  for (Value operand : op->getOperands())
    bits = std::max(bits, of(operand));
  return bits;
}

} // namespace nereid::audit
