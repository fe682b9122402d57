// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/Instance.h"

#include "index/Printer.h"
#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace nereid::tile {

namespace {

/// Rewrites the numbers of one function.
class Instantiation {
public:
  explicit Instantiation(ConfigAttr config) : config(config) {}

  LogicalResult rewrite(func::FuncOp kernel);

private:
  /// The value of a name or expression; reports at `op` when there is none.
  FailureOr<int64_t> evaluate(Operation *op, StringRef text);
  FailureOr<Type> convert(Operation *op, Type type);
  LogicalResult rewriteTypes(Operation *op);
  LogicalResult rewriteAttributes(Operation *op);
  LogicalResult rewriteMeta(MetaOp op);

  ConfigAttr config;
  index::Context context;
  llvm::StringMap<int64_t> values;
};

} // namespace

FailureOr<int64_t> Instantiation::evaluate(Operation *op, StringRef text) {
  if (auto found = values.find(text); found != values.end())
    return found->second;
  index::ParseError error;
  index::Expr expr = index::parseExpr(text, context, error);
  if (!expr)
    return op->emitError() << "'" << text
                           << "' is not an expression over meta-parameters: " << error.message;
  std::string missing;
  auto valueOf = [&](index::Expr symbol) -> std::optional<int64_t> {
    if (auto number = config.getValues().getAs<IntegerAttr>(symbol.getName()))
      return number.getValue().getBitWidth() == 1 ? number.getValue().getZExtValue()
                                                  : number.getInt();
    missing = symbol.getName().str();
    return std::nullopt;
  };
  std::optional<int64_t> value = index::evaluate(expr, valueOf);
  if (!value && !missing.empty())
    return op->emitError() << "the configuration has no integer '" << missing << "'";
  if (!value)
    return op->emitError() << "'" << text << "' has no value under this configuration";
  values[text] = *value;
  return *value;
}

FailureOr<Type> Instantiation::convert(Operation *op, Type type) {
  DimsAttr dims = getDims(type);
  if (!dims)
    return type;
  auto tile = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tile.getShape());
  for (auto [extent, name] : llvm::zip(shape, dims.getNames())) {
    if (name.getValue().empty())
      continue;
    FailureOr<int64_t> value = evaluate(op, name.getValue());
    if (failed(value))
      return failure();
    if (*value < 0)
      return op->emitError() << "axis '" << name.getValue() << "' has the extent " << *value;
    extent = *value;
  }
  return Type(RankedTensorType::get(shape, tile.getElementType(), dims));
}

LogicalResult Instantiation::rewriteTypes(Operation *op) {
  auto convertAll = [&](ValueRange values) {
    for (Value value : values) {
      FailureOr<Type> type = convert(op, value.getType());
      if (failed(type))
        return failure();
      value.setType(*type);
    }
    return success();
  };
  if (failed(convertAll(op->getResults())))
    return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(convertAll(block.getArguments())))
        return failure();
  return success();
}

LogicalResult Instantiation::rewriteMeta(MetaOp op) {
  Type type = op.getResult().getType();
  Attribute given = config.getValues().get(op.getName());
  if (auto number = dyn_cast_or_null<FloatAttr>(given)) {
    if (!isa<FloatType>(type))
      return op.emitError() << "meta-parameter '" << op.getName() << "' is a float, used as "
                            << type;
    op.setValueAttr(FloatAttr::get(type, number.getValueAsDouble()));
    return success();
  }
  FailureOr<int64_t> value = evaluate(op, op.getName());
  if (failed(value))
    return failure();
  if (isa<FloatType>(type))
    op.setValueAttr(FloatAttr::get(type, static_cast<double>(*value)));
  else
    op.setValueAttr(IntegerAttr::get(type, APInt(type.getIntOrFloatBitWidth(), *value,
                                                 /*isSigned=*/true, /*implicitTrunc=*/true)));
  return success();
}

LogicalResult Instantiation::rewriteAttributes(Operation *op) {
  if (auto meta = dyn_cast<MetaOp>(op))
    return rewriteMeta(meta);
  auto constant = op->getAttrOfType<DenseElementsAttr>("value");
  if (!constant)
    return success();
  FailureOr<Type> type = convert(op, constant.getType());
  if (failed(type) || *type == constant.getType())
    return LogicalResult(type);
  if (!constant.isSplat())
    return op->emitError() << "a constant of unequal elements cannot follow a meta-parameter";
  op->setAttr("value", constant.resizeSplat(cast<ShapedType>(*type)));
  return success();
}

LogicalResult Instantiation::rewrite(func::FuncOp kernel) {
  WalkResult walked = kernel.walk([&](Operation *op) {
    return WalkResult(failure(failed(rewriteTypes(op)) || failed(rewriteAttributes(op))));
  });
  if (walked.wasInterrupted())
    return failure();
  if (!kernel.isExternal())
    kernel.setFunctionType(FunctionType::get(
        kernel.getContext(), kernel.getBody().front().getArgumentTypes(), kernel.getResultTypes()));
  kernel->setAttr(configsAttrName, ArrayAttr::get(kernel.getContext(), config));
  return mlir::verify(kernel);
}

FailureOr<OwningOpRef<func::FuncOp>> cloneInstance(func::FuncOp kernel, ConfigAttr config) {
  OwningOpRef<func::FuncOp> instance(kernel.clone());
  if (failed(Instantiation(config).rewrite(*instance)))
    return failure();
  return instance;
}

ConfigAttr getConfig(func::FuncOp kernel, DictionaryAttr meta) {
  auto configs = kernel->getAttrOfType<ArrayAttr>(configsAttrName);
  auto first = configs && !configs.empty() ? cast<ConfigAttr>(configs[0]) : ConfigAttr();
  NamedAttrList values;
  if (first)
    values.append(first.getValues().getValue());
  for (NamedAttribute entry : meta ? meta.getValue() : ArrayRef<NamedAttribute>())
    values.set(entry.getName(), entry.getValue());
  MLIRContext *context = kernel.getContext();
  return ConfigAttr::get(context, values.getDictionary(context), first ? first.getNumWarps() : 4,
                         first ? first.getNumStages() : 3);
}

static SmallVector<StringRef> getNames(func::FuncOp kernel, StringRef attribute) {
  SmallVector<StringRef> names;
  if (auto list = kernel->getAttrOfType<ArrayAttr>(attribute))
    for (Attribute name : list)
      names.push_back(cast<StringAttr>(name).getValue());
  return names;
}

SmallVector<StringRef> getMetaNames(func::FuncOp kernel) { return getNames(kernel, metaAttrName); }

SmallVector<StringRef> getTunedFor(func::FuncOp kernel) {
  return getNames(kernel, tunedForAttrName);
}

std::string getArgumentName(func::FuncOp kernel, unsigned argument) {
  if (auto name = kernel.getArgAttrOfType<StringAttr>(argument, nameAttrName))
    return name.str();
  return "arg" + std::to_string(argument);
}

} // namespace nereid::tile
