// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/HostOps.h"
#include "support/Placeholders.h"

#include "tile/TileDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "host/HostOps.cpp.inc"

using nereid::index::Expr;

namespace nereid::host {

static bool isSameSizesAndElement(TensorType a, TensorType b) {
  return a.getSizes() == b.getSizes() && a.getElementType() == b.getElementType();
}

/// c1 and c2 of the two operators that give a row-major tensor.
static LogicalResult verifyContiguous(Operation *op, TensorType from, TensorType to) {
  if (!isSameSizesAndElement(from, to))
    return op->emitOpError() << "c1: sizes and element types of " << from << " and " << to
                             << " must be equal";
  if (!hasRowMajorStrides(to))
    return op->emitOpError() << "c2: the strides of " << to << " are not row-major";
  return success();
}

LogicalResult AsContiguousOp::verify() {
  return verifyContiguous(*this, getTensor().getType(), getResult().getType());
}

LogicalResult ContiguousOp::verify() {
  return verifyContiguous(*this, getTensor().getType(), getResult().getType());
}

/// Constraint c1 of tensors whose strides PyTorch decides.
static LogicalResult checkOwnStrides(Operation *op, TensorType type) {
  llvm::SmallPtrSet<const void *, 4> seen;
  for (index::Expr stride : type.getStrides())
    if (!stride.isSymbol() || !seen.insert(stride.getAsOpaquePointer()).second)
      return op->emitOpError()
             << "c1: with operands every stride must be a symbol of its own, found '"
             << stride.str() << "'";
  return success();
}

LogicalResult EmptyOp::verify() {
  return getLike().empty() ? success() : checkOwnStrides(*this, getResult().getType());
}

LogicalResult CopyLikeOp::verify() {
  if (!isSameSizesAndElement(getTensor().getType(), getResult().getType()))
    return emitOpError() << "c2: sizes and element types of " << getTensor().getType() << " and "
                         << getResult().getType() << " must be equal";
  return checkOwnStrides(*this, getResult().getType());
}

LogicalResult ViewOp::verify() {
  if (getTensor().getType().getElementType() != getResult().getType().getElementType())
    return emitOpError() << "c1: element types of " << getTensor().getType() << " and "
                         << getResult().getType() << " must be equal";
  return success();
}

LogicalResult AssignOp::verify() {
  if (!isSameSizesAndElement(getTarget().getType(), getValue().getType()))
    return emitOpError() << "c1: sizes and element types of " << getTarget().getType() << " and "
                         << getValue().getType() << " must be equal";
  return success();
}

/// The arms of a choice may give a tensor different strides: only its reader at run time knows
/// which.
static bool agreeButForStrides(Type a, Type b) {
  auto x = dyn_cast<TensorType>(a), y = dyn_cast<TensorType>(b);
  if (!x || !y)
    return a == b;
  return x.getElementType() == y.getElementType() && x.getSizes() == y.getSizes();
}

LogicalResult IfOp::verify() {
  for (Region *arm : {&getThen(), &getOtherwise()}) {
    auto yield = dyn_cast<YieldOp>(arm->front().getTerminator());
    if (!yield)
      return emitOpError() << "c1: an arm must end in host.yield";
    if (!llvm::equal(yield.getValues().getTypes(), getResultTypes(), agreeButForStrides))
      return emitOpError() << "c1: both arms must yield the types of the results, but for strides";
  }
  return success();
}

LogicalResult CallOp::verify() {
  for (Attribute part : getSpelling()) {
    bool fits = true;
    auto filled = nereid::fillPlaceholders(
        cast<StringAttr>(part).getValue(), [&](nereid::Placeholder at) -> std::string {
          fits &= at.place < getInputs().size() &&
                  isa<TensorType>(getInputs()[at.place].getType()) != at.isNumber;
          return "";
        });
    if (!filled || !fits)
      return emitOpError() << "c1: " << part << " has a place that is no such input's";
  }
  for (Type result : getResultTypes())
    if (!hasRowMajorStrides(cast<TensorType>(result)))
      return emitOpError() << "c2: the result " << result << " is not row-major";
  bool isGradient = getOf() && getTo();
  if (isGradient ? getOf()->size() != getCotangents().size() || getTo()->size() != getNumResults()
                 : !getCotangents().empty())
    return emitOpError() << "c3: cotangents or gradients are not as many as are named";
  return success();
}

LogicalResult LaunchOp::verify() {
  size_t axes = getGrid().size();
  if (axes < 1 || axes > 3)
    return emitOpError() << "c3: expected one to three grid expressions, found " << axes;
  for (Attribute extent : getGrid())
    if (!isa<sym::ExprAttr>(extent))
      return emitOpError() << "c3: a grid holds #sym.expr, found " << extent;
  return success();
}

/// What the sizes and strides of a function are where it is applied to arguments.
static DenseMap<Expr, Expr> getAppliedSizes(func::FuncOp function, ValueRange arguments) {
  DenseMap<Expr, Expr> values;
  auto symbols = function->getAttrOfType<ArrayAttr>(symbolsAttrName);
  index::Context &context = sym::SymDialect::getIndexContext(function.getContext());
  for (Attribute each : symbols ? symbols.getValue() : ArrayRef<Attribute>()) {
    auto symbol = cast<SymbolAttr>(each);
    Value argument = arguments[symbol.getArgument()];
    Expr value;
    if (auto tensor = dyn_cast<TensorType>(argument.getType())) {
      bool isSize = symbol.getKind() == SymbolKind::Size;
      value = (isSize ? tensor.getSizes() : tensor.getStrides())[symbol.getDim()];
    } else if (auto size = argument.getDefiningOp<SizeOp>()) {
      value = size.getExpr().getExpr();
    }
    if (value)
      values[context.symbol(symbol.getName().getValue())] = value;
  }
  return values;
}

/// The types with these sizes.
static SmallVector<Type> atSizes(TypeRange types, const DenseMap<Expr, Expr> &values) {
  auto inserted = [&](ArrayRef<Expr> sizes) {
    return llvm::map_to_vector(sizes, [&](Expr size) { return index::substitute(size, values); });
  };
  return llvm::map_to_vector(types, [&](Type type) -> Type {
    auto tensor = dyn_cast<TensorType>(type);
    return tensor ? TensorType::get(type.getContext(), inserted(tensor.getSizes()),
                                    tensor.getElementType(), inserted(tensor.getStrides()))
                  : type;
  });
}

LogicalResult ApplyOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!callee || !callee->hasAttr(programAttrName) || !callee->hasAttr(functionAttrName))
    return emitOpError() << "c1: '" << getCallee() << "' is no function of the program";
  if (callee.getNumArguments() != getArguments().size())
    return emitOpError() << "c2: " << getArguments().size() << " arguments for the "
                         << callee.getNumArguments() << " of '" << getCallee() << "'";
  DenseMap<Expr, Expr> sizes = getAppliedSizes(callee, getArguments());
  if (atSizes(callee.getArgumentTypes(), sizes) != getArguments().getTypes())
    return emitOpError() << "c2: the arguments have other types than those of '" << getCallee()
                         << "'";
  if (atSizes(callee.getResultTypes(), sizes) != getResultTypes())
    return emitOpError() << "c3: the results have other types than those of '" << getCallee()
                         << "'";
  for (Type result : getResultTypes())
    if (!hasRowMajorStrides(cast<TensorType>(result)))
      return emitOpError() << "c3: the result " << result << " is not row-major";
  return success();
}

/// Whether a host value can be passed for a parameter of a kernel.
static bool fitsParameter(Type argument, Type parameter) {
  if (auto pointer = dyn_cast<tile::PtrType>(parameter)) {
    auto tensor = dyn_cast<TensorType>(argument);
    return tensor && tensor.getElementType() == pointer.getPointee();
  }
  if (isa<IntegerType>(parameter))
    return argument.isInteger(64) || argument.isInteger(1);
  return isa<FloatType>(parameter) && argument.isF64();
}

/// Whether every configuration of the kernel gives this meta-parameter.
static bool isInEveryConfig(func::FuncOp kernel, StringRef name) {
  auto configs = kernel->getAttrOfType<ArrayAttr>(tile::configsAttrName);
  return configs && !configs.empty() && llvm::all_of(configs, [&](Attribute config) {
           return cast<tile::ConfigAttr>(config).getValues().contains(name);
         });
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getKernelAttr());
  if (!kernel || !kernel->hasAttr(tile::kernelAttrName))
    return emitOpError() << "c1: '" << getKernel() << "' is not a kernel";
  if (getArguments().size() != kernel.getNumArguments())
    return emitOpError() << "c2: '" << getKernel() << "' takes " << kernel.getNumArguments()
                         << " arguments, found " << getArguments().size();
  for (auto [position, argument] : llvm::enumerate(getArguments())) {
    Type parameter = kernel.getArgumentTypes()[position];
    if (!fitsParameter(argument.getType(), parameter))
      return emitOpError() << "c2: argument " << position << " of type " << argument.getType()
                           << " does not fit the parameter's " << parameter;
  }
  auto meta = kernel->getAttrOfType<ArrayAttr>(tile::metaAttrName);
  for (Attribute part : meta ? meta.getValue() : ArrayRef<Attribute>()) {
    StringRef name = cast<StringAttr>(part).getValue();
    if (!getMeta().contains(name) && !isInEveryConfig(kernel, name))
      return emitOpError() << "c4: meta-parameter '" << name
                           << "' is neither given here nor by every configuration";
  }
  return success();
}

nereid::index::Expr WhileOp::getExpr() {
  return sym::SymDialect::getIndexContext(getContext()).symbol(getSymbol());
}

nereid::index::Expr ForOp::getExpr() {
  return sym::SymDialect::getIndexContext(getContext()).symbol(getSymbol());
}

LogicalResult ForOp::verify() {
  Block &body = getBody().front();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || body.getArgumentTypes() != getInits().getTypes() ||
      yield.getValues().getTypes() != getInits().getTypes() ||
      getResultTypes() != getInits().getTypes())
    return emitOpError() << "c1: the body takes and yields the types of the inits";
  return success();
}

LogicalResult WhileOp::verify() {
  if (static_cast<int64_t>(getStart()) < 1 || static_cast<int64_t>(getFactor()) < 2)
    return emitOpError() << "c1: from " << static_cast<int64_t>(getStart()) << " times "
                         << static_cast<int64_t>(getFactor()) << " is no growing number";
  bool depends = false;
  index::forEachSymbol(getCondition().getPred(),
                       [&](index::Expr symbol) { depends |= symbol == getExpr(); });
  if (!depends)
    return emitOpError() << "c2: the condition does not depend on '" << getSymbol() << "'";
  return success();
}

LogicalResult DispatchOp::verify() {
  if (getConditions().empty() || getConditions().size() != getPrograms().size())
    return emitOpError() << "c1: " << getConditions().size() << " conditions for "
                         << getPrograms().size() << " programs";
  for (Attribute condition : getConditions())
    if (!isa<sym::PredAttr>(condition))
      return emitOpError() << "c1: " << condition << " is no condition";
  auto program = dyn_cast<func::FuncOp>((*this)->getParentOp());
  if (!program || !program->hasAttr(programAttrName))
    return emitOpError() << "c1: it ends no host program";
  return success();
}

LogicalResult DispatchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto caller = cast<func::FuncOp>((*this)->getParentOp());
  auto isAlike = [](Type a, Type b) {
    auto first = dyn_cast<TensorType>(a), second = dyn_cast<TensorType>(b);
    if (!first || !second)
      return a == b;
    return first.getElementType() == second.getElementType() && first.getRank() == second.getRank();
  };
  for (Attribute part : getPrograms()) {
    auto name = dyn_cast<FlatSymbolRefAttr>(part);
    auto program = name ? symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, name) : nullptr;
    if (!program || !program->hasAttr(programAttrName))
      return emitOpError() << "c2: " << part << " is no host program";
    if (program.getNumArguments() != caller.getNumArguments())
      return emitOpError() << "c2: " << part << " takes " << program.getNumArguments()
                           << " arguments, found " << caller.getNumArguments();
    for (auto [own, other] : llvm::zip_equal(caller.getArgumentTypes(), program.getArgumentTypes()))
      if (!isAlike(own, other))
        return emitOpError() << "c2: an argument of type " << own << " does not fit " << other
                             << " of " << part;
  }
  return success();
}

} // namespace nereid::host
