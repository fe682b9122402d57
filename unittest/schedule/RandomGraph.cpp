// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomGraph.h"

#include "graph/GraphOps.h"
#include "sym/SymDialect.h"

#include <cmath>

using namespace mlir;
using nereid::index::Expr;
using nereid::index::Pred;

namespace nereid::schedule::test {

/// No tensor of a program holds more elements at the sizes at which it runs.
constexpr int64_t mostElements = 20000;

int Known::bits() const { return int(std::ceil(std::log2(std::max(bound, 1.0)))) + scale; }

Known Known::unite(const Known &a, const Known &b) {
  return {a.exact && b.exact, std::max(a.bound, b.bound), std::max(a.scale, b.scale),
          a.finite && b.finite};
}

GraphGenerator::GraphGenerator(MLIRContext &context, uint64_t seed)
    : context(context), index(context.getOrLoadDialect<sym::SymDialect>()->getIndexContext()),
      choices(seed), builder(&context) {}

/// One to three symbols, and values for them: extents around blocks, one and nothing.
void GraphGenerator::chooseSizes() {
  for (llvm::StringRef name : {"M", "N", "K"})
    symbols.push_back(index.symbol(name));
  symbols.resize(choices.between(1, 3));
  int64_t greatest = symbols.size() == 1 ? 2100 : symbols.size() == 2 ? 140 : 34;
  bool mayBeEmpty = choices.oneIn(6);
  for (int i = 0; i < 3; ++i) {
    Sizes values;
    int64_t elements = 1;
    for (Expr symbol : symbols) {
      int64_t size = choices.pick<int64_t>(
          {1, 2, 3, 7, 8, 16, 17, 31, 32, 33, 64, 127, 128, 129, 255, 1023, 1024, 1025, 2049});
      if (choices.oneIn(4))
        size = choices.between(1, 70);
      size = std::min(size, greatest);
      if (mayBeEmpty && choices.oneIn(3))
        size = 0;
      if (elements * size > mostElements / 8)
        size = 7;
      elements *= std::max<int64_t>(size, 1);
      values[symbol] = size;
    }
    sizes.push_back(std::move(values));
  }
}

bool GraphGenerator::holds(Pred pred) const {
  return llvm::all_of(sizes,
                      [&](const Sizes &values) { return index::evaluate(pred, values) == true; });
}

int64_t GraphGenerator::most(Expr expr) const {
  int64_t greatest = 0;
  for (const Sizes &values : sizes)
    greatest = std::max(greatest, index::evaluate(expr, values).value_or(0));
  return greatest;
}

bool GraphGenerator::fits(llvm::ArrayRef<Expr> shape) const {
  return shape.size() <= 5 && most(index::product(index, shape)) <= mostElements &&
         llvm::all_of(shape, [&](Expr extent) { return holds(index::ge(extent, 0)); });
}

/// Some operators carry a name, and some names meet.
Location GraphGenerator::loc() {
  Location unknown = builder.getUnknownLoc();
  if (!choices.oneIn(3))
    return unknown;
  auto name = choices.pick<llvm::StringRef>({"y", "row", "mask", "x0", "acc", "cols", "out", "h"});
  return NameLoc::get(builder.getStringAttr(name), unknown);
}

graph::TensorType GraphGenerator::typeOf(llvm::ArrayRef<Expr> shape, Type element) {
  return graph::TensorType::get(&context, shape, element);
}

mlir::Value GraphGenerator::emit(llvm::StringRef name, llvm::ArrayRef<mlir::Value> operands,
                                 Type type) {
  OperationState state(loc(), ("graph." + name).str(), operands, type);
  return builder.create(state)->getResult(0);
}

mlir::Value GraphGenerator::constant(double number, Type element) {
  Attribute attr = isa<FloatType>(element) ? Attribute(builder.getF64FloatAttr(number))
                                           : builder.getI64IntegerAttr(int64_t(number));
  return graph::ConstantOp::create(builder, builder.getUnknownLoc(), typeOf({}, element),
                                   cast<TypedAttr>(attr));
}

mlir::Value GraphGenerator::constantLike(double number, graph::TensorType type) {
  return graph::BroadcastOp::create(builder, builder.getUnknownLoc(), type,
                                    constant(number, type.getElementType()),
                                    llvm::ArrayRef<int64_t>());
}

void GraphGenerator::add(mlir::Value value, Known known) {
  // A number beyond what its type holds exactly is no exact one.
  Type element = cast<graph::TensorType>(value.getType()).getElementType();
  if (auto type = dyn_cast<FloatType>(element))
    known.exact &= known.bits() <= int(type.getFPMantissaWidth()) && known.bound < 60000;
  pool.push_back({value, known});
}

void GraphGenerator::check(Pred pred) {
  if (!pred.isTrue())
    graph::CheckOp::create(builder, builder.getUnknownLoc(), sym::PredAttr::get(&context, pred),
                           builder.getStringAttr("a requirement does not hold"));
}

Entry &GraphGenerator::pick() {
  // Mostly what was made last, so that chains get long.
  size_t recent = std::min<size_t>(pool.size(), 4);
  return choices.oneIn(3) ? choices.pickFrom(pool) : pool[pool.size() - 1 - choices.below(recent)];
}

std::optional<Entry> GraphGenerator::pickFloat() {
  for (int attempt = 0; attempt < 6; ++attempt) {
    Entry entry = pick();
    if (!entry.isFloat())
      continue;
    if (entry.element().getIntOrFloatBitWidth() < 32)
      entry.value = cast(entry.value, builder.getF32Type());
    return entry;
  }
  return std::nullopt;
}

std::optional<Entry> GraphGenerator::pickInteger() {
  for (int attempt = 0; attempt < 6; ++attempt)
    if (Entry entry = pick(); !entry.isFloat() && !entry.isBool())
      return entry;
  return std::nullopt;
}

std::optional<Entry> GraphGenerator::pickBool() {
  for (int attempt = 0; attempt < 6; ++attempt)
    if (Entry entry = pick(); entry.isBool())
      return entry;
  return std::nullopt;
}

void GraphGenerator::makeArguments() {
  auto pickElement = [&]() -> Type {
    switch (choices.below(16)) {
    case 0:
      return builder.getF64Type();
    case 1:
    case 2:
      return builder.getF16Type();
    case 3:
      return builder.getBF16Type();
    case 4:
      return builder.getI64Type();
    case 5:
      return builder.getI32Type();
    case 6:
      return choices.pick<Type>({builder.getI1Type(), builder.getIntegerType(8, false),
                                 builder.getIntegerType(8), builder.getIntegerType(16),
                                 builder.getIntegerType(64, false)});
    default:
      return builder.getF32Type();
    }
  };
  auto pickSize = [&]() -> Expr {
    Expr symbol = choices.pickFrom(symbols);
    switch (choices.below(12)) {
    case 0:
      return index.constant(1);
    case 1:
      return index.constant(choices.between(2, 5));
    case 2:
      return symbol * choices.between(2, 4);
    case 3:
      return symbol + choices.between(1, 2);
    default:
      return symbol;
    }
  };
  llvm::SmallVector<Type> types;
  llvm::SmallVector<std::string> values;
  Shape first(symbols.begin(), symbols.end());
  std::shuffle(first.begin(), first.end(), choices.getEngine());
  types.push_back(typeOf(first, builder.getF32Type()));
  unsigned tensors = choices.between(1, 4);
  while (types.size() < tensors) {
    Shape shape;
    for (unsigned rank = choices.between(0, 3); shape.size() < rank;)
      shape.push_back(pickSize());
    if (fits(shape))
      types.push_back(typeOf(shape, pickElement()));
  }
  if (choices.oneIn(4))
    types.push_back(typeOf({}, choices.pick<Type>({builder.getF32Type(), builder.getI64Type()})));
  auto location = builder.getUnknownLoc();
  module = ModuleOp::create(location);
  builder.setInsertionPointToEnd(module->getBody());
  func = func::FuncOp::create(builder, location, "f", builder.getFunctionType(types, {}));
  func->setAttr("graph.program", builder.getUnitAttr());
  Block *entry = func.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  for (auto [number, argument] : llvm::enumerate(entry->getArguments())) {
    bool isScalar = number >= tensors;
    func.setArgAttr(number, "graph.name", builder.getStringAttr("x" + std::to_string(number)));
    if (isScalar)
      func.setArgAttr(number, "graph.scalar", builder.getUnitAttr());
    auto kind =
        isScalar ? "small"
                 : choices.pick<llvm::StringRef>({"small", "small", "small", "offset", "special"});
    func.setArgAttr(number, valuesAttrName, builder.getStringAttr(kind));
    Type element = cast<graph::TensorType>(argument.getType()).getElementType();
    Known known;
    if (kind == "offset")
      known.bound = 4200;
    known.finite = kind != "special";
    if (!isa<FloatType>(element))
      known = {true, kind == "small" ? 8.0 : std::ldexp(1.0, element.getIntOrFloatBitWidth()), 0,
               true};
    pool.push_back({argument, known});
  }
}

void GraphGenerator::addOperator() {
  switch (choices.below(20)) {
  case 0:
  case 1:
  case 2:
    return addUnary();
  case 3:
  case 4:
  case 5:
  case 6:
    return addBinary();
  case 7:
    return addInteger();
  case 8:
    return addCompare();
  case 9:
    return addWhere();
  case 10:
    return addCast();
  case 11:
  case 12:
    return addFold();
  case 13:
    return choices.oneIn(2) ? addScan() : addFold();
  case 14:
  case 15:
    return addCascade();
  case 16:
    return choices.oneIn(2) ? addAcross() : addGrouped();
  default:
    return addView();
  }
}

/// The final value of an argument, where some value has its type.
void GraphGenerator::addAssignment() {
  for (BlockArgument argument : func.getArguments()) {
    if (func.getArgAttr(argument.getArgNumber(), "graph.scalar") || !choices.oneIn(3))
      continue;
    for (Entry &entry : llvm::reverse(pool))
      if (entry.value != argument && entry.value.getType() == argument.getType()) {
        graph::AssignOp::create(builder, loc(), argument, entry.value);
        return;
      }
  }
}

void GraphGenerator::finish() {
  if (choices.oneIn(4))
    addAssignment();
  llvm::SmallVector<mlir::Value> results;
  results.push_back(pool.back().value);
  for (unsigned more = choices.below(4); more > 0; --more)
    results.push_back(pick().value);
  results.append(wanted);
  std::string text;
  for (size_t i = 0; i < results.size(); ++i)
    text += (i ? ", {" : "{") + std::to_string(i) + "}";
  func->setAttr("graph.result",
                builder.getStringAttr(results.size() == 1 ? text : "(" + text + ")"));
  func::ReturnOp::create(builder, builder.getUnknownLoc(), results);
  func.setType(builder.getFunctionType(func.getArgumentTypes(), ValueRange(results).getTypes()));
  NamedAttrList hints;
  for (Expr symbol : symbols)
    hints.set(symbol.getName(),
              builder.getI64IntegerAttr(choices.pick<int64_t>({8, 64, 1000, 4096, 100000})));
  func->setAttr("graph.hints", hints.getDictionary(&context));
}

RandomGraph GraphGenerator::make() {
  chooseSizes();
  makeArguments();
  size_t wanted = pool.size() + choices.between(2, 14);
  for (unsigned attempts = 0; pool.size() < wanted && attempts < 100; ++attempts)
    addOperator();
  finish();
  return {std::move(module), std::move(sizes)};
}

RandomGraph makeRandomGraph(MLIRContext &context, uint64_t seed) {
  return GraphGenerator(context, seed).make();
}

} // namespace nereid::schedule::test
