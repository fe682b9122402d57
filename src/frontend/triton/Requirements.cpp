// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an import that fails would have needed of the sizes, tiles and types that were guessed for
// it. Sizes know the meta-parameters that they are made of; for types and ranks a value is followed
// back to the arguments that it comes from.
#include "frontend/triton/TritonLibrary.h"

using namespace llvm;
using namespace mlir;

namespace nereid::triton {

// --- Sizes
// -----------------------------------------------------------------------------------------

/// A size as text over meta-parameters, in parentheses where it is more than a name.
static std::string spell(const Dim &dim) {
  if (dim.name.empty())
    return std::to_string(dim.size);
  return StringRef(dim.name).contains(' ') ? "(" + dim.name + ")" : dim.name;
}

static std::string spellProduct(ArrayRef<Dim> dims) {
  std::string text;
  for (const Dim &dim : dims)
    text += (text.empty() ? "" : " * ") + spell(dim);
  return text.empty() ? "1" : text;
}

void KernelBuilder::requireCondition(const std::string &condition) {
  if (machine.pending())
    return;
  library.required = {};
  library.required.condition = condition;
}

void KernelBuilder::requireEqual(ArrayRef<Dim> left, ArrayRef<Dim> right) {
  requireCondition(spellProduct(left) + " == " + spellProduct(right));
}

void KernelBuilder::requireShape(TensorValue *value, ArrayRef<Dim> dims) {
  if (value->rank() != dims.size())
    return requireRank(value, dims.size());
  for (auto [own, wanted] : zip(value->dims(), dims))
    if (own.size != wanted.size)
      return requireEqual(own, wanted);
}

void KernelBuilder::requireAtLeast(const Dim &size, int64_t least) {
  requireCondition(spell(size) + " >= " + std::to_string(least));
}

void KernelBuilder::requirePowerOfTwo(const Dim &size) {
  std::string text = spell(size);
  requireCondition(text + " > 0 and " + text + " & (" + text + " - 1) == 0");
}

// --- Arguments
// -------------------------------------------------------------------------------------

/// What an argument of a block is before the region runs: the value that a loop starts with, or
/// that a placeholder of a trial stands for. Null where it is an argument of the function.
mlir::Value KernelBuilder::getOrigin(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (!parent)
    return placeholders.lookup(argument);
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    OpOperand *init = loop.getTiedLoopInit(argument);
    return init ? init->get() : loop.getUpperBound();
  }
  auto loop = dyn_cast<scf::WhileOp>(parent);
  return loop && argument.getArgNumber() < loop.getInits().size()
             ? loop.getInits()[argument.getArgNumber()]
             : mlir::Value();
}

namespace {

/// An argument that a value comes from, and how many loads lie between.
struct Source {
  BlockArgument argument;
  unsigned loads = 0;
};

/// Follows a value back.
class SourceFinder {
public:
  SourceFinder(KernelBuilder &kernel, bool keepsType) : kernel(kernel), keepsType(keepsType) {}

  void visit(mlir::Value value, unsigned loads) {
    if (!value || !seen.insert(value).second)
      return;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (isa_and_present<func::FuncOp>(argument.getOwner()->getParentOp()))
        sources.push_back({argument, loads});
      else
        visit(kernel.getOrigin(argument), loads);
      return;
    }
    Operation *op = value.getDefiningOp();
    if (isa<tile::LoadOp, tile::AtomicRmwOp, tile::AtomicCasOp>(op)) {
      if (keepsType)
        visit(op->getOperand(0), loads + 1);
      return;
    }
    if (isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op))
      return visitRegions(op, cast<OpResult>(value).getResultNumber(), loads);
    for (mlir::Value operand : op->getOperands())
      if (!keepsType || isAlike(operand, value))
        visit(operand, loads);
  }

  SmallVector<Source> sources;

private:
  static bool isAlike(mlir::Value operand, mlir::Value value) {
    return tile::getElementType(operand.getType()) == tile::getElementType(value.getType());
  }

  void visitRegions(Operation *op, unsigned number, unsigned loads) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (Region &region : branch->getRegions())
        if (!region.empty())
          visit(region.front().getTerminator()->getOperand(number), loads);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      visit(loop.getInits()[number], loads);
    } else {
      visit(cast<scf::WhileOp>(op).getInits()[number], loads);
    }
  }

  KernelBuilder &kernel;
  bool keepsType;
  llvm::DenseSet<mlir::Value> seen;
};

} // namespace

static std::string nameOf(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), tile::nameAttrName);
  return name ? name.str() : "";
}

void KernelBuilder::requireRank(ArrayRef<TensorValue *> values, unsigned rank) {
  if (machine.pending())
    return;
  SourceFinder finder(*this, /*keepsType=*/false);
  for (TensorValue *value : values)
    if (value->rank() < rank)
      finder.visit(value->value, 0);
  library.required = {};
  library.required.rank = rank;
  for (const Source &source : finder.sources)
    if (!isa<tile::PtrType>(source.argument.getType()))
      library.required.arguments.push_back(nameOf(source.argument));
}

void KernelBuilder::requireTypes(ArrayRef<std::pair<TensorValue *, DType>> values) {
  if (machine.pending())
    return;
  library.required = {};
  for (auto [value, type] : values) {
    SourceFinder finder(*this, /*keepsType=*/true);
    finder.visit(value->value, 0);
    for (const Source &source : finder.sources)
      library.required.types.push_back({nameOf(source.argument), type.signature(), source.loads});
  }
}

/// Two values of which one has to take the other's type: the first if that comes from arguments.
void KernelBuilder::requireAlike(PyValue left, PyValue right) {
  auto *one = dyn_cast<TensorValue>(left), *two = dyn_cast<TensorValue>(right);
  if (!one || !two || one->type == two->type)
    return;
  requireTypes({{one, two->type}});
  if (library.required.types.empty())
    requireTypes({{two, one->type}});
}

} // namespace nereid::triton
